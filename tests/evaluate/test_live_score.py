"""The figures of a followed setting are those of a report, and stand against another's as a comparison does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.evaluate.compare import compare
from engine.evaluate.figures import figures
from engine.evaluate.live_score import by_outcomes, change, differences, flipped, names
from engine.evaluate.outcome import ClaimOutcome, Outcome
from engine.evaluate.run import Run, Variant
from engine.settings import Retrieval

NAMES = names(2)


def outcome(name: str, ranked: str, grades: dict[str, int], layer: str, **fields: object) -> Outcome:
    made = Outcome(
        case_id=name, query="?", lang="", kind="", answerable=True, grades=grades, ranked=tuple(ranked),
        scores=tuple(1 / rank for rank in range(1, len(ranked) + 1)), claims=(ClaimOutcome("a", 1, layer),),  # type: ignore[arg-type]
        hits=(), refused=False, confidence=None, lead=None,
    )  # fmt: skip
    return replace(made, **fields)  # type: ignore[arg-type]


A = [
    outcome("one", "xyz", {"z": 1, "n": 2}, "fusion"),
    outcome("two", "zxy", {"z": 1}, "context"),
    outcome("three", "", {"z": 3, "y": 0}, "not_recalled"),
    outcome("none", "zx", {}, "fusion", answerable=False, claims=(), refused=False),
]
B = [
    outcome("one", "zxy", {"z": 1, "n": 2}, "context"),
    outcome("two", "xyz", {"z": 1}, "fusion"),
    outcome("three", "yz", {"z": 3, "y": 0}, "not_recalled"),
    outcome("none", "zx", {}, "fusion", answerable=False, claims=(), refused=True),
]
ONE, OTHER = (by_outcomes(Variant(name, Retrieval()), each) for name, each in (("a", A), ("b", B)))


def test_means_are_those_of_a_report() -> None:
    for score, outcomes in ((ONE, A), (OTHER, B)):
        means = figures(outcomes, NAMES[:-1]).means
        assert {name: score.mean(name) for name in NAMES} == {name: means[name] for name in NAMES}


def test_differences_are_those_of_a_comparison() -> None:
    one, other = (
        Run(name, Variant(name, Retrieval()), {"set": {"items": "chunks"}}, tuple(each))
        for name, each in (("a", A), ("b", B))
    )
    expected = {each.metric: each for each in compare(one, other, NAMES[:-1]).differences}
    found = differences(ONE, OTHER, [name for name in NAMES if name in expected])
    assert set(found) == {"mrr@10", "ndcg@10", "context_recall"}
    for name, each in found.items():
        assert (each.before, each.after, each.test) == (
            expected[name].before, expected[name].after, expected[name].test,
        )  # fmt: skip
        assert change(ONE, OTHER, name) == pytest.approx(each.test.difference)


def test_flips_are_by_case_and_refusals_count_those_without_an_answer() -> None:
    found = flipped(ONE, OTHER)
    assert {name: flip.gained for name, flip in found.items()} == {"one": True, "two": False, "none": True}
    assert (ONE.refused_rightly, OTHER.refused_rightly) == ((0, 1), (1, 1))


def test_cases_that_only_one_has_take_no_part_in_a_difference() -> None:
    fewer = by_outcomes(Variant("c", Retrieval()), B[:1])
    assert change(ONE, fewer, "recall@2") == pytest.approx(0.5)
    assert differences(ONE, fewer, ("recall@2",))["recall@2"].test.questions == 1
    assert change(ONE, by_outcomes(Variant("d", Retrieval()), []), "recall@2") is None
