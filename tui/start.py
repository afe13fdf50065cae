"""Opens the workbench on a folder: the one place that puts terminal, settings, library and application
together."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.settings.sources import Resolved
from tui import environment, glyphs
from tui.app import RankscopeApp
from tui.opening import Opening, Terminal, first_question

if TYPE_CHECKING:
    from engine.library import Library


def run(
    folder: Path, *, resolved: Resolved, data: Path | None = None, scopes: tuple[str, ...] = (),
    watch: bool = False, environ: Mapping[str, str] = os.environ,
) -> int:  # fmt: skip
    """The workbench on a folder until it is left; the exit code. ``environment.prepare`` came first. ``watch`` syncs
    whenever files change."""

    async def opener() -> Library:
        environment.collect()
        # the engine brings numpy, so it is imported in a thread, after the first paint
        library = await asyncio.to_thread(importlib.import_module, "engine.library")
        opened: Library = await library.Library.open(folder, settings=resolved.settings, data=data)
        return opened

    setting = resolved.settings.interface.glyphs
    measured = glyphs.probe() if setting == "auto" else None
    terminal = Terminal(environment.colours(environ), glyphs.needs_ascii(setting, measured))
    opening = Opening(folder, resolved, scopes, first_question(folder), terminal, watch=watch)
    app = RankscopeApp(opening, opener)
    return app.run(mouse=False) or app.return_code or 0
