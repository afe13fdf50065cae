"""What one run made of one case, as plain data that a file can keep: every figure and report is read off these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from engine.explain.verdict import Layer


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """``rank`` is that of the first item that satisfies the claim, from 1, None where none was ranked.

    ``layer`` is ``context`` where a whole piece of its evidence is in the packed context, else where it was
    lost.
    """

    id: str
    rank: int | None
    layer: Layer

    @property
    def in_context(self) -> bool:
        return self.layer == "context"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case under one variant.

    ``ranked`` are the distinct items that passed the gate, best first: chunk ids, or documents' paths where
    documents are judged; ``scores`` their relevance. ``grades`` are the judgements, by item. ``top`` is how many
    stand in the gated top k. ``hits`` are the packed hits, best first, each with whether it holds evidence of a claim.
    ``refused`` says that the pipeline called the question unanswerable. ``confidence`` is the first
    relevance (None where nothing was ranked), ``lead`` its lead over the next document, None where there is none.
    ``preferences`` says for each pair whether the better passage stands above the worse. ``degraded`` are the
    codes of what could not fully serve.
    """

    case_id: str
    query: str
    lang: str
    kind: str
    answerable: bool
    grades: Mapping[str, int]
    ranked: tuple[str, ...]
    scores: tuple[float, ...]
    claims: tuple[ClaimOutcome, ...]
    hits: tuple[bool, ...]
    refused: bool
    confidence: float | None
    lead: float | None
    preferences: tuple[bool, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def scorable(self) -> bool:
        """Whether there is something relevant to find."""
        return any(grade > 0 for grade in self.grades.values())

    @property
    def rank(self) -> int | None:
        """The rank of the first relevant item, from 1."""
        return next((rank for rank, item in enumerate(self.ranked, 1) if self.grades.get(item, 0) > 0), None)

    @property
    def in_context(self) -> bool | None:
        """Whether all claims are in the packed context; None where there is nothing to be in."""
        return all(claim.in_context for claim in self.claims) if self.claims else None

    @property
    def layer(self) -> Layer | None:
        """``context``, or where the claim that came least far was lost; None where there is no claim."""
        lost = [claim.layer for claim in self.claims if not claim.in_context]
        if not lost:
            return "context" if self.claims else None
        return min(lost, key=ORDER.index)

    def to_json(self) -> dict[str, Any]:
        """Every field by name; ``outcome_of`` reads it back."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        claims = [{"id": claim.id, "rank": claim.rank, "layer": claim.layer} for claim in self.claims]
        return {**plain, "claims": claims, "grades": dict(self.grades)}


ORDER: tuple[Layer, ...] = (
    "not_in_corpus", "source_changed", "parse_failed", "out_of_scope", "split", "disabled", "not_recalled", "gate",
    "fusion", "rerank", "duplicate", "quota", "budget", "context",
)  # fmt: skip
"""Layers from the first in which a claim can be lost to none at all."""


def outcome_of(stored: Mapping[str, Any]) -> Outcome:
    """An outcome from what ``to_json`` gave. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything
    else."""
    claims = tuple(ClaimOutcome(each["id"], each["rank"], each["layer"]) for each in stored["claims"])
    if any(claim.layer not in ORDER for claim in claims):
        raise ValueError("a layer that does not exist")
    lists = {name: tuple(stored[name]) for name in ("ranked", "scores", "hits", "preferences", "degraded")}
    return Outcome(**{**stored, **lists, "claims": claims, "grades": dict(stored["grades"])})
