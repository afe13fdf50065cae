"""What of a library is ready, in counts: one figure for each state, never a general word."""

from __future__ import annotations

from dataclasses import dataclass

from engine.model import IndexState
from engine.pipeline.query import index_state
from engine.pipeline.semantics import Semantics
from engine.settings import Chunking, Settings
from engine.store.documents import cuts
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible


@dataclass(frozen=True, slots=True)
class Status:
    """What is ready, in counts, of what the principal may see. ``labels`` are all that occur, for a scope
    picker. ``embedder`` is who made the vectors.

    ``chunking_pending`` is the chunking of the settings where another one serves, until a rebuild; ``recut`` counts
    the files that were taken over into a cut of their own.
    """

    state: IndexState
    documents: int
    chunks: int
    vectors_ready: int
    vectors_waiting: int
    vectors_refused: int
    embedder: str
    embedder_note: str
    labels: tuple[str, ...]
    generation: str
    chunking: Chunking
    chunking_pending: Chunking | None
    writer: str
    recut: int = 0


def status_of(
    generation: Generation, semantics: Semantics, settings: Settings, scopes: tuple[str, ...], writer: str
) -> Status:
    """The status for one principal."""
    with generation.reading() as connection:
        every, recut = label_sets(connection), len(cuts(connection))
    sets = visible(every, scopes)
    ours = semantics.incompatible(generation) is None
    return Status(
        state=index_state(generation, sets),
        documents=sum(each.documents for each in sets),
        chunks=sum(each.chunks for each in sets),
        vectors_ready=sum(each.ready for each in sets),
        vectors_waiting=sum(each.waiting for each in sets),
        vectors_refused=sum(each.refused for each in sets),
        embedder=semantics.name if ours else generation.meta.get("embedder_name") or semantics.name,
        embedder_note=semantics.note if ours else "",
        labels=tuple(sorted({label for each in every for label in each.labels})),
        generation=generation.id,
        chunking=generation.chunking,
        chunking_pending=(settings.chunking if settings.chunking != generation.chunking else None),
        writer=writer,
        recut=recut,
    )
