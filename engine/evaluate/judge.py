"""The judge: what a trace made of a case. Pure: the same trace and judgements give the same outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

from engine.evaluate.judgements import JudgedCase, JudgedClaim
from engine.evaluate.outcome import ORDER, ClaimOutcome, Outcome
from engine.explain.layers import furthest, layer_of
from engine.explain.verdict import Layer
from engine.rank.ranking import Ranking
from engine.settings import Retrieval
from engine.trace import Trace

UNTOLD = frozenset(("graph_off", "stale_documents"))
"""No fault of a channel that was asked, and what only the disk knows: the same index must give the same outcome."""


def deep_enough(retrieval: Retrieval, cutoff: int) -> Retrieval:
    """The settings, with ``top_k`` raised where fusion would read fewer of each list than a metric looks at.

    Where it reads enough they stay as they are, so that the ranks of a report are those that ``search`` shows.
    """
    needed = ceil(cutoff / retrieval.candidate_multiplier)
    return retrieval if retrieval.top_k >= needed else replace(retrieval, top_k=needed)


def judge(judged: JudgedCase, trace: Trace, ranking: Ranking, *, by_document: bool) -> Outcome:
    """The outcome of one case: ``trace`` is the query as it serves, ``ranking`` the same deep enough for the
    metrics (mostly the trace's own).
    """
    case = judged.case
    items = _items(ranking, by_document)
    places = {item: rank for rank, item in enumerate(items, 1)}
    gate = trace.ranking.gate
    return Outcome(
        case_id=case.id,
        query=case.query,
        lang=case.lang,
        kind=case.kind,
        answerable=case.answerable,
        grades=dict(judged.grades),
        ranked=tuple(items),
        scores=tuple(items.values()),
        claims=tuple(_claim(each, trace, places) for each in judged.claims),
        hits=_hits(judged, trace, by_document),
        refused=trace.ranking.unanswerable,
        confidence=next(iter(items.values()), None),
        lead=gate.lead,
        preferences=tuple(
            _first(better, places) < _first(worse, places) for better, worse in judged.preferences
        ),
        degraded=tuple(sorted({each.code for each in trace.degraded} - UNTOLD)),
    )


def _items(ranking: Ranking, by_document: bool) -> dict[str, float]:
    """What passed the gate, best first, with its relevance; a document stands where its first chunk does."""
    found: dict[str, float] = {}
    for candidate in ranking.order[ranking.kept].tolist():
        chunk = ranking.recall.chunks[candidate]
        found.setdefault(chunk.path if by_document else chunk.chunk_id, float(ranking.relevance[candidate]))
    return found


def _claim(judged: JudgedClaim, trace: Trace, places: Mapping[str, int]) -> ClaimOutcome:
    ranks = [places[item] for item in judged.relevant if item in places]
    return ClaimOutcome(judged.claim.id, min(ranks, default=None), _layer(judged, trace))


def _layer(judged: JudgedClaim, trace: Trace) -> Layer:
    """Of its alternatives the one that came furthest; the context is asked first, for a claim that every
    boundary cuts may be whole there."""
    layers = [layer_of(trace, place) for place in judged.places]
    if judged.chunks:
        layers.append(furthest(trace, judged.chunks).layer)
    if not layers:
        return judged.unreachable or "not_in_corpus"
    return max(layers, key=ORDER.index)


def _hits(judged: JudgedCase, trace: Trace, by_document: bool) -> tuple[bool, ...]:
    """For each packed hit, best first, whether it holds evidence."""
    recall = trace.recall
    items = {chunk.chunk_id: chunk.path if by_document else chunk.chunk_id for chunk in recall.chunks}
    cited = sorted(
        (citation.rank, items[citation.chunk_id])
        for group in trace.context.groups
        for citation in group.citations
    )
    return tuple(judged.grades.get(item, 0) > 0 for _, item in cited)


def _first(items: frozenset[str], places: Mapping[str, int]) -> float:
    """The best rank of any, infinite where none was ranked."""
    return min((places[item] for item in items if item in places), default=float("inf"))
