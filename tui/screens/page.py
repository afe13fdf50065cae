"""A page: what every screen of the workbench has around its panes. A screen gives its panes and its scope.

How to build one: subclass ``Page``, set ``NAME``, ``SCOPE`` and ``BINDINGS = bindings(SCOPE)``, yield the
panes from ``body``. A pane is a focusable widget with a ``SCOPE`` (its keys) and, if it likes, a ``TITLE``.
Override ``show`` to follow the view, ``fit_panes`` for zoom and size, ``back`` to close what is open,
``take_paste`` for pasted text. A pane says what has its cursor by ``page.explain(sentence)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from tui import bars
from tui.actions import Action, available
from tui.registry import SCOPES
from tui.state import View
from tui.widgets.line import ATTENTION, Line, fit
from tui.widgets.painted import Painted

if TYPE_CHECKING:
    from tui.app import RankscopeApp

LEAST = (40, 15)
"""Columns and rows below which there is only a sentence."""


class Page(Screen[None]):
    """Title and state, the panes of ``body``, problems, the sentence of the focus, keys."""

    NAME: ClassVar[str] = ""
    SCOPE: ClassVar[str] = ""
    AUTO_FOCUS = ""
    # the toolkit paints the whole screen again when the focus moves; here the panes themselves show who has it
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-under-40"), (40, "-narrow"), (80, "-normal"), (120, "-medium"), (140, "-wide"),
    ]  # fmt: skip
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-under-15"), (15, "-low"), (18, "-short"), (24, "-tall"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.zoomed: Widget | None = None
        self._explanation = ""
        self._note = ""
        self._attention = False
        self.ready = False
        # held, and not looked up: a page is still told of a size or a focus while its parts are taken down
        self._title_row, self._problems_row = Painted(id="title"), Painted(id="problems")
        self._sentence_row, self._keys_row = Painted(id="sentence"), Painted(id="keys")
        self._too_small_row = Painted(id="too-small")

    # --- what a screen gives ---

    def body(self) -> ComposeResult:
        """The panes."""
        yield from ()

    def show(self, view: View) -> None:
        """The view changed."""

    def fit_panes(self) -> None:
        """The size or ``zoomed`` changed."""

    def back(self) -> bool:
        """Close what is open on this screen, if anything is; whether something was."""
        return False

    def undo(self) -> bool:
        """Take back the last change of this screen that is no setting's, if that came last; whether it did."""
        return False

    def take_paste(self, text: str) -> None:
        """A text was pasted while no text field had the focus. It never runs as keys."""

    def main_pane(self) -> Widget | None:
        """The pane that gets the focus when a text field is left."""
        return next((pane for pane in self.panes() if not is_text_field(pane)), None)

    # --- what it has ---

    @property
    def workbench(self) -> RankscopeApp:
        return cast("RankscopeApp", self.app)

    def panes(self) -> list[Widget]:
        """Everything that can have the focus and has a scope, in the order of ``tab``."""
        return [node for node in self.focus_chain if getattr(node, "SCOPE", "")]

    @property
    def scope(self) -> str:
        """The innermost scope now: that of the focused pane, else the page's."""
        return getattr(self.focused, "SCOPE", "") or self.SCOPE

    def actions(self) -> tuple[Action, ...]:
        """Every action that works now, with the keys that it has here."""
        return available(self.workbench.actions, SCOPES, self.scope)

    def explain(self, sentence: str) -> None:
        """Say in the line above the keys what has the focus; a note about the last key stands before it."""
        self._explanation = sentence
        self._draw_sentence()

    def remark(self, sentence: str, *, attention: bool = False) -> None:
        """Say what was just done, or could not be, until the next key."""
        self._note, self._attention = sentence, attention
        self._draw_sentence()

    def toggle_zoom(self) -> None:
        """The focused pane alone, or all of them again."""
        self.zoomed = None if self.zoomed is not None else self.focused
        self.fit_panes()

    # --- the frame ---

    def compose(self) -> ComposeResult:
        yield self._title_row
        with Container(id="body"):
            yield from self.body()
        yield from (self._problems_row, self._sentence_row, self._keys_row, self._too_small_row)

    def on_mount(self) -> None:
        self.ready = True
        self.follow(self.workbench.view)

    def on_screen_resume(self) -> None:
        self.follow(self.workbench.view)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._resized)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._draw_keys()

    def _resized(self) -> None:
        self.fit_panes()
        self.follow(self.workbench.view)
        self._draw_keys()
        self._draw_sentence()
        self._too_small_row.paint(_too_small(self.size.width, self.size.height))

    def follow(self, view: View) -> None:
        """Show this view: the frame here, the panes by ``show``."""
        self._title_row.paint([self.title_line()])
        self._problems_row.paint([bars.problems(view, self._problems_row.size.width)])
        if view.note:
            self.remark(view.note)
        self.show(view)

    def title_line(self) -> Line:
        """The first row: library, screens, state."""
        return bars.title(self.workbench.view, self.workbench.screens, self.NAME, self.size.width)

    @property
    def told(self) -> str:
        """What the line above the keys says, in full."""
        return self._note or self._explanation

    def _draw_sentence(self) -> None:
        attention = self._attention and bool(self._note)
        self._sentence_row.paint(
            [bars.sentence(self.told, self._sentence_row.size.width, attention=attention)]
        )

    def _draw_keys(self) -> None:
        self._keys_row.paint([bars.keys(self.actions(), self._keys_row.size.width)])

    def action_draft_open(self) -> None:
        from tui.screens import panels  # which imports this module

        panels.open_draft(self.workbench)

    def action_conflicts_show(self) -> None:
        from tui.screens import panels  # which imports this module

        panels.open_conflicts(self.workbench)

    def action_health_show(self) -> None:
        from tui.screens import panels  # which imports this module

        panels.open_health(self.workbench)

    # --- the dial, which every page with settings turns ---

    def action_dial_next(self) -> None:
        self.workbench.choose_dial(1)

    def action_dial_previous(self) -> None:
        self.workbench.choose_dial(-1)

    def action_dial_up(self) -> None:
        self.workbench.turn(1)

    def action_dial_down(self) -> None:
        self.workbench.turn(-1)

    def action_dial_big_up(self) -> None:
        self.workbench.turn(1, big=True)

    def action_dial_big_down(self) -> None:
        self.workbench.turn(-1, big=True)

    def action_dial_reset(self) -> None:
        self.workbench.reset()

    def action_dial_mute(self) -> None:
        self.workbench.mute()


def is_text_field(widget: Widget | None) -> bool:
    """Whether letters are text while this has the focus."""
    return widget is not None and widget.check_consume_key("a", "a")


def _too_small(width: int, height: int) -> list[Line]:
    from tui import cells

    told = f"Rankscope needs {LEAST[0]} × {LEAST[1]} cells; this terminal has {width} × {height}."
    return [fit(((told[start:end], ATTENTION),), width) for start, end in cells.wrap(told, width, height)]
