"""Conflict: a candidate that denies what the query takes for granted, in a clause about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.rank.negation import contradicts, folded, stances
from engine.rank.terms import is_rare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall


def conflict(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """1 where the candidate contradicts the query, else 0; always 0 for a query that takes no side."""
    sides = stances(recall.query)
    rare = [
        (folded(term.term), term.start, term.end)
        for term in recall.terms
        if is_rare(term, recall.state.chunks) and term.document_frequency
    ]
    if not sides or not rare:
        return np.zeros(len(rows))
    texts = (recall.chunks[row].text for row in rows.tolist())
    return np.array([float(contradicts(text, sides, rare)) for text in texts])
