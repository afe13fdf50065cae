"""Blocking work beside an event loop: run in a thread, cancelled with its caller, its end waited for.

Work that outlived its caller would use files that are closed by then; what uses none may be left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

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


async def left_behind(work: Callable[[], T]) -> T:
    """What the work returns or raises, for work that only computes and cannot be told to stop: a caller that leaves
    waits for it as little as the end of the process does."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def told(give: Callable[[Any], None], what: object) -> None:
        if not future.done():
            give(what)

    def running() -> None:
        give: Callable[[Any], None] = future.set_result
        what: object
        try:
            what = work()
        except Exception as error:
            give, what = future.set_exception, error
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(told, give, what)

    Thread(target=running, name="rankscope-compute", daemon=True).start()
    return await future


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
