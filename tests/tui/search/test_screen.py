"""The Search screen by the text it shows, at each size and in each state."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from engine.errors import QueryError
from engine.model import Degradation, Progress
from engine.settings import Settings
from tests.tui.fake import STATE, TEXTS, FakeLibrary, screen_text, workbench
from tests.tui.search.samples import HOSTILE
from tui import cells
from tui.app import RankscopeApp
from tui.opening import Terminal
from tui.screens.search_panes import ResultsPane
from tui.text import one_line
from tui.widgets.line import text_of

QUESTION = "任务重试耗尽后怎么办？"
SIZES = [(140, 45), (120, 40), (100, 30), (80, 24), (60, 20), (40, 15), (200, 60)]


@asynccontextmanager
async def opened(
    size: tuple[int, int] = (140, 45),
    library: FakeLibrary | None = None,
    question: str = QUESTION,
    **more: object,
) -> AsyncIterator[tuple[RankscopeApp, Pilot[int]]]:
    app = workbench(library, question=question, **more)  # type: ignore[arg-type]
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause(0.2)
        yield app, pilot


def shown(app: RankscopeApp) -> str:
    return "\n".join(row.rstrip() for row in screen_text(app))


@pytest.mark.parametrize("size", SIZES)
async def test_rows_fill_the_screen_and_columns_stand_in_the_same_cells(size: tuple[int, int]) -> None:
    async with opened(size) as (app, _):
        rows = screen_text(app)
        assert len(rows) == size[1]
        assert {cells.width(row) for row in rows} == {size[0]}
        assert QUESTION in rows[1]
        pane = app.screen.query_one(ResultsPane)
        columns = pane.columns()
        listed = [row for row in map(text_of, pane.lines()[pane.head :]) if "╌" not in row]
        assert len(listed) >= 5
        for number, row in enumerate(listed, 1):
            assert cells.width(row) == pane.size.width
            assert int(row[columns.margin + 1 : columns.margin + 4]) == number
            assert row[: columns.before].endswith("  ")
            assert not row[columns.before].isspace()


async def test_the_widest_form_shows_all_panes_with_their_titles() -> None:
    async with opened() as (app, _):
        text = shown(app)
        for title in ("TUNE", "▸RESULTS", "CONTEXT", "WHY 1", "PASSAGE", "VECTOR", "channels", "pipeline"):
            assert title in text
        assert "below" in text or "above" in text


async def test_eighty_columns_show_tabs_the_dial_and_the_result_in_brief() -> None:
    async with opened((80, 24)) as (app, _):
        rows = [row.rstrip() for row in screen_text(app)]
        assert rows[3].startswith("▹vector   1.00  file 1.00   top k 6")
        assert rows[4].startswith("▸RESULTS   context   why   passage   tune")
        assert "fused ." in rows[18]


async def test_document_text_never_reaches_the_screen_raw() -> None:
    """UI-01, UI-02, UI-03: markup, links and control sequences in paths, headings, texts, messages, the query."""
    library = FakeLibrary(
        texts=((HOSTILE, HOSTILE, HOSTILE * 3), *TEXTS),
        degraded=(Degradation("vector", "vector_failed", HOSTILE, HOSTILE),),
    )
    for size in ((140, 45), (80, 24)):
        async with opened(size, library, question=HOSTILE) as (app, pilot):
            await pilot.press("tab")
            await pilot.pause()
            for row in screen_text(app):
                assert row == one_line(row)
                assert cells.width(row) == size[0]
            assert "[/] [@click=app.quit]x[/]" in shown(app)


@pytest.mark.parametrize("colours", ["16", "none"])
async def test_the_text_is_the_same_under_any_colours(colours: str) -> None:
    async with opened() as (app, _):
        expected = screen_text(app)[5:]
    async with opened(terminal=Terminal(colours=colours)) as (app, _):  # type: ignore[arg-type]
        assert screen_text(app)[5:] == expected


async def test_an_empty_library_says_why() -> None:
    library = FakeLibrary(texts=(), state=replace(STATE, documents=0, chunks=0))
    async with opened(library=library, question="") as (app, _):
        assert "there is no document in this library" in shown(app)


async def test_indexing_is_told_and_one_can_already_ask() -> None:
    library = FakeLibrary(
        steps=(Progress("index", 118, 412, 52.0, 6.0),), state=replace(STATE, documents=0, chunks=0)
    )
    library.hold_tasks()
    app = workbench(library)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause(0.2)
        told = "indexing 118 of 412 files, 52/s, 0:06 left · you can already ask"
        assert told in screen_text(app)[-2]
        assert app.focused is not None
        assert app.focused.id == "question"
        library.release_tasks()


async def test_nothing_found_says_what_each_channel_looked_for() -> None:
    async with opened(library=FakeLibrary(texts=()), question="未知") as (app, _):
        text = shown(app)
        assert "nothing found" in text
        assert "fulltext" in text
        assert "f chooses whose documents are searched, now public" in text


async def test_an_error_keeps_the_last_good_result_and_marks_it() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        library.failure = QueryError("the index cannot be read", "run verify")
        app.ask("另一个问题")
        await app.workers.wait_for_complete()
        await pilot.pause()
        text = shown(app)
        assert "of the query before" in text
        assert "retry.md" in text
        assert "the index cannot be read" in text


async def test_a_wait_is_shown_after_a_tenth_of_a_second() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        library.hold()
        app.ask("另一个问题")
        await pilot.pause(0.2)
        assert screen_text(app)[1].rstrip().endswith("asking")
        library.release()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert screen_text(app)[1].rstrip().endswith("ms")


async def test_a_degraded_query_says_so_with_a_remedy() -> None:
    library = FakeLibrary(
        degraded=(
            Degradation("vector", "vector_waiting", "12 of 311 chunks have no vector yet", "nothing to do"),
        )
    )
    async with opened(library=library) as (app, _):
        assert "12 of 311 chunks have no vector yet · nothing to do" in shown(app)


async def test_settings_of_the_file_are_what_the_star_compares_with() -> None:
    settings = Settings()
    settings = replace(settings, retrieval=replace(settings.retrieval, vector_weight=1.4))
    async with opened(settings=settings) as (app, _):
        assert "▹ vector          1.40" in shown(app)
        assert "file 1.40" in shown(app)


async def test_a_graph_that_was_never_built_is_no_problem_anywhere() -> None:
    off = Degradation("graph", "graph_off", "no graph was built, so it adds nothing", "nothing to do")
    for size in ((140, 45), (80, 24)):
        async with opened(size, FakeLibrary(degraded=(off,))) as (app, _):
            assert app.view.troubles == ()
            assert "degraded" not in shown(app)
            assert "!" not in shown(app)
