"""Baselines beside the pipeline: a baseline's order takes the place of recall, and is packed and judged like it.

Each baseline ranks the chunks that a principal sees, and nothing else of the pipeline is its own: so the same
figures, evidence in the packed context among them, hold for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.cancel import CancelToken
from engine.evaluate.baselines import BASELINES, Baseline
from engine.model import CHANNELS, Channel, ChannelRecall, Chunk, IndexState, Recall
from engine.pipeline.query import checked, index_state
from engine.settings import Retrieval
from engine.store import chunks as chunk_store
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible

COLUMN = CHANNELS.index("fulltext")


@dataclass(frozen=True, slots=True)
class Rival:
    """A baseline over what one principal sees. ``chunks`` are in the order in which ties break."""

    baseline: Baseline
    scopes: tuple[str, ...]
    state: IndexState
    chunks: tuple[Chunk, ...]
    parents: Mapping[str, Chunk]

    def recall(self, query: str, depth: int, cancel: CancelToken) -> Recall:
        """Its first ``depth`` chunks as the list of one channel. It gives an order and no score that others
        could be held against, so its scores are reciprocal ranks."""
        cancel.check()
        text = checked(query)
        places = {name: rank for rank, name in enumerate(self.baseline.rank(text, depth), 1)}
        found = tuple(chunk for chunk in self.chunks if chunk.chunk_id in places)
        ranks = np.zeros((len(found), len(CHANNELS)), dtype=np.int32)
        scores = np.full((len(found), len(CHANNELS)), np.nan)
        ranks[:, COLUMN] = [places[chunk.chunk_id] for chunk in found]
        scores[:, COLUMN] = 1.0 / ranks[:, COLUMN]
        return Recall(
            query=text,
            scopes=self.scopes,
            depth=depth,
            state=self.state,
            channels=tuple(self._channel(name, len(found)) for name in CHANNELS),
            chunks=found,
            ranks=ranks,
            scores=scores,
            parents={
                name: self.parents[name]
                for name in (chunk.parent for chunk in found)
                if name is not None and name in self.parents
            },
        )

    def _channel(self, name: Channel, listed: int) -> ChannelRecall:
        served = name == CHANNELS[COLUMN]
        return ChannelRecall(
            name,
            requested=served,
            used=served,
            matched=listed if served else 0,
            listed=listed if served else 0,
            of=len(self.chunks) if served else 0,
        )


def alone(retrieval: Retrieval) -> Retrieval:
    """The settings under which a baseline's order is packed: as it stands, with nothing reranked or refused."""
    weights = {f"{name}_weight": float(place == COLUMN) for place, name in enumerate(CHANNELS)}
    return replace(
        retrieval,
        **weights,  # type: ignore[arg-type]
        fusion="rrf",
        rerank="off",
        minimum_relevance=0.0,
        score_margin=0.0,
        required_terms=False,
        adjacent_chunk_count=0,
    )


def built(generation: Generation, name: str, scopes: Sequence[str], cancel: CancelToken) -> Rival:
    """The baseline of this name over all that a principal sees. Raises ``KeyError`` for a name that is none."""
    with generation.reading() as connection:
        sets = visible(label_sets(connection), scopes)
        chunks = tuple(chunk_store.visible_to(connection, [each.id for each in sets]))
        parents = chunk_store.by_id(connection, (chunk.parent for chunk in chunks if chunk.parent))
    cancel.check()
    return Rival(BASELINES[name](chunks), tuple(scopes), index_state(generation, sets), chunks, parents)
