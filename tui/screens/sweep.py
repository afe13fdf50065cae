"""A sweep of the loaded set over the dial and another setting: a heat map to walk in; ``enter`` sets a cell.

What is tried is kept in the library, so a sweep that was cancelled goes on, and one that is asked again is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import ComposeResult
from textual.widget import Widget

from engine.model import Progress
from engine.settings.fields import BY_KEY, Field
from tui import evaluate_bridge as work
from tui import tasks
from tui.actions import bindings
from tui.evaluation import short
from tui.messages import Examined, ExamineFailed, Examining
from tui.screens.asking import Asking
from tui.screens.page import Page
from tui.screens.panel import Choices, Panel
from tui.screens.search_panes import keys_of
from tui.text import one_line
from tui.widgets import sweep_map
from tui.widgets.line import ATTENTION, FOCUS, MUTED, PLAIN, STRONG, Line, fit
from tui.widgets.pane import Pane
from tui.widgets.sweep_map import Map
from tui.widgets.tune import DIALS, label

if TYPE_CHECKING:
    from engine.evaluate.sweep import Swept

CUTS = ("chunking.mode", "chunking.target_characters")
"""Settings of the cut that can be swept: each value is built aside, and the library serves on as it is."""


class AxesPanel(Panel[tuple[Field, ...]]):
    """Which setting is swept together with the dial; dismissed with both."""

    def __init__(self, dial: Field, by: str) -> None:
        self.dial = dial
        others = [BY_KEY[f"retrieval.{name}"] for name in DIALS if name != dial.name]
        self.offers: list[tuple[Field, ...]] = [
            (dial,), *((dial, other) for other in others), *((BY_KEY[key],) for key in CUTS),
            *((BY_KEY[key], dial) for key in CUTS),
        ]  # fmt: skip
        super().__init__(
            f"SWEEP {short(by)}  enter sweeps", lambda _: [self._row(axes) for axes in self.offers]
        )

    def _row(self, axes: Sequence[Field]) -> Line:
        count = 1
        for axis in axes:
            count *= len(sweep_map.values(axis, axis.default))
        named = " × ".join(_named(axis) for axis in axes)
        aside = ", each cut built aside" if any(axis.section == "chunking" for axis in axes) else ""
        return ((f"{named}  ", PLAIN), (f"about {count:,} settings{aside}", MUTED))

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        self.dismiss(self.offers[message.index])


def _named(field: Field) -> str:
    return label(field.name) if field.section == "retrieval" else f"chunking {field.label or field.name}"


class MapPane(Pane):
    """The map. Its cursor is the row, ``column`` the place across."""

    SCOPE: ClassVar[str] = "sweep"
    TITLE: ClassVar[str] = "Sweep"
    BINDINGS: ClassVar[list[Any]] = keys_of("sweep")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.laid: Map | None = None
        self.column = 0
        self.told: tuple[str, bool] = ("", False)

    @property
    def head(self) -> int:
        return 3

    @property
    def count(self) -> int:
        return 0 if self.laid is None else len(self.laid.down)

    @property
    def place(self) -> tuple[int, int]:
        return self.cursor, self.column

    def show(self, laid: Map | None, told: tuple[str, bool] = ("", False)) -> None:
        """Draw a map, the cursor on its best cell; or what is said in place of one."""
        self.laid, self.told = laid, told
        if laid is not None:
            self.cursor, self.column = laid.best
            self.follow()
        self.repaint()

    def move_across(self, step: int) -> None:
        if self.laid is not None:
            self.column = min(max(0, self.column + step), len(self.laid.across) - 1)
            self.repaint()
            self.post_message(self.Moved(self))

    @property
    def first(self) -> int:
        """The first column in sight."""
        if self.laid is None:
            return 0
        seen = sweep_map.columns(self.laid, self.size.width)
        return min(max(0, self.column - seen + 1), max(0, len(self.laid.across) - seen))

    def lines(self) -> list[Line]:
        width = self.size.width
        if self.laid is None:
            head: Line = (("▸", FOCUS), ("SWEEP", f"{STRONG} {FOCUS}"))
            told = (f" {self.told[0]}", ATTENTION if self.told[1] else MUTED)
            return [fit(head, width), fit((told,), width)]
        laid, first = self.laid, self.first
        made = [
            sweep_map.title(laid.swept, width, self.has_focus),
            fit((), width),
            sweep_map.heads(laid, width, first),
        ]
        made += [
            sweep_map.row(laid, place, width, first, self.place, self.has_focus)
            for place in range(self.top, min(self.count, self.top + self.window))
        ]
        return [*made, fit((), width), *sweep_map.verdict(laid.swept, width)]

    @property
    def window(self) -> int:
        below = 0 if self.laid is None else 1 + len(sweep_map.verdict(self.laid.swept, self.size.width or 80))
        return max(1, self.size.height - self.head - below)


class SweepPage(Page):
    """Sweeps these settings, and shows what came out."""

    NAME: ClassVar[str] = "Evaluate"
    SCOPE: ClassVar[str] = "sweeping"
    AUTO_FOCUS = "#sweep"
    BINDINGS: ClassVar[list[Any]] = bindings("sweeping")

    def __init__(self, axes: Sequence[Field], by: str) -> None:
        super().__init__()
        self.axes = tuple(axes)
        self.by = by
        self.map = MapPane(id="sweep")
        self._asking = Asking()

    def body(self) -> ComposeResult:
        yield self.map

    def main_pane(self) -> Widget | None:
        return self.map

    def on_mount(self) -> None:
        self._sweep()

    def on_unmount(self) -> None:
        self._asking.cancel_all()

    def _sweep(self) -> None:
        app = self.workbench
        loaded = app.view.evaluation.loaded
        if loaded is None or loaded.live is None:
            self.map.show(None, ("there is no set to sweep: enter on METRICS chooses one", True))
            return
        self.map.show(None, ("trying settings; esc stops, and what is tried is kept", False))
        settings = app.view.settings
        self._asking.begin(
            "sweep", lambda: work.sweep(app.bridge, self, loaded, settings, self.axes, self.by)
        )

    # --- what comes back ---

    def on_examining(self, message: Examining) -> None:
        if self._asking.purpose_of(message.token) == "sweep":
            self.map.show(None, (_progress(message.progress), False))

    def on_examined(self, message: Examined) -> None:
        if self._asking.ended(message.token) == "sweep":
            self.map.show(sweep_map.lay_out(cast("Swept", message.answer)))
            self._explain()

    def on_examine_failed(self, message: ExamineFailed) -> None:
        if self._asking.ended(message.token) is not None:
            told = ": ".join(filter(None, (message.problem.sentence, message.problem.remedy)))
            self.map.show(None, (one_line(told), True))

    # --- keys ---

    def on_pane_moved(self, message: Pane.Moved) -> None:
        self._explain()

    def _explain(self) -> None:
        laid = self.map.laid
        self.explain("" if laid is None else sweep_map.sentence(laid, self.map.place))

    def action_column_left(self) -> None:
        self.map.move_across(-1)

    def action_column_right(self) -> None:
        self.map.move_across(1)

    def action_sweep_again(self) -> None:
        self._sweep()

    def action_change_apply(self) -> None:
        """Set the cell under the cursor; a cut is set as on Documents, and waits for a build."""
        laid = self.map.laid
        cell = laid.cell(*self.map.place) if laid is not None else None
        if cell is None:
            self.remark("there is nothing to set here")
            return
        pairs = list(zip(self.axes, cell.point, strict=True))
        self.workbench.apply({field.name: value for field, value in pairs if field.section == "retrieval"})
        for field, value in pairs:
            if field.section != "retrieval":
                self.workbench.assign(field, str(value))

    def fit_panes(self) -> None:
        self.map.repaint()


def _progress(progress: Progress) -> str:
    told = tasks.sentence(progress)
    return f"{told}; {one_line(progress.detail)}" if progress.detail else told
