"""The ranks of a whole set at once are those of its cases one by one, to the last digit."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.figures import figures, values
from engine.evaluate.judge import deep_enough, judge
from engine.evaluate.judgements import JudgedCase
from engine.evaluate.live_matrix import Matrix, MatrixBuilder
from engine.evaluate.outcome import Outcome
from engine.evaluate.sets import Case
from engine.model import CHANNELS, ChannelRecall, Recall
from engine.rank.pipeline import rank
from engine.settings import Retrieval
from engine.trace import as_asked, settle
from tests.explain.random_recalls import SOURCES, STATE, cut, recalled, retrievals

METRICS = ("hit@1", "recall@1", "recall@3", "precision@5", "mrr@5", "ndcg@4", "map")
CUTOFF = 5
"""So shallow that what fusion reads ends within most lists."""
CHUNKS = sorted(
    (chunk for path in SOURCES for chunk in cut(path, 150, 30)),
    key=lambda chunk: (chunk.path, chunk.ordinal, chunk.chunk_id),
)


@st.composite
def judged_sets(draw: st.DrawFn) -> tuple[bool, list[tuple[JudgedCase, Recall]]]:
    """A few questions, each with its recall and graded items, some of them never found."""
    by_document = draw(st.booleans())
    items = sorted(SOURCES) if by_document else [chunk.chunk_id for chunk in CHUNKS]
    cases = []
    for number in range(draw(st.integers(1, 4))):
        relevant = draw(st.lists(st.sampled_from([*items, "never#found"]), max_size=4, unique=True))
        grades = {item: draw(st.integers(0, 3)) for item in relevant}
        judged = JudgedCase(Case(f"q{number}", "?"), (), grades)
        cases.append((judged, recalled(draw, CHUNKS)))
    return by_document, cases


@st.composite
def fused_retrievals(draw: st.DrawFn) -> Retrieval:
    """Settings of which ranks alone tell the metrics."""
    drawn = replace(draw(retrievals()), rerank="off", required_terms=False)
    return replace(
        drawn, score_margin=draw(st.sampled_from([0.0, 0.05, 0.4])), top_k=draw(st.integers(1, 20))
    )


def one_by_one(
    cases: list[tuple[JudgedCase, Recall]], retrieval: Retrieval, by_document: bool
) -> list[Outcome]:
    """The peer: each case settled and judged as a run does it."""
    found = []
    for judged, wide in cases:
        recall = as_asked(wide, retrieval)
        ranking = rank(recall, deep_enough(retrieval, CUTOFF))
        found.append(judge(judged, settle(recall, retrieval), ranking, by_document=by_document))
    return found


def matrix_of(cases: list[tuple[JudgedCase, Recall]], by_document: bool) -> Matrix:
    builder = MatrixBuilder(by_document=by_document)
    for judged, recall in cases:
        builder.add(judged, recall)
    return builder.build()


@given(judged_sets(), st.lists(fused_retrievals(), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_all_cases_at_once_stand_where_each_alone_does(
    judged: tuple[bool, list[tuple[JudgedCase, Recall]]], turns: list[Retrieval]
) -> None:
    by_document, cases = judged
    matrix = matrix_of(cases, by_document)
    for retrieval in turns:
        expected = one_by_one(cases, retrieval, by_document)
        ranks = matrix.rank(retrieval, CUTOFF)
        assert ranks is not None
        assert ranks.first == tuple(outcome.rank for outcome in expected)
        assert ranks.refused == tuple(outcome.refused for outcome in expected)
        found = matrix.values(ranks, METRICS)
        alone = [values(outcome, METRICS) for outcome in expected if outcome.scorable]
        assert found == {name: [one[name] for one in alone] for name in METRICS}
        means = figures(expected, METRICS).means
        assert all(fsum(column) / len(column) == means[name] for name, column in found.items() if column)


def test_the_same_parts_in_other_channels_tie_exactly() -> None:
    """A sum in another order may differ in its last digit, and would then order what is a tie."""
    chunks = tuple(CHUNKS[:3])
    ranks = np.array([[1, 2, 3, 0], [2, 3, 1, 0], [3, 1, 2, 0]], dtype=np.int32)
    scores = np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), np.nan)
    channels = tuple(ChannelRecall(name, True, name != "graph", 3, 3, 3) for name in CHANNELS)
    recall = Recall("?", ("public",), 200, STATE, channels, chunks, ranks, scores)
    judged = JudgedCase(Case("q", "?"), (), {chunk.chunk_id: grade for grade, chunk in enumerate(chunks, 1)})
    matrix = matrix_of([(judged, recall)], by_document=False)
    for rrf_k in range(1, 101):
        found = matrix.rank(Retrieval(rrf_k=rrf_k), CUTOFF)
        assert found is not None
        assert found.placed == (((1, 1), (2, 2), (3, 3)),)


def test_what_needs_the_texts_is_left_to_those_who_read_them() -> None:
    matrix = MatrixBuilder(by_document=False).build()
    assert matrix.rank(Retrieval(rerank="local"), CUTOFF) is None
    assert matrix.rank(Retrieval(required_terms=True), CUTOFF) is None


def test_a_set_without_cases_has_no_values() -> None:
    matrix = MatrixBuilder(by_document=False).build()
    ranks = matrix.rank(Retrieval(), CUTOFF)
    assert ranks is not None
    assert matrix.values(ranks, ["recall@5"]) == {"recall@5": []}
