"""A set run through the library itself: what comes out, that it comes out again, and that a kill costs little."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, LibraryError
from engine.evaluate.figures import figures
from engine.evaluate.run import Evaluation, Plan, Run, Variant, widest
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.library import Library
from engine.model import Progress
from engine.settings import Embedding, Retrieval, Settings
from engine.store.runs import RunStore
from tests.evaluate.test_export import assert_equal_to_ir_measures

SETTINGS = Settings(embedding=Embedding(provider="hash"), scopes=(("ops/**", ("ops",)),))
TOPICS = ["queue", "worker", "lease", "retry", "letter", "audit", "token", "shard", "clock", "budget"]
ALONE = Retrieval(vector_weight=0, graph_weight=0)


def fact(topic: str) -> str:
    return f"The {topic} keeps its state for {len(topic)} days."


def write(root: Path) -> Path:
    for topic in TOPICS:
        path = root / ("ops" if topic == "audit" else "pages") / f"{topic}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# About the {topic}\n\n{fact(topic)} A {topic} is no toy.\n", encoding="utf-8")
    return root


def case(topic: str, **fields: object) -> Case:
    folder = "ops" if topic == "audit" else "pages"
    start = len(f"# About the {topic}\n\n")
    piece = Evidence(f"{folder}/{topic}.md", fact(topic), start, start + len(fact(topic)))
    claims = (Claim("a", (piece,)),)
    return Case(topic, f"how long does the {topic} keep state?", kind="fact", claims=claims, **fields)  # type: ignore[arg-type]


CASES = EvaluationSet(
    1, "facts", (*map(case, TOPICS), Case("none", "who won the cup?", answerable=False)), source_hash="aa"
)
PLAN = Plan(CASES, (Variant("all", Retrieval()), Variant("text", ALONE)))


@pytest.fixture
async def library(tmp_path: Path):
    async with await Library.open(write(tmp_path / "docs"), settings=SETTINGS) as library:
        async for _ in library.sync(cancel=CancelToken()):
            pass
        yield library


async def run(library: Library, plan: Plan = PLAN, **options: object) -> tuple[Run, ...]:
    evaluation = Evaluation(library, plan, **options)  # type: ignore[arg-type]
    async for _ in evaluation.run(cancel=CancelToken()):
        pass
    return evaluation.runs


def kept(library: Library) -> list[tuple[str, int]]:
    with closing(RunStore(library.places.library)) as store:
        return [(each.state, each.cases) for each in store.runs()]


def dumped(runs: tuple[Run, ...]) -> str:
    return json.dumps([[each.to_json() for each in one.outcomes] for one in runs])


# --- what comes out ----------------------------------------------------------------------------------------------


async def test_every_case_has_an_outcome_under_every_variant(library: Library):
    everything, text = await run(library)
    assert [each.case_id for each in everything.outcomes] == [each.id for each in CASES.cases]
    assert everything.id != text.id
    found = {each.case_id: each for each in text.outcomes}
    assert (found["queue"].rank, found["queue"].layer) == (1, "context")
    assert (found["audit"].rank, found["audit"].layer) == (None, "out_of_scope")
    assert found["none"].rank is None
    assert figures(text.outcomes, PLAN.metrics).means["recall@1"] == pytest.approx(0.9)


async def test_a_case_asks_with_its_own_scopes(library: Library):
    plan = replace(PLAN, cases=replace(CASES, cases=(case("audit", scopes=("ops",)), case("queue"))))
    (found, _) = await run(library, plan)
    assert [each.layer for each in found.outcomes] == ["context", "context"]
    assert list(found.manifest["index"]) == ["public", "public ops"]
    assert found.manifest["index"]["public ops"]["documents"] == len(TOPICS)


async def test_an_outcome_is_what_search_says(library: Library):
    """One wide recall serves every variant, and yet each is as if it had been asked alone."""
    for one in await run(library):
        for judged in one.outcomes:
            trace = await library.retrieve(judged.query, one.variant.retrieval)
            chunks = [result.chunk.chunk_id for result in trace.ranking.results()]
            assert list(judged.ranked) == chunks
            assert list(judged.scores) == [result.relevance for result in trace.ranking.results()]


async def test_the_exported_run_says_the_same_to_ir_measures(library: Library):
    for one in await run(library):
        assert_equal_to_ir_measures(list(one.outcomes))


async def test_metrics_look_deeper_than_the_settings_would(library: Library):
    shallow = Variant("one", replace(ALONE, top_k=1, candidate_multiplier=2, cjk_weight=0))
    (found,) = await run(library, replace(PLAN, variants=(shallow,)))
    assert max(len(each.ranked) for each in found.outcomes) > 2
    assert all(sum(each.hits) <= 1 and len(each.hits) <= 1 for each in found.outcomes)


async def test_a_channel_that_could_not_serve_is_told(tmp_path: Path):
    async with await Library.open(write(tmp_path), settings=SETTINGS) as library:
        async for _ in library.sync(cancel=CancelToken(), embed=False):
            pass
        everything, text = await run(library)
    assert "vector_waiting" in everything.outcomes[0].degraded
    assert "vector_waiting" not in text.outcomes[0].degraded


def test_the_widest_settings_ask_what_any_of_them_asks():
    one, other = (
        Retrieval(cjk_weight=0, adjacent_chunk_count=2),
        Retrieval(vector_weight=0, required_terms=True),
    )
    wide = widest([one, other])
    assert (wide.cjk_weight, wide.vector_weight, wide.adjacent_chunk_count) == (1, 1, 2)
    assert wide.weighs_candidates


# --- again, and in parts -----------------------------------------------------------------------------------------


async def test_a_repeated_run_gives_the_same_bytes(library: Library):
    first = await run(library)
    assert dumped(await run(library)) == dumped(first)
    assert kept(library) == [("done", len(CASES.cases))] * 2


async def test_a_cancelled_run_goes_on_where_it_stopped(library: Library, monkeypatch: pytest.MonkeyPatch):
    whole = await run(library)
    cancel, asked = CancelToken(), []
    real = Library.ask

    def ask(self: Library, *arguments: object, **options: object) -> object:
        asked.append(arguments)
        if len(asked) == 4:
            cancel.cancel()
        return real(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Library, "ask", ask)
    with pytest.raises(Cancelled):
        async for _ in Evaluation(library, PLAN).run(cancel=cancel):
            pass
    assert kept(library)[0][0] == "running"
    before = len(asked)
    assert dumped(await run(library)) == dumped(whole)
    assert len(asked) - before == len(CASES.cases) - 3


async def test_another_setting_is_another_run(library: Library):
    await run(library)
    await run(library, replace(PLAN, variants=(Variant("all", Retrieval(rrf_k=10)),)))
    assert len(kept(library)) == 3


async def test_an_index_that_changes_under_the_run_ends_it(library: Library, monkeypatch: pytest.MonkeyPatch):
    real = Library.ask

    def ask(self: Library, *arguments: object, **options: object) -> object:
        found = real(self, *arguments, **options)  # type: ignore[arg-type]
        return replace(found, state=replace(found.state, corpus_version="f" * 64))

    monkeypatch.setattr(Library, "ask", ask)
    with pytest.raises(LibraryError, match="changed while"):
        await run(library)


async def test_progress_counts_the_questions(library: Library):
    steps: list[Progress] = []
    async for progress in Evaluation(library, PLAN).run(cancel=CancelToken()):
        steps.append(progress)
    assert (steps[-1].stage, steps[-1].done, steps[-1].total) == (
        "evaluate",
        len(CASES.cases),
        len(CASES.cases),
    )


# --- killed ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "occurrence"), [("cases.committed", 3), ("run.ended", 1)])
async def test_a_killed_run_ends_with_the_bytes_of_one_that_was_not(
    tmp_path: Path, library: Library, step: str, occurrence: int
):
    whole = dumped(await run(library))
    command = [sys.executable, "-m", "tests.evaluate.test_run", str(tmp_path), step, str(occurrence)]
    killed = subprocess.run(command, check=False, cwd=Path(__file__).parents[2])
    assert killed.returncode == -signal.SIGKILL
    async with await Library.open(tmp_path / "docs", settings=SETTINGS, data=tmp_path / "killed") as again:
        assert kept(again)[0][0] == ("running" if step == "cases.committed" else "done")
        assert dumped(await run(again)) == whole


async def main(root: Path, step: str, occurrence: int) -> None:
    """Index and run; die at the n-th time that a step is durable."""
    from engine.evaluate import run as module

    module.COMMIT_CASES = 2
    seen = 0

    def steps(name: str) -> None:
        nonlocal seen
        seen += name == step
        if seen >= occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    async with await Library.open(root / "docs", settings=SETTINGS, data=root / "killed") as library:
        async for _ in library.sync(cancel=CancelToken()):
            pass
        await run(library, steps=steps)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
