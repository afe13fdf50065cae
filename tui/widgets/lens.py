"""The token lens: the terms of a query and of one chunk by channel, how rare each is, what met and what it adds.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tui import cells, text
from tui.widgets import figures, results
from tui.widgets.line import (
    ATTENTION,
    MUTED,
    PLAIN,
    STRONG,
    TERM,
    Line,
    blank,
    cell,
    ends,
    fit,
    measure,
)

if TYPE_CHECKING:
    from engine.explain.lens import AskedTerm, HeldTerm, Lens
    from engine.explain.verdict import Standing

COLUMNS = 6
MET, MISSED = "✓", "–"
TEXTUAL = ("fulltext", "cjk")


def title(width: int, focused: bool, margin: int, note: str = "") -> Line:
    """``▸TOKEN LENS``, and at the other end what is waited for."""
    left = (*blank(margin), *results.pane_title("TOKEN LENS", focused))
    return fit(ends(left, ((note or "t shows the passage", MUTED),), width - 1), width)


def rows(lens: Lens, width: int, margin: int = 1) -> tuple[Line, ...]:
    """Per text channel the query's terms, their sum beside the channel's score; the vector's cosine; then the
    chunk's own terms, rarest first.
    """
    made: list[Line] = []
    for channel in TEXTUAL:
        terms = [term for term in lens.asked if term.channel == channel]
        standing = next((one for one in lens.standings if one.channel == channel), None)
        made += _channel(channel, terms, lens.bm25.get(channel), standing, width, margin + 1)
    for standing in lens.standings:
        if standing.channel not in TEXTUAL:
            made += _other(standing, width, margin + 1)
    others = [term for term in lens.held if not term.asked]
    if others:
        made += _held(others, width, margin + 1)
    return tuple(made)


def _channel(
    name: str,
    terms: Sequence[AskedTerm],
    bm25: float | None,
    standing: Standing | None,
    width: int,
    lead: int,
) -> Iterator[Line]:
    if bm25 is None:
        because = text.one_line(standing.because) if standing is not None else ""
        yield _said(name, f"{figures.MISSING} {because or 'did not serve'}", width, lead)
        return
    yield _row(name, ("df", "idf", "part"), width, lead, STRONG, MUTED)
    for term, part in zip(terms, figures.adding([term.part for term in terms], bm25, 2), strict=True):
        style = TERM if term.met else MUTED
        shown = figures.fixed(part) if term.part else figures.MISSING
        numbers = (figures.whole(term.document_frequency), figures.fixed(term.idf), shown)
        mark = f"{MET if term.met else MISSED} "
        yield _row(term.term, numbers, width, lead, style, PLAIN if term.met else MUTED, mark)
    if not terms:
        yield _said("", "the query has no term for it", width, lead)
    yield _row("BM25", ("", "", figures.fixed(bm25)), width, lead, PLAIN, STRONG, "  ")
    if standing is not None and standing.rank is not None and standing.score is not None:
        raised = f", raised to {figures.fixed(standing.score)}" if standing.score > bm25 + 0.005 else ""
        told = f"{figures.ordinal(standing.rank)} of {figures.whole(standing.of)}{raised}"
        yield _said("", told, width, lead)


def _other(standing: Standing, width: int, lead: int) -> Iterator[Line]:
    """A channel without terms: its score and rank, or why it has none."""
    if standing.rank is None or standing.score is None:
        yield _said(standing.channel, f"{figures.MISSING} {text.one_line(standing.because)}", width, lead)
        return
    word = "cosine " if standing.channel == "vector" else ""
    score = figures.score(standing.channel, standing.score)
    told = f"{word}{score}, {figures.ordinal(standing.rank)} of {figures.whole(standing.of)}"
    yield _said(standing.channel, told, width, lead)


def _held(terms: Sequence[HeldTerm], width: int, lead: int) -> Iterator[Line]:
    yield _row("its terms", ("df", "idf", "times"), width, lead, STRONG, MUTED)
    for term in terms:
        numbers = (
            figures.whole(term.document_frequency),
            figures.fixed(term.idf),
            figures.whole(term.frequency),
        )
        yield _row(term.term, numbers, width, lead, PLAIN, MUTED, "  ")


def _said(name: str, told: str, width: int, lead: int) -> Line:
    return fit((*blank(lead), (f"{name}  " if name else "  ", STRONG), (told, MUTED)), width)


def _row(
    name: str,
    numbers: tuple[str, str, str],
    width: int,
    lead: int,
    style: str,
    shade: str,
    mark: str = "",
) -> Line:
    marked: Line = ((mark, ATTENTION if mark.startswith(MISSED) else PLAIN),) if mark else ()
    room = max(4, min(28, width - lead - 1 - 3 * (COLUMNS + 1)) - measure(marked))
    shown = cells.cut(text.one_line(name), room)
    padding = blank(room - cells.width(shown))
    spans = [cell(number, COLUMNS, shade) for number in numbers]
    return fit((*blank(lead), *marked, (shown, style), *padding, *spans), width)


def sentence(lens: Lens) -> str:
    """``3 of 5 terms met by full text, 4 of 9 by cjk; the rarest that is missing: appendfsync``."""
    told = []
    for channel, name in (("fulltext", "full text"), ("cjk", "cjk")):
        terms = [term for term in lens.asked if term.channel == channel]
        if terms:
            told.append(f"{sum(term.met for term in terms)} of {len(terms)} terms met by {name}")
    missing = [term for term in lens.asked if not term.met]
    rarest = max(missing, key=lambda term: term.idf, default=None)
    joined = ", ".join(told) or "the query has no terms"
    return f"{joined}; the rarest that is missing: {text.one_line(rarest.term)}" if rarest else joined
