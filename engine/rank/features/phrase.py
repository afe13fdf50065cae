"""Phrase: the longest run of the query that a candidate has word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.rank.folded import BREAK, atoms
from engine.rank.terms import chunk_atoms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.model import Recall

LONGEST = 256
"""Atoms of the query that are looked for; the cost grows with them, the answer hardly."""


def phrase(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Atoms of the longest common run ÷ atoms of the query; a run of one is none, unless it is the whole
    query.

    Atoms are words, Han, kana or Hangul characters, and marks between them. NaN where the query has none.
    """
    query = query_atoms(recall.query)
    if not query:
        return np.full(len(rows), np.nan)
    needle, places = _laid_out(query)
    runs = [longest_run(needle, places, chunk_atoms(recall.chunks[row])) for row in rows.tolist()]
    floor = min(2, len(query))
    return np.array([run / len(query) if run >= floor else 0.0 for run in runs], dtype=np.float64)


def query_atoms(query: str) -> list[str]:
    """The query's atoms, without the marks at its ends."""
    found = atoms(query).split(BREAK)[1:-1][:LONGEST]
    while found and not found[-1].isalnum():
        found.pop()
    while found and not found[0].isalnum():
        found.pop(0)
    return found


def _laid_out(query: list[str]) -> tuple[str, list[int]]:
    """The query as ``atoms`` lays out a text, and where the break before each atom (and after the last)
    stands.
    """
    places, at = [0], 0
    for atom in query:
        at += len(BREAK) + len(atom)
        places.append(at)
    return f"{BREAK}{BREAK.join(query)}{BREAK}", places


def longest_run(needle: str, places: list[int], text: str) -> int:
    """Atoms of the longest run of the needle that the text holds: linear in the needle, one search a step.

    A run is only ever looked for that would be longer than the best; what fails at one atom is not tried
    again there.
    """
    best, first, count = 0, 0, len(places) - 1
    while first + best < count:
        if needle[places[first] : places[first + best + 1] + len(BREAK)] in text:
            best += 1
        else:
            first += 1
    return best
