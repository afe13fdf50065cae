"""``rankscope PATH``: the workbench."""

from __future__ import annotations

import os

import click

from tui.commands.options import (
    data_option,
    folder_argument,
    opening,
    scope_names,
    scope_option,
    settings_options,
)


@click.command("open")
@folder_argument
@data_option
@settings_options
@scope_option
@click.option("--watch", is_flag=True, help="Sync whenever files of the folder change (the extra watch).")
def command(
    path: str,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    scopes: tuple[str, ...],
    watch: bool,
) -> int:
    """Open the workbench on the folder PATH."""
    from engine.errors import RankscopeError
    from tui.environment import interactive, prepare, refusal, screen_encoding

    if watch:
        from engine.ingest.watch import require_watching

        require_watching()
    opened = opening(path, data, settings_file, assignments)
    reason = refusal(os.environ, interactive=interactive(), encoding=screen_encoding())
    if reason:
        raise RankscopeError(reason)
    prepare(os.environ, kitty_keyboard=opened.resolved.settings.interface.kitty_keyboard)
    from tui.start import run

    return run(
        opened.root, resolved=opened.resolved, data=opened.data, scopes=scope_names(scopes), watch=watch
    )
