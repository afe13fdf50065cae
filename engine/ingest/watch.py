"""Telling that something below a folder may have changed. What did, a sync finds out by itself: a watch may miss
changes and invent others, so nothing is believed of it but that it is time to look.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import UsageError

QUIET_MS = 400
"""How long a folder has to be at rest before it is looked at: an editor saves in several steps."""

LONGEST_MS = 3_000
"""How long a folder that is never at rest waits to be looked at."""

_CANCEL_MS = 200
_OURS = (".rankscope", ".git")


def require_watching() -> None:
    """Raises ``UsageError`` where the package that watches is not installed."""
    if importlib.util.find_spec("watchfiles") is None:
        raise UsageError(
            "watching a folder needs the package watchfiles, which is not installed",
            "install the extra: pip install 'rankscope[watch]'",
        )


async def changes(root: Path, *, cancel: CancelToken) -> AsyncGenerator[bool, None]:
    """Once at the beginning (true), and then after each time that something changed (false), until cancelled.

    The watch begins before the first, so that nothing which changes while that is acted on is missed. Raises
    ``UsageError`` where watching is not installed.
    """
    require_watching()
    import watchfiles

    stop = asyncio.Event()
    watching = watchfiles.awatch(
        root,
        watch_filter=lambda _, path: not _is_ours(root, path),
        debounce=LONGEST_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=_CANCEL_MS,
        yield_on_timeout=True,
        recursive=True,
    )
    try:
        await anext(watching, None)  # returns at the first timeout: from now on changes are kept
        yield True
        async for found in watching:
            if cancel.cancelled:
                return
            if found:
                yield False
    finally:
        stop.set()
        with suppress(RuntimeError):
            await watching.aclose()


def _is_ours(root: Path, path: str) -> bool:
    """Whether a path lies in an index or a repository's own folder: our own writing must not wake us."""
    try:
        parts = Path(path).relative_to(root).parts
    except ValueError:
        return False
    return any(part in _OURS for part in parts)
