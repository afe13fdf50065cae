"""Whether a generation is whole and agrees with itself, from its rows alone. Run before it takes over; a
verification tells every problem, and looks further than its rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError
from engine.identity import MODULUS, corpus_term
from engine.store import postings
from engine.store.connect import translated
from engine.store.generation import Generation
from engine.store.labels import LabelSet, label_sets

_RETRIEVABLE = (
    "FROM chunk c JOIN document d USING (did) WHERE d.label_set = ? AND c.role <> 'parent' AND c.enabled"
)


def check(generation: Generation, *, cancel: CancelToken) -> None:
    """Counts, sums and postings of every label set against the rows themselves, and SQLite's own check.

    Raises ``CorruptIndexError`` naming the first that does not hold.
    """
    with translated(generation.path), generation.reading() as connection:
        for problem in _problems(connection, cancel):
            raise CorruptIndexError(f"the generation {generation.id} is not whole: {problem}", "rebuild it")


def _problems(connection: sqlite3.Connection, cancel: CancelToken) -> Iterator[str]:
    told = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if told != "ok":
        yield f"SQLite says: {told}"
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        yield "a row refers to none"
    yield from postings.verify(connection, cancel=cancel)
    yield from count_problems(connection, cancel=cancel)


def count_problems(connection: sqlite3.Connection, *, cancel: CancelToken) -> Iterator[str]:
    """What every label set counts and sums up, where it differs from what stands under it. Raises ``Cancelled``."""
    for each in label_sets(connection):
        cancel.check()
        yield from _label_set_problems(connection, each)


def _label_set_problems(connection: sqlite3.Connection, each: LabelSet) -> Iterator[str]:
    found = counted(connection, each.id)
    if found.documents != each.documents:
        yield f"{found.documents} documents where {each.documents} were counted"
    if found.corpus_sum != each.corpus_sum:
        yield "the corpus version is not the sum of its documents"
    if found.chunks != each.chunks:
        yield "chunks were counted wrongly"
    if (found.waiting, found.ready, found.refused) != (each.waiting, each.ready, each.refused):
        yield "vectors were counted wrongly"
    if found.vector_sum != each.vector_sum:
        yield "the state of the vectors is not the sum of them"
    posted = postings.counts(connection, [each.id]).chunks
    if posted != found.chunks:
        yield f"{posted} chunks are posted where {found.chunks} should be"


def counted(connection: sqlite3.Connection, label_set: int) -> LabelSet:
    """What stands under a label set, from the rows; its labels are left empty."""
    key = (label_set,)
    documents = connection.execute("SELECT count(*) FROM document WHERE label_set = ?", key).fetchone()[0]
    terms = connection.execute("SELECT corpus_term FROM document WHERE label_set = ?", key)
    corpus = sum(_number(term) for (term,) in terms) % MODULUS
    states = dict(connection.execute(f"SELECT c.vector, count(*) {_RETRIEVABLE} GROUP BY c.vector", key))
    ready = connection.execute(f"SELECT c.chunk_id, c.embed_hash {_RETRIEVABLE} AND c.vector = 'ready'", key)
    vector_sum = sum(corpus_term(*row) for row in ready) % MODULUS
    return LabelSet(
        id=label_set,
        labels=frozenset(),
        documents=int(documents),
        chunks=sum(states.values()),
        waiting=states.get("waiting", 0),
        ready=states.get("ready", 0),
        refused=states.get("refused", 0),
        corpus_sum=corpus,
        vector_sum=vector_sum,
    )


def _number(term: str) -> int:
    """The number that hexadecimal digits mean, 0 where they are none: then the sum differs."""
    try:
        return int(term, 16)
    except ValueError:
        return 0
