"""``rankscope rollback PATH``: let the generation serve again that served before."""

from __future__ import annotations

import click

from tui.commands.options import data_option, folder_argument, json_option, opening, settings_options


@click.command("rollback")
@folder_argument
@click.option("--no-wait", is_flag=True, help="Do not wait for embeddings; the text channels serve at once.")
@data_option
@settings_options
@json_option
def command(
    path: str,
    no_wait: bool,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> None:
    """Go back to the index of the folder PATH before its last rebuild, brought up to date with files and edits.

    A second rollback goes forward again.
    """
    from tui.commands.index import lines, to_json
    from tui.commands.output import document, note, say
    from tui.commands.running import run
    from tui.commands.working import worked

    opened = opening(path, data, settings_file, assignments)
    outcome = run(
        lambda cancel: worked(
            opened, lambda library: library.upkeep.roll_back(embed=not no_wait, cancel=cancel)
        )
    )
    if outcome.status.chunking_pending:
        note("the settings ask for another chunking than now serves; the next rebuild would apply it")
    if as_json:
        document(to_json(outcome))
    else:
        say(lines(outcome))
