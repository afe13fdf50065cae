"""Waiting for the figures of the set, which follow a key in their own time."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot

from tui.app import RankscopeApp

MOST = 500
"""Looks at the screen before a test gives up; each lets everything go on that can."""


async def until(pilot: Pilot[int], condition: Callable[[], object]) -> None:
    """Until a condition holds."""
    for _ in range(MOST):
        if condition():
            await pilot.pause()
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came")


async def scored(app: RankscopeApp, pilot: Pilot[int]) -> None:
    """Until the figures are those of the settings in force, and their differences from A are tested."""
    await pilot.pause()
    await until(pilot, lambda: app.view.evaluation.true and app.view.evaluation.tested)
