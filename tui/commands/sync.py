"""``rankscope sync PATH``: bring an index that is there up to date with its folder, once or as long as it changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

import click

from tui.commands.options import (
    Opening,
    data_option,
    folder_argument,
    json_option,
    opening,
    settings_options,
)

if TYPE_CHECKING:
    from engine.cancel import CancelToken
    from engine.library import Library
    from engine.model import Progress


@click.command("sync")
@folder_argument
@click.option(
    "--reread", is_flag=True, help="Read every file, also those whose size and times are the known ones."
)
@click.option("--watch", is_flag=True, help="Go on syncing whenever files change, until interrupted.")
@click.option("--no-wait", is_flag=True, help="Do not wait for embeddings; the text channels serve at once.")
@data_option
@settings_options
@json_option
def command(
    path: str,
    reread: bool,
    watch: bool,
    no_wait: bool,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Bring the index of the folder PATH up to date with its files; what serves stays cut as it is.

    Exits with 1 where a file or a folder could not be read; what was indexed of it still serves.
    """
    from tui.commands.index import lines, to_json
    from tui.commands.output import document, say
    from tui.commands.running import run
    from tui.commands.working import worked

    opened = opening(path, data, settings_file, assignments)
    if watch:
        run(lambda cancel: _watching(opened, reread, not no_wait, as_json, cancel))
        return 0
    outcome = run(
        lambda cancel: worked(
            opened, lambda library: library.upkeep.sync(embed=not no_wait, reread=reread, cancel=cancel)
        )
    )
    if as_json:
        document(to_json(outcome))
    else:
        say(lines(outcome))
    return 1 if outcome.report.failed else 0


async def _watching(opened: Opening, reread: bool, embed: bool, as_json: bool, cancel: CancelToken) -> None:
    """Sync now, and again after each change; one line, or one JSON document, for each that found something."""
    from contextlib import aclosing
    from functools import partial

    from engine.errors import Cancelled
    from engine.ingest.watch import changes, require_watching
    from tui.commands.index import lines, to_json
    from tui.commands.output import document, note, say
    from tui.commands.working import done
    from tui.commands.working import opened as library_of

    require_watching()
    library = await library_of(opened)
    try:
        async with aclosing(changes(library.root, cancel=cancel)) as moments:
            async for first in moments:
                task = partial(_syncing, embed=embed, reread=reread and first, cancel=cancel)
                outcome = await done(library, opened, task)
                report = outcome.report
                if not first and not any((report.added, report.changed, report.renamed, report.deleted)):
                    continue
                if as_json:
                    document(to_json(outcome))
                else:
                    say(lines(outcome))
                if first:
                    note(f"watching {opened.root}; ctrl+c ends it")
    except Cancelled:
        return
    finally:
        await library.close()


def _syncing(
    library: Library, *, embed: bool, reread: bool, cancel: CancelToken
) -> AsyncGenerator[Progress, None]:
    return library.upkeep.sync(embed=embed, reread=reread, cancel=cancel)
