"""The command itself: found by name, light to start, and plain about wrong use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import __version__
from tests.commands.conftest import Run
from tui.commands import COMMANDS, rankscope


def test_version_is_the_engines(run: Run):
    answer = run("--version")
    assert (answer.returncode, answer.stdout) == (0, f"rankscope, version {__version__}\n")


def test_version_imports_neither_toolkit_nor_engine():
    program = (
        "import sys, json\nfrom tui.__main__ import main\n"
        "try: main(['--version'])\nexcept SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    loaded = set(json.loads(printed.splitlines()[-1]))
    heavy = {
        "textual",
        "rich",
        "numpy",
        "sqlite3",
        "asyncio",
        "markdown_it",
        "engine.settings",
        "engine.library",
    }
    assert not heavy & loaded


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_names_its_options(invoke: Run, name: str):
    answer = invoke(name, "--help")
    assert answer.returncode == 0
    assert f"rankscope {name}" in answer.stdout
    command = rankscope.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    for parameter in command.params:
        assert parameter.opts[-1] in answer.stdout or parameter.human_readable_name in answer.stdout


def test_help_lists_every_command(invoke: Run):
    answer = invoke("--help")
    assert all(name in answer.stdout for name in COMMANDS)


def test_a_misspelt_command_gets_the_near_one(invoke: Run):
    answer = invoke("serach", "x", "y")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "did you mean search?" in answer.stderr


def test_a_folder_named_like_a_misspelt_command_is_a_folder(
    invoke: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "serch").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "terminal" in invoke("serch").stderr


def test_without_a_terminal_the_workbench_says_so_and_exits_1(run: Run, tmp_path: Path):
    answer = run(tmp_path, TERM="xterm-256color")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.count("\n") == 1
    assert "needs a terminal" in answer.stderr


def test_a_folder_that_is_none_is_told_before_the_terminal_is(run: Run, tmp_path: Path):
    answer = run(tmp_path / "none")
    assert answer.returncode == 2
    assert "does not exist" in answer.stderr


def test_options_may_stand_before_the_folder(run: Run, tmp_path: Path):
    assert "needs a terminal" in run("--data", tmp_path / "index", tmp_path, TERM="xterm").stderr
