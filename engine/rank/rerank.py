"""The local rerank as a bill: named features, what each adds, and where a result would stand without it.

Deterministic, no model. The first ``POOL`` fused are weighed; the rest follow in fused order. For a chunk

relevance = Σ wᵢ fᵢ ÷ Σ wᵢ − conflict − same document, clamped to 0 … 1

over the features available to that chunk: no vector is not a similarity of 0. The clamp is a line of the
bill, so that its parts always sum to the relevance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.model import CHANNELS, Contribution
from engine.rank import features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall
    from engine.rank.fuse import Fused
    from engine.settings import Features

POOL = 100
"""How many of the fused order are weighed."""

WEIGHED = ("fused", "coverage", "phrase", "heading", "path", "similarity", "numbers")
"""Features whose weighted mean is the relevance before penalties, in the order of the bill."""

PENALTIES = ("conflict", "same_document")
LINES = (*WEIGHED, *PENALTIES, "clamp")
VECTOR = CHANNELS.index("vector")


@dataclass(frozen=True, slots=True, eq=False)
class Bill:
    """What the rerank weighed, for ``r`` candidates in candidate order and those that follow them.

    ``rows`` is ``(r,) intp``, ``values`` ``(r, 9) float64`` by ``WEIGHED`` and ``PENALTIES``, NaN where a
    feature is not available, ``parts`` ``(r, 10) float64`` by ``LINES``. ``follow`` is ``(f,) intp``, the
    rest in fused order, of which only the fused share is known: ``relevance`` ``(n,) float64`` counts their
    other features as 0.
    """

    weights: Features
    rows: NDArray[np.intp]
    values: NDArray[np.float64]
    parts: NDArray[np.float64]
    follow: NDArray[np.intp]
    order: NDArray[np.intp]
    relevance: NDArray[np.float64]
    share: NDArray[np.float64]
    documents: NDArray[np.intp]

    def contributions(self, candidate: int) -> tuple[Contribution, ...]:
        """The lines of one candidate's bill that have something to say, in order; their parts sum to its
        relevance.
        """
        place = int(np.searchsorted(self.rows, candidate))
        if place == len(self.rows) or self.rows[place] != candidate:
            return self._follows(candidate)
        without = _ranks_without(self)
        lines = []
        for line, feature in enumerate(LINES):
            part = float(self.parts[place, line])
            value = float(self.values[place, line]) if line < self.values.shape[1] else part
            if np.isnan(value) or (feature not in WEIGHED and not value and not part):
                continue
            lines.append(Contribution(feature, value, part, int(without[line, place])))
        return tuple(lines)

    def _follows(self, candidate: int) -> tuple[Contribution, ...]:
        """A candidate beyond the pool has one line and stays where it is."""
        rank = len(self.rows) + 1 + int(np.flatnonzero(self.follow == candidate)[0])
        part = float(self.relevance[candidate])
        return (Contribution("fused", float(self.share[candidate]), part, rank),)


def rerank(recall: Recall, fused: Fused, share: NDArray[np.float64], weights: Features) -> Bill:
    """Weigh the first ``POOL`` of the fused order. ``share`` is ``(n,) float64``, the fused score over
    its maximum.
    """
    rows = np.sort(fused.order[:POOL])
    follow = fused.order[POOL:]
    values = _values(recall, rows, share, vectors=fused.weights[VECTOR] > 0)
    documents = _documents(recall)[rows]
    values, parts = _weigh(values, documents, weights)
    relevance = np.zeros(len(recall.chunks))
    relevance[rows] = np.clip(parts.sum(axis=1), 0.0, 1.0)
    total = sum(getattr(weights, feature) for feature in WEIGHED)
    relevance[follow] = share[follow] * (weights.fused / total if total else 0.0)
    order = np.concatenate((rows[_by_relevance(parts)], follow))
    return Bill(weights, rows, values, parts, follow, order, relevance, share, documents)


# --- what a chunk is worth ----------------------------------------------------------------------------------


def _weigh(
    values: NDArray[np.float64], documents: NDArray[np.intp], weights: Features
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values with the same-document column filled in, and ``(r, 10)`` parts by ``LINES``.

    Each chunk but the first of its document, in the order before that penalty, is one further chunk; it is
    assigned once, so that no penalty moves another.
    """
    worth = np.array([getattr(weights, feature) for feature in WEIGHED])
    weighed = values[:, : len(WEIGHED)]
    in_force = np.where(np.isnan(weighed), 0.0, worth)
    total = in_force.sum(axis=1, keepdims=True)
    mean = np.divide(in_force * np.nan_to_num(weighed), total, out=np.zeros_like(weighed), where=total > 0)
    parts = np.zeros((len(values), len(LINES)))
    parts[:, : len(WEIGHED)] = mean
    conflict, same, clamp = (LINES.index(line) for line in (*PENALTIES, "clamp"))
    parts[:, conflict] = -weights.conflict * values[:, conflict]
    values = values.copy()
    values[:, same] = _further(documents, parts.sum(axis=1))
    parts[:, same] = -weights.same_document * values[:, same]
    raw = parts.sum(axis=1)
    parts[:, clamp] = np.clip(raw, 0.0, 1.0) - raw
    return values, parts


def _further(documents: NDArray[np.intp], unpenalised: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for each chunk that is not the first of its document, 0 for the first."""
    order = np.argsort(-unpenalised, kind="stable")
    _, first = np.unique(documents[order], return_index=True)
    further = np.ones(len(documents))
    further[order[first]] = 0.0
    return further


def _by_relevance(parts: NDArray[np.float64]) -> NDArray[np.intp]:
    """Best first; rows stand in candidate order, which breaks ties."""
    return np.argsort(-parts.sum(axis=1), kind="stable")


@lru_cache(maxsize=8)
def _ranks_without(bill: Bill) -> NDArray[np.intp]:
    """``(10, r) intp``: each row's rank from 1 if a line's weight were 0, all else weighed again."""
    ranks = np.empty((len(LINES), len(bill.rows)), dtype=np.intp)
    for line, feature in enumerate(LINES):
        parts = bill.parts
        if feature != "clamp":
            _, parts = _weigh(bill.values, bill.documents, replace(bill.weights, **{feature: 0.0}))
        unclamped = parts[:, :-1] if feature == "clamp" else parts
        ranks[line, _by_relevance(unclamped)] = np.arange(1, len(bill.rows) + 1)
    return ranks


# --- what is known of a recall ------------------------------------------------------------------------------

_MEASURED = (
    features.coverage, features.phrase, features.heading, features.path, features.similarity,
    features.numbers, features.conflict,
)  # fmt: skip
"""The columns after ``fused``, before ``same_document``."""


def _values(
    recall: Recall, rows: NDArray[np.intp], share: NDArray[np.float64], *, vectors: bool
) -> NDArray[np.float64]:
    """``(r, 9) float64``: fused share, measured features, and a column for the same-document penalty."""
    values = np.zeros((len(rows), len(WEIGHED) + len(PENALTIES)))
    values[:, 0] = share[rows]
    values[:, 1 : 1 + len(_MEASURED)] = _measured(recall, rows)
    if not vectors:
        values[:, WEIGHED.index("similarity")] = np.nan
    return values


def _measured(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """``(r, 7) float64``: each feature of each row, measured once a recall whatever the settings become."""
    known, table = _table(recall)
    new = rows[~known[rows]]
    if len(new):
        for column, feature in enumerate(_MEASURED):
            table[new, column] = feature(recall, new)
        known[new] = True
    return table[rows]


@lru_cache(maxsize=4)
def _table(recall: Recall) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which candidates were measured, and what was found."""
    return np.zeros(len(recall.chunks), dtype=bool), np.full((len(recall.chunks), len(_MEASURED)), np.nan)


@lru_cache(maxsize=4)
def _documents(recall: Recall) -> NDArray[np.intp]:
    """``(n,) intp``: a number for each candidate's document, equal for equal documents."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(c.document_id, len(numbers)) for c in recall.chunks], dtype=np.intp)
