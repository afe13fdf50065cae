"""A sweep on a real library: equal to a run of each setting, resumed after a kill, and nothing that serves moves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, UsageError
from engine.evaluate.figures import figures
from engine.evaluate.fit import fitted
from engine.evaluate.formats import read_set
from engine.evaluate.run import Plan, Variant, outcomes_on
from engine.evaluate.sweep import Descent, Random, Swept
from engine.library import Library
from engine.store.sweeps import SweepStore
from tests.evaluate.sweep.libraries import AXES, swept, written
from tests.pipeline.killing import SETTINGS, errors, run, synced, verified


@pytest.fixture
async def library(tmp_path: Path):
    root = written(tmp_path / "docs")
    async with await Library.open(root, settings=SETTINGS) as opened:
        async for _ in opened.sync(cancel=CancelToken()):
            pass
        yield opened


def packed(found: Swept) -> str:
    return json.dumps(found.to_json(), ensure_ascii=False)


async def means(library: Library, **settings: object) -> dict[str, float]:
    """A run of these settings on the generation that serves."""
    cases = fitted(library, read_set(library.root / "evaluation.toml")).cases
    retrieval = replace(library.settings.retrieval, **settings)  # type: ignore[arg-type]
    plan = Plan(cases, (Variant("one", retrieval),))
    steps = outcomes_on(library, library.serving(), plan, cancel=CancelToken())
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return dict(figures(end.value[0], plan.metrics).means)


async def test_each_cell_is_a_run_of_its_setting(library: Library) -> None:
    found = await swept(library, "vector_weight=0,0.5,1", "fusion=rrf,minmax")
    assert len(found.cells) == 6
    for cell in found.cells:
        weight, fusion = cell.point
        assert dict(cell.means) == pytest.approx(await means(library, vector_weight=weight, fusion=fusion))
    assert found.present.point == (1.0, SETTINGS.retrieval.fusion)
    assert found.cases == (8, 8)
    assert found.best.chosen == max(cell.chosen for cell in found.cells if cell.chosen is not None)


async def test_another_chunking_is_what_a_rebuild_would_give_and_never_serves(library: Library) -> None:
    serving, asked = library.serving().id, (await library.retrieve("重试超过三次")).recall.state
    chunk = (await library.recall("重试的第 3 条规则")).chunks[0]
    await library.edits.set_text(chunk.chunk_id, "重试的第三条规则改过了。")
    found = await swept(library, "target_characters=400,800")
    assert library.serving().id == serving
    assert verified(library.root).clean
    (cell,) = [cell for cell in found.cells if cell.point == (800,)]
    library.settings = replace(SETTINGS, chunking=replace(SETTINGS.chunking, target_characters=800))
    async for _ in library.upkeep.rebuild(cancel=CancelToken()):
        pass
    assert dict(cell.means) == pytest.approx(await means(library))
    assert asked != (await library.retrieve("重试超过三次")).recall.state


async def test_the_same_again_asks_nothing_and_gives_the_same_bytes(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await swept(library)
    asked = 0
    real = Library.ask

    def counted(self: Library, *given: object, **options: object) -> object:
        nonlocal asked
        asked += 1
        return real(self, *given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Library, "ask", counted)
    assert packed(await swept(library)) == packed(first)
    assert asked == 0


async def test_one_recall_a_case_serves_every_weight_of_a_chunking(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    real = Library.ask

    def counted(self: Library, *given: object, **options: object) -> object:
        nonlocal asked
        asked += 1
        return real(self, *given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Library, "ask", counted)
    await swept(library, "vector_weight=0..1:0.1")
    assert asked == 2 * 16, "the settings in force, and all others together"


@pytest.mark.parametrize(
    ("step", "occurrence"), [("cells.committed", 2), ("documents.committed", 1), ("vectors.committed", 1)]
)
async def test_killed_it_goes_on_where_it_was_and_gives_the_same_bytes(
    tmp_path: Path, step: str, occurrence: int
) -> None:
    root, other = written(tmp_path / "docs"), written(tmp_path / "whole")
    for each in (root, other):
        await synced(each)
    assert run(root, "sweep", step, occurrence) == -9
    assert errors(root) == []
    kept = _cells(root)
    async with await Library.open(root, settings=SETTINGS) as library:
        serving = library.serving().id
        found = await swept(library)
        assert library.serving().id == serving
    assert _cells(root) > kept
    async with await Library.open(other, settings=SETTINGS) as library:
        assert packed(await swept(library)) == packed(found)
    assert verified(root).clean


def _cells(root: Path) -> int:
    store = SweepStore(root / ".rankscope" / "library.sqlite")
    count = int(store._connection.execute("SELECT count(*) FROM sweep_cell").fetchone()[0])
    store.close()
    return count


async def test_a_damaged_cell_is_asked_again(library: Library) -> None:
    first = await swept(library, "top_k=4,6")
    store = SweepStore(library.places.library)
    store._connection.execute("UPDATE sweep_cell SET figures = x'00'")
    store.close()
    assert packed(await swept(library, "top_k=4,6")) == packed(first)


async def test_a_search_by_chance_or_along_the_axes_tries_fewer(library: Library) -> None:
    grid = await swept(library, "top_k=2,4,6,8", "vector_weight=0,0.5,1")
    drawn = await swept(library, "top_k=2,4,6,8", "vector_weight=0,0.5,1", search=Random(3, 1))
    along = await swept(library, "top_k=2,4,6,8", "vector_weight=0,0.5,1", search=Descent())
    cells = {cell.point: cell for cell in grid.cells}
    for found in (drawn, along):
        assert len(found.cells) < len(grid.cells)
        assert all(cells[cell.point] == cell for cell in found.cells)


async def test_what_does_not_go_together_is_told_and_the_rest_is_tried(library: Library) -> None:
    found = await swept(library, "target_characters=400,1600", "overlap_characters=0,600")
    assert [point for point, _ in found.impossible] == [(400, 600)]
    assert "overlap" in found.impossible[0][1]
    assert len(found.cells) == 3


async def test_chunk_figures_do_not_compare_across_chunkings(library: Library) -> None:
    with pytest.raises(UsageError, match="do not compare"):
        await swept(library, *AXES, by="mrr@10")
    with pytest.raises(UsageError, match="is no figure"):
        await swept(library, "top_k=4,6", by="mrr")
    assert (await swept(library, "top_k=4,6", by="context_recall")).by == "context_recall"


async def test_cancelled_it_stops_and_what_was_finished_stays(library: Library) -> None:
    cancel = CancelToken()

    def stop(step: str) -> None:
        if step == "cells.committed":
            cancel.cancel()

    library.steps = stop
    with pytest.raises(Cancelled):
        await swept(library, cancel=cancel)
    assert _cells(library.root) == 1
