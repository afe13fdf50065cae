"""Fused scores as lines in one channel's weight, and where they cross. Pure.

Whatever the fusion, a weight multiplies a share that it does not change, so the score of a candidate is a line
in it; an order of lines changes exactly where two of them cross.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.model import CHANNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.rank.ranking import Ranking

    Floats = NDArray[np.float64]

SOLVED_RANGE = (0.0, 2.0)
"""The range of a weight."""

SAME = 1e-12
"""Weights nearer than this to each other are one change point."""


def may_lead(low: Floats, high: Floats, count: int) -> NDArray[np.intp]:
    """Lines that fewer than ``count`` others lie above at both ends, so everywhere between; by their scores at
    the ends of the range."""
    above = (low[:, None] > low[None, :]) & (high[:, None] > high[None, :])
    return np.flatnonzero(above.sum(axis=0) < count)


def all_crossings(base: Floats, slope: Floats, high: float) -> Floats:
    """Where any two lines cross inside the range, rising, each once."""
    one, other = np.triu_indices(len(base), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (base[one] - base[other]) / (slope[other] - slope[one])
    at = np.unique(at[(at > 0) & (at < high)])
    return at[np.diff(at, prepend=-1.0) > SAME]


# --- the next one, from the present order -------------------------------------------------------------------


def next_crossings(
    ranking: Ranking, channel: str
) -> tuple[tuple[float, int, int] | None, tuple[float, int, int] | None]:
    """The nearest weights below and above the present one at which the first ``top_k`` ranks change.

    Each as ``(weight, rank, other rank)``: neighbours inside the top k swap; a rank beyond it enters in the
    last one's place. None where nothing changes up to the end of the range.
    """
    fused, column = ranking.fused, CHANNELS.index(channel)
    weight = float(fused.weights[column])
    order = fused.order
    if len(order) < 2 or weight <= 0:
        return None, None
    score = fused.score[order]
    slope = fused.parts[order, column] / weight
    last = min(ranking.retrieval.top_k, len(order)) - 1
    upper = np.concatenate([np.arange(last), np.full(len(order) - last - 1, last)])
    lower = np.concatenate([np.arange(1, last + 1), np.arange(last + 1, len(order))])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = weight + (score[upper] - score[lower]) / (slope[lower] - slope[upper])
    gains = slope[lower] - slope[upper]
    return (
        _nearest(at, gains < 0, upper, lower, lowest=False),
        _nearest(at, gains > 0, upper, lower, lowest=True),
    )


def _nearest(
    at: Floats, moving: NDArray[np.bool_], upper: NDArray[np.intp], lower: NDArray[np.intp], *, lowest: bool
) -> tuple[float, int, int] | None:
    low, high = SOLVED_RANGE
    inside = np.flatnonzero(moving & (at > low) & (at < high))
    if not len(inside):
        return None
    found = inside[np.argmin(at[inside])] if lowest else inside[np.argmax(at[inside])]
    return float(at[found]), int(upper[found]) + 1, int(lower[found]) + 1
