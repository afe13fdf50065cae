"""What the screen tells of the library behind it: opened, read again, written by another, resized away."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from engine.errors import BusyError, LibraryError
from engine.model import Degradation, Progress, Skipped, SyncReport
from tests.tui.fake import STATE, FakeLibrary, screen_text, workbench
from tests.tui.test_shell import settled, shown

LOADING = Degradation("vector", "embedder_loading", "the model is still loading", "ask again in a moment")
NO_TERMS = Degradation("fulltext", "fulltext_no_terms", "no word to look for", "nothing to do")


class Loading(FakeLibrary):
    """Its vector channel serves once the embedder has been loaded."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.degraded = (NO_TERMS, LOADING)

    async def load_embedder(self) -> str:
        self.degraded = ()
        return ""


class Written(Loading):
    """Another process writes it, until that one has ended."""

    async def sync(self, *, embed, cancel):
        if not self.writable:
            raise BusyError("process 7 writes this library", "close it, or wait until it has ended")
        async for step in super().sync(embed=embed, cancel=cancel):
            yield step


async def test_a_process_that_may_not_write_serves_vectors_too():
    app = workbench(Written(writable=False, writer="process 7"), question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        assert app.view.degradations == ()


async def test_indexing_that_is_cancelled_leaves_the_vectors_to_serve():
    library = Loading(steps=(Progress("read", 1, 9, 2.0, 4.0),))
    library.hold_tasks()
    app = workbench(library, question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        await pilot.pause()
        assert [one.place for one in app.view.degradations] == ["vector", "fulltext"], "the fault comes first"
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert app.view.degradations == ()


async def test_reading_again_says_who_writes_and_says_it_once():
    library = Written(writable=False, writer="process 7")
    app = workbench(library, question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        for _ in range(3):
            await pilot.press("R")
            await settled(pilot)
        assert screen_text(app)[-2].startswith(" process 7 writes this library: close it, or wait")
        assert len(app.view.problems) == 2
        library.writable, library.report = True, SyncReport(seen=9, unchanged=9)
        await pilot.press("R")
        await settled(pilot)
        assert app.view.problems == ()
        assert screen_text(app)[-2].startswith(" read 9 files: nothing changed")


async def test_what_a_sync_changed_is_told_and_what_it_skips_on_purpose_is_not():
    skipped = (Skipped("logo.png", "binary"), Skipped("evaluation.toml", "evaluation set"))
    app = workbench(FakeLibrary(report=SyncReport(seen=12, added=2, deleted=1, skipped=skipped)))
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        assert screen_text(app)[-2].startswith(" read 12 files: 2 added, 1 deleted")
        assert screen_text(app)[-3].startswith(" ! 1 problem  sync: logo.png: binary, skipped")


async def test_the_folder_is_named_before_it_is_open_and_one_document_is_one():
    library = FakeLibrary(state=replace(STATE, documents=1, chunks=1))
    app = workbench(library)
    opened, opener = asyncio.Event(), app.bridge._opener

    async def slowly():
        await opened.wait()
        return await opener()

    app.bridge._opener = slowly
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        assert screen_text(app)[0].startswith(" samples   1 Search")
        opened.set()
        await settled(pilot)
        assert "  1 document  1 chunk  " in screen_text(app)[0]


@pytest.mark.parametrize("small", [(20, 8), (39, 15), (40, 14), (1, 1)])
async def test_a_window_too_small_keeps_the_focus_for_when_it_grows(small):
    app = workbench(question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        await pilot.press("tab", "tab")
        focused = app.focused
        await pilot.resize_terminal(*small)
        await pilot.pause()
        assert "R" in shown(app) or small == (1, 1)
        assert "RESULTS" not in shown(app)
        await pilot.resize_terminal(140, 45)
        await pilot.pause()
        assert app.focused is focused
        assert "▸" in shown(app)


async def test_leaving_waits_for_no_model_that_still_loads():
    class Endless(FakeLibrary):
        async def load_embedder(self) -> str:
            await asyncio.Event().wait()
            return ""

    app = workbench(Endless())
    async with app.run_test(size=(140, 45)) as pilot:
        while app.bridge.library is None or not app.view.status:
            await pilot.pause()
        await pilot.pause()
        await app.bridge.close()
        assert app.bridge.library.closed
        assert app.bridge._running == 0, "the worker ended, not the patience with it"


async def test_a_question_to_a_library_that_cannot_be_opened_is_told_why_each_time_until_it_can():
    app = workbench(question="任务重试")
    opener, damaged = app.bridge._opener, True

    async def failing():
        if damaged:
            raise LibraryError("the index is damaged", "move it away")
        return await opener()

    app.bridge._opener = failing
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        for word in ("死信", "队列"):
            await pilot.press("slash", "ctrl+u", *word, "enter")
            await settled(pilot)
            text = shown(app)
            assert "the index is damaged" in text
            assert "move it away" in text
            assert app.view.query == word
            assert not app.view.running
        damaged = False
        await pilot.press("R")
        await settled(pilot)
        assert app.view.trace is not None
        assert app.view.trace.recall.query == "队列"
        assert app.view.problems == ()
