"""Which chunk or text to ask of: type words to find a chunk, or paste the text that should have been found.

The chunks of the present answer are found at once; what it did not recall is looked up by the text channels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult

from engine.cancel import CancelToken
from engine.explain.verdict import ChunkTarget, TextTarget
from engine.model import EDIT_LIMIT, Chunk, Recall
from tui import cells, text
from tui.field import Field
from tui.messages import Examined
from tui.screens.panel import Choices, Panel
from tui.widgets import figures
from tui.widgets.line import MUTED, PLAIN, STRONG, Line

if TYPE_CHECKING:
    from engine.explain.verdict import Target
    from engine.trace import Trace
    from tui.app import RankscopeApp
    from tui.state import View

SHOWN = 60
"""Chunks that are listed at most."""

WORDS = 200
"""Characters up to which what was typed is taken for words to find a chunk by; longer is a text."""

PAUSE = 0.2
"""Seconds without a key before the index is asked."""

CHUNK_ID = re.compile("[A-Za-z2-7]{20}")
RANK = 6


@dataclass(frozen=True, slots=True)
class Offer:
    """A target, and how it is told: the rank that it has now (0: none), where it stands or what it says."""

    target: Target
    rank: int
    place: str
    words: str = ""
    heading: str = ""
    lines: str = ""


def offers(typed: str, trace: Trace | None, found: Sequence[Chunk] = ()) -> list[Offer]:
    """What can be asked of: the text itself first, then chunks of the answer that hold every word typed, then
    ``found`` ones. With nothing typed, the results just below the cut.
    """
    made: list[Offer] = []
    if typed.strip():
        made.append(Offer(TextTarget(typed), 0, "this text, wherever it stands", typed))
    if CHUNK_ID.fullmatch(typed.strip()):
        made.append(Offer(ChunkTarget(typed.strip().lower()), 0, "the chunk with this id"))
    words = typed.lower().split() if len(typed) <= WORDS else None
    here = _ranked(trace, words) if trace is not None and words is not None else []
    made += here[:SHOWN]
    listed = {offer.target for offer in made}
    more = [_offer(chunk, 0) for chunk in found]
    return made + [offer for offer in more if offer.target not in listed][:SHOWN]


def _ranked(trace: Trace, words: Sequence[str]) -> list[Offer]:
    ranking = trace.ranking
    if not words:
        top = int(ranking.top[-1]) + 1 if len(ranking.top) else 0
        return [_offer(ranking.chunk(at), at + 1) for at in range(top, min(len(ranking), top + SHOWN))]
    ranked = set(ranking.order.tolist())
    rest = [at for at in range(len(trace.recall.chunks)) if at not in ranked]
    chunks = [(at + 1, ranking.chunk(at)) for at in range(len(ranking))]
    chunks += [(0, trace.recall.chunks[at]) for at in rest]
    return [_offer(chunk, rank) for rank, chunk in chunks if _holds(chunk, words)]


def _holds(chunk: Chunk, words: Sequence[str]) -> bool:
    held = "\n".join((chunk.path, *chunk.heading_path, chunk.text)).lower()
    return all(word in held for word in words)


def _offer(chunk: Chunk, rank: int) -> Offer:
    heading = chunk.heading_path[-1] if chunk.heading_path else ""
    lines = figures.lines(chunk.line_start, chunk.line_end)
    return Offer(ChunkTarget(chunk.chunk_id), rank, chunk.path, chunk.text[:400], heading, lines)


def row(offer: Offer, width: int) -> Line:
    """Its rank now, its place, and how it begins."""
    rank = figures.ordinal(offer.rank) if offer.rank else figures.MISSING
    room = max(8, width - RANK - 5 - cells.width(offer.lines))
    place = cells.place(text.one_line(offer.place), text.one_line(offer.heading), room)
    words = " ".join(text.spaced(offer.words).split())
    head: Line = ((cells.right(rank, RANK) + "  ", STRONG if offer.rank else MUTED), (place, PLAIN))
    return (*head, (f" {offer.lines}  ", MUTED), (words, MUTED))


class TargetField(Field):
    """Takes as much as a chunk may hold; ``up`` and ``down`` go through the list below it."""

    SCOPE: ClassVar[str] = "palette"


class TargetPanel(Panel["Target"]):
    """Dismissed with the target."""

    SCOPE: ClassVar[str] = "palette"
    AUTO_FOCUS = "#find"

    def __init__(self, view: View) -> None:
        self.view = view
        self.found: tuple[Chunk, ...] = ()
        self.offers = offers("", view.trace)
        self._token: CancelToken | None = None
        self._typed = ""
        super().__init__("WHY NOT  type to find a chunk, or paste a text", self._rows)

    @property
    def workbench(self) -> RankscopeApp:
        return cast("RankscopeApp", self.app)

    def around(self) -> ComposeResult:
        yield TargetField(id="find", limit=EDIT_LIMIT)

    def on_unmount(self) -> None:
        self._stop()

    def on_input_changed(self, message: Field.Changed) -> None:
        self._typed, self.found = message.value, ()
        self._stop()
        self._list()
        typed = message.value
        if typed.strip() and len(typed) <= WORDS:
            self.set_timer(PAUSE, lambda: self._find(typed))

    def _find(self, typed: str) -> None:
        if typed == self._typed and self.is_attached:
            self._token = self.workbench.bridge.find(self, typed, self.view.scopes)

    def on_examined(self, message: Examined) -> None:
        """The chunks that the text channels find by the words, best first."""
        if message.token is not self._token:
            return
        recall = message.answer
        assert isinstance(recall, Recall)
        listed = [row for row, ranks in enumerate(recall.ranks.tolist()) if any(ranks)]
        best = sorted(listed, key=lambda row: min(rank for rank in recall.ranks[row].tolist() if rank))
        self.found = tuple(recall.chunks[row] for row in best[:SHOWN])
        cursor = self.list.cursor
        self._list()
        self.list.move_to(cursor)

    def _stop(self) -> None:
        if self._token is not None:
            self._token.cancel()
            self._token = None

    def _list(self) -> None:
        self.offers = offers(self._typed, self.view.trace, self.found)
        self.list.replace(self._rows(self.width))
        self.fit_height()

    def _rows(self, width: int) -> list[Line]:
        if not self.offers:
            return [(("no chunk to choose yet: type words of it, or paste its text", MUTED),)]
        return [row(offer, width) for offer in self.offers]

    def on_input_submitted(self, message: Field.Submitted) -> None:
        self._choose(self.list.cursor)

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self._choose(message.index)

    def on_key(self, event: events.Key) -> None:
        steps = {"up": -1, "down": 1, "pageup": -self.list.window, "pagedown": self.list.window}.get(
            event.key
        )
        if steps is not None and self.focused is not self.list:
            event.stop()
            self.list.move_to(self.list.cursor + steps)

    def _choose(self, index: int) -> None:
        if index < len(self.offers):
            self.dismiss(self.offers[index].target)
