"""Whether what a query found is still what lies on disk, and holds every edit that was made of it. Looks at files
after the query's transactions have ended, and knows them as they stood in the query's own state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.ingest.read import Unreadable, read, stamp_below
from engine.model import Degradation, Recall, Source


def with_freshness(recall: Recall, root: Path) -> Recall:
    """The recall with the ids of documents whose file changed, or is gone, since it was indexed; edits that have no
    place in them are told.

    A file whose size, time and inode are as they were is not opened; another is read and hashed. The indexed
    text is what a result shows, never new text under an old id.
    """
    files = {
        source.path: source for source in recall.sources.values()
    }  # a corpus is one file of many documents
    changed = {path for path, source in files.items() if not unchanged(root, source)}
    stale = {identity: source for identity, source in recall.sources.items() if source.path in changed}
    conflicts = [source for source in recall.sources.values() if source.conflicts]
    told = [_changed([*stale.values()])] if stale else []
    told += [_in_conflict(conflicts)] if conflicts else []
    if not told:
        return recall
    return replace(recall, stale=frozenset(stale), degraded=(*recall.degraded, *told))


def unchanged(root: Path, source: Source) -> bool:
    """Whether a file still holds what was indexed of it; one that cannot be read does not."""
    try:
        if stamp_below(root, source.path) == source.stamp:
            return True
        return read(root, source.path).sha256 == source.sha256
    except Unreadable:
        return False


def _changed(sources: Sequence[Source]) -> Degradation:
    paths = sorted(source.document for source in sources)
    return Degradation(
        "source",
        "stale_documents",
        f"{_named(paths)} changed on disk since it was indexed; the indexed text is shown",
        "sync the folder",
    )


def _in_conflict(sources: Sequence[Source]) -> Degradation:
    count = sum(source.conflicts for source in sources)
    told = (
        "1 edit of {} has lost its place" if count == 1 else f"{count:,} edits of {{}} have lost their place"
    )
    return Degradation(
        "source",
        "edit_conflicts",
        f"{told.format(_named([source.document for source in sources]))}; the file's text is shown there",
        "settle them on the Documents screen, or see `rankscope edits PATH conflicts`",
    )


def _named(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more"
