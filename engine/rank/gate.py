"""The gate: what is too little, or lacks what the question names, goes no further. It says what it tested.

Thresholds belong to a scale: a minimum chosen for a rerank that failed is never held against fused scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.model import Degradation
from engine.rank.terms import required_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall
    from engine.rank.ranking import Scale
    from engine.settings import Retrieval


@dataclass(frozen=True, slots=True)
class Gate:
    """What the gate tested and did.

    ``tested`` names the scale of ``minimum`` and ``margin``, empty where no threshold applied. ``below`` were
    removed by ``minimum_relevance``, ``missing`` by ``required_terms`` (those of ``required``, as the query
    writes them). ``lead`` is the first relevance minus the first of another document, None where there is no
    other.
    """

    tested: str
    minimum: float
    below: int
    required: tuple[str, ...]
    missing: int
    margin: float
    lead: float | None
    unanswerable: bool

    @property
    def removed(self) -> int:
        return self.below + self.missing


def gate(
    recall: Recall,
    retrieval: Retrieval,
    order: NDArray[np.intp],
    relevance: NDArray[np.float64],
    scale: Scale,
    *,
    thresholds: bool = True,
) -> tuple[Gate, NDArray[np.bool_]]:
    """Test the ranked candidates; the mask is by rank.

    ``thresholds`` is false where the stage they were meant for did not serve. A result is unanswerable where
    nothing is left, or where the lead over the next document is below ``score_margin``.
    """
    minimum = retrieval.minimum_relevance if thresholds else 0.0
    margin = retrieval.score_margin if thresholds else 0.0
    enough = relevance[order] >= minimum
    units = required_units(recall) if retrieval.required_terms else ()
    holds = np.ones(len(order), dtype=bool)
    for unit in units:
        holds &= unit.held(recall, order)
    kept = enough & holds
    lead = _lead(recall, order[kept], relevance)
    report = Gate(
        tested=scale.name if minimum > 0 or margin > 0 else "",
        minimum=minimum,
        below=int((~enough).sum()),
        required=tuple(recall.query[unit.start : unit.end] for unit in units),
        missing=int((enough & ~holds).sum()),
        margin=margin,
        lead=lead,
        unanswerable=not bool(kept.any()) or (lead is not None and lead < margin),
    )
    return report, kept


def _lead(recall: Recall, order: NDArray[np.intp], relevance: NDArray[np.float64]) -> float | None:
    """The first candidate's relevance minus that of the first of another document."""
    candidates = iter(order.tolist())
    first = next(candidates, None)
    if first is None:
        return None
    document = recall.chunks[first].document_id
    for other in candidates:
        if recall.chunks[other].document_id != document:
            return float(relevance[first] - relevance[other])
    return None


def filtered_by_gate(report: Gate, found: int) -> tuple[Degradation, ...]:
    """What the gate did to this result, and the setting that did it; nothing where it removed nothing."""
    if not report.removed:
        return ()
    reasons, turns = [], []
    if report.below:
        reasons.append(f"{report.below} with a relevance ({report.tested}) below {report.minimum:g}")
        turns.append(f"lower minimum_relevance, now {report.minimum:g}")
    if report.missing:
        reasons.append(f"{report.missing} without a rare term of the query")
        turns.append("turn required_terms off")
    message = f"removed {report.removed} of {found}: {', '.join(reasons)}"
    return (Degradation("gate", "filtered_by_gate", message, " or ".join(turns)),)
