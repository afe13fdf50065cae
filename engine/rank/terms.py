"""The query's terms against the candidates: which hold which, and which the query cannot do without."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.rank.folded import atoms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.model import Chunk, QueryTerm, Recall


def holdings(recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """``(len(rows), len(terms)) bool``: whether title, headings or text of a candidate hold a term.

    The recall's own matrix, from the postings, where it carries one. Else whole words and runs are looked for
    in the folded text, which knows no word forms (``maxRetry`` is one word) but needs no index.
    """
    if recall.holds is not None:
        measured: NDArray[np.bool_] = recall.holds[rows]
        return measured
    known = _read(recall)
    for row in rows.tolist():
        if row not in known:
            text = chunk_atoms(recall.chunks[row])
            known[row] = [atoms(term.term) in text for term in recall.terms]
    held = [known[row] for row in rows.tolist()]
    return np.array(held, dtype=bool).reshape(len(rows), len(recall.terms))


@lru_cache(maxsize=4)
def _read(recall: Recall) -> dict[int, list[bool]]:
    """What was read off the texts of a recall so far, by candidate."""
    return {}


def chunk_atoms(chunk: Chunk) -> str:
    """The atoms of what a channel indexes of a chunk: title, headings and text."""
    return heading_atoms(chunk.title, chunk.heading_path) + atoms(chunk.text)


@lru_cache(maxsize=1_024)
def heading_atoms(title: str, heading_path: tuple[str, ...]) -> str:
    """The atoms of title and headings; no run crosses from one to the next."""
    return "".join(atoms(part) for part in (title, *heading_path))


def is_rare(term: QueryTerm, chunks: int) -> bool:
    """Whether a term tells candidates apart: at most √N of the N visible chunks hold it.

    Where idf is ln(N/n), that is at least half of the most that it can be, in a library of any size.
    """
    return term.document_frequency <= math.sqrt(max(chunks, 1))


# --- required terms -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unit:
    """One place of the query, ``[start, end)``, and the columns of the terms that stand for it: any one
    will do.
    """

    start: int
    end: int
    columns: tuple[int, ...]

    def held(self, recall: Recall, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """``(len(rows),) bool``."""
        held: NDArray[np.bool_] = np.any(holdings(recall, rows)[:, list(self.columns)], axis=1)
        return held


def required_units(recall: Recall) -> tuple[Unit, ...]:
    """The rare places of the query, in its order.

    Forms of one word (with and without diacritics) share a place. A whole identifier also serves for each of
    its parts, and where no visible chunk holds the whole, its parts speak for it. A bigram that no visible
    chunk holds is an accident of two words meeting, and is not required; a word that none holds is, and lets
    nothing through.
    """
    places: dict[tuple[str, int, int], list[int]] = {}
    for column, term in enumerate(recall.terms):
        places.setdefault((term.channel, term.start, term.end), []).append(column)
    wholes = {key: columns for key, columns in places.items() if key[0] == "fulltext"}
    units = []
    for (channel, start, end), columns in places.items():
        if not all(is_rare(recall.terms[column], recall.state.chunks) for column in columns):
            continue
        seen = any(recall.terms[column].document_frequency for column in columns)
        if not seen and (channel == "cjk" or _has_parts(wholes, start, end)):
            continue
        around = [c for (_, s, e), cs in wholes.items() if s <= start and end <= e for c in cs]
        units.append(
            Unit(start, end, tuple(dict.fromkeys([*columns, *(around if channel == "fulltext" else ())])))
        )
    return tuple(sorted(units, key=lambda unit: (unit.start, unit.end)))


def _has_parts(places: dict[tuple[str, int, int], list[int]], start: int, end: int) -> bool:
    return any(start <= s and e <= end and (s, e) != (start, end) for _, s, e in places)


# --- where they stand in a text -----------------------------------------------------------------------------


def rarity(terms: Sequence[QueryTerm]) -> dict[str, float]:
    """Each distinct term with the larger idf of its channels."""
    weights: dict[str, float] = {}
    for term in terms:
        weights[term.term] = max(term.idf, weights.get(term.term, 0.0))
    return weights
