"""Whether a generation is whole and agrees with itself. Run before it takes over; raises what does not
hold."""

from __future__ import annotations

import sqlite3

from engine.cancel import CancelToken
from engine.errors import CorruptIndexError
from engine.identity import MODULUS, corpus_term
from engine.store import postings
from engine.store.connect import translated
from engine.store.generation import Generation
from engine.store.labels import LabelSet, label_sets

_RETRIEVABLE = "FROM chunk c JOIN document d USING (did) WHERE d.label_set = ? AND c.role <> 'parent'"


def check(generation: Generation, *, cancel: CancelToken) -> None:
    """Counts, sums and postings of every label set against the rows themselves, and SQLite's own check.

    Raises ``CorruptIndexError`` naming the first that does not hold.
    """
    with translated(generation.path), generation.reading() as connection:
        told = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        _require(told == "ok", generation, f"SQLite says: {told}")
        _require(
            not connection.execute("PRAGMA foreign_key_check").fetchone(), generation, "a row refers to none"
        )
        for problem in postings.verify(connection, cancel=cancel):
            _require(False, generation, problem)
        for each in label_sets(connection):
            _check_label_set(connection, generation, each)


def _check_label_set(connection: sqlite3.Connection, generation: Generation, each: LabelSet) -> None:
    documents = connection.execute(
        "SELECT count(*) FROM document WHERE label_set = ?", (each.id,)
    ).fetchone()[0]
    terms = connection.execute("SELECT corpus_term FROM document WHERE label_set = ?", (each.id,))
    _require(
        documents == each.documents, generation, f"{documents} documents where {each.documents} were counted"
    )
    total = sum(int(term, 16) for (term,) in terms) % MODULUS
    _require(total == each.corpus_sum, generation, "the corpus version is not the sum of its documents")
    states = dict(
        connection.execute(f"SELECT c.vector, count(*) {_RETRIEVABLE} GROUP BY c.vector", (each.id,))
    )
    _require(sum(states.values()) == each.chunks, generation, "chunks were counted wrongly")
    counted = (each.waiting, each.ready, each.refused)
    found = tuple(states.get(state, 0) for state in ("waiting", "ready", "refused"))
    _require(found == counted, generation, "vectors were counted wrongly")
    ready = connection.execute(
        f"SELECT c.chunk_id, c.embed_hash {_RETRIEVABLE} AND c.vector = 'ready'", (each.id,)
    )
    total = sum(corpus_term(*row) for row in ready) % MODULUS
    _require(total == each.vector_sum, generation, "the state of the vectors is not the sum of them")
    posted = postings.counts(connection, [each.id]).chunks
    _require(posted == each.chunks, generation, f"{posted} chunks are posted where {each.chunks} should be")


def _require(holds: bool, generation: Generation, problem: str) -> None:
    if not holds:
        raise CorruptIndexError(f"the generation {generation.id} is not whole: {problem}", "rebuild it")
