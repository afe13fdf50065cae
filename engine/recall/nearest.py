"""The best so far of a scan: exact, whatever comes in which order, in memory that the depth bounds. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Cids = NDArray[np.int64]
Scores = NDArray[np.float64]

TieOrder = Callable[[Sequence[int]], Sequence[int]]
"""Gives row numbers back in the order in which ties break: path, ordinal, chunk id."""

ROOM = 4_096
"""How many may be held beyond the depth before the worst are dropped."""


class Nearest:
    """Keeps the ``depth`` best of all that was added, ties broken by ``tie_order``.

    ``cut`` is what a score must reach to be among them, as far as is known; it only rises.
    """

    def __init__(self, depth: int, tie_order: TieOrder) -> None:
        self.cut = -np.inf
        self._depth = depth
        self._tie_order = tie_order
        self._cids: Cids = np.empty(0, dtype=np.int64)
        self._scores: Scores = np.empty(0, dtype=np.float64)

    def add(self, cids: Cids, scores: Scores) -> None:
        """Take in candidates, ``(n,)`` each."""
        kept = scores >= self.cut
        if not len(kept) or not kept.any():
            return
        self._cids = np.concatenate([self._cids, cids[kept]])
        self._scores = np.concatenate([self._scores, scores[kept]])
        if len(self._scores) >= self._depth:
            self.cut = float(np.partition(self._scores, -self._depth)[-self._depth])
        if len(self._scores) > self._depth + ROOM:
            self._drop()

    def ordered(self) -> tuple[Cids, Scores]:
        """The best, best first, equal scores in the order of ties."""
        self._drop()
        order = np.argsort(-self._scores, kind="stable")
        cids, scores = self._cids[order], self._scores[order]
        equal = scores[1:] == scores[:-1]
        tied = np.append(equal, False) | np.insert(equal, 0, False)
        if tied.any():
            place = {cid: place for place, cid in enumerate(self._tie_order(cids[tied].tolist()))}
            places = np.array([place.get(cid, 0) for cid in cids.tolist()], dtype=np.int64)
            order = np.lexsort((places, -scores))
            cids, scores = cids[order], scores[order]
        return cids, scores

    def _drop(self) -> None:
        """Keep the depth best: all above the cut, and of those at it the first in the order of ties."""
        if len(self._scores) <= self._depth:
            return
        above = self._scores > self.cut
        at_cut = self._cids[self._scores == self.cut].tolist()
        room = self._depth - int(np.count_nonzero(above))
        first = at_cut if len(at_cut) <= room else list(self._tie_order(at_cut))[:room]
        self._cids = np.concatenate([self._cids[above], np.array(first, dtype=np.int64)])
        self._scores = np.concatenate([self._scores[above], np.full(len(first), self.cut)])
