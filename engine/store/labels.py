"""Label sets: one small integer for each exact set of labels that documents carry, with all that is counted
per set.

Every count that a trace shows is a sum over the sets that the principal may see; nothing is counted across
them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import CorruptIndexError
from engine.identity import MODULUS
from engine.model import OWNER, PUBLIC
from engine.store.seal import damaged_row, seal


@dataclass(frozen=True, slots=True)
class LabelSet:
    """One exact set of labels and what stands under it. ``chunks`` counts the retrievable ones."""

    id: int
    labels: frozenset[str]
    documents: int
    chunks: int
    waiting: int
    ready: int
    refused: int
    corpus_sum: int
    vector_sum: int


def label_sets(connection: sqlite3.Connection) -> tuple[LabelSet, ...]:
    """All of them, in the order of their labels. Raises ``CorruptIndexError``."""
    rows = connection.execute(
        "SELECT id, labels, seal, documents, chunks, waiting, ready, refused, corpus_sum, vector_sum"
        " FROM label_set ORDER BY labels"
    )
    return tuple(map(_label_set, rows))


def _label_set(row: Sequence[Any]) -> LabelSet:
    number, labels, sealed, *counts, corpus, vectors = row
    if seal(number, labels) != sealed:
        raise damaged_row("a set of labels")
    documents, chunks, waiting, ready, refused = counts
    try:
        found = frozenset(json.loads(labels))
        sums = int(corpus, 16), int(vectors, 16)
    except (ValueError, TypeError) as error:
        raise CorruptIndexError(
            "the index says impossible things of its labels", "mend it with `rankscope verify PATH --repair`"
        ) from error
    return LabelSet(
        id=number,
        labels=found,
        documents=documents,
        chunks=chunks,
        waiting=waiting,
        ready=ready,
        refused=refused,
        corpus_sum=sums[0],
        vector_sum=sums[1],
    )


def visible(sets: Iterable[LabelSet], scopes: Sequence[str]) -> tuple[LabelSet, ...]:
    """Those whose labels are all among the principal's scopes and ``public``; all of them for the owner."""
    if OWNER in scopes:
        return tuple(sets)
    allowed = {PUBLIC, *scopes}
    return tuple(each for each in sets if each.labels <= allowed)


def label_set_id(connection: sqlite3.Connection, labels: Iterable[str]) -> int:
    """The id of this exact set, made where it is new. ``public`` alone and no label are the same."""
    canonical = json.dumps(sorted(set(labels) - {PUBLIC}), ensure_ascii=False)
    row = connection.execute("SELECT id FROM label_set WHERE labels = ?", (canonical,)).fetchone()
    if row:
        return int(row[0])
    (number,) = connection.execute("SELECT ifnull(max(id), 0) + 1 FROM label_set").fetchone()
    connection.execute(
        "INSERT INTO label_set(id, labels, seal) VALUES (?, ?, ?)",
        (number, canonical, seal(number, canonical)),
    )
    return int(number)


def tally(
    connection: sqlite3.Connection,
    label_set: int,
    *,
    documents: int = 0,
    chunks: int = 0,
    waiting: int = 0,
    ready: int = 0,
    refused: int = 0,
    corpus: int = 0,
    vectors: int = 0,
) -> None:
    """Add these differences (negative to take away) to the set's counts and to its sums modulo 2^256."""
    row = connection.execute(
        "SELECT corpus_sum, vector_sum FROM label_set WHERE id = ?", (label_set,)
    ).fetchone()
    connection.execute(
        "UPDATE label_set SET documents = documents + ?, chunks = chunks + ?, waiting = waiting + ?,"
        " ready = ready + ?, refused = refused + ?, corpus_sum = ?, vector_sum = ? WHERE id = ?",
        (
            documents,
            chunks,
            waiting,
            ready,
            refused,
            f"{(int(row[0], 16) + corpus) % MODULUS:x}",
            f"{(int(row[1], 16) + vectors) % MODULUS:x}",
            label_set,
        ),
    )
