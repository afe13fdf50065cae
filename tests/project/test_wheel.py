"""What is shipped: a wheel that installs by itself, holds the two packages and nothing else, and starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine import __version__

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("engine", "tui", "pyproject.toml", "README.md", "LICENSE")


def pip(*arguments: str | Path) -> None:
    """Pip without any index: what is built and installed here is all here."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "--no-input",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: a build leaves its litter beside the sources."""
    place = tmp_path_factory.mktemp("wheel")
    source = place / "source"
    source.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", place, source)
    (built,) = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path) -> Path:
    """A clean environment with the wheel in it, and nothing of this checkout on its path."""
    place = wheel.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    pip("--python", place / "bin" / "python", "install", "--no-deps", "--no-index", wheel)
    return place


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"engine", "tui", f"rankscope-{__version__}.dist-info"}
    assert not [
        name for name in names if "test" in name.lower() or name.endswith((".sqlite", ".npy", ".pyc"))
    ]


def test_every_module_and_stylesheet_is_in_the_wheel(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    kept = [
        path.relative_to(ROOT).as_posix()
        for package in ("engine", "tui")
        for pattern in ("*.py", "*.tcss", "py.typed")
        for path in (ROOT / package).rglob(pattern)
    ]
    assert set(kept) <= names


def test_the_installed_command_starts_from_its_own_environment(environment: Path, tmp_path: Path):
    import click

    # The dependencies are lent by this environment; the packages themselves must be those of the wheel.
    lent = {**os.environ, "PYTHONPATH": str(Path(click.__file__).parents[1])}
    program = (
        "import engine, tui.__main__, sys; print(engine.__file__); sys.exit(tui.__main__.main(['--version']))"
    )
    command = [environment / "bin" / "python", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=lent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    where, said = done.stdout.splitlines()
    assert Path(where).is_relative_to(environment)
    assert said == f"rankscope, version {__version__}"
    assert (environment / "bin" / "rankscope").is_file()
