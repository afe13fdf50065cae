"""What a rebuild that lies aside would change, as lines: two columns, now and then, and below them what moves. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, fit

if TYPE_CHECKING:
    from engine.catalogue.what_if import Side
    from engine.evaluate.difference import Difference

NAME, VALUE = 18, 10
NARROW_NAME, NARROW_VALUE = 15, 7
NARROW = 60

METRICS = ("recall@5", "mrr@10", "ndcg@10", "context_recall", "evidence_recall@5")
"""The figures that are shown; the command line has every one."""


Columns = tuple[int, int]
"""Cells of a name, and of each value."""


def lines(found: Difference, width: int) -> tuple[Line, ...]:
    """Every row at a width."""
    return tuple(fit(row, width) for row in _rows(found, width - 2))


def _rows(found: Difference, width: int) -> Iterator[Line]:
    now, then = found.now, found.then
    columns = (NAME, VALUE) if width >= NARROW else (NARROW_NAME, NARROW_VALUE)
    yield _line(f"{figures.cut(found.chunking[0])} serves, {figures.cut(found.chunking[1])} lies aside")
    yield EMPTY
    yield _head(columns, "", "now", "then")
    yield _counts(columns, "documents", *found.documents)
    for name in ("chunks", "median", "smallest", "largest"):
        yield _counts(columns, name, getattr(now, name), getattr(then, name))
    for name, label in (("sentences", "cut sentences"), ("tables", "cut tables"), ("fences", "cut fences")):
        yield _counts(columns, label, getattr(now, name), getattr(then, name), worse=True)
    if _evidence(now) or _evidence(then):
        yield _counts(columns, "evidence whole", now.whole, then.whole)
        yield _counts(columns, "evidence split", now.split, then.split, worse=True)
        yield _counts(columns, "evidence lost", now.lost, then.lost, worse=True)
    yield _line(f"{figures.plural(found.kept, 'chunk')} the same in both", MUTED)
    if found.metrics:
        yield EMPTY
        yield _head(columns, f"{figures.plural(found.cases, 'case')}", "now", "then", "change")
        for name in METRICS:
            if name in found.metrics:
                yield _figures(columns, name.replace("_", " "), *found.metrics[name])
    yield from _moved(found, width)
    yield from _flipped(found, width)


def _evidence(side: Side) -> int:
    return side.whole + side.split + side.lost


def _line(told: str, style: str = PLAIN) -> Line:
    return ((f"  {told}", style),)


def _head(columns: Columns, name: str, *heads: str) -> Line:
    return (
        (
            f"  {cells.fit(name, columns[0])}" + "".join(cells.right(each, columns[1]) for each in heads),
            MUTED,
        ),
    )


def _counts(columns: Columns, name: str, before: int, after: int, *, worse: bool = False) -> Line:
    style = PLAIN if before == after else ATTENTION if worse and after > before else STRONG
    return (
        (f"  {cells.fit(name, columns[0])}", PLAIN),
        (cells.right(figures.whole(before), columns[1]), MUTED),
        (cells.right(figures.whole(after), columns[1]), style),
    )


def _figures(columns: Columns, name: str, before: float, after: float) -> Line:
    by = after - before
    change = figures.SAME if round(by, 3) == 0 else f"{'+' if by > 0 else '−'}{figures.fraction(abs(by))}"
    return (
        (f"  {cells.fit(name, columns[0])}", PLAIN),
        (cells.right(figures.fraction(before), columns[1]), MUTED),
        (cells.right(figures.fraction(after), columns[1]), STRONG if change != figures.SAME else PLAIN),
        (cells.right(change, columns[1]), ATTENTION if round(by, 3) < 0 else PLAIN),
    )


def _moved(found: Difference, width: int) -> Iterator[Line]:
    if not found.moved:
        return
    yield EMPTY
    yield _line(f"EVIDENCE  {figures.plural(len(found.moved), 'piece')} would stand otherwise", STRONG)
    for each in found.moved:
        path = cells.cut_path(text.one_line(each.path), max(12, width // 3))
        where = f"{path} {figures.lines(each.line_start, each.line_end)}"
        style = PLAIN if each.after == "whole" else ATTENTION
        yield (
            (f"  {cells.fit(text.one_line(each.piece.case_id), 12)} ", PLAIN),
            (f"{each.before} > ", MUTED),
            (f"{each.after}  ", style),
            (where, PLAIN),
        )


def _flipped(found: Difference, width: int) -> Iterator[Line]:
    if not found.cases:
        return
    gained = sum(flip.gained for flip in found.flips)
    yield EMPTY
    told = f"CASES  {figures.whole(gained)} gained, {figures.whole(len(found.flips) - gained)} lost"
    yield _line(f"{told} of {figures.whole(found.cases)}", STRONG)
    for flip in found.flips:
        mark = figures.RISE if flip.gained else figures.FALL
        yield (
            (f"  {mark} {cells.fit(text.one_line(flip.case_id), 10)} ", PLAIN if flip.gained else ATTENTION),
            (f"{flip.before} > {flip.after}  ", MUTED),
            (text.one_line(flip.query), PLAIN),
        )


def sentence(found: Difference) -> str:
    """The difference in one sentence."""
    now, then = found.now, found.then
    gained = sum(flip.gained for flip in found.flips)
    told = f"{figures.whole(now.chunks)} chunks become {figures.whole(then.chunks)}"
    if found.cases:
        told += f"; {figures.whole(gained)} cases gained, {figures.whole(len(found.flips) - gained)} lost"
    return f"{told}: enter lets it serve, delete gives it up, esc leaves it aside"
