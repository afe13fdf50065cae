"""The trace: everything one query did, stage by stage. The screens, the command line's JSON and the
evaluation read it.

``settle`` is what every turned setting calls: it ranks and packs a frozen recall again and touches no index.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace

import numpy as np

from engine.model import CHANNELS, ChannelRecall, Context, Degradation, LearnedScores, Recall, Result
from engine.rank.pack import filtered_by_budget, pack
from engine.rank.pipeline import rank
from engine.rank.ranking import Ranking
from engine.settings import Features, Retrieval

NO_FAULT = "graph_off"
"""The code of what is told and yet is no fault: a graph that was never built is off, and nothing misses it."""


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One query under one setting. ``degraded`` joins what recall, ranking and packing could not fully do."""

    recall: Recall
    retrieval: Retrieval
    ranking: Ranking
    context: Context
    degraded: tuple[Degradation, ...]
    milliseconds: float

    @property
    def faults(self) -> tuple[Degradation, ...]:
        """What a person is told of as degraded; the JSON holds ``degraded`` whole."""
        return tuple(each for each in self.degraded if each.code != NO_FAULT)

    @property
    def channels(self) -> tuple[ChannelRecall, ...]:
        """The channels as these settings see them: muted ones were not asked, whatever the recall froze."""
        return tuple(
            channel
            if self.retrieval.weight(channel.channel) > 0
            else replace(channel, requested=False, used=False)
            for channel in self.recall.channels
        )

    def to_json(self) -> dict[str, object]:
        """The document of ``search --json``; its keys stand in this order."""
        context = self.context
        return {
            "query": self.recall.query,
            "corpus_version": self.recall.state.corpus_version,
            "index_state": asdict(self.recall.state),
            "scopes": list(self.recall.scopes),
            "settings": asdict(self.retrieval),
            "duration_ms": self.milliseconds,
            "diagnostics": self._diagnostics(),
            "results": [self._result(result) for result in self.ranking.results()],
            "context": {
                "character_count": context.character_count,
                "limit": context.limit,
                "truncated": context.truncated,
                "text": context.text,
                "groups": [_group(asdict(group)) for group in context.groups],
                "left_out": [asdict(left) for left in context.left_out],
                "near_duplicates": [list(pair) for pair in context.near_duplicates],
            },
        }

    def _diagnostics(self) -> dict[str, object]:
        channels = self.channels
        vector = next(channel for channel in channels if channel.channel == "vector")
        ranking = self.ranking
        return {
            "requested_channels": [channel.channel for channel in channels if channel.requested],
            "used_channels": [channel.channel for channel in channels if channel.used],
            "degraded": [asdict(each) for each in self.degraded],
            "candidate_counts": {channel.channel: channel.listed for channel in channels if channel.used},
            "matched_counts": {channel.channel: channel.matched for channel in channels if channel.used},
            "channel_ms": self._milliseconds(),
            "vectors_scanned": vector.scanned,
            "vectors_left_out": vector.left_out,
            "vectors_waiting": vector.waiting,
            "pipeline": {
                "depth": self.recall.depth,
                "view": ranking.view,
                "found": ranking.found,
                "gate_kept": ranking.passed,
                "top_k": len(ranking.top),
                "packed": sum(len(group.citations) for group in self.context.groups),
                "relevance_scale": ranking.scale.name,
                "unanswerable": ranking.unanswerable,
            },
            **self._rerank(),
        }

    def _milliseconds(self) -> dict[str, float]:
        """How long each channel took that served, and the reranking model where one was asked."""
        took: dict[str, float] = {each.channel: each.milliseconds for each in self.channels if each.used}
        learned = self._learned
        return took if learned is None else {**took, "rerank": learned.milliseconds}

    def _rerank(self) -> dict[str, object]:
        """Which model was asked and how far it served, where one was."""
        learned = self._learned
        if learned is None:
            return {}
        return {
            "rerank": {
                "model": learned.model,
                "served": learned.failed is None,
                "scale": learned.scale,
                "scored": int(np.isfinite(learned.raw).sum()),
            }
        }

    @property
    def _learned(self) -> LearnedScores | None:
        return self.recall.learned if self.retrieval.rerank == "learned" else None

    def _result(self, result: Result) -> dict[str, object]:
        chunk = result.chunk
        return {
            "rank": result.rank,
            "chunk_id": chunk.chunk_id,
            "document": chunk.path,
            "title": chunk.title,
            "heading_path": list(chunk.heading_path),
            "start": chunk.start,
            "end": chunk.end,
            "line_start": chunk.line_start,
            "line_end": chunk.line_end,
            "ordinal": chunk.ordinal,
            "role": chunk.role,
            "parent": chunk.parent,
            "revision": chunk.revision,
            "edited": chunk.edited,
            "stale": chunk.document_id in self.recall.stale,
            "relevance": result.relevance,
            "fused_score": result.fused_score,
            "fused_rank": result.fused_rank,
            "channels": {name: asdict(hit) for name, hit in result.channels.items()},
            "features": {line.feature: asdict(line) for line in result.features},
            "text": chunk.text,
        }


def settle(recall: Recall, retrieval: Retrieval, features: Features | None = None) -> Trace:
    """Rank and pack a recall under these settings. Pure and fast; raises nothing that the settings' ranges
    allow."""
    began = time.perf_counter()
    ranking = rank(recall, retrieval, features or Features())
    context = pack(ranking, retrieval)
    degraded = tuple(each for each in recall.degraded if _concerns(each, retrieval))
    took = recall.milliseconds + (time.perf_counter() - began) * 1000
    return Trace(
        recall,
        retrieval,
        ranking,
        context,
        (*degraded, *ranking.degraded, *filtered_by_budget(context)),
        took,
    )


def covers(recall: Recall, retrieval: Retrieval) -> bool:
    """Whether ``settle`` can serve these settings from this recall; otherwise the index must be asked again,
    or the reranking model, which no turned setting asks a second time."""
    unasked = {channel.channel for channel in recall.channels if not channel.requested}
    if retrieval.weighs_candidates and recall.holds is None:
        return False
    if retrieval.rerank == "learned" and recall.learned is None:
        return False
    return recall.neighbours >= retrieval.adjacent_chunk_count and not any(
        retrieval.weight(channel) > 0 for channel in unasked
    )


def as_asked(recall: Recall, retrieval: Retrieval) -> Recall:
    """The recall as if only these settings had been asked: nothing of the channels that they mute.

    ``settle`` of it is to the byte what a fresh query says, whatever wider recall it was taken from.
    """
    muted = [column for column, name in enumerate(CHANNELS) if retrieval.weight(name) == 0]
    if not any(recall.channels[column].requested for column in muted):
        return recall
    ranks, scores = recall.ranks.copy(), recall.scores.copy()
    ranks[:, muted], scores[:, muted] = 0, np.nan
    kept = _asked_terms(recall, retrieval)
    return replace(
        recall,
        channels=tuple(
            ChannelRecall(each.channel, requested=False, used=False)
            if retrieval.weight(each.channel) == 0
            else each
            for each in recall.channels
        ),
        ranks=ranks,
        scores=scores,
        terms=tuple(recall.terms[column] for column in kept),
        holds=None if recall.holds is None else recall.holds[:, kept],
        similarities=recall.similarities if retrieval.vector_weight > 0 else None,
        degraded=tuple(each for each in recall.degraded if _concerns(each, retrieval)),
    )


def _asked_terms(recall: Recall, retrieval: Retrieval) -> list[int]:
    """The columns of the terms that a fresh query would look for, in its order: the channel ``cjk`` asks for
    the words of a question too, wherever the question holds anything of its own."""
    words = [column for column, term in enumerate(recall.terms) if term.channel == "fulltext"]
    grams = [column for column, term in enumerate(recall.terms) if term.channel == "cjk"]
    if retrieval.fulltext_weight > 0:
        return words + (grams if retrieval.cjk_weight > 0 else [])
    return grams + words if grams and retrieval.cjk_weight > 0 else []


def _concerns(degradation: Degradation, retrieval: Retrieval) -> bool:
    """What happened to a channel that is muted now did nothing to this result."""
    name = degradation.channel
    return name not in CHANNELS or retrieval.weight(name) > 0


def _group(group: dict[str, object]) -> dict[str, object]:
    """A group as DESIGN 12 writes it: the document's path, and the ids of the chunks it holds."""
    citations = group["citations"]
    assert isinstance(citations, tuple)
    return {
        "evidence_id": group["evidence_id"],
        "document": group.pop("path"),
        "start": group["start"],
        "end": group["end"],
        "chunk_ids": [citation["chunk_id"] for citation in citations],
        "text": group["text"],
        "truncated": group["truncated"],
        **group,
        "citations": list(citations),
        "heading_path": list(group["heading_path"]),  # type: ignore[call-overload]
    }
