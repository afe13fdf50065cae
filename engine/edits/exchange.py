"""Edits as TOML, to be kept beside the documents, reviewed, and taken into another index of them. Pure."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

import tomli_w

from engine.edits.pin import AROUND, Pin, pin_from_json
from engine.errors import CorruptIndexError, UsageError
from engine.model import EDIT_LIMIT
from engine.text import is_blank

VERSION = 1


def exported(pins: Sequence[Pin]) -> str:
    """The pins as one document; the same pins give the same bytes."""
    tables = [{name: value for name, value in pin.to_json().items() if value is not None} for pin in pins]
    return tomli_w.dumps({"version": VERSION, "edit": tables})


def imported(text: str) -> list[Pin]:
    """What ``exported`` wrote. Raises ``UsageError`` with what is wrong, and where."""
    try:
        found: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            f"the edits cannot be read: {error}", "give a file that `edits export` wrote"
        ) from error
    if found.get("version") != VERSION:
        raise UsageError(f"the edits are not of version {VERSION}", "export them with this version")
    tables = found.get("edit", [])
    if not isinstance(tables, list):
        raise UsageError("`edit` is no list of tables", "give a file that `edits export` wrote")
    pins: dict[str, Pin] = {}
    for number, table in enumerate(tables, 1):
        pin = _pin(table, number)
        if pins.setdefault(pin.id, pin) is not pin:
            raise UsageError(f"edit {number} is of the same place as one before it", "leave out one of them")
    return list(pins.values())


def _pin(table: object, number: int) -> Pin:
    given = {"text": None, **table} if isinstance(table, dict) else table
    try:
        pin = pin_from_json(given)
    except CorruptIndexError as error:
        raise UsageError(
            f"edit {number} lacks a field, or has one too many or of another kind",
            "compare it with an export",
        ) from error
    if wrong := _wrong(pin):
        raise UsageError(f"edit {number} {wrong}", "compare it with an export")
    return pin


def _wrong(pin: Pin) -> str:
    """What no edit that was made here could be, in words; empty where there is nothing of the kind."""
    if len(pin.base) != pin.end - pin.start:
        return "has a base text that is not as long as its span"
    if is_blank(pin.base) or is_blank(pin.effective):
        return "has a text without any ink"
    if len(pin.effective) > EDIT_LIMIT:
        return f"has a text of {len(pin.effective):,} characters, and {EDIT_LIMIT:,} is the most"
    if len(pin.before) > AROUND or len(pin.after) > AROUND:
        return f"has more than {AROUND} characters around it"
    return "changes nothing" if pin.idle else ""
