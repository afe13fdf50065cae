"""Where an error becomes something that a screen can say: one sentence, a remedy, and the details in the
log.
"""

from __future__ import annotations

from engine.errors import RankscopeError
from engine.model import SyncReport
from tui.commands.failure import log
from tui.state import Problem

SYNC = "sync"
"""The place of problems that the last sync found; the next one replaces them."""


def left_out(report: SyncReport) -> tuple[Problem, ...]:
    """What a sync skipped or failed on, one problem a file."""
    told = [(one, "failed") for one in report.failed] + [(one, "skipped") for one in report.skipped]
    return tuple(Problem(f"{one.path}: {one.reason}, {word}", place=SYNC) for one, word in told)


def problem_of(error: BaseException, doing: str, *, action: str = "", place: str = "") -> Problem:
    """One of our own errors speaks for itself; any other is logged with its traceback, and named.

    ``doing`` says what was tried (``opening the library``), ``action`` is the id of the action that mends it.
    """
    if isinstance(error, RankscopeError):
        return Problem(error.problem, error.remedy, action, place)
    path = log(error)
    return Problem(
        f"{doing}: something unforeseen went wrong ({type(error).__name__})",
        f"the details are in {path}" if path else "the log cannot be written either",
        action,
        place,
    )
