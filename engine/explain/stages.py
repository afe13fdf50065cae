"""A target's way through the stages as rows, and the verdict in one sentence. Pure; reads a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.explain.layers import fate, fused_would_serve, holder, in_top, positions
from engine.explain.verdict import StageRow
from engine.model import CHANNELS
from engine.rank.rerank import POOL
from engine.rank.terms import required_units

if TYPE_CHECKING:
    from engine.explain.verdict import Layer, Place, Standing
    from engine.model import LeftOut
    from engine.trace import Trace

LINES_TOLD = 3
"""Lines of a bill that a row names."""


def stage_rows(
    trace: Trace, place: Place, chunk_id: str, standings: Sequence[Standing], corpus: StageRow
) -> tuple[StageRow, ...]:
    """From the corpus to the pack. ``chunk_id`` is the chunk of the target that came furthest."""
    return (
        corpus,
        *(_channel(trace, chunk_id, standing) for standing in standings),
        _fused(trace, chunk_id),
        _rerank(trace, chunk_id),
        _gate(trace, chunk_id),
        _top_k(trace, chunk_id),
        _pack(trace, place, chunk_id),
    )


# --- recall -------------------------------------------------------------------------------------------------


def _channel(trace: Trace, chunk_id: str, standing: Standing) -> StageRow:
    kept, because = _recalled(trace, standing)
    of = standing.of if trace.recall.channel(standing.channel).used else None
    return StageRow(standing.channel, standing.rank, of, standing.score, kept, because)


def _recalled(trace: Trace, standing: Standing) -> tuple[bool | None, str]:
    """Whether a channel hands the chunk on to fusion, and why not."""
    retrieval, name = trace.retrieval, standing.channel
    if retrieval.weight(name) == 0:
        return None, "not asked: its weight is 0"
    if not trace.recall.channel(name).used:
        return None, standing.because or "did not serve"
    if standing.rank is None:
        return False, standing.because
    if standing.rank > trace.ranking.view:
        return False, f"beyond the depth: fusion reads the first {trace.ranking.view}"
    minimum = retrieval.minimum_vector_similarity
    if name == "vector" and minimum > 0 and standing.score is not None and standing.score < minimum:
        return False, f"below the minimum similarity, {minimum:.2f}"
    return True, standing.because


# --- rank ---------------------------------------------------------------------------------------------------


def _row(trace: Trace, chunk_id: str) -> tuple[int, int] | None:
    """Position in the final order and candidate row; None where fusion did not keep the chunk."""
    position = positions(trace.ranking).get(chunk_id)
    return None if position is None else (position, int(trace.ranking.order[position]))


def _fused(trace: Trace, chunk_id: str) -> StageRow:
    at, ranking = _row(trace, chunk_id), trace.ranking
    if at is None:
        return StageRow("fused", of=ranking.found, kept=False, because="no channel hands it on")
    _, row = at
    return StageRow(
        "fused", int(ranking.fused_rank[row]), ranking.found, float(ranking.fused.score[row]), True,
        _parts(trace, row),
    )  # fmt: skip


def _parts(trace: Trace, row: int) -> str:
    """``cjk .0161 + vector .0182``."""
    parts = trace.ranking.fused.parts[row]
    told = (
        f"{name} {_decimal(parts[column], 4)}" for column, name in enumerate(CHANNELS) if parts[column] > 0
    )
    return " + ".join(told)


def _rerank(trace: Trace, chunk_id: str) -> StageRow:
    at, ranking = _row(trace, chunk_id), trace.ranking
    if trace.retrieval.rerank == "off":
        return StageRow("rerank", because="off")
    if at is None:
        return StageRow("rerank")
    position, row = at
    because = _bill(trace, row)
    return StageRow("rerank", position + 1, ranking.found, float(ranking.relevance[row]), True, because)


def _bill(trace: Trace, row: int) -> str:
    """The lines of the bill that matter most: ``coverage +.160, similarity +.114``."""
    ranking = trace.ranking
    if ranking.fused_rank[row] > POOL:
        return f"beyond the first {POOL}, which alone are weighed"
    lines = ranking.bill.contributions(row) if ranking.bill else ()
    told = sorted((line for line in lines if line.part), key=lambda line: -abs(line.part))[:LINES_TOLD]
    return ", ".join(f"{line.feature.replace('_', ' ')} {_signed(line.part)}" for line in told)


def _gate(trace: Trace, chunk_id: str) -> StageRow:
    at, ranking = _row(trace, chunk_id), trace.ranking
    if at is None:
        return StageRow("gate")
    position, row = at
    kept, relevance = bool(ranking.kept[position]), float(ranking.relevance[row])
    return StageRow("gate", position + 1, ranking.found, relevance, kept, gate_reason(trace, row))


def gate_reason(trace: Trace, row: int) -> str:
    """What the gate made of a candidate."""
    ranking, gate = trace.ranking, trace.ranking.gate
    relevance = float(ranking.relevance[row])
    if relevance < gate.minimum:
        return f"relevance {_decimal(relevance, 3)} is below the minimum, {gate.minimum:.2f}"
    missing = [
        trace.recall.query[unit.start : unit.end]
        for unit in (required_units(ranking.recall) if trace.retrieval.required_terms else ())
        if not unit.held(ranking.recall, np.array([row], dtype=np.intp))[0]
    ]
    if missing:
        return f"lacks the required {', '.join(dict.fromkeys(missing))}"
    if gate.minimum > 0:
        return f"relevance {_decimal(relevance, 3)} is at least {gate.minimum:.2f}"
    return "holds every required term" if trace.retrieval.required_terms else "no threshold is set"


def _top_k(trace: Trace, chunk_id: str) -> StageRow:
    at, ranking = _row(trace, chunk_id), trace.ranking
    top_k = trace.retrieval.top_k
    if at is None or not ranking.kept[at[0]]:
        return StageRow("top k", of=top_k)
    position, row = at
    place = int(ranking.kept[: position + 1].sum())
    if in_top(ranking, position):
        return StageRow("top k", place, top_k, kept=True)
    moved = f"fusion had it {ordinal(int(ranking.fused_rank[row]))}"
    because = moved if fused_would_serve(ranking, position) else f"only the first {top_k} enter"
    return StageRow("top k", place, top_k, kept=False, because=because)


# --- pack ---------------------------------------------------------------------------------------------------


def _pack(trace: Trace, place: Place, chunk_id: str) -> StageRow:
    group = holder(trace.context, place)
    if group is not None:
        own = any(citation.chunk_id in place.homes for citation in group.citations)
        beside = f", with its {group.expansion}" if group.expansion else ""
        by = "" if own else f", by its {group.expansion or 'neighbours'}"
        return StageRow("pack", kept=True, because=f"in as {group.evidence_id}{by or beside}")
    left = left_out(trace, chunk_id)
    if left is not None:
        return StageRow(
            "pack", score=float(left.characters), kept=False, because=f"{left.reason}: {left.detail}"
        )
    if fate(trace, chunk_id).layer == "context":
        return StageRow("pack", kept=False, because="only a part of it is in")
    return StageRow("pack")


def left_out(trace: Trace, chunk_id: str) -> LeftOut | None:
    return next((left for left in trace.context.left_out if left.chunk_id == chunk_id), None)


# --- in one sentence ----------------------------------------------------------------------------------------


def sentence(trace: Trace, place: Place, layer: Layer, chunk_id: str, standings: Sequence[Standing]) -> str:
    """The verdict on a target that is in the index."""
    ranking = trace.ranking
    at = _row(trace, chunk_id)
    rank, fused = (at[0] + 1, int(ranking.fused_rank[at[1]])) if at else (0, 0)
    left = left_out(trace, chunk_id)
    match layer:
        case "context":
            group = holder(trace.context, place)
            said = f" ({ordinal(rank)} of {ranking.found:,})" if rank else ""
            return f"it is in the context, as {group.evidence_id if group else '–'}{said}"
        case "split":
            return f"cut by a chunk boundary: {cut_between(place)}"
        case "disabled":
            return "an edit says something else in its place" if place.replaced else "its chunk is disabled"
        case "not_recalled":
            return f"not recalled: {_not_recalled(trace, standings)}"
        case "fusion":
            return f"lost in fusion: {ordinal(fused)} of {ranking.found:,}, and top k lets in {_top(trace)}"
        case "rerank":
            return (
                f"lost in the rerank: {ordinal(fused)} by fusion, {ordinal(rank)} by the rerank, "
                f"and top k lets in {_top(trace)}"
            )
        case "gate":
            assert at is not None
            return f"lost at the gate: ranked {ordinal(rank)}, but {gate_reason(trace, at[1])}"
        case "duplicate":
            return f"left out as a duplicate: ranked {ordinal(rank)}, {left.detail if left else ''}"
        case "quota":
            return f"left out by the quota: ranked {ordinal(rank)}, {left.detail if left else ''}"
        case _:
            return f"lost at the pack: {_over(trace, rank, left)}"


def _over(trace: Trace, rank: int, left: LeftOut | None) -> str:
    limit = trace.context.limit
    if left is None:
        return f"ranked {ordinal(rank)}, but {limit:,} characters hold only a part of it"
    free = left.detail.removesuffix(" left")
    if free == left.detail:
        return f"ranked {ordinal(rank)}, it {left.detail}, which did not fit into {limit:,} characters"
    return (
        f"ranked {ordinal(rank)}, but it needs {left.characters:,} characters "
        f"and {int(free):,} of {limit:,} are left"
    )


def _top(trace: Trace) -> str:
    return f"{trace.retrieval.top_k}"


def _not_recalled(trace: Trace, standings: Sequence[Standing]) -> str:
    """What each channel that served has to say."""
    told = []
    for standing in standings:
        kept, because = _recalled(trace, standing)
        if kept is None:
            continue
        rank = f"{ordinal(standing.rank)} of {standing.of:,}, " if standing.rank else ""
        told.append(f"{standing.channel} {rank}{because}")
    return "; ".join(told) or "no channel serves"


def cut_between(place: Place) -> str:
    """``split between chunks 12 and 13 of retry.md``."""
    ordinals = [chunk.ordinal for chunk in place.chunks]
    if len(ordinals) == 1:
        return f"only a part of it lies in chunk {ordinals[0]} of {place.path}"
    return f"split between chunks {', '.join(map(str, ordinals[:-1]))} and {ordinals[-1]} of {place.path}"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``, ``1,003rd``."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if 10 < number % 100 < 14 else ending}"


def _decimal(value: float, places: int) -> str:
    """``.0161``, ``1.000``."""
    return f"{value:.{places}f}".removeprefix("0") if value < 1 else f"{value:.{places}f}"


def _signed(value: float) -> str:
    """``+.114``, ``−.050``."""
    return f"{'−' if value < 0 else '+'}{_decimal(abs(value), 3)}"
