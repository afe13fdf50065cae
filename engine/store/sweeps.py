"""Finished cells of sweeps in the library file: what a setting made of a set, figure by figure. The user's, never
derived.

A cell's id stands for everything that its figures depend on, so a sweep that was cut short is asked again and finds
them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from engine.store.connect import BATCH, batches, connect, marks, prepare, read, translated, write
from engine.store.library_file import SCHEMA as LIBRARY_SCHEMA
from engine.store.library_file import VERSION
from engine.store.steps import Steps, no_steps

KEPT_CELLS = 20_000
"""The latest of a library."""

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS sweep_cell("
    "seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, figures BLOB NOT NULL)"
)

Figures = Sequence[Mapping[str, float]]
"""The figures of each case by name, in the order of the set."""


class SweepStore:
    """A connection of its own to ``library.sqlite``, for one thread at a time. Close it."""

    def __init__(self, path: Path, *, steps: Steps = no_steps) -> None:
        self.path = path
        self._steps = steps
        self._connection = connect(path, synchronous="FULL")
        try:
            prepare(self._connection, path, version=VERSION, schema=LIBRARY_SCHEMA)
            with translated(path), write(self._connection) as connection:
                connection.execute(SCHEMA)
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        self._connection.close()

    def known(self, ids: Sequence[str]) -> dict[str, Figures]:
        """Those of these cells that are kept; what is damaged counts as not."""
        found: dict[str, Figures] = {}
        with translated(self.path), read(self._connection) as connection:
            for some in batches(list(ids), BATCH):
                rows = connection.execute(
                    f"SELECT id, figures FROM sweep_cell WHERE id IN ({marks(some)})", some
                )
                for name, blob in rows:
                    figures = _unpacked(blob)
                    if figures is not None:
                        found[str(name)] = figures
        return found

    def put(self, cells: Iterable[tuple[str, Figures]]) -> None:
        """Keep these, in one transaction; the oldest are let go."""
        with translated(self.path), write(self._connection) as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO sweep_cell(id, figures) VALUES (?, ?)",
                [(name, _packed(figures)) for name, figures in cells],
            )
            connection.execute(
                f"DELETE FROM sweep_cell WHERE seq <= (SELECT max(seq) FROM sweep_cell) - {KEPT_CELLS}"
            )
        self._steps("cells.committed")


def _packed(figures: Figures) -> bytes:
    return zlib.compress(json.dumps([dict(each) for each in figures]).encode(), 1)


def _unpacked(blob: bytes) -> Figures | None:
    try:
        found = json.loads(zlib.decompress(blob))
        return [{str(name): float(value) for name, value in each.items()} for each in found]
    except (zlib.error, ValueError, TypeError, AttributeError):
        return None
