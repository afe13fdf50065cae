"""Where the dial next changes a rank, below and above its present value. Pure; imports numpy, so it is
loaded late.

A channel's weight is solved exactly: without a rerank every fused score is a line in it, and the first
change of an order of lines is where two neighbours cross. Every other setting is walked in its small steps,
by the same ``settle`` that serves a turn, one step for each turn of the generator, so that a key never
waits for more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.explain.lines import next_crossings as crossings
from engine.settings.fields import turned
from engine.trace import covers
from tui.widgets.tune import DECLARED, WEIGHTS, value_text

if TYPE_CHECKING:
    from engine.model import Recall
    from engine.rank.ranking import Ranking
    from engine.settings import Retrieval
    from engine.trace import Trace

    Settle = Callable[[Recall, Retrieval], Trace]

PACKED = frozenset(
    {"top_k", "context_max_characters", "adjacent_chunk_count", "document_quota", "duplicate_overlap"}
)
"""Settings whose effect is looked for in the context, not only in the ranks that serve."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a change is told by: the gated top k by rank, and which of them the context holds."""

    top: tuple[int, ...]
    ranks: tuple[int, ...]
    packed: tuple[str, ...]
    context: int


def foresee(trace: Trace, name: str, settle: Settle) -> Iterator[tuple[str, ...]]:
    """The lines below the dial, yielded empty while the walk goes on, and at last as they are."""
    known = DECLARED[name]
    if known.choices or known.kind == "boolean":
        yield from _others(trace, name, settle)
        return
    channel = WEIGHTS.get(name)
    if channel and not trace.recall.channel(channel).used:
        asked = trace.recall.channel(channel).requested
        yield ("no effect: it is off",) if asked else ("above 0: asked again",)
        return
    solved = channel and solvable(trace)
    if channel and solved:
        yield solve(trace.ranking, channel)
        return
    lines: list[str] = []
    for turns, word in ((-1, "below"), (1, "above")):
        line = ""
        for line in _walk(trace, name, turns, word, settle):
            if not line:
                yield ()
        lines.append(line)
    yield tuple(lines)


# --- weights, solved ------------------------------------------------------------------------------


def solvable(trace: Trace) -> bool:
    """Whether the order that serves is that of the fused scores alone."""
    retrieval = trace.retrieval
    return retrieval.rerank == "off" and retrieval.minimum_relevance == 0 and not retrieval.required_terms


def solve(ranking: Ranking, channel: str) -> tuple[str, str]:
    """Both lines for a weight, from the stored parts."""
    below, above = crossings(ranking, channel)
    return _crossing("below", below), _crossing("above", above)


def _crossing(word: str, found: tuple[float, int, int] | None) -> str:
    if found is None:
        return f"{word}: no change"
    weight, rank, other = found
    return f"{word} {weight:.2f}: " + (_swap(rank, other) if other == rank + 1 else f"{other} enters")


def _swap(rank: int, other: int) -> str:
    return f"{rank}, {other} swap" if other < 10 else f"{rank},{other} swap"


def _changed(name: str, value: object) -> dict[str, Any]:
    return {name: value}


# --- everything else, walked ----------------------------------------------------------------------


def served(trace: Trace) -> Served:
    """What a change is told by."""
    ranking, context = trace.ranking, trace.context
    positions = [int(position) for position in ranking.top]
    return Served(
        tuple(int(ranking.order[position]) for position in positions),
        tuple(position + 1 for position in positions),
        tuple(citation.chunk_id for group in context.groups for citation in group.citations),
        context.character_count,
    )


def told(now: Trace, then: Trace, packed: bool) -> str:
    """What differs, in a few words; empty where nothing does."""
    here, there = served(now), served(then)
    if packed and (words := _packing(now, here, there)):
        return words
    if here.top == there.top:
        return ""
    return _ranking(now, here, there)


def _ranking(now: Trace, here: Served, there: Served) -> str:
    entered = [candidate for candidate in there.top if candidate not in here.top]
    left = [candidate for candidate in here.top if candidate not in there.top]
    if entered:
        ranks = {int(candidate): rank for rank, candidate in enumerate(now.ranking.order.tolist(), 1)}
        first = ranks.get(entered[0])
        return f"{first} enters" if len(entered) == 1 and first else f"{len(entered)} enter"
    if left:
        return f"{here.ranks[here.top.index(left[0])]} leaves" if len(left) == 1 else f"{len(left)} leave"
    moved = [at for at, pair in enumerate(zip(here.top, there.top, strict=True)) if pair[0] != pair[1]]
    if len(moved) == 2:
        return _swap(here.ranks[moved[0]], here.ranks[moved[1]])
    return f"{len(moved)} move"


def _packing(now: Trace, here: Served, there: Served) -> str:
    ranks = {
        now.ranking.chunk(position).chunk_id: position + 1 for position in range(min(len(now.ranking), 40))
    }
    into = [chunk for chunk in there.packed if chunk not in here.packed]
    out = [chunk for chunk in here.packed if chunk not in there.packed]
    for chunks, word in ((into, "in"), (out, "out")):
        if len(chunks) == 1 and chunks[0] in ranks:
            return f"{ranks[chunks[0]]} {word}"
        if chunks:
            return f"{len(chunks)} {word}"
    return "other text" if here.context != there.context and here.top == there.top else ""


def _walk(trace: Trace, name: str, turns: int, word: str, settle: Settle) -> Iterator[str]:
    """Empty for each step that changed nothing, then one line."""
    known, packed = DECLARED[name], name in PACKED
    value = getattr(trace.retrieval, name)
    for step in range(1, 400):
        tried = turned(known, value, turns * step)
        if tried == turned(known, value, turns * (step - 1)):
            break
        wanted = replace(trace.retrieval, **_changed(name, tried))
        if not covers(trace.recall, wanted):
            yield f"at {value_text(name, tried)}: asked again"
            return
        then = settle(trace.recall, wanted)
        if words := told(trace, then, packed):
            yield f"at {value_text(name, tried)}: {words}"
            return
        yield ""
    yield f"{word}: no change" if tried != value else f"{word}: end of range"


def _others(trace: Trace, name: str, settle: Settle) -> Iterator[tuple[str, ...]]:
    """What each other choice would do to the ranks that serve."""
    known = DECLARED[name]
    present = getattr(trace.retrieval, name)
    lines: list[str] = []
    for choice in known.choices or (False, True):
        if choice != present:
            wanted = replace(trace.retrieval, **_changed(name, choice))
            words = "asked again"
            if covers(trace.recall, wanted):
                words = told(trace, settle(trace.recall, wanted), packed=False) or "no change"
            lines.append(f"{value_text(name, choice)}: {words}")
            yield ()
    yield tuple(lines[:2])
