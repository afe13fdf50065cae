"""The query's row: the field, and at its right end whose documents are searched and how long it took."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message

from engine.model import QUERY_LIMIT
from tui import cells, text
from tui.actions import bindings
from tui.field import Field
from tui.widgets import line
from tui.widgets.line import FOCUS, Line
from tui.widgets.painted import Painted

PROMPT = 3
"""Cells of `` › `` before the question."""


class QuestionField(Field):
    """One line of question; ``↑`` and ``↓`` go through the earlier ones."""

    SCOPE: ClassVar[str] = "query"
    TITLE: ClassVar[str] = "Query"
    BINDINGS: ClassVar[list[Any]] = bindings("query")

    class Asked(Message):
        """``enter``: run the question."""

        def __init__(self, question: str) -> None:
            super().__init__()
            self.question = question

    class Recalled(Message):
        """``↑`` or ``↓``: the question before, or after."""

        def __init__(self, back: bool) -> None:
            super().__init__()
            self.back = back

    def __init__(self) -> None:
        super().__init__(limit=QUERY_LIMIT, id="question")

    @property
    def _value(self) -> Text:
        # The toolkit draws the value as it is; ours is sanitised, which keeps its length.
        return Text(text.one_line(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cells.width(text.one_line(self.value[:position]))

    def put(self, question: str) -> int:
        """Hold another question, the cursor at its end; how many code points of it did not fit."""
        kept, lost = text.query_line(question, QUERY_LIMIT)
        self.value = kept
        self.cursor_position = len(kept)
        return lost

    def action_query_run(self) -> None:
        self.post_message(self.Asked(self.value))

    async def action_submit(self) -> None:
        self.action_query_run()

    def action_history_previous(self) -> None:
        self.post_message(self.Recalled(back=True))

    def action_history_next(self) -> None:
        self.post_message(self.Recalled(back=False))


class QuestionLine(Horizontal):
    """The prompt, the field, and the end of the row."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        # held, and not looked up: a state may be read while the row is taken down
        self.field = QuestionField()
        self._prompt, self._end = Painted(id="prompt"), Painted(id="question-end")

    def compose(self) -> ComposeResult:
        yield from (self._prompt, self.field, self._end)

    def show(self, end: Line) -> None:
        """Draw the row's end; the field takes what is left."""
        prompt, tail = self._prompt, self._end
        width = line.measure(end) + 1
        if tail.styles.width is None or tail.styles.width.value != width:
            tail.styles.width = width
            tail.styles.min_width = width
        prompt.paint([((" › ", FOCUS if self.field.has_focus else line.PLAIN),)])
        tail.paint([end])
