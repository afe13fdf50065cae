"""A checksum of a row's values, or of a blob, kept beside it: what SQLite gives back is what was stored, or is told
as damage.

SQLite keeps no checksum of its pages, so that a byte that a disk changed comes back as another letter, place or path.
"""

from __future__ import annotations

import zlib

from engine.errors import CorruptIndexError

Value = str | int | None

DOCUMENT = ("document_id", "path", "file", "title", "revision", "parser", "label_set")
CHUNK = (
    "chunk_id", "role", "ordinal", "parent", "start", "end", "line_start", "line_end", "heading_path", "text",
    "edited", "enabled", "pin",
)  # fmt: skip
"""The columns that a document's and a chunk's seal stand for, in order: all that a reader is shown of them."""


def seal(*values: Value) -> int:
    """CRC-32 of the values in this order, each with its end, a flag as the 0 or 1 that SQLite gives back. About
    2 µs a chunk."""
    return zlib.crc32("".join(f"{value}\x1f" for value in values).encode("utf-8", "surrogatepass"))


SEAL_BYTES = 4


def sealed(blob: bytes, *place: int) -> bytes:
    """A blob as it is stored at a place: behind a CRC-32 of the place and of itself."""
    return _crc(blob, place) + blob


def is_sealed(data: bytes, *place: int) -> bool:
    """Whether these are the bytes that were stored there."""
    return data[:SEAL_BYTES] == _crc(memoryview(data)[SEAL_BYTES:], place)


def _crc(blob: bytes | memoryview, place: tuple[int, ...]) -> bytes:
    return zlib.crc32(blob, seal(*place)).to_bytes(SEAL_BYTES, "little")


def damaged_row(what: str) -> CorruptIndexError:
    """The one error for a row that is not as it was written, or is not there."""
    return CorruptIndexError(
        f"{what} in the index is damaged", "`rankscope verify PATH --repair` finds what else is, and mends it"
    )
