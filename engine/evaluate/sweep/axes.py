"""What a sweep varies: settings and the values that each may take, and the settings at a point of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import product
from math import prod

from engine.errors import SettingsError, UsageError
from engine.settings import Settings, check_settings, find, parse, shown, value_of, with_values
from engine.settings.fields import Field, quoted

SWEPT = ("retrieval", "features", "chunking")
"""Sections that can be varied: the rest is no matter of ranking, or would send documents elsewhere."""

MOST = 2_000
"""Points of one sweep."""

Point = tuple[object, ...]
"""A value for each axis, in the order of the axes."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting and its values, each once, in the order in which they were given."""

    field: Field
    values: Point

    @property
    def cuts(self) -> bool:
        """Whether another value needs another chunking."""
        return self.field.section == "chunking"

    def order(self, value: object) -> tuple[float, int]:
        """Where a value stands among the others: numbers by size, words as they were given."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value), 0
        return 0.0, self.values.index(value) if value in self.values else len(self.values)

    def shown(self, value: object) -> str:
        """A value as tables write it."""
        return shown(self.field, value)


def axis_of(given: str) -> Axis:
    """``field=a,b,c``, or ``field=low..high:step`` (the field's own step by default).

    Raises ``SettingsError`` for a field or a value that is none, ``UsageError`` for a field that cannot be varied.
    """
    name, equals, text = given.partition("=")
    field = find(name.strip())
    if not equals or not text.strip():
        raise SettingsError(f"{quoted(given)} has no values", "write field=a,b,c or field=low..high:step")
    if field.section not in SWEPT:
        raise UsageError(
            f"{field.key} cannot be varied", f"vary settings of {', '.join(SWEPT[:-1])} or {SWEPT[-1]}"
        )
    parts = [part for part in text.split(",") if part.strip()]
    values = dict.fromkeys(value for part in parts for value in _values(field, part.strip()))
    return Axis(field, tuple(values))


def _values(field: Field, part: str) -> Sequence[object]:
    low, dots, rest = part.partition("..")
    if not dots:
        return [parse(field, part)]
    high, _, step = rest.partition(":")
    try:
        first, last = Decimal(low), Decimal(high)
        by = Decimal(step) if step else Decimal(str(field.step))
    except InvalidOperation:
        raise SettingsError(
            f"{quoted(part)} is no range of {field.key}", "write low..high:step with numbers"
        ) from None
    if by <= 0 or first > last:
        raise SettingsError(f"{quoted(part)} is no range of {field.key}", "write low..high:step, rising")
    count = int((last - first) / by) + 1
    if count > MOST:
        raise UsageError(
            f"{quoted(part)} is {count:,} values", f"at most {MOST:,} can be tried: take a larger step"
        )
    return [parse(field, str(first + by * number)) for number in range(count)]


def points_of(axes: Sequence[Axis]) -> list[Point]:
    """Every combination, the last axis turning fastest. Raises ``UsageError`` where they are too many."""
    _refuse_doubles(axes)
    count = prod(len(axis.values) for axis in axes)
    if count > MOST:
        raise UsageError(
            f"the axes make {count:,} combinations, {MOST:,} can be tried",
            "take fewer values, or draw some with --random",
        )
    return list(product(*(axis.values for axis in axes)))


def _refuse_doubles(axes: Sequence[Axis]) -> None:
    names = [axis.field.key for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UsageError(f"{twice} is varied twice", "name each setting once, with all of its values")


def settings_at(base: Settings, axes: Sequence[Axis], point: Point) -> Settings:
    """The settings at a point. Raises ``SettingsError`` where its values do not go together."""
    pairs = [(axis.field, value) for axis, value in zip(axes, point, strict=True)]
    return check_settings(with_values(base, pairs))


def present(base: Settings, axes: Sequence[Axis]) -> Point:
    """Where the settings stand now."""
    return tuple(value_of(base, axis.field) for axis in axes)


def distance(base: Settings, axes: Sequence[Axis], point: Point) -> tuple[int, float]:
    """How far a point lies from the settings: how many of them change, and by how much of their ranges."""
    changed, moved = 0, 0.0
    for axis, value in zip(axes, point, strict=True):
        now = value_of(base, axis.field)
        if value != now:
            changed += 1
            if axis.field.span and isinstance(value, int | float) and isinstance(now, int | float):
                moved += abs(float(value) - float(now)) / axis.field.span
            else:
                moved += 1.0
    return changed, moved
