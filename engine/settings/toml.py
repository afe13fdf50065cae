"""Reads a settings file: hostile bytes in, checked values by field out; an error names file, key and line."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import SettingsError
from engine.settings.check import check
from engine.settings.fields import BY_KEY, FIELDS, SECTIONS, Field, fields_of, quoted, suggestion
from engine.settings.values import SETTINGS_VERSION

SIZE_LIMIT = 256 << 10
"""Bytes a settings file may have: one in an opened folder is anybody's."""

LINES_TRIED = 20
"""Lines looked at to tell where a key is; beyond it the message goes without a line."""

PROBLEMS_TOLD = 5
"""Problems of one file that are told, each with its line; the rest is a count."""


def read_text(path: Path, *, follow: bool = True) -> str:
    """The file's text. ``follow=False`` refuses a symbolic link, for a file inside an opened folder.

    Raises ``FileNotFoundError`` or ``NotADirectoryError`` where there is none, ``SettingsError`` for
    anything else that stands in the way.
    """
    # Without O_NONBLOCK, opening a FIFO that somebody put there would wait for ever.
    flags = os.O_RDONLY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        with open(os.open(path, flags), "rb") as file:
            if not follow and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SettingsError(f"{quoted(str(path), 200)} is not a file", "remove it")
            raw = file.read(SIZE_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise SettingsError(f"{quoted(str(path), 200)} cannot be read: {error.strerror}") from None
    if len(raw) > SIZE_LIMIT:
        raise SettingsError(
            f"{quoted(str(path), 200)} is larger than {SIZE_LIMIT:,} bytes", "it is no settings file"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{quoted(str(path), 200)}, line {line}: not UTF-8") from None


def read_table(text: str, name: str) -> dict[str, Any]:
    """The TOML as it stands. ``name`` is the file's, for messages. Raises ``SettingsError`` with the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{quoted(name, 200)}: not TOML, {_lower_first(str(error))}") from None
    except (RecursionError, ValueError):
        raise SettingsError(
            f"{quoted(name, 200)}: not TOML that a person wrote", "it nests too deep"
        ) from None


def values(table: Mapping[str, Any], text: str, name: str) -> dict[str, object]:
    """The checked values of a table by full key. Every problem is told at once, each with its line."""
    _check_version(table, text, name)
    found: dict[str, object] = {}
    wrong: list[tuple[tuple[str, ...], str]] = []
    for keys, value in _entries(table):
        try:
            field = _known(keys, value)
            found[field.key] = check(field, value)
        except SettingsError as error:
            wrong.append((keys, str(error)))
    if wrong:
        told = [f"{_place(text, keys)}{problem}" for keys, problem in wrong[:PROBLEMS_TOLD]]
        more = [f"and {len(wrong) - PROBLEMS_TOLD} more"] if len(wrong) > PROBLEMS_TOLD else []
        raise SettingsError(f"{quoted(name, 200)}: {'; '.join(told + more)}")
    return found


def _entries(table: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value with the keys that lead to it; a section's own values, one below it."""
    for key, value in table.items():
        if key in SECTIONS and isinstance(value, dict):
            yield from (((key, inner), entry) for inner, entry in value.items())
        else:
            yield (key,), value


def _known(keys: tuple[str, ...], value: object) -> Field:
    """The field that the keys name. Raises ``SettingsError`` with the near name."""
    field = BY_KEY.get(".".join(keys))
    if field is not None and len(keys) == (2 if field.section else 1):
        return field
    if keys[0] in SECTIONS and len(keys) == 1:
        raise SettingsError(f"{keys[0]} is {quoted(value)}", f"it must be a table, [{keys[0]}]")
    near = fields_of(keys[0] if len(keys) == 2 else "")
    names = [other.name for other in near] if len(keys) == 2 else [*SECTIONS, *(other.name for other in near)]
    raise SettingsError(f"there is no setting {quoted('.'.join(keys))}", suggestion(keys[-1], names))


def table_of(found: Mapping[str, object]) -> dict[str, Any]:
    """The TOML table that holds these values, in the order of the schema."""
    table: dict[str, Any] = {}
    for field in FIELDS:
        if field.key not in found:
            continue
        owner = table.setdefault(field.section, {}) if field.section else table
        value = found[field.key]
        if isinstance(value, tuple):
            value = {name: list(entry) if isinstance(entry, tuple) else entry for name, entry in value}
        owner[field.name] = value
    return table


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """The 1-based line on which a key's statement begins, 0 where it cannot be told.

    Asks the parser itself: the line before which the text parses without the key, and from which on it
    has it.
    """
    lines = text.split("\n")
    candidates = [number for number, line in enumerate(lines) if keys[-1] in line][:LINES_TRIED]
    for number in candidates:
        if _holds("\n".join(lines[:number]), keys) is not False:
            continue
        ends = range(number + 1, min(number + LINES_TRIED, len(lines)) + 1)
        whole = (_holds("\n".join(lines[:end]), keys) for end in ends)
        if next((state for state in whole if state is not None), False):
            return number + 1
    return 0


def _holds(text: str, keys: tuple[str, ...]) -> bool | None:
    """Whether the text, taken as TOML, has the key; None where it is not TOML (a statement cut in two)."""
    try:
        table: Any = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True


def _place(text: str, keys: tuple[str, ...]) -> str:
    line = line_of(text, keys)
    return f"line {line}: " if line else ""


def _check_version(table: Mapping[str, Any], text: str, name: str) -> None:
    version = table.get("version", SETTINGS_VERSION)
    if isinstance(version, int) and version > SETTINGS_VERSION:
        raise SettingsError(
            f"{quoted(name, 200)}: {_place(text, ('version',))}version is {version}, "
            f"this rankscope reads {SETTINGS_VERSION}",
            "update rankscope",
        )


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
