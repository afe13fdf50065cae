"""Similarity: the cosine of query and candidate, where there is a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.model import CHANNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall


def similarity(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The cosine, below 0 as 0; NaN for a candidate without a usable vector.

    Every candidate's own where the recall measured it, else that of the candidates the vector channel listed.
    """
    cosines = recall.similarities
    if cosines is None:
        cosines = recall.scores[:, CHANNELS.index("vector")]
    return np.clip(cosines[rows], 0.0, 1.0)
