"""A few pictures of the Search screen, colours and all, against those that were looked at.

``RANKSCOPE_PICTURES=keep`` keeps what is drawn now, to be looked at and committed.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.settings import Settings
from tests.tui.search.test_screen import opened
from tui.opening import Terminal
from tui.widgets import figures

PICTURES = Path(__file__).with_name("pictures")

LOOKS = {
    "wide-dark": ((140, 45), "dark", "full"),
    "medium-light": ((120, 40), "light", "full"),
    "normal-sixteen": ((80, 24), "dark", "16"),
    "narrow-plain": ((40, 15), "dark", "none"),
}


@pytest.mark.parametrize("name", LOOKS)
async def test_the_screen_looks_as_it_did(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(figures, "milliseconds", lambda value: "9 ms")
    size, theme, colours = LOOKS[name]
    settings = Settings()
    settings = replace(settings, interface=replace(settings.interface, theme=theme))
    terminal = Terminal(colours=colours)  # type: ignore[arg-type]
    async with opened(size, settings=settings, terminal=terminal) as (app, pilot):
        await pilot.press("j", "greater_than_sign", "greater_than_sign")
        await pilot.pause(0.5)
        drawn = steady(app.export_screenshot(title="rankscope"))
    kept = PICTURES / f"{name}.svg"
    if os.environ.get("RANKSCOPE_PICTURES") == "keep":
        PICTURES.mkdir(exist_ok=True)
        kept.write_text(drawn, encoding="utf-8")
    if drawn != kept.read_text(encoding="utf-8"):
        now = tmp_path / f"{name}.svg"
        now.write_text(drawn, encoding="utf-8")
        pytest.fail(f"{kept.name} is drawn otherwise: compare it with {now}")


def steady(svg: str) -> str:
    """The picture without the number that the toolkit makes of its content."""
    return re.sub(r"terminal-\d+", "terminal", svg)
