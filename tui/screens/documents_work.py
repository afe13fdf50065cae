"""What the Documents screen has worked out in a thread: a document ready to be drawn, and a cut of it measured.

Every function blocks, is pure but for what it reads of the library, and knows no widget.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.cancel import CancelToken
from engine.catalogue.evidence import Beside, evidence_beside
from engine.catalogue.opened import Opened, contents, every_document, open_document
from engine.catalogue.what_if import Piece, WhatIf, what_if
from engine.chunking.preview import Cover, Measured, Spanned, Standing, blocks, measured
from engine.chunking.sections import Unit
from engine.model import Progress
from engine.pipeline.query import principal
from engine.settings import Chunking
from engine.text import LineIndex
from tui.text import sanitise
from tui.widgets.boundary import Reading
from tui.widgets.boundary_bands import Bands
from tui.widgets.document import notes, underlined
from tui.widgets.shelf import Entry, State

if TYPE_CHECKING:
    from engine.library import Library


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A document ready to be drawn under any cut. ``text`` is the sanitised one, ``units`` its blocks, ``pieces``
    the evidence in it."""

    opened: Opened
    text: str
    lines: LineIndex
    units: tuple[Unit, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A sheet under one cut: ``reading`` is what is drawn."""

    sheet: Sheet
    chunking: Chunking
    reading: Reading
    measured: Measured
    standings: tuple[Standing, ...]

    @property
    def chunks(self) -> tuple[Spanned, ...]:
        """The retrievable chunks, in source order."""
        return self.reading.bands.chunks


def entries(library: Library, scopes: Sequence[str]) -> tuple[Entry, ...]:
    """The documents that a principal sees, with what is out of the ordinary."""
    return tuple(
        _entry(path, chunks, waiting)
        for path, chunks, waiting in contents(library.serving(), principal(scopes))
    )


def _entry(path: str, chunks: int, waiting: int) -> Entry:
    vectors: State = "waiting" if waiting else "ready"
    return Entry(path, chunks, ("ready", "ready", vectors, "off"), f"vec {waiting}" if waiting else "")


def opened(library: Library, path: str, scopes: Sequence[str], beside: Beside, cancel: CancelToken) -> Shown:
    """A document under the cut that serves. Raises what ``open_document`` raises."""
    generation = library.serving()
    found = open_document(generation, library.places.library, path, principal(scopes))
    cancel.check()
    units = tuple(blocks(found.text, found.kind, found.language, cancel))
    pieces = tuple(beside.pieces.get(path, ()))
    sheet = Sheet(found, sanitise(found.text), LineIndex.of(found.text), units, pieces)
    return viewed(sheet, generation.chunking, found.chunks)


def recut(sheet: Sheet, chunking: Chunking, cancel: CancelToken) -> Shown:
    """The same document under another cut, by the function that rebuilds. Raises ``Cancelled``."""
    return viewed(sheet, chunking, sheet.opened.cut(chunking, cancel=cancel))


def viewed(sheet: Sheet, chunking: Chunking, spans: Sequence[Spanned]) -> Shown:
    """A sheet under a cut that is known."""
    text = sheet.opened.text
    found = measured(text, sheet.units, spans)
    cover = Cover(spans)
    standings = tuple(cover.standing(text, piece.start, piece.end) for piece in sheet.pieces)
    reading = Reading(
        sheet.text,
        sheet.lines,
        Bands(spans, len(sheet.text)),
        evidence=underlined(sheet.pieces),
        notes=notes(tuple(zip(sheet.pieces, standings, strict=True)), found.cuts),
    )
    return Shown(sheet, chunking, reading, found, standings)


def evidence(library: Library) -> Beside:
    """The evaluation set that lies beside the documents."""
    return evidence_beside(library.root, library.serving(), library.places.library)


def compared(
    library: Library,
    chunking: Chunking,
    scopes: Sequence[str],
    beside: Beside,
    total: int,
    cancel: CancelToken,
) -> Iterator[Progress | WhatIf]:
    """The whole library under the cut that serves and under another one."""
    documents = every_document(library.serving(), library.places.library, principal(scopes))
    return what_if(documents, total, chunking, beside.pieces, cancel=cancel)
