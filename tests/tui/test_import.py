"""The first paint waits for no heavy import."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["tui.app", "tui.screens.search", "tui.screens.settings"])
def test_the_screen_starts_without_numpy_or_the_index(module):
    heavy = "{'numpy', 'engine.library', 'engine.rank', 'sqlite3', 'rapidfuzz', 'markdown_it'}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_environment_is_ready_before_the_toolkit_is_imported():
    code = (
        "import os, sys; os.environ.pop('TEXTUAL_DISABLE_KITTY_KEY', None)\n"
        "from tui.environment import prepare; prepare(os.environ)\n"
        "assert 'textual' not in sys.modules\n"
        "from textual import constants; print(constants.DISABLE_KITTY_KEY, sys.getswitchinterval())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "0.0005"]
