"""The frozen channel lists of a whole set as arrays, and its rank metrics under turned settings: one fusion of all
cases at once.

The order is that of ``engine.rank`` to the byte: the same shares, the same sum from the smallest part to the largest,
ties in candidate order, the same gate by relevance. What it cannot tell is told by None: a rerank and required terms
need the candidates' texts. Pure; imports numpy, the words and the settings alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from engine.evaluate.judge import deep_enough
from engine.evaluate.metrics import metric
from engine.model import CHANNELS
from engine.rank.fuse import VECTOR, scaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.evaluate.judgements import JudgedCase
    from engine.model import Recall
    from engine.settings import Retrieval

KEPT = 4
"""What is laid out for the weights to turn and kept: the view that serves, the metrics', those before, the shares."""

Number = TypeVar("Number", np.int32, np.float64)
Laid = TypeVar("Laid", "_View", "NDArray[np.float64]")

Placed = tuple[tuple[int, int], ...]
"""The (rank, grade) of every relevant item that was ranked, best first."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """What one setting makes of every case, by rank alone, in the order of the cases.

    ``placed`` are the relevant items by rank, ``refused`` whether the pipeline called a question unanswerable.
    """

    placed: tuple[Placed, ...]
    refused: tuple[bool, ...]

    @property
    def first(self) -> tuple[int | None, ...]:
        """The rank of each case's first relevant item, from 1."""
        return tuple(found[0][0] if found else None for found in self.placed)


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """The candidates that fusion reads, case by case in rows of one width; a blank is no candidate's.

    By ``(cases, width)``: ``valid``, ``grade`` and ``document`` (numbered within its case); ``shares`` are those of
    each channel that is asked, by its column, 0 where it does not list the candidate within the view.
    """

    valid: NDArray[np.bool_]
    grade: NDArray[np.int32]
    document: NDArray[np.int32]
    shares: tuple[tuple[int, NDArray[np.float64]], ...]


class MatrixBuilder:
    """Takes the recall of one case after the other, and keeps of it only what ranks need; ``size`` is in bytes."""

    def __init__(self, *, by_document: bool) -> None:
        self._by_document = by_document
        self._ranks: list[NDArray[np.int32]] = []
        self._scores: list[NDArray[np.float64]] = []
        self._grades: list[NDArray[np.int32]] = []
        self._documents: list[NDArray[np.int32]] = []
        self._served: list[tuple[bool, ...]] = []
        self._wanted: list[tuple[int, ...]] = []
        self._depth = 0
        self.size = 0

    def add(self, judged: JudgedCase, recall: Recall) -> None:
        """Add a case: its recall, every channel asked, and what is relevant to it."""
        numbers: dict[str, int] = {}
        documents = [numbers.setdefault(chunk.document_id, len(numbers)) for chunk in recall.chunks]
        items = [chunk.path if self._by_document else chunk.chunk_id for chunk in recall.chunks]
        self._ranks.append(recall.ranks)
        self._scores.append(recall.scores)
        self._grades.append(np.array([max(0, judged.grades.get(item, 0)) for item in items], dtype=np.int32))
        self._documents.append(np.array(documents, dtype=np.int32))
        self._served.append(tuple(channel.used for channel in recall.channels))
        self._wanted.append(tuple(sorted(grade for grade in judged.grades.values() if grade > 0)))
        self._depth = recall.depth
        self.size += recall.ranks.nbytes + recall.scores.nbytes + 8 * len(recall.chunks)

    def build(self) -> Matrix:
        return Matrix(
            ranks=np.ascontiguousarray(_joined(self._ranks, np.int32, len(CHANNELS)).T),
            scores=np.ascontiguousarray(_joined(self._scores, np.float64, len(CHANNELS)).T),
            grades=_joined(self._grades, np.int32),
            documents=_joined(self._documents, np.int32),
            ends=np.cumsum([0, *map(len, self._ranks)]),
            served=np.array(self._served, dtype=bool).reshape(-1, len(CHANNELS)),
            wanted=tuple(self._wanted),
            depth=self._depth,
            by_document=self._by_document,
        )


def _joined(parts: Sequence[NDArray[Number]], kind: type[Number], *columns: int) -> NDArray[Number]:
    return np.concatenate([np.empty((0, *columns), kind), *parts])


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """``N`` candidates of all cases, one case behind the other in their order of ties: case ``i`` has the rows from
    ``ends[i]`` to ``ends[i + 1]``.

    ``ranks`` ``(4, N) int32`` and ``scores`` ``(4, N) float64``, a row for each channel; ``grades`` and ``documents``
    ``(N,) int32``; ``served`` ``(cases, 4) bool``, the channels that served. ``wanted`` are the positive grades of
    each case, whether anything was found or not.
    """

    ranks: NDArray[np.int32]
    scores: NDArray[np.float64]
    grades: NDArray[np.int32]
    documents: NDArray[np.int32]
    ends: NDArray[np.intp]
    served: NDArray[np.bool_]
    wanted: tuple[tuple[int, ...], ...]
    depth: int
    by_document: bool
    _kept: OrderedDict[Hashable, _View | NDArray[np.float64]] = field(default_factory=OrderedDict)

    def rank(self, retrieval: Retrieval, cutoff: int) -> Ranks | None:
        """Every case under these settings, ranked deep enough for metrics that look at ``cutoff`` items; None where
        the texts of the candidates have a say."""
        if retrieval.rerank != "off" or retrieval.required_terms:
            return None
        deep = deep_enough(retrieval, cutoff)
        ranked = _ranked(self, deep)
        serving = ranked if deep is retrieval else _ranked(self, retrieval)
        return Ranks(_placed(ranked, by_document=self.by_document), _refused(serving, retrieval.score_margin))

    def laid_out(self, retrieval: Retrieval, cutoff: int) -> bool:
        """Whether these settings only turn what is laid out already: some milliseconds for a thousand cases."""
        both = (retrieval, deep_enough(retrieval, cutoff))
        return all(_key(self, each) in self._kept for each in both)

    def kept(self, key: Hashable, make: Callable[[], Laid]) -> Laid:
        """What was made under a key, made where it is not there; the latest few stay."""
        if key not in self._kept:
            self._kept[key] = make()
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return cast("Laid", self._kept[key])

    def values(self, ranks: Ranks, metrics: Sequence[str]) -> dict[str, list[float]]:
        """Each metric of every case that has something to find, in their order: what ``figures.values`` gives."""
        pairs = [pair for pair in zip(ranks.placed, self.wanted, strict=True) if pair[1]]
        return {name: [metric_value(name, placed, wanted) for placed, wanted in pairs] for name in metrics}


# --- what the weights turn ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """A view in the order of one fusion: ``passed`` is what the gate let through, by ``(cases, width)``."""

    passed: NDArray[np.bool_]
    relevance: NDArray[np.float64]
    grade: NDArray[np.int32]
    document: NDArray[np.int32]


def _ranked(matrix: Matrix, retrieval: Retrieval) -> _Ranked:
    weights = [retrieval.weight(channel) for channel in CHANNELS]
    laid = _view(matrix, retrieval)
    score = _sum([weights[column] * share for column, share in laid.shares], laid.valid.shape)
    order = np.argsort(np.where(laid.valid, -score, np.inf), axis=1, kind="stable")
    top = 1 / (retrieval.rrf_k + 1) if retrieval.fusion == "rrf" else 1.0
    relevance = np.take_along_axis(_relevance(score, _maxima(matrix, weights, top)), order, 1)
    valid = np.take_along_axis(laid.valid, order, 1)
    return _Ranked(
        passed=valid & (relevance >= retrieval.minimum_relevance),
        relevance=relevance,
        grade=np.take_along_axis(laid.grade, order, 1),
        document=np.take_along_axis(laid.document, order, 1),
    )


def _sum(parts: Sequence[NDArray[np.float64]], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The parts of each candidate added from the smallest to the largest, as ``fuse`` adds them; a channel that adds
    nothing is the smallest, and changes no sum."""
    ordered = list(parts)
    for last in range(len(ordered) - 1, 0, -1):
        for place in range(last):
            low, high = ordered[place], ordered[place + 1]
            ordered[place], ordered[place + 1] = np.minimum(low, high), np.maximum(low, high)
    whole = np.zeros(shape)
    for part in ordered:
        whole = whole + part
    return whole


def _maxima(matrix: Matrix, weights: Sequence[float], top: float) -> NDArray[np.float64]:
    """``(cases, 1)``: the score of a candidate that is first everywhere, by the channels that served its case."""
    sums: dict[bytes, float] = {}
    for served in matrix.served:
        key = served.tobytes()
        if key not in sums:
            sums[key] = float(np.where(served, np.array(weights), 0.0).sum() * top)
    return np.array([sums[served.tobytes()] for served in matrix.served]).reshape(-1, 1)


def _relevance(score: NDArray[np.float64], maxima: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.divide(score, maxima, out=np.zeros_like(score), where=maxima > 0)
    return np.minimum(share, 1.0)


Method = tuple[str, int]
"""How fusion shares: its name, and the constant of ``rrf``."""


def _key(matrix: Matrix, retrieval: Retrieval) -> tuple[int, tuple[int, ...], float, Method]:
    """All that a view depends on: no weight, unless it is 0."""
    depth = min(retrieval.top_k * retrieval.candidate_multiplier, matrix.depth)
    asked = tuple(column for column, name in enumerate(CHANNELS) if retrieval.weight(name) > 0)
    method = (retrieval.fusion, retrieval.rrf_k if retrieval.fusion == "rrf" else 0)
    return depth, asked, retrieval.minimum_vector_similarity, method


def _view(matrix: Matrix, retrieval: Retrieval) -> _View:
    """What fusion reads, laid out once."""
    key = _key(matrix, retrieval)
    return matrix.kept(key, lambda: _lay_out(matrix, *key))


def _lay_out(matrix: Matrix, depth: int, asked: Sequence[int], minimum: float, method: Method) -> _View:
    inside = [_in_view(matrix, column, depth, minimum) for column in asked]
    rows = np.flatnonzero(np.any(inside, axis=0)) if asked else np.empty(0, np.intp)
    starts = np.searchsorted(rows, matrix.ends)
    counts = np.diff(starts)
    at = np.arange(max(1, int(counts.max(initial=0))))
    valid = at < counts[:, None]

    def laid(values: NDArray[Number], blank: int) -> NDArray[Number]:
        made = np.full(valid.shape, blank, dtype=values.dtype)
        made[valid] = values[rows]
        return made

    return _View(
        valid=valid,
        grade=laid(matrix.grades, 0),
        document=laid(matrix.documents, -1),
        shares=tuple(
            (column, laid(np.where(held, _shares(matrix, column, method), 0.0), 0))
            for column, held in zip(asked, inside, strict=True)
        ),
    )


def _in_view(matrix: Matrix, column: int, depth: int, minimum: float) -> NDArray[np.bool_]:
    ranks = matrix.ranks[column]
    served = np.repeat(matrix.served[:, column], np.diff(matrix.ends))
    held: NDArray[np.bool_] = (ranks > 0) & (ranks <= depth) & served
    if column == VECTOR and minimum > 0:
        held &= matrix.scores[column] >= minimum
    return held


def _shares(matrix: Matrix, column: int, method: Method) -> NDArray[np.float64]:
    """``(N,)``: what each candidate adds for a weight of 1 in one channel."""
    fusion, rrf_k = method
    if fusion == "rrf":
        return np.asarray(1.0 / (rrf_k + matrix.ranks[column]))
    every = matrix.kept(fusion, lambda: _scaled(matrix, theoretical=fusion == "linear"))
    return every[:, column]


def _scaled(matrix: Matrix, *, theoretical: bool) -> NDArray[np.float64]:
    """``(N, 4)``: each case's scores over its own range, by the very function that fuses one."""
    scores, listed = matrix.scores.T, matrix.ranks.T > 0
    parts = [
        scaled(scores[start:end], listed[start:end], theoretical=theoretical)
        for start, end in zip(matrix.ends[:-1].tolist(), matrix.ends[1:].tolist(), strict=True)
    ]
    return np.concatenate([np.empty((0, len(CHANNELS))), *parts])


# --- what is read off an order ------------------------------------------------------------------------------


def _placed(ranked: _Ranked, *, by_document: bool) -> tuple[Placed, ...]:
    """The relevant items of each case by rank; a document stands where its first chunk does, and once."""
    counted = ranked.passed & _firsts(ranked.document) if by_document else ranked.passed
    ranks = np.cumsum(counted, axis=1)
    cases, places = np.nonzero(counted & (ranked.grade > 0))
    found: list[list[tuple[int, int]]] = [[] for _ in range(len(ranked.passed))]
    for case, rank, grade in zip(
        cases.tolist(),
        ranks[cases, places].tolist(),
        ranked.grade[cases, places].tolist(),
        strict=True,
    ):
        found[case].append((rank, grade))
    return tuple(map(tuple, found))


def _firsts(document: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each place is the first of its document in its row."""
    rows, width = document.shape
    if not document.size:
        return np.zeros(document.shape, dtype=bool)
    numbers = int(document.max()) + 2
    key = (document + 1) + np.arange(rows)[:, None] * numbers
    first = np.empty(rows * numbers, dtype=np.intp)
    at = np.broadcast_to(np.arange(width), document.shape)
    # of places that are written twice the last stays, and from behind that is the first
    first[key[:, ::-1].ravel()] = at[:, ::-1].ravel()
    found: NDArray[np.bool_] = first[key] == at
    return found


def _refused(ranked: _Ranked, margin: float) -> tuple[bool, ...]:
    """Where nothing passed, or where the first leads the next document by less than the margin."""
    nothing = ~ranked.passed.any(axis=1)
    others = ranked.passed & (ranked.document != ranked.document[:, :1])
    other = np.argmax(others, axis=1)
    lead = ranked.relevance[:, 0] - ranked.relevance[np.arange(len(other)), other]
    return tuple((nothing | (others.any(axis=1) & (lead < margin))).tolist())


# --- metrics ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16_384)
def metric_value(name: str, placed: Placed, wanted: tuple[int, ...]) -> float:
    """A metric of one case by the metric itself, over a ranking that has nothing else in it; most cases of a set
    have had their like."""
    left = list(wanted)
    grades: Mapping[str, int] = {str(rank): grade for rank, grade in placed}
    for _, grade in placed:
        left.remove(grade)
    missed = {f"missed {number}": grade for number, grade in enumerate(left)}
    ranking = [str(rank) for rank in range(1, placed[-1][0] + 1)] if placed else []
    value = metric(name)(ranking, {**grades, **missed})
    assert value is not None, "it is asked of cases with something to find"
    return value
