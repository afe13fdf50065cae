"""Which folders may set endpoints, secret names and scopes: those that the user trusted, as they were then.

A folder is trusted for the exact guarded values its file held at that moment; a change of them, as by a
pull, asks again. Kept as ``{real path: hash}`` under the user's state folder, never inside what is
opened.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from engine.identity import sha256_text
from engine.settings.fields import BY_KEY
from engine.settings.places import state_folder
from engine.settings.save import write_atomically


def guarded(found: Mapping[str, object]) -> dict[str, object]:
    """Those of the values, by full key, that an opened folder may not set without trust."""
    return {key: value for key, value in found.items() if _is_guarded(key, value)}


def is_trusted(folder: Path, found: Mapping[str, object]) -> bool:
    """Whether the user trusted this folder with exactly these guarded values. Nothing guarded needs no
    trust.
    """
    held = guarded(found)
    return not held or _trusted().get(os.path.realpath(folder)) == _digest(held)


def trust(folder: Path, found: Mapping[str, object]) -> None:
    """Remember that the folder may set the guarded values it holds now."""
    with _locked():
        record = {**_trusted(), os.path.realpath(folder): _digest(guarded(found))}
        write_atomically(
            _file(), json.dumps({"version": 1, "folders": record}, indent=1, sort_keys=True) + "\n"
        )


def _is_guarded(key: str, value: object) -> bool:
    rule = BY_KEY[key].guarded
    return value in rule if isinstance(rule, tuple) else rule and bool(value)


def _digest(held: Mapping[str, object]) -> str:
    return sha256_text(json.dumps(held, sort_keys=True))


def _file() -> Path:
    return state_folder() / "trusted.json"


def _trusted() -> dict[str, str]:
    """What is on record; a missing or damaged record trusts nobody."""
    try:
        record = json.loads(_file().read_text(encoding="utf-8"))
        folders = record["folders"]
        return {str(path): str(digest) for path, digest in folders.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


@contextmanager
def _locked() -> Iterator[None]:
    """One writer at a time, so that two processes that trust two folders both stay on record."""
    _file().parent.mkdir(parents=True, exist_ok=True)
    with open(_file().with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
