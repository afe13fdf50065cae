"""What is printed is safe for a terminal, JSON is UTF-8 whatever the locale, and progress stays on one
line.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Progress
from tui.commands.output import ProgressLine, clock, counted, document, encoded, note, progress_text, say

HOSTILE = "a\x1b]52;c;QUJD\x07b\x1b[2Jc\x9bd\u202eRLO\x00\x08"
STEERING = {
    *map(chr, range(0x20)),
    *map(chr, range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e",
}
STEERING |= set("\u2028\u2029\u2066\u2067\u2068\u2069")


def test_a_document_cannot_steer_the_terminal_it_is_printed_on(capsys: pytest.CaptureFixture[str]):
    """UI-03: results and messages show control characters, and never send them."""
    say([HOSTILE])
    note(HOSTILE)
    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert not STEERING & set(text.rstrip("\n"))
        assert "RLO" in text


def test_a_line_break_in_a_name_makes_no_second_row(capsys: pytest.CaptureFixture[str]):
    say(["a\nb\r\nc\u2028d"])
    assert capsys.readouterr().out.count("\n") == 1


@given(st.text())
def test_json_gives_back_every_text_and_holds_nothing_raw_that_steers(text: str):
    raw = encoded({"text": text})
    assert not STEERING & set(raw.decode("utf-8").replace("\n", ""))
    assert json.loads(raw)["text"] == text


def test_json_keeps_readable_text_readable():
    assert "重试 › é 🎉".encode() in encoded({"text": "重试 › é 🎉"})


def test_json_survives_a_lone_surrogate_from_a_file_name():
    assert json.loads(encoded({"path": "a\udcff"}))["path"] == "a\udcff"


def test_json_holds_no_nan():
    with pytest.raises(ValueError, match="Out of range"):
        encoded({"score": float("nan")})


def test_json_is_utf8_and_text_is_escaped_where_the_locale_is_not(monkeypatch: pytest.MonkeyPatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
    say(["重试 é"])
    document({"text": "重试"})
    sys.stdout.flush()
    assert raw.getvalue().startswith(b"\\u91cd\\u8bd5 \xe9\n{")
    assert "重试".encode() in raw.getvalue()


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress("index", 118, 412, 52.4, 5.6), "indexing  118 of 412  52/s  0:06 left"),
        (Progress("embed", 3, 1204, 2.51, 480), "embedding  3 of 1,204  2.5/s  8:00 left"),
        (Progress("discover", 7, 0), "looking  7"),
        (Progress("read", 1, 2, detail="a.md"), "reading  1 of 2  a.md"),
    ],
)
def test_progress_tells_rate_and_time_left(progress: Progress, text: str):
    assert progress_text(progress) == text


def test_progress_is_silent_where_nobody_watches(capsys: pytest.CaptureFixture[str]):
    line = ProgressLine(shown=False)
    line.show(Progress("index", 1, 2))
    line.clear()
    assert capsys.readouterr() == ("", "")


def test_progress_stays_on_one_line_and_takes_itself_away(capsys: pytest.CaptureFixture[str]):
    line = ProgressLine(shown=True)
    for done in range(50):
        line.show(Progress("index", done, 50, detail="检索\n" * 100))
    line.clear()
    painted = capsys.readouterr().err
    assert "\n" not in painted
    assert painted.count("\r") == 2, "fifty reports at once are painted once, and cleared"
    assert painted.endswith("\r\x1b[K")


def test_times_and_counts_read_well():
    assert [clock(each) for each in (0, 5.6, 61, 3723)] == ["0:00", "0:06", "1:01", "1:02:03"]
    assert [counted(each, "chunk") for each in (0, 1, 2000)] == ["0 chunks", "1 chunk", "2,000 chunks"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [("settings",), ("settings", "--json")])
def test_output_that_finds_no_room_is_told_in_one_sentence(arguments: tuple[str, ...]):
    with open("/dev/full", "wb") as full:
        told = subprocess.run(
            [sys.executable, "-m", "tui", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert told.returncode == 1
    assert (
        told.stderr == "rankscope: the result cannot be written (No space left on device): make room for it\n"
    )


@pytest.mark.parametrize("arguments", ["settings", "settings --json"])
def test_a_closed_output_is_told_in_one_sentence(arguments: str):
    told = subprocess.run(
        ["sh", "-c", f'"$0" -m tui {arguments} >&-', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == "rankscope: the result cannot be written (standard output is closed)\n"
