"""The Settings screen: one form, made from the schema. Value, range, default, and where each value comes
from."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult

from engine.settings.fields import FIELDS, Field, shown, value_of
from tui import cells
from tui.actions import bindings
from tui.field import Field as TextField
from tui.screens.page import Page
from tui.state import View, differs
from tui.text import one_line
from tui.widgets.line import FOCUS, MUTED, PLAIN, STRONG, Line, fit
from tui.widgets.pane import Pane

SHOWN: tuple[Field, ...] = tuple(known for known in FIELDS if not known.hidden and known.name != "version")
LAYERS = {"file": "--settings", "command line": "--set"}
NAME, VALUE, DEFAULT, ORIGIN = 24, 14, 12, 12
NARROW_NAME = 20


def columns(width: int) -> tuple[int, bool, bool, bool]:
    """Cells for the name, and whether there is room for origin, default and range; they go in this order from
    the right."""
    return (NAME if width >= 60 else NARROW_NAME), width >= 56, width >= 76, width >= 100


def origin(view: View, known: Field) -> str:
    """Where the value in force comes from."""
    if differs(view, known):
        return "turned"
    layer = view.origins[known.key].layer if known.key in view.origins else "default"
    return LAYERS.get(layer, layer)


def row(view: View, known: Field, width: int, *, cursor: bool, focused: bool, hit: bool) -> Line:
    """One setting; from the right, the range goes first where the width is short, then the default."""
    changed = differs(view, known)
    name, origins, defaults, ranges = columns(width)
    mark = ("▸" if focused else "▹") if cursor else " "
    style = "underline" if hit else ""
    value = one_line(shown(known, value_of(view.settings, known)))
    line: list[tuple[str, str]] = [
        (mark, FOCUS),
        ("*" if changed else " ", STRONG),
        (cells.fit(known.label or known.name, name), f"{style} {FOCUS} {STRONG}" if cursor else style),
        (cells.right(value, VALUE), STRONG if changed else PLAIN),
    ]
    if origins:
        line.append(("  " + cells.fit(origin(view, known), ORIGIN), PLAIN))
    if defaults:
        line.append((cells.right(one_line(shown(known, known.default)), DEFAULT), MUTED))
    if ranges:
        line.append(("  " + known.range, MUTED))
    return fit(tuple(line), width)


class FieldsPane(Pane):
    """Every setting by section. The cursor stands on settings only; a section's name is a row of its own."""

    SCOPE: ClassVar[str] = "fields"
    BINDINGS: ClassVar[list[Any]] = bindings("fields")

    def __init__(self) -> None:
        super().__init__(id="fields")
        self.found = ""
        self._layout: list[Field | str] = []
        for known in SHOWN:
            title = known.section or "general"
            if title not in self._layout:
                self._layout.append(title)
            self._layout.append(known)
        self._places = {known.key: at for at, known in enumerate(self._layout) if isinstance(known, Field)}

    @property
    def count(self) -> int:
        return len(SHOWN)

    @property
    def rows(self) -> int:
        return len(self._layout)

    def row_of(self, cursor: int) -> int:
        at = self._places[SHOWN[cursor].key]
        return 0 if cursor == 0 else at

    @property
    def known(self) -> Field:
        """The setting under the cursor."""
        return SHOWN[self.cursor]

    def lines(self) -> list[Line]:
        view, width = self.workbench_view, self.size.width
        made = [_head(width, self.has_focus)]
        for item in self._layout[self.top : self.top + self.window]:
            if isinstance(item, str):
                made.append(fit(((f"  {item.replace('_', ' ')}", MUTED),), width))
            else:
                at = item is self.known
                hit = bool(self.found) and matches(item, self.found)
                made.append(row(view, item, width, cursor=at, focused=self.has_focus, hit=hit))
        return made

    @property
    def page(self) -> SettingsScreen:
        assert isinstance(self.screen, SettingsScreen)
        return self.screen

    @property
    def workbench_view(self) -> View:
        return self.page.workbench.view

    def find(self, text: str, step: int = 1, *, here: bool = False) -> bool:
        """Move to the next setting whose name or help holds the text; whether there is one."""
        self.found = text.strip().lower()
        order = [
            (self.cursor + step * distance) % self.count
            for distance in range(0 if here else 1, self.count + 1)
        ]
        at = next((number for number in order if self.found and matches(SHOWN[number], self.found)), None)
        self.move_to(self.cursor if at is None else at)
        return at is not None

    def action_dial_up(self) -> None:
        self.page.workbench.turn(1, known=self.known)

    def action_dial_down(self) -> None:
        self.page.workbench.turn(-1, known=self.known)

    def action_dial_big_up(self) -> None:
        self.page.workbench.turn(1, big=True, known=self.known)

    def action_dial_big_down(self) -> None:
        self.page.workbench.turn(-1, big=True, known=self.known)

    def action_dial_reset(self) -> None:
        self.page.workbench.reset(self.known)

    action_turn_right = action_dial_up
    action_turn_left = action_dial_down

    def action_value_edit(self) -> None:
        self.page.type_value(self.known)


class SettingsScreen(Page):
    """The form, and under it a text field for what is sought or typed."""

    NAME: ClassVar[str] = "Settings"
    SCOPE: ClassVar[str] = "settings"
    BINDINGS: ClassVar[list[Any]] = bindings("settings")
    AUTO_FOCUS = "#fields"

    def __init__(self) -> None:
        super().__init__()
        self.fields = FieldsPane()
        self.field = TextField(id="value")
        self._typing: Field | None = None

    def body(self) -> ComposeResult:
        yield self.fields
        yield self.field

    def on_mount(self) -> None:
        self.field.display = False
        super().on_mount()
        self._explain()

    def show(self, view: View) -> None:
        self.fields.repaint()
        self._explain()

    def on_pane_moved(self, message: Pane.Moved) -> None:
        self._explain()

    def main_pane(self) -> FieldsPane:
        return self.fields

    def back(self) -> bool:
        return False

    def _explain(self) -> None:
        known = self.fields.known
        waits = known.section in ("chunking", "embedding") and differs(self.workbench.view, known)
        tail = "; changed, waiting for a rebuild" if waits else ""
        self.explain(f"{known.key}: {known.help} {known.range}; default {shown(known, known.default)}{tail}")

    # --- the text field: seeking, or typing a value ---

    def action_settings_find(self) -> None:
        self._typing = None
        self._open_field(self.fields.found, "find")

    def type_value(self, known: Field) -> None:
        """Let a value be typed; a table is edited in its file."""
        if known.kind == "mapping":
            self.remark(f"{known.label} is a table: edit it in the settings file")
            return
        self._typing = known
        value = value_of(self.workbench.view.settings, known)
        self._open_field(str(value).lower() if isinstance(value, bool) else str(value), known.label)

    def _open_field(self, text: str, name: str) -> None:
        self.field.placeholder = name
        self.field.display = True
        self.field.value = text
        self.field.cursor_position = len(text)
        self.set_focus(self.field)

    def on_input_changed(self, message: TextField.Changed) -> None:
        if self._typing is None and self.focused is self.field:
            self.fields.find(message.value, here=True)

    def on_input_submitted(self, message: TextField.Submitted) -> None:
        if self._typing is not None:
            wrong = self.workbench.assign(self._typing, message.value)
            if wrong:
                self.remark(wrong, attention=True)
                return
        elif not self.fields.find(message.value, here=True):
            self.remark(f"no setting has {message.value!r} in its name or help")
        self.set_focus(self.fields)

    def on_descendant_blur(self) -> None:
        if self.focused is not self.field:
            self.field.display = False

    def action_mark_next(self) -> None:
        self.fields.find(self.fields.found)

    def action_mark_previous(self) -> None:
        self.fields.find(self.fields.found, -1)


def matches(known: Field, text: str) -> bool:
    """Whether a setting's name, label or help holds the text (lower case)."""
    return text in f"{known.key} {known.label} {known.help}".lower()


def _head(width: int, focused: bool) -> Line:
    name, origins, defaults, ranges = columns(width)
    line: list[tuple[str, str]] = [
        ("▸" if focused else " ", FOCUS),
        (cells.fit("SETTINGS", name + 1), f"{STRONG} {FOCUS}" if focused else STRONG),
        (cells.right("value", VALUE), MUTED),
    ]
    if origins:
        line.append(("  " + cells.fit("from", ORIGIN), MUTED))
    if defaults:
        line.append((cells.right("default", DEFAULT), MUTED))
    if ranges:
        line.append(("  range", MUTED))
    return fit(tuple(line), width)
