"""Every test here has its own user: no settings, no trust, no state of whoever runs it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own; ``home/config/rankscope/settings.toml`` is the user's file."""
    place = tmp_path / "home"
    for variable, name in [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_STATE_HOME", "state"),
        ("XDG_DATA_HOME", "data"),
    ]:
        monkeypatch.setenv(variable, str(place / name))
    return place
