"""Heading and path: the query's terms in what stands above a candidate, not in its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from engine.rank.features.coverage import weighted_share
from engine.rank.folded import atoms
from engine.rank.terms import heading_atoms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Chunk, Recall


def heading(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The share of the query's terms, by rarity, that title and headings hold; NaN where the query has
    none.
    """
    return _share_in(recall, rows, lambda chunk: heading_atoms(chunk.title, chunk.heading_path))


def path(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The same over the document's path below the library's root."""
    return _share_in(recall, rows, lambda chunk: atoms(chunk.path))


def _share_in(recall: Recall, rows: NDArray[np.intp], place: Callable[[Chunk], str]) -> NDArray[np.float64]:
    needles = [atoms(term.term) for term in recall.terms]
    places = [place(recall.chunks[row]) for row in rows.tolist()]
    held_in = {text: [needle in text for needle in needles] for text in set(places)}
    held = np.array([held_in[text] for text in places], dtype=bool).reshape(len(rows), len(needles))
    return weighted_share(recall, held)
