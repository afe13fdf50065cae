"""Refusals: rates, the threshold curve, and a threshold judged on questions that did not choose it."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluate.refusal import Matrix, Verdict, choose, curve, matrix

CONFIDENCE = st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.5 + 1e-16, 0.75, 1.0])
VERDICTS = st.lists(st.tuples(st.booleans(), CONFIDENCE), max_size=25).map(
    lambda rows: [Verdict(str(n), answerable, True, value) for n, (answerable, value) in enumerate(rows)]
)


def verdicts(answerable: list[float | None], unanswerable: list[float | None]) -> list[Verdict]:
    rows = [(True, value) for value in answerable] + [(False, value) for value in unanswerable]
    return [
        Verdict(f"{n}", answerable, value is not None, value) for n, (answerable, value) in enumerate(rows)
    ]


def answered(verdict: Verdict, minimum: float) -> bool:
    return verdict.confidence is not None and verdict.confidence >= minimum


# --- the matrix


def test_the_four_cells_and_their_rates() -> None:
    rows = [
        (True, True),
        (True, True),
        (True, False),
        (False, True),
        (False, False),
        (False, False),
        (False, False),
    ]
    found = matrix(Verdict(str(n), answerable, answered) for n, (answerable, answered) in enumerate(rows))
    assert found == Matrix(2, 1, 1, 3)
    assert found.over_refusal == pytest.approx(1 / 3)
    assert found.false_accept == 0.25
    assert found.balanced_accuracy == pytest.approx((2 / 3 + 3 / 4) / 2)


def test_a_rate_over_no_questions_is_none_and_not_nan() -> None:
    assert matrix([]).false_accept is None
    assert matrix([Verdict("a", True, True)]).false_accept is None
    assert matrix([Verdict("a", True, True)]).balanced_accuracy is None
    assert matrix([Verdict("a", False, True)]).over_refusal is None


def test_always_answering_and_always_refusing_are_both_worth_a_half() -> None:
    assert Matrix(9, 0, 1, 0).balanced_accuracy == Matrix(0, 9, 0, 1).balanced_accuracy == 0.5


# --- the curve


@given(rows=VERDICTS)
def test_every_point_counts_what_it_would_answer(rows: list[Verdict]) -> None:
    found = curve(rows)
    if found is None:
        assert len({row.answerable for row in rows}) < 2
        return
    for point in found.points:
        counted = matrix(Verdict(r.case_id, r.answerable, answered(r, point.minimum)) for r in rows)
        assert point.matrix == counted


@given(rows=VERDICTS)
def test_no_other_threshold_does_better_than_the_best_point(rows: list[Verdict]) -> None:
    found = curve(rows)
    if found is None:
        return
    best = found.best.matrix.balanced_accuracy
    assert best is not None
    for minimum in (-1.0, 2.0, *(r.confidence for r in rows if r.confidence is not None)):
        other = matrix(Verdict(r.case_id, r.answerable, answered(r, minimum)) for r in rows)
        assert (other.balanced_accuracy or 0) <= best + 1e-12


@given(rows=VERDICTS)
def test_the_auc_is_the_share_of_pairs_in_order(rows: list[Verdict]) -> None:
    found = curve(rows)
    if found is None:
        return
    values = [
        [-1.0 if r.confidence is None else r.confidence for r in rows if r.answerable is c]
        for c in (True, False)
    ]
    pairs = list(product(*values))
    assert found.auc == pytest.approx(sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs))
    assert 0.0 <= found.low <= found.auc <= found.high <= 1.0


def test_thresholds_run_from_answering_everything_to_refusing_everything() -> None:
    found = curve(verdicts([0.5, 0.9], [0.1, 0.5]))
    assert found is not None
    assert [point.minimum for point in found.points[:-1]] == pytest.approx([0.1, 0.3, 0.7])
    assert found.points[0].matrix == Matrix(2, 0, 2, 0)
    assert found.points[-1].matrix == Matrix(0, 2, 0, 2)


def test_what_found_nothing_is_refused_at_every_threshold() -> None:
    found = curve(verdicts([None, 0.4], [None]))
    assert found is not None
    assert {point.matrix.refused_unanswerable for point in found.points} == {1}


def test_there_is_no_curve_without_both_kinds() -> None:
    assert curve(verdicts([0.1], [])) is None
    assert curve([]) is None
    assert choose(verdicts([0.1, 0.2, 0.3], [0.1])) is None


# --- the choice


def test_a_threshold_is_found_where_one_separates_them() -> None:
    choice = choose(verdicts([0.8 + n / 1000 for n in range(40)], [0.2 + n / 1000 for n in range(40)]))
    assert choice is not None
    assert choice.reported_on == Matrix(20, 0, 0, 20)
    assert 0.239 < choice.minimum < 0.8
    assert "a threshold separates them" in choice.sentence


def test_noise_is_called_noise() -> None:
    chance = random.Random(3)
    choice = choose(verdicts([chance.random() for _ in range(200)], [chance.random() for _ in range(200)]))
    assert choice is not None
    assert not choice.held_out.tells
    assert choice.sentence.startswith("no threshold separates them: AUC 0.")
    assert choice.sentence.endswith("is no better than chance")


def test_a_threshold_that_helps_and_errs_is_told_with_its_rates() -> None:
    chance = random.Random(3)
    above = [chance.gauss(0.6, 0.15) for _ in range(200)]
    choice = choose(verdicts(above, [chance.gauss(0.4, 0.15) for _ in range(200)]))
    assert choice is not None
    assert choice.held_out.tells
    assert choice.sentence.startswith("no threshold separates them wholly; at 0.")
    assert "on the held-out half" in choice.sentence


def test_a_handful_in_perfect_order_proves_nothing() -> None:
    choice = choose(verdicts([0.8, 0.9], [0.1, 0.2]))
    assert choice is not None
    assert choice.held_out.auc == 1.0
    assert not choice.held_out.tells


def test_the_half_that_reports_took_no_part_in_the_choice() -> None:
    rows = verdicts([0.5 + n / 100 for n in range(20)], [0.4 + n / 100 for n in range(20)])
    choice = choose(rows)
    assert choice is not None
    held_out = {point.matrix.answered_answerable for point in choice.held_out.points}
    assert max(held_out) == 10
    assert choice.chosen_on == choice.curve.best.matrix
