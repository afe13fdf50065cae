"""The rows of ``rankscope search``: channels, pipeline, degradations, ranks, and the context with its
ledger. Pure.

Columns align to the cell with wide characters, numbers to the right; missing is ``–``, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.tokens import estimated_tokens
from tui.cells import MISSING, fit, place, right, row, width
from tui.text import one_line, sanitise

if TYPE_CHECKING:
    from engine.model import ChannelRecall, Chunk, ContextGroup, Result
    from engine.trace import Trace

HEADS = {"fulltext": "text", "cjk": "cjk", "vector": "vec", "graph": "graph"}
RANK, RELEVANCE, FUSED, CHANNEL, LINES = 4, 5, 6, 5, 11


def rows(trace: Trace, columns: int) -> Iterator[str]:
    """Every row, in at most ``columns`` cells but for the context's own text."""
    yield f"{one_line(trace.recall.query)}"
    yield f"{_scope(trace)}  state {trace.recall.state.short}  {_milliseconds(trace.milliseconds)}"
    yield ""
    yield f"channels  {'   '.join(channel(each) for each in trace.channels)}"
    yield f"pipeline  {_pipeline(trace)}"
    for each in trace.faults:
        yield f"!         {each.channel}: {one_line(each.message)}" + (
            f" · {one_line(each.remedy)}" if each.remedy else ""
        )
    yield ""
    yield from _table(trace, columns)
    yield ""
    yield from _context(trace, columns)


def channel(each: ChannelRecall) -> str:
    """``fulltext 48 of 311, 3 ms``; ``graph – not built``; ``vector – not asked``."""
    if not each.requested:
        return f"{each.channel} {MISSING} not asked"
    if not each.used:
        return f"{each.channel} {MISSING} {'not built' if each.channel == 'graph' else 'did not serve'}"
    parts = [f"{each.channel} {each.matched:,} of {each.of:,}", _milliseconds(each.milliseconds)]
    parts += [f"{each.waiting:,} waiting"] if each.waiting else []
    parts += [f"{each.left_out:,} left out"] if each.left_out else []
    return ", ".join(parts)


def decimal(value: float, places: int) -> str:
    """``.871``, ``1.000``: the leading zero says nothing in a column of shares."""
    text = f"{value:.{places}f}"
    return text.removeprefix("0") if text.startswith("0.") else text.replace("-0.", "−.").replace("-", "−")


def _scope(trace: Trace) -> str:
    return f"scope {' '.join(one_line(scope) for scope in trace.recall.scopes) or 'public'}"


def _milliseconds(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 1 else "<1 ms"


def _pipeline(trace: Trace) -> str:
    ranking, context = trace.ranking, trace.context
    packed = sum(len(group.citations) for group in context.groups)
    parts = [
        f"depth {ranking.view} of {trace.recall.depth}",
        f"found {ranking.found:,}",
        f"gate keeps {ranking.passed:,}",
        f"top k {trace.retrieval.top_k}",
        f"packed {packed}, left out {len(context.left_out)}",
    ]
    return "  ›  ".join([*parts, "unanswerable"] if ranking.unanswerable else parts)


def _table(trace: Trace, columns: int) -> Iterator[str]:
    """The gated top k. A channel that was not asked has no column."""
    shown = [each.channel for each in trace.channels if each.requested]
    results = [trace.ranking.result(int(position)) for position in trace.ranking.top]
    if not results:
        yield "nothing found"
        return
    fixed = RANK + 1 + RELEVANCE + 1 + FUSED + (1 + CHANNEL) * len(shown) + 2 + 1 + LINES
    longest = max(width(_whole(result.chunk)) for result in results)
    room = max(12, min(columns - fixed, longest))
    yield _cells(
        "rank", "rel.", "fused", [HEADS[name] for name in shown], fit("document › heading", room), "lines"
    )
    for result in results:
        chunk = result.chunk
        yield _cells(
            str(result.rank),
            decimal(result.relevance, 3),
            decimal(result.fused_score, 4),
            [_rank(result, name) for name in shown],
            fit(place(one_line(chunk.path), _heading(chunk), room), room),
            f"L{chunk.line_start}–{chunk.line_end}",
        )


def _cells(rank: str, relevance: str, fused: str, ranks: list[str], document: str, lines: str) -> str:
    """One row of the table; ``document`` has its width already."""
    columns = [right(rank, RANK), right(relevance, RELEVANCE), right(fused, FUSED)]
    columns += [right(each, CHANNEL) for each in ranks]
    return f"{' '.join(columns)}  {document} {right(lines, LINES)}"


def _rank(result: Result, name: str) -> str:
    """The rank in a channel, in brackets where it lies beyond the depth that fusion reads and so adds
    nothing.
    """
    hit = result.channels.get(name)
    if hit is None:
        return MISSING
    return str(hit.rank) if hit.in_view else f"({hit.rank})"


def _heading(chunk: Chunk) -> str:
    return one_line(chunk.heading_path[-1]) if chunk.heading_path else ""


def _whole(chunk: Chunk) -> str:
    heading = _heading(chunk)
    return f"{one_line(chunk.path)} › {heading}" if heading else one_line(chunk.path)


def _context(trace: Trace, columns: int) -> Iterator[str]:
    context = trace.context
    groups = f"{len(context.groups)} {'group' if len(context.groups) == 1 else 'groups'}"
    cut = ", cut to fit" if context.truncated else ""
    yield f"context   {groups}, {context.character_count:,} of {context.limit:,} characters, {_tokens(context.text)}{cut}"
    for group in context.groups:
        yield ""
        yield _group(group)
        yield from (f"    {row(line)}".rstrip() for line in sanitise(group.text.rstrip()).split("\n"))
    if context.left_out:
        yield ""
    places = {trace.ranking.chunk(int(position)).chunk_id: int(position) for position in trace.ranking.top}
    for left in context.left_out:
        position = places.get(left.chunk_id)
        name = left.chunk_id if position is None else _whole(trace.ranking.chunk(position))
        detail = f": {left.detail}" if left.detail else ""
        yield f"out {left.rank:>3}   {name}  {left.reason}{one_line(detail)}, needs {left.characters:,}"


def _group(group: ContextGroup) -> str:
    """``[1] 1+2  retry.md › 重试与隔离  L12–24  160 shared, once  2,214``."""
    ranks = "+".join(str(citation.rank) for citation in group.citations)
    heading = f" › {one_line(group.heading_path[-1])}" if group.heading_path else ""
    parts = [
        f"{one_line(group.evidence_id)} {ranks}",
        f"{one_line(group.path)}{heading}",
        f"L{group.line_start}–{group.line_end}",
    ]
    parts += [f"{group.shared:,} shared, once"] if group.shared else []
    parts += [f"with its {group.expansion}"] if group.expansion else []
    parts += ["cut"] if group.truncated else []
    return "  ".join([*parts, f"{group.characters:,} characters, {_tokens(group.text)}"])


def _tokens(text: str) -> str:
    return f"about {estimated_tokens(text):,} tokens"
