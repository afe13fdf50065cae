"""The retrieval settings as lines, by stage of the pipeline, and the foot of the one that turns. Pure.

Reads every setting's label, range, steps and choices from its declaration in ``engine.settings``; only the
order on the screen is given here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.model import CHANNELS
from engine.settings import Field, Retrieval, fields_of, shown
from tui import cells
from tui.widgets.line import ATTENTION, EMPTY, FOCUS, MUTED, PLAIN, STRONG, Line, blank, ends, fit, measure

DECLARED: dict[str, Field] = {field.name: field for field in fields_of("retrieval")}
"""How each retrieval setting is declared, by its name."""

STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("recall", ("candidate_multiplier",)),
    ("fuse", ("fusion", "fulltext_weight", "cjk_weight", "vector_weight", "graph_weight", "rrf_k")),
    ("rank", ("rerank", "minimum_relevance", "minimum_vector_similarity", "score_margin", "required_terms")),
    ("pack", (
        "top_k", "context_max_characters", "adjacent_chunk_count", "document_quota", "duplicate_overlap",
    )),
)  # fmt: skip
"""The stages and their settings in the order of the screen."""

DIALS: tuple[str, ...] = tuple(name for _, names in STAGES for name in names)
"""Every setting that the dial can be, in the order of the screen."""

WEIGHTS: dict[str, str] = {f"{channel}_weight": channel for channel in CHANNELS}
"""Weight settings and their channels."""


COLUMN, WITH_HELP = 28, 60
"""Cells of names and values where help stands beside them, and from which width on it does."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the pane shows: settings in force, those of the file, the dial, and the channels that cannot
    serve.

    ``depth`` is how many candidates of each channel the recall froze.
    """

    now: Retrieval
    file: Retrieval
    dial: str
    unavailable: frozenset[str] = frozenset()
    depth: int = 200

    def differs(self, name: str) -> bool:
        return bool(getattr(self.now, name) != getattr(self.file, name))

    @property
    def count(self) -> int:
        """How many settings differ from the file's."""
        return sum(self.differs(name) for name in DIALS)


def label(name: str) -> str:
    """What the screen calls a setting."""
    return DECLARED[name].label or name


def value_text(name: str, value: object) -> str:
    """A setting's value as written on the screen: ``0.80``, ``6,000``, ``off``, ``true``."""
    if name == "document_quota" and value == 0:
        return "off"
    if name == "candidate_multiplier":
        return f"{value}×"
    return shown(DECLARED[name], value)


def depth_text(tuning: Tuning, width: int) -> str:
    """How deep fusion reads: ``4× = 24 of 200``, shorter where the width is not there."""
    times, view = tuning.now.candidate_multiplier, tuning.now.candidate_multiplier * tuning.now.top_k
    if view >= tuning.depth:
        return f"{times}× = {tuning.depth}"
    forms = (f"{times}× = {view} of {tuning.depth}", f"{times}×={view} of {tuning.depth}", f"{times}×={view}")
    return next((form for form in forms if cells.width(form) <= width), forms[-1])


def title(tuning: Tuning, width: int, focused: bool) -> Line:
    """``TUNE``, and how many settings differ from the file."""
    left: Line = (("▸" if focused else " ", FOCUS), ("TUNE", f"{STRONG} {FOCUS}" if focused else STRONG))
    count = f"* {tuning.count} differ{'s' if tuning.count == 1 else ''}"
    return fit(ends(left, ((count, PLAIN),) if tuning.count else EMPTY, width - 1), width)


def rows(tuning: Tuning, width: int, focused: bool) -> tuple[tuple[str, Line], ...]:
    """Every row below the title, with the setting it is for (empty for the name of a stage).

    Where the pane is wide, what each setting does stands beside it.
    """
    if width >= WITH_HELP:
        return tuple(
            (name, fit((*line, (f"  {DECLARED[name].help}" if name else "", MUTED)), width))
            for name, line in rows(tuning, COLUMN, focused)
        )
    made: list[tuple[str, Line]] = []
    for stage, names in STAGES:
        made.append(("", fit(((f" {stage}", MUTED),), width)))
        made.extend((name, _row(tuning, name, width, focused)) for name in names)
    return tuple(made)


def _row(tuning: Tuning, name: str, width: int, focused: bool) -> Line:
    turning, differs = name == tuning.dial, tuning.differs(name)
    missing = WEIGHTS.get(name) in tuning.unavailable
    style = MUTED if missing else (STRONG if differs else PLAIN)
    named = f"{STRONG} {FOCUS}" if turning else (MUTED if missing else PLAIN)
    room = width - 1 - 2 - cells.width(label(name)) - 1
    value = (
        depth_text(tuning, room)
        if name == "candidate_multiplier"
        else value_text(name, getattr(tuning.now, name))
    )
    left: Line = (
        (("▸" if focused else "▹") if turning else " ", FOCUS),
        ("*" if differs else " ", STRONG),
        (label(name), named),
    )
    right: Line = (("– " if missing else "", ATTENTION), (value, style))
    return fit(ends(left, right, width - 1), width)


def foot(tuning: Tuning, foresight: tuple[str, ...], width: int) -> tuple[Line, ...]:
    """The dial in four rows: name and the file's value, its range or choices, and where it next changes a
    rank.

    ``foresight`` is up to two short lines; empty while it is being worked out.
    """
    name = tuning.dial
    left: Line = ((" " + label(name).upper(), STRONG),)
    right: Line = ((f"file {value_text(name, getattr(tuning.file, name))}", MUTED),)
    told = [fit(((f" {text}", PLAIN),), width) for text in foresight]
    top = fit(ends(left, right, width - 1), width)
    return (top, fit(_range(tuning, width), width), *told, *(fit(EMPTY, width) for _ in range(2 - len(told))))


def _range(tuning: Tuning, width: int) -> Line:
    declared, value = DECLARED[tuning.dial], getattr(tuning.now, tuning.dial)
    if declared.kind in ("integer", "number"):
        return _bar(tuning.dial, float(value), width)
    choices = declared.choices or ("false", "true")
    present = value_text(tuning.dial, value)
    return tuple(
        (f"▹{word} ", f"{STRONG} {FOCUS}") if word == present else (f" {word} ", MUTED) for word in choices
    )


def _bar(name: str, value: float, width: int) -> Line:
    """The whole range of a number, with its present place marked: ``0 ╌╌╌|╌╌ 2``."""
    declared = DECLARED[name]
    first, last = declared.minimum or 0.0, declared.maximum or 1.0
    low, high = (f"{bound:,g}" for bound in (first, last))
    size = max(3, width - 5 - len(low) - len(high))
    share = (value - first) / (last - first)
    at = min(size - 1, math.floor(max(0.0, share) * (size - 1) + 0.5))
    return (
        *blank(1),
        (f"{low} ", MUTED),
        ("╌" * at, MUTED),
        ("|", f"{STRONG} {FOCUS}"),
        ("╌" * (size - 1 - at), MUTED),
        (f" {high}", MUTED),
    )


def foreseen(foresight: tuple[str, ...]) -> Line:
    """Where the dial next changes a rank, for the end of a row; empty while it is being worked out."""
    return ((foresight[0], MUTED),) if foresight else EMPTY


def turning(tuning: Tuning, told: Line, width: int) -> Line:
    """The dial in one row, for screens that do not show Tune: value, the file's, what else differs; and at its end
    what is ``told`` beside.
    """
    name = tuning.dial
    star = "*" if tuning.differs(name) else " "
    here: Line = (
        ("▹", FOCUS),
        (label(name), f"{STRONG} {FOCUS}"),
        (f" {star} ", STRONG),
        (value_text(name, getattr(tuning.now, name)), STRONG if tuning.differs(name) else PLAIN),
        (f"  file {value_text(name, getattr(tuning.file, name))}", MUTED),
    )
    others = [other for other in ("top_k", "rerank", "fusion", "context_max_characters") if other != name]
    more: list[Line] = [
        ((f"{label(other)} ", MUTED), (value_text(other, getattr(tuning.now, other)), PLAIN),
         ("*" if tuning.differs(other) else "", STRONG))
        for other in others
    ]  # fmt: skip
    if measure(here) + 2 + measure(told) >= width:
        told = EMPTY
    line = here
    for part in more:
        if measure(line) + 3 + measure(part) + 2 + measure(told) >= width:
            break
        line = (*line, ("   ", PLAIN), *part)
    return fit(ends(line, told, width - 1), width)
