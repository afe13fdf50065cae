"""The ranking of one recall under one retrieval setting: arrays first, so that a turned setting costs
microseconds.

What a person reads of it, a ``Result``, is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.model import CHANNELS, ChannelHit, Degradation, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.model import Chunk, Recall
    from engine.rank.fuse import Fused
    from engine.rank.gate import Gate
    from engine.rank.learned import LearnedOrder
    from engine.rank.rerank import Bill
    from engine.settings import Retrieval


@dataclass(frozen=True, slots=True)
class Scale:
    """What a relevance means: ``rrf``, ``minmax``, ``linear`` (fused over ``maximum``), or ``local`` and
    ``learned`` (of 1).
    """

    name: str
    maximum: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Everything that fusion kept, ranked; ``m`` of the recall's ``n`` candidates.

    ``order`` is ``(m,) intp``, candidate indexes by final rank. By candidate: ``relevance`` ``(n,) float64``
    and ``fused_rank`` ``(n,) int32``, 0 where fusion kept it out. ``kept`` is ``(m,) bool``, what the gate
    let through, by rank; ``top`` ``(t,) intp``, the positions in ``order`` of the gated top k.
    ``bill`` is there where a rerank served: the local one, or a model.
    """

    recall: Recall
    retrieval: Retrieval
    fused: Fused
    order: NDArray[np.intp]
    relevance: NDArray[np.float64]
    fused_rank: NDArray[np.int32]
    scale: Scale
    gate: Gate
    kept: NDArray[np.bool_]
    top: NDArray[np.intp]
    bill: Bill | LearnedOrder | None = None
    degraded: tuple[Degradation, ...] = ()

    def __len__(self) -> int:
        return len(self.order)

    @property
    def found(self) -> int:
        """Candidates that fusion kept: in the view of a channel that served."""
        return len(self.order)

    @property
    def passed(self) -> int:
        """Candidates that the gate let through."""
        return int(self.kept.sum())

    @property
    def view(self) -> int:
        """How deep fusion read each list."""
        return self.fused.view

    @property
    def unanswerable(self) -> bool:
        return self.gate.unanswerable

    def chunk(self, position: int) -> Chunk:
        """The chunk at a position from 0."""
        return self.recall.chunks[int(self.order[position])]

    def position(self, chunk_id: str) -> int | None:
        """Where a chunk stands, from 0, or None where fusion did not keep it."""
        for position, candidate in enumerate(self.order.tolist()):
            if self.recall.chunks[candidate].chunk_id == chunk_id:
                return position
        return None

    def result(self, position: int) -> Result:
        """The result at a position from 0; ``IndexError`` beyond the last."""
        candidate = int(self.order[position])
        return Result(
            rank=(position if position >= 0 else len(self) + position) + 1,
            chunk=self.recall.chunks[candidate],
            relevance=float(self.relevance[candidate]),
            fused_score=float(self.fused.score[candidate]),
            fused_rank=int(self.fused_rank[candidate]),
            channels=self._hits(candidate),
            features=self.bill.contributions(candidate) if self.bill else (),
        )

    def results(self, limit: int | None = None) -> Iterator[Result]:
        """The results by rank, at most ``limit``, each made as it is reached."""
        count = len(self) if limit is None else min(limit, len(self))
        return (self.result(position) for position in range(count))

    def _hits(self, candidate: int) -> dict[str, ChannelHit]:
        """Every channel that listed the candidate, in the order of ``CHANNELS``; those beyond the view
        add 0.
        """
        fused, ranks = self.fused, self.recall.ranks
        return {
            channel: ChannelHit(
                rank=int(ranks[candidate, column]),
                score=float(self.recall.scores[candidate, column]),
                weight=float(fused.weights[column]),
                part=float(fused.parts[candidate, column]),
                in_view=bool(fused.in_view[candidate, column]),
            )
            for column, channel in enumerate(CHANNELS)
            if ranks[candidate, column] > 0
        }
