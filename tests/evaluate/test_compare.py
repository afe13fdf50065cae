"""Two runs side by side: flips with their stage, moves, and a winner only where there is more than noise."""

from __future__ import annotations

import json

import pytest

from engine.errors import SetError
from engine.evaluate.compare import Comparison, compare, sentence
from engine.evaluate.outcome import ClaimOutcome, Outcome
from engine.evaluate.run import METRICS, Run, Variant
from engine.settings import Retrieval
from tests.evaluate.test_figures import outcome


def case(name: str, rank: int | None, layer: str = "context") -> Outcome:
    """A case with one relevant chunk, ``x``, at a rank of a list of ten."""
    ranked = [f"c{place}" for place in range(10)]
    if rank is not None:
        ranked[rank - 1] = "x"
    return outcome(
        name,
        kind="k",
        grades={"x": 1},
        ranked=tuple(ranked),
        claims=(ClaimOutcome("1", rank, layer),),  # type: ignore[arg-type]
        hits=(layer == "context",),
    )


def unanswerable(name: str, *, refused: bool) -> Outcome:
    return outcome(name, answerable=False, grades={}, claims=(), refused=refused)


def run(name: str, *outcomes: Outcome, **manifest: object) -> Run:
    return Run(
        name,
        Variant(name, Retrieval()),
        {"set": {"items": "chunks"}, "settings": {"name": name}, **manifest},
        outcomes,
    )


def compared(before: list[Outcome], after: list[Outcome], **manifest: object) -> Comparison:
    return compare(run("A", *before), run("B", *after, **manifest), METRICS)


def test_what_entered_and_left_is_told_with_the_stage_that_lost_it():
    found = compared(
        [case("in", 1), case("out", 9, "fusion"), case("same", 2)],
        [case("in", None, "gate"), case("out", 1), case("same", 2)],
    )
    assert [(each.case_id, each.before, each.after, each.gained) for each in found.flips] == [
        ("in", "context", "gate", False),
        ("out", "fusion", "context", True),
    ]
    assert [(each.case_id, each.before, each.after) for each in found.moves] == [
        ("in", 1, None),
        ("out", 9, 1),
    ]


def test_a_case_lost_elsewhere_is_no_flip():
    assert compared([case("q", 9, "fusion")], [case("q", 8, "budget")]).flips == ()


def test_an_answer_to_an_unanswerable_question_is_a_flip():
    found = compared(
        [unanswerable("u", refused=False), case("q", 1)], [unanswerable("u", refused=True), case("q", 1)]
    )
    assert [(each.before, each.after, each.gained) for each in found.flips] == [("answered", "refused", True)]


def test_a_clear_difference_has_a_winner():
    found = compared([case(f"q{n}", 2) for n in range(40)], [case(f"q{n}", 1) for n in range(40)])
    (first,) = [each for each in found.differences if each.metric == "recall@1"]
    assert (first.before, first.after, first.verdict) == (0.0, 1.0, "better")
    assert sentence(first, "A", "B").startswith("recall@1: B is better than A, +1.000 (")


def test_no_winner_is_named_within_noise_and_the_price_of_one_is():
    ranks = [1, 1, 2, 2, 1, 3]
    found = compared(
        [case(f"q{n}", rank) for n, rank in enumerate(ranks)],
        [case(f"q{n}", rank) for n, rank in enumerate([1, 2, 1, 1, 1, 3])],
    )
    told = {each.metric: sentence(each, "A", "B") for each in found.differences}
    assert {each.verdict for each in found.differences} == {"noise"}
    assert "would take about" in told["recall@1"]
    assert told["recall@5"] == "recall@5: the same for both"


def test_p_is_corrected_for_everything_that_is_tested():
    found = compared([case(f"q{n}", 2) for n in range(6)], [case(f"q{n}", 1) for n in range(6)])
    for each in found.differences:
        assert each.corrected >= each.test.p
    assert max(each.corrected for each in found.differences) == 1.0


def test_across_chunkings_only_evidence_is_compared():
    found = compared([case("q", 1)], [case("q", 1)], chunking={"mode": "fixed"})
    assert [each.metric for each in found.differences] == [
        "evidence_recall@1",
        "evidence_recall@5",
        "context_recall",
    ]


def test_the_first_difference_between_the_runs_is_named():
    assert compared([case("q", 1)], [case("q", 1)]).cause == "settings.name: A against B"


def test_cases_of_one_run_alone_are_counted_and_nothing_in_common_is_an_error():
    found = compared([case("q", 1), case("old", 1)], [case("q", 1)])
    assert (found.cases, found.only) == (1, (1, 0))
    with pytest.raises(SetError, match="no case in common"):
        compared([case("old", 1)], [case("new", 1)])


def test_without_anything_to_find_there_is_nothing_to_test_and_no_nan():
    found = compared([unanswerable("u", refused=False)], [unanswerable("u", refused=False)])
    assert found.differences == ()
    json.dumps(found.to_json(), allow_nan=False)
