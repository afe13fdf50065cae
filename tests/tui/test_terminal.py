"""A few runs in a real pseudo-terminal: bytes on the wire, hostile text, input methods, colours, leaving."""

from __future__ import annotations

import os
import re
import signal
import sys

import pytest

from tests.tui.serve import HOSTILE
from tests.tui.terminal import Terminal
from tui.text import one_line

SEPARATOR = "│"
TOUR = "j\t\t\tzztpW\x1bv\x1bd\x1b \x1b?\x1b!\x1b:\x1b;\x1b2\rl-nB\x1b\x1b7"
"""Keys that open every pane, panel, examination and screen."""

SHORT_TOUR = "\t!\x1b2\rl7"


def served(kind: str = "plain", columns: int = 120, rows: int = 40, **environment: str) -> Terminal:
    """The workbench on a fake library in a terminal of this size."""
    command = [sys.executable, "-m", "tests.tui.serve", kind]
    return Terminal(command, columns=columns, rows=rows, environment=environment)


def test_what_a_key_costs_on_the_wire():
    with served() as terminal:
        terminal.wait_for("retry.md › 重试与隔离")
        terminal.settle(1.0)
        assert terminal.settle(1.0) == 0, "idle sends nothing"
        for key in ("j", "j", "k", "\x1b[B"):
            assert 0 < terminal.press(key) <= 1_024
        for key in ("+", "+", "-", ">", "<", "0", "0", "\x7f", "J", "K"):
            assert 0 < terminal.press(key) <= 8_192
        terminal.settle(1.5)
        assert terminal.settle(1.0) == 0, "and again, once the dial's foresight is told"
        terminal.press("\x11")
        assert terminal.wait() == 0
        assert b"\x1b[?1049l" in terminal.raw, "the terminal is given back"


@pytest.mark.parametrize(("columns", "rows"), [(140, 45), (80, 24), (40, 15)])
def test_hostile_text_keeps_the_frame_of_every_screen(columns, rows):
    """UI-01, UI-02, UI-03: library, paths, headings, texts, messages and the query are all hostile."""
    with served("hostile", columns, rows) as terminal:
        terminal.wait_for("RESULTS")
        terminal.settle(1.0)
        calm = one_line(HOSTILE)[:8]
        for key in ["", *(TOUR if columns == 140 else SHORT_TOUR)]:
            if key:
                terminal.press(key)
            shown = terminal.rows
            assert shown[0].startswith(f" {calm}") or key == ";", (key, terminal.text)
            assert not any(
                ord(character) < 32 or 0x7F <= ord(character) <= 0x9F for row in shown for character in row
            )
            if columns == 140 and key in ("", "j", "\t"):
                body = [row for row in shown[5:-4] if row.strip()]
                assert all(row[_index(row, 23)] == SEPARATOR for row in body), terminal.text
        sent = terminal.raw.decode("utf-8").replace("\x1b]22;default\x07", "")
        assert not re.search("\x1b\\]52|[\x80-\x9f\u202e\u2066]|\x07", sent)
        assert "\x1b[2Jc" not in sent


def test_what_the_input_method_commits_and_what_is_pasted_arrives():
    with served() as terminal:
        terminal.wait_for("retry.md › 重试与隔离")
        terminal.settle(1.0)
        terminal.press("任务自动重试耗尽后怎么办")
        terminal.wait_for("input method on")  # outside a text field it runs nothing
        terminal.press("；")
        terminal.wait_for("jump to")  # a full-width key is its twin
        terminal.press("\x1b")
        terminal.press("/")
        terminal.press("\x15")
        terminal.press("任务自动重试耗尽后怎么办")
        terminal.wait_for("› 任务自动重试耗尽后怎么办 ")
        terminal.press("\x15")
        terminal.press("\x1b[200~" + "问\n" * 2_500 + "\x1b[201~")
        terminal.wait_for("问 问 问")
        terminal.press("\x11")
        assert terminal.wait() == 0


def test_what_a_paste_hides_behind_a_false_end_of_itself_runs_nothing():
    """Terminals should take the sequence out of what is pasted; tmux does not."""
    with served() as terminal:
        terminal.wait_for("retry.md › 重试与隔离")
        terminal.settle(1.0)
        terminal.press("/\x15")
        terminal.press("\x1b[200~死信\x1b[201~\r:theme\r\x11\x1b[201~")
        terminal.settle(0.5)
        assert "› 死信 " in terminal.rows[1], "it is still in the text field, not asked"
        assert terminal.returned is None
        terminal.press("队列")
        terminal.wait_for("› 死信队列 ")
        terminal.press("\x11")
        assert terminal.wait() == 0


@pytest.mark.parametrize(
    ("redirected", "environment", "told"),
    [
        ("2> {}", {}, "needs a terminal"),
        ("> {}", {}, "needs a terminal"),
        ("", {"PYTHONIOENCODING": "latin-1"}, "set LC_ALL=C.UTF-8"),
    ],
)
def test_without_a_whole_terminal_it_says_why_and_does_not_open(tmp_path, redirected, environment, told):
    """The screen would go to the file, or every mark would come out as six characters."""
    (tmp_path / "docs").mkdir()
    said = tmp_path / "said"
    line = f"{sys.executable} -m tui {tmp_path / 'docs'} {redirected.format(said)}"
    with Terminal(["sh", "-c", line], environment=environment) as terminal:
        assert terminal.wait() == 1
        assert told in terminal.text + (said.read_text() if said.exists() else "")


def test_leaving_while_it_indexes_ends_the_workers():
    with served("slow") as terminal:
        terminal.wait_for("indexing")
        terminal.press("\x11")
        assert terminal.wait() == 0


@pytest.mark.parametrize("kind", ["plain", "slow"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_and_gives_the_terminal_back(kind, number):
    with served(kind) as terminal:
        terminal.wait_for("RESULTS")
        terminal.settle()
        os.kill(terminal.pid, number)
        assert terminal.wait() == 128 + number
        assert b"\x1b[?1049l" in terminal.raw
        assert b"\x1b[?25h" in terminal.raw[terminal.raw.rindex(b"\x1b[?1049l") :]


def test_what_another_program_drew_while_it_was_suspended_is_drawn_over():
    with served() as terminal:
        terminal.wait_for("RESULTS")
        terminal.settle(0.5)
        before = terminal.rows
        os.kill(terminal.pid, signal.SIGTSTP)
        os.waitpid(terminal.pid, os.WUNTRACED)
        terminal.settle()
        terminal.screen.reset()
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("RESULTS")
        terminal.settle(0.5)
        assert terminal.rows == before
        terminal.press("j")
        terminal.wait_for("rank 2 of")


def test_leaving_before_the_library_is_open_says_nothing():
    with served() as terminal:
        terminal.wait_for("1 Search")
        os.write(terminal.master, b"\x11")
        assert terminal.wait() == 0
        assert "Warning" not in terminal.last_words


@pytest.mark.parametrize(
    ("environment", "allowed"),
    [
        ({"TERM": "linux", "COLORTERM": ""}, r"0?|[13479]|2[2-9]|3[0-79]|9[0-7]|39|49"),
        ({"NO_COLOR": "1"}, r"0?|[13479]|2[2-9]|39|49"),
    ],
)
def test_sixteen_colours_and_none(environment, allowed):
    with served(**environment) as terminal:
        terminal.wait_for("RESULTS")
        terminal.settle(0.5)
        terminal.press("j")
        styles = {
            code
            for found in re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw)
            for code in found.decode().split(";")
        }
        assert {code for code in styles if not re.fullmatch(allowed, code)} == set()


def _index(row: str, cell: int) -> int:
    """The index of the character at a cell, in a row where wide characters are one."""
    from wcwidth import wcwidth

    at = width = 0
    while width < cell:
        width += max(0, wcwidth(row[at]))
        at += 1
    return at
