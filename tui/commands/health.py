"""``rankscope health PATH``: the chunks that are likely to serve badly, grouped by cause, a sentence each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tui.commands.options import (
    Opening,
    data_option,
    folder_argument,
    is_terminal,
    json_option,
    opening,
    scope_names,
    scope_option,
    settings_options,
)

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.health import Health

LISTED = 10
"""Chunks of one cause that are named one by one; ``--json`` names all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found. ``seconds`` is the whole examination."""

    root: str
    health: Health
    seconds: float


@click.command("health")
@folder_argument
@data_option
@settings_options
@scope_option
@json_option
def command(
    path: str,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    scopes: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the chunks of the folder PATH that are likely to serve badly, by cause."""
    from tui.commands.output import document, say
    from tui.commands.running import run

    opened, names = opening(path, data, settings_file, assignments), scope_names(scopes)
    outcome = run(lambda cancel: _examined(opened, names, cancel))
    if as_json:
        document(to_json(outcome))
    else:
        say(lines(outcome))


async def _examined(opened: Opening, scopes: tuple[str, ...], cancel: CancelToken) -> Outcome:
    from engine.health import Health
    from engine.library import Library
    from tui.commands.output import ProgressLine

    line, began = ProgressLine(shown=is_terminal(2)), time.perf_counter()
    found: Health | None = None
    library = await Library.open(
        opened.root, settings=opened.resolved.settings, data=opened.data, create=False
    )
    try:
        async for step in library.health.run(scopes=scopes, cancel=cancel):
            if isinstance(step, Health):
                found = step
            else:
                line.show(step)
    finally:
        line.clear()
        await library.close()
    assert found is not None
    return Outcome(str(opened.root), found, time.perf_counter() - began)


def to_json(outcome: Outcome) -> dict[str, object]:
    from engine.health import CAUSES

    health = outcome.health
    return {
        "library": outcome.root,
        "duration_ms": outcome.seconds * 1000,
        "documents": health.documents,
        "chunks": health.chunks,
        "measured": health.measured,
        "causes": {
            cause: {"meaning": meaning, "cases": [case.to_json() for case in health.of(cause)]}
            for cause, meaning in CAUSES.items()
        },
    }


def lines(outcome: Outcome) -> list[str]:
    """Every cause that has a case, its chunks below it, and how neighbours were measured."""
    from tui.commands.output import counted

    health = outcome.health
    looked = f"{counted(health.documents, 'document')}, {counted(health.chunks, 'chunk')}"
    what = f"{counted(len(health.cases), 'case')}" if health.cases else "nothing to tell"
    return [f"{looked}: {what}  {outcome.seconds:.1f} s", *_causes(health), health.measured]


def _causes(health: Health) -> Iterator[str]:
    from engine.health import CAUSES

    for cause, meaning in CAUSES.items():
        cases = health.of(cause)
        if not cases:
            continue
        yield f"{cause.replace('_', ' ')}, {len(cases):,}: {meaning}"
        for case in cases[:LISTED]:
            where = f"{case.path}:{case.line_start}" if case.chunk_id else case.path
            yield f"  {where}  {case.sentence}"
        if len(cases) > LISTED:
            yield f"  and {len(cases) - LISTED:,} more"
