"""What the Documents screen has worked out in a thread: a document ready to be drawn, and a cut of it measured.

Pure; every function may take a moment, and knows no widget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine.cancel import CancelToken
from engine.catalogue.opened import Cutting, Opened
from engine.catalogue.standing import Content, Freshness, OnDisk
from engine.catalogue.standing import State as Facet
from engine.catalogue.what_if import Piece
from engine.chunking.preview import Cover, Measured, Spanned, Standing, blocks, measured
from engine.chunking.sections import Unit
from engine.ingest.formats import EVALUATION_SET
from engine.settings import Chunking
from engine.text import LineIndex
from tui.text import sanitise
from tui.widgets.boundary import Reading
from tui.widgets.boundary_bands import Bands
from tui.widgets.document import notes, underlined
from tui.widgets.shelf import Entry, State

if TYPE_CHECKING:
    from engine.catalogue.evidence import Beside
    from engine.edits.face import Conflict


class Listed(NamedTuple):
    """The documents, the evidence that lies beside them, and the edits in conflict."""

    contents: tuple[Content, ...]
    beside: Beside
    conflicts: Sequence[Conflict]


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A document ready to be drawn under any cut. ``text`` is the sanitised one, ``units`` its blocks, ``pieces``
    the evidence in it, ``conflicts`` where edits in conflict have their lines now."""

    opened: Opened
    text: str
    lines: LineIndex
    units: tuple[Unit, ...]
    pieces: tuple[Piece, ...]
    conflicts: tuple[int, ...] = ()


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


STATES: Mapping[Facet, State] = {
    "ready": "ready", "waiting": "waiting", "running": "running", "failed": "failed", "off": "off",
    "incompatible": "mismatch",
}  # fmt: skip


def entries(contents: Iterable[Content], disk: OnDisk) -> tuple[Entry, ...]:
    """The documents as the list shows them, with what is out of the ordinary; then the files that a sync would take in,
    and those that hold no document."""
    made = [_entry(content, disk.freshness.get(content.path, "fresh")) for content in contents]
    made += [Entry(path, None, ("waiting", "off", "off", "off"), "r syncs", new=True) for path in disk.new]
    made += [
        Entry(each.path, None, ("failed", "off", "off", "off"), each.reason)
        for each in disk.skipped
        if each.reason != EVALUATION_SET  # passed over on purpose
    ]
    return tuple(made)


def _entry(content: Content, freshness: Freshness) -> Entry:
    words = (
        f"! {content.conflicts}" if content.conflicts else "",
        freshness if freshness != "fresh" else "",
        "no retrievable content" if not content.chunks else "",
        f"edit {content.edits - content.disabled}" if content.edits > content.disabled else "",
        f"off {content.disabled}" if content.disabled else "",
        "vec of another embedder" if content.incompatible else "",
        f"vec {content.waiting}" if content.waiting else "",
        f"vec {content.failed} failed" if content.failed else "",
        f"{content.encoding}?" if content.encoding else "",
    )
    facets = content.parse, content.text, content.vector, content.graph
    parse, text, vector, graph = (STATES[facet] for facet in facets)
    alarming = bool(content.conflicts or content.failed or content.incompatible or freshness == "gone")
    return Entry(
        content.path, content.chunks, (parse, text, vector, graph), " ".join(filter(None, words)), alarming
    )


def laid_out(
    found: Opened, pieces: Sequence[Piece], cancel: CancelToken, conflicts: Sequence[Conflict] = ()
) -> Shown:
    """A document under the cut that serves, with the edits in conflict that are its own. Raises ``Cancelled``."""
    units = tuple(blocks(found.text, found.kind, found.language, cancel))
    own = tuple(each.span[0] for each in conflicts if each.pin.document_id == found.document_id)
    sheet = Sheet(found, sanitise(found.text), LineIndex.of(found.text), units, tuple(pieces), own)
    return viewed(sheet, found.chunking, found.chunks)


def recut(sheet: Sheet, chunking: Chunking, cancel: CancelToken) -> Shown:
    """The same document under another cut, by the function that rebuilds. Raises ``Cancelled``."""
    return viewed(sheet, chunking, sheet.opened.cut(chunking, cancel=cancel))


def viewed(sheet: Sheet, chunking: Chunking, spans: Sequence[Cutting]) -> Shown:
    """A sheet under a cut that is known. What is out of use is shown, and holds no evidence."""
    text = sheet.opened.text
    live = sheet.opened.live(spans)
    found = measured(text, sheet.units, live)
    cover = Cover(live)
    standings = tuple(cover.standing(text, piece.start, piece.end) for piece in sheet.pieces)
    told = notes(
        tuple(zip(sheet.pieces, standings, strict=True)), found.cuts, sheet.opened.chunks, sheet.conflicts
    )
    reading = Reading(
        sheet.text,
        sheet.lines,
        Bands(spans, len(sheet.text)),
        evidence=underlined(sheet.pieces),
        notes=told,
    )
    return Shown(sheet, chunking, reading, found, standings)
