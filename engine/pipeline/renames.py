"""Files that were renamed, and who their documents are. Blocking: it reads new files that may be old ones.

A document is its source and path. Where one whole scan finds the bytes of a file gone from one path and new at
another, one to one, the new path is an alias of the old: the document keeps its id, and with it its chunks, edits
and citations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from engine.cancel import CancelToken
from engine.identity import document_id
from engine.ingest.discover import Found, Listing
from engine.ingest.formats import format_of
from engine.ingest.read import Unreadable, read
from engine.store.documents import FileRow


class Origins:
    """Which path a file's documents are named after: that at which it was first seen."""

    def __init__(self, origins: Mapping[str, str]) -> None:
        self._origins = dict(origins)

    def identity(self, file: str, path: str) -> str:
        """The id of the document at ``path``, which is the file's or lies in it (``corpus.jsonl#7``)."""
        origin = self._origins.get(file, file)
        return document_id("", origin + path.removeprefix(file))

    def of(self, file: str) -> str:
        return self._origins.get(file, file)

    def taken(self, path: str) -> bool:
        """Whether a file of another path goes by this one."""
        return any(origin == path and file != path for file, origin in self._origins.items())

    def unused(self, path: str) -> str:
        """A name for a new file at a path by which another goes; no path holds a NUL."""
        names = set(self._origins.values())
        number = 2
        while (name := f"{path}\0{number}") in names:
            number += 1
        return name


def renamed(
    root: Path, listing: Listing, known: Mapping[str, FileRow], *, cancel: CancelToken
) -> dict[str, str]:
    """The new path of each file that was renamed, with its old one. Raises ``Cancelled``."""
    present = {found.path for found in listing.files}
    unseen = tuple(f"{folder}/" for folder in listing.unreadable)
    gone = {
        path: row
        for path, row in known.items()
        if path not in present and not row.reason and row.sha256 and not path.startswith(unseen)
    }
    sizes = {row.stamp.size for row in gone.values()}
    fresh: dict[str, str] = {}
    for found in listing.files:
        if found.path not in known and found.stamp.size in sizes:
            cancel.check()
            fresh[found.path] = _sha256(root, found, cancel)
    before, after = Counter(row.sha256 for row in gone.values()), Counter(fresh.values())
    old = {row.sha256: path for path, row in gone.items()}
    return {
        path: old[digest]
        for path, digest in fresh.items()
        if before[digest] == after[digest] == 1 and _kind(path) == _kind(old[digest])
    }


def new_origins(
    origins: Origins, moved: Mapping[str, str], listing: Listing, known: Mapping[str, FileRow]
) -> dict[str, str]:
    """What must be remembered of this scan before anything is taken in: a renamed file goes by the name of the old
    one, and a new file at a path by which another goes by a name of its own."""
    found = {path: origins.of(old) for path, old in moved.items()}
    for path in (each.path for each in listing.files if each.path not in known and each.path not in moved):
        if origins.of(path) == path and (origins.taken(path) or path in found.values()):
            found[path] = origins.unused(path)
    return found


def _sha256(root: Path, found: Found, cancel: CancelToken) -> str:
    try:
        return read(root, found.path, cancel=cancel).sha256
    except Unreadable:
        return ""


def _kind(path: str) -> str:
    return format_of(PurePosixPath(path).name).kind
