"""Pictures of the Evaluate screen, colours and all, against those that were looked at: what is gained, lost and muted is
told apart in each.

``RANKSCOPE_PICTURES=keep`` keeps what is drawn now, to be looked at and committed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tui.documents import desk
from tests.tui.evaluate.test_screen import lose, opened
from tests.tui.evaluate.waiting import until
from tests.tui.search.test_pictures import steady
from tui.widgets import figures

PICTURES = Path(__file__).with_name("pictures")
LOOKS = {"wide-dark": ((140, 45), "dark"), "normal-light": ((80, 24), "light")}


@pytest.mark.parametrize("name", LOOKS)
async def test_the_figures_look_as_they_did(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figures, "milliseconds", lambda value: "9 ms")
    size, theme = LOOKS[name]
    settings = replace(desk.SMALL, interface=replace(desk.SMALL.interface, theme=theme))
    async with opened(tmp_path, size, settings=settings) as (app, pilot, page):
        await lose(app, pilot)
        assert page.cases.cut
        await until(pilot, lambda: page.looking.changes)
        drawn = steady(app.export_screenshot(title="rankscope"))
    kept = PICTURES / f"{name}.svg"
    if os.environ.get("RANKSCOPE_PICTURES") == "keep":
        PICTURES.mkdir(exist_ok=True)
        kept.write_text(drawn, encoding="utf-8")
    if drawn != kept.read_text(encoding="utf-8"):
        now = tmp_path / f"{name}.svg"
        now.write_text(drawn, encoding="utf-8")
        pytest.fail(f"{kept.name} is drawn otherwise: compare it with {now}")
