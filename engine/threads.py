"""Blocking work beside an event loop: run in a thread, cancelled with its caller, its end always waited for.

Work that outlived its caller would use files that are closed by then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from typing import TypeVar

from engine.cancel import CancelToken

T = TypeVar("T")


async def threaded(executor: Executor, work: Callable[[], T], cancel: CancelToken) -> T:
    """What the work returns or raises. When the caller is cancelled so is the token, and the work's end is
    waited for."""
    future = asyncio.get_running_loop().run_in_executor(executor, work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        cancel.cancel()
        with suppress(Exception):
            await future
        raise


async def streamed(
    executor: Executor, work: Callable[[], Iterator[T]], cancel: CancelToken
) -> AsyncGenerator[T, None]:
    """What a blocking generator yields, handed on. Closed early, its token is cancelled and its end waited for.

    Hand it on as it is: a generator around it would not close it.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[T] | None] = asyncio.Queue()

    def running() -> None:
        try:
            for item in work():
                loop.call_soon_threadsafe(queue.put_nowait, (item,))
        finally:
            loop.call_soon_threadsafe(queue.put_nowait, None)

    future = loop.run_in_executor(executor, running)
    try:
        while (item := await queue.get()) is not None:
            yield item[0]
        await future
    finally:
        if not future.done():
            cancel.cancel()
            with suppress(Exception):
                await asyncio.shield(future)
