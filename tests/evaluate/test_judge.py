"""The outcome of a case: ranks, the context, the layer where it was lost, and whether the question was refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine.evaluate.judge import deep_enough, judge
from engine.evaluate.judgements import Shelved, judge_set
from engine.evaluate.outcome import Outcome, outcome_of
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.settings import Retrieval
from engine.trace import settle
from tests.rank.build import chunk, recall

IDS = [f"c{number:02}" for number in range(30)]
CHUNKS = tuple(chunk(name, path=f"{name}.md", text=f"text of {name}") for name in IDS)
ALONE = Retrieval(cjk_weight=0, vector_weight=0, graph_weight=0)


def outcome(
    *wanted: str, listed: list[str] | None = None, by_document: bool = False, **settings: object
) -> Outcome:
    """A case whose claims each want one chunk, against one list of a channel."""
    shelf = {each.path: Shelved(each.path, each.path, "r1", frozenset(), (each,)) for each in CHUNKS}
    claims = tuple(
        Claim(
            name,
            (Evidence(f"{name}.md") if by_document else Evidence(f"{name}.md", f"text of {name}", 0, 11),),
        )
        for name in wanted
    )
    case = Case("q", "text", lang="en", kind="k", answerable=bool(claims), claims=claims)
    (judged,) = judge_set(EvaluationSet(1, "s", (case,)), (), shelf.get)
    retrieval = replace(ALONE, **settings)  # type: ignore[arg-type]
    trace = settle(recall({"fulltext": IDS if listed is None else listed}, CHUNKS), retrieval)
    return judge(judged, trace, trace.ranking, by_document=by_document)


def test_what_is_ranked_first_and_packed_is_in_the_context():
    found = outcome("c00")
    assert (found.rank, found.in_context, found.layer) == (1, True, "context")
    assert found.claims[0].rank == 1
    assert found.hits == (True, False, False, False, False, False)


@pytest.mark.parametrize(
    ("wanted", "settings", "layer", "rank"),
    [
        ("c09", {"top_k": 3}, "fusion", 10),
        ("c29", {"top_k": 2, "candidate_multiplier": 2}, "not_recalled", None),
        ("c03", {"minimum_relevance": 0.98}, "gate", None),
        ("zz9", {}, "not_in_corpus", None),
    ],
)
def test_a_case_is_lost_in_the_first_layer_that_let_it_go(
    wanted: str, settings: dict[str, object], layer: str, rank: int | None
):
    found = outcome(wanted, **settings)
    assert (found.layer, found.rank, found.in_context) == (layer, rank, False)


def test_a_case_of_two_claims_is_in_only_with_both_and_is_lost_where_the_worse_one_was():
    found = outcome("c00", "zz9")
    assert (found.in_context, found.layer, found.rank) == (False, "not_in_corpus", 1)
    assert [claim.in_context for claim in found.claims] == [True, False]


def test_documents_stand_where_their_first_chunk_does():
    found = outcome("c04", by_document=True)
    assert found.ranked[:2] == ("c00.md", "c01.md")
    assert (found.rank, found.layer) == (5, "context")


def test_a_question_without_an_answer_has_nothing_to_be_in():
    found = outcome()
    assert (found.rank, found.in_context, found.layer, found.scorable) == (None, None, None, False)
    assert not found.refused
    assert found.confidence == 1.0


def test_a_question_is_refused_where_nothing_is_left_or_the_lead_is_too_small():
    assert outcome(listed=[]).refused
    assert outcome(score_margin=0.5).refused
    assert outcome(listed=[]).confidence is None


def test_what_the_gate_dropped_is_not_ranked():
    assert len(outcome("c00", minimum_relevance=0.98).ranked) == 2


def test_an_outcome_is_the_same_after_a_file_has_kept_it():
    found = outcome("c00", "c09", top_k=3)
    assert outcome_of(json.loads(json.dumps(found.to_json()))) == found


def test_a_file_that_holds_something_else_is_refused():
    with pytest.raises((KeyError, TypeError, ValueError)):
        outcome_of({"case_id": "x"})
    stored = outcome("c00").to_json()
    stored["claims"] = [{"id": "a", "rank": 1, "layer": "nowhere"}]
    with pytest.raises(ValueError, match="layer"):
        outcome_of(stored)


def test_settings_are_deepened_only_where_a_metric_looks_beyond_what_fusion_reads():
    assert deep_enough(Retrieval(), 10) == Retrieval()
    assert deep_enough(Retrieval(top_k=1, candidate_multiplier=2), 10).top_k == 5
