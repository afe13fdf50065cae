"""Work in threads: what it gives, what it raises, and that it never outlives whoever asked for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.threads import left_behind, streamed, threaded


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def until_cancelled(cancel: CancelToken, begun: threading.Event, ended: threading.Event) -> None:
    begun.set()
    try:
        while True:
            cancel.check()
    finally:
        ended.set()


async def test_the_result_and_the_error_of_work_are_its_callers(executor: ThreadPoolExecutor) -> None:
    assert await threaded(executor, lambda: 7, CancelToken()) == 7
    with pytest.raises(ZeroDivisionError):
        await threaded(executor, lambda: 1 // 0, CancelToken())


async def test_a_cancelled_caller_cancels_its_work_and_waits_for_its_end(
    executor: ThreadPoolExecutor,
) -> None:
    begun, ended, token = threading.Event(), threading.Event(), CancelToken()
    task = asyncio.create_task(threaded(executor, lambda: until_cancelled(token, begun, ended), token))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_everything_a_generator_yields_arrives_in_order_and_then_its_error(
    executor: ThreadPoolExecutor,
) -> None:
    def counting() -> Iterator[int]:
        yield from range(1_000)
        raise Cancelled

    seen: list[int] = []

    async def listening() -> None:
        async for number in streamed(executor, counting, CancelToken()):
            seen.append(number)

    with pytest.raises(Cancelled):
        await listening()
    assert seen == list(range(1_000))


async def test_a_stream_that_is_left_early_is_cancelled_and_ends(executor: ThreadPoolExecutor) -> None:
    begun, ended, token = threading.Event(), threading.Event(), CancelToken()

    def endless() -> Iterator[int]:
        yield 1
        until_cancelled(token, begun, ended)

    stream = streamed(executor, endless, token)
    assert await anext(stream) == 1
    await stream.aclose()
    assert token.cancelled
    assert ended.is_set()


async def test_work_that_only_computes_is_left_behind_when_its_caller_leaves() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def computing() -> int:
        begun.set()
        go_on.wait()
        return 7

    caller = asyncio.ensure_future(left_behind(computing))
    await asyncio.to_thread(begun.wait)
    working = next(thread for thread in threading.enumerate() if thread.name == "rankscope-compute")
    assert working.daemon, "the end of the process does not wait for it either"
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go_on.set()
    await asyncio.to_thread(working.join)


async def test_work_that_is_not_left_gives_its_result_and_its_error() -> None:
    assert await left_behind(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await left_behind(lambda: 1 // 0)
