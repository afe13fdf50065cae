"""What the Tasks screen has worked out by the bridge: each function starts one piece of work, and returns the token
under which its answer comes back; or it begins a task, which reports as a sync does."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from engine.cancel import CancelToken
from engine.model import Progress
from tui.bridge import Bridge, LibraryLike
from tui.messages import Examining

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.library import Library
    from engine.settings import Settings

LISTED = 200
"""Tasks that are listed, the latest."""


def listed(bridge: Bridge, asker: MessagePump) -> CancelToken:
    """The last tasks, what lies aside, and what a rollback would let serve."""

    async def work(library: LibraryLike, _: CancelToken) -> object:
        upkeep = library.upkeep
        return await upkeep.tasks(LISTED), await upkeep.aside(), await upkeep.before()

    return bridge.examine(asker, "listing the tasks", work)


def difference(
    bridge: Bridge, asker: MessagePump, settings: Settings, scopes: tuple[str, ...]
) -> CancelToken:
    """What would change if what lies aside served; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        from engine.evaluate.beside import plan_beside
        from engine.evaluate.difference import difference as compared

        held, found = cast("Library", library), None
        plan = await held.threaded(lambda: plan_beside(held, settings, scopes=scopes), cancel)
        async for step in compared(held, plan, scopes=scopes, cancel=cancel):
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        return found

    return bridge.examine(asker, "comparing the rebuild", work)


def drop(bridge: Bridge, asker: MessagePump) -> CancelToken:
    """Give up what lies aside."""

    async def work(library: LibraryLike, _: CancelToken) -> object:
        return await library.upkeep.drop()

    return bridge.examine(asker, "dropping the rebuild", work)


def resume(bridge: Bridge, scopes: tuple[str, ...]) -> None:
    """Finish what lies aside, and let it serve."""
    bridge.begin("rebuild", scopes, lambda library, cancel: library.upkeep.resume(embed=False, cancel=cancel))


def take_over(bridge: Bridge, scopes: tuple[str, ...]) -> None:
    """Let serve what is finished aside."""
    bridge.begin(
        "take over", scopes, lambda library, cancel: library.upkeep.take_over(embed=False, cancel=cancel)
    )


def roll_back(bridge: Bridge, scopes: tuple[str, ...]) -> None:
    """Let the index serve again that served before."""
    bridge.begin(
        "rollback", scopes, lambda library, cancel: library.upkeep.roll_back(embed=False, cancel=cancel)
    )
