"""What the Search screen reads off a view: settings as tuned, moves, what the last turn changed, pipeline
counts. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.model import Chunk, Result
from tui import tasks
from tui.screens.search_layout import WHY_ROWS
from tui.state import View
from tui.widgets import bill, head, states, tune

if TYPE_CHECKING:
    from engine.rank.ranking import Ranking
    from engine.trace import Trace

SERVING = ("vector", "graph")
"""Channels that a library may lack altogether; the text channels are always there."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A view, and what follows from it. ``before`` is the trace before the last turn of the same recall.

    ``was`` and ``earlier`` give ranks by candidate: in what moves are measured against, and before the last
    turn.
    """

    view: View
    before: Trace | None = None
    was: Mapping[int, int] = field(default_factory=dict)
    earlier: Mapping[int, int] = field(default_factory=dict)

    @property
    def trace(self) -> Trace | None:
        return self.view.trace

    @property
    def found(self) -> int:
        return 0 if self.trace is None else self.trace.ranking.found

    @property
    def why_rows(self) -> int:
        """Rows that Why would have, whichever result is shown: with a rerank its bill is below the channels."""
        billed = self.trace is not None and self.trace.retrieval.rerank != "off"
        return WHY_ROWS - 1 + bill.LINES if billed else WHY_ROWS

    @property
    def turned(self) -> bool:
        """Whether the answer is not that of what moves are measured against."""
        return self.view.reference is not None and self.view.reference is not self.trace

    @property
    def against(self) -> str:
        """What moves are measured against, in words."""
        return "A" if self.view.pin is not None else "the file's settings"

    @property
    def behind(self) -> bool:
        """Whether what is shown is of the query before, because the last one failed."""
        return self.view.error is not None and self.view.trace is not None

    def answers_like(self, other: Board) -> bool:
        """Whether both show the same answer, whatever else of the view differs."""
        here, there = self.view, other.view
        return (
            here.trace is not None
            and here.trace is there.trace
            and here.reference is there.reference
            and here.error is there.error
        )

    def result(self, position: int) -> Result | None:
        """The result at a position from 0; None beyond the last."""
        if self.trace is None or not 0 <= position < self.found:
            return None
        return self.trace.ranking.result(position)

    def rank_before(self, position: int) -> int | None:
        """The rank in state A, else under the file's settings, of what stands at a position."""
        assert self.trace is not None
        return self.was.get(int(self.trace.ranking.order[position]))

    def serves(self, position: int) -> bool:
        """Whether what stands at a position is in the gated top k."""
        return self.trace is not None and position in self.trace.ranking.top

    def turned_over(self, position: int) -> bool:
        """Whether the last turn gave the result at a position another rank; never so after a new query."""
        if self.trace is None or self.before is None:
            return False
        return self.earlier.get(int(self.trace.ranking.order[position])) != position + 1

    def moved(self, position: int) -> bool:
        """Whether the result at a position has another rank than in what moves are measured against."""
        return self.rank_before(position) != position + 1

    def next_moved(self, position: int, step: int) -> int | None:
        """The next position from one on, by ``step`` and around the end, whose result moved; None where none did."""
        around = ((position + step * away) % self.found for away in range(1, self.found + 1))
        return next((at for at in around if self.moved(at)), None)

    def chunks(self) -> dict[str, Chunk]:
        """The chunks of what was left out of the context, by id."""
        if self.trace is None:
            return {}
        wanted = {out.chunk_id for out in self.trace.context.left_out}
        return {chunk.chunk_id: chunk for chunk in self.trace.recall.chunks if chunk.chunk_id in wanted}

    def pipeline(self) -> head.Pipeline | None:
        """The counts of the pipeline's row."""
        if self.trace is None:
            return None
        trace, ranking = self.trace, self.trace.ranking
        return head.Pipeline(
            view=ranking.view,
            depth=trace.recall.depth,
            cut=head.cut_channels(trace.channels, ranking.view),
            found=ranking.found,
            passed=ranking.passed,
            top_k=self.view.retrieval.top_k,
            packed=sum(len(group.citations) for group in trace.context.groups),
            left_out=len(trace.context.left_out),
            unanswerable=ranking.unanswerable,
        )

    def tuning(self) -> tune.Tuning:
        """What the Tune pane shows."""
        view = self.view
        missing: frozenset[str] = frozenset()
        depth = 200
        if self.trace is not None:
            depth = self.trace.recall.depth
            missing = frozenset(
                one.channel
                for one in self.trace.recall.channels
                if one.channel in SERVING and one.requested and not one.used
            )
        return tune.Tuning(view.settings.retrieval, view.saved.retrieval, view.dial, missing, depth)

    def told(self) -> states.Told:
        """What stands in the list where nothing is listed; empty where results are."""
        view = self.view
        indexing = tasks.sentence(view.progress)
        if view.error is not None and self.trace is None:
            return states.failed(view.error.sentence, view.error.remedy)
        refused = next((one for one in view.problems if one.place == "library"), None)
        if view.status is None and refused is not None:
            return states.failed(refused.sentence, refused.remedy)
        documents = None if view.status is None else view.status.state.documents
        if documents == 0:
            return states.no_documents([one.sentence for one in view.problems], indexing)
        if self.trace is None:
            waiting = "asking" if view.running else indexing
            return states.nothing_asked(documents, waiting)
        if self.found:
            return ()
        trace = self.trace
        return states.nothing_found(
            trace.channels, trace.recall.terms, trace.degraded, trace.retrieval, trace.recall.scopes,
            troubled=bool(trace.faults),
        )  # fmt: skip


def next_board(board: Board, view: View) -> Board:
    """The board of a new view; the trace before stays for comparison as long as the recall is the same."""
    trace = view.trace
    if trace is board.trace and view.reference is board.view.reference:
        return Board(view, board.before, board.was, board.earlier)
    before = board.before
    if trace is not board.trace:
        same = trace is not None and board.trace is not None and trace.recall is board.trace.recall
        before = board.trace if same else None
    return Board(
        view,
        before,
        ranks(view.reference.ranking, trace) if view.reference is not None and trace is not None else {},
        ranks(before.ranking, trace) if before is not None and trace is not None else {},
    )


def ranks(ranking: Ranking, trace: Trace) -> dict[int, int]:
    """Ranks from 1 by candidate of a trace; the ranking may be of another recall, then chunks are matched by
    their ids.
    """
    found = {candidate: rank for rank, candidate in enumerate(ranking.order.tolist(), 1)}
    if ranking.recall is trace.recall:
        return found
    here = {chunk.chunk_id: candidate for candidate, chunk in enumerate(trace.recall.chunks)}
    named = ((here.get(ranking.recall.chunks[candidate].chunk_id), rank) for candidate, rank in found.items())
    return {candidate: rank for candidate, rank in named if candidate is not None}
