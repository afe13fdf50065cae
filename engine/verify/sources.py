"""Documents against the files on disk: changed, gone, not indexed, or under other labels than the settings give.

Every file is read and hashed, whatever its stamp says: a file that was rewritten within one stamp is what a sync
cannot see.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import SourceError, UsageError
from engine.ingest.discover import discover
from engine.ingest.read import Unreadable, read
from engine.pipeline.index import Labels
from engine.store import documents as store
from engine.store.documents import FileRow
from engine.verify.expected import stored_documents
from engine.verify.finding import Finding


def check_sources(
    connection: sqlite3.Connection,
    root: Path,
    include: Sequence[str],
    labels: Labels,
    *,
    cancel: CancelToken,
) -> Iterator[Finding | str]:
    """What the index does not have as the folder has it; the path of every file that was looked at, too. Raises
    ``Cancelled``."""
    known = store.files(connection)
    try:
        listing = discover(root, include=include, cancel=cancel)
    except (UsageError, SourceError) as error:
        yield Finding("folder_unreadable", str(root), error.problem, "warning", remedy=error.remedy)
        return
    present = {found.path for found in listing.files}
    for folder in listing.unreadable:
        yield _behind("source_unreadable", folder, "the folder could not be listed")
    for path in sorted(present | known.keys()):
        cancel.check()
        yield path
        row = known.get(path)
        if row is None:
            yield _behind("source_new", path, "it is not indexed yet")
        elif path in present:
            yield from _compared(root, row, cancel)
        elif not path.startswith(tuple(f"{folder}/" for folder in listing.unreadable)):
            yield _behind("source_gone", path, "it is indexed and no longer in the folder")
    for document in stored_documents(connection):
        if document.file not in known:
            yield Finding(
                "file_unknown", document.path, "the index has no record of its file", mend="rebuild"
            )
        elif tuple(sorted(document.labels)) != labels.of(document.path):
            yield _behind("labels_changed", document.path, "the settings give it other labels than it has")


def _behind(code: str, where: str, what: str) -> Finding:
    return Finding(code, where, what, "warning", mend="sync")


def _compared(root: Path, row: FileRow, cancel: CancelToken) -> Iterator[Finding]:
    try:
        content = read(root, row.path, cancel=cancel)
    except Unreadable as error:
        if not (error.refused and row.reason):
            yield _behind("source_unreadable", row.path, error.reason)
        return
    if content.sha256 != row.sha256:
        same = content.stamp == row.stamp
        yield _behind(
            "source_changed",
            row.path,
            "it is not what was indexed, though its size and time are"
            if same
            else "it is not what was indexed",
        )
