"""A watched folder: what changes in it is found without a key."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.settings.sources import Resolved
from tests.tui.documents.desk import SMALL, write_documents
from tests.tui.fake import PLAIN_TERMINAL
from tui.app import RankscopeApp
from tui.opening import Opening

pytest.importorskip("watchfiles")


async def until(app: RankscopeApp, documents: int) -> None:
    async with asyncio.timeout(30):
        while app.view.status is None or app.view.status.documents != documents or app.bridge.syncing:
            await asyncio.sleep(0.02)


async def test_what_changes_in_a_watched_folder_is_indexed(tmp_path: Path) -> None:
    from engine.library import Library

    folder = tmp_path / "samples"
    write_documents(folder)

    async def opener() -> Library:
        return await Library.open(folder, settings=SMALL, data=tmp_path / "data")

    opening = Opening(folder, Resolved(SMALL, {}), (), "", PLAIN_TERMINAL, journal=False, watch=True)
    app = RankscopeApp(opening, opener)
    async with app.run_test(size=(120, 40)):
        await until(app, 3)
        (folder / "new.md").write_text("# 新\n\n后来才写的一页。\n")
        await until(app, 4)
        (folder / "new.md").unlink()
        await until(app, 3)
        await app.bridge.close()
