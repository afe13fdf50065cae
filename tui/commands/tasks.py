"""``rankscope tasks PATH``: what was done to an index, what runs, and what lies aside unfinished."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from tui.commands.options import Opening, data_option, folder_argument, json_option, opening, settings_options

if TYPE_CHECKING:
    from engine.pipeline.face import Aside, Task

FAILURES = 5
"""Failures of one task that are named; ``--json`` names all that were kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """The last tasks, the latest first, what lies aside, and the generation that a rollback would serve."""

    tasks: tuple[Task, ...]
    aside: Aside | None
    before: str
    serving: str


@click.command("tasks")
@folder_argument
@click.option("--limit", metavar="N", type=click.IntRange(1, 1000), default=20, help="How many, the latest.")
@data_option
@settings_options
@json_option
def command(
    path: str,
    limit: int,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the syncs, rebuilds and other tasks of the folder PATH, the latest first."""
    from tui.commands.output import document, say
    from tui.commands.running import run

    opened = opening(path, data, settings_file, assignments)
    found = run(lambda _: _found(opened, limit))
    if as_json:
        document(to_json(found))
    else:
        say(lines(found))


async def _found(opened: Opening, limit: int) -> Found:
    from tui.commands.working import opened as library_of

    library = await library_of(opened)
    try:
        upkeep = library.upkeep
        return Found(
            await upkeep.tasks(limit), await upkeep.aside(), await upkeep.before(), library.serving().id
        )
    finally:
        await library.close()


def to_json(found: Found) -> dict[str, object]:
    return {
        "serving": found.serving,
        "before": found.before or None,
        "aside": asdict(found.aside) if found.aside else None,
        "tasks": [asdict(task) for task in found.tasks],
    }


def lines(found: Found) -> Iterator[str]:
    """One row a task, its failures below it; then what can be done."""
    if not found.tasks:
        yield "no task was recorded yet"
    width = max((len(task.kind) for task in found.tasks), default=0)
    for task in found.tasks:
        yield from _row(task, width)
    if found.aside:
        yield from ("", *aside_lines(found.aside))
    if found.before:
        yield ""
        yield f"kept from before: {found.before}; `rankscope rollback` lets it serve again"


def _row(task: Task, width: int) -> Iterator[str]:
    from tui.commands.output import clock

    began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(task.started))
    took = "–" if task.seconds is None else clock(task.seconds)
    reached = f"{task.done:,} of {task.total:,}" if task.total else ""
    told = "  ".join(filter(None, (f"{task.state:<11}", f"{took:>7}", f"{reached:>15}", task.detail)))
    yield f"{began}  {task.kind:<{width}}  {told}".rstrip()
    for failure in task.failures[:FAILURES]:
        yield f"    {failure.path}  {failure.reason}"
    if len(task.failures) > FAILURES:
        yield f"    and {len(task.failures) - FAILURES:,} more"


def aside_lines(aside: Aside) -> Sequence[str]:
    """What lies aside, and the three things that can be done with it."""
    from tui.widgets import figures

    state = "whole" if aside.whole else f"{aside.files:,} of {aside.of:,} files"
    return (
        f"aside: {aside.generation}, {figures.cut(aside.chunking)}, {state}",
        "`rankscope rebuild --resume` finishes it and lets it serve, `--take-over` lets serve what is finished,"
        " `--drop` gives it up",
    )
