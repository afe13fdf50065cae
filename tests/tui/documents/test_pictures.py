"""A few pictures of the boundary view, colours and all, against those that were looked at: chunks, overlap, the
current chunk and evidence are told apart in each.

``RANKSCOPE_PICTURES=keep`` keeps what is drawn now, to be looked at and committed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.documents.desk import SMALL, opened, settle
from tests.tui.search.test_pictures import steady
from tui.opening import Terminal

PICTURES = Path(__file__).with_name("pictures")
LOOKS = {
    "wide-dark": ((140, 45), "dark", "full"),
    "medium-light": ((120, 40), "light", "full"),
    "normal-sixteen": ((80, 24), "dark", "16"),
    "narrow-plain": ((40, 15), "dark", "none"),
}


@pytest.mark.parametrize("name", LOOKS)
async def test_the_borders_look_as_they_did(name: str, tmp_path: Path) -> None:
    size, theme, colours = LOOKS[name]
    settings = replace(SMALL, interface=replace(SMALL.interface, theme=theme))
    terminal = Terminal(colours=colours)  # type: ignore[arg-type]
    async with opened(tmp_path, size, settings=settings, terminal=terminal) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter", "less_than_sign", "less_than_sign", "less_than_sign")
        await settle(app, pilot, 0.4)
        await pilot.press("l")
        await settle(app, pilot)
        drawn = steady(app.export_screenshot(title="rankscope"))
    kept = PICTURES / f"{name}.svg"
    if os.environ.get("RANKSCOPE_PICTURES") == "keep":
        PICTURES.mkdir(exist_ok=True)
        kept.write_text(drawn, encoding="utf-8")
    if drawn != kept.read_text(encoding="utf-8"):
        now = tmp_path / f"{name}.svg"
        now.write_text(drawn, encoding="utf-8")
        pytest.fail(f"{kept.name} is drawn otherwise: compare it with {now}")
