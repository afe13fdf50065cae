"""A command run in a process of its own, by a user of its own: no settings, no trust, no state of
whoever tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    for variable, name in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_DATA_HOME", "data"),
    ]:
        monkeypatch.setenv(variable, str(place / name))
    monkeypatch.delenv("RANKSCOPE_DATA", raising=False)
    return place


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """``run("search", folder, "question")``: standard output and error as text, and the exit code."""

    def running(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tui", *map(os.fspath, arguments)],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return running


@pytest.fixture
def invoke(capfd: pytest.CaptureFixture[str]) -> Run:
    """The same in this process: quick, and enough where no signal, pipe or terminal is concerned."""
    from tui.commands import rankscope
    from tui.commands.failure import guarded

    def invoking(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        given = [os.fspath(argument) for argument in arguments]
        code = guarded(lambda: rankscope.main(given, prog_name="rankscope", standalone_mode=False))
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(given, code, out, err)

    return invoking
