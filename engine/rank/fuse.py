"""Fusion: the channels' lists become one. Numpy over the recall's frozen matrix; every figure per candidate.

Sources: reciprocal rank fusion from Cormack, Clarke and Büttcher (SIGIR 2009); ``linear`` is the convex
combination with theoretical minima of Bruch, Gai and Ingber (TOIS 2023, TM2C2). Imports numpy, the words and
the settings alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.model import CHANNELS, Degradation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall
    from engine.settings import Retrieval

VECTOR = CHANNELS.index("vector")

FLOOR = np.array([-1.0 if channel == "vector" else 0.0 for channel in CHANNELS])
"""The least a channel's score can be: 0 for BM25 and the graph, −1 for a cosine."""


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """One fusion of ``n`` candidates.

    ``view`` is how deep fusion read each list. ``weights`` is ``(4,) float64``, 0 for a channel that did not
    serve. ``in_view`` is ``(n, 4) bool``; ``parts`` ``(n, 4) float64``, what each channel adds; ``score``
    ``(n,) float64``, their sum. ``order`` is ``(m,) intp``: the candidates in the view of at least one
    channel, best first, ties in candidate order. ``maximum`` is the score of a candidate that is first
    everywhere.
    """

    view: int
    weights: NDArray[np.float64]
    in_view: NDArray[np.bool_]
    parts: NDArray[np.float64]
    score: NDArray[np.float64]
    order: NDArray[np.intp]
    maximum: float


def view_depth(recall: Recall, retrieval: Retrieval) -> int:
    """How many of each list fusion reads: ``top_k × candidate_multiplier``, never beyond what was frozen."""
    return min(retrieval.top_k * retrieval.candidate_multiplier, recall.depth)


def channel_weights(recall: Recall, retrieval: Retrieval) -> NDArray[np.float64]:
    """``(4,) float64``: the weight in force of each channel, 0 for one that is muted or did not serve."""
    weights = (
        retrieval.fulltext_weight, retrieval.cjk_weight, retrieval.vector_weight, retrieval.graph_weight,
    )  # fmt: skip
    served = {channel.channel for channel in recall.channels if channel.used}
    return np.array(
        [weight if name in served else 0.0 for name, weight in zip(CHANNELS, weights, strict=True)]
    )


def fuse(recall: Recall, retrieval: Retrieval, *, view: int | None = None) -> Fused:
    """Fuse the frozen lists, each read down to ``view`` (default: the settings').

    A channel of weight 0, or one that did not serve, takes no part: what it alone found is not ranked. A
    cosine below ``minimum_vector_similarity`` cuts the tail of the vector list. The sum adds a candidate's
    parts from the smallest to the largest, so that candidates with the same parts in other channels tie
    exactly.

    Raises ``ValueError`` for a listed score that is not finite.
    """
    view = view_depth(recall, retrieval) if view is None else view
    weights = channel_weights(recall, retrieval)
    listed = _listed(recall)
    in_view = listed & (recall.ranks <= view) & (weights > 0)
    if retrieval.minimum_vector_similarity > 0:
        in_view[:, VECTOR] &= recall.scores[:, VECTOR] >= retrieval.minimum_vector_similarity
    shares = _shares(recall, retrieval.fusion, retrieval.rrf_k)
    parts = np.where(in_view, weights * shares, 0.0)
    small, less, more, large = np.sort(parts, axis=1).T
    score = small + less + more + large
    kept = np.flatnonzero(in_view[:, 0] | in_view[:, 1] | in_view[:, 2] | in_view[:, 3])
    order = kept[np.argsort(-score[kept], kind="stable")]
    top = 1 / (retrieval.rrf_k + 1) if retrieval.fusion == "rrf" else 1.0
    return Fused(view, weights, in_view, parts, score, order, float(weights.sum() * top))


def scaled(
    scores: NDArray[np.float64], listed: NDArray[np.bool_], *, theoretical: bool
) -> NDArray[np.float64]:
    """``(n, 4) float64`` in 0 to 1: each list's scores over its own range, or from ``FLOOR`` where
    ``theoretical``.

    The range is that of all frozen candidates. A lone or constant list counts 1 for its members, unless the
    constant is 0 (or the floor itself), which is no signal at all; what is not listed counts 0.
    """
    highest = np.where(listed, scores, -np.inf).max(axis=0, initial=-np.inf)
    lowest = FLOOR if theoretical else np.where(listed, scores, np.inf).min(axis=0, initial=np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (scores - lowest) / (highest - lowest)
    constant = np.where(theoretical | (scores == 0.0), 0.0, 1.0)
    share = np.where(highest > lowest, share, constant)
    return np.where(listed, np.clip(share, 0.0, 1.0), 0.0)


@lru_cache(maxsize=4)
def _shares(recall: Recall, method: str, rrf_k: int) -> NDArray[np.float64]:
    """``(n, 4) float64``: what each cell adds for a weight of 1; no weight changes it."""
    if method == "rrf":
        reciprocal: NDArray[np.float64] = 1.0 / (rrf_k + recall.ranks)
        return reciprocal
    return scaled(recall.scores, _listed(recall), theoretical=method == "linear")


@lru_cache(maxsize=4)
def _listed(recall: Recall) -> NDArray[np.bool_]:
    """Which cells hold a candidate of a channel; refuses those whose score is not a number. Read once a
    recall: it is frozen, and settings turn many times.
    """
    listed: NDArray[np.bool_] = recall.ranks > 0
    if not np.isfinite(recall.scores[listed]).all():
        raise ValueError("a listed candidate has a score that is not finite")
    return listed


# --- what the view cut --------------------------------------------------------------------------------------


def depth_limits(recall: Recall, retrieval: Retrieval, fused: Fused) -> tuple[Degradation, ...]:
    """One ``depth_limited`` for each channel whose list the view cut to this result's cost.

    Exact: the whole frozen lists are fused as well, and the top k of both compared as sets. A channel is
    named iff a candidate that would enter or leave stands beyond the view in its list. What the rerank and
    the gate make of it is not asked.
    """
    if not bool(((recall.ranks > fused.view) & (fused.weights > 0)).any()):
        return ()
    whole = fuse(recall, retrieval, view=recall.depth)
    now, then = (set(f.order[: retrieval.top_k].tolist()) for f in (fused, whole))
    moved = sorted(now ^ then)
    if not moved:
        return ()
    cut = (whole.in_view[moved] & ~fused.in_view[moved]).any(axis=0)
    return tuple(
        _depth_limited(recall, retrieval, fused.view, CHANNELS[column], len(then - now))
        for column in np.flatnonzero(cut).tolist()
    )


def _depth_limited(recall: Recall, retrieval: Retrieval, view: int, channel: str, others: int) -> Degradation:
    listed = recall.channel(channel).listed
    top = min(retrieval.top_k, len(recall.chunks))
    turn = (
        f"raise candidate_multiplier, now {retrieval.candidate_multiplier}"
        if retrieval.candidate_multiplier < 10
        else "raise top_k: candidate_multiplier is at its end"
    )
    read = f"fusion read the first {view} of its {listed}"
    message = f"{read}; read whole, {others} of the top {top} would be others"
    return Degradation(channel, "depth_limited", message, turn)
