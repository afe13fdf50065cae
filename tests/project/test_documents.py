"""The files of the project say what is true: tables, settings, commands, versions, and no place but the project's."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from engine.settings import FIELDS
from engine.settings.toml import read_table, values
from tests.project.document import readme, settings_file

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = (ROOT / "settings.toml").read_text(encoding="utf-8")
COMMANDS = [line for line in re.findall(r"^rankscope .*$", README, re.MULTILINE) if "FOLDER" not in line]


def test_the_tables_of_the_readme_are_those_of_the_code():
    assert readme(README) == README, "`make docs` writes them anew"


def test_the_settings_file_is_explained_as_the_code_explains_it():
    assert settings_file(SETTINGS) == SETTINGS, "`make docs` writes it anew"


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if not field.hidden], ids=lambda field: field.key
)
def test_every_setting_is_documented(field):
    assert f"| `{field.name}` |" in README
    assert re.search(rf"\b{field.name}\b", SETTINGS)


def test_the_settings_file_is_valid():
    assert values(read_table(SETTINGS, "settings.toml"), SETTINGS, "settings.toml")["version"] == 1


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_of_the_readme_run(line: str, library: Path):
    done = run(library, *shlex.split(line, comments=True)[1:])
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the README's commands speak of, already indexed, for a user with the quick embedder."""
    place = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "samples", place / "samples", ignore=shutil.ignore_patterns(".rankscope"))
    shutil.copy(ROOT / "settings.toml", place)
    (place / "home" / "rankscope").mkdir(parents=True)
    (place / "home" / "rankscope" / "settings.toml").write_text('[embedding]\nprovider = "hash"\n')
    done = run(place, "index", "samples", "--settings", "settings.toml")
    assert done.returncode == 0, done.stderr
    return place


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    names = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "RANKSCOPE_DATA")
    home = {**dict.fromkeys(names, str(place / "home")), "RANKSCOPE_DATA": ""}
    return subprocess.run(
        [sys.executable, "-m", "tui", *arguments],
        cwd=place,
        env={**os.environ, **home, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_constraints_are_exact_and_cover_what_is_declared():
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.-]*==[\w.]+", line) for line in lines)
    pinned = {line.split("==")[0] for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    names = {re.split(r"[\[<>=~! ]", each)[0].lower().replace("_", "-") for each in declared}
    assert names <= pinned


def test_no_file_of_the_build_names_a_registry_or_a_machine():
    for name in ("Makefile", ".ci/run", "constraints.txt", "pyproject.toml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not re.search(r"https?://|--index-url|--extra-index|--find-links|/home/|/root/", text), name


def test_continuous_integration_runs_the_tests_of_the_makefile():
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert "make test" in script.read_text()
    assert {"run", "test", "check", "bench", "stress"} <= set(
        re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
