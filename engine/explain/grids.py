"""The values that a turned setting can take, nearest first, and how far each is. Pure.

Distance is ``|change| ÷ range``, in exact arithmetic, so that ties between settings are ties; a choice's range
is its list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from engine.settings.fields import Field, fields_of, turned

if TYPE_CHECKING:
    from engine.settings import Retrieval

TURNED: tuple[Field, ...] = tuple(field for field in fields_of("retrieval") if not field.hidden)
"""Every setting of a query, in the order in which ties between suggested changes break."""

UNTRIED = frozenset({"learned"})
"""Choices that need a server which no stored rank can speak for."""


@dataclass(frozen=True, slots=True)
class Point:
    """One value of one setting; ``size`` is its distance from the present one, in ranges."""

    field: Field
    value: object
    size: Fraction


def grid(field: Field, present: object, *, big: bool = False) -> tuple[Point, ...]:
    """Every value but the present one that steps (big ones) reach, nearest first, the lower of two equals
    first."""
    values = {
        value for turns in (-1, 1) for value in _walk(field, present, turns, big) if value not in UNTRIED
    }
    points = (Point(field, value, distance(field, present, value)) for value in values - {present})
    return tuple(sorted(points, key=lambda point: (point.size, _place(field, point.value))))


def _walk(field: Field, present: object, turns: int, big: bool) -> Iterator[object]:
    """The values in one direction, to the end of the range."""
    listed = _listed(field)
    if listed:
        low, high = listed[0], listed[-1]
    else:
        low, high = turned(field, field.minimum, 0), turned(field, field.maximum, 0)
    end, count = (high if turns > 0 else low), 0
    value = present
    while value != end:
        count += 1
        value = turned(field, present, turns * count, big=big)
        yield value


def distance(field: Field, present: object, value: object) -> Fraction:
    """``|change| ÷ range``."""
    span = len(_listed(field)) - 1 if _listed(field) else Fraction(str(field.span))
    return abs(_place(field, value) - _place(field, present)) / span


def with_value(retrieval: Retrieval, **values: object) -> Retrieval:
    """The settings with these fields changed; checks nothing."""
    changed: dict[str, Any] = dict(values)
    return replace(retrieval, **changed)


def allowed(retrieval: Retrieval) -> bool:
    """Whether the values go together: some channel must be asked."""
    return (
        max(retrieval.fulltext_weight, retrieval.cjk_weight, retrieval.vector_weight, retrieval.graph_weight)
        > 0
    )


def _listed(field: Field) -> tuple[object, ...]:
    return (False, True) if field.kind == "boolean" else field.choices


def _place(field: Field, value: object) -> Fraction:
    listed = _listed(field)
    return Fraction(listed.index(value)) if listed else Fraction(str(value))
