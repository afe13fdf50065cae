"""Where a target stands in the index, as one principal sees it: by chunk id, by span, or by its text.

A text is found as it is, then without white space, width and case, then by likeness (the alignment of
rapidfuzz's ``partial_ratio``); always in whole documents, so no chunk boundary hides it. Which documents are
looked into is told by the postings of its rarest terms, so that a million chunks cost no more than a few.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError, UsageError
from engine.explain.folded import bare, spans_of
from engine.explain.verdict import ChunkTarget, Place, SpanTarget, Target, TextTarget
from engine.model import EDIT_LIMIT, Chunk, Revision
from engine.recall.analysis import analyse
from engine.recall.bm25 import idf
from engine.store import chunks as chunk_store
from engine.store import spans
from engine.store.postings import Reader, View
from engine.store.spans import Indexed

LIKENESS = 80.0
"""Per cent of likeness below which a text is another one."""

SHORTEST_LIKENESS = 6
"""Characters below which a likeness says nothing."""

PLACES = 16
"""Places of one text that are looked at."""

TERMS, WIDEST, DOCUMENTS, WINDOWS = 12, 20_000, 200, 24
"""Terms of a text that are looked up, chunks beyond which a term tells nothing apart, documents and surroundings
of chunks that are read for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Shelf:
    """What may be seen of a generation in one read transaction, and the archive of its texts."""

    connection: sqlite3.Connection
    postings: Reader
    label_sets: tuple[int, ...]
    archive: Callable[[str, str], Revision | None]

    def text(self, document: Indexed) -> str:
        """The indexed text of a document; where the archive has lost it, what its chunks hold of it."""
        try:
            archived = self.archive(document.revision, document.parser)
        except CorruptIndexError:
            archived = None
        return archived.text if archived is not None else self._pieced_together(document)

    def tie_order(self, cids: Sequence[int]) -> list[int]:
        """Row numbers in the order in which ties break."""
        return chunk_store.tie_order(self.connection, cids)

    def _pieced_together(self, document: Indexed) -> str:
        text = ["\n"] * document.characters
        for chunk in spans.touching(self.connection, document.did, 0, document.characters):
            if len(chunk.text) == chunk.end - chunk.start:
                text[chunk.start : chunk.end] = chunk.text
        return "".join(text)


def checked_target(target: Target) -> Target:
    """The target as it will be looked for; raises ``UsageError`` for one that is none."""
    match target:
        case TextTarget(text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()
            if not bare(text):
                raise UsageError("the text to look for is empty", "paste a sentence of it")
            if len(text) > EDIT_LIMIT:
                raise UsageError(
                    f"the text to look for has {len(text):,} characters, and {EDIT_LIMIT:,} is the most",
                    "paste a part of it",
                )
            return TextTarget(text)
        case SpanTarget(path, start, end) if not 0 <= start < end:
            raise UsageError(f"{start} to {end} is no span of {path}", "start is at least 0 and below end")
        case ChunkTarget(""):
            raise UsageError("the chunk id is empty", "name a chunk")
    return target


def find(shelf: Shelf, target: Target, *, cancel: CancelToken) -> tuple[Place, ...]:
    """Every place where the target stands, the likeliest document first; none where it is not, or may not be
    seen. Raises ``Cancelled``."""
    match target:
        case ChunkTarget(chunk_id):
            return tuple(_of_chunk(shelf, chunk_id))
        case SpanTarget(path, start, end):
            return tuple(_of_span(shelf, path, start, end))
        case TextTarget(text):
            return _of_text(shelf, text, cancel)


def _of_chunk(shelf: Shelf, chunk_id: str) -> Iterator[Place]:
    found = spans.document_of_chunk(shelf.connection, chunk_id, shelf.label_sets)
    if found is None:
        return
    document, chunk = found
    own: tuple[Chunk, ...] = (chunk,)
    if chunk.role == "parent":
        # A parent is never recalled: any of its children brings it.
        within = spans.touching(shelf.connection, document.did, chunk.start, chunk.end)
        own = tuple(child for child in within if child.parent == chunk_id)
    yield Place(
        chunk.document_id, chunk.path, chunk.revision, chunk.start, chunk.end, chunk.text, own,
        tuple(each.chunk_id for each in own),
    )  # fmt: skip


def _of_span(shelf: Shelf, path: str, start: int, end: int) -> Iterator[Place]:
    document = spans.document(shelf.connection, path, shelf.label_sets)
    if document is not None and end <= document.characters:
        yield _place(shelf, document, shelf.text(document), start, end)


def _place(shelf: Shelf, document: Indexed, text: str, start: int, end: int, likeness: float = 1.0) -> Place:
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    chunks = spans.touching(shelf.connection, document.did, start, end)
    homes = tuple(chunk.chunk_id for chunk in chunks if chunk.start <= start and end <= chunk.end)
    return Place(
        document.document_id, document.path, document.revision, start, end, text[start:end], chunks, homes,
        likeness,
    )  # fmt: skip


# --- by its text --------------------------------------------------------------------------------------------


def _of_text(shelf: Shelf, text: str, cancel: CancelToken) -> tuple[Place, ...]:
    likely = _Likely.of(shelf, text, cancel)
    documents = tuple(
        dict.fromkeys([*likely.documents(shelf), *spans.edited(shelf.connection, shelf.label_sets)])
        if likely.votes
        else spans.documents(shelf.connection, shelf.label_sets)
    )
    for spans_in in (_exact, spans_of):
        found: list[Place] = []
        for document in documents:
            cancel.check()
            whole = shelf.text(document)
            found += (_place(shelf, document, whole, *span) for span in spans_in(text, whole))
            if len(found) >= PLACES:
                break
        if found:
            return tuple(found[:PLACES])
    return _alike(shelf, text, likely, cancel)


def _exact(needle: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(needle)
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + len(needle))


def _alike(shelf: Shelf, text: str, likely: _Likely, cancel: CancelToken) -> tuple[Place, ...]:
    """The likeliest passage around the chunks that hold most of the text's terms; none below ``LIKENESS``."""
    if len(bare(text)) < SHORTEST_LIKENESS:
        return ()
    best, place = 0.0, None
    for chunk, document in likely.chunks(shelf):
        cancel.check()
        whole = shelf.text(document)
        low, high = max(0, chunk.start - len(text)), min(len(whole), chunk.end + len(text))
        aligned = fuzz.partial_ratio_alignment(text, whole[low:high], score_cutoff=max(LIKENESS, best))
        if aligned is not None and aligned.score > best:
            best = aligned.score
            span = low + aligned.dest_start, low + aligned.dest_end
            place = _place(shelf, document, whole, *span, likeness=aligned.score / 100)
    return (place,) if place is not None and place.text else ()


@dataclass(frozen=True, slots=True)
class _Likely:
    """Chunks (by row number) that hold the rarest terms of a text, with the sum of their idf."""

    votes: dict[int, float]

    @classmethod
    def of(cls, shelf: Shelf, text: str, cancel: CancelToken) -> _Likely:
        view = shelf.postings.view(shelf.label_sets)
        votes: dict[int, float] = {}
        for weight, slots in _rarest(view, _terms(text), cancel):
            for cid in view.cids(slots).tolist():
                votes[cid] = votes.get(cid, 0.0) + weight
        return cls(votes)

    def documents(self, shelf: Shelf) -> tuple[Indexed, ...]:
        """The documents of these chunks, the likeliest first."""
        of_chunk = spans.documents_of_chunks(shelf.connection, list(self.votes))
        votes: dict[int, float] = {}
        for cid, did in of_chunk.items():
            votes[did] = max(votes.get(did, 0.0), self.votes[cid])
        known = spans.by_did(shelf.connection, sorted(votes, key=lambda did: (-votes[did], did))[:DOCUMENTS])
        return tuple(sorted(known.values(), key=lambda each: (-votes[each.did], each.path)))

    def chunks(self, shelf: Shelf) -> Iterator[tuple[Chunk, Indexed]]:
        """The likeliest chunks with their documents."""
        first = sorted(self.votes, key=lambda cid: (-self.votes[cid], cid))[:WINDOWS]
        chunks = chunk_store.by_cid(shelf.connection, first)
        of_chunk = spans.documents_of_chunks(shelf.connection, first)
        known = spans.by_did(shelf.connection, sorted(set(of_chunk.values())))
        return ((chunks[cid], known[of_chunk[cid]]) for cid in first)


def _terms(text: str) -> Sequence[str]:
    """The terms that a document with this text holds as well: those at its ends may be parts of longer ones."""
    tokens = [token for token in analyse(text) if token.kind in ("word", "bigram")]
    inner = [token for token in tokens if token.start > 0 and token.end < len(text)]
    return list(dict.fromkeys(token.term for token in inner or tokens))


def _rarest(
    view: View, terms: Sequence[str], cancel: CancelToken
) -> Iterator[tuple[float, np.ndarray[tuple[int], np.dtype[np.int64]]]]:
    """The rarest terms that anything holds, with their idf and the slots of what holds them."""
    found = []
    for term in terms:
        cancel.check()
        slots, _ = view.posting(term)
        if len(slots):
            found.append((len(slots), term, slots))
    found.sort(key=lambda each: each[:2])
    telling = [each for each in found if each[0] <= WIDEST] or found[:1]
    for count, _, slots in telling[:TERMS]:
        yield idf(view.chunks, count), slots
