"""One document as the parsers give it. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from engine.ingest.formats import Kind
from engine.text import LineIndex


@dataclass(frozen=True, slots=True)
class Document:
    """An item of a source, decoded and parsed.

    ``path`` is relative to the library's root, with ``/``; ``revision`` the hex SHA-256 of the raw bytes,
    those of its line for a document of a corpus. ``language`` is empty but for code. ``parser`` is name and
    version.
    """

    path: str
    revision: str
    text: str
    title: str
    kind: Kind
    language: str
    parser: str
    encoding: str
    doubtful: bool

    @property
    def lines(self) -> int:
        """How many lines the text has; the empty text has one."""
        return LineIndex.of(self.text).count
