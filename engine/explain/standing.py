"""The true rank of a chunk in every channel, however deep; from the recall where it listed the chunk, else from
the index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.explain.verdict import Standing
from engine.model import CHANNELS, Channel, ChannelRecall, Recall
from engine.recall import cjk, fulltext, vector
from engine.store import spans

if TYPE_CHECKING:
    from pathlib import Path

    from engine.cancel import CancelToken
    from engine.explain.find import Shelf
    from engine.pipeline.query import QueryVector


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """What true ranks depend on: a covering recall, the shelf it was taken from, and the query's vector."""

    recall: Recall
    shelf: Shelf
    folder: Path
    vector: QueryVector


def standings(ranked: Ranked, chunk_id: str, *, cancel: CancelToken) -> tuple[Standing, ...]:
    """One for each channel, in their order. Raises ``Cancelled``, ``CorruptIndexError``."""
    rows = {chunk.chunk_id: row for row, chunk in enumerate(ranked.recall.chunks)}
    row = rows.get(chunk_id)
    found = []
    for column, name in enumerate(CHANNELS):
        channel = ranked.recall.channel(name)
        rank = int(ranked.recall.ranks[row, column]) if row is not None else 0
        if row is not None and rank:
            score = float(ranked.recall.scores[row, column])
            found.append(Standing(name, rank, score, channel.matched))
        elif not channel.used:
            found.append(Standing(name, None, None, channel.matched, _idle(ranked.recall, channel)))
        else:
            found.append(_from_index(ranked, channel, chunk_id, cancel))
    return tuple(found)


def _idle(recall: Recall, channel: ChannelRecall) -> str:
    """Why a channel did not serve."""
    if channel.channel == "graph":
        return "not built"
    told = (each.message for each in recall.degraded if each.channel == channel.channel)
    return next(told, "did not serve")


def _from_index(ranked: Ranked, channel: ChannelRecall, chunk_id: str, cancel: CancelToken) -> Standing:
    name = channel.channel
    known = spans.row_of_chunk(ranked.shelf.connection, chunk_id)
    if known is None:
        return Standing(name, None, None, channel.matched, "it is not in the index any more")
    cid, state = known
    if name == "vector":
        return _nearness(ranked, channel, cid, state, cancel)
    rank_of = fulltext.rank_of if name == "fulltext" else cjk.rank_of
    at = rank_of(
        ranked.shelf.postings,
        ranked.recall.query,
        ranked.shelf.label_sets,
        cid,
        tie_order=ranked.shelf.tie_order,
        cancel=cancel,
    )
    if not at.rank:
        return Standing(name, None, None, at.of, "it holds none of the question's terms")
    return Standing(name, at.rank, at.score, at.of)


_NO_VECTOR = {
    "waiting": "it has no vector yet",
    "refused": "the embedder gave no usable vector for it",
    "none": "it has no text to embed",
}


def _nearness(ranked: Ranked, channel: ChannelRecall, cid: int, state: str, cancel: CancelToken) -> Standing:
    name: Channel = "vector"
    if ranked.vector.vector is None:
        return Standing(name, None, None, channel.matched, "the question has no vector")
    at = vector.rank_of(
        ranked.shelf.connection,
        ranked.folder,
        ranked.vector.fingerprint,
        ranked.vector.vector,
        ranked.shelf.label_sets,
        cid,
        tie_order=ranked.shelf.tie_order,
        cancel=cancel,
    )
    if at is None:
        return Standing(name, None, None, channel.matched, _NO_VECTOR.get(state, "its vector is damaged"))
    return Standing(name, at.rank, at.score, at.of)
