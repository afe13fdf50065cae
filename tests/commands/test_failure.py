"""Every failure is one sentence and an exit code; only the unforeseen leaves a traceback, and in a file."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from engine.errors import Cancelled, LibraryError, SetError, SettingsError
from tui.commands import failure
from tui.commands.failure import guarded, log


def raising(error: BaseException) -> object:
    def command() -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            SettingsError("top_k is 99", "it must be 1 to 20"),
            2,
            "rankscope: top_k is 99: it must be 1 to 20\n",
        ),
        (LibraryError("no index"), 1, "rankscope: no index\n"),
        (Cancelled(), 130, "rankscope: interrupted; what was finished is kept\n"),
        (KeyboardInterrupt(), 130, "rankscope: interrupted; what was finished is kept\n"),
        (
            click.UsageError("Missing argument."),
            2,
            "rankscope: missing argument; `rankscope --help` shows how\n",
        ),
    ],
)
def test_what_was_foreseen_is_one_sentence(error, code, said, capsys: pytest.CaptureFixture[str], home: Path):
    assert guarded(raising(error)) == code
    assert capsys.readouterr().err == said
    assert not list(home.rglob("errors.log"))


def test_details_follow_the_sentence_line_by_line(capsys: pytest.CaptureFixture[str]):
    assert guarded(raising(SetError("two things are wrong", "mend them", ["a", "b\x1b"]))) == 2
    assert capsys.readouterr().err == (
        "rankscope: two things are wrong: mend them\nrankscope: a\nrankscope: b␛\n"
    )


def test_the_unforeseen_is_told_in_one_sentence_and_logged_in_full(
    capsys: pytest.CaptureFixture[str], home: Path
):
    assert guarded(raising(ZeroDivisionError("by\x1b[2J zero"))) == 1
    told = capsys.readouterr().err
    (path,) = home.rglob("errors.log")
    assert told.count("\n") == 1
    assert "ZeroDivisionError" in told
    assert str(path) in told
    assert "\x1b" not in told
    assert "Traceback" in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_log_that_cannot_be_written_stops_nothing(capsys: pytest.CaptureFixture[str], home: Path):
    home.write_text("a file where the folder should be")
    assert guarded(raising(ZeroDivisionError("x"))) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_the_log_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(failure, "LOG_LIMIT", 1000)
    for _ in range(30):
        log(ZeroDivisionError("x" * 300))
    assert sum(path.stat().st_size for path in home.rglob("errors.log*")) < 4000


def test_a_command_that_worked_is_zero_and_may_say_otherwise():
    assert guarded(lambda: None) == 0
    assert guarded(lambda: 1) == 1
