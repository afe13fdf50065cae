"""Metrics have the values of ir_measures, to 1e-9, and tame what makes other tools give NaN or more than 1."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, P, Qrel, R, ScoredDoc, Success, nDCG

from engine.errors import SetError
from engine.evaluate.metrics import graded, means, metric, score_run

REFERENCE = {
    "hit@1": Success @ 1,
    "hit@5": Success @ 5,
    "recall@2": R @ 2,
    "recall@10": R @ 10,
    "precision@3": P @ 3,
    "precision@10": P @ 10,
    "mrr": RR,
    "mrr@10": RR @ 10,
    "mrr@2": RR @ 2,
    "ndcg": nDCG,
    "ndcg@3": nDCG @ 3,
    "ndcg@10": nDCG @ 10,
    "map": AP,
    "map@4": AP @ 4,
}
ALL = [metric(name) for name in REFERENCE]
IDS = st.sampled_from([f"d{number}" for number in range(14)])
# Grades below 0 send the reference into an endless loop; the test below holds them equal to 0.
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(IDS, st.integers(0, 3), min_size=1)
)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.lists(IDS, unique=True, min_size=1))


def value(name: str, ranked: list[str], grades: dict[str, int]) -> float | None:
    return metric(name)(ranked, grades)


@settings(max_examples=100, deadline=None)
@given(qrels=QRELS, run=RUNS)
def test_every_metric_equals_ir_measures_on_every_query_with_something_relevant(
    qrels: dict[str, dict[str, int]], run: dict[str, list[str]]
) -> None:
    if not set(qrels) & set(run):
        return
    ours = score_run(run, qrels, ALL)
    judged = [Qrel(query, item, grade) for query, row in qrels.items() for item, grade in row.items()]
    listed = [
        ScoredDoc(query, item, float(-rank)) for query, row in run.items() for rank, item in enumerate(row)
    ]
    theirs: dict[tuple[str, str], float] = {}
    names = {str(reference): name for name, reference in REFERENCE.items()}
    for row in ir_measures.iter_calc(list(REFERENCE.values()), judged, listed):
        theirs[row.query_id, names[str(row.measure)]] = row.value
    scorable = {query for query, grades in qrels.items() if any(grade > 0 for grade in grades.values())}
    assert set(ours.queries) == scorable
    for query in scorable:
        for name in REFERENCE:
            assert ours.queries[query][name] == pytest.approx(theirs.get((query, name), 0.0), abs=1e-9), name


@settings(max_examples=60, deadline=None)
@given(ranked=st.lists(IDS), grades=st.dictionaries(IDS, st.integers(-2, 3)))
def test_a_grade_below_zero_counts_as_zero(ranked: list[str], grades: dict[str, int]) -> None:
    for each in ALL:
        assert each(ranked, grades) == each(ranked, {item: max(0, grade) for item, grade in grades.items()})


@settings(max_examples=60, deadline=None)
@given(ranked=st.lists(IDS), grades=st.dictionaries(IDS, st.integers(-2, 3)))
def test_no_metric_leaves_the_unit_interval_whatever_repeats(
    ranked: list[str], grades: dict[str, int]
) -> None:
    for each in ALL:
        found = each(ranked, grades)
        assert found is None or 0.0 <= found <= 1.0


def test_queries_without_anything_relevant_are_counted_and_drag_no_mean() -> None:
    """EV-01: nothing relevant is "not scorable"; nothing found, or no row in the run, is 0."""
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}, "q3": {"c": 1}, "q4": {"d": 1}}
    scores = score_run(
        {"q1": ["a"], "q2": ["b"], "q3": []},
        qrels,
        [metric(name) for name in ("ndcg@10", "mrr@10", "recall@5")],
    )
    assert scores.means == pytest.approx({"ndcg@10": 1 / 3, "mrr@10": 1 / 3, "recall@5": 1 / 3})
    assert (scores.scorable, scores.not_scorable, scores.missing) == (3, 1, 1)
    assert "q2" not in scores.queries


@pytest.mark.parametrize("grades", [{}, {"b": 0}, {"b": -1, "c": 0}])
def test_a_query_without_relevant_judgements_has_no_value(grades: dict[str, int]) -> None:
    assert [each(["b"], grades) for each in ALL] == [None] * len(ALL)


def test_a_set_in_which_nothing_is_scorable_has_no_means_and_no_nan() -> None:
    scores = score_run({"q": ["a"]}, {"q": {"a": 0}}, ALL)
    assert (scores.means, scores.queries, scores.scorable, scores.not_scorable) == ({}, {}, 0, 1)


def test_of_a_repeated_id_the_first_counts_and_later_ranks_close_up() -> None:
    """EV-02: several chunks of one document raise nothing above 1."""
    assert value("recall@2", ["a", "a"], {"a": 1}) == 1.0
    assert value("ndcg@2", ["a", "a"], {"a": 1}) == 1.0
    assert value("recall@2", ["a", "a"], {"a": 1, "b": 1}) == 0.5
    assert value("recall@1", ["a"], graded([("a", 1), ("a", 1)])) == 1.0
    assert value("mrr", ["x", "x", "x", "a"], {"a": 1}) == 0.5


def test_nothing_relevant_found_is_zero_and_not_an_error() -> None:
    """EV-05."""
    for name in ("mrr", "mrr@10", "recall@3", "ndcg@3", "map", "hit@3", "precision@3"):
        assert value(name, ["a", "b", "c"], {"x": 1}) == 0.0
        assert value(name, [], {"x": 1}) == 0.0


def test_zero_and_negative_grades_are_not_relevant_and_gain_nothing() -> None:
    """EV-07."""
    grades = {"a": 0, "b": 2, "c": -1, "d": 1}
    run = ["a", "c", "d", "b"]
    assert value("recall@2", run, grades) == 0.0
    assert value("recall@4", run, grades) == 1.0
    assert value("mrr", run, grades) == pytest.approx(1 / 3)
    assert value("ndcg@2", run, grades) == 0.0


def test_a_run_of_another_set_is_an_error_that_says_how_many_queries_it_shares() -> None:
    """EV-08: two files that share no query measure nothing."""
    with pytest.raises(SetError, match="0 of 3 judged queries occur in the run"):
        score_run(
            {"Q1": ["a"], "Q2": ["a"], "Q3": ["a"]}, {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}, ALL
        )


def test_of_two_judgements_of_one_id_the_higher_counts() -> None:
    assert graded([("a", 1), ("b", -1), ("a", 3), ("a", 0)]) == {"a": 3, "b": -1}


def test_means_are_taken_over_the_rows_that_have_the_name() -> None:
    assert means([{"a": 1.0, "b": 0.0}, {"a": 0.0}]) == {"a": 0.5, "b": 0.0}
    assert means([]) == {}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("recal@5", "did you mean recall"),
        ("bleu", "there is no metric 'bleu': there are hit, map, mrr"),
        ("recall", "needs a cutoff: write recall@5"),
        ("recall@0", "there is no metric"),
        ("recall@-1", "there is no metric"),
        ("recall@1e3", "there is no metric"),
    ],
)
def test_a_metric_that_is_none_is_told_with_the_near_name(name: str, said: str) -> None:
    with pytest.raises(SetError, match=said):
        metric(name)
