"""Numbers as the screens write them: one precision a column, thousands parted, a true minus, ``–`` for what
is missing.

Pure. Every function returns a string without padding; columns are aligned by ``tui.cells``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.tokens import estimated_tokens

if TYPE_CHECKING:
    from engine.settings import Chunking

MISSING = "–"
COSINES = ("vector", "graph")
"""Channels whose raw scores stay within 1; BM25 runs to tens."""

RISE, FALL, SAME, NEW = "▴", "▾", "=", "new"

NOTHING = 1e-9
"""Of a last unit: less than this is an error of arithmetic, no rest."""


def fraction(value: float, decimals: int = 3) -> str:
    """A figure of at most about 1 in a table: ``.871``; from 1 up one decimal gives way to the leading
    digit (``1.00``), so that the column keeps its width.
    """
    if math.isnan(value):
        return MISSING
    text = f"{abs(value):.{decimals}f}"
    if text.startswith("0"):
        text = text[1:]
    else:
        text = f"{abs(value):.{max(0, decimals - len(text.split('.')[0]))}f}"
    return f"−{text}" if value < 0 and text.strip(".0") else text


def fused_decimals(fusion: str) -> int:
    """Decimals of fused scores: reciprocal ranks are hundredths, normalised scores some units."""
    return 4 if fusion == "rrf" else 3


def fused(value: float, fusion: str) -> str:
    """A fused score or a channel's part of it, as its method has it: ``.0548``, or ``1.909`` above ``.953``."""
    decimals = fused_decimals(fusion)
    if fusion == "rrf" or math.isnan(value):
        return fraction(value, decimals)
    return fixed(value, decimals).removeprefix("0")


def fixed(value: float, decimals: int = 2) -> str:
    """A figure with its leading digit: a setting (``0.80``), a raw score (``11.40``)."""
    if math.isnan(value):
        return MISSING
    text = f"{abs(value):,.{decimals}f}"
    return f"−{text}" if value < 0 and text.strip(".,0") else text


def whole(value: float) -> str:
    """A count: ``1,204``, ``−3``."""
    return f"−{abs(value):,.0f}" if value < 0 else f"{value:,.0f}"


def score(channel: str, value: float) -> str:
    """A raw score as its channel writes it: ``11.40``, ``.610``."""
    return fraction(value) if channel in COSINES else fixed(value)


def milliseconds(value: float) -> str:
    """A time that passed: ``<1 ms``, ``9 ms``, ``1.2 s``, ``2:05``."""
    if value < 0.95:
        return "<1 ms"
    if value < 999.5:
        return f"{value:.0f} ms"
    if value < 59_950:
        return f"{value / 1000:.1f} s"
    return clock(value / 1000)


def clock(seconds: float) -> str:
    """A time that is left, in minutes and seconds: ``0:06``; from an hour up ``1:02:09``."""
    left = max(0, math.ceil(seconds))
    if left >= 3600:
        return f"{left // 3600}:{left % 3600 // 60:02}:{left % 60:02}"
    return f"{left // 60}:{left % 60:02}"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``4th``, ``11th``, ``21st``."""
    if 10 <= number % 100 <= 20:
        return f"{number:,}th"
    return f"{number:,}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"


def ordinal_word(number: int) -> str:
    """``first`` to ``third``, then figures."""
    return {1: "first", 2: "second", 3: "third"}.get(number) or ordinal(number)


def lines(start: int, end: int) -> str:
    """A range of lines: ``L12–18``; one line is ``L33``."""
    return f"L{start}" if start == end else f"L{start}–{end}"


def move(before: int | None, now: int) -> str:
    """How a rank moved since ``before``: ``▴8``, ``▾1``, ``=``; ``new`` where it had none."""
    if before is None:
        return NEW
    if before == now:
        return SAME
    return f"{RISE if now < before else FALL}{abs(before - now)}"


def tokens(text: str) -> str:
    """About how many tokens a text has: ``≈ 3,100 tokens``, in hundreds above a thousand."""
    estimate = estimated_tokens(text)
    return f"≈ {plural(round(estimate, -2) if estimate >= 1_000 else estimate, 'token')}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 group``, ``3 groups``."""
    return f"{whole(count)} {one if count == 1 else many or one + 's'}"


def adding(parts: Sequence[float], total: float, decimals: int) -> tuple[float, ...]:
    """The parts rounded so that what is shown adds up to ``total`` as it is shown.

    Every part is cut to its decimals, and the units that are then missing go where most was cut off (the
    method of largest remainders). A part of 0 stays 0. ``total`` is the sum of ``parts``.
    """
    unit: float = 10**decimals
    exact = [part * unit for part in parts]
    units = [math.floor(value + NOTHING) for value in exact]
    missing = math.floor(total * unit + 0.5) - sum(units)
    by_rest = sorted(range(len(parts)), key=lambda at: units[at] - exact[at])
    for at in [at for at in by_rest if exact[at] - units[at] > NOTHING][: max(0, missing)]:
        units[at] += 1
    return tuple(value / unit for value in units)


def cut(chunking: Chunking) -> str:
    """A way to cut documents in a few words: ``structure 1,600 / 160``, target and overlap, or parent and child."""
    if chunking.mode == "parent-child":
        return f"parent-child {chunking.parent_characters:,} / {chunking.child_characters:,}"
    return f"{chunking.mode} {chunking.target_characters:,} / {chunking.overlap_characters:,}"
