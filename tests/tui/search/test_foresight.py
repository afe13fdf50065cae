"""What the dial foresees is what happens when it is turned there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rank.fuse import fuse
from engine.settings import Retrieval
from engine.trace import settle
from tests.tui.search.samples import recall
from tui.screens.search_foresight import crossings, foresee, told
from tui.widgets.tune import DECLARED, DIALS

RETRIEVAL = Retrieval(top_k=3, candidate_multiplier=10)


@st.composite
def lists(draw: st.DrawFn) -> list[list[int]]:
    """Ranks by channel of a few candidates: each channel lists some of them, each rank once."""
    count = draw(st.integers(2, 12))
    columns = []
    for _ in range(3):
        listed = draw(st.lists(st.booleans(), min_size=count, max_size=count))
        order = iter(draw(st.permutations(range(1, sum(listed) + 1))))
        columns.append([next(order) if one else 0 for one in listed])
    rows = [list(row) for row in zip(*columns, [0] * count, strict=True)]
    return [row if any(row) else [0, 0, 0, 0] for row in rows]


def top(made: object, retrieval: Retrieval, weight: float) -> list[int]:
    fused = fuse(made, replace(retrieval, vector_weight=weight))  # type: ignore[arg-type]
    return [int(one) for one in fused.order[: retrieval.top_k]]


@settings(max_examples=40, deadline=None)
@given(lists(), st.floats(0.1, 1.9), st.sampled_from(["rrf", "minmax", "linear"]))
def test_a_weight_changes_the_top_exactly_where_it_is_said(
    ranks: list[list[int]], weight: float, fusion: str
) -> None:
    made = recall(ranks)
    retrieval = replace(RETRIEVAL, vector_weight=weight, fusion=fusion, graph_weight=0.0)  # type: ignore[arg-type]
    trace = settle(made, retrieval)
    now = top(made, retrieval, weight)
    for found, direction in zip(crossings(trace.ranking, "vector"), (-1, 1), strict=True):
        end = 2.0 if direction > 0 else 1e-9
        at = found[0] if found else end
        for tried in np.linspace(weight, at - direction * 1e-7, 23):
            if (tried - weight) * direction >= 0:
                assert top(made, retrieval, float(tried)) == now
        if found and 1e-6 < at < 2 - 1e-6:
            assert top(made, retrieval, at + direction * 1e-6) != now


@pytest.mark.parametrize("dial", DIALS)
def test_every_setting_is_foreseen_in_two_lines_that_fit(dial: str) -> None:
    made = recall([[1, 4, 2, 0], [2, 1, 0, 0], [3, 0, 1, 0], [0, 2, 3, 0], [4, 3, 0, 0]])
    *_, lines = foresee(settle(made, replace(RETRIEVAL, graph_weight=0.8)), dial, settle)
    assert 1 <= len(lines) <= 2
    assert all(0 < len(line) <= 22 for line in lines)


def test_a_walked_setting_changes_first_where_it_is_said() -> None:
    made = recall([[rank, 0, 0, 0] for rank in range(1, 9)])
    *_, lines = foresee(settle(made, RETRIEVAL), "top_k", settle)
    assert lines == ("at 2: 3 leaves", "at 4: 4 enters")


def test_a_channel_that_cannot_serve_has_no_effect_to_foresee() -> None:
    made = recall([[1, 0, 0, 0], [2, 0, 0, 0]])
    *_, lines = foresee(settle(made, RETRIEVAL), "vector_weight", settle)
    assert lines == ("no effect: it is off",)


def test_nothing_changed_is_told_as_nothing() -> None:
    trace = settle(recall([[1, 0, 0, 0], [2, 0, 0, 0]]), RETRIEVAL)
    assert told(trace, trace, packed=True) == ""
    assert DECLARED["top_k"].label == "top k"


def test_what_the_present_recall_does_not_hold_is_not_foreseen() -> None:
    made = recall([[1, 2, 3, 0], [2, 1, 0, 0], [0, 3, 1, 0]])
    *_, lines = foresee(settle(made, RETRIEVAL), "rerank", settle)
    assert "learned: asked again" in lines
    *_, lines = foresee(settle(made, RETRIEVAL), "adjacent_chunk_count", settle)
    assert lines == ("below: end of range", "at 1: asked again")
