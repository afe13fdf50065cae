"""The best so far equal the best of all, whatever comes in which order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.recall import nearest
from engine.recall.nearest import Nearest


def backwards(cids: Sequence[int]) -> list[int]:
    return sorted(cids, reverse=True)


@settings(max_examples=150)
@given(
    st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), max_size=9), max_size=6),
    st.integers(1, 8),
    st.integers(0, 4),
)
def test_any_parts_give_the_order_of_the_whole(parts: list[list[float]], depth: int, room: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "ROOM", room)
        best = Nearest(depth, backwards)
        everything: list[tuple[float, int]] = []
        for part in parts:
            cids = np.arange(len(everything), len(everything) + len(part))
            best.add(cids, np.array(part, dtype=np.float64))
            everything += zip(part, cids.tolist(), strict=True)
        found = best.ordered()
    whole = sorted(everything, key=lambda item: (-item[0], -item[1]))[:depth]
    assert list(zip(found[1].tolist(), found[0].tolist(), strict=True)) == whole


def test_ties_are_asked_for_only_where_there_are_any() -> None:
    def never(cids: Sequence[int]) -> list[int]:
        raise AssertionError(cids)

    best = Nearest(2, never)
    best.add(np.arange(4), np.array([0.1, 0.4, 0.3, 0.2]))
    assert best.ordered()[0].tolist() == [1, 2]


def test_no_more_than_the_depth_and_its_room_are_ever_held() -> None:
    best = Nearest(3, backwards)
    for start in range(0, 100_000, 1_000):
        best.add(np.arange(start, start + 1_000), np.full(1_000, 0.5))
        assert len(best._scores) <= 3 + nearest.ROOM + 1_000
    assert best.ordered()[0].tolist() == [99_999, 99_998, 99_997]
