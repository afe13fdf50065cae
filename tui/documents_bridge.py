"""What the Documents screen has worked out by the bridge: each function starts one piece of work, and returns the
token under which its answer comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from engine.cancel import CancelToken
from engine.model import Progress
from engine.settings import Chunking
from tui.bridge import Bridge, LibraryLike
from tui.messages import Examining

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.catalogue.evidence import Beside
    from engine.edits.face import Conflict
    from tui.screens.documents_work import Sheet

T = TypeVar("T")


def listed(bridge: Bridge, asker: MessagePump, scopes: tuple[str, ...]) -> CancelToken:
    """The documents, the evidence that lies beside them, and the edits in conflict."""

    async def work(library: LibraryLike, _: CancelToken) -> object:
        from tui.screens import documents_work

        contents = await library.catalogue.documents(scopes=scopes)
        conflicts = await library.edits.conflicts()
        return documents_work.Listed(contents, await library.catalogue.evidence(), conflicts)

    return bridge.examine(asker, "listing the documents", work)


def on_disk(bridge: Bridge, asker: MessagePump, scopes: tuple[str, ...]) -> CancelToken:
    """What a sync would find in the folder."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        return await library.catalogue.on_disk(scopes=scopes, cancel=cancel)

    return bridge.examine(asker, "looking at the folder", work)


def opened(
    bridge: Bridge,
    asker: MessagePump,
    path: str,
    scopes: tuple[str, ...],
    beside: Beside,
    conflicts: Sequence[Conflict],
) -> CancelToken:
    """A document under the cut that serves."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        from tui.screens import documents_work

        found = await library.catalogue.open(path, scopes=scopes, cancel=cancel)
        pieces = beside.pieces.get(path, ())
        return await asyncio.to_thread(documents_work.laid_out, found, pieces, cancel, conflicts)

    return bridge.examine(asker, "opening a document", work)


def recut(bridge: Bridge, asker: MessagePump, sheet: Sheet, chunking: Chunking) -> CancelToken:
    """An open document under another cut."""

    async def work(_: LibraryLike, cancel: CancelToken) -> object:
        from tui.screens import documents_work

        return await asyncio.to_thread(documents_work.recut, sheet, chunking, cancel)

    return bridge.examine(asker, "cutting the document anew", work)


def compared(
    bridge: Bridge, asker: MessagePump, chunking: Chunking, scopes: tuple[str, ...], beside: Beside
) -> CancelToken:
    """The whole library under another cut; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        found: object = None
        steps = library.catalogue.what_if(chunking, beside.pieces, scopes=scopes, cancel=cancel)
        async for step in steps:
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        return found

    return bridge.examine(asker, "cutting the library anew", work)


def health(bridge: Bridge, asker: MessagePump, scopes: tuple[str, ...]) -> CancelToken:
    """The chunks of the library that are likely to serve badly; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        found: object = None
        async for step in library.health.run(scopes=scopes, cancel=cancel):
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        return found

    return bridge.examine(asker, "examining the chunks", work)


def build(bridge: Bridge, chunking: Chunking, scopes: tuple[str, ...], *, hold: bool = False) -> None:
    """Build the library anew under a cut, aside, as the task that runs; it takes over when it is whole, unless it is to
    be held, to be compared first."""
    if bridge.library is not None:
        bridge.library.settings = replace(bridge.library.settings, chunking=chunking)
    if hold:
        bridge.begin(
            "rebuild",
            scopes,
            lambda library, cancel: library.upkeep.rebuild(embed=True, hold=True, cancel=cancel),
        )
    else:
        bridge.sync(scopes, rebuild=True)
