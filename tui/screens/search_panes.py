"""The five panes of the Search screen: each draws one part of the board, and knows its cursor and window
alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from textual.binding import Binding
from textual.message import Message

from engine.model import Chunk, QueryTerm, Result
from tui.actions import bindings
from tui.screens.search_board import Board
from tui.state import View
from tui.widgets import bill, context, detail, matches, results, states, tune
from tui.widgets.line import EMPTY, Line, fit
from tui.widgets.pane import Pane

EMPTY_BOARD = Board(View())


def keys_of(scope: str) -> list[Binding]:
    """The keys of a pane: those that move are its own, what else they do is the screen's business."""
    return [
        one if one.action.startswith("cursor_") else replace(one, action=f"screen.{one.action}")
        for one in bindings(scope)
        if isinstance(one, Binding)
    ]


class BoardPane(Pane):
    """A pane that draws the board; ``form`` is that of the whole screen, ``order`` its place in that of
    ``tab``.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.board = EMPTY_BOARD
        self.form = "wide"
        self.order = 0

    @property
    def _focus_sort_key(self) -> tuple[int, int]:
        # the toolkit's own is (row, column), and Why stands above Context
        return 1 + self.order, 0

    def show(self, board: Board) -> None:
        """Draw another board; the cursor stays, as far as there are rows."""
        self.board = board
        self.cursor = min(max(0, self.cursor), max(0, self.count - 1))
        self.follow()
        self.repaint()


class ResultsPane(BoardPane):
    """The ranked list, with the cut at the top k."""

    SCOPE: ClassVar[str] = "results"
    TITLE: ClassVar[str] = "Results"
    BINDINGS: ClassVar[list[Any]] = keys_of("results")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.line_cells = results.LINES

    @property
    def head(self) -> int:
        return 2 if self.titled else 1

    @property
    def count(self) -> int:
        return self.board.found

    @property
    def cut(self) -> int:
        """How many results stand above the cut."""
        trace = self.board.trace
        if trace is None or not len(trace.ranking.top):
            return 0
        return int(trace.ranking.top[-1]) + 1

    @property
    def rows(self) -> int:
        return self.count + (1 if self.count > self.cut else 0)

    def row_of(self, cursor: int) -> int:
        return cursor if cursor < self.cut else cursor + 1

    def show(self, board: Board) -> None:
        """Draw another board. The cursor stays with its chunk through turns, and begins anew with a query."""
        trace, old = board.trace, self.board.trace
        if trace is not None and trace is not old:
            if old is None or trace.recall.query != old.recall.query:
                self.cursor = 0
            elif self.cursor < old.ranking.found:
                held = trace.ranking.position(old.ranking.chunk(self.cursor).chunk_id)
                self.cursor = self.cursor if held is None else held
            if old is None or trace.recall is not old.recall:
                self.line_cells = results.lines_width(trace.recall.chunks)
        super().show(board)

    @property
    def result(self) -> Result | None:
        """The result under the cursor."""
        return self.board.result(self.cursor)

    def columns(self) -> results.Columns:
        trace = self.board.trace
        idle = frozenset[str]()
        if trace is not None:
            idle = frozenset(one.channel for one in trace.channels if not one.listed or not one.used)
        small = self.form in ("normal", "narrow") and not self.titled
        return results.choose(
            self.size.width,
            margin=self.margin,
            tail=2 if small else 1,
            lines=self.line_cells,
            idle=idle,
            form=self.form if small else "wide",  # type: ignore[arg-type]
        )

    def lines(self) -> list[Line]:
        columns, width = self.columns(), self.size.width
        made: list[Line] = []
        if self.titled:
            note = "of the query before" if self.board.behind else ""
            top_k, found = self.board.view.retrieval.top_k, self.board.found
            made.append(
                results.title(width, top_k, found, focused=self.has_focus, margin=self.margin, note=note)
            )
        told = self.board.told()
        if told:
            return [*made, *states.lines(told, width, self.margin)]
        made.append(results.header(columns))
        made.extend(
            self._row(columns, row) for row in range(self.top, min(self.rows, self.top + self.window))
        )
        return made

    def _row(self, columns: results.Columns, row: int) -> Line:
        cut = self.cut
        if row == cut and self.count > cut:
            return results.cut_line(columns, self.board.view.retrieval.top_k)
        position = row if row < cut else row - 1
        result = self.board.result(position)
        assert result is not None
        here = position == self.cursor
        return results.row(
            columns,
            result,
            was=self.board.rank_before(position),
            serves=self.board.serves(position),
            moved=self.board.turned_over(position),
            mark=("▸" if self.has_focus else "▹") if here else " ",
            focused=here and self.has_focus,
            fusion=self.board.trace.retrieval.fusion if self.board.trace is not None else "rrf",
        )


class TunePane(BoardPane):
    """The settings by stage. Its cursor is the dial, so that there is one thing that turns."""

    SCOPE: ClassVar[str] = "tune"
    TITLE: ClassVar[str] = "Tune"
    BINDINGS: ClassVar[list[Any]] = keys_of("tune")

    class Chosen(Message):
        """Another setting shall be the dial."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    @property
    def count(self) -> int:
        return len(tune.DIALS)

    @property
    def rows(self) -> int:
        return len(tune.DIALS) + len(tune.STAGES)

    def row_of(self, cursor: int) -> int:
        name = tune.DIALS[cursor]
        rows = [row for stage, names in tune.STAGES for row in ("", *names)]
        return rows.index(name)

    def show(self, board: Board) -> None:
        self.cursor = tune.DIALS.index(board.tuning().dial)
        super().show(board)

    def move_to(self, cursor: int) -> None:
        cursor = min(max(cursor, 0), self.count - 1)
        if cursor != self.cursor:
            self.post_message(self.Chosen(tune.DIALS[cursor]))

    def lines(self) -> list[Line]:
        tuning, width = self.board.tuning(), self.size.width
        made = [tune.title(tuning, width, self.has_focus)] if self.titled else []
        rows = tune.rows(tuning, width, self.has_focus)
        # the first setting comes with the name of its stage
        top = 0 if self.top == 1 else self.top
        return [*made, *(line for _, line in rows[top : top + self.window])]


class ContextPane(BoardPane):
    """The packed context as a ledger; ``enter`` unfolds a group."""

    SCOPE: ClassVar[str] = "context"
    TITLE: ClassVar[str] = "Context"
    BINDINGS: ClassVar[list[Any]] = keys_of("context")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.unfolded: frozenset[int] = frozenset()
        self._ledger: tuple[object, tuple[context.Entry, ...]] = ((), ())

    @property
    def count(self) -> int:
        trace = self.board.trace
        return 0 if trace is None else len(trace.context.groups) + len(trace.context.left_out)

    @property
    def rows(self) -> int:
        return len(self._entries())

    def row_of(self, cursor: int) -> int:
        heads = [row for row, entry in enumerate(self._entries()) if entry.head]
        return heads[cursor] if cursor < len(heads) else 0

    def show(self, board: Board) -> None:
        if board.trace is not self.board.trace:
            self.unfolded = frozenset()
        super().show(board)

    def fold(self, entry: int) -> None:
        """Show a group whole, or shortened again."""
        self.unfolded = self.unfolded ^ {entry}
        self.follow()
        self.repaint()

    def lines(self) -> list[Line]:
        trace, width = self.board.trace, self.size.width
        if trace is None:
            title = results.pane_title("CONTEXT", self.has_focus)
            return [fit(((" " * self.margin, ""), *title), width)] if self.titled else [fit(EMPTY, width)]
        made = [context.title(trace.context, width, self.has_focus, self.margin)] if self.titled else []
        entries = self._entries()[self.top : self.top + self.window]
        if not entries:
            told = (("nothing is in the context", "muted"),)
            return [*made, *states.lines(told, width, self.margin)]
        return [*made, *(entry.line for entry in entries)]

    def _entries(self) -> tuple[context.Entry, ...]:
        """The ledger's rows, made once for what they show: cursor and window ask for them again and again."""
        trace, width = self.board.trace, self.size.width
        if trace is None or not width:
            return ()
        wanted = (trace, width, self.window, self.cursor, self.has_focus, self.unfolded, self.margin)
        if self._ledger[0] != wanted:
            rows = context.rows(
                trace.context,
                self.board.chunks(),
                width,
                self.window,
                cursor=self.cursor,
                focused=self.has_focus,
                unfolded=self.unfolded,
                margin=self.margin,
            )
            self._ledger = (wanted, rows)
        return self._ledger[1]


class ResultPart(BoardPane):
    """A pane about the result under the cursor of the list. Its own cursor is the first row in sight."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.result: Result | None = None

    def show_result(self, board: Board, result: Result | None) -> None:
        """Draw another result, or the same one under other settings."""
        self.board, self.result = board, result
        self.follow()
        self.repaint()

    def follow(self) -> None:
        self.cursor = min(self.cursor, self.count - 1)
        self.top = self.cursor


class WhyPane(ResultPart):
    """The result's numbers by channel, and below them the bill of the rerank."""

    SCOPE: ClassVar[str] = "passage"
    TITLE: ClassVar[str] = "Why"
    BINDINGS: ClassVar[list[Any]] = keys_of("passage")

    @property
    def count(self) -> int:
        return max(1, len(self._body()) - self.window + 1)

    def lines(self) -> list[Line]:
        width = self.size.width
        made = [detail.why_title(self.result, width, self.has_focus, self.margin)] if self.titled else []
        return [*made, *self._body()[self.top : self.top + self.window]]

    def _body(self) -> tuple[Line, ...]:
        width, result, trace = self.size.width, self.result, self.board.trace
        if result is None or trace is None or not width:
            return ()
        channels = detail.why(result, trace.retrieval, width, self.margin)
        return (*channels, *bill.rows(result, trace, width, self.margin))


class PassagePane(ResultPart):
    """The result's text, the words of the query marked."""

    SCOPE: ClassVar[str] = "passage"
    TITLE: ClassVar[str] = "Passage"
    BINDINGS: ClassVar[list[Any]] = keys_of("passage")

    @property
    def head(self) -> int:
        return super().head + 1

    @property
    def count(self) -> int:
        passage = self.passage
        return 1 if passage is None else max(1, len(passage.rows) - self.window + 1)

    @property
    def passage(self) -> detail.Passage | None:
        """The text at the present width, laid out once for each result and width."""
        trace = self.board.trace
        if self.result is None or trace is None or not self.size.width:
            return None
        return laid_out(self.result.chunk, trace.recall.terms, self.size.width - self.margin - 2)

    def show_result(self, board: Board, result: Result | None) -> None:
        another = (result and result.chunk.chunk_id) != (self.result and self.result.chunk.chunk_id)
        self.board, self.result = board, result
        passage = self.passage
        if another:
            self.cursor = passage.best(self.window) if passage is not None else 0
        super().show_result(board, result)

    def lines(self) -> list[Line]:
        width, result, passage = self.size.width, self.result, self.passage
        stale = bool(
            result and self.board.trace and result.chunk.document_id in self.board.trace.recall.stale
        )
        chunk = result.chunk if result else None
        made = (
            [detail.passage_title(chunk, width, self.has_focus, self.margin, stale=stale)]
            if self.titled
            else []
        )
        if result is None or passage is None:
            return made
        made.append(detail.passage_place(result.chunk, width, self.margin))
        rows = range(self.cursor, min(len(passage.rows), self.cursor + self.window))
        return [*made, *(passage.line(row, width, self.margin + 1) for row in rows)]


@lru_cache(maxsize=64)
def laid_out(chunk: Chunk, terms: tuple[QueryTerm, ...], width: int) -> detail.Passage:
    """A chunk's text at a width, with the words of the query marked."""
    return detail.lay_out(chunk, matches.marks(chunk.text, terms), width)
