"""Numbers: the quantities and identifiers that the query names, to the digit and the letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.rank.folded import atoms
from engine.rank.numbers import identifiers, quantities
from engine.rank.terms import chunk_atoms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall


def numbers(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The share of the query's quantities and identifiers that a candidate has; NaN where the query has
    none.
    """
    wanted = quantities(recall.query)
    names = [atoms(name) for name in identifiers(recall.query)]
    if not wanted and not names:
        return np.full(len(rows), np.nan)
    shares = []
    for row in rows.tolist():
        chunk = recall.chunks[row]
        held = quantities(chunk.text) if wanted else ()
        met = sum(any(quantity.meets(other) for other in held) for quantity in wanted)
        text = chunk_atoms(chunk) if names else ""
        met += sum(name in text for name in names)
        shares.append(met / (len(wanted) + len(names)))
    return np.array(shares, dtype=np.float64)
