"""Tasks as lines: what runs, what lies aside, what is kept for a rollback, and what was done. Pure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from engine.model import Progress
from tui import cells, tasks, text
from tui.widgets import figures
from tui.widgets.line import ATTENTION, FOCUS, MUTED, PLAIN, STRONG, Line, ends, fit
from tui.widgets.results import pane_title

if TYPE_CHECKING:
    from engine.model import Skipped
    from engine.pipeline.face import Aside, Task

Kind = Literal["running", "aside", "before", "task", "failure", "rest", "blank"]

WHEN, SHORT, WHAT, STATE, TOOK, FILES = 16, 11, 9, 11, 7, 16
NARROW, WIDE = 60, 80
"""Cells below which the year and what a task took are left out, and from which the files have a column."""

FAILURES = 20
"""Failures of one task that are listed; the rest is counted."""

BAR = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One row; ``task`` is the one that it is of, ``failure`` a file that it could not read."""

    kind: Kind
    task: Task | None = None
    failure: Skipped | None = None
    rest: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """All that the screen shows. ``doing`` names the task of this process that runs, and ``progress`` how far it is;
    ``before`` is the generation that a rollback would let serve."""

    tasks: tuple[Task, ...] = ()
    aside: Aside | None = None
    before: str = ""
    doing: str = ""
    progress: Progress | None = None
    settled: bool = field(default=True)


def rows(work: Work) -> tuple[Row, ...]:
    """What can be acted on first, then what was done, the latest first, each with what it could not read."""
    made: list[Row] = []
    if work.doing:
        made.append(Row("running"))
    if work.aside is not None and not (work.doing and not work.aside.whole):
        made.append(Row("aside"))
    if work.before:
        made.append(Row("before"))
    past = [task for task in work.tasks if not (work.doing and task.state == "running")]
    if made and past:
        made.append(Row("blank"))
    for task in past:
        made.append(Row("task", task))
        made += [Row("failure", task, failure) for failure in task.failures[:FAILURES]]
        if len(task.failures) > FAILURES:
            made.append(Row("rest", task, rest=len(task.failures) - FAILURES))
    return tuple(made)


def title(work: Work, width: int, focused: bool) -> Line:
    """``▸TASKS``, and how many there are of each sort."""
    counts = [
        "1 running" if work.doing else "",
        "1 aside" if work.aside is not None else "",
        f"{figures.whole(len(work.tasks))} recorded" if work.tasks else "",
    ]
    told = ", ".join(filter(None, counts)) or "nothing was done yet"
    return fit(ends(pane_title("TASKS", focused), ((told, MUTED),), width - 1), width)


def header(width: int) -> Line:
    """The titles of the columns."""
    parts = ["", cells.fit("when", _when(width)), cells.fit("task", WHAT), cells.fit("state", STATE)]
    parts += [cells.right("took", TOOK)] if width >= NARROW else []
    if width >= WIDE:
        parts += [cells.right("files", FILES)]
    return fit(((f" {'  '.join(parts)}", MUTED),), width)


def _when(width: int) -> int:
    return WHEN if width >= NARROW else SHORT


def line(work: Work, row: Row, width: int, *, cursor: bool, focused: bool) -> Line:
    """One row in exactly ``width`` cells."""
    mark = (("▸" if focused else "▹") if cursor else " ", FOCUS)
    strong = f"{STRONG} {FOCUS}" if cursor and focused else STRONG
    return fit((mark, *_content(work, row, width, strong, STRONG if cursor and focused else PLAIN)), width)


def _content(work: Work, row: Row, width: int, strong: str, plain: str) -> Line:
    match row.kind:
        case "running":
            return _running(work, width, strong)
        case "aside":
            assert work.aside is not None
            return _aside(work.aside, width, strong)
        case "before":
            return (
                (f"  {cells.fit('before', _when(width))}  ", strong),
                ("kept for a rollback: enter goes back", PLAIN),
            )
        case "failure":
            assert row.failure is not None
            told = f"{text.one_line(row.failure.path)}  {text.one_line(row.failure.reason)}"
            return ((f"      {told}", ATTENTION),)
        case "rest":
            return ((f"      and {figures.whole(row.rest)} more", MUTED),)
        case "task":
            assert row.task is not None
            return _task(row.task, width, plain)
    return ()


def _running(work: Work, width: int, strong: str) -> Line:
    told = tasks.sentence(work.progress) or "beginning"
    progress = work.progress
    bar: Line = ()
    if progress is not None and progress.total and width >= 100:
        full = round(BAR * min(1.0, progress.done / progress.total))
        bar = ((f"  {'█' * full}{'░' * (BAR - full)}", FOCUS),)
    return (
        (f"  {cells.fit('running', _when(width))}  ", strong),
        (f"{cells.fit(work.doing, WHAT)}  ", PLAIN),
        (told, PLAIN),
        *bar,
    )


def _aside(aside: Aside, width: int, strong: str) -> Line:
    state = (
        "whole, not serving"
        if aside.whole
        else f"{figures.whole(aside.files)} of {figures.whole(aside.of)} files finished"
    )
    return (
        (f"  {cells.fit('aside', _when(width))}  ", strong),
        (f"{figures.cut(aside.chunking)}  " if width >= NARROW else "", PLAIN),
        (state, ATTENTION),
        ("  enter: what to do", MUTED),
    )


def _task(task: Task, width: int, plain: str) -> Line:
    form = "%Y-%m-%d %H:%M" if width >= NARROW else "%m-%d %H:%M"
    when = time.strftime(form, time.localtime(task.started))
    took = figures.MISSING if task.seconds is None else tasks.clock(task.seconds)
    troubled = task.state in ("failed", "interrupted") or bool(task.failures)
    made: list[tuple[str, str]] = [
        (f"  {cells.fit(when, _when(width))}  ", MUTED),
        (f"{cells.fit(task.kind, WHAT)}  ", plain),
        (cells.fit(task.state, STATE), ATTENTION if troubled else PLAIN),
        (f"  {cells.right(took, TOOK)}" if width >= NARROW else "", PLAIN),
    ]
    if width >= WIDE:
        made.append((f"  {cells.right(_reached(task), FILES)}", PLAIN))
    if task.detail:
        made.append((f"  {text.one_line(task.detail)}", MUTED))
    return tuple(made)


def _reached(task: Task) -> str:
    if not task.total:
        return figures.MISSING
    return f"{figures.whole(task.done)} of {figures.whole(task.total)}"


def sentence(work: Work, row: Row | None) -> str:
    """What has the cursor, in words."""
    if row is None or row.kind == "blank":
        return "nothing was done yet: r reads the folder"
    if row.kind == "running":
        return (
            f"{work.doing}: {tasks.sentence(work.progress) or 'beginning'}; delete cancels, it resumes later"
        )
    if row.kind == "aside":
        assert work.aside is not None
        if work.aside.whole:
            return (
                "a rebuild is whole and waits: d shows what would change, r lets it serve, delete gives it up"
            )
        return "a rebuild was cut short: r goes on with it, enter offers to take over what is finished, delete drops it"
    if row.kind == "before":
        return "the index before the last rebuild: enter lets it serve again, with every edit made since"
    assert row.task is not None
    task = row.task
    if row.failure is not None:
        told = f"{text.one_line(row.failure.path)} was not read: {text.one_line(row.failure.reason)}"
        return f"{told}; what was indexed of it still serves, r tries again"
    ended = {
        "done": "done", "failed": "failed", "cancelled": "was cancelled", "running": "runs in another process",
        "interrupted": "was cut short: its process ended",
    }[task.state]  # fmt: skip
    kept = "" if task.state == "done" else "; what it had finished was kept"
    reason = f": {text.one_line(task.detail)}" if task.detail else ""
    failed = f"; {figures.plural(len(task.failures), 'file')} could not be read" if task.failures else ""
    return f"{task.kind} {ended}{reason}{failed}{kept}"


def summary(found: Sequence[Task]) -> str:
    """How the last one went, for whoever passes by."""
    return sentence(Work(tuple(found)), Row("task", found[0])) if found else ""
