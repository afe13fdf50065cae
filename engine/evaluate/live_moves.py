"""What moved the evidence of a case between two settings: the parts of its relevance, before and after. Pure.

Without a rerank a part is a channel's share of the fused score; with one it is a line of the bill.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.evaluate.judgements import JudgedCase
from engine.evaluate.run import Variant
from engine.model import CHANNELS, Recall
from engine.rank.pipeline import rank
from engine.rank.ranking import Ranking
from engine.trace import as_asked


@dataclass(frozen=True, slots=True)
class Moved:
    """One relevant passage under both settings: its ranks, 0 where fusion does not keep it, its relevance, and by how
    much each part of that changed, the largest first."""

    chunk_id: str
    ranks: tuple[int, int]
    relevance: tuple[float, float]
    parts: tuple[tuple[str, float], ...]


def moved(judged: JudgedCase, recall: Recall, a: Variant, b: Variant, *, by_document: bool) -> Moved | None:
    """What moved the first relevant passage of B, or of A where B ranks none; None where neither does."""
    rankings = [rank(as_asked(recall, each.retrieval), each.retrieval, each.features) for each in (a, b)]
    wanted = {item for item, grade in judged.grades.items() if grade > 0}
    row = _first(rankings[1], wanted, by_document)
    row = _first(rankings[0], wanted, by_document) if row is None else row
    if row is None:
        return None
    billed = any(ranking.bill is not None for ranking in rankings)
    before, after = (_parts(ranking, row, billed) for ranking in rankings)
    changes = {
        name: after.get(name, 0.0) - before.get(name, 0.0) for name in dict.fromkeys([*after, *before])
    }
    return Moved(
        recall.chunks[row].chunk_id,
        (_rank(rankings[0], row), _rank(rankings[1], row)),
        (_relevance(rankings[0], row), _relevance(rankings[1], row)),
        tuple(sorted(changes.items(), key=lambda change: -abs(change[1]))),
    )


def _first(ranking: Ranking, wanted: set[str], by_document: bool) -> int | None:
    """The candidate of the first relevant passage."""
    chunks = ranking.recall.chunks
    rows = (
        row
        for row in ranking.order.tolist()
        if (chunks[row].path if by_document else chunks[row].chunk_id) in wanted
    )
    return next(rows, None)


def _rank(ranking: Ranking, row: int) -> int:
    found = (ranking.order == row).nonzero()[0]
    return int(found[0]) + 1 if len(found) else 0


def _relevance(ranking: Ranking, row: int) -> float:
    return float(ranking.relevance[row]) if _rank(ranking, row) else 0.0


def _parts(ranking: Ranking, row: int, billed: bool) -> Mapping[str, float]:
    """The parts that sum to a passage's relevance; beside a bill a fused score is one part."""
    place = _rank(ranking, row)
    if not place:
        return {}
    if ranking.bill is not None:
        return {line.feature: line.part for line in ranking.bill.contributions(row)}
    if billed:
        return {"fused": _relevance(ranking, row)}
    whole = float(ranking.fused.score[row])
    share = _relevance(ranking, row) / whole if whole else 0.0
    return {name: float(part) * share for name, part in zip(CHANNELS, ranking.fused.parts[row], strict=True)}
