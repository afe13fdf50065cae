"""A live set gives at every turned setting what a whole run gives, to the byte."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

from engine.cancel import CancelToken
from engine.errors import Cancelled, LibraryError, SetError, UsageError
from engine.evaluate import live
from engine.evaluate.figures import values
from engine.evaluate.fit import fitted
from engine.evaluate.formats import read_set
from engine.evaluate.live import Live, freeze
from engine.evaluate.live_moves import moved
from engine.evaluate.live_score import by_outcomes, by_ranks
from engine.evaluate.outcome import Outcome
from engine.evaluate.run import Plan, Variant, outcomes_on
from engine.library import Library
from engine.model import Progress
from engine.settings import Embedding, Features, Retrieval, Settings
from tests.explain.random_recalls import retrievals

SAMPLES = Path(__file__).parents[2] / "samples"
METRICS = ("recall@6", "mrr@10", "ndcg@10")
CUTOFF = 10


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The samples with the built-in embedder; asked from threads, so no loop has to run."""

    async def opened() -> Library:
        found = await Library.open(
            SAMPLES,
            settings=Settings(embedding=Embedding(provider="hash"), scopes=(("internal/**", ("ops",)),)),
            data=tmp_path_factory.mktemp("live"),
        )
        async for _ in found.sync(cancel=CancelToken()):
            pass
        return found

    found = asyncio.run(opened())
    yield found
    asyncio.run(found.close())


def plan_of(library: Library, retrieval: Retrieval, features: Features | None = None) -> Plan:
    """Every fifth case: each kind is among them, and a run takes little."""
    cases = read_set(SAMPLES / "evaluation.toml")
    fit = fitted(library, replace(cases, cases=cases.cases[::5]))
    return Plan(fit.cases, (Variant("settings", retrieval, features or Features()),), METRICS)


def frozen(library: Library) -> Live:
    async def freezing() -> list[Progress | Live]:
        steps = freeze(library, plan_of(library, Retrieval()), cancel=CancelToken())
        return [step async for step in steps]

    *before, last = asyncio.run(freezing())
    assert before
    assert all(isinstance(step, Progress) for step in before)
    assert isinstance(last, Live)
    return last


@pytest.fixture(scope="module")
def following(library: Library) -> Live:
    return frozen(library)


def run(library: Library, plan: Plan) -> list[Outcome]:
    """The peer: the whole set asked and judged."""
    steps = outcomes_on(library, library.serving(), plan, cancel=CancelToken())
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            return list(ended.value[0])


def dumped(outcomes: list[Outcome]) -> str:
    return json.dumps([outcome.to_json() for outcome in outcomes])


@given(retrieval=retrievals())
@example(retrieval=Retrieval())
@example(retrieval=Retrieval(cjk_weight=0, fusion="minmax", top_k=2, candidate_multiplier=2))
@example(retrieval=Retrieval(fulltext_weight=0, required_terms=True, score_margin=0.1))
@example(retrieval=Retrieval(rerank="local", context_max_characters=2_000, adjacent_chunk_count=2))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_turn_gives_the_bytes_of_a_whole_run(
    library: Library, following: Live, retrieval: Retrieval
) -> None:
    if not any((retrieval.fulltext_weight, retrieval.cjk_weight, retrieval.vector_weight)):
        retrieval = replace(retrieval, cjk_weight=0.5)
    plan = plan_of(library, retrieval)
    expected = run(library, plan)
    assert dumped(list(following.outcomes(plan.variants[0], cancel=CancelToken()))) == dumped(expected)
    ranks = following.matrix.rank(retrieval, CUTOFF)
    assert (ranks is None) == (retrieval.rerank != "off" or retrieval.required_terms)
    if ranks is not None:
        assert ranks.first == tuple(one.rank for one in expected)
        assert ranks.refused == tuple(one.refused for one in expected)
        alone = [values(one, METRICS) for one in expected if one.scorable]
        found = following.matrix.values(ranks, METRICS)
        assert found == {name: [one[name] for one in alone] for name in METRICS}
    early, whole = by_ranks(following, plan.variants[0]), by_outcomes(plan.variants[0], expected)
    assert (early is None) == (ranks is None)
    if early is not None:
        assert not early.whole
        assert [early.values(name) for name in METRICS] == [whole.values(name) for name in METRICS]
        assert early.refused_rightly == whole.refused_rightly


def test_feature_weights_are_followed_too(library: Library, following: Live) -> None:
    features = Features(fused=0.1, path=2.0, same_document=0.3)
    plan = plan_of(library, Retrieval(rerank="local"), features)
    found = list(following.outcomes(plan.variants[0], cancel=CancelToken()))
    assert dumped(found) == dumped(run(library, plan))


@pytest.mark.parametrize(
    "other",
    [
        Retrieval(vector_weight=1.7, cjk_weight=0.4),
        Retrieval(fusion="minmax", fulltext_weight=0),
        Retrieval(rerank="local"),
    ],
)
def test_the_parts_of_a_move_sum_to_what_the_relevance_changed(following: Live, other: Retrieval) -> None:
    a, b = Variant("a", Retrieval()), Variant("b", other)
    outcomes = {name: by_outcomes(each, list(following.outcomes(each, cancel=CancelToken())))
                for name, each in (("a", a), ("b", b))}  # fmt: skip
    told = 0
    for judged, recall in zip(following.cases, following.recalls, strict=True):
        assert recall is not None
        found = moved(judged, recall, a, b, by_document=False)
        rank = outcomes["b"].standings[judged.case.id].rank
        assert rank is None or (found is not None and found.ranks[1] == rank)
        if found is not None:
            told += 1
            before, after = found.relevance
            assert sum(part for _, part in found.parts) == pytest.approx(after - before, abs=1e-12)
            assert sorted(map(abs, dict(found.parts).values()), reverse=True) == [
                abs(part) for _, part in found.parts
            ]
    assert told > len(following.cases) // 2


def test_a_weight_turns_what_is_laid_out_and_another_depth_does_not(following: Live) -> None:
    assert by_ranks(following, Variant("a", Retrieval(candidate_multiplier=9)), warm=True) is None
    assert by_ranks(following, Variant("a", Retrieval(candidate_multiplier=9))) is not None
    turned = Variant("a", Retrieval(candidate_multiplier=9, vector_weight=0.3))
    assert by_ranks(following, turned, warm=True) is not None


def test_what_there_is_no_room_for_is_asked_again(
    library: Library, following: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "KEPT_BYTES", 200_000)
    bounded = frozen(library)
    kept = [recall is not None for recall in bounded.recalls]
    assert any(kept)
    assert not all(kept)
    one, other = (
        list(each.outcomes(Variant("a", Retrieval()), cancel=CancelToken())) for each in (following, bounded)
    )
    assert dumped(one) == dumped(other)
    assert np.array_equal(following.matrix.ranks, bounded.matrix.ranks)


def test_kept_recalls_share_their_chunks(following: Live) -> None:
    chunks = [chunk for recall in following.recalls if recall is not None for chunk in recall.chunks]
    assert len({id(chunk) for chunk in chunks}) == len({chunk.chunk_id for chunk in chunks}) < len(chunks)


def test_a_set_that_is_too_large_says_so(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MATRIX_BYTES", 1_000)
    with pytest.raises(SetError, match="too large to follow"):
        frozen(library)


def test_a_model_is_asked_by_a_run_alone(following: Live) -> None:
    assert following.matrix.rank(Retrieval(rerank="learned"), CUTOFF) is None
    with pytest.raises(UsageError, match="no turned setting"):
        next(following.outcomes(Variant("a", Retrieval(rerank="learned")), cancel=CancelToken()))


def test_following_stops_when_it_is_cancelled(following: Live) -> None:
    cancel = CancelToken()
    outcomes = following.outcomes(Variant("a", Retrieval()), cancel=cancel)
    next(outcomes)
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(outcomes)


def test_another_state_of_the_index_is_refused(following: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Library.ask

    def ask(self: Library, *arguments: object, **options: object) -> object:
        found = real(self, *arguments, **options)  # type: ignore[arg-type]
        return replace(found, state=replace(found.state, corpus_version="f" * 64))

    monkeypatch.setattr(Library, "ask", ask)
    deeper = Variant("a", Retrieval(adjacent_chunk_count=2))
    with pytest.raises(LibraryError, match="changed while"):
        next(following.outcomes(deeper, cancel=CancelToken()))
