"""Many settings run on one recall: whether each brings a target in. Pure; every distinct run is made once.

Only a hit that touches the target, stands beside what does, or shares its parent can bring it in. So a setting
under which no channel hands on such a candidate is not run; others are ranked from the stored lists, and packed
only where such a candidate is in the top k and nothing was packed from the same hits before. Of the 1,000 or so
points of a search, some hundred are ranked.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from engine.explain.layers import holder
from engine.model import CHANNELS
from engine.rank.fuse import channel_weights, fuse, view_depth
from engine.rank.pack import pack
from engine.rank.pipeline import fused_relevance, gated, reranked
from engine.trace import as_asked, covers, settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.cancel import CancelToken
    from engine.explain.verdict import Place
    from engine.model import Recall
    from engine.rank.fuse import Fused
    from engine.rank.pipeline import Reranked
    from engine.settings import Features, Retrieval
    from engine.trace import Trace

KEPT = 128
"""Fusions and orders kept; of 600 candidates, 15 MB."""

T = TypeVar("T")


class Runs:
    """Runs settings for one target; a covering recall must hold what any of them would ask for."""

    def __init__(
        self, recall: Recall, places: Sequence[Place], features: Features, cancel: CancelToken
    ) -> None:
        self._recall = recall
        self._places = places
        self._features = features
        self._cancel = cancel
        self._near = {reach: _near(recall, places, reach) for reach in range(recall.neighbours + 1)}
        self._served = {channel.channel for channel in recall.channels if channel.used}
        self._asked: dict[Hashable, Recall] = {}
        self._fusions: OrderedDict[Hashable, Fused] = OrderedDict()
        self._orders: OrderedDict[Hashable, Reranked] = OrderedDict()
        self._known: dict[Hashable, bool] = {}
        self._packed: dict[Hashable, bool] = {}

    @property
    def hopeless(self) -> bool:
        """Whether no setting can help: no candidate is near enough."""
        return not any(len(rows) for rows in self._near.values())

    def trace(self, retrieval: Retrieval) -> Trace:
        """The whole of one run."""
        return settle(self._as_asked(retrieval), retrieval, self._features)

    def inside(self, retrieval: Retrieval) -> bool:
        """Whether the context holds all of a place; settings that the recall does not cover cannot be told to.
        Raises ``Cancelled``."""
        key = self._key(retrieval)
        if key not in self._known:
            self._cancel.check()
            self._known[key] = covers(self._recall, retrieval) and self._run(retrieval)
        return self._known[key]

    def _run(self, retrieval: Retrieval) -> bool:
        near = self._near[retrieval.adjacent_chunk_count]
        if not self._handed_on(near, retrieval):
            return False
        recall = self._as_asked(retrieval)
        fused = self._fused(recall, retrieval)
        if not self._may_serve(near, fused, retrieval):
            return False
        ranking = gated(recall, retrieval, fused, self._reranked(recall, retrieval, fused))
        hits = ranking.order[ranking.top]
        if set(hits.tolist()).isdisjoint(near.tolist()):
            return False
        key = _muted(retrieval), hits.tobytes(), _PACKED_BY(retrieval)
        if key not in self._packed:
            context = pack(ranking, retrieval)
            self._packed[key] = any(holder(context, place) is not None for place in self._places)
        return self._packed[key]

    def _handed_on(self, rows: NDArray[np.intp], retrieval: Retrieval) -> bool:
        """Whether a channel in force lists one of these candidates within the depth that fusion reads."""
        ranks = self._recall.ranks[rows]
        in_view = (ranks > 0) & (ranks <= view_depth(self._recall, retrieval))
        in_force = channel_weights(self._recall, retrieval) > 0
        return bool((in_view & in_force).any())

    def _may_serve(self, rows: NDArray[np.intp], fused: Fused, retrieval: Retrieval) -> bool:
        """Whether fusion leaves one of these candidates a way into the top k, where that can be told before
        the rest is run: nothing reorders, and none above is dropped or counts as one with another."""
        if retrieval.rerank != "off" or self._recall.parents:
            return True
        if retrieval.minimum_relevance > 0:
            return bool((fused_relevance(fused)[rows] >= retrieval.minimum_relevance).any())
        if retrieval.required_terms:
            return True
        return not set(fused.order[: retrieval.top_k].tolist()).isdisjoint(rows.tolist())

    def _fused(self, recall: Recall, retrieval: Retrieval) -> Fused:
        key = self._fused_key(retrieval)
        return _kept(self._fusions, key, lambda: fuse(recall, retrieval))

    def _reranked(self, recall: Recall, retrieval: Retrieval, fused: Fused) -> Reranked:
        key = self._fused_key(retrieval), retrieval.rerank
        return _kept(self._orders, key, lambda: reranked(recall, retrieval, fused, self._features))

    def _as_asked(self, retrieval: Retrieval) -> Recall:
        """The recall without what these settings mute: one object for each set of channels, for what is known
        of a recall is kept by the object."""
        key = _muted(retrieval)
        if key not in self._asked:
            self._asked[key] = as_asked(self._recall, retrieval)
        return self._asked[key]

    def _key(self, retrieval: Retrieval) -> Hashable:
        """Equal for settings that cannot differ in their context: the margin drops nothing."""
        return self._fused_key(retrieval), _GATED_BY(retrieval), _PACKED_BY(retrieval)

    def _fused_key(self, retrieval: Retrieval) -> Hashable:
        """Equal for settings that cannot differ in their fusion: a channel that did not serve adds nothing, and
        only one fusion has a k."""
        weights = tuple(retrieval.weight(name) if name in self._served else 0.0 for name in CHANNELS)
        k = retrieval.rrf_k if retrieval.fusion == "rrf" else 0
        view = view_depth(self._recall, retrieval)
        return view, weights, _muted(retrieval), retrieval.fusion, k, retrieval.minimum_vector_similarity


_GATED_BY = attrgetter("top_k", "rerank", "minimum_relevance", "required_terms")
_PACKED_BY = attrgetter(
    "context_max_characters", "adjacent_chunk_count", "document_quota", "duplicate_overlap"
)


def _kept(known: OrderedDict[Hashable, T], key: Hashable, make: Callable[[], T]) -> T:
    """What was made for a key, of the ``KEPT`` used last."""
    if key not in known:
        known[key] = make()
        if len(known) > KEPT:
            known.popitem(last=False)
    known.move_to_end(key)
    return known[key]


def _near(recall: Recall, places: Sequence[Place], reach: int) -> NDArray[np.intp]:
    """Candidates that as hits could bring in some of a place: they touch it, stand at most ``reach`` chunks
    from one that does, or have a parent that touches it."""
    beside = {
        (chunk.document_id, chunk.ordinal + step)
        for place in places
        for chunk in place.chunks
        for step in range(-reach, reach + 1)
    }
    above = {
        parent.chunk_id
        for parent in recall.parents.values()
        for place in places
        if parent.document_id == place.document_id and parent.start < place.end and place.start < parent.end
    }
    rows = [
        row
        for row, chunk in enumerate(recall.chunks)
        if (chunk.document_id, chunk.ordinal) in beside or chunk.parent in above
    ]
    return np.array(rows, dtype=np.intp)


def _muted(retrieval: Retrieval) -> tuple[bool, ...]:
    return (
        retrieval.fulltext_weight > 0, retrieval.cjk_weight > 0,
        retrieval.vector_weight > 0, retrieval.graph_weight > 0,
    )  # fmt: skip
