"""Writes settings back: only what changed, whole or not at all, and with the comments of a hand-written
file.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import DiskFullError, SettingsError
from engine.settings.check import check
from engine.settings.fields import BY_KEY, Field, quoted, shown
from engine.settings.toml import line_of, read_table, read_text, table_of, values

_HEADER = re.compile(r"\s*\[")


def save(path: Path, changes: Mapping[str, object | None], *, follow: bool = True) -> tuple[str, ...]:
    """Change these fields (by full key) in the file, and say what changed: ``retrieval.top_k 6 → 8``.

    ``None`` takes a field out, so that the layer below counts again. A file that cannot be read as
    settings is an error, and stays as it is. ``follow=False`` never writes through a symbolic link.
    Raises ``SettingsError``, ``DiskFullError``.
    """
    try:
        text = read_text(path, follow=follow)
    except (FileNotFoundError, NotADirectoryError):
        text = ""
    before = values(read_table(text, str(path)), text, str(path))
    wanted = {key: check(BY_KEY[key], value) for key, value in changes.items() if value is not None}
    after = {key: value for key, value in {**before, **wanted}.items() if changes.get(key, "") is not None}
    if after == before:
        return ()
    write_atomically(Path(os.path.realpath(path)) if follow else path, _rewritten(text, before, after))
    return tuple(
        f"{key} {_was(BY_KEY[key], before)} → {_was(BY_KEY[key], after)}"
        for key in changes
        if before.get(key) != after.get(key)
    )


def write_atomically(path: Path, text: str) -> None:
    """Replace the file in one step: written aside, synced, renamed, the folder synced. Its mode is kept."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        with open(handle, "w", encoding="utf-8", newline="") as file:
            if path.is_file() and not path.is_symlink():
                os.fchmod(handle, path.stat().st_mode & 0o777)
            file.write(text)
            file.flush()
            os.fsync(handle)
        os.replace(aside, path)
        _sync_folder(path.parent)
    except OSError as error:
        aside.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(
                f"no room to write {quoted(str(path), 200)}", "free some, then save again"
            ) from None
        raise SettingsError(f"{quoted(str(path), 200)} cannot be written: {error.strerror}") from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _was(field: Field, found: Mapping[str, object]) -> str:
    return shown(field, found[field.key]) if field.key in found else "unset"


def _rewritten(text: str, before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """The file's text with the changes made line by line; if that misses its aim, the whole written anew.

    tomli-w knows no comments, so it serves where there are none to lose or the file is too free in form.
    """
    import tomli_w

    target = table_of(after)
    edited = text
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            edited = _edited(edited, BY_KEY[key], table_of({key: after[key]}) if key in after else None)
    return edited if _parsed(edited) == target else tomli_w.dumps(target)


def _edited(text: str, field: Field, table: dict[str, Any] | None) -> str:
    """One field set or taken out by touching its own line, or adding one under its section's header."""
    import tomli_w

    lines = text.split("\n")
    keys = (field.section, field.name) if field.section else (field.name,)
    line = line_of(text, keys)
    if table is None:
        del lines[line - 1 : line]
    elif field.kind == "mapping":
        return f"{text.rstrip()}\n\n{tomli_w.dumps(table)}".lstrip()
    else:
        statement = tomli_w.dumps(table[field.section] if field.section else table).rstrip()
        if line:
            comment = re.search(r"\s*#.*\Z", lines[line - 1])
            lines[line - 1] = statement + (comment.group() if comment else "")
        else:
            _insert(lines, field.section, statement)
    return "\n".join(lines)


def _insert(lines: list[str], section: str, statement: str) -> None:
    headers = [number for number, line in enumerate(lines) if _HEADER.match(line)]
    if not section:
        lines.insert(headers[0] if headers else len(lines) - (lines[-1] == ""), statement)
        return
    own = [number for number in headers if lines[number].split("#")[0].strip() == f"[{section}]"]
    if not own:
        while lines and not lines[-1].strip():
            lines.pop()
        lines += ([""] if lines else []) + [f"[{section}]", statement, ""]
        return
    following = next((number for number in headers if number > own[0]), len(lines))
    last = max(number for number in range(own[0], following) if lines[number].strip())
    lines.insert(last + 1, statement)


def _parsed(text: str) -> dict[str, Any] | None:
    """The table of the text, without sections that became empty; None where it is not TOML."""
    try:
        table = tomllib.loads(text)
    except ValueError:
        return None
    return {key: value for key, value in table.items() if value != {}}
