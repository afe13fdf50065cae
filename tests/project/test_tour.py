"""The README's tour of one minute, walked on the samples key by key."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events
from textual.pilot import Pilot

from engine.library import Library
from engine.settings import resolve
from tui.app import RankscopeApp
from tui.opening import Opening, first_question
from tui.screens.evaluate import EvaluateScreen

ROOT = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def workbench(
    data: Path, file: Path = ROOT / "settings.toml"
) -> AsyncIterator[tuple[RankscopeApp, Pilot[int]]]:
    """The workbench on samples/ as ``make run`` opens it, with the built-in embedder, once all is indexed."""
    resolved = resolve(ROOT / "samples", file=file, assignments=("embedding.provider=hash",))

    async def opener() -> Library:
        return await Library.open(ROOT / "samples", settings=resolved.settings, data=data)

    question = first_question(ROOT / "samples")
    app = RankscopeApp(Opening(ROOT / "samples", resolved, (), question, journal=False), opener)
    async with app.run_test(size=(140, 45), notifications=True) as pilot:
        await settled(app, pilot)
        yield app, pilot


async def settled(app: RankscopeApp, pilot: Pilot[int]) -> None:
    """Wait until every chunk has its vector and the last question its answer."""

    def done() -> bool:
        view = app.view
        indexed = view.status is not None and view.status.chunks and not view.status.vectors_waiting
        return bool(indexed and view.trace and not view.running and view.trace.recall.channel("vector").of)

    while not done():
        await pilot.pause(0.05)
    await app.workers.wait_for_complete()
    await pilot.pause()


async def ask(app: RankscopeApp, pilot: Pilot[int], query: str) -> None:
    await pilot.press("slash")
    app.screen.post_message(events.Paste(query))
    await pilot.press("enter")
    await settled(app, pilot)
    assert app.view.query == query


def first(app: RankscopeApp) -> tuple[str, dict[str, int]]:
    assert app.view.trace is not None
    result = app.view.trace.ranking.result(0)
    return result.chunk.path, {name: hit.rank for name, hit in result.channels.items()}


async def test_the_tour_is_true(tmp_path: Path) -> None:
    async with workbench(tmp_path) as (app, pilot):
        assert app.view.query == "任务自动重试耗尽后怎么办？"
        assert app.view.dial == "vector_weight"
        await pilot.press("greater_than_sign")
        assert app.view.settings.retrieval.vector_weight == 1.25
        await pilot.press("0")
        assert app.view.settings.retrieval.vector_weight == 0
        await pilot.press("backspace")
        assert app.view.settings.retrieval.vector_weight == 1.0

        await ask(app, pilot, "bg-quarry")
        assert "fulltext" not in first(app)[1]
        await pilot.press("f", "down", "down", "enter", "escape")
        await settled(app, pilot)
        assert app.view.scopes == ("ops",)
        path, ranks = first(app)
        assert path.startswith("internal/")
        assert ranks["fulltext"] == 1

        await ask(app, pilot, "max_retry_count")
        assert first(app)[1]["fulltext"] == 1
        assert app.view.trace is not None
        by_text = min(
            app.view.trace.ranking.results(),
            key=lambda each: each.channels["fulltext"].rank if "fulltext" in each.channels else 999,
        )
        assert by_text.chunk.path == "reference/configuration.md"


async def scored(app: RankscopeApp, pilot: Pilot[int]) -> None:
    """Wait until the figures of the set are true, and their differences tested."""
    while not (app.view.evaluation.true and app.view.evaluation.tested):
        await pilot.pause(0.05)


async def test_the_settings_are_tuned_by_keyboard_to_measured_better_ones_and_saved(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    shutil.copy(ROOT / "settings.toml", file)
    async with workbench(tmp_path / "data", file) as (app, pilot):
        await scored(app, pilot)
        before = app.view.evaluation.whole
        assert before is not None
        await pilot.press("3", "colon")
        for key in "top k 11":
            await pilot.press("space" if key == " " else key)
        await pilot.press("enter", "J", "J", "plus")
        assert app.view.retrieval.top_k == 11
        assert app.view.retrieval.adjacent_chunk_count == 1
        await pilot.pause(0.1)
        await scored(app, pilot)
        value = app.view.evaluation
        assert value.a is before
        found = value.differences["context_recall"]
        assert found.verdict == "better"
        assert found.after > found.before
        page = app.page
        assert isinstance(page, EvaluateScreen)
        gained = [row.case_id for row in page.cases.listed if row.gained]
        assert gained
        assert [row.case_id for row in page.cases.listed[: len(gained)]] == gained
        first_gained = page.cases.listed[0].query
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.view.query == first_gained
        await pilot.press("s")
        assert app.view.note.startswith(f"saved to {file}: retrieval.top_k")
    saved = resolve(ROOT / "samples", file=file).settings.retrieval
    assert (saved.top_k, saved.adjacent_chunk_count) == (11, 1)


def test_what_the_tour_presses_stands_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    tour = re.search(r"## A tour of one minute\n(.*?)\n## ", text, re.DOTALL)
    assert tour is not None
    keys = re.findall(r"`([^`]+)`", tour[1])
    wanted = [
        "j",
        "k",
        ">",
        "0",
        "backspace",
        "/",
        "bg-quarry",
        "enter",
        "f",
        "↓",
        "esc",
        "max_retry_count",
        "3",
        "top k 11",
        "J",
        "+",
        "s",
        "u",
        "?",
    ]
    assert [key for key in wanted if key not in keys] == []
    assert "任务自动重试耗尽后怎么办？" in tour[1]
