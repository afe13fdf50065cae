"""The rerank as a bill: what each feature of a result is worth, what it adds, and the rank without it. Pure.

Parts are shown so that they add up to the relevance as shown. Without a rerank one line says what the
relevance is then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.model import Contribution, Result
from tui import cells
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, blank, cell, fit

if TYPE_CHECKING:
    from engine.trace import Trace

NAMES = {
    "same_document": "same doc.",
    "learned": "model",
    "unscored": "no score",
}
"""What a line is called here, where that is not its own name."""

PENALTIES = frozenset(("conflict", "same_document"))
"""Lines that take away; their value is how often, where it is a whole number."""

POOL = 100
"""How many of the fused order are weighed: ``engine.rank.rerank.POOL``, which would bring numpy before the first
paint."""

COLUMNS = (("value", 7), ("part", 6), ("without", 8))
LINES = 12
"""Rows of the longest bill: titles, seven features, two penalties, the clamp, the relevance."""


def rows(result: Result, trace: Trace, width: int, margin: int = 1) -> tuple[Line, ...]:
    """The bill of a result, below a blank row; one row where nothing was reranked."""
    lead, lines = margin + 1, result.features
    if not lines:
        return (fit(EMPTY, width), *_unranked(result, trace, width, lead))
    made = [fit(EMPTY, width), _row("feature", [(name, MUTED) for name, _ in COLUMNS], width, lead, MUTED)]
    made += _lines(lines, result, width, lead)
    figure = (figures.fraction(result.relevance), STRONG)
    made.append(_row("relevance", [("", PLAIN), figure, ("", PLAIN)], width, lead))
    if trace.ranking.scale.name == "local" and result.fused_rank > POOL:
        made.append(fit((*blank(lead), (f"beyond the first {POOL}: not weighed", MUTED)), width))
    return tuple(made)


def _lines(lines: Sequence[Contribution], result: Result, width: int, lead: int) -> list[Line]:
    parts = figures.adding([line.part for line in lines], result.relevance, 3)
    made = []
    for line, part in zip(lines, parts, strict=True):
        style = ATTENTION if line.feature in PENALTIES and line.part < 0 else PLAIN
        without = (f"rank {line.rank_without}", PLAIN if line.rank_without != result.rank else MUTED)
        columns = [(_value(line), style), (figures.fraction(part), style), without]
        made.append(_row(NAMES.get(line.feature, line.feature), columns, width, lead, style))
    return made


def _value(line: Contribution) -> str:
    if line.feature == "unscored":
        return figures.MISSING
    if line.feature in PENALTIES and line.value == round(line.value):
        return figures.whole(line.value)
    if line.feature == "clamp":
        return ""
    return figures.fraction(line.value, 2) if abs(line.value) < 1 else figures.fixed(line.value)


def _unranked(result: Result, trace: Trace, width: int, lead: int) -> list[Line]:
    """``rerank off: .871 = .0557 / .0639``: fused over the most that it could be."""
    scale, fusion = trace.ranking.scale, trace.retrieval.fusion
    told = (
        f"rerank off: {figures.fraction(result.relevance)} = "
        f"{figures.fused(result.fused_score, fusion)} / {figures.fused(scale.maximum, fusion)}"
    )
    return [
        fit((*blank(lead), (told[start:end], MUTED)), width)
        for start, end in cells.wrap(told, max(2, width - lead - 1))
    ]


def _row(name: str, columns: Sequence[tuple[str, str]], width: int, lead: int, style: str = PLAIN) -> Line:
    room = min(16, max(9, width - lead - 1 - sum(size + 1 for _, size in COLUMNS)))
    spans = [cell(text, size, shade) for (text, shade), (_, size) in zip(columns, COLUMNS, strict=True)]
    return fit((*blank(lead), (cells.fit(name, room), style), *spans), width)


def sentence(result: Result) -> str:
    """What the rerank did to a result: ``the rerank raised it from 4th to 2nd: coverage +.175, fused +.277``."""
    lines = sorted((line for line in result.features if line.part), key=lambda line: -abs(line.part))[:3]
    if not lines:
        return ""
    moved = "left it where it was"
    if result.fused_rank != result.rank:
        word = "raised" if result.rank < result.fused_rank else "lowered"
        moved = f"{word} it from {figures.ordinal(result.fused_rank)} to {figures.ordinal(result.rank)}"
    told = ", ".join(f"{NAMES.get(line.feature, line.feature)} {_signed(line.part)}" for line in lines)
    return f"the rerank {moved}: {told}"


def _signed(part: float) -> str:
    return f"{'' if part < 0 else '+'}{figures.fraction(part)}"
