"""Why a target is not in the index: what the folder says of it. Looks at files, never through links, and only at
those whose labels the principal may see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import SourceError
from engine.explain.folded import spans_of
from engine.explain.verdict import ChunkTarget, Layer, Remedy, SpanTarget, Target, TextTarget
from engine.ingest.discover import Listing, discover
from engine.ingest.formats import BESIDE_CORPUS, EVALUATION_SET, SECRET
from engine.ingest.parse import parse
from engine.ingest.read import Unreadable, read
from engine.model import OWNER, PUBLIC
from engine.pipeline.index import Labels
from engine.store.documents import FileRow

SYNC = Remedy("sync", "sync the folder")
ENCODINGS = ("utf-8", "gb18030", "utf-16-le", "utf-16-be")
"""In which the bytes of a file that is no document are looked through for a text."""

REFUSED_LIMIT = 8 << 20
"""Bytes beyond which a file that is no document is not looked through."""

UNREAD = frozenset((SECRET, EVALUATION_SET, BESIDE_CORPUS))
"""Reasons for which a file is not looked through: secrets, and questions that quote what a principal may not
see."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a target is not in the index."""

    layer: Layer
    sentence: str
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Folder:
    """A library's folder as it is now, and what the index knows of its files; ``hidden`` are those that hold a
    document which the principal may not see."""

    root: Path
    known: Mapping[str, FileRow]
    hidden: frozenset[str]
    labels: Labels
    scopes: tuple[str, ...]
    include: Sequence[str] = ()

    def sees(self, path: str) -> bool:
        """Whether the principal may know of a file: neither what is indexed of it nor its name forbids it."""
        if OWNER in self.scopes:
            return True
        file = path.partition("#")[0]
        unseen = self.hidden.intersection((path, file))
        return not unseen and set(self.labels.of(path)) <= {PUBLIC, *self.scopes}

    def listing(self, cancel: CancelToken) -> Listing:
        """What lies there; nothing where the folder cannot be listed."""
        try:
            return discover(self.root, include=self.include, cancel=cancel)
        except SourceError:
            return Listing(self.root, ())

    def stale(self, listing: Listing) -> Iterator[str]:
        """Files that may be seen and that the index does not hold as they are."""
        for found in listing.files:
            row = self.known.get(found.path)
            if (row is None or row.stamp != found.stamp) and self.sees(found.path):
                yield found.path


def absent(folder: Folder, target: Target, *, cancel: CancelToken) -> Absent:
    """The reason, as far as the folder tells it. Raises ``Cancelled``."""
    match target:
        case ChunkTarget():
            return Absent(
                "not_in_corpus",
                "no chunk of this id is in the index; it may be of another cut or of an older revision",
            )
        case SpanTarget(path, start, end):
            return _no_document(folder, path, start, end, cancel)
        case TextTarget(text):
            return _no_text(folder, text, cancel)


def _no_document(folder: Folder, path: str, start: int, end: int, cancel: CancelToken) -> Absent:
    """A document that the index does not hold, or not so far."""
    listing = folder.listing(cancel)
    file = path if path in folder.known else path.partition("#")[0]
    row = folder.known.get(file)
    stamps = {found.path: found.stamp for found in listing.files}
    nothing = Absent("not_in_corpus", f"no document {path} is in the index")
    if not folder.sees(path):
        return nothing
    if row is not None and row.reason:
        return Absent("parse_failed", f"{file} was not read: {row.reason}")
    if row is None and file in stamps:
        return Absent("source_changed", f"{file} is new since the last sync", SYNC)
    if row is not None and file in stamps and stamps[file] != row.stamp:
        return Absent("source_changed", f"{file} changed on disk since it was indexed", SYNC)
    if row is not None and file not in stamps:
        return Absent("source_changed", f"{file} is gone from the folder, or cannot be read", SYNC)
    refused = next((each.reason for each in listing.skipped if each.path == file), "")
    if refused:
        return Absent("not_in_corpus", f"{file} is left out of the index: {refused}")
    if row is not None:
        return Absent("not_in_corpus", f"{path} holds no text from {start:,} to {end:,}")
    return nothing


def _no_text(folder: Folder, text: str, cancel: CancelToken) -> Absent:
    """A text that no document of the index holds: perhaps one on disk does."""
    listing = folder.listing(cancel)
    for path in folder.stale(listing):
        cancel.check()
        if _holds(folder.root, path, text, cancel):
            how = "is new since the last sync" if path not in folder.known else "changed since it was indexed"
            return Absent("source_changed", f"it stands in {path}, which {how}", SYNC)
    for path, reason in _refused(folder, listing):
        cancel.check()
        if _bytes_hold(folder.root, path, text, cancel):
            return Absent("parse_failed", f"it stands in {path}, which was not read: {reason}")
    return Absent("not_in_corpus", "no document holds this text, or one much like it")


def _holds(root: Path, path: str, text: str, cancel: CancelToken) -> bool:
    try:
        content = read(root, path, cancel=cancel)
    except Unreadable:
        return False
    return any(
        text in document.text or next(spans_of(text, document.text), None) is not None
        for document in parse(path, content.raw).documents
    )


def _refused(folder: Folder, listing: Listing) -> Iterator[tuple[str, str]]:
    """Files that were seen and hold no document, with the reason."""
    known = ((row.path, row.reason) for row in folder.known.values() if row.reason)
    skipped = ((each.path, each.reason) for each in listing.skipped)
    reasons = dict(sorted((*skipped, *known)))
    return ((path, reason) for path, reason in reasons.items() if reason not in UNREAD and folder.sees(path))


def _bytes_hold(root: Path, path: str, text: str, cancel: CancelToken) -> bool:
    try:
        raw = read(root, path, cancel=cancel, limit=REFUSED_LIMIT).raw
    except Unreadable:
        return False
    return any(text.encode(encoding, "ignore") in raw for encoding in ENCODINGS)
