"""What an edit would do to the library's own set, as lines: its evidence, the metrics, the cases that flip. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.catalogue.evidence import SET
from tui import cells, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, Span

if TYPE_CHECKING:
    from engine.evaluate.compare import Flip
    from engine.evaluate.effect import Effect
    from engine.settings import Retrieval

STANDINGS = ("whole", "split", "lost")
CONTEXT = "context_recall"
LABELS = {CONTEXT: "context"}
NAME, VALUE = 12, 8
SIDE_BY_SIDE = 2 * (NAME + 3 * VALUE) + 4
FLIPS = 3
"""Cases that flip which are named."""


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What is known of an edit that is tried: its ``found``, or how far it is, or what is ``wrong``; nothing of these
    where there is no set. ``names`` are the metrics."""

    names: tuple[str, ...]
    found: Effect | None = None
    waiting: str = ""
    wrong: str = ""

    @property
    def told(self) -> bool:
        """Whether there is a set, as far as is known."""
        return self.found is not None or bool(self.waiting)


def metrics(retrieval: Retrieval) -> tuple[str, ...]:
    """What is measured: recall at the depth that serves, and where the first relevant chunk stands."""
    return f"recall@{retrieval.top_k}", "mrr@10"


def rows(tried: Tried, width: int) -> list[Line]:
    """The set, then a table of evidence and one of metrics, beside each other where there is room. What is not known
    yet is muted, in as many rows as it will have."""
    if not tried.told:
        told = tried.wrong or f"no {SET} beside the documents: what the edit does to questions is not known"
        style = ATTENTION if tried.wrong else MUTED
        return [((part, style),) for part in _wrapped(text.one_line(told), width)]
    found = tried.found
    cases = "" if found is None else f", {figures.plural(found.cases, 'case')}"
    head: Line = ((SET, STRONG), (cases, MUTED), (f"  {tried.waiting}" if tried.waiting else "", MUTED))
    evidence, measured = _evidence(found), _metrics(found, tried.names)
    if width >= SIDE_BY_SIDE:
        evidence += [((" " * (NAME + 3 * VALUE), PLAIN),)] * (len(measured) - len(evidence))
        measured += [EMPTY] * (len(evidence) - len(measured))
        both = [(*one, (" " * 4, PLAIN), *other) for one, other in zip(evidence, measured, strict=True)]
    else:
        both = [*evidence, *measured[1:]]
    return [head, *both, *_flips(found, width)]


def brief(tried: Tried) -> Line:
    """The same in a row: each figure as it would be, with its change; what is not known is muted."""
    found = tried.found
    if found is None:
        told = tried.waiting or text.one_line(tried.wrong) or f"no {SET}"
        return ((told, ATTENTION if tried.wrong else MUTED),)
    made: list[Span] = []
    for name in (*tried.names, CONTEXT):
        if (pair := found.metrics.get(name)) is not None:
            change = round(pair[1] - pair[0], 3)
            told = f"{figures.fraction(pair[1])} {_signed(change, figures.fraction(abs(change)))}"
            style = ATTENTION if change < 0 else STRONG if change else PLAIN
            made += [(f"{LABELS.get(name, name)} ", MUTED), (f"{told}   ", style)]
    lost = sum(not flip.gained for flip in found.flips)
    flips = f"{figures.whole(lost)} lost, {figures.whole(len(found.flips) - lost)} gained"
    return (*made, (flips if found.flips else "no case flips", ATTENTION if lost else MUTED))


def _evidence(found: Effect | None) -> list[Line]:
    made = [_header("evidence")]
    for name in STANDINGS:
        now = None if found is None else getattr(found.now, name)
        then = None if found is None else getattr(found.then, name)
        shown = [figures.MISSING if value is None else figures.whole(value) for value in (now, then)]
        change = 0 if now is None or then is None else then - now
        worse = change < 0 if name == "whole" else change > 0
        told = figures.MISSING if found is None else _signed(change, figures.whole(abs(change)))
        made.append(_pair(name, (*shown, told), found is None, worse))
    return made


def _metrics(found: Effect | None, names: Sequence[str]) -> list[Line]:
    made = [_header("metric")]
    for name in (*names, CONTEXT):
        label = LABELS.get(name, name)
        pair = None if found is None else found.metrics.get(name)
        if pair is None:
            made.append(_pair(label, (figures.MISSING,) * 3, True, False))
            continue
        now, then = pair
        change = round(then - now, 3)
        shown = figures.fraction(now), figures.fraction(then), _signed(change, figures.fraction(abs(change)))
        made.append(_pair(label, shown, False, change < 0))
    return made


def _header(name: str) -> Line:
    return (
        (cells.fit(name, NAME), MUTED),
        *((cells.right(one, VALUE), MUTED) for one in ("now", "then", "")),
    )


def _pair(name: str, shown: Sequence[str], muted: bool, worse: bool) -> Line:
    now, then, change = (cells.right(one, VALUE) for one in shown)
    style = MUTED if muted else ATTENTION if worse else PLAIN if change.strip() == figures.SAME else STRONG
    last: Span = (change, style)
    return ((f"{cells.fit(name, NAME)}", MUTED if muted else PLAIN), (now, MUTED), (then, style), last)


def _signed(change: float, size: str) -> str:
    return figures.SAME if not change else f"{'+' if change > 0 else cells.MINUS}{size}"


def _flips(found: Effect | None, width: int) -> list[Line]:
    """The cases whose evidence would enter or leave the context, those that leave first."""
    if found is None:
        return [(("flips not known yet", MUTED),)]
    if not found.flips:
        return [(("no case flips", MUTED),)]
    lost = sum(not flip.gained for flip in found.flips)
    told = f"{figures.whole(lost)} lost, {figures.whole(len(found.flips) - lost)} gained"
    named = sorted(found.flips, key=lambda flip: flip.gained)[:FLIPS]
    made: list[Line] = [((told, ATTENTION if lost else STRONG),)]
    made += [((f"  {cells.cut(_flip(flip), max(10, width - 2))}", PLAIN),) for flip in named]
    if len(found.flips) > FLIPS:
        made.append(((f"  and {figures.whole(len(found.flips) - FLIPS)} more", MUTED),))
    return made


def _flip(flip: Flip) -> str:
    """``q07 context > split  重试三次以后任务会怎么样？``."""
    return f"{text.one_line(flip.case_id)} {flip.before} > {flip.after}  {text.one_line(flip.query)}"


def _wrapped(told: str, width: int) -> list[str]:
    return [told[start:end] for start, end in cells.wrap(told, max(10, width - 1))]
