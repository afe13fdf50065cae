"""``rankscope why PATH QUERY (--chunk ID | --text TEXT)``: the layer that lost a target, and what would change it."""

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
    from engine.explain import Target, Verdict

PLAIN_COLUMNS = 120
"""Width of a table that goes to no terminal."""


@click.command("why")
@folder_argument
@click.argument("query", metavar="QUERY")
@click.option("--chunk", metavar="ID", help="The chunk that should have been in the context.")
@click.option("--text", metavar="TEXT", help="A text that should have been in the context.")
@data_option
@settings_options
@scope_option
@click.option("--owner", is_flag=True, help="Also say what lies outside the scopes, as its owner may know.")
@json_option
def command(
    path: str,
    query: str,
    chunk: str | None,
    text: str | None,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    scopes: tuple[str, ...],
    owner: bool,
    as_json: bool,
) -> None:
    """Say why a chunk or a text is, or is not, in the context of QUERY, and the smallest change that brings it in."""
    from engine.explain.find import checked_target
    from engine.pipeline.query import checked
    from tui.commands.output import document, say
    from tui.commands.running import run
    from tui.commands.why_rows import rows

    checked(query)
    target = checked_target(_target(chunk, text))
    opened = opening(path, data, settings_file, assignments)
    names = scope_names(scopes)
    verdict = run(lambda cancel: asked(opened, query, target, names, owner, cancel))
    if as_json:
        document(verdict.to_json())
    else:
        say(rows(verdict, _columns()))


def _target(chunk: str | None, text: str | None) -> Target:
    from engine.errors import UsageError
    from engine.explain import ChunkTarget, TextTarget

    if (chunk is None) == (text is None):
        raise UsageError("name one target", "give either --chunk ID or --text TEXT")
    return TextTarget(text) if text is not None else ChunkTarget(chunk or "")


async def asked(
    opened: Opening, query: str, target: Target, scopes: tuple[str, ...], owner: bool, cancel: CancelToken
) -> Verdict:
    from engine.library import Library

    library = await Library.open(
        opened.root, settings=opened.resolved.settings, data=opened.data, create=False
    )
    try:
        return await library.why(
            query, target, opened.resolved.settings.retrieval, scopes=scopes, owner=owner, cancel=cancel
        )
    finally:
        await library.close()


def _columns() -> int:
    if not is_terminal(1):
        return PLAIN_COLUMNS
    return max(40, os.get_terminal_size(1).columns or PLAIN_COLUMNS)
