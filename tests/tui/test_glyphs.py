"""Glyphs are asked for, and replaced one cell for one cell where the terminal draws them wide."""

import os
import pty
import threading
import time

import pytest
from rich.segment import Segment
from wcwidth import wcwidth

from tui.ascii import AsciiFilter
from tui.environment import colours, refusal
from tui.glyphs import ASCII, needs_ascii, probe


def test_every_glyph_and_its_stand_in_take_one_cell():
    for glyph, stand_in in ASCII.items():
        assert wcwidth(chr(glyph)) == wcwidth(chr(stand_in)) == 1
        assert chr(stand_in).isascii()


def test_what_is_drawn_is_ascii_where_the_terminal_draws_glyphs_wide():
    drawn = AsciiFilter().apply([Segment("▸ retry.md › 重试 │ ▴8 … – −.050")], None)
    assert drawn[0].text == "> retry.md > 重试 | ^8 ~ - -.050"


def test_the_settings_win_over_the_probe():
    assert needs_ascii("ascii", 1)
    assert not needs_ascii("unicode", 2)
    assert needs_ascii("auto", 2)
    assert not needs_ascii("auto", None)


@pytest.mark.parametrize(("answer", "cells"), [(b"\x1b[5;2R", 1), (b"j\x1b[5;3R", 2), (b"", None)])
def test_the_terminal_is_asked_where_its_cursor_is(answer, cells):
    master, slave = pty.openpty()

    def terminal() -> None:
        seen = b""
        while b"\x1b[6n" not in seen:
            seen += os.read(master, 64)
        os.write(master, answer)

    thread = threading.Thread(target=terminal)
    thread.start()
    began = time.monotonic()
    try:
        assert probe(slave, slave, timeout=0.3) == cells
        assert answer or time.monotonic() - began >= 0.29
    finally:
        thread.join()
        os.close(master)
        os.close(slave)


def test_what_is_no_terminal_is_not_asked(tmp_path):
    with open(tmp_path / "file", "w+b") as file:
        assert probe(file.fileno(), file.fileno()) is None


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "full"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "linux"}, "16"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
    ],
)
def test_colours_are_those_that_the_terminal_names(environment, found):
    assert colours(environment) == found


def test_without_a_terminal_it_is_said_in_a_sentence():
    assert "needs a terminal" in refusal({"TERM": "xterm"}, interactive=False)
    assert "TERM=dumb" in refusal({"TERM": "dumb"}, interactive=True)
    assert refusal({"TERM": "xterm"}, interactive=True) == ""
    assert "as gb18030: set LC_ALL" in refusal({"TERM": "xterm"}, interactive=True, encoding="gb18030")
    assert refusal({"TERM": "xterm"}, interactive=True, encoding="UTF-8") == ""
