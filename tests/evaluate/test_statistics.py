"""A winner is named only beyond noise; the same values give the same figures, in whatever order they come."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate import statistics
from engine.evaluate.statistics import bootstrap_interval, holm, more_questions, paired, randomisation_p

SMALL = st.lists(st.sampled_from([-1.0, -0.5, -0.3, -0.1, 0.0, 0.1, 0.2, 0.3, 1.0]), max_size=8)


def every_assignment(differences: list[float]) -> float:
    """The definition: the share of all sign assignments whose sum is as far from 0."""
    observed = abs(sum(differences))
    signs = list(product((1, -1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(row, differences, strict=True))) for row in signs]
    return sum(total >= observed - 1e-9 for total in sums) / len(signs)


# --- the paired randomisation test


@given(differences=SMALL)
def test_few_pairs_are_tested_exactly(differences: list[float]) -> None:
    assert randomisation_p(differences) == pytest.approx(every_assignment(differences))


@settings(max_examples=20, deadline=None)
@given(wins=st.integers(0, 40), losses=st.integers(0, 40))
def test_hits_won_and_lost_are_tested_exactly_however_many(wins: int, losses: int) -> None:
    count = wins + losses
    tail = sum(comb(count, n) for n in range(min(wins, losses) + 1)) / 2**count
    expected = 1.0 if wins == losses else min(1.0, 2 * tail)
    assert randomisation_p([1.0] * wins + [-1.0] * losses + [0.0] * 5) == pytest.approx(expected)


def test_drawn_signs_come_near_the_exact_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = [0.5, 0.2, -0.1, 0.3, 0.25, -0.2, 0.15, 0.4, 0.05, -0.3, 0.1, 0.35]
    exact = every_assignment(differences)
    monkeypatch.setattr(statistics, "EXACT", 4)
    assert randomisation_p(differences) == pytest.approx(exact, abs=0.004)


def test_p_is_never_zero_and_pairs_without_a_difference_prove_nothing() -> None:
    assert 0 < randomisation_p([0.1 + n / 100 for n in range(60)]) < 1e-4
    assert randomisation_p([0.0] * 50) == 1.0
    assert randomisation_p([]) == 1.0


def test_one_pair_can_prove_nothing() -> None:
    assert randomisation_p([1.0]) == 1.0


@settings(max_examples=20, deadline=None)
@given(values=st.lists(st.floats(0, 1, width=16), min_size=1, max_size=40), data=st.data())
def test_the_order_of_the_questions_changes_nothing(values: list[float], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.floats(0, 1, width=16), min_size=len(values), max_size=len(values)))
    pairs = list(zip(values, other, strict=True))
    shuffled = data.draw(st.permutations(pairs))
    assert paired(*zip(*pairs, strict=True)) == paired(*zip(*shuffled, strict=True))


@settings(max_examples=10, deadline=None)
@given(values=st.lists(st.floats(0, 1, width=16), min_size=1, max_size=30), data=st.data())
def test_swapping_the_systems_swaps_the_sign_and_nothing_else(
    values: list[float], data: st.DataObject
) -> None:
    other = data.draw(st.lists(st.floats(0, 1, width=16), min_size=len(values), max_size=len(values)))
    there, back = paired(values, other), paired(other, values)
    assert there.p == back.p
    assert there.difference == -back.difference
    assert (there.wins, there.losses, there.ties) == (back.losses, back.wins, back.ties)


# --- Holm


def test_holm_multiplies_the_smallest_by_the_number_and_never_falls() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=6))
def test_a_corrected_p_is_never_smaller_and_keeps_the_order(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    assert list(adjusted) == list(p_values)
    assert all(p_values[name] <= adjusted[name] <= 1 for name in p_values)
    ordered = sorted(p_values, key=lambda name: p_values[name])
    assert [adjusted[name] for name in ordered] == sorted(adjusted.values())


# --- the interval


def test_the_interval_of_many_is_that_of_the_normal_law() -> None:
    sample = np.random.default_rng(5).normal(0.3, 1.0, 400)
    low, high = bootstrap_interval(sample)
    error = 1.96 * sample.std(ddof=1) / 20
    assert low == pytest.approx(sample.mean() - error, abs=0.01)
    assert high == pytest.approx(sample.mean() + error, abs=0.01)


def test_the_interval_is_the_same_each_time_and_in_any_portion(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [0.1, 0.5, -0.2, 0.9, 0.0]
    first = bootstrap_interval(values)
    assert bootstrap_interval(list(reversed(values))) == first
    monkeypatch.setattr(statistics, "BATCH", 50)
    assert bootstrap_interval(values) == pytest.approx(first)


def test_one_value_is_its_own_interval_and_none_has_none() -> None:
    assert bootstrap_interval([0.25]) == (0.25, 0.25)
    with pytest.raises(ValueError, match="no values"):
        bootstrap_interval([])


# --- how many more


def test_a_difference_within_noise_says_how_many_questions_it_would_take() -> None:
    differences = [1.0] * 12 + [-1.0] * 8 + [0.0] * 80
    found = paired([0.0] * 100, differences)
    assert found.verdict() == "noise"
    assert found.more is not None
    assert 800 < found.more < 1000  # (2.80 · 0.449 ÷ 0.04)² less the hundred there are


def test_that_many_questions_of_the_same_kind_do_suffice() -> None:
    differences = [0.3] * 12 + [-0.25] * 8 + [0.0] * 30
    more = more_questions(differences, randomisation_p(differences))
    assert more
    enough = differences * (1 + more // len(differences) + 1)
    assert randomisation_p(enough) < 0.05


def test_enough_questions_need_no_more_and_no_difference_never_has_enough() -> None:
    assert paired([0.0] * 30, [1.0] * 30).more == 0
    assert paired([0.0, 1.0], [1.0, 0.0]).more is None
    assert paired([0.5] * 9, [0.5] * 9).more is None


def test_a_single_question_needs_more() -> None:
    found = paired([0.0], [1.0])
    assert (found.p, found.verdict()) == (1.0, "noise")
    assert found.more
    assert found.more > 0


# --- the verdict


def test_a_winner_is_named_only_beyond_noise_and_after_correction() -> None:
    better = paired([0.0] * 20, [1.0] * 8 + [0.0] * 12)
    assert (better.verdict(), better.verdict(0.06)) == ("better", "noise")
    assert paired([1.0] * 8 + [0.0] * 12, [0.0] * 20).verdict() == "worse"
    assert paired([0.0] * 20, [1.0] * 3 + [0.0] * 17).verdict() == "noise"


def test_values_that_make_no_pairs_are_refused() -> None:
    for a, b in (([1.0], []), ([], [])):
        with pytest.raises(ValueError, match="make no pairs"):
            paired(a, b)
