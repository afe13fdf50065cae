"""The gate: what it tests, what it removes, and what it only marks."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model import Recall
from engine.rank import pack, rank
from engine.settings import Retrieval
from tests.rank.build import chunk, ids, recall, term


def two_documents() -> Recall:
    """Relevances 1 and 1/2 by ``linear``, of two documents."""
    return recall({"fulltext": [("a", 8.0), ("b", 4.0)]})


def test_off_it_keeps_everything_and_tests_nothing():
    ranking = rank(two_documents(), Retrieval())
    assert ranking.kept.all()
    assert (ranking.gate.tested, ranking.gate.removed, ranking.unanswerable) == ("", 0, False)


def test_minimum_relevance_removes_what_is_below_and_names_the_scale():
    ranking = rank(two_documents(), Retrieval(fusion="linear", minimum_relevance=0.6))
    assert ranking.kept.tolist() == [True, False]
    assert (ranking.gate.tested, ranking.gate.below) == ("linear", 1)
    assert (ranking.scale.name, ranking.scale.maximum) == ("linear", 1.0)
    (told,) = ranking.degraded
    assert (told.channel, told.code) == ("gate", "filtered_by_gate")
    assert told.message == "removed 1 of 2: 1 with a relevance (linear) below 0.6"
    assert told.remedy == "lower minimum_relevance, now 0.6"


def test_a_relevance_at_the_minimum_stays():
    assert rank(two_documents(), Retrieval(fusion="linear", minimum_relevance=0.5)).passed == 2


def test_what_the_gate_removed_keeps_its_rank_and_enters_no_context():
    retrieval = Retrieval(fusion="linear", minimum_relevance=0.6, top_k=2)
    ranking = rank(two_documents(), retrieval)
    assert [result.rank for result in ranking.results()] == [1, 2]
    assert [c.chunk_id for g in pack(ranking, retrieval).groups for c in g.citations] == ["a"]


def test_top_k_counts_what_passed():
    found = recall(
        {"fulltext": ["a", "b", "c"]},
        [chunk("a", text="x"), chunk("b", text="needle b"), chunk("c", text="needle c")],
        query="needle",
        terms=[term("needle", "needle")],
    )
    ranking = rank(found, Retrieval(required_terms=True, top_k=2))
    assert ranking.top.tolist() == [1, 2]


# --- margin -------------------------------------------------------------------------------------------------


def test_a_thin_lead_over_another_document_marks_and_drops_nothing():
    ranking = rank(two_documents(), Retrieval(fusion="linear", score_margin=0.6))
    assert ranking.unanswerable
    assert ranking.gate.lead == 0.5
    assert ranking.kept.all()
    assert not rank(two_documents(), Retrieval(fusion="linear", score_margin=0.5)).unanswerable


def test_the_lead_is_over_the_first_of_another_document():
    same = [chunk("a", text="x"), chunk("b", start=9, text="y"), chunk("c", text="z", path="other.md")]
    found = recall({"fulltext": [("a", 8.0), ("b", 7.0), ("c", 2.0)]}, same)
    assert rank(found, Retrieval(fusion="linear")).gate.lead == 0.75


def test_without_another_document_there_is_no_lead_to_be_thin():
    ranking = rank(recall({"fulltext": ["a"]}), Retrieval(score_margin=1))
    assert (ranking.gate.lead, ranking.unanswerable) == (None, False)


def test_nothing_left_is_unanswerable():
    assert rank(recall({"fulltext": []}, ()), Retrieval()).unanswerable
    assert rank(two_documents(), Retrieval(fulltext_weight=0)).unanswerable


# --- required terms -----------------------------------------------------------------------------------------


def passing(query: str, terms: list, texts: list[str], **turned: object) -> list[str]:
    """The texts that hold every rare term."""
    chunks = [chunk(f"c{place}", text=text, path=f"{place}.md") for place, text in enumerate(texts)]
    found = recall({"fulltext": [c.chunk_id for c in chunks]}, chunks, query=query, terms=terms)
    ranking = rank(found, Retrieval(required_terms=True, **turned))  # type: ignore[arg-type]
    return [ranking.chunk(place).text for place in np.flatnonzero(ranking.kept).tolist()]


def test_every_rare_term_must_be_held_and_a_common_one_need_not():
    query = "the retry of E1234"
    terms = [term("the", query, df=90), term("retry", query, df=5), term("e1234", query, df=1)]
    assert passing(query, terms, ["retry E1234", "the retry", "E1234 the"]) == ["retry E1234"]


def test_whole_words_are_looked_for_and_title_and_headings_count():
    cat = [term("cat", "cat")]
    assert passing("cat", cat, ["concatenate", "Cat!", "bobcat"]) == ["Cat!"]
    headed = [chunk("a", text="x", heading_path=("The Cat",))]
    found = recall({"fulltext": ["a"]}, headed, query="cat", terms=cat)
    assert rank(found, Retrieval(required_terms=True)).passed == 1


def test_a_word_that_nobody_holds_lets_nothing_through():
    query = "E9999 retry"
    terms = [term("e9999", query, df=0), term("retry", query)]
    assert passing(query, terms, ["retry", "more retry"]) == []


def test_a_bigram_that_nobody_holds_is_an_accident_and_not_required():
    query = "重试后怎"
    terms = [term("重试", query, channel="cjk"), term("后怎", query, channel="cjk", df=0)]
    assert passing(query, terms, ["最多重试三次", "隔离队列"]) == ["最多重试三次"]


def test_any_form_of_a_word_will_do():
    query = "café"
    folded = term("cafe", "cafe", df=3)
    assert passing(query, [term("café", query, df=0), folded], ["the cafe", "the bar"]) == ["the cafe"]


def test_a_whole_identifier_serves_for_its_parts_and_its_parts_for_it():
    query = "max_retry"
    whole = term("max_retry", query, df=0)
    parts = [term("max", query, df=3), term("retry", query, df=2)]
    assert passing(query, [whole, *parts], ["max and retry", "only retry"]) == ["max and retry"]


def test_the_matrix_of_the_recall_is_believed_over_the_text():
    found = recall(
        {"fulltext": ["a", "b"]},
        query="maxretry",
        terms=[term("retry", "maxretry")],
        holds=np.array([[False], [True]]),
    )
    ranking = rank(found, Retrieval(required_terms=True))
    assert ids(ranking) == ["a", "b"]
    assert ranking.kept.tolist() == [False, True]


def test_it_says_how_many_it_removed_and_by_what():
    listed = [("a", 8.0), ("b", 4.0), ("c", 1.0)]
    found = recall({"fulltext": listed}, query="text", terms=[term("text", "text")])
    ranking = rank(found, Retrieval(fusion="linear", minimum_relevance=0.2, required_terms=True))
    assert (ranking.gate.below, ranking.gate.missing, ranking.gate.required) == (1, 0, ("text",))
    absent = recall({"fulltext": ["a"]}, query="absent", terms=[term("absent", "absent")])
    (told,) = rank(absent, Retrieval(required_terms=True)).degraded
    assert told.message == "removed 1 of 1: 1 without a rare term of the query"
    assert told.remedy == "turn required_terms off"


@pytest.mark.parametrize(("df", "rare"), [(10, True), (11, False)])
def test_rare_is_at_most_the_square_root_of_the_chunks(df: int, rare: bool):
    query = "word"
    assert (passing(query, [term("word", query, df=df)], ["without"]) == []) is rare
