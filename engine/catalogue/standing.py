"""How each document stands: parsing, full text, vectors and graph apart, and whether the disk still holds it.

A state is said only of what it is true of, in counts. Blocking; the states are read in one state of the generation,
the disk is looked at after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from engine.cancel import CancelToken
from engine.ingest.discover import Listing, discover
from engine.model import OWNER, PUBLIC, Skipped, Source
from engine.pipeline.freshness import unchanged
from engine.pipeline.index import Labels
from engine.store import documents as store
from engine.store.connect import marks
from engine.store.documents import FileRow
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible

State = Literal["off", "waiting", "running", "ready", "failed", "incompatible"]
Freshness = Literal["fresh", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class Content:
    """A document of the list. ``chunks`` are those that are recalled; of their vectors some still wait, and some could
    not be made (``failed``). ``edits`` have a place in it, ``conflicts`` have none, ``disabled`` chunks are out of use
    or in the bin. ``incompatible`` says that its vectors are not of the embedder in force; ``encoding`` is told where
    it was doubtful.
    """

    path: str
    chunks: int
    waiting: int
    edits: int = 0
    conflicts: int = 0
    disabled: int = 0
    failed: int = 0
    incompatible: bool = False
    embedded: bool = True
    encoding: str = ""
    file: str = ""

    @property
    def parse(self) -> State:
        return "ready"

    @property
    def text(self) -> State:
        """Full text and CJK: what is stored is posted, in one transaction."""
        return "ready" if self.chunks else "off"

    @property
    def vector(self) -> State:
        if not self.chunks or not self.embedded:
            return "off"
        if self.incompatible:
            return "incompatible"
        return "waiting" if self.waiting else "failed" if self.failed else "ready"

    @property
    def graph(self) -> State:
        """No graph is built."""
        return "off"


@dataclass(frozen=True, slots=True)
class OnDisk:
    """The folder beside the index: the documents whose file changed or is gone since it was indexed, and the files
    that no sync has seen; ``skipped`` are files that hold no document, and why. ``since`` is when the last sync ended,
    seconds since the epoch; None where none has."""

    freshness: Mapping[str, Freshness] = field(default_factory=dict)
    new: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    since: float | None = None

    @property
    def changed(self) -> int:
        """How many files a sync would take in or drop."""
        return len(self.freshness) + len(self.new)


def contents(
    generation: Generation, scopes: Sequence[str], *, incompatible: bool = False
) -> tuple[Content, ...]:
    """Every document that a principal sees, by path, without its text. ``incompatible`` says that the embedder in
    force did not make the vectors."""
    embedded = bool(generation.meta.get("embedder"))
    with generation.reading() as connection:
        sets = [each.id for each in visible(label_sets(connection), scopes)]
        rows = connection.execute(
            "SELECT d.path, d.chunks, ifnull(c.waiting, 0), ifnull(c.edits, 0), d.conflicts,"
            " ifnull(c.disabled, 0), ifnull(c.refused, 0), CASE d.doubtful WHEN 0 THEN '' ELSE d.encoding END, d.file"
            " FROM document d LEFT JOIN (SELECT did, sum(vector = 'waiting') AS waiting, sum(pin <> '') AS edits,"
            "  sum(NOT enabled) AS disabled, sum(vector = 'refused') AS refused FROM chunk GROUP BY did) c"
            f" USING (did) WHERE d.label_set IN ({marks(sets)}) ORDER BY d.path",
            sets,
        )
        return tuple(Content(*(*row[:7], incompatible, embedded, *row[7:])) for row in rows)


def _may_see(labels: Sequence[str], scopes: Sequence[str]) -> bool:
    return OWNER in scopes or {PUBLIC, *scopes}.issuperset(labels)


def on_disk(
    root: Path,
    generation: Generation,
    found: Sequence[Content],
    labels: Labels,
    scopes: Sequence[str],
    include: Sequence[str],
    since: float | None,
    *,
    cancel: CancelToken,
) -> OnDisk:
    """Compare the folder with what was indexed of it: sizes, times and inodes, and the content where they differ.

    Only what is among ``found`` is told of, and new files whose labels the scopes hold. Raises ``Cancelled``,
    ``SourceError`` where the folder cannot be listed.
    """
    with generation.reading() as connection:
        known = store.files(connection)
    listing = discover(root, include=tuple(include), cancel=cancel)
    present = {each.path: each.stamp for each in listing.files}
    unseen = tuple(f"{folder}/" for folder in listing.unreadable)
    states: dict[str, Freshness] = {}
    for file in {content.file for content in found}:
        cancel.check()
        row = known.get(file)
        if row is None or file.startswith(unseen):
            continue
        if file not in present:
            states[file] = "gone"
        elif present[file] != row.stamp and not unchanged(root, Source(file, row.stamp, row.sha256, file, 0)):
            states[file] = "changed"
    return OnDisk(
        freshness={content.path: states[content.file] for content in found if content.file in states},
        new=tuple(
            path for path in sorted(present) if path not in known and _may_see(labels.of(path), scopes)
        ),
        skipped=_skipped([*known.values()], listing, labels, scopes),
        since=since,
    )


def _skipped(
    known: Sequence[FileRow], listing: Listing, labels: Labels, scopes: Sequence[str]
) -> tuple[Skipped, ...]:
    """What the listing passes over, and what was opened and held no document."""
    refused = [Skipped(row.path, row.reason) for row in known if row.reason]
    unlisted = [Skipped(path, "the folder could not be listed") for path in listing.unreadable]
    found = [*listing.skipped, *refused, *unlisted]
    return tuple(
        each for each in sorted(found, key=lambda each: each.path) if _may_see(labels.of(each.path), scopes)
    )
