"""What one setting does to the ranking over its whole range, from stored ranks. Pure.

Without a rerank every fused score is a line in a channel's weight, whatever the fusion, and so is the gate's
minimum: orders change exactly where two lines cross. Every other setting is walked over its grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.cancel import CancelToken
from engine.explain.grids import allowed, distance, grid, with_value
from engine.explain.lines import all_crossings, may_lead
from engine.model import CHANNELS
from engine.rank.fuse import fuse
from engine.rank.pipeline import rank
from engine.rank.terms import required_units
from engine.settings.fields import find
from engine.trace import as_asked, covers

if TYPE_CHECKING:
    from engine.model import Recall
    from engine.rank.ranking import Ranking
    from engine.settings import Features, Field, Retrieval

RANKS = 10
"""Ranks that are told at least: some below the cut, to see who is about to enter."""

_ROWS = 512
"""Stretches whose orders are found at once."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Values from ``low`` to ``high`` that all give one ranking: ``ranks`` are the ids of its first chunks."""

    low: object
    high: object
    ranks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A setting's whole range as stretches, in order. ``exact`` ones meet where two scores are equal; the
    others are runs of grid points."""

    field: str
    present: object
    exact: bool
    stretches: tuple[Stretch, ...]

    @property
    def at_present(self) -> int | None:
        """The index of the stretch that holds the present value."""
        for place, stretch in enumerate(self.stretches):
            if isinstance(self.present, (int, float)) and not isinstance(self.present, bool):
                if stretch.low <= self.present <= stretch.high:  # type: ignore[operator]
                    return place
            elif self.present in (stretch.low, stretch.high):
                return place
        return None


def sensitivity(
    recall: Recall,
    retrieval: Retrieval,
    name: str,
    features: Features,
    *,
    ranks: int | None = None,
    cancel: CancelToken | None = None,
) -> Sensitivity:
    """The first ``ranks`` (by default the top k, or ``RANKS``) over the whole range of a setting of a query.

    ``recall`` must cover the range; values that it does not cover are left out. Raises ``SettingsError`` for a
    name that is no setting of a query, ``Cancelled``.
    """
    field = find(f"retrieval.{name}")
    token = cancel or CancelToken()
    count = max(retrieval.top_k, RANKS) if ranks is None else ranks
    channel = name.removesuffix("_weight")
    solvable = channel in CHANNELS and channel != name and solved_by_lines(retrieval)
    if solvable and recall.channel(channel).used:
        found = tuple(_lines(recall, retrieval, field, features, count, token))
        return Sensitivity(name, getattr(retrieval, name), True, found)
    walked = tuple(_walked(recall, retrieval, field, features, count, token))
    return Sensitivity(name, getattr(retrieval, name), False, walked)


def solved_by_lines(retrieval: Retrieval) -> bool:
    """Whether the order that serves is that of fused scores."""
    return retrieval.rerank == "off"


# --- the grid -----------------------------------------------------------------------------------------------


def _walked(
    recall: Recall,
    retrieval: Retrieval,
    field: Field,
    features: Features,
    count: int,
    cancel: CancelToken,
) -> Iterator[Stretch]:
    present = getattr(retrieval, field.name)
    lowest = field.minimum if field.minimum is not None else (field.choices or (False,))[0]
    values = [present, *(point.value for point in grid(field, present))]
    narrow: dict[tuple[bool, ...], Recall] = {}
    low = high = ranks = None
    for value in sorted(values, key=lambda value: distance(field, lowest, value)):
        cancel.check()
        turned = with_value(retrieval, **{field.name: value})
        if not allowed(turned) or not covers(recall, turned):
            continue
        key = tuple(turned.weight(name) > 0 for name in CHANNELS)
        asked = narrow.setdefault(key, as_asked(recall, turned) if key not in narrow else recall)
        now = _first(rank(asked, turned, features), count)
        if ranks is not None and now != ranks:
            yield Stretch(low, high, ranks)
        if now != ranks:
            low, ranks = value, now
        high = value
    if ranks is not None:
        yield Stretch(low, high, ranks)


def _first(ranking: Ranking, count: int) -> tuple[str, ...]:
    """The chunk ids of the first ranks that the gate let through."""
    rows = ranking.order[ranking.kept][:count].tolist()
    return tuple(ranking.recall.chunks[row].chunk_id for row in rows)


# --- lines --------------------------------------------------------------------------------------------------


def _lines(
    recall: Recall,
    retrieval: Retrieval,
    field: Field,
    features: Features,
    count: int,
    cancel: CancelToken,
) -> Iterator[Stretch]:
    """The stretches of a weight; 0 alone may be one, for there the channel's own finds are gone."""
    high = float(field.maximum or 0)
    stretches = _solved(recall, retrieval, field, count, high, cancel)
    muted = with_value(retrieval, **{field.name: 0.0})
    if allowed(muted):
        without = _first(rank(as_asked(recall, muted), muted, features), count)
        first = stretches[0] if stretches else Stretch(0.0, high, ())
        if without == first.ranks:
            stretches[:1] = [Stretch(0.0, first.high, without)]
        else:
            stretches.insert(0, Stretch(0.0, 0.0, without))
    yield from stretches


def _solved(
    recall: Recall, retrieval: Retrieval, field: Field, count: int, high: float, cancel: CancelToken
) -> list[Stretch]:
    """The stretches above 0, from where lines cross."""
    unit = with_value(retrieval, **{field.name: 1.0})
    asked = as_asked(recall, unit)
    fused = fuse(asked, unit)
    column = CHANNELS.index(field.name.removesuffix("_weight"))
    rows = np.sort(fused.order)
    if retrieval.required_terms:
        for term in required_units(asked):
            rows = rows[term.held(asked, rows)]
    slope = fused.parts[rows, column]
    base = np.delete(fused.parts[rows], column, axis=1).sum(axis=1)
    top = 1 / (retrieval.rrf_k + 1) if retrieval.fusion == "rrf" else 1.0
    others = float(np.delete(fused.weights, column).sum())
    floor = retrieval.minimum_relevance * top * np.array([others, 1.0])
    kept = may_lead(base, base + high * slope, count)
    rows, base, slope = rows[kept], base[kept], slope[kept]
    cuts = all_crossings(np.append(base, floor[0]), np.append(slope, floor[1]), high)
    edges = np.concatenate(([0.0], cuts, [high]))
    found: list[Stretch] = []
    for begin in range(0, len(edges) - 1, _ROWS):
        cancel.check()
        some = edges[begin : begin + _ROWS + 1]
        middles = (some[:-1] + some[1:]) / 2
        scores = base + middles[:, None] * slope
        alive = scores >= (floor[0] + middles * floor[1])[:, None]
        scores = np.where(alive, scores, -np.inf)
        orders = np.argsort(-scores, axis=1, kind="stable")[:, :count]
        lengths = np.minimum(alive.sum(axis=1), count)
        for place, (order, length) in enumerate(zip(orders.tolist(), lengths.tolist(), strict=True)):
            names = tuple(asked.chunks[rows[each]].chunk_id for each in order[:length])
            low, up = float(some[place]), float(some[place + 1])
            if found and found[-1].ranks == names:
                found[-1] = Stretch(found[-1].low, up, names)
            else:
                found.append(Stretch(low, up, names))
    return found
