"""The channel ``vector``: exact top-k by cosine over page files, in bounded memory, cancellable between two
pages.

The scan is float32. The error of a float32 inner product is bounded, so only rows within twice that bound of
the cut can belong above it: those are scored again in float64, row by row. Ids, order and scores are
therefore exactly those of a float64 brute force, and depend neither on the layout of pages, nor on threads,
nor on vectors that the principal may not see. Ties break as the caller says.

Works on row numbers (cids) inside the caller's read transaction; knows no chunk and no embedder.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.errors import EmbedderError
from engine.recall.nearest import Nearest, TieOrder
from engine.store.vector_pages import PageFile, Rows, page_rows
from engine.store.vectors import Page, VectorFile, foreign, page, pages, slots_of, vector_file

Cids = NDArray[np.int64]
Scores = NDArray[np.float64]
Places = NDArray[np.intp]

EXACT_BYTES = 1 << 19
"""Float64 bytes scored again at once; a few arrays of this size live at a time."""

PARALLEL_PAGES = 4
"""From how many pages on a second thread pays (0.7 of the time from 20 on); a third one adds nothing to
memory's bandwidth."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False)
class VectorHits:
    """The nearest visible chunks, best first: ``cids (m,) int64``, ``scores (m,) float64``, cosines in −1 to
    1.

    ``scanned`` counts the visible vectors that were compared, ``of`` the same as a population; ``matched``
    those at or above the minimum similarity. ``left_out`` counts visible chunks whose vector cannot take part
    (a damaged or lost page, another embedder); ``damage`` says which file, where there is one.
    """

    cids: Cids
    scores: Scores
    scanned: int
    left_out: int
    matched: int
    of: int
    damage: str = ""


@dataclass(frozen=True, slots=True)
class VectorRank:
    """The true rank of one chunk among ``of`` visible vectors, from 1, and its cosine."""

    rank: int
    score: float
    of: int


def scan(
    connection: sqlite3.Connection,
    folder: Path,
    fingerprint: str,
    query_vector: Rows,
    label_sets: Sequence[int],
    *,
    depth: int,
    minimum_similarity: float = 0.0,
    tie_order: TieOrder,
    cancel: CancelToken,
) -> VectorHits:
    """The ``depth`` chunks of these label sets nearest to the query, exactly.

    A ``minimum_similarity`` of 0 cuts nothing. ``tie_order`` is called in this thread. Raises ``Cancelled``
    within one page, ``EmbedderError`` for a query vector that is none, ``CorruptIndexError`` where SQLite
    contradicts itself; a damaged page file is no error, but counted.
    """
    file = vector_file(connection, fingerprint)
    left_out = foreign(connection, fingerprint, label_sets)
    if file is None or depth < 1:
        return VectorHits(np.empty(0, np.int64), np.empty(0, np.float64), 0, left_out, 0, 0)
    query = _Query.of(query_vector, file.dimensions)
    nearest = Nearest(depth, tie_order)
    minimum = minimum_similarity if minimum_similarity > 0 else None
    scanned = matched = unread = 0

    def near(seen: _Seen) -> _Near:
        return _nearest_of(query, seen, depth=depth, cut=nearest.cut, minimum=minimum)

    for count, found in _over_pages(connection, folder, file, label_sets, near, cancel):
        if found is None:
            unread += count
            continue
        scanned += count
        matched += found.matched
        nearest.add(found.cids, found.scores)
    cids, scores = nearest.ordered()
    damage = f"the vectors in {file.name} are damaged or lost" if unread else ""
    return VectorHits(cids, scores, scanned, left_out + unread, matched, scanned, damage)


def rank_of(
    connection: sqlite3.Connection,
    folder: Path,
    fingerprint: str,
    query_vector: Rows,
    label_sets: Sequence[int],
    cid: int,
    *,
    tie_order: TieOrder,
    cancel: CancelToken,
) -> VectorRank | None:
    """The rank that a chunk has for the query, however deep; None where it has no usable vector that is
    visible.

    Raises what ``scan`` raises.
    """
    file = vector_file(connection, fingerprint)
    slot = slots_of(connection, file, [cid]).get(cid) if file else None
    if file is None or slot is None:
        return None
    query = _Query.of(query_vector, file.dimensions)
    number, place = divmod(slot, page_rows(file.dimensions))
    if page(connection, file, number).slots["label_set"][place] not in label_sets:
        return None
    score = _similarities(connection, folder, file, query, {cid: slot}).get(cid)
    if score is None:
        return None
    rank, of = 1, 0

    def compared(seen: _Seen) -> tuple[int, Cids]:
        return _compared(query, seen, seen.rough(query), score)

    for count, found in _over_pages(connection, folder, file, label_sets, compared, cancel):
        if found is not None:
            above, tied = found
            others = [other for other in tied.tolist() if other != cid]
            rank += above + (list(tie_order([*others, cid])).index(cid) if others else 0)
            of += count
    return VectorRank(rank, score, of)


def similarities(
    connection: sqlite3.Connection, folder: Path, fingerprint: str, query_vector: Rows, cids: Sequence[int]
) -> Scores:
    """The query's cosine with each chunk, ``(n,) float64``, NaN where one has no usable vector.

    The same bits as in ``scan``. For candidates: who may see them has been decided.
    """
    file = vector_file(connection, fingerprint)
    scores = np.full(len(cids), np.nan)
    if file is not None:
        query = _Query.of(query_vector, file.dimensions)
        found = _similarities(connection, folder, file, query, slots_of(connection, file, cids))
        scores[:] = [found.get(cid, np.nan) for cid in cids]
    return scores


# --- the query ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """A query vector of length 1, in both precisions, and the error bound of a float32 score.

    Rounding of an inner product of d terms is at most ``d·u`` of the product of the lengths, in whatever
    order it is summed (Higham 2002, 3.1; u = 2⁻²⁴). Rounding of the query adds u, and that rows have length 1
    to within ``1.5·(d + 8)·u`` is checked when a page is first read. ``slack = 3·(d + 8)·u`` is above their
    sum.
    """

    wide: Scores
    narrow: Rows
    slack: float

    @classmethod
    def of(cls, vector: Rows, dimensions: int) -> _Query:
        wide = np.asarray(vector, dtype=np.float64).reshape(-1)
        length = float(np.sqrt((wide * wide).sum()))
        if wide.shape != (dimensions,) or not np.isfinite(length) or length == 0:
            raise EmbedderError(
                f"the question has no usable vector of {dimensions} dimensions", "choose another embedder"
            )
        unit = wide / length
        return cls(unit, unit.astype(np.float32), 3 * (dimensions + 8) * 2.0**-24)

    def exact(self, rows: Rows, places: Places) -> Scores:
        """The cosines of these rows in float64. Each is a sum along its own row, so the bits do not depend on
        which rows stand beside it."""
        scores = np.empty(len(places))
        if not len(places):
            return scores
        block = max(1, EXACT_BYTES // (8 * rows.shape[1]))
        for start in range(0, len(places), block):
            wide = rows[places[start : start + block]].astype(np.float64)
            lengths = np.sqrt((wide * wide).sum(axis=1))
            wide *= self.wide
            scores[start : start + block] = wide.sum(axis=1) / lengths
        return np.clip(scores, -1.0, 1.0)


# --- one page -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What a principal sees of one page: its rows, the places of those that are visible, and the cids of
    all."""

    rows: Rows
    places: Places
    cids: Cids

    def rough(self, query: _Query) -> Rows:
        """Float32 scores of the visible rows, ``(len(places),)``."""
        scores: Rows = np.vecdot(self.rows, query.narrow)[self.places]
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """What one page adds: every visible row that may be among the best, with its exact score."""

    cids: Cids
    scores: Scores
    matched: int


def _nearest_of(query: _Query, seen: _Seen, *, depth: int, cut: float, minimum: float | None) -> _Near:
    """The rows of a page that score at least ``cut`` and ``minimum``, and are among its own best
    ``depth``."""
    rough = seen.rough(query)
    matched = len(rough)
    if minimum is not None:
        above, at_least = _compared(query, seen, rough, minimum)
        matched = above + len(at_least)
        cut = max(cut, minimum)
    near = rough >= cut - query.slack
    if np.count_nonzero(near) > depth:
        cut = max(cut, float(np.partition(rough, -depth)[-depth]) - query.slack)
        near = rough >= cut - query.slack
    places = seen.places[near]
    scores = query.exact(seen.rows, places)
    kept = scores >= cut
    return _Near(seen.cids[places[kept]], scores[kept], matched)


def _compared(query: _Query, seen: _Seen, rough: Rows, score: float) -> tuple[int, Cids]:
    """How many visible rows of a page score above ``score``, and the cids of those that score exactly that.

    Only rows too near to it to tell are scored again.
    """
    certain = rough > score + query.slack
    doubtful = seen.places[~certain & (rough >= score - query.slack)]
    scores = query.exact(seen.rows, doubtful)
    above = int(np.count_nonzero(certain)) + int(np.count_nonzero(scores > score))
    return above, seen.cids[doubtful[scores == score]]


def _similarities(
    connection: sqlite3.Connection, folder: Path, file: VectorFile, query: _Query, slots: dict[int, int]
) -> dict[int, float]:
    """The exact scores of single chunks, by cid; those on damaged pages are missing."""
    size = page_rows(file.dimensions)
    by_page: dict[int, list[int]] = {}
    for cid, slot in slots.items():
        by_page.setdefault(slot // size, []).append(cid)
    found: dict[int, float] = {}
    with PageFile(folder / file.name, file.dimensions) as source:
        for number, cids in by_page.items():
            each = page(connection, file, number)
            rows = source.page(number, len(each.slots), each.checksum)
            if rows is not None:
                places = np.array([slots[cid] % size for cid in cids], dtype=np.intp)
                found.update(zip(cids, query.exact(rows, places).tolist(), strict=True))
    return found


# --- all pages ----------------------------------------------------------------------------------------------


def _over_pages(
    connection: sqlite3.Connection,
    folder: Path,
    file: VectorFile,
    label_sets: Sequence[int],
    work: Callable[[_Seen], _T],
    cancel: CancelToken,
) -> Iterator[tuple[int, _T | None]]:
    """``work`` done on every page that holds a visible vector, in order, with how many it holds; None for a
    page that cannot be read.

    SQLite is read in this thread; bytes and products in as many others as pay. ``np.vecdot`` takes one BLAS
    dot a row, which no BLAS spreads over threads of its own.
    """
    with PageFile(folder / file.name, file.dimensions) as source:

        def worked(each: Page, places: Places) -> _T | None:
            rows = source.page(each.number, len(each.slots), each.checksum)
            result = None if rows is None else work(_Seen(rows, places, each.slots["cid"]))
            source.drop(each.number)
            return result

        threads = _threads(file)
        todo = _seen_pages(connection, file, label_sets, cancel)
        if threads == 1:
            yield from ((len(places), worked(each, places)) for each, places in todo)
        else:
            yield from _side_by_side(worked, todo, threads, cancel)


def _seen_pages(
    connection: sqlite3.Connection, file: VectorFile, label_sets: Sequence[int], cancel: CancelToken
) -> Iterator[tuple[Page, Places]]:
    """The pages on which somebody of these label sets sees anything, with the places of what is seen."""
    for each in pages(connection, file):
        cancel.check()
        places = np.flatnonzero(_is_one_of(each.slots["label_set"], label_sets))
        if len(places):
            yield each, places


def _is_one_of(label_set: NDArray[np.int32], wanted: Sequence[int]) -> NDArray[np.bool_]:
    """Which entries are among those wanted. For the few that a principal sees, one comparison each is 40
    times as fast as ``np.isin``, which would take as long as the page's products."""
    if len(wanted) > 16:
        return np.isin(label_set, wanted)
    found = np.zeros(len(label_set), dtype=np.bool_)
    for each in wanted:
        found |= label_set == each
    return found


def _side_by_side(
    worked: Callable[[Page, Places], _T | None],
    todo: Iterator[tuple[Page, Places]],
    threads: int,
    cancel: CancelToken,
) -> Iterator[tuple[int, _T | None]]:
    """The same in threads: one page a thread at work, one more waiting, results in the order of the pages."""
    pending: deque[tuple[int, Future[_T | None]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for each, places in todo:
            pending.append((len(places), pool.submit(worked, each, places)))
            if len(pending) > threads:
                count, future = pending.popleft()
                yield count, future.result()
        while pending:
            cancel.check()
            count, future = pending.popleft()
            yield count, future.result()


def _threads(file: VectorFile) -> int:
    """How many threads pay: two from a few pages on, where this process may use two processors."""
    affinity = getattr(os, "sched_getaffinity", None)
    processors = len(affinity(0)) if affinity else os.cpu_count() or 1
    return 2 if processors > 1 and file.slots > PARALLEL_PAGES * page_rows(file.dimensions) else 1
