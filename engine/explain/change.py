"""The smallest change of a setting that brings a target in, and the cheapest pair where no single one will do.
Pure.

Whether a target is in does not grow or shrink steadily with a setting, so nothing is bisected: grid points are
run from the nearest outward, in either direction, and a change is minimal because every nearer point was run
and failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from operator import itemgetter
from typing import TYPE_CHECKING

from engine.explain.compare import packed
from engine.explain.grids import TURNED, Point, allowed, grid, with_value
from engine.explain.layers import holder
from engine.explain.runs import Runs
from engine.explain.verdict import Change
from engine.settings.fields import shown

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.explain.verdict import Place
    from engine.model import Chunk, Recall
    from engine.settings import Features, Retrieval
    from engine.trace import Trace

PAIRS = 8_000
"""Pairs that are run at most; all big steps of all settings together make fewer."""


def smallest_changes(
    recall: Recall,
    retrieval: Retrieval,
    places: Sequence[Place],
    features: Features,
    *,
    cancel: CancelToken,
) -> tuple[Change, ...]:
    """The smallest working change of each setting, the smallest of all first; a pair where there is none.

    ``recall`` must cover every setting in its range (``covering``). Empty where nothing on the grids brings any
    of the places in, and where one is in already. Raises ``Cancelled`` between two runs.
    """
    runs = Runs(recall, places, features, cancel)
    if runs.hopeless or runs.inside(retrieval):
        return ()
    present = runs.trace(retrieval)
    found = [
        (point.size, order, _told(runs, present, places, (point,)))
        for order, field in enumerate(TURNED)
        if (point := _nearest(runs, retrieval, grid(field, getattr(retrieval, field.name)))) is not None
    ]
    if found:
        return tuple(change for *_, change in sorted(found, key=lambda each: each[:2]))
    pair = _cheapest_pair(runs, retrieval)
    return () if pair is None else (_told(runs, present, places, pair),)


def covering(retrieval: Retrieval) -> Retrieval:
    """Settings whose recall serves those settings turned to any value: every channel asked, neighbours and
    what candidates hold copied."""
    weights = {
        f"{channel}_weight": retrieval.weight(channel) or 1.0
        for channel in ("fulltext", "cjk", "vector", "graph")
    }
    reach = 2 if retrieval.adjacent_chunk_count < 2 else retrieval.adjacent_chunk_count
    return with_value(retrieval, adjacent_chunk_count=reach, required_terms=True, **weights)


def _nearest(runs: Runs, retrieval: Retrieval, points: Sequence[Point]) -> Point | None:
    return next((point for point in points if _works(runs, retrieval, (point,))), None)


def _works(runs: Runs, retrieval: Retrieval, points: Sequence[Point]) -> bool:
    turned = _turned(retrieval, points)
    return allowed(turned) and runs.inside(turned)


def _turned(retrieval: Retrieval, points: Sequence[Point]) -> Retrieval:
    return with_value(retrieval, **{point.field.name: point.value for point in points})


# --- pairs --------------------------------------------------------------------------------------------------


def _cheapest_pair(runs: Runs, retrieval: Retrieval) -> tuple[Point, Point] | None:
    """The working pair of big steps whose changes add up to the least; ties in the order of the settings."""
    pairs = sorted(_pairs(retrieval), key=itemgetter(0))
    tried = (pair for _, pair in pairs[:PAIRS])
    return next((pair for pair in tried if _works(runs, retrieval, pair)), None)


def _pairs(retrieval: Retrieval) -> Iterator[tuple[int, tuple[Point, Point]]]:
    """Every pair in the order of the settings, with its size in whole numbers of one unit."""
    grids = [grid(field, getattr(retrieval, field.name), big=True) for field in TURNED]
    unit = lcm(*(point.size.denominator for points in grids for point in points))
    sized = [[(int(point.size * unit), point) for point in points] for points in grids]
    for first, second in combinations(sized, 2):
        yield from ((near + far, (one, other)) for near, one in first for far, other in second)


# --- what is said of it -------------------------------------------------------------------------------------


def _told(runs: Runs, present: Trace, places: Sequence[Place], points: Sequence[Point]) -> Change:
    """The change as a person reads it, from a whole run of its settings."""
    retrieval = present.retrieval
    then = runs.trace(_turned(retrieval, points))
    group = next(found for place in places if (found := holder(then.context, place)) is not None)
    own = {chunk.chunk_id for place in places for chunk in place.chunks}
    enters = tuple(chunk for chunk in _gained(present, then) if chunk.chunk_id not in own)
    leaves = _gained(then, present)
    low, high = _interval(runs, retrieval, points)
    was = {point.field.name: getattr(retrieval, point.field.name) for point in points}
    turns = [_turn(point, was[point.field.name]) for point in points]
    return Change(
        settings={point.field.name: point.value for point in points},
        was=was,
        low=low,
        high=high,
        size=float(sum(point.size for point in points)),
        group=group.evidence_id,
        enters=enters,
        leaves=leaves,
        sentence=f"{' and '.join(turns)}: in as {group.evidence_id}; {_left(leaves)}",
    )


def _turn(point: Point, was: object) -> str:
    return f"{point.field.name} {shown(point.field, was)} → {shown(point.field, point.value)}"


def _left(leaves: Sequence[Chunk]) -> str:
    if not leaves:
        return "nothing leaves"
    first = f"{leaves[0].path} L{leaves[0].line_start}–{leaves[0].line_end}"
    more = f" and {len(leaves) - 1} more" if len(leaves) > 1 else ""
    return f"{first}{more} {'leave' if more else 'leaves'}"


def _gained(before: Trace, after: Trace) -> tuple[Chunk, ...]:
    """The hits of the second context that the first has not, in its order."""
    held = set(packed(before.context))
    chunks = {chunk.chunk_id: chunk for chunk in after.recall.chunks}
    return tuple(chunks[name] for name in packed(after.context) if name not in held)


def _interval(runs: Runs, retrieval: Retrieval, points: Sequence[Point]) -> tuple[object, object]:
    """The ends of the unbroken run of grid points around a single numeric value that work as well."""
    value, field = points[0].value, points[0].field
    if len(points) > 1 or field.choices or field.kind == "boolean":
        return value, value
    present = getattr(retrieval, field.name)
    line = sorted(grid(field, present), key=lambda point: Fraction(str(point.value)))
    at = next(place for place, point in enumerate(line) if point.value == value)
    ends = []
    for side in (-1, 1):
        place = at
        while 0 <= place + side < len(line) and _same_side(line, place, side, present):
            if not _works(runs, retrieval, (line[place + side],)):
                break
            place += side
        ends.append(line[place].value)
    return ends[0], ends[1]


def _same_side(line: Sequence[Point], place: int, side: int, present: object) -> bool:
    """Whether the present value, which is known not to work, does not lie between two grid points."""
    one, other = (Fraction(str(line[each].value)) for each in (place, place + side))
    return not min(one, other) < Fraction(str(present)) < max(one, other)
