"""What the Documents screen has worked out by the bridge: each function starts one piece of work, and returns the
token under which its answer comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from engine.cancel import CancelToken
from engine.model import Progress
from engine.settings import Chunking
from tui.bridge import Bridge, LibraryLike
from tui.messages import Examining

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.catalogue.evidence import Beside
    from engine.library import Library
    from tui.screens.documents_work import Sheet

T = TypeVar("T")


def listed(bridge: Bridge, asker: MessagePump, scopes: tuple[str, ...]) -> CancelToken:
    """The entries of the list, and the evidence that lies beside the documents."""

    def work(library: Library, _: CancelToken) -> object:
        from tui.screens import documents_work

        return documents_work.entries(library, scopes), documents_work.evidence(library)

    return bridge.examine(asker, "listing the documents", _threaded(work))


def opened(
    bridge: Bridge, asker: MessagePump, path: str, scopes: tuple[str, ...], beside: Beside
) -> CancelToken:
    """A document under the cut that serves."""

    def work(library: Library, cancel: CancelToken) -> object:
        from tui.screens import documents_work

        return documents_work.opened(library, path, scopes, beside, cancel)

    return bridge.examine(asker, "opening a document", _threaded(work))


def recut(bridge: Bridge, asker: MessagePump, sheet: Sheet, chunking: Chunking) -> CancelToken:
    """An open document under another cut."""

    def work(_: Library, cancel: CancelToken) -> object:
        from tui.screens import documents_work

        return documents_work.recut(sheet, chunking, cancel)

    return bridge.examine(asker, "cutting the document anew", _threaded(work))


def compared(
    bridge: Bridge,
    asker: MessagePump,
    chunking: Chunking,
    scopes: tuple[str, ...],
    beside: Beside,
    total: int,
) -> CancelToken:
    """The whole library under another cut; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        from tui.screens import documents_work

        real = cast("Library", library)
        found: object = None
        steps: Any = real.stream(
            lambda: cast("Any", documents_work.compared(real, chunking, scopes, beside, total, cancel)),
            cancel,
        )
        async for step in steps:
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        return found

    return bridge.examine(asker, "cutting the library anew", work)


def build(bridge: Bridge, chunking: Chunking, scopes: tuple[str, ...]) -> None:
    """Build the library anew under a cut, aside, as the task that runs; it takes over when it is whole."""
    library = cast("Library", bridge.library)
    library.settings = replace(library.settings, chunking=chunking)
    bridge.sync(scopes, rebuild=True)


def _threaded(work: Callable[[Library, CancelToken], T]) -> Callable[[LibraryLike, CancelToken], Any]:
    async def threaded(library: LibraryLike, cancel: CancelToken) -> T:
        return await asyncio.to_thread(work, cast("Library", library), cancel)

    return threaded
