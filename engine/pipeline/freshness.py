"""Whether what a query found is still what lies on disk, and holds every edit that was made of it. Looks at files
after the query's transactions have ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.ingest.read import Unreadable, read, stamp_below
from engine.model import Chunk, Degradation, Recall
from engine.store import documents
from engine.store.documents import FileRow
from engine.store.generation import Generation

DEPTH = 20
"""How deep into each channel's list the sources are looked at."""


def with_freshness(recall: Recall, generation: Generation, root: Path) -> Recall:
    """The recall with the ids of documents whose file changed, or is gone, since it was indexed; edits that have no
    place in them are told.

    A file whose size, time and inode are as they were is not opened; another is read and hashed. The indexed
    text is what a result shows, never new text under an old id.
    """
    first = np.flatnonzero(((recall.ranks > 0) & (recall.ranks <= DEPTH)).any(axis=1)).tolist()
    if not first:
        return recall
    candidates = [recall.chunks[row] for row in first]
    with generation.reading() as connection:
        found = sorted({chunk.document_id for chunk in candidates})
        rows, conflicts = documents.files_of(connection, found), documents.conflicts_of(connection, found)
    sources = {row.path: row for row in rows.values()}  # a corpus is one file of many documents
    changed = {path: not unchanged(root, row) for path, row in sources.items()}
    stale = frozenset(identity for identity, row in rows.items() if changed[row.path])
    told = [_changed(candidates, stale)] if stale else []
    told += [_in_conflict(conflicts)] if conflicts else []
    return replace(recall, stale=stale, degraded=(*recall.degraded, *told)) if told else recall


def unchanged(root: Path, row: FileRow) -> bool:
    """Whether a file still holds what was indexed of it; one that cannot be read does not."""
    try:
        if stamp_below(root, row.path) == row.stamp:
            return True
        return read(root, row.path).sha256 == row.sha256
    except Unreadable:
        return False


def _changed(candidates: list[Chunk], stale: frozenset[str]) -> Degradation:
    paths = sorted({chunk.path for chunk in candidates if chunk.document_id in stale})
    return Degradation(
        "source",
        "stale_documents",
        f"{_named(paths)} changed on disk since it was indexed; the indexed text is shown",
        "sync the folder",
    )


def _in_conflict(conflicts: Mapping[str, int]) -> Degradation:
    count = sum(conflicts.values())
    told = (
        "1 edit of {} has lost its place" if count == 1 else f"{count:,} edits of {{}} have lost their place"
    )
    return Degradation(
        "source",
        "edit_conflicts",
        f"{told.format(_named([*conflicts]))}; the file's text is shown there",
        "settle them on the Documents screen, or see `rankscope edits PATH conflicts`",
    )


def _named(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"
