"""Background work waits while a key is handled, and no longer; a held key does not stop it."""

from __future__ import annotations

import threading
import time

import pytest

from engine.errors import Cancelled
from tui.giving_way import PAUSE_SECONDS, WORK_SECONDS, GivingWay, Keys


class Clock:
    """A clock that a test turns; waiting turns it, too."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waited: list[float] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds


def token(clock: Clock) -> tuple[Keys, GivingWay]:
    keys = Keys(clock)
    made = GivingWay(keys, clock)
    made._stopped.wait = clock.wait  # type: ignore[method-assign,assignment]
    return keys, made


def test_without_a_key_it_waits_for_nothing() -> None:
    clock = Clock()
    _, made = token(clock)
    made.check()
    assert clock.waited == []


def test_after_a_key_it_waits_once_and_goes_on() -> None:
    clock = Clock()
    keys, made = token(clock)
    keys.pressed()
    clock.now += 0.01
    for _ in range(5):
        made.check()
    assert clock.waited == [pytest.approx(PAUSE_SECONDS - 0.01)]


def test_a_held_key_leaves_it_a_part_of_the_time() -> None:
    clock = Clock()
    keys, made = token(clock)
    began, worked = clock.now, 0.0
    while clock.now - began < 2.0:
        keys.pressed()
        before = clock.now
        made.check()
        assert clock.now - before <= PAUSE_SECONDS + 1e-9
        clock.now += 0.005
        worked += 0.005
    assert worked / (clock.now - began) > WORK_SECONDS / (WORK_SECONDS + PAUSE_SECONDS) - 0.05


def test_cancelled_it_waits_no_longer() -> None:
    keys = Keys(lambda: time.monotonic() + 1_000)
    made = GivingWay(keys)
    keys.pressed()
    ended = threading.Event()

    def work() -> None:
        try:
            while True:
                made.check()
        except Cancelled:
            ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    made.cancel()
    thread.join(timeout=30)
    assert ended.is_set()
