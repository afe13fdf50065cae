"""What the library as it is cut makes of a set: for every claim the chunks that satisfy it, and those that none can.

A chunk satisfies a claim iff its span holds a whole piece of its evidence, in the right document and under the
right heading. In a set that judges documents a document stands for its chunks. What satisfies a claim must be
known before anything is asked: what was never found counts against recall, too. Pure; ``look`` reads the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.evaluate.metrics import graded
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.explain.verdict import Layer, Place
from engine.model import OWNER, PUBLIC, Chunk


@dataclass(frozen=True, slots=True)
class Shelved:
    """A document as the index holds it. ``chunks`` are all of them, parents too, in source order."""

    document_id: str
    path: str
    revision: str
    labels: frozenset[str]
    chunks: tuple[Chunk, ...]

    def visible(self, scopes: Sequence[str]) -> bool:
        """Whether a principal with these scopes sees it."""
        return OWNER in scopes or self.labels <= {PUBLIC, *scopes}


Look = Callable[[str], Shelved | None]
"""Finds a document by its path; None where the library does not hold it."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim against the library. ``relevant`` are the ids of the items that satisfy it: chunks, or documents.

    ``places`` are its pieces that can be compared with a context, ``chunks`` the ids of every chunk of a
    document that is relevant as a whole. ``unreachable`` names the layer where no item satisfies it, whatever
    is asked: ``not_in_corpus``, ``out_of_scope``, ``split``; empty otherwise.
    """

    claim: Claim
    relevant: frozenset[str]
    places: tuple[Place, ...] = ()
    chunks: tuple[str, ...] = ()
    unreachable: Layer | None = None


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case with its claims judged, and ``grades`` by item id as the metrics read them.

    A claim that nothing satisfies has an item of its own there, which no ranking can hold: it is a miss.
    """

    case: Case
    claims: tuple[JudgedClaim, ...]
    grades: Mapping[str, int]
    preferences: tuple[tuple[frozenset[str], frozenset[str]], ...] = field(default=())


def judge_set(cases: EvaluationSet, scopes: Sequence[str], look: Look) -> tuple[JudgedCase, ...]:
    """Every case of the set, in its order, for principals who hold ``scopes`` beside the case's own."""
    by_document = cases.by_document
    return tuple(_judge(case, (*scopes, *case.scopes), look, by_document) for case in cases.cases)


def _judge(case: Case, scopes: Sequence[str], look: Look, by_document: bool) -> JudgedCase:
    claims = tuple(_judge_claim(claim, scopes, look, by_document) for claim in case.claims)
    grades = graded(
        (item, judged.claim.grade)
        for judged in claims
        for item in (sorted(judged.relevant) or [f"{case.id}#{judged.claim.id}"])
    )
    irrelevant = dict(case.irrelevant) if by_document else {}
    preferences = tuple(
        (_items([each.better], scopes, look, by_document), _items([each.worse], scopes, look, by_document))
        for each in case.preferences
    )
    return JudgedCase(case, claims, {**irrelevant, **grades}, preferences)


def _judge_claim(claim: Claim, scopes: Sequence[str], look: Look, by_document: bool) -> JudgedClaim:
    """Alternatives that a principal cannot see are no alternatives: any one of the others serves."""
    held = [(piece, document) for piece in claim.evidence if (document := look(piece.file)) is not None]
    if not held:
        return JudgedClaim(claim, frozenset(), unreachable="not_in_corpus")
    seen = [(piece, document) for piece, document in held if document.visible(scopes)]
    if not seen:
        return JudgedClaim(claim, frozenset(), unreachable="out_of_scope")
    places = tuple(place_of(piece, document) for piece, document in seen if not piece.whole)
    chunks = tuple(
        chunk.chunk_id for piece, document in seen if piece.whole for chunk in retrievable(document)
    )
    relevant = _items([piece for piece, _ in seen], scopes, look, by_document)
    return JudgedClaim(claim, relevant, places, chunks, None if relevant else "split")


def _items(
    pieces: Sequence[Evidence], scopes: Sequence[str], look: Look, by_document: bool
) -> frozenset[str]:
    """The ids of the items that hold any one of these pieces."""
    found: set[str] = set()
    for piece in pieces:
        document = look(piece.file)
        if document is None or not document.visible(scopes):
            continue
        if by_document:
            found.add(document.path)
        else:
            found |= {chunk.chunk_id for chunk in retrievable(document) if holds(chunk, piece)}
    return frozenset(found)


def retrievable(document: Shelved) -> tuple[Chunk, ...]:
    """The chunks that recall can list: all but parents."""
    return tuple(chunk for chunk in document.chunks if chunk.role != "parent")


def holds(chunk: Chunk, piece: Evidence) -> bool:
    """Whether a chunk of the right document holds a whole piece. An edited chunk holds only what its own text
    still says."""
    if piece.heading and not under(chunk.heading_path, piece.heading):
        return False
    if piece.whole:
        return True
    start, end = span(piece)
    if not (chunk.start <= start and end <= chunk.end):
        return False
    return not chunk.edited or (bool(piece.text) and piece.text in chunk.text)


def under(heading_path: Sequence[str], heading: str) -> bool:
    """Whether a heading, or a path of them joined by ``" / "`` or ``" › "``, stands above; spaces at the ends
    say nothing."""
    wanted = heading.strip()
    names = [name.strip() for name in heading_path]
    return wanted in names or any(
        sign.join(names[first : last + 1]) == wanted
        for sign in (" / ", " › ")
        for first in range(len(names))
        for last in range(first, len(names))
    )


def span(piece: Evidence) -> tuple[int, int]:
    """``[start, end)`` of a located piece; raises ``ValueError`` for one that was never located."""
    if piece.start is None or piece.end is None:
        raise ValueError(f"evidence in {piece.file} has no span: it was not validated")
    return piece.start, piece.end


def place_of(piece: Evidence, document: Shelved) -> Place:
    """A piece as a place in the index: the chunks that touch it, and those that would bring all of it as a hit,
    a parent's children among them. Its text, which the context must hold, is the piece's."""
    start, end = span(piece)
    touching = [chunk for chunk in retrievable(document) if chunk.start < end and start < chunk.end]
    homes = [chunk.chunk_id for chunk in touching if holds(chunk, piece)]
    if not homes:
        whole = {
            chunk.chunk_id for chunk in document.chunks if chunk.role == "parent" and holds(chunk, piece)
        }
        homes = [chunk.chunk_id for chunk in touching if chunk.parent in whole]
    return Place(
        document_id=document.document_id,
        path=document.path,
        revision=document.revision,
        start=start,
        end=end,
        text=piece.text,
        chunks=tuple(touching),
        homes=tuple(homes),
    )
