"""The embedding cache: whole, and every row a unit vector. Never begun anew here, unlike where it is used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.store import cache
from engine.store.connect import batches, connect, marks, prepare, read, translated
from engine.store.places import Places
from engine.verify.database import integrity, schema_problems
from engine.verify.finding import Finding

Vector = NDArray[np.float32]
BATCH = 256


class Cached:
    """Cached vectors to compare with; none where there is no cache that can be read."""

    def __init__(self, connection: sqlite3.Connection | None) -> None:
        self._connection = connection

    def rows(self, fingerprint: str, dimensions: int, hashes: Sequence[str]) -> dict[str, Vector]:
        """Those that the cache has: ``(dimensions,) float32`` by hash of what was embedded."""
        found: dict[str, Vector] = {}
        if self._connection is None:
            return found
        for batch in batches(sorted(set(hashes))):
            for key, blob in self._connection.execute(
                f"SELECT embed_hash, vector FROM embedding WHERE fingerprint = ? AND embed_hash IN ({marks(batch)})",
                (fingerprint, *batch),
            ):
                if (vector := cache.unit(fingerprint, key, blob, dimensions)) is not None:
                    found[key] = vector
        return found


@contextmanager
def open_cache(places: Places) -> Iterator[tuple[Cached, sqlite3.Connection | None, LibraryError | None]]:
    """The cache to compare with and to check, and why it cannot be opened; nothing where there is none."""
    if not places.cache.exists():
        yield Cached(None), None, None
        return
    try:
        connection = connect(places.cache, synchronous="NORMAL", create=False)
    except LibraryError as error:
        yield Cached(None), None, error
        return
    with closing(connection):
        try:
            prepare(connection, places.cache, version=cache.VERSION, schema=cache.SCHEMA)
        except LibraryError as error:
            yield Cached(None), None, error
            return
        yield Cached(connection), connection, None


def check_cache(connection: sqlite3.Connection, places: Places, *, cancel: CancelToken) -> Iterator[Finding]:
    """What is wrong with an open cache. Raises ``LibraryError`` where it cannot be read to the end, ``Cancelled``."""
    where = places.cache.name
    with translated(places.cache), read(connection):
        for problem in (*integrity(connection, cancel=cancel), *schema_problems(connection, cache.SCHEMA)):
            yield Finding("cache_damaged", where, problem, mend="cache")
        bad = 0
        rows = connection.execute("SELECT fingerprint, embed_hash, vector FROM embedding")
        while batch := rows.fetchmany(BATCH):
            cancel.check()
            bad += sum(cache.unit(*row) is None for row in batch)
    if bad:
        yield Finding(
            "cache_damaged", where, f"{bad:,} of its vectors are not as they were written", mend="cache"
        )
