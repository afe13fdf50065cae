"""The result under the cursor: its numbers by channel, and its passage with the words of the query marked.
Pure.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from engine.model import CHANNELS, Chunk, Result
from engine.settings import Retrieval
from tui import cells, text
from tui.widgets import figures, results
from tui.widgets.line import (
    ATTENTION,
    EMPTY,
    MUTED,
    PLAIN,
    STRONG,
    TERM,
    Line,
    Span,
    blank,
    cell,
    ends,
    fit,
    join,
    measure,
)

NEARLY = 0.6
"""Share of the best place's words from which on a passage is shown from its beginning."""

Marks = Sequence[tuple[int, int]]
"""Half-open offsets into a text, in order, not overlapping."""


# --- why: rank, score, weight, part ---------------------------------------------------------------


def why_title(result: Result | None, width: int, focused: bool, margin: int = 1) -> Line:
    """``WHY 2``, and the place of the result at the other end."""
    name = f"WHY {result.rank}" if result else "WHY"
    left = (*blank(margin), *results.pane_title(name, focused))
    if result is None:
        return fit(left, width)
    span = figures.lines(result.chunk.line_start, result.chunk.line_end)
    room = max(0, width - measure(left) - 3 - cells.width(span))
    path = cells.cut_path(text.one_line(result.chunk.path), room)
    return ends(left, ((f"{path} {span}", MUTED),), width)


def why(result: Result, retrieval: Retrieval, width: int, margin: int = 1) -> tuple[Line, ...]:
    """One row a channel, parts summing to the fused score; a rank beyond the depth is muted and adds
    nothing.
    """
    columns = (("rank", 6), ("score", 6), ("weight", 6), ("part", 5))
    lead = margin + 1
    name = min(20, max(8, width - lead - sum(size + 1 for _, size in columns)))

    def line(title: str, figures_: Sequence[tuple[str, str]], style: str = PLAIN) -> Line:
        spans = [
            cell(value, size, shade) for (value, shade), (_, size) in zip(figures_, columns, strict=True)
        ]
        return fit((*blank(lead), (cells.fit(title, name), style), *spans), width)

    made = [line("channel", [(title, MUTED) for title, _ in columns], MUTED)]
    parts = _parts(result, retrieval.fusion)
    for channel in CHANNELS:
        weight = figures.fixed(getattr(retrieval, f"{channel}_weight"))
        hit = result.channels.get(channel)
        if hit is None:
            none = (figures.MISSING, MUTED)
            made.append(line(channel, [none, none, (weight, MUTED), none], MUTED))
            continue
        shade = PLAIN if hit.in_view else MUTED
        values = (
            str(hit.rank),
            figures.score(channel, hit.score),
            weight,
            figures.fused(parts[channel], retrieval.fusion),
        )
        made.append(line(channel, [(value, shade) for value in values], shade))
    fused = (figures.whole(result.fused_rank), figures.fused(result.fused_score, retrieval.fusion))
    made.append(line("fused", [(fused[0], PLAIN), ("", PLAIN), ("", PLAIN), (fused[1], STRONG)]))
    return tuple(made)


def _parts(result: Result, fusion: str) -> dict[str, float]:
    """Each channel's part, so rounded that they add up to the fused score as it is shown."""
    parts = [hit.part for hit in result.channels.values()]
    shown = figures.adding(parts, result.fused_score, figures.fused_decimals(fusion))
    return dict(zip(result.channels, shown, strict=True))


# --- passage --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk's text laid out at one width: rows as offsets, and which of them hold words of the query."""

    shown: str
    rows: tuple[tuple[int, int], ...]
    marks: tuple[tuple[int, int], ...]

    def line(self, at: int, width: int, indent: int, *, goes_on: bool = False) -> Line:
        """One row, the words of the query in ``term``; ``goes_on`` says by ``…`` that the text does."""
        start, end = self.rows[at]
        pieces = (*blank(indent), *_pieces(self.shown, start, end, self.marks))
        return fit((*pieces, (f" {cells.ELLIPSIS}", MUTED)) if goes_on else pieces, width)

    def prose(self) -> Passage:
        """Without blank rows and without headings at its beginning, which the place of the result names."""
        rows = [row for row in self.rows if self.shown[slice(*row)].strip()]
        while len(rows) > 1 and self.shown[rows[0][0]] == "#":
            rows.pop(0)
        return replace(self, rows=tuple(rows))

    def best(self, height: int) -> int:
        """The first of ``height`` rows that hold most of the query's words; 0 where the text fits or holds
        none.
        """
        if len(self.rows) <= height or not self.marks:
            return 0
        held = [_held(start, end, self.marks) for start, end in self.rows]
        window = first = sum(held[:height])
        found, most = 0, window
        for at in range(1, len(self.rows) - height + 1):
            window += held[at + height - 1] - held[at - 1]
            if window > most:
                found, most = at, window
        return found if first < NEARLY * most else 0


def lay_out(chunk: Chunk, marks: Marks, width: int) -> Passage:
    """The chunk's text in rows of ``width`` cells, without blank rows at its ends."""
    shown = text.sanitise(chunk.text)
    rows = cells.wrap(shown, width)
    while rows and not shown[slice(*rows[-1])].strip():
        rows.pop()
    while rows and not shown[slice(*rows[0])].strip():
        rows.pop(0)
    return Passage(shown, tuple(rows), tuple(marks))


def passage_title(
    chunk: Chunk | None, width: int, focused: bool, margin: int = 1, *, stale: bool = False
) -> Line:
    """``PASSAGE``, and lines and length at the other end; what is edited or stale is said here."""
    left = (*blank(margin), *results.pane_title("PASSAGE", focused))
    if chunk is None:
        return fit(left, width)
    span = figures.lines(chunk.line_start, chunk.line_end)
    notes: Line = (("edited, ", ATTENTION) if chunk.edited else ("", PLAIN),)
    notes += (("file changed, ", ATTENTION) if stale else ("", PLAIN),)
    return ends(left, (*notes, (f"{span}, {figures.whole(len(chunk.text))} chars", MUTED)), width)


def passage_place(chunk: Chunk, width: int, margin: int = 1) -> Line:
    """``retry.md › 重试与隔离 › 超时``: the whole heading path, as far as it fits."""
    above = " › ".join(text.one_line(heading) for heading in chunk.heading_path)
    shown = cells.place(text.one_line(chunk.path), above, width - margin - 2)
    return fit((*blank(margin + 1), (shown, STRONG)), width)


def _pieces(shown: str, start: int, end: int, marks: Marks) -> Line:
    spans: list[Span] = []
    column = 0

    def add(first: int, last: int, style: str) -> None:
        nonlocal column
        if first < last:
            piece = cells.expand(shown[first:last], column)
            column += cells.width(piece)
            spans.append((piece, style))

    at = start
    for first, last in _touching(start, end, marks):
        add(at, max(at, first), PLAIN)
        add(max(at, first), min(last, end), TERM)
        at = min(last, end)
    add(at, end, PLAIN)
    return tuple(spans)


def _held(start: int, end: int, marks: Marks) -> int:
    return sum(min(last, end) - max(first, start) for first, last in _touching(start, end, marks))


def _touching(start: int, end: int, marks: Marks) -> Marks:
    """The marks that a row holds a part of. They are in order and apart, so both ends are searched by halves: a
    chunk of 16,000 characters may have a thousand rows and some thousand marks.
    """
    return marks[bisect_right(marks, start, key=itemgetter(1)) : bisect_left(marks, end, key=itemgetter(0))]


# --- in brief -------------------------------------------------------------------------------------


def brief(
    result: Result, passage: Passage, width: int, height: int, narrow: bool, fusion: str = "rrf"
) -> tuple[Line, ...]:
    """The result in ``height`` rows: its numbers in the first, then the part of its passage that matches
    best.
    """
    first = _brief_ranks(result, width) if narrow else _brief_scores(result, width, fusion)
    passage, rows = passage.prose(), height - 1
    start = passage.best(rows)
    end = min(len(passage.rows), start + rows)
    more = end < len(passage.rows)
    shown = [passage.line(at, width, 1, goes_on=more and at == end - 1) for at in range(start, end)]
    return (first, *shown, *(fit(EMPTY, width) for _ in range(rows - len(shown))))


def _brief_scores(result: Result, width: int, fusion: str) -> Line:
    scores: list[Line] = [
        (
            (f"{results.TITLES[name]} ", MUTED),
            (figures.score(name, hit.score), PLAIN if hit.in_view else MUTED),
        )
        for name, hit in result.channels.items()
    ]
    fused = f"{figures.fused(result.fused_score, fusion)}, {figures.ordinal(result.fused_rank)}"
    right = join([(("fused ", MUTED), (fused, PLAIN)), join(scores, "  ")])
    rank = f" {result.rank}  "
    room = max(16, width - 1 - cells.width(rank) - measure(right) - 2)
    return fit(ends(((rank, STRONG), *results.place(result.chunk, room, True)), right, width - 1), width)


def _brief_ranks(result: Result, width: int) -> Line:
    ranks: list[Line] = []
    for name in CHANNELS:
        hit = result.channels.get(name)
        shade = PLAIN if hit and hit.in_view else MUTED
        ranks.append(
            ((f"{results.TITLES[name]} ", MUTED), (str(hit.rank) if hit else figures.MISSING, shade))
        )
    span = figures.lines(result.chunk.line_start, result.chunk.line_end)
    line = join(ranks, "  ")
    if measure(line) + cells.width(span) + 4 > width:
        line = join(ranks, " ")
    return fit(ends(((" ", PLAIN), *line), ((span, MUTED),), width - 1), width)
