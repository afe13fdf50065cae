"""The answer of an OpenAI-compatible ``/embeddings`` endpoint as a matrix, or why it is none. Pure.

Vectors come as lists of numbers or as base64 of little-endian float32, whatever was asked for: servers differ.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EmbedderError

Matrix = NDArray[np.float64]

REMEDY = "check that embedding.base_url and embedding.model serve embeddings"


def vectors(answer: object, count: int) -> Matrix:
    """``(count, dimensions) float64``: row i belongs to input i, whatever the order of the list.

    Items without any index stand in order. Raises ``EmbedderError`` for fewer or more items than inputs, an
    index that is missing, repeated or out of range, and rows that are no vectors of one length: not finite,
    all zero, empty.
    """
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _unusable("no list of vectors")
    if len(items) != count:
        raise _unusable(f"{len(items)} vectors for {count} texts")
    rows = [_row(item.get("embedding"), place) for place, item in enumerate(items)]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1 or lengths == [0]:
        raise _unusable(f"vectors of {' and '.join(map(str, lengths))} dimensions")
    matrix = np.empty((count, lengths[0] if lengths else 0))
    matrix[_indexes(items, count)] = rows
    return matrix


def _indexes(items: Sequence[dict[str, Any]], count: int) -> list[int]:
    """Which input each item is of."""
    found = [item.get("index") for item in items]
    if all(index is None for index in found):
        return list(range(count))
    indexes = [index for index in found if isinstance(index, int) and not isinstance(index, bool)]
    if sorted(indexes) != list(range(count)):
        raise _unusable(f"the indexes {_few(found)}, where 0 to {count - 1} were expected")
    return indexes


def _row(value: object, place: int) -> Matrix:
    row = _packed(value, place) if isinstance(value, str) else _listed(value, place)
    if not np.isfinite(row).all():
        raise _unusable(f"a vector that is not finite (item {place})")
    if len(row) and not row.any():
        raise _unusable(f"a vector of zeros (item {place})")
    return row


def _packed(value: str, place: int) -> Matrix:
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise _unusable(f"a text that is not base64 (item {place})") from None
    if len(raw) % 4:
        raise _unusable(f"base64 of {len(raw)} bytes, which are no float32 (item {place})")
    return np.frombuffer(raw, dtype="<f4").astype(np.float64)


def _listed(value: object, place: int) -> Matrix:
    if isinstance(value, list) and all(type(number) in (int, float) for number in value):
        try:
            return np.array(value, dtype=np.float64)
        except OverflowError:
            pass
    raise _unusable(f"something that is no vector (item {place})")


def _few(found: Sequence[object]) -> str:
    shown = ", ".join(ascii(index)[:20] for index in found[:8])
    return f"{shown}, …" if len(found) > 8 else shown


def _unusable(what: str) -> EmbedderError:
    return EmbedderError(f"the embedding endpoint answered with {what}", REMEDY)
