"""The palette: find an action by its words, or set a setting by name and value (``vector 1.4``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult

from engine.errors import SettingsError
from engine.settings.check import check, parse
from engine.settings.fields import FIELDS, Field, shown, value_of
from engine.settings.values import Settings
from tui import cells
from tui.actions import Action, labels
from tui.field import Field as TextField
from tui.screens.panel import Choices, Panel
from tui.text import one_line
from tui.widgets.line import ATTENTION, MUTED, PLAIN, STRONG, Line, fit
from tui.widgets.painted import Painted

NAME, KEYS = 16, 12


@dataclass(frozen=True, slots=True)
class Offer:
    """One row of the palette: an action to run, or a setting with the value that was typed (None: not yet
    one)."""

    action: Action | None = None
    setting: Field | None = None
    text: str | None = None
    wrong: str = ""

    def told(self, settings: Settings) -> str:
        """All that is to be said of it, in one sentence."""
        if self.action is not None:
            return self.action.help
        assert self.setting is not None
        present = shown(self.setting, value_of(settings, self.setting))
        return one_line(self.wrong or f"{self.setting.help}; {present} now, {self.setting.range}")


def offers(typed: str, actions: Sequence[Action], settings: Settings) -> list[Offer]:
    """What fits the words typed: settings given a value first, then actions, then settings by name."""
    words = typed.lower().split()
    found: list[Offer] = []
    if len(words) >= 2:
        name = " ".join(words[:-1])
        named = [known for known in _settable() if _names(known, words[:-1])]
        valued = [(known.label.lower() != name, _valued(known, typed.split()[-1])) for known in named]
        # a setting that is called just so comes first, then those that the value suits
        found += [offer for _, offer in sorted(valued, key=lambda pair: (pair[0], bool(pair[1].wrong)))]
    found += [Offer(action=action) for action in actions if _fits(words, action.id, action.verb, action.help)]
    found += [
        Offer(setting=known) for known in _settable() if _fits(words, known.key, known.label, known.help)
    ]
    return found


def _settable() -> list[Field]:
    return [
        known for known in FIELDS if not known.hidden and known.kind != "mapping" and known.name != "version"
    ]


def _names(known: Field, words: Sequence[str]) -> bool:
    return all(word in f"{known.label} {known.key}".lower() for word in words)


def _fits(words: Sequence[str], *texts: str) -> bool:
    text = " ".join(texts).lower()
    return all(word in text for word in words)


def _valued(known: Field, text: str) -> Offer:
    try:
        check(known, parse(known, text))
    except SettingsError as error:
        return Offer(setting=known, text=text, wrong=str(error))
    return Offer(setting=known, text=text)


def row(offer: Offer, settings: Settings) -> Line:
    """An offer as a row: its keys or value, its name, what it does."""
    if offer.action is not None:
        name, keys = cells.fit(offer.action.verb, NAME), cells.fit(labels(offer.action), KEYS)
        return ((f"{name} ", STRONG), (f"{keys} ", MUTED), (offer.action.help, PLAIN))
    assert offer.setting is not None
    known = offer.setting
    present = shown(known, value_of(settings, known))
    name = cells.fit(known.label, NAME)
    if offer.wrong:
        return ((f"{name} ", STRONG), (one_line(offer.wrong), ATTENTION))
    if offer.text is not None:
        typed = shown(known, parse(known, offer.text))
        return ((f"{name} ", STRONG), (f"{present} → {typed}", PLAIN))
    return ((f"{name} ", STRONG), (f"{one_line(present)}, {known.range}  ", PLAIN), (known.help, MUTED))


class PaletteField(TextField):
    """The palette's text field: ``up`` and ``down`` go through the list below it."""

    SCOPE: ClassVar[str] = "palette"


class PalettePanel(Panel[Offer]):
    """Dismissed with what was chosen."""

    SCOPE: ClassVar[str] = "palette"
    AUTO_FOCUS = "#find"

    def __init__(self, actions: Sequence[Action], settings: Settings, typed: str = "") -> None:
        self.actions, self.settings, self.typed = tuple(actions), settings, typed
        self.offers = offers(typed, self.actions, settings)
        self._whole = Painted(id="whole")
        super().__init__("PALETTE  find an action, or set a value: vector 1.4", self._rows)

    def around(self) -> ComposeResult:
        yield PaletteField(self.typed, id="find")
        yield self._whole

    def on_pane_moved(self) -> None:
        self._draw_whole()

    def fit(self) -> None:
        super().fit()
        self._draw_whole()

    def _draw_whole(self) -> None:
        """The row under the cursor in full, where the list had to cut it."""
        line, room = self._whole, self.width - 2
        wide = self.offers and sum(cells.width(text) for text, _ in self._row_under_cursor()) > room - 2
        told = self.offers[self.list.cursor].told(self.settings) if wide else ""
        rows = [((told[start:end], PLAIN),) for start, end in cells.wrap(told, room)] if told else []
        line.styles.height = len(rows)
        line.display = bool(rows)
        line.paint([fit((("  ", PLAIN), *each), self.width) for each in rows])

    def _row_under_cursor(self) -> Line:
        return self.list.choices[self.list.cursor]

    def on_input_changed(self, message: TextField.Changed) -> None:
        self.offers = offers(message.value, self.actions, self.settings)
        self.list.replace(self._rows(self.width))
        self._draw_whole()

    def on_input_submitted(self, message: TextField.Submitted) -> None:
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

    def _rows(self, width: int) -> list[Line]:
        return [row(offer, self.settings) for offer in self.offers]

    def _choose(self, index: int) -> None:
        if not 0 <= index < len(self.offers):
            return
        offer = self.offers[index]
        if offer.setting is not None and (offer.text is None or offer.wrong):
            field = self.query_one("#find", PaletteField)
            field.value = f"{offer.setting.label} "
            field.cursor_position = len(field.value)
            return
        self.dismiss(offer)
