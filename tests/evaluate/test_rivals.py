"""Baselines are packed and judged as the pipeline is, each over what its principal sees."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.evaluate.baselines import BASELINES
from engine.evaluate.rivals import alone
from engine.evaluate.run import Plan, Variant
from engine.library import Library
from engine.settings import Retrieval
from tests.evaluate.test_run import CASES, PLAN, case, run
from tests.evaluate.test_run import library as library

VARIANTS = tuple(Variant(name, Retrieval(minimum_relevance=0.9), baseline=name) for name in BASELINES)


async def test_each_baseline_has_an_outcome_for_every_case(library: Library):
    runs = await run(library, replace(PLAN, variants=VARIANTS))
    assert len({each.id for each in runs}) == len(BASELINES)
    for each in runs:
        assert [outcome.case_id for outcome in each.outcomes] == [case.id for case in CASES.cases]
        assert each.manifest["baseline"] == each.variant.baseline


async def test_a_baseline_ranks_and_packs_in_its_own_order_with_nothing_refused(library: Library):
    (found,) = await run(library, replace(PLAN, variants=VARIANTS[:1]))
    queue = next(each for each in found.outcomes if each.case_id == "queue")
    assert (queue.rank, queue.layer, queue.refused) == (1, "context", False)
    assert list(queue.scores) == sorted(queue.scores, reverse=True)


async def test_a_baseline_sees_no_more_than_its_principal(library: Library):
    plan = Plan(replace(CASES, cases=(case("audit"), case("audit", scopes=("ops",)))), VARIANTS[:1])
    (found,) = await run(library, plan)
    assert [each.layer for each in found.outcomes] == ["out_of_scope", "context"]


@pytest.mark.parametrize(
    "field", ["minimum_relevance", "score_margin", "adjacent_chunk_count", "vector_weight"]
)
def test_nothing_of_the_pipeline_before_the_budget_touches_a_baseline(field: str):
    assert getattr(alone(replace(Retrieval(rerank="local"), **{field: 1})), field) == 0  # type: ignore[arg-type]
    assert alone(Retrieval(context_max_characters=2_000)).context_max_characters == 2_000
