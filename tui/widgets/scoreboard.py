"""The loaded set in a few rows beside the settings: figures now, their change against A, cases gained and lost. Pure.

What is not true yet of the settings in force is muted, and stays where it stands.
"""

from __future__ import annotations

from tui import cells, tasks
from tui.evaluation import Evaluation, names, short
from tui.text import one_line
from tui.widgets import figures
from tui.widgets.line import ATTENTION, EMPTY, MUTED, PLAIN, STRONG, Line, cell, ends, fit

ROWS, FEW_ROWS = 6, 3
"""Rows of the whole block, and of the one for low screens."""

NO_SET = "no set: c makes the first case"


def block(value: Evaluation, top_k: int, width: int, height: int) -> list[Line]:
    """``EVALUATION``, and below it as much as there are rows for."""
    count = f"{value.answerable:,} cases" if value.answerable else ""
    title: Line = ends(((" EVALUATION", STRONG),), ((count, PLAIN),), width - 1)
    told = _told(value)
    if told is not None:
        return [title, *(fit(((f" {row}", MUTED),), width) for row in _rows(told, width - 2))][:height]
    shown = [_row(value, name, width) for name in names(top_k) if name != "ndcg@10"]
    if height < ROWS:
        return [title, shown[0], _moved(value, width)][:height]
    head: Line = (*_label("", width), cell("now", 5, MUTED), cell("vs A", 6, MUTED))
    return [title, fit(head, width), *shown, _moved(value, width)]


def brief(value: Evaluation, top_k: int) -> Line:
    """The first figure and its change, for a row of something else: ``recall@6 .850 +.025``; empty without a set."""
    if _told(value) is not None:
        told = tasks.short(value.progress)
        return ((told, MUTED),) if told else EMPTY
    name = names(top_k)[0]
    now, true = value.value(name)
    style = PLAIN if true else MUTED
    return ((f"{name} ", MUTED), (number(now), style), (f" {signed(value.change(name))}", style))


def _told(value: Evaluation) -> str | None:
    """What stands in place of figures; None where there are some."""
    if value.now is not None:
        return None
    if value.progress is not None:
        return tasks.sentence(value.progress) or "reading the set"
    if value.wrong:
        return one_line(value.wrong)
    if value.loaded is None or value.loaded.path is None:
        return NO_SET
    if value.loaded.problems:
        count = len(value.loaded.invalid)
        return f"{figures.plural(count, 'case does', 'cases do')} not fit: 3 says why"
    return "reading the set" if value.cases else "the set has no cases: c makes one"


def _rows(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in cells.wrap(text, width, ROWS - 1)]


def _label(name: str, width: int) -> Line:
    return (cell(f" {name}", width - 14, align="left", lead=0),)


def _row(value: Evaluation, name: str, width: int) -> Line:
    now, true = value.value(name)
    style = PLAIN if true else MUTED
    moved = value.change(name)
    return fit(
        (
            *_label(short(name), width),
            cell(number(now), 5, style),
            cell(signed(moved), 6, f"{STRONG} {style}".strip() if moved and true else style),
        ),
        width,
    )


def _moved(value: Evaluation, width: int) -> Line:
    """``2 gained, 1 lost``: cases whose evidence entered or left the context."""
    if value.wrong:
        return fit(((f" {one_line(value.wrong)}", ATTENTION),), width)
    gained, lost = value.moved
    told = f" {gained:,} gained, {lost:,} lost" if gained or lost else " no case flips"
    return fit(((told, PLAIN if value.true else MUTED),), width)


def number(value: float | None) -> str:
    """A figure of the set; what is not known is ``–``."""
    return figures.MISSING if value is None else figures.fraction(value)


def signed(value: float | None) -> str:
    """A change with its sign; ``=`` where there is none."""
    if value is None:
        return figures.MISSING
    if value == 0:
        return figures.SAME
    return f"+{figures.fraction(value)}" if value > 0 else f"−{figures.fraction(-value)}"
