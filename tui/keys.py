"""What a key means before it is dispatched: full-width twins, input methods left on, ``alt`` as ``escape``.

Inside a text field every character is text and nothing here applies to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from tui.actions import ascii_twin, key_name
from tui.screens.page import is_text_field

if TYPE_CHECKING:
    from tui.app import RankscopeApp

INPUT_METHOD = "输入法开着：命令键请切到英文 · input method on: commands need Latin letters"


class Keys:
    """Translates keys for one application; remembers whether the last one was of an input method."""

    def __init__(self, app: RankscopeApp) -> None:
        self._app = app

    async def translate(self, event: events.Key) -> events.Key | None:
        """The key to dispatch, or None where it runs nothing."""
        if event.key.startswith("alt+"):
            return await self._without_alt(event)
        if is_text_field(self._app.focused):
            return event
        character = event.character
        if character is None or len(character) != 1 or character <= "\x7f":
            return event
        twin = ascii_twin(character)
        if twin is None:
            return None
        return events.Key("space" if twin == " " else key_name(twin), twin)

    def say_input_method(self) -> None:
        """Say why a composed character ran nothing."""
        if self._app.page is not None:
            self._app.page.remark(INPUT_METHOD, attention=True)

    async def _without_alt(self, event: events.Key) -> events.Key | None:
        """``alt+j`` is how a terminal joins ``escape`` and a quick ``j``: run the one, then go on with the
        other."""
        key = event.key.removeprefix("alt+")
        if event.key in self._app.screen.active_bindings:
            return event
        await self._app._check_bindings("escape")
        return events.Key(key, key if len(key) == 1 else event.character)
