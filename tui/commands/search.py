"""``rankscope search PATH QUERY``: one question, everything that happened to it, and the context."""

from __future__ import annotations

import os
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
    from engine.trace import Trace

PLAIN_COLUMNS = 120
"""Width of a table that goes to no terminal."""


@click.command("search")
@folder_argument
@click.argument("query", metavar="QUERY")
@data_option
@click.option(
    "--top-k", metavar="N", help="How many results may enter the context; the same as --set top_k=N."
)
@settings_options
@scope_option
@json_option
def command(
    path: str,
    query: str,
    data: str | None,
    top_k: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    scopes: tuple[str, ...],
    as_json: bool,
) -> None:
    """Ask the library of the folder PATH one QUERY."""
    from engine.pipeline.query import checked
    from tui.commands.output import document, say
    from tui.commands.running import run
    from tui.commands.search_rows import rows

    checked(query)
    given = (*assignments, f"retrieval.top_k={top_k}") if top_k is not None else assignments
    opened = opening(path, data, settings_file, given)
    names = scope_names(scopes)
    trace = run(lambda cancel: asked(opened, query, names, cancel))
    if as_json:
        document(to_json(trace))
    else:
        say(rows(trace, _columns()))


def to_json(trace: Trace) -> dict[str, object]:
    """The trace's document, with the results that ``top_k`` lets in: what lies below is for a screen to scroll to."""
    ranks = {int(position) + 1 for position in trace.ranking.top}
    found = trace.to_json()
    results = found["results"]
    assert isinstance(results, list)
    return {**found, "results": [result for result in results if result["rank"] in ranks]}


async def asked(opened: Opening, query: str, scopes: tuple[str, ...], cancel: CancelToken) -> Trace:
    from engine.library import Library

    library = await Library.open(
        opened.root, settings=opened.resolved.settings, data=opened.data, create=False
    )
    try:
        return await library.retrieve(query, opened.resolved.settings.retrieval, scopes=scopes, cancel=cancel)
    finally:
        await library.close()


def _columns() -> int:
    if not is_terminal(1):
        return PLAIN_COLUMNS
    return max(40, os.get_terminal_size(1).columns or PLAIN_COLUMNS)
