"""The engine is whole without any screen, and a light import stays light."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys

import pytest

import engine


def loaded_by(*statements: str) -> set[str]:
    """The modules that a fresh interpreter has after these statements."""
    program = "\n".join([*statements, "import sys, json", "print(json.dumps(sorted(sys.modules)))"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_the_whole_engine_imports_no_screen():
    names = [module.name for module in pkgutil.walk_packages(engine.__path__, "engine.")]
    loaded = loaded_by(*(f"import {name}" for name in names))
    assert set(names) <= loaded
    assert not {"textual", "rich", "tui", "click"} & loaded


def test_importing_the_engine_configures_no_logging():
    program = (
        "import logging, engine.library; print(len(logging.getLogger().handlers), logging.getLogger().level)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "30"]


@pytest.mark.parametrize(
    "module", ["engine", "engine.model", "engine.errors", "engine.settings", "tui.commands"]
)
def test_what_a_screen_needs_before_its_first_paint_brings_no_numpy(module: str):
    assert "numpy" not in loaded_by(f"import {module}")


def test_no_server_s_client_is_loaded_before_a_server_is_asked():
    assert "httpx" not in loaded_by(
        "import engine.library, engine.learned, engine.embedding, tui.commands.search"
    )
