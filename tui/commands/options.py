"""Options that several commands share, and what they mean: which folder, which index, which settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from engine.settings import Resolved

Command = Callable[..., Any]
MODE_NAMES = ("fixed", "structure", "parent-child")


@dataclass(frozen=True, slots=True)
class Opening:
    """A folder to open, as the command line names it. ``data`` is where its index lies, None for inside
    it.
    """

    root: Path
    data: Path | None
    resolved: Resolved


def opening(path: str, data: str | None, settings_file: str | None, assignments: tuple[str, ...]) -> Opening:
    """The folder's real path and its settings from every layer. Raises ``UsageError`` and ``SettingsError``.

    What the folder's own file may not set is told on standard error.
    """
    from engine.settings import resolve
    from engine.store.places import checked_root, locate
    from tui.commands.output import note

    root = checked_root(Path(path))
    place = Path(data) if data else None
    resolved = resolve(
        root,
        library=locate(root, place).settings,
        file=Path(settings_file) if settings_file else None,
        assignments=assignments,
    )
    if resolved.warning:
        note(resolved.warning)
    return Opening(root, place, resolved)


def folder_argument(command: Command) -> Command:
    return click.argument("path", metavar="PATH", type=click.Path())(command)


def data_option(command: Command) -> Command:
    return click.option(
        "--data",
        metavar="DIR",
        envvar="RANKSCOPE_DATA",
        type=click.Path(),
        help="Keep the index below DIR, not in the folder's .rankscope (also RANKSCOPE_DATA).",
    )(command)


def settings_options(command: Command) -> Command:
    given = click.option(
        "--settings", "settings_file", metavar="FILE", type=click.Path(), help="Read settings from FILE too."
    )
    assigned = click.option(
        "--set",
        "assignments",
        metavar="FIELD=VALUE",
        multiple=True,
        help="Set one field, above every file; may be repeated.",
    )
    return given(assigned(command))


def mode_option(command: Command) -> Command:
    return click.option(
        "--mode", type=click.Choice(MODE_NAMES), help="How to cut documents; the same as --set mode=…"
    )(command)


def scope_option(command: Command) -> Command:
    return click.option(
        "--scope",
        "scopes",
        metavar="SCOPE",
        multiple=True,
        help="Also see documents with this label; '*' sees all. May be repeated.",
    )(command)


def include_option(command: Command) -> Command:
    return click.option(
        "--include",
        metavar="PATTERN",
        multiple=True,
        help="Index only what matches, in the syntax of .gitignore; remembered, '*' for all. May be repeated.",
    )(command)


def selection_options(command: Command) -> Command:
    """Which cases of a set."""
    lang = click.option(
        "--lang", "langs", metavar="LANG", multiple=True, help="Only cases in this language; may be repeated."
    )
    kind = click.option(
        "--kind", "kinds", metavar="KIND", multiple=True, help="Only cases of this kind; may be repeated."
    )
    skip = click.option(
        "--skip-invalid", is_flag=True, help="Leave out cases that do not fit the library, and count them."
    )
    return lang(kind(skip(command)))


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")(command)


def with_mode(assignments: tuple[str, ...], mode: str | None) -> tuple[str, ...]:
    """``--mode`` is one more assignment, said last."""
    return (*assignments, f"chunking.mode={mode}") if mode else assignments


def scope_names(scopes: tuple[str, ...]) -> tuple[str, ...]:
    """The principal's scopes, each once, in one order: a trace must not depend on how they were typed."""
    from engine.errors import UsageError
    from engine.settings.fields import quoted

    for scope in scopes:
        if scope != "*" and (not scope.strip() or not scope.isprintable()):
            raise UsageError(f"{quoted(scope)} is no scope", "give a label, or '*' for all")
    return tuple(sorted(set(scopes)))


def is_terminal(number: int) -> bool:
    """Whether the file descriptor is a terminal that can move its cursor."""
    return os.isatty(number) and os.environ.get("TERM", "dumb") not in ("", "dumb")
