"""Numbers are written in one way, and keep the width of their column."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tui.widgets import figures


def test_a_relevance_loses_its_zero_and_a_setting_keeps_it() -> None:
    assert figures.fraction(0.871) == ".871"
    assert figures.fraction(0.05484, 4) == ".0548"
    assert figures.fixed(0.8) == "0.80"


def test_fused_scores_have_the_precision_of_their_method() -> None:
    """``1.909`` and ``.953`` stand in one column: their points are below each other."""
    assert [figures.fused(value, "minmax") for value in (1.9089, 0.953, 0.0, math.nan)] == [
        "1.909",
        ".953",
        ".000",
        "–",
    ]
    assert [figures.fused(value, "rrf") for value in (0.0548, 0.0002)] == [".0548", ".0002"]


def test_what_is_missing_is_a_dash_and_never_zero() -> None:
    assert figures.fraction(math.nan) == "–"
    assert figures.fixed(math.nan) == "–"
    assert figures.fraction(0.0) == ".000"


def test_a_minus_is_a_minus_and_zero_has_none() -> None:
    assert figures.fraction(-0.05) == "−.050"
    assert figures.whole(-1204) == "−1,204"
    assert figures.fraction(-0.0001) == ".000"


@given(st.floats(0, 9.99), st.sampled_from([3, 4]))
def test_a_fraction_never_outgrows_its_column(value: float, decimals: int) -> None:
    assert len(figures.fraction(value, decimals)) == decimals + 1


def test_a_move_says_direction_and_distance() -> None:
    assert [figures.move(*pair) for pair in ((9, 1), (1, 2), (3, 3), (None, 4))] == ["▴8", "▾1", "=", "new"]


def test_times_are_rounded_to_what_matters() -> None:
    assert [figures.milliseconds(value) for value in (0.2, 9.4, 999.4, 999.6, 1_240, 125_000)] == [
        "<1 ms", "9 ms", "999 ms", "1.0 s", "1.2 s", "2:05",
    ]  # fmt: skip
    assert [figures.clock(value) for value in (5.2, 65, 3_729)] == ["0:06", "1:05", "1:02:09"]


def test_ordinals_of_the_teens_end_in_th() -> None:
    assert [figures.ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip
