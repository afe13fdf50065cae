"""The ranked list as lines: which columns a width has room for, and each row in them. Pure.

Columns are fixed: a row is laid out from widths alone, so that a number stands in the same cell on every
row and after every turn of a setting. What has no room goes in one order: lines, fused score, a channel
that found nothing, heading, ranks by channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.model import CHANNELS, ChannelHit, Chunk, Result
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import FOCUS, MUTED, PLAIN, STRONG, Line, Span, blank, cell, ends, fit

TITLES = {"fulltext": "text", "cjk": "cjk", "vector": "vec", "graph": "graph"}
WIDTHS = {"fulltext": 4, "cjk": 3, "vector": 3, "graph": 5}
RANK, MOVE, RELEVANCE, FUSED = 3, 4, 4, 5
LINES = 7
CUT = "╌"


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a list ``width`` cells wide. ``document`` and ``lines`` are cells, 0 where there is no
    such column.

    ``margin`` is blank cells before the cursor's mark, ``tail`` after the last column.
    """

    width: int
    margin: int = 1
    tail: int = 1
    fused: bool = True
    channels: tuple[str, ...] = CHANNELS
    heading: bool = True
    lines: int = LINES

    @property
    def document(self) -> int:
        """Cells that are left for the document and its heading."""
        return self.width - self.before - self.tail - (self.lines + 2 if self.lines else 0)

    @property
    def before(self) -> int:
        """Cells before the document's name."""
        numbers = 1 + MOVE + 1 + RELEVANCE + (1 + FUSED if self.fused else 0)
        return self.margin + 1 + RANK + numbers + sum(1 + WIDTHS[name] for name in self.channels) + 2


def choose(
    width: int,
    *,
    margin: int = 1,
    tail: int = 1,
    lines: int = LINES,
    idle: frozenset[str] = frozenset(),
    form: Literal["wide", "medium", "normal", "narrow"] = "wide",
) -> Columns:
    """The columns that ``width`` has room for. ``idle`` are the channels that list nothing for this query.

    Where a result is also told in brief below the list (``normal``) its fused score stands there, so that
    this column goes first; in ``narrow`` the brief holds lines and ranks by channel too.
    """
    columns = Columns(width, margin, tail, lines=max(LINES, lines))
    if form == "narrow":
        narrow = replace(columns, tail=0, fused=False, channels=(), lines=0)
        return replace(narrow, heading=narrow.document >= 20)
    comfortable, enough = (30, 20) if form == "normal" else (26, 20)
    without_idle = tuple(name for name in CHANNELS if name not in idle)
    if form == "normal" and columns.document < comfortable:
        columns = replace(columns, fused=False)
    for change in ({"lines": 0}, {"fused": False}, {"channels": without_idle}, {"heading": False}):
        if columns.document >= (enough if columns.heading else 12):
            return columns
        columns = replace(columns, **change)
    while columns.document < 12 and columns.channels:
        columns = replace(columns, channels=columns.channels[:-1])
    return columns


def lines_width(chunks: tuple[Chunk, ...]) -> int:
    """Cells of the widest range of lines among the candidates, so that the column stays while settings
    turn.
    """
    return max((len(figures.lines(chunk.line_start, chunk.line_end)) for chunk in chunks), default=LINES)


def header(columns: Columns) -> Line:
    """The titles of the columns."""
    spans = [(" " * (columns.margin + 1), PLAIN), cell("#", RANK, MUTED, lead=0), cell("vs A", MOVE, MUTED)]
    spans.append(cell("rel.", RELEVANCE, MUTED))
    if columns.fused:
        spans.append(cell("fused", FUSED, MUTED))
    spans.extend(cell(TITLES[name], WIDTHS[name], MUTED) for name in columns.channels)
    name = "document › heading" if columns.heading else "document"
    spans.append(cell(name, columns.document, MUTED, "left", 2))
    if columns.lines:
        spans.append(cell("lines", columns.lines, MUTED, lead=2))
    return fit(tuple(spans), columns.width)


def row(
    columns: Columns,
    result: Result,
    *,
    was: int | None,
    serves: bool,
    moved: bool = False,
    mark: str = " ",
    focused: bool = False,
    fusion: str = "rrf",
) -> Line:
    """One result. ``was`` is its rank in the state that the moves are against; ``serves``: within the top k.

    ``moved`` says that the last turn changed its rank; then its numbers are strong.
    """
    fresh = STRONG if moved else PLAIN
    spans: list[Span] = [
        (" " * columns.margin, PLAIN),
        (mark, FOCUS),
        cell(str(result.rank), RANK, f"{STRONG} {FOCUS}" if focused else fresh, lead=0),
        _move(was, result.rank, fresh),
        cell(figures.fraction(result.relevance), RELEVANCE, fresh),
    ]
    if columns.fused:
        score = figures.fused(result.fused_score, fusion)
        spans.append(cell(score, FUSED, fresh))
    spans.extend(_channel_rank(result.channels, name) for name in columns.channels)
    spans.append(("  ", PLAIN))
    spans.extend(place(result.chunk, columns.document, columns.heading, serves, focused))
    if columns.lines:
        span = figures.lines(result.chunk.line_start, result.chunk.line_end)
        spans.append(cell(span, columns.lines, MUTED, lead=2))
    return fit(tuple(spans), columns.width)


def cut_line(columns: Columns, top_k: int) -> Line:
    """The line between what may enter the context and what may not."""
    lead = columns.margin + 1 + RANK
    label = f"{CUT * 2} top k {top_k} {CUT * 2} "
    rule = columns.width - lead - cells.width(label) - max(1, columns.tail)
    return fit(((" " * lead, PLAIN), (label + CUT * max(0, rule), MUTED)), columns.width)


def title(width: int, top_k: int, found: int, *, focused: bool, margin: int = 1, note: str = "") -> Line:
    """``▸RESULTS``, and at the other end how many of those found may enter the context."""
    count = f"{min(top_k, found)} of {figures.whole(found)}" if found else ""
    left = (*blank(margin), *pane_title("RESULTS", focused), ("  " + note if note else "", MUTED))
    return fit(ends(left, ((count, MUTED),), width - 1), width)


def pane_title(name: str, focused: bool) -> Line:
    """A pane's title with its mark, in the accent where it has the focus."""
    return ("▸" if focused else " ", FOCUS), (name, f"{STRONG} {FOCUS}" if focused else STRONG)


def place(chunk: Chunk, width: int, heading: bool, serves: bool = True, focused: bool = False) -> Line:
    """``path › heading`` in exactly ``width`` cells: folders go first, the file name last.

    What does not serve, because it stands below the cut, is muted.
    """
    above = text.one_line(chunk.heading_path[-1]) if heading and chunk.heading_path else ""
    path = text.one_line(chunk.path)
    shown = cells.place(path, above, width)
    alone = not above or shown == cells.cut_path(path, width)
    name, separator, rest = (shown, "", "") if alone else shown.partition(" › ")
    style = (f"{STRONG} {FOCUS}" if serves else FOCUS) if focused else (PLAIN if serves else MUTED)
    return fit(((name, style), (separator, MUTED), (rest, style)), width)


def _move(was: int | None, now: int, fresh: str) -> Span:
    move = figures.move(was, now)
    return cell(move, MOVE, MUTED if move == figures.SAME else fresh)


def _channel_rank(hits: Mapping[str, ChannelHit], name: str) -> Span:
    hit = hits.get(name)
    if hit is None:
        return cell(figures.MISSING, WIDTHS[name], MUTED)
    return cell(str(hit.rank), WIDTHS[name], PLAIN if hit.in_view else MUTED)
