"""Postings of the text channels in SQLite blobs: term → chunks and weighted frequencies, in immutable
segments.

``terms`` says what is kept of a chunk, ``segments`` writes and removes, ``tiers`` merges segments,
``reader`` serves queries, ``verify`` checks everything, ``codec`` knows the bytes.
"""

from engine.store.postings.codec import ChunkTable
from engine.store.postings.reader import Cache, Reader, View
from engine.store.postings.segments import SCHEMA, Counts, add, counts, remove
from engine.store.postings.terms import ChunkTerms, analyse_chunk
from engine.store.postings.tiers import merge
from engine.store.postings.verify import verify

__all__ = [
    "SCHEMA",
    "Cache",
    "ChunkTable",
    "ChunkTerms",
    "Counts",
    "Reader",
    "View",
    "add",
    "analyse_chunk",
    "counts",
    "merge",
    "remove",
    "verify",
]
