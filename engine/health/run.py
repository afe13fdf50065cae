"""Examining a whole library: each document by itself, then the chunks beside each other. Blocking."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.cancel import CancelToken
from engine.catalogue.opened import every_document
from engine.catalogue.standing import contents
from engine.health.cuts import examine
from engine.health.likeness import Copies, exact_copies, near_copies
from engine.health.model import Case, Health, case_of, in_order
from engine.health.neighbours import NEAREST, Neighbours, Numbers, neighbours
from engine.model import Chunk, Progress
from engine.pipeline.pace import Pace
from engine.store import chunks as chunk_store
from engine.store.connect import marks
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible


def health(
    generation: Generation, archive: Path, scopes: Sequence[str], *, cancel: CancelToken
) -> Iterator[Progress | Health]:
    """Progress, and at last every case, of what a principal sees; ``archive`` is the library file.

    Raises ``Cancelled``, ``CorruptIndexError``.
    """
    pace = Pace("publish", len(contents(generation, scopes)))
    cases: list[Case] = []
    documents = 0
    for document in every_document(generation, archive, scopes):
        cancel.check()
        documents += 1
        cases += examine(document, cancel=cancel)
        if (progress := pace.step(document.path)) is not None:
            yield progress
    with generation.reading() as connection:

        def read(numbers: Sequence[int]) -> Mapping[int, Chunk]:
            return chunk_store.by_cid(connection, numbers)

        cids = _visible(connection, scopes)
        pace, found = Pace("publish", len(cids)), Copies()
        for cid in cids.tolist():
            cancel.check()
            found.add(cid, read([cid])[cid])
            if (progress := pace.step("copies")) is not None:
                yield progress
        suspects = found.alike()
        cases += exact_copies(found, read, cancel=cancel)
        pace = Pace("publish", len(suspects))
        for case in near_copies(found, suspects, read, cancel=cancel):
            cases += [case] if case is not None else []
            if (progress := pace.step("near copies")) is not None:
                yield progress
        yield Progress("publish", len(cids), len(cids), detail="neighbours")
        near = neighbours(connection, generation, cids, cancel=cancel)
        if near is not None:
            cases += _lonely(connection, near)
    yield Health(documents, len(cids), in_order(cases), _measured(near, len(cids)))


def _visible(connection: sqlite3.Connection, scopes: Sequence[str]) -> Numbers:
    """The row numbers of the retrievable chunks that a principal sees, rising."""
    sets = [each.id for each in visible(label_sets(connection), scopes)]
    rows = connection.execute(
        "SELECT c.cid FROM chunk c JOIN document d USING (did)"
        f" WHERE c.role <> 'parent' AND c.enabled AND d.label_set IN ({marks(sets)}) ORDER BY c.cid",
        sets,
    )
    return np.fromiter((cid for (cid,) in rows), np.int64)


def _lonely(connection: sqlite3.Connection, near: Neighbours) -> Iterator[Case]:
    hubs, orphans = near.hubs(), near.orphans()
    chunks: Mapping[int, Chunk] = chunk_store.by_cid(
        connection, [*hubs, *(each for each in orphans if each not in hubs)]
    )
    for cid, times in hubs.items():
        yield case_of(
            "hub", chunks[cid], f"among the {NEAREST} nearest of {times:,} of {near.asked:,} chunks"
        )
    for cid, cosine in orphans.items():
        yield case_of(
            "orphan",
            chunks[cid],
            f"among the {NEAREST} nearest of none, and its own nearest at a cosine of {cosine:.2f}",
        )


def _measured(near: Neighbours | None, chunks: int) -> str:
    if near is None:
        return "hubs and orphans were not measured: the chunks have no vectors to compare"
    who = f"{near.asked:,} of them, evenly spread" if not near.exact else "each"
    told = f"{len(near.cids):,} of {chunks:,} chunks have a vector; {who} asked for its {NEAREST} nearest by cosine"
    return told if near.exact else f"{told}, which shows hubs and cannot show orphans"
