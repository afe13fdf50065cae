"""Figures of cases and of groups of cases: over items, over claims, and over nothing at all."""

from __future__ import annotations

import pytest

from engine.evaluate.figures import figures, grouped, values
from engine.evaluate.outcome import ClaimOutcome, Outcome

NAMES = ("recall@1", "mrr@10")


def outcome(case_id: str = "q", **fields: object) -> Outcome:
    given: dict[str, object] = {
        "query": "x",
        "lang": "",
        "kind": "",
        "answerable": True,
        "grades": {"a": 1, "b": 1},
        "ranked": ("a", "c", "b"),
        "scores": (1.0, 0.5, 0.25),
        "claims": (ClaimOutcome("one", 1, "context"), ClaimOutcome("two", 3, "budget")),
        "hits": (True, False, True, False),
        "refused": False,
        "confidence": 1.0,
        "lead": None,
    }
    return Outcome(case_id, **{**given, **fields})  # type: ignore[arg-type]


UNANSWERABLE = outcome("none", answerable=False, grades={}, claims=(), refused=True)


def test_a_case_has_its_metrics_and_its_evidence():
    assert values(outcome(), NAMES) == {
        "recall@1": 0.5,
        "mrr@10": 1.0,
        "evidence_recall@1": 0.5,
        "evidence_recall@5": 1.0,
        "context_recall": 0.5,
        "context_precision": 0.5,
    }


def test_a_claim_that_several_chunks_hold_is_found_once():
    twice = outcome(grades={"a": 1, "c": 1}, claims=(ClaimOutcome("one", 1, "context"),))
    assert values(twice, NAMES)["evidence_recall@5"] == 1.0


def test_an_empty_context_has_no_precision_and_no_fault():
    assert values(outcome(hits=()), NAMES)["context_precision"] == 0.0


def test_what_has_nothing_to_find_is_counted_apart_and_never_averaged():
    found = figures([outcome(), UNANSWERABLE], NAMES)
    assert (found.cases, found.scorable, found.in_context, found.refused) == (2, 1, 0, 1)
    assert found.means["recall@1"] == 0.5
    assert found.layers == {"budget": 1}
    assert figures([UNANSWERABLE], NAMES).means == {}
    assert figures([], NAMES).cases == 0


def test_groups_stand_in_the_order_of_their_first_case():
    cases = [
        outcome("1", kind="number"),
        outcome("2", kind="mixed"),
        outcome("3", kind="number"),
        outcome("4"),
    ]
    found = grouped(cases, NAMES, lambda each: each.kind)
    assert [(name, each.cases) for name, each in found.items()] == [("number", 2), ("mixed", 1)]


@pytest.mark.parametrize(("kept", "told"), [((True, False), (1, 2)), ((), (0, 0))])
def test_preferences_are_counted(kept: tuple[bool, ...], told: tuple[int, int]):
    assert figures([outcome(preferences=kept)], NAMES).preferences == told
