"""``rankscope settings``: every setting in force, its range, and where its value comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tui.commands.options import data_option, json_option, opening, settings_options

if TYPE_CHECKING:
    from engine.settings import Field, Resolved


@click.command("settings")
@click.argument("path", metavar="[PATH]", required=False, type=click.Path())
@data_option
@settings_options
@click.option(
    "--trust", "trusting", is_flag=True, help="Let PATH's own settings name endpoints, keys and scopes."
)
@json_option
def command(
    path: str | None,
    data: str | None,
    settings_file: str | None,
    assignments: tuple[str, ...],
    trusting: bool,
    as_json: bool,
) -> None:
    """Show every setting in force and where it comes from; with PATH, as its library has them."""
    from engine.errors import UsageError
    from engine.settings import resolve, trust_folder
    from tui.commands.output import document, note, say

    def resolved() -> Resolved:
        if path:
            return opening(path, data, settings_file, assignments).resolved
        return resolve(file=Path(settings_file) if settings_file else None, assignments=assignments)

    if trusting:
        if not path:
            raise UsageError("--trust needs a folder", "write `rankscope settings PATH --trust`")
        trusted = trust_folder(_untold(path, data))
        note(
            f"trusted: {', '.join(trusted)}"
            if trusted
            else "there is nothing to trust in the folder's own settings"
        )
    found = resolved()
    if as_json:
        document(to_json(found))
    else:
        say(lines(found))


def _untold(path: str, data: str | None) -> Resolved:
    """The folder's settings as they are before it is trusted, without the warning that trusting answers."""
    from engine.settings import resolve
    from engine.store.places import checked_root, locate

    root = checked_root(Path(path))
    return resolve(root, library=locate(root, Path(data) if data else None).settings)


def to_json(resolved: Resolved) -> dict[str, object]:
    """Every visible field with value, default, range and origin, in the order of the documentation."""
    return {
        "fields": [_field(resolved, field) for field in visible()],
        "ignored": list(resolved.ignored),
        "saved_to": str(resolved.file) if resolved.file else None,
    }


def visible() -> list[Field]:
    from engine.settings import FIELDS

    return [field for field in FIELDS if not field.hidden]


def lines(resolved: Resolved) -> list[str]:
    """One row a field: name, value, range, origin; a heading row before each section."""
    from engine.settings import shown, value_of
    from tui.cells import width

    rows: list[tuple[str, str, str, str, str]] = []
    for field in visible():
        origin = resolved.origins[field.key]
        where = f"{origin.layer}  {origin.path}" if origin.path else origin.layer
        rows.append(
            (field.section, field.name, shown(field, value_of(resolved.settings, field)), field.range, where)
        )
    values = max(width(row[2]) for row in rows)
    ranges = max(width(row[3]) for row in rows if width(row[3]) <= 40)
    found: list[str] = []
    section = None
    for owner, name, value, span, where in rows:
        if owner != section:
            found += ([""] if found else []) + [owner or "general"]
            section = owner
        pad = " " * (values - width(value))
        found.append(f"  {name:<26} {pad}{value}  {span:<{ranges}}  {where}")
    return found


def _field(resolved: Resolved, field: Field) -> dict[str, object]:
    from engine.settings import value_of

    origin = resolved.origins[field.key]
    return {
        "field": field.key,
        "value": plain(value_of(resolved.settings, field)),
        "default": plain(field.default),
        "range": field.range,
        "origin": origin.layer,
        "file": origin.path or None,
        "help": field.help,
    }


def plain(value: object) -> object:
    """A value as JSON has it: a table of the user's own keys as an object."""
    if isinstance(value, tuple):
        return {name: list(entry) if isinstance(entry, tuple) else entry for name, entry in value}
    return value
