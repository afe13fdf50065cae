"""Chunks that wait for a vector, and giving them one. Inside the caller's transaction.

A vector is stored only if its chunk still has the very input that it was made from.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.identity import MODULUS, corpus_term
from engine.store import vectors
from engine.store.connect import batches, marks
from engine.store.labels import tally
from engine.store.steps import Steps
from engine.store.vectors import SlotRow


@dataclass(frozen=True, slots=True)
class Waiting:
    """A chunk without a vector: where it is, and what is to be embedded."""

    cid: int
    chunk_id: str
    embed_hash: str
    label_set: int
    title: str
    heading_path: tuple[str, ...]
    text: str


_SELECT = (
    "SELECT c.cid, c.chunk_id, c.embed_hash, d.label_set, d.title, c.heading_path, c.text"
    " FROM chunk c JOIN document d USING (did) WHERE c.vector = 'waiting'"
)


def waiting(connection: sqlite3.Connection, *, after: int, limit: int) -> list[Waiting]:
    """The next chunks that wait, by row number."""
    return _read(connection.execute(f"{_SELECT} AND c.cid > ? ORDER BY c.cid LIMIT ?", (after, limit)))


def waiting_of(connection: sqlite3.Connection, path: str) -> list[Waiting]:
    """The chunks of one document that wait."""
    return _read(connection.execute(f"{_SELECT} AND d.path = ? ORDER BY c.cid", (path,)))


def waiting_count(connection: sqlite3.Connection) -> int:
    """How many chunks wait, of every label set."""
    return int(connection.execute("SELECT ifnull(sum(waiting), 0) FROM label_set").fetchone()[0])


def give(
    connection: sqlite3.Connection,
    folder: Path,
    fingerprint: str,
    rows: Sequence[Waiting],
    units: NDArray[np.float32],
    *,
    steps: Steps,
) -> None:
    """Give each chunk its row of ``units`` ``(n, dimensions)``; a row without a direction marks its chunk refused.

    Chunks that have changed or gone since ``rows`` were read are passed over.
    """
    still = [place for place, row in enumerate(rows) if _still_waits(connection, row)]
    if not still:
        return
    current = [rows[place] for place in still]
    refused = set(
        vectors.append(
            connection,
            folder,
            fingerprint,
            [SlotRow(row.cid, row.label_set, row.embed_hash) for row in current],
            units[still],
            steps=steps,
        )
    )
    _mark(connection, "ready", [row for row in current if row.cid not in refused])
    _mark(connection, "refused", [row for row in current if row.cid in refused])


def take_back(connection: sqlite3.Connection, cids: Sequence[int]) -> None:
    """Let chunks wait again whose stored vectors were lost."""
    for batch in batches(cids):
        for chunk_id, embed_hash, label_set in connection.execute(
            "SELECT c.chunk_id, c.embed_hash, d.label_set FROM chunk c JOIN document d USING (did)"
            f" WHERE c.vector = 'ready' AND c.cid IN ({marks(batch)})",
            batch,
        ).fetchall():
            lost = MODULUS - corpus_term(chunk_id, embed_hash)
            tally(connection, label_set, waiting=1, ready=-1, vectors=lost)
        connection.execute(
            f"UPDATE chunk SET vector = 'waiting' WHERE vector = 'ready' AND cid IN ({marks(batch)})", batch
        )


def _still_waits(connection: sqlite3.Connection, row: Waiting) -> bool:
    found = connection.execute("SELECT embed_hash, vector FROM chunk WHERE cid = ?", (row.cid,)).fetchone()
    return bool(found == (row.embed_hash, "waiting"))


def _mark(connection: sqlite3.Connection, state: str, rows: Iterable[Waiting]) -> None:
    by_labels: dict[int, list[Waiting]] = {}
    for row in rows:
        by_labels.setdefault(row.label_set, []).append(row)
        connection.execute("UPDATE chunk SET vector = ? WHERE cid = ?", (state, row.cid))
    for labels, group in by_labels.items():
        if state == "ready":
            gained = sum(corpus_term(row.chunk_id, row.embed_hash) for row in group)
            tally(connection, labels, waiting=-len(group), ready=len(group), vectors=gained)
        else:
            tally(connection, labels, waiting=-len(group), refused=len(group))


def _read(cursor: sqlite3.Cursor) -> list[Waiting]:
    return [
        Waiting(cid, chunk_id, embed_hash, label_set, title, tuple(json.loads(heading_path)), text)
        for cid, chunk_id, embed_hash, label_set, title, heading_path, text in cursor
    ]
