"""Page files that lost what they held: noticed when a sync begins, before anything is appended to them."""

from __future__ import annotations

from engine.cancel import CancelToken
from engine.store import vectors
from engine.store.generation import Generation
from engine.store.waiting import take_back

READ_BYTES = 1 << 30
"""Of page files up to this size in all every page is read, at about 1 GB/s; of larger ones only the length is
looked at, and a question notices the rest."""


def mend_pages(generation: Generation, *, cancel: CancelToken) -> int:
    """Copy what can be read of damaged page files into new ones; how many chunks wait for their vector again.

    Raises ``Cancelled``, ``CorruptIndexError`` where the tables do not agree either.
    """
    waiting = 0
    for fingerprint in _damaged(generation, cancel):
        with generation.writing() as connection:
            lost = vectors.compact(
                connection, generation.folder, fingerprint, steps=generation.steps, cancel=cancel
            )
            take_back(connection, lost)
        generation.steps("vectors.committed")
        waiting += len(lost)
    return waiting


def _damaged(generation: Generation, cancel: CancelToken) -> list[str]:
    """The embedders whose page files are not what was written."""
    with generation.reading() as connection:
        files = connection.execute("SELECT fingerprint, id, dimensions, slots FROM vector_file").fetchall()
        total = sum(4 * dimensions * slots for _, _, dimensions, slots in files)
        return [
            fingerprint
            for fingerprint, number, dimensions, slots in files
            if _short(generation, number, 4 * dimensions * slots)
            or (
                total <= READ_BYTES
                and vectors.damaged(connection, generation.folder, fingerprint, cancel=cancel)
            )
        ]


def _short(generation: Generation, number: int, size: int) -> bool:
    try:
        return (generation.folder / f"vectors-{number}.f32").stat().st_size < size
    except FileNotFoundError:
        return size > 0
