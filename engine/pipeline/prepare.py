"""One document made ready to be stored: cut, edited, analysed. Pure; all that is slow about indexing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.cancel import CancelToken
from engine.chunking import chunk, chunker_fingerprint
from engine.edits.anchor import Anchored
from engine.edits.effective import Applied, Effective
from engine.embedding.protocol import embed_hash, embedding_input
from engine.identity import chunk_id, document_id, sha256_text
from engine.ingest.parse import Document
from engine.model import ChunkSpan
from engine.settings import Chunking
from engine.store.amend import Stored
from engine.store.documents import PreparedChunk, PreparedDocument
from engine.store.postings import analyse_chunk
from engine.text import LineIndex


def prepare(
    document: Document,
    file: str,
    chunking: Chunking,
    labels: tuple[str, ...],
    *,
    identity: str = "",
    pins: Sequence[Anchored] = (),
    stored: Stored | None = None,
    cancel: CancelToken,
) -> PreparedDocument:
    """Cut one document with its pins as boundaries, and analyse what its chunks hold then. Raises ``Cancelled``.

    ``identity`` is the document's id, by default that of its path. A chunk that is among the ``stored`` ones of the
    same revision is not analysed again: four fifths of the time.
    """
    identity = identity or document_id("", document.path)
    chunker = chunker_fingerprint(chunking)
    applied = Applied(document.text, pins)
    occurrences: dict[tuple[str, str], int] = {}
    parents: dict[int, str] = {}
    chunks: list[PreparedChunk] = []
    for span in chunk(
        document.text, document.kind, chunking, language=document.language, pins=applied.spans, cancel=cancel
    ):
        cancel.check()
        key = (span.role, sha256_text(document.text[span.start : span.end]))
        occurrences[key] = occurrences.get(key, 0) + 1
        name = chunk_id(identity, chunker, *key, occurrences[key])
        if span.role == "parent":
            parents[span.ordinal] = name
        parent = None if span.parent is None else parents[span.parent]
        bare = _bare(name, span, parent, applied.of(span))
        held = stored.get(name) if stored else None
        if held is not None and held.is_still(bare):
            chunks.append(replace(bare, embed_hash=held.embed_hash, stored=True))
        else:
            chunks.append(_analysed(document.title, bare))
    return PreparedDocument(
        document_id=identity,
        path=document.path,
        file=file,
        title=document.title,
        revision=document.revision,
        kind=document.kind,
        language=document.language,
        parser=document.parser,
        encoding=document.encoding,
        doubtful=document.doubtful,
        labels=labels,
        chunker=chunker,
        characters=len(document.text),
        lines=LineIndex.of(document.text).count,
        chunks=tuple(chunks),
        conflicts=sum(each.span is None for each in pins),
    )


def _bare(name: str, span: ChunkSpan, parent: str | None, effective: Effective) -> PreparedChunk:
    """A chunk without what the channels need of it."""
    pin = effective.pin.id if effective.pin is not None else ""
    return PreparedChunk(
        name, span, effective.text, parent, "", None, effective.edited, effective.retrievable, pin
    )


def _analysed(title: str, chunk: PreparedChunk) -> PreparedChunk:
    """A chunk with what the channels need of it; a parent, and what is out of use, is recalled by none."""
    if not chunk.retrievable:
        return chunk
    path, text = chunk.span.heading_path, chunk.text
    given = embedding_input(title, path, text)
    return replace(
        chunk, embed_hash=embed_hash(given) if given else "", terms=analyse_chunk(title, path, text)
    )
