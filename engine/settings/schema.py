"""How one setting is declared: its kind, range, steps, stage and help, kept beside its default.

A declaration is the right-hand side of a dataclass field in ``values.py``; whatever must know a setting
(checks, documentation, command line, settings screen) reads it back from there through ``fields.py``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["integer", "number", "choice", "boolean", "text", "url", "variable", "mapping"]
Stage = Literal["recall", "fuse", "rank", "pack", "chunk", "embed", "library", "screen"]

METADATA_KEY = "rankscope"


@dataclass(frozen=True, slots=True)
class Declared:
    """What a declaration says beside the default. ``minimum`` and ``maximum`` are inclusive.

    ``step`` and ``big_step`` are what one turn of the dial changes. A ``guarded`` field counts only from
    files that the user chose: ``True`` always, a tuple of choices only for those values. A ``hidden``
    field is for experiments: it is checked like any other and appears in no table.
    """

    kind: Kind
    help: str
    stage: Stage
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    step: float = 0
    big_step: float = 0
    unit: str = ""
    label: str = ""
    guarded: bool | tuple[str, ...] = False
    hidden: bool = False


def integer(default: int, minimum: int, maximum: int, help: str, **more: Any) -> Any:
    """Declare a whole number in ``[minimum, maximum]``."""
    return _field(default, Declared("integer", help, minimum=minimum, maximum=maximum, **more))


def number(default: float, minimum: float, maximum: float, help: str, **more: Any) -> Any:
    """Declare a finite number in ``[minimum, maximum]``."""
    return _field(default, Declared("number", help, minimum=minimum, maximum=maximum, **more))


def choice(default: str, choices: tuple[str, ...], help: str, **more: Any) -> Any:
    """Declare one word out of a closed list."""
    return _field(default, Declared("choice", help, choices=choices, **more))


def boolean(default: bool, help: str, **more: Any) -> Any:
    """Declare true or false."""
    return _field(default, Declared("boolean", help, **more))


def text(default: str, help: str, *, kind: Literal["text", "url", "variable"] = "text", **more: Any) -> Any:
    """Declare a line of text: free, a web address, or the name of an environment variable."""
    return _field(default, Declared(kind, help, **more))


def mapping(help: str, **more: Any) -> Any:
    """Declare a table whose keys the user chooses; its value is a tuple of pairs, so that settings can
    be hashed.
    """
    return _field((), Declared("mapping", help, **more))


def _field(default: object, declared: Declared) -> Any:
    return dataclasses.field(default=default, metadata={METADATA_KEY: declared})
