"""What stands above the panes: channels with their counts and times, and the pipeline with each cut-off.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.model import ChannelRecall, Degradation
from tui import cells
from tui.widgets import figures
from tui.widgets.line import (
    ATTENTION,
    EMPTY,
    FOCUS,
    MUTED,
    PLAIN,
    STRONG,
    Line,
    ends,
    fit,
    join,
    measure,
)
from tui.widgets.results import TITLES

ABSENT = {
    "graph_off": "not built",
    "graph_stale": "stale",
    "graph_no_evidence": "no entity",
    "vector_off": "no vectors",
    "vector_incompatible": "other embedder",
    "vector_failed": "failed",
    "query_embedding_failed": "query not embedded",
    "embedder_loading": "loading",
    "fulltext_no_terms": "no terms",
    "cjk_no_terms": "no Chinese, Japanese or Korean",
    "cancelled": "cancelled",
}
"""Why a channel did not serve, in a word or two."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The counts behind one result: ``cut`` names the channels whose lists the view cut short."""

    view: int
    depth: int
    cut: tuple[str, ...]
    found: int
    passed: int
    top_k: int
    packed: int
    left_out: int
    unanswerable: bool = False


def cut_channels(channels: Sequence[ChannelRecall], view: int) -> tuple[str, ...]:
    """The channels that listed more than fusion reads."""
    return tuple(channel.channel for channel in channels if channel.used and channel.listed > view)


def channels(
    found: Sequence[ChannelRecall], degraded: Sequence[Degradation], width: int, *, note: str = ""
) -> Line:
    """Each channel with its candidates and time, or why it did not serve; ``note`` at the right end."""
    parts = [_channel(channel, degraded) for channel in found]
    line = join([((" channels", MUTED),), join(parts, "    ")])
    if measure(line) > width - 2:
        line = join([((" channels", MUTED),), join(parts, "  ")], "  ")
    if measure(line) > width - 2:
        line = join(
            [((" channels", MUTED),), join([_short(channel, degraded) for channel in found], "  ")], "  "
        )
    return fit(ends(line, ((note, ATTENTION),) if note else EMPTY, width - 1), width)


def pipeline(counts: Pipeline, width: int) -> Line:
    """``depth 24 of 200 cuts vector › found 58 › gate keeps 58 › top k 6 › packed 4, left out 2``."""
    deep = f"{counts.view} of {counts.depth}" if counts.view < counts.depth else str(counts.depth)
    cut = f" cuts {', '.join(counts.cut)}" if counts.cut else ""
    out = f", left out {counts.left_out}" if counts.left_out else ""
    gate: Line = ((f"gate keeps {figures.whole(counts.passed)}", PLAIN if counts.passed else ATTENTION),)
    if counts.unanswerable:
        gate = (*gate, (", unanswerable", ATTENTION))
    steps: list[Line] = [
        ((f"depth {deep}{cut}", PLAIN),),
        ((f"found {figures.whole(counts.found)}", PLAIN),),
        gate,
        ((f"top k {counts.top_k}", PLAIN),),
        ((f"packed {counts.packed}{out}", PLAIN),),
    ]
    line: Line = ((" pipeline   ", MUTED),)
    for at, step in enumerate(steps):
        line = (*line, ("  ›  " if at else "", MUTED), *step)
    return fit(line, width)


def summary(
    found: Sequence[ChannelRecall],
    troubled: bool,
    counts: Pipeline | None,
    width: int,
    *,
    note: str = "",
) -> Line:
    """Channels and pipeline in one row, for small screens: ``! text 48 cjk 60 graph – found 231, packed
    4``.
    """
    mark: Line = (("!" if troubled else " ", ATTENTION),)
    tail: Line = (("", PLAIN),)
    if note:
        tail = ((note, ATTENTION),)
    elif counts:
        tail = ((f"found {figures.whole(counts.found)}, packed {counts.packed}", PLAIN),)
    for make, gap in ((_brief, "  "), (_brief_bare, "  "), (_brief_bare, " ")):
        line = (*((" ", PLAIN),), *mark, (" ", PLAIN), *join([make(channel) for channel in found], gap))
        if measure(line) + 2 + measure(tail) <= width:
            return fit(ends(line, tail, width - 1) if note else (*line, ("  ", PLAIN), *tail), width)
    return fit(line, width)


def query_end(scopes: Sequence[str], elapsed: float | None, width: int, *, waiting: str = "") -> Line:
    """The right end of the query's row: whose documents are searched, and how long it took."""
    named = "all" if "*" in scopes else ", ".join(("public", *scopes))
    time: Line = ()
    if waiting:
        time = ((waiting, FOCUS),)
    elif elapsed is not None:
        time = ((figures.milliseconds(elapsed), PLAIN),)
    scope: Line = (("scope ", MUTED), (cells.cut(named, 24), PLAIN if named == "public" else STRONG))
    if width < 60 and not scopes:
        scope = EMPTY
    return join([scope, time])


def _channel(channel: ChannelRecall, degraded: Sequence[Degradation]) -> Line:
    name = channel.channel
    if not channel.used:
        return _absent(name, name, channel, degraded)
    told: Line = (
        (f"{name} ", MUTED),
        (f"{_candidates(channel)}, {figures.milliseconds(channel.milliseconds)}", PLAIN),
    )
    return (*told, *_remarks(channel))


def _short(channel: ChannelRecall, degraded: Sequence[Degradation]) -> Line:
    name = TITLES[channel.channel]
    if not channel.used:
        return _absent(name, name, channel, degraded)
    time = figures.milliseconds(channel.milliseconds)
    return ((f"{name} ", MUTED), (f"{_candidates(channel)}, {time}", PLAIN), *_remarks(channel))


def _absent(shown: str, name: str, channel: ChannelRecall, degraded: Sequence[Degradation]) -> Line:
    codes = [item.code for item in degraded if item.channel == channel.channel]
    why = next(
        (ABSENT[code] for code in codes if code in ABSENT), "not asked" if not channel.requested else "off"
    )
    return ((f"{shown} ", MUTED), (f"– {why}", ATTENTION if _missed(channel) else MUTED))


def _missed(channel: ChannelRecall) -> bool:
    """Whether a channel that is off is a fault: a graph that was never built is none."""
    return channel.requested and not channel.used and channel.channel != "graph"


def _brief(channel: ChannelRecall) -> Line:
    name = "vector" if channel.channel == "vector" else TITLES[channel.channel]
    if not channel.used:
        return ((f"{name} ", MUTED), (figures.MISSING, ATTENTION if _missed(channel) else MUTED))
    return ((f"{name} ", MUTED), (_candidates(channel), PLAIN), *_remarks(channel))


def _brief_bare(channel: ChannelRecall) -> Line:
    count = figures.whole(channel.listed) if channel.used else figures.MISSING
    return (
        (f"{TITLES[channel.channel]} ", MUTED),
        (count, PLAIN if channel.used else ATTENTION if _missed(channel) else MUTED),
    )


def _candidates(channel: ChannelRecall) -> str:
    if channel.matched > channel.listed:
        return f"{figures.whole(channel.listed)} of {figures.whole(channel.matched)}"
    return figures.whole(channel.listed)


def _remarks(channel: ChannelRecall) -> Line:
    made: Line = EMPTY
    if channel.waiting:
        made = (*made, (f", {figures.whole(channel.waiting)} waiting", ATTENTION))
    if channel.left_out:
        made = (*made, (f", {figures.whole(channel.left_out)} unusable", ATTENTION))
    return made
