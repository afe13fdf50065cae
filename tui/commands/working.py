"""Running one task on a library that has an index, with its progress on one line of standard error."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

from tui.commands.options import Opening, is_terminal

if TYPE_CHECKING:
    from engine.library import Library
    from engine.model import Progress
    from tui.commands.index import Outcome

Task = Callable[["Library"], "AsyncGenerator[Progress, None]"]


async def opened(opening: Opening) -> Library:
    """The library of a folder that has an index. Raises ``LibraryError`` where it has none."""
    from engine.library import Library

    return await Library.open(
        opening.root, settings=opening.resolved.settings, data=opening.data, create=False
    )


async def worked(opening: Opening, task: Task) -> Outcome:
    """Run a task to its end; what it did, and what serves now."""
    library = await opened(opening)
    try:
        return await done(library, opening, task)
    finally:
        await library.close()


async def done(library: Library, opening: Opening, task: Task) -> Outcome:
    """The same on a library that is open, and stays so."""
    from engine.model import OWNER
    from tui.commands.index import Outcome
    from tui.commands.output import ProgressLine

    line, began = ProgressLine(shown=is_terminal(2)), time.perf_counter()
    try:
        async for progress in task(library):
            line.show(progress)
    finally:
        line.clear()
    status = await library.status(scopes=(OWNER,))
    return Outcome(str(opening.root), library.report, status, time.perf_counter() - began)
