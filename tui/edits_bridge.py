"""Edits, as the bridge runs them: each function starts one, and returns the token under which its sentence comes
back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from engine.cancel import CancelToken
from tui.bridge import Bridge, LibraryLike

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.edits.face import Done, Edits
    from tui.app import RankscopeApp

Edit = Callable[["Edits"], Awaitable["Done"]]
"""One edit; what it came to is told in a sentence."""


def edit(bridge: Bridge, asker: MessagePump, make: Edit) -> CancelToken:
    """Run one edit; the asker gets what it came to, in a sentence."""

    async def work(library: LibraryLike, _: CancelToken) -> str:
        return (await make(library.edits)).sentence

    return bridge.examine(asker, "editing", work)


def set_text(bridge: Bridge, asker: MessagePump, chunk_id: str, text: str) -> CancelToken:
    return edit(bridge, asker, lambda edits: edits.set_text(chunk_id, text))


def history(bridge: Bridge, asker: MessagePump) -> CancelToken:
    """Every step, the latest first."""

    async def work(library: LibraryLike, _: CancelToken) -> object:
        return await library.edits.history()

    return bridge.examine(asker, "reading the history", work)


def done(app: RankscopeApp, told: str) -> None:
    """An edit has ended: say what it did, read the states anew, and embed what waits."""
    if told and app.page is not None:
        app.page.remark(told)
    app.bridge.read_status(app.view.scopes)
    if app.view.writable:
        app.bridge.sync(app.view.scopes)
