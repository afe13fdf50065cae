"""Draws the README's picture: the workbench on samples/, as it opens. Run by ``make picture``."""

from __future__ import annotations

import asyncio
import html
import re
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from engine.library import Library
from engine.settings import resolve
from tui import cells
from tui.app import RankscopeApp
from tui.opening import Opening, first_question

ROOT = Path(__file__).resolve().parents[2]
PICTURE = Path(__file__).with_name("workbench.svg")
SIZE = (140, 45)
CELL = 12.2
"""Units of the picture that a cell is wide."""


async def draw(folder: Path, settings: Path) -> str:
    """The screen once everything is indexed and the vector's weight was turned by a big step."""
    with tempfile.TemporaryDirectory() as data:
        resolved = resolve(folder, file=settings)

        async def opener() -> Library:
            return await Library.open(folder, settings=resolved.settings, data=Path(data))

        app = RankscopeApp(Opening(folder, resolved, (), first_question(folder), journal=False), opener)
        async with app.run_test(size=SIZE) as pilot:
            while not _settled(app):
                await pilot.pause(0.1)
            await pilot.press("j", "greater_than_sign")
            await pilot.pause(0.5)
            drawn = app.export_screenshot(title="rankscope samples")
    return aligned(re.sub(r"terminal-\d+", "terminal", drawn))


_TEXT = re.compile(
    r'<text (class="[^"]*") x="([\d.]+)" (y="[^"]*") textLength="[\d.]+"([^>]*)>([^<]*)</text>'
)


def aligned(svg: str) -> str:
    """The picture with wide characters in their cells.

    The toolkit gives a run the length of its characters, though a Chinese one takes two cells: each stretch of one
    width becomes a run of its own, at its own place.
    """
    return _TEXT.sub(lambda found: "".join(_runs(*found.groups())), svg)


def _runs(style: str, x: str, y: str, rest: str, content: str) -> Iterator[str]:
    place = float(x)
    for wide, group in groupby(html.unescape(content), lambda character: cells.width(character) == 2):
        text = "".join(group)
        length = CELL * (2 if wide else 1) * len(text)
        yield (
            f'<text {style} x="{place:.1f}" {y} textLength="{length:.1f}"{rest}>'
            f"{html.escape(text, quote=False).replace(chr(0xA0), '&#160;')}</text>"
        )
        place += length


def _settled(app: RankscopeApp) -> bool:
    """Whether every chunk has its vector, and the question was asked again since."""
    view = app.view
    waiting = view.status is None or bool(view.status.vectors_waiting)
    return not waiting and view.trace is not None and view.trace.recall.channel("vector").used


if __name__ == "__main__":
    PICTURE.write_text(asyncio.run(draw(ROOT / "samples", ROOT / "settings.toml")), encoding="utf-8")
