"""The one sentence that explains what has the focus: a result, a setting, a group of the context, a sum.
Pure.
"""

from __future__ import annotations

from engine.model import ChannelHit, Context, Result
from engine.settings import Retrieval
from tui import text
from tui.widgets import figures
from tui.widgets.context import REASONS
from tui.widgets.tune import DECLARED, WEIGHTS, Tuning, label, value_text

NAMES = {"fulltext": "full text", "cjk": "cjk", "vector": "vector", "graph": "graph"}


def of_result(
    result: Result, found: int, was: int | None, context: Context, *, against: str = "", scores: bool = True
) -> str:
    """Where a result stands, which channels brought it there, how it moved, and whether it is in the context.

    ``was`` is its rank in what moves are measured ``against``, named unless nothing moved. ``scores`` adds the
    raw scores, where they stand nowhere else on the screen.
    """
    parts = [f"rank {result.rank} of {figures.whole(found)}: {_brought(result, scores)}"]
    if result.features and result.fused_rank != result.rank:
        parts.append(f"fused {figures.ordinal(result.fused_rank)}, the rerank moved it")
    if against:
        parts.append(_moved(was, result.rank, against))
    parts.append(_served(result, context))
    return "; ".join(part for part in parts if part)


def _brought(result: Result, scores: bool) -> str:
    hits = sorted(result.channels.items(), key=lambda one: (not one[1].in_view, one[1].rank))
    seen = [_ranked(name, hit, scores) for name, hit in hits if hit.in_view]
    beyond = [_ranked(name, hit, scores) for name, hit in hits if not hit.in_view]
    if not seen:
        return "beyond the depth of every channel"
    told = ", ".join(seen)
    if beyond:
        return f"{told}; beyond the depth {', '.join(beyond)}"
    return told if len(seen) > 1 else f"{told}, no other channel"


def _ranked(name: str, hit: ChannelHit, scores: bool) -> str:
    told = f"{figures.ordinal_word(hit.rank)} by {NAMES.get(name, name)}"
    return f"{told} ({figures.score(name, hit.score)})" if scores else told


def _moved(was: int | None, now: int, against: str) -> str:
    if was is None:
        return f"not found {'in' if against == 'A' else 'under'} {against}"
    if was == now:
        return ""
    return f"{'up' if now < was else 'down'} {abs(was - now)} against {against}"


def _served(result: Result, context: Context) -> str:
    for group in context.groups:
        if any(citation.chunk_id == result.chunk.chunk_id for citation in group.citations):
            return f"in the context as {text.one_line(group.evidence_id)}"
    for out in context.left_out:
        if out.chunk_id == result.chunk.chunk_id:
            return f"left out: {REASONS[out.reason]}" + (
                f", {text.one_line(out.detail)}" if out.detail else ""
            )
    return "below the cut"


def of_setting(tuning: Tuning) -> str:
    """What the dial does, its range, its steps, and the file's value."""
    known = DECLARED[tuning.dial]
    told = f"{label(tuning.dial)}: {known.help[:1].lower()}{known.help[1:].rstrip('.')}; {known.range}"
    if known.step:
        told += f", steps {known.step:g} and {known.big_step:,g}"
    if WEIGHTS.get(tuning.dial) in tuning.unavailable:
        told += "; the channel cannot serve now, the weight is kept"
    if tuning.differs(tuning.dial):
        told += f"; file {value_text(tuning.dial, getattr(tuning.file, tuning.dial))}"
    return told


def of_entry(context: Context, entry: int) -> str:
    """A group of the context, or what was left out of it, by its place in the ledger."""
    if entry < len(context.groups):
        group = context.groups[entry]
        ranks = [str(citation.rank) for citation in group.citations]
        told = (
            f"{text.one_line(group.evidence_id)} holds {'rank' if len(ranks) == 1 else 'ranks'} {_and(ranks)}"
        )
        told += f" in {figures.plural(group.characters, 'character')}"
        told += f", {figures.tokens(group.text)} of {figures.tokens(context.text)}"
        if group.shared:
            told += f"; the {figures.whole(group.shared)} that they share are sent once"
        if group.expansion:
            told += f"; with {group.expansion} around the hit"
        if group.truncated:
            told += "; cut to fit the budget"
        return told
    at = entry - len(context.groups)
    if at >= len(context.left_out):
        return ""
    out = context.left_out[at]
    need = figures.plural(out.characters, "character")
    detail = f", {text.one_line(out.detail)}" if out.detail else ""
    return f"rank {out.rank} is left out by {REASONS[out.reason]}: it needs {need}{detail}"


def of_sum(result: Result, retrieval: Retrieval) -> str:
    """The fused score with its numbers: ``fused .0507 = fulltext 1.00/(60+1) + cjk 1.00/(60+2)``."""
    terms = [
        _term(name, hit, retrieval) for name, hit in result.channels.items() if hit.in_view and hit.weight
    ]
    return f"fused {figures.fused(result.fused_score, retrieval.fusion)} = {' + '.join(terms) or '0'}"


def _term(name: str, hit: ChannelHit, retrieval: Retrieval) -> str:
    weight = figures.fixed(hit.weight)
    if retrieval.fusion == "rrf":
        return f"{name} {weight}/({retrieval.rrf_k}+{hit.rank})"
    return f"{name} {weight}×{figures.fraction(hit.part / hit.weight)}"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
