"""A set re-scored after a turned weight: all cases at once, beside a loop that ranks them one by one.

XQuAD in Chinese, and the pages in both languages with their set repeated; 1,190 cases each. Then the contexts, which
follow in the background, and the frame of a turned weight on the Evaluate screen. Needs the evaluation data beside the
checkout.
"""

from __future__ import annotations

import asyncio
import os
import platform
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.evaluate.fit import fitted
from engine.evaluate.formats import read_set
from engine.evaluate.judge import deep_enough
from engine.evaluate.live import Live, freeze
from engine.evaluate.metrics import metric
from engine.evaluate.run import Plan, Variant
from engine.evaluate.sets import EvaluationSet
from engine.library import Library
from engine.rank.pipeline import rank
from engine.settings import Embedding, Retrieval, Settings
from engine.settings.sources import Resolved
from engine.trace import as_asked
from tests.conftest import SHARED

CASES = 1_190
GOAL_MS = 100
METRICS = ("recall@6", "mrr@10", "ndcg@10")
CUTOFF = 10
TURNS = [round(0.05 * step, 2) for step in range(1, 21)]


async def main() -> None:
    data = SHARED / "data"
    if not data.is_dir():
        print("the evaluation data is not beside the checkout")
        return
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{platform.machine()}, {platform.python_version()}, {load}, built-in embedder")
    xquad = read_set(data / "xquad-zh")
    await measured("XQuAD zh, whole documents", data / "xquad-zh", (), xquad)
    await on_screen(data / "xquad-zh")
    pages = read_set(data / "docs-eval.jsonl")
    await measured("pages in both languages", data, ("docs-zh/**", "docs-en/**"), repeated(pages))


def repeated(cases: EvaluationSet) -> EvaluationSet:
    """The cases again and again, under other ids, until there are as many as wanted."""
    many = [
        replace(case, id=f"{case.id}-{round_}")
        for round_ in range(CASES // max(1, len(cases.cases)) + 1)
        for case in cases.cases
    ]
    return replace(cases, cases=tuple(many[:CASES]))


async def measured(name: str, root: Path, include: tuple[str, ...], cases: EvaluationSet) -> None:
    settings = Settings(embedding=Embedding(provider="hash"))
    with tempfile.TemporaryDirectory() as data:
        opened = await Library.open(root, settings=settings, data=Path(data), include=include or None)
        async with opened as library:
            async for _ in library.sync(cancel=CancelToken()):
                pass
            fit = fitted(library, cases, skip_invalid=True)
            plan = Plan(fit.cases, (Variant("settings", Retrieval()),), METRICS)
            began = time.perf_counter()
            before = resident()
            *_, live = [step async for step in freeze(library, plan, cancel=CancelToken())]
            took = time.perf_counter() - began
            assert isinstance(live, Live)
            grown = resident() - before
            print(f"\n{name}: {len(live.cases):,} cases, frozen in {took:.1f} s, once; {grown:.0f} MB more")
            shown(live)


def resident() -> float:
    """The most MB that this process has held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if platform.system() == "Darwin" else most / 2**10


async def on_screen(root: Path) -> None:
    """What a turned weight takes until every pane of the Evaluate screen is drawn anew, cases and ranks."""
    from tui.app import RankscopeApp
    from tui.opening import Opening

    settings = Settings(embedding=Embedding(provider="hash"))
    with tempfile.TemporaryDirectory() as data:

        async def opener() -> Library:
            return await Library.open(root, settings=settings, data=Path(data))

        resolved = Resolved(settings, {})
        app = RankscopeApp(Opening(root, resolved, (), "谁在分区轮输给了野马队？", journal=False), opener)
        async with app.run_test(size=(140, 45)) as pilot:
            while app.view.status is None or not app.view.status.state.documents or app.bridge.syncing:
                await pilot.pause(0.1)
            app.evaluating.choose(root)
            await pilot.press("3")
            while not app.view.evaluation.tested:
                await pilot.pause(0.1)
            times = []
            for turns in [1] * 10 + [-1] * 10:
                app.turn(turns)
                times.append(timed(app._settle))
                await pilot.pause(0.02)
            print(f"  frame on the screen   {statistics.median(times):6.1f} ms, worst {max(times):6.1f}")
            await app.bridge.close()


def shown(live: Live) -> None:
    sizes = live.matrix.ranks.shape[1] / max(1, len(live.cases))
    kept = sum(recall is not None for recall in live.recalls)
    print(f"  {sizes:.0f} candidates a case; recalls of {kept:,} cases are kept")
    at_once = [timed(lambda w=weight: rescored(live, Retrieval(vector_weight=w))) for weight in TURNS]
    deeper = [timed(lambda w=weight: rescored(live, turned(w))) for weight in TURNS]
    began = time.perf_counter()
    expected = one_by_one(live, Retrieval(vector_weight=TURNS[0]))
    loop = (time.perf_counter() - began) * 1000
    assert rescored(live, Retrieval(vector_weight=TURNS[0])) == expected, "the same values, to the last digit"
    for label, times in (("a weight turned", at_once), ("every candidate read", deeper)):
        first, middle, worst = times[0], statistics.median(times[1:]), max(times[1:])
        met = "met" if worst <= GOAL_MS else "missed"
        print(
            f"  {label:<21} {middle:6.1f} ms, worst {worst:6.1f}, first {first:6.1f};"
            f" 1/{loop / middle:.0f} of the loop; goal {GOAL_MS} ms: {met}"
        )
    print(f"  one by one            {loop:6.0f} ms")
    began = time.perf_counter()
    outcomes = list(live.outcomes(Variant("a", Retrieval(vector_weight=1.4)), cancel=CancelToken()))
    took = time.perf_counter() - began
    print(f"  contexts behind it    {took * 1000:6.0f} ms, {took / len(outcomes) * 1000:.2f} a case")


def turned(weight: float) -> Retrieval:
    """Fusion that reads all that was frozen: the widest matrix there can be."""
    return Retrieval(vector_weight=weight, fusion="linear", top_k=20, candidate_multiplier=10)


def rescored(live: Live, retrieval: Retrieval) -> dict[str, list[float]]:
    ranks = live.matrix.rank(retrieval, CUTOFF)
    assert ranks is not None
    return live.matrix.values(ranks, METRICS)


def one_by_one(live: Live, retrieval: Retrieval) -> dict[str, list[float]]:
    """The loop: each case ranked as a query is, and its metrics computed. No context, no judgement."""
    found: dict[str, list[float]] = {name: [] for name in METRICS}
    for judged, recall in zip(live.cases, live.recalls, strict=True):
        assert recall is not None, "the loop needs every recall"
        if not any(grade > 0 for grade in judged.grades.values()):
            continue
        ranking = rank(as_asked(recall, retrieval), deep_enough(retrieval, CUTOFF))
        chunks = [ranking.recall.chunks[row] for row in ranking.order[ranking.kept].tolist()]
        items = [chunk.path if live.matrix.by_document else chunk.chunk_id for chunk in chunks]
        for name in METRICS:
            value = metric(name)(items, judged.grades)
            assert value is not None
            found[name].append(value)
    return found


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    asyncio.run(main())
