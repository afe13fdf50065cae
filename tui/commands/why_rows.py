"""The rows of ``rankscope why``: the target, the verdict, its way through the stages, and what would change it.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.cells import MISSING, cut, fit, right, spread
from tui.commands.search_rows import decimal
from tui.text import one_line

if TYPE_CHECKING:
    from engine.explain import Change, Place, StageRow, Verdict

STAGE, RANK, OF, SCORE, KEPT = 10, 6, 7, 8, 6
FIXED = STAGE + RANK + OF + SCORE + KEPT + 2
"""Cells of a row before its reason."""


def rows(verdict: Verdict, columns: int) -> Iterator[str]:
    """Every row, in at most ``columns`` cells but for sentences, which are never cut."""
    yield one_line(verdict.query)
    if verdict.place is not None:
        yield _target(verdict.place, columns)
    yield one_line(verdict.sentence)
    yield ""
    yield _cells("stage", "rank", "of", "score", "kept", "because")
    yield from (_stage(row) for row in verdict.stages)
    if verdict.changes:
        yield ""
        yield "smallest change, each was run before it is shown"
        yield from (_change(number, change) for number, change in enumerate(verdict.changes, 1))
    elif verdict.layer != "context":
        yield ""
        yield "no setting of a query brings it in"
    if verdict.remedy is not None:
        yield f"instead   {one_line(verdict.remedy.sentence)}"


def _target(place: Place, columns: int) -> str:
    """Where the target stands, and how it begins."""
    first = place.chunks[0] if place.chunks else None
    heading = f" › {one_line(first.heading_path[-1])}" if first and first.heading_path else ""
    lines = f" L{first.line_start}–{place.chunks[-1].line_end}" if first else ""
    numbers = " ".join(f"#{chunk.ordinal}" for chunk in place.chunks[:4])
    name = f"{one_line(place.path)}{heading}{lines} {numbers}".rstrip()
    return spread(name, f"“{cut(one_line(place.text), columns // 2)}”", columns).rstrip()


def _stage(row: StageRow) -> str:
    kept = MISSING if row.kept is None else "yes" if row.kept else "no"
    return _cells(
        row.stage, _number(row.rank), _number(row.of), _score(row), kept, one_line(row.because)
    ).rstrip()


def _cells(stage: str, rank: str, of: str, score: str, kept: str, because: str) -> str:
    numbers = f"{right(rank, RANK)}{right(of, OF)}{right(score, SCORE)}{right(kept, KEPT)}"
    return f"{fit(stage, STAGE)}{numbers}  {because}"


def _number(value: int | None) -> str:
    return MISSING if value is None else f"{value:,}"


def _score(row: StageRow) -> str:
    """Relevance and cosines as shares, BM25 to two places, fused scores to four, needs in characters."""
    if row.score is None:
        return MISSING
    if row.stage in ("fulltext", "cjk", "graph"):
        return f"{row.score:,.2f}"
    if row.stage == "pack":
        return f"{row.score:,.0f}"
    return decimal(row.score, 4 if row.stage == "fused" else 3)


def _change(number: int, change: Change) -> str:
    """``1  context_max_characters 6,000 → 6,500: in as [4]; nothing leaves  (6,500 to 48,000)``."""
    same = change.low == change.high
    interval = "" if same else f"  ({_value(change.low)} to {_value(change.high)})"
    return f"{number:>2}  {one_line(change.sentence)}{interval}"


def _value(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
