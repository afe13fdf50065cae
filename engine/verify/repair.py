"""Repair: what is derived is made anew from what it came from, smallest part first; what is the user's stays.

Only an archived text that was damaged is written again, from a file that still is that text to the byte, and the
pins, from their history. Both are said. A part that cannot be mended by itself makes its whole generation be built
anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.pipeline.group import Sink, settle_segments
from engine.store.edits import EditStore
from engine.verify.expected import stored_documents
from engine.verify.finding import Finding, Mend
from engine.verify.mend import (
    count_anew,
    drop_damaged_pages,
    drop_postings,
    forget_vectors,
    post_all,
    revisions_on_disk,
    take_in,
)


@dataclass(frozen=True, slots=True)
class Mended:
    """Something that was made anew, in one sentence."""

    sentence: str


def targets(findings: Sequence[Finding], *mends: Mend) -> list[str]:
    """What findings with these mends are about, each once."""
    return list(dict.fromkeys(finding.target for finding in findings if finding.mend in mends))


def mend_library(
    sink: Sink, root: Path, findings: Sequence[Finding], *, cancel: CancelToken
) -> Iterator[Mended]:
    """What belongs to no generation: the cache, archived texts, the pins. Raises ``Cancelled``, ``LibraryError``."""
    if any(finding.mend == "cache" for finding in findings):
        sink.semantics.cache.begin_anew("it was found damaged")
        yield Mended("the embedding cache was begun anew")
    if any(finding.mend == "edits" for finding in findings):
        with closing(EditStore(sink.library.path)) as edits:
            yield Mended(f"{edits.restore_pins():,} edits were taken from their history anew")
    wanted = set(targets(findings, "archive"))
    if wanted:
        with sink.generation.reading() as connection:
            documents = [each for each in stored_documents(connection) if each.path in wanted]
        found = [*revisions_on_disk(root, documents, cancel=cancel)]
        for item in found:
            sink.library.archive_again(item)
        if found:
            yield Mended(f"{len(found):,} texts were archived anew from files that have not changed")


def mend_generation(sink: Sink, findings: Sequence[Finding], *, cancel: CancelToken) -> Iterator[Mended]:
    """Documents, postings and counts in one transaction, vectors in the next. What has lost its vector waits.

    Raises ``Cancelled``, and whatever a part raises that cannot be mended by itself (``UNMENDED``).
    """
    generation, mends = sink.generation, {finding.mend for finding in findings}
    paths = targets(findings, "document")
    told: list[str] = []
    if mends & {"document", "postings", "counts"}:
        with generation.writing() as connection:
            if "postings" in mends:
                drop_postings(connection)
            if taken := take_in(connection, sink, paths, cancel=cancel):
                told.append(f"{taken:,} documents were taken in anew from the archive")
            if "postings" in mends:
                posted = post_all(connection, sink, paths, cancel=cancel)
                told.append(f"{posted:,} chunks were posted anew")
            count_anew(connection)
        generation.steps("documents.committed")
        settle_segments(generation, cancel=cancel)
        yield from map(Mended, told or ["what the index holds was counted anew"])
    forgotten, torn = targets(findings, "vectors"), targets(findings, "pages")
    for fingerprint in [*forgotten, *(each for each in torn if each not in forgotten)]:
        with generation.writing() as connection:
            if fingerprint in forgotten:
                waiting = forget_vectors(connection, fingerprint)
            else:
                waiting = drop_damaged_pages(connection, generation.folder, fingerprint, cancel=cancel)
            count_anew(connection)
        generation.steps("vectors.committed")
        yield Mended(f"{waiting:,} chunks wait for their vector again")


UNMENDED = (LibraryError, ValueError, TypeError, LookupError)
"""What mending a part in place can meet: rows that are not what they should be in ways that no check foresees."""
