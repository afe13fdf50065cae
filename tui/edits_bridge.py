"""Edits, as the bridge runs them: each function starts one, and returns the token under which its sentence comes
back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from engine.cancel import CancelToken
from engine.model import Progress
from tui.bridge import Bridge, LibraryLike
from tui.messages import Examining

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.edits.face import Done, Edits
    from engine.edits.intent import Intent
    from engine.library import Library
    from engine.settings import Settings
    from tui.app import RankscopeApp

Edit = Callable[["Edits"], Awaitable["Done"]]
"""One edit; what it came to is told in a sentence."""


def edit(bridge: Bridge, asker: MessagePump, make: Edit) -> CancelToken:
    """Run one edit; the asker gets what it came to, in a sentence."""

    async def work(library: LibraryLike, _: CancelToken) -> str:
        return (await make(library.edits)).sentence

    return bridge.examine(asker, "editing", work)


def effect(
    bridge: Bridge, asker: MessagePump, wanted: Intent, settings: Settings, scopes: tuple[str, ...]
) -> CancelToken:
    """What an edit would do to the library's own set, tried on a copy; the asker gets ``Examining`` on the way, and
    None where there is no set."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        from engine.evaluate import effect as trial
        from engine.evaluate.beside import plan_beside
        from tui.widgets.document_effect import metrics

        served, found = cast("Library", library), None
        asked = metrics(settings.retrieval)
        plan = await served.threaded(
            lambda: plan_beside(served, settings, metrics=asked, scopes=scopes), cancel
        )
        if plan is None:
            return None
        async for step in trial.effect(served, wanted, plan, cancel=cancel):
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        return found

    return bridge.examine(asker, "trying the edit", work)


def history(bridge: Bridge, asker: MessagePump) -> CancelToken:
    """Every step, the latest first, what lies in the bin, and the index that a rollback would let serve."""

    async def work(library: LibraryLike, _: CancelToken) -> object:
        return await library.edits.history(), await library.edits.bin(), await library.upkeep.before()

    return bridge.examine(asker, "reading the history", work)


def done(app: RankscopeApp, told: str) -> None:
    """An edit has ended: say what it did, read the states anew, and embed what waits."""
    if told and app.page is not None:
        app.page.remark(told)
    app.bridge.read_status(app.view.scopes)
    if app.view.writable:
        app.bridge.sync(app.view.scopes)
