"""Vectors of a generation: slots in an append-only page file, one file an embedder fingerprint. SQLite is the
truth.

Order of an append: rows into the file, synced, then slots and the new high-water mark in the caller's
transaction. A kill in between leaves bytes past the mark, which do not exist: the next append writes over
them. A slot is never used twice; a deleted one keeps its bytes and loses its label set. Compaction copies
what lives into a new file, and the name changes with the caller's transaction. Never commits. Reading and
scoring rows is ``recall.vector``'s.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.embedding.protocol import normalised
from engine.errors import CorruptIndexError
from engine.store.connect import batches, marks, translated
from engine.store.seal import SEAL_BYTES, is_sealed, sealed
from engine.store.steps import Steps, no_steps
from engine.store.vector_pages import PageFile, Rows, append_rows, are_units, extended, page_rows

SCHEMA = """
CREATE TABLE vector_file(
  id INTEGER PRIMARY KEY AUTOINCREMENT, fingerprint TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL,
  slots INTEGER NOT NULL, live INTEGER NOT NULL);
CREATE TABLE vector_page(
  file INTEGER NOT NULL, page INTEGER NOT NULL, checksum INTEGER NOT NULL, slots BLOB NOT NULL,
  PRIMARY KEY(file, page));
CREATE TABLE vector(
  cid INTEGER NOT NULL, file INTEGER NOT NULL, slot INTEGER NOT NULL, label_set INTEGER NOT NULL,
  embed_hash TEXT NOT NULL, PRIMARY KEY(cid, file)) WITHOUT ROWID;
"""

SLOT = np.dtype([("cid", "<i8"), ("label_set", "<i4")])
TOMBSTONE = -1
"""The label set of a slot whose vector was deleted: nobody sees it."""

DIMENSIONS_LIMIT = 16_384
_NAME = re.compile(r"vectors-\d+\.f32")
_REBUILD = "it is derived: rebuild it with `rankscope index PATH --rebuild`"

SlotArray = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class SlotRow:
    """Whose vector a row is: the chunk, the label set of its document, and the hash of what was embedded."""

    cid: int
    label_set: int
    embed_hash: str


@dataclass(frozen=True, slots=True)
class VectorFile:
    """One page file: ``slots`` is the high-water mark, ``live`` how many of them hold a vector."""

    id: int
    fingerprint: str
    dimensions: int
    slots: int
    live: int

    @property
    def name(self) -> str:
        return f"vectors-{self.id}.f32"


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """What SQLite says of one page: whose its slots are, and the checksum of their rows. ``slots`` is ``(n,)
    SLOT``."""

    number: int
    checksum: int
    slots: SlotArray


# --- reading ---------------------------------------------------------------------------------------------------


def vector_file(connection: sqlite3.Connection, fingerprint: str) -> VectorFile | None:
    """The file of an embedder, None where nothing was embedded with it. Raises ``CorruptIndexError``."""
    row = connection.execute(
        "SELECT id, fingerprint, dimensions, slots, live FROM vector_file WHERE fingerprint = ?",
        (fingerprint,),
    ).fetchone()
    if row is None:
        return None
    file = VectorFile(*row)
    numbers = (file.id, file.dimensions, file.slots, file.live)
    if not all(isinstance(number, int) for number in numbers) or not (
        0 < file.dimensions <= DIMENSIONS_LIMIT and 0 <= file.live <= file.slots
    ):
        raise CorruptIndexError("the index says impossible things of its vectors", _REBUILD)
    return file


def pages(connection: sqlite3.Connection, file: VectorFile) -> Iterator[Page]:
    """The pages of a file in order, one at a time. Raises ``CorruptIndexError`` where one does not fit the
    others."""
    count = -(-file.slots // page_rows(file.dimensions))
    rows = connection.execute(
        "SELECT page, checksum, slots FROM vector_page WHERE file = ? ORDER BY page LIMIT ?", (file.id, count)
    )
    for number in range(count):
        yield _page(file, number, rows.fetchone())


def page(connection: sqlite3.Connection, file: VectorFile, number: int) -> Page:
    """One page of a file. Raises ``CorruptIndexError`` where it is missing or not of the size that the mark
    says."""
    rows = connection.execute(
        "SELECT page, checksum, slots FROM vector_page WHERE file = ? AND page = ?", (file.id, number)
    )
    return _page(file, number, rows.fetchone())


def _page(file: VectorFile, number: int, row: tuple[int, int, bytes] | None) -> Page:
    size = page_rows(file.dimensions)
    expected = min(size, file.slots - number * size) * SLOT.itemsize + SEAL_BYTES
    if row is None or row[0] != number or not isinstance(row[2], bytes) or len(row[2]) != expected:
        raise CorruptIndexError("the index and the mark of its vectors do not agree", _REBUILD)
    if not is_sealed(row[2], file.id, number):
        raise CorruptIndexError("the index does not say any more whose its vectors are", _REBUILD)
    return Page(number, int(row[1]), np.frombuffer(row[2], dtype=SLOT, offset=SEAL_BYTES))


def slots_of(connection: sqlite3.Connection, file: VectorFile, cids: Sequence[int]) -> dict[int, int]:
    """The slots of those of these chunks that have a vector in the file."""
    found: dict[int, int] = {}
    for batch in batches(cids):
        found.update(
            connection.execute(
                f"SELECT cid, slot FROM vector WHERE file = ? AND cid IN ({marks(batch)})", (file.id, *batch)
            )
        )
    return found


def foreign(connection: sqlite3.Connection, fingerprint: str, label_sets: Sequence[int]) -> int:
    """How many chunks of these label sets have a vector of another embedder and none of this one.

    At once where there is no other file; else one look-up a foreign vector, about 0.4 s a million.
    """
    if not connection.execute("SELECT 1 FROM vector_file WHERE fingerprint <> ?", (fingerprint,)).fetchone():
        return 0
    own = vector_file(connection, fingerprint)
    row = connection.execute(
        "SELECT count(DISTINCT other.cid) FROM vector AS other WHERE other.file <> ?1"
        f" AND other.label_set IN ({','.join(str(int(each)) for each in label_sets)})"
        " AND NOT EXISTS (SELECT 1 FROM vector AS own WHERE own.cid = other.cid AND own.file = ?1)",
        (own.id if own else 0,),
    ).fetchone()
    return int(row[0])


# --- writing ---------------------------------------------------------------------------------------------------


def append(
    connection: sqlite3.Connection,
    folder: Path,
    fingerprint: str,
    rows: Sequence[SlotRow],
    vectors: Rows,
    *,
    steps: Steps = no_steps,
) -> tuple[int, ...]:
    """Give each chunk its vector, in place of an older one of the same embedder; the cids that were refused.

    ``vectors`` is ``(n, dimensions) float32``, row for row. A vector that is zero or not finite, or of
    another dimension than the file's, is refused: it has no direction to compare. Raises
    ``CorruptIndexError`` where the file has lost what it held (``clear`` it and embed again),
    ``DiskFullError`` and ``LibraryError``; the caller then rolls back.
    """
    if len(rows) != len(vectors):
        raise ValueError(f"{len(rows)} chunks and {len(vectors)} vectors")
    file = vector_file(connection, fingerprint) or _new_file(connection, fingerprint, vectors.shape[1])
    if vectors.shape[1] != file.dimensions:
        return tuple(row.cid for row in rows)
    units = normalised(vectors)
    usable = are_units(units)
    kept = [row for row, fine in zip(rows, usable, strict=True) if fine]
    if kept:
        _remove(connection, [row.cid for row in kept], file)
        _extend(connection, folder, _reread(connection, file), kept, units[usable], steps)
    return tuple(row.cid for row, fine in zip(rows, usable, strict=True) if not fine)


def page_files(connection: sqlite3.Connection) -> list[str]:
    """The names of the page files that a generation uses, in its folder."""
    return [file.name for file in _files(connection)]


def remove(connection: sqlite3.Connection, cids: Sequence[int]) -> None:
    """Take the vectors of these chunks out, of every embedder. Chunks without one are passed over."""
    for file in _files(connection):
        _remove(connection, cids, file)


def clear(connection: sqlite3.Connection, fingerprint: str) -> None:
    """Forget every vector of an embedder: its chunks wait again. The file is left to ``unreferenced``."""
    file = vector_file(connection, fingerprint)
    if file is not None:
        for table in ("vector", "vector_page"):
            connection.execute(f"DELETE FROM {table} WHERE file = ?", (file.id,))
        connection.execute("DELETE FROM vector_file WHERE id = ?", (file.id,))


def unreferenced(connection: sqlite3.Connection, folder: Path) -> list[Path]:
    """Page files that nothing refers to: left by a compaction, by ``clear``, or by a kill before a commit.

    For the holder of the writer's lease, and only where no reader may still be in an older state.
    """
    named = {file.name for file in _files(connection)}
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.name not in named)


# --- compaction ------------------------------------------------------------------------------------------------


def wasteful(connection: sqlite3.Connection) -> tuple[str, ...]:
    """The fingerprints whose files are more than half tombstones and worth a page or more."""
    return tuple(
        file.fingerprint
        for file in _files(connection)
        if file.slots - file.live > max(file.live, page_rows(file.dimensions))
    )


def compact(
    connection: sqlite3.Connection,
    folder: Path,
    fingerprint: str,
    *,
    steps: Steps = no_steps,
    cancel: CancelToken,
) -> tuple[int, ...]:
    """Copy what lives into a new file; the cids whose vectors were damaged and are gone, to be embedded
    again.

    Holds one page at a time. The old file stays, for readers in an older state. Raises ``Cancelled`` and what
    ``append`` raises; the caller then rolls back, and the new file is left to ``unreferenced``.
    """
    old = vector_file(connection, fingerprint)
    if old is None:
        return ()
    connection.execute("UPDATE vector_file SET fingerprint = '' WHERE id = ?", (old.id,))
    new = _new_file(connection, fingerprint, old.dimensions)
    lost: list[int] = []
    with PageFile(folder / old.name, old.dimensions) as source:
        for each in pages(connection, old):
            cancel.check()
            living = each.slots["label_set"] != TOMBSTONE
            rows = source.page(each.number, len(each.slots), each.checksum) if living.any() else None
            owners = [] if rows is None else _owners(connection, old, each.slots["cid"][living].tolist())
            if rows is not None and owners:
                new = _extend(connection, folder, new, owners, rows[living], steps)
            elif living.any():
                lost += each.slots["cid"][living].tolist()
            source.drop(each.number)
    for table in ("vector", "vector_page"):
        connection.execute(f"DELETE FROM {table} WHERE file = ?", (old.id,))
    connection.execute("DELETE FROM vector_file WHERE id = ?", (old.id,))
    return tuple(lost)


def _owners(connection: sqlite3.Connection, file: VectorFile, cids: Sequence[int]) -> list[SlotRow]:
    """Whose these vectors are, in the order of ``cids``. Raises ``CorruptIndexError`` where one is
    nobody's."""
    found: dict[int, SlotRow] = {}
    for batch in batches(cids):
        for row in connection.execute(
            f"SELECT cid, label_set, embed_hash FROM vector WHERE file = ? AND cid IN ({marks(batch)})",
            (file.id, *batch),
        ):
            found[row[0]] = SlotRow(*row)
    if len(found) != len(cids):
        raise CorruptIndexError("a vector of the index belongs to no chunk", _REBUILD)
    return [found[cid] for cid in cids]


# --- checking --------------------------------------------------------------------------------------------------


def damaged(
    connection: sqlite3.Connection, folder: Path, fingerprint: str, *, cancel: CancelToken
) -> tuple[int, ...]:
    """The chunks whose vectors cannot be read as they were written. Reads every page; holds one."""
    file = vector_file(connection, fingerprint)
    if file is None:
        return ()
    cids: list[int] = []
    with PageFile(folder / file.name, file.dimensions, afresh=True) as source:
        for each in pages(connection, file):
            cancel.check()
            living = each.slots["label_set"] != TOMBSTONE
            if source.page(each.number, len(each.slots), each.checksum) is None:
                cids += each.slots["cid"][living].tolist()
    return tuple(cids)


# --- the parts -------------------------------------------------------------------------------------------------


def _extend(
    connection: sqlite3.Connection,
    folder: Path,
    file: VectorFile,
    rows: Sequence[SlotRow],
    units: Rows,
    steps: Steps,
) -> VectorFile:
    """Append unit vectors that the file does not hold yet: bytes first, then slots and mark."""
    path = folder / file.name
    with translated(path):
        try:
            append_rows(path, file.slots, units)
        except FileNotFoundError as error:
            raise CorruptIndexError(f"{path} has lost vectors that it held", _REBUILD) from error
    steps("pages.synced")
    slots = np.array([(row.cid, row.label_set) for row in rows], dtype=SLOT)
    size = page_rows(file.dimensions)
    start = 0
    while start < len(rows):
        number, filled = divmod(file.slots + start, size)
        end = min(len(rows), start + size - filled)
        _extend_page(connection, file, number, slots[start:end], units[start:end], new=not filled)
        start = end
    connection.executemany(
        "INSERT INTO vector(cid, file, slot, label_set, embed_hash) VALUES (?, ?, ?, ?, ?)",
        (
            (row.cid, file.id, file.slots + place, row.label_set, row.embed_hash)
            for place, row in enumerate(rows)
        ),
    )
    grown = replace(file, slots=file.slots + len(rows), live=file.live + len(rows))
    connection.execute(
        "UPDATE vector_file SET slots = ?, live = ? WHERE id = ?", (grown.slots, grown.live, file.id)
    )
    return grown


def _extend_page(
    connection: sqlite3.Connection, file: VectorFile, number: int, slots: SlotArray, units: Rows, *, new: bool
) -> None:
    before = Page(number, 0, np.empty(0, dtype=SLOT)) if new else page(connection, file, number)
    connection.execute(
        "INSERT OR REPLACE INTO vector_page(file, page, checksum, slots) VALUES (?, ?, ?, ?)",
        (
            file.id,
            number,
            extended(before.checksum, units),
            sealed(before.slots.tobytes() + slots.tobytes(), file.id, number),
        ),
    )


def _remove(connection: sqlite3.Connection, cids: Sequence[int], file: VectorFile) -> None:
    """Turn the slots of these chunks into tombstones."""
    slots = slots_of(connection, file, cids)
    size = page_rows(file.dimensions)
    by_page: dict[int, list[int]] = {}
    for slot in slots.values():
        by_page.setdefault(slot // size, []).append(slot % size)
    for number, places in by_page.items():
        marked = page(connection, file, number).slots.copy()
        marked["label_set"][places] = TOMBSTONE
        connection.execute(
            "UPDATE vector_page SET slots = ? WHERE file = ? AND page = ?",
            (sealed(marked.tobytes(), file.id, number), file.id, number),
        )
    connection.executemany("DELETE FROM vector WHERE cid = ? AND file = ?", ((cid, file.id) for cid in slots))
    connection.execute("UPDATE vector_file SET live = live - ? WHERE id = ?", (len(slots), file.id))


def _new_file(connection: sqlite3.Connection, fingerprint: str, dimensions: int) -> VectorFile:
    if not 0 < dimensions <= DIMENSIONS_LIMIT:
        raise ValueError(f"vectors of {dimensions} dimensions")
    cursor = connection.execute(
        "INSERT INTO vector_file(fingerprint, dimensions, slots, live) VALUES (?, ?, 0, 0)",
        (fingerprint, dimensions),
    )
    return VectorFile(int(cursor.lastrowid or 0), fingerprint, dimensions, 0, 0)


def _reread(connection: sqlite3.Connection, file: VectorFile) -> VectorFile:
    return vector_file(connection, file.fingerprint) or file


def _files(connection: sqlite3.Connection) -> list[VectorFile]:
    names = [row[0] for row in connection.execute("SELECT fingerprint FROM vector_file ORDER BY id")]
    return [file for name in names if (file := vector_file(connection, name)) is not None]
