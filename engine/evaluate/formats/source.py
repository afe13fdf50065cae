"""Reading the files of a set: bounded, UTF-8, hashed; and telling all that is wrong with them at once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from engine.errors import SetError
from engine.settings.fields import quoted

SIZE_LIMIT = 512 << 20
"""Bytes one file of a set may have."""

PROBLEMS_TOLD = 5
"""Problems of one file that are told; the rest is a count."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_text(path: Path) -> str:
    """The file's text without a byte order mark. Raises ``SetError`` where it is not there or not UTF-8."""
    name = quoted(str(path), 200)
    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise SetError(f"{name} is larger than {SIZE_LIMIT >> 20} MB", "it is no evaluation set")
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        raise SetError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SetError(f"{name}, line {line}: not UTF-8") from None


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, numbered from 1. They end at LF: JSON may hold every other separator."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.removesuffix("\r")


def objects(path: Path, text: str | None = None) -> Iterator[tuple[int, dict[str, object]]]:
    """The JSON objects of a file in JSON Lines, or of a text in its place, with their line numbers. Raises
    ``SetError``."""
    for number, line in lines(read_text(path) if text is None else text):
        row = parsed(line, f"{quoted(str(path), 200)}, line {number}")
        if not isinstance(row, dict):
            raise SetError(f"{quoted(str(path), 200)}, line {number}: not an object")
        yield number, row


def parsed(text: str, place: str) -> object:
    """JSON with lone surrogates replaced. Raises ``SetError`` that begins with ``place``."""
    try:
        return _whole(json.loads(text))
    except (ValueError, RecursionError):
        raise SetError(f"{place}: not JSON") from None


def hashed(*texts: str) -> str:
    """Hex SHA-256 of what was read, length-prefixed, so that no two lists of texts run together."""
    digest = hashlib.sha256()
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()


def wrong(path: Path, problems: Sequence[str]) -> NoReturn:
    """Raise every problem of a file as one ``SetError``."""
    told = list(problems[:PROBLEMS_TOLD])
    if len(problems) > PROBLEMS_TOLD:
        told.append(f"and {len(problems) - PROBLEMS_TOLD} more")
    raise SetError(f"{quoted(str(path), 200)}: {'; '.join(told)}")


def _whole(value: object) -> object:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
