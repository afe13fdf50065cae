"""Runs the engine's asynchronous work from a command: one event loop, and an interrupt that ends in time."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from engine.cancel import CancelToken
from tui.commands.failure import INTERRUPTED

Answer = TypeVar("Answer")

PATIENCE_SECONDS = 1.5
"""How long work may take to notice an interrupt. A library call that does not (loading a model) is then left
behind: every durable step is atomic, so a killed process loses nothing."""


def run(work: Callable[[CancelToken], Awaitable[Answer]]) -> Answer:
    """Run the work to its end. SIGINT and SIGTERM cancel its token; a second one ends the process at once.

    The engine's slow imports come first, outside of the loop, whose signal handlers would wait for them.
    Raises ``Cancelled`` after an interrupt, and whatever the work raises.
    """
    import engine.library  # noqa: F401

    return asyncio.run(_guarded(work))


async def _guarded(work: Callable[[CancelToken], Awaitable[Answer]]) -> Answer:
    cancel = CancelToken()
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if cancel.cancelled:
            os._exit(INTERRUPTED)
        cancel.cancel()
        timer = threading.Timer(PATIENCE_SECONDS, os._exit, (INTERRUPTED,))
        timer.daemon = True
        timer.start()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    return await work(cancel)
