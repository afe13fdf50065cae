"""The Tasks screen on a real library: a rebuild held, compared, let serve, gone back from, cut short and taken over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.library import Library
from engine.model import Progress
from engine.settings import Chunking
from tests.tui.documents.desk import SMALL, opened, settle, shown, write_documents
from tests.tui.fake import screen_text
from tui import cells
from tui.screens.difference import DifferencePage
from tui.screens.tasks import TasksScreen
from tui.widgets import difference as difference_rows
from tui.widgets import task_rows
from tui.widgets.line import text_of
from tui.widgets.task_rows import Row, Work

NARROW = replace(SMALL, chunking=Chunking(target_characters=400, overlap_characters=0))
SIZES = [(140, 45), (120, 40), (80, 24), (40, 15)]


async def indexed(tmp_path: Path, *, files: int | None = None) -> None:
    """A library with a rebuild aside: whole, or cut short after so many files."""
    folder = tmp_path / "samples"
    write_documents(folder)
    async with await Library.open(folder, settings=SMALL, data=tmp_path / "data") as library:
        async for _ in library.sync(cancel=CancelToken()):
            pass
        library.settings = NARROW
        cancel, committed = CancelToken(), 0

        def counted(step: str) -> None:
            nonlocal committed
            committed += step == "documents.committed"
            if committed == files:
                cancel.cancel()

        library.steps = counted
        try:
            async for _ in library.upkeep.rebuild(hold=True, cancel=cancel):
                pass
        except Cancelled:
            assert files is not None


@pytest.mark.parametrize("size", SIZES)
async def test_a_held_rebuild_is_compared_let_serve_and_gone_back_from(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    await indexed(tmp_path)
    async with opened(tmp_path, size, press="6") as (app, pilot, _):
        assert isinstance(app.page, TasksScreen)
        assert "whole, not serving" in shown(app)
        before = app.view.status.generation  # type: ignore[union-attr]
        await pilot.press("d")
        await settle(app, pilot)
        assert isinstance(app.page, DifferencePage)
        told = shown(app)
        assert "structure 1,600 / 160 serves" in told
        assert size[1] < 20 or "evidence whole" in told
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        await pilot.press("enter")
        await settle(app, pilot)
        assert isinstance(app.page, TasksScreen)
        after = app.view.status.generation  # type: ignore[union-attr]
        assert after != before
        assert "aside" not in [row.kind for row in app.page.pane._rows]
        await pilot.press("g", "enter")
        await pilot.pause()
        assert "let the index before the last rebuild serve again"[: size[0] - 4] in shown(app)
        await pilot.press("enter")
        await settle(app, pilot)
        assert app.view.status.generation == before  # type: ignore[union-attr]
        assert app.page.pane.work.tasks[0].kind == "rollback"
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}


async def test_a_rebuild_that_was_cut_short_is_taken_over_or_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.pipeline.group.SECONDS", 0.0)
    await indexed(tmp_path, files=2)
    async with opened(tmp_path, press="6") as (app, pilot, page):
        assert "1 of 3 files finished" in shown(app)
        assert "cancelled" in shown(app)
        await pilot.press("enter", "j", "j", "enter")
        await settle(app, pilot)
        assert app.view.status.recut == 1  # type: ignore[union-attr]
        assert page.pane.work.aside is None  # type: ignore[attr-defined]
        assert page.pane.work.tasks[0].kind == "take over"  # type: ignore[attr-defined]


async def test_what_lies_aside_is_given_up_by_one_key(tmp_path: Path) -> None:
    await indexed(tmp_path)
    async with opened(tmp_path, press="6") as (app, pilot, page):
        await pilot.press("X")
        await settle(app, pilot)
        assert page.pane.work.aside is None  # type: ignore[attr-defined]
        assert "was given up" in shown(app)
        await pilot.press("d")
        assert "nothing lies aside" in shown(app)
        await pilot.press("X")
        assert "nothing runs" in shown(app)


async def test_who_may_not_write_is_told(tmp_path: Path) -> None:
    await indexed(tmp_path)
    async with (
        await Library.open(tmp_path / "samples", settings=SMALL, data=tmp_path / "data"),
        opened(tmp_path, press="6") as (app, pilot, _),
    ):
        await pilot.press("r")
        await settle(app, pilot)
        assert "it alone can do that" in shown(app)


def test_what_runs_stands_first_with_its_progress() -> None:
    work = Work(doing="rebuild", progress=Progress("index", 118, 412, 52.0, 6.0))
    (row,) = task_rows.rows(work)
    told = text_of(task_rows.line(work, row, 140, cursor=True, focused=True))
    assert told.startswith("▸  running")
    assert "indexing 118 of 412 files, 52/s, 0:06 left" in told
    assert told.count("█") == 6
    assert "delete cancels" in task_rows.sentence(work, row)


def test_hostile_failures_stay_words_and_each_row_fills_the_width() -> None:
    from engine.model import Skipped
    from engine.store.tasks import Task

    failures = tuple(Skipped(f"\x1b[2J[/]{n}.md", "\x07it \u202echanges") for n in range(25))
    task = Task(1, "sync", "g1", "done", 0.0, 3.0, 25, 25, "\x9b31m", failures)
    work = Work((task,))
    found = task_rows.rows(work)
    assert [row.kind for row in found] == ["task", *["failure"] * 20, "rest"]
    for width in (40, 80, 140):
        for row in found:
            told = text_of(task_rows.line(work, row, width, cursor=False, focused=False))
            assert cells.width(told) == width
            assert told.isprintable()
            assert task_rows.sentence(work, row).isprintable()


@pytest.mark.parametrize("width", [40, 59, 60, 79, 80, 140])
def test_columns_stand_below_their_titles(width: int) -> None:
    from engine.store.tasks import Task

    task = Task(1, "sync", "g1", "done", 0.0, 3.0, 25, 25, "", ())
    (row,) = task_rows.rows(Work((task,)))
    head = text_of(task_rows.header(width))
    told = text_of(task_rows.line(Work((task,)), row, width, cursor=False, focused=False))
    assert ("took" in head) == ("0:03" in told)
    assert ("files" in head) == ("25 of 25" in told)
    for title, value in (("state", "done"), ("task", "sync")):
        assert head.index(title) == told.index(value)
    if "files" in head:
        assert head.index("files") + 5 == told.index("25 of 25") + 8


def test_an_empty_record_says_what_to_do() -> None:
    assert task_rows.sentence(Work(), None) == "nothing was done yet: r reads the folder"
    assert task_rows.rows(Work()) == ()
    assert Row("blank") != Row("aside")


def test_the_difference_fills_its_width() -> None:
    from engine.catalogue.what_if import Moved, Piece, Side
    from engine.evaluate.compare import Flip
    from engine.evaluate.difference import Difference

    found = Difference(
        "g1", (SMALL.chunking, NARROW.chunking), (3, 3), Side((10, 20), whole=2), Side((5, 5, 20), split=2), 1,
        (Moved(Piece("q\x1b1", 0, 3), "长" * 80 + ".md", 1, 3, "whole", "split"),), 2,
        {"recall@5": (0.5, 0.25), "mrr@10": (1.0, 1.0)},
        (Flip("q1", "问\x07" * 90, "", "context", "gate"), Flip("q2", "b", "", "gate", "context")),
    )  # fmt: skip
    for width in (39, 79, 139):
        for row in difference_rows.lines(found, width):
            assert cells.width(text_of(row)) == width
            assert text_of(row).isprintable()
    told = "\n".join(text_of(row).rstrip() for row in difference_rows.lines(found, 100))
    assert "recall@5                .500      .250     −.250" in told
    assert "mrr@10                  1.00      1.00         =" in told
    assert "1 gained, 1 lost of 2" in told


async def test_the_history_of_the_documents_leads_back_too(tmp_path: Path) -> None:
    await indexed(tmp_path)
    async with opened(tmp_path, press="6") as (app, pilot, _):
        before = app.view.status.generation  # type: ignore[union-attr]
        await pilot.press("r")
        await settle(app, pilot)
        assert app.view.status.generation != before  # type: ignore[union-attr]
        await pilot.press("2")
        await settle(app, pilot)
        await pilot.press("U")
        await settle(app, pilot)
        assert "THE LAST REBUILD" in shown(app)
        await pilot.press("g", "enter")
        await settle(app, pilot)
        assert app.view.status.generation == before  # type: ignore[union-attr]
