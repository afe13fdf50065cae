"""Where an error becomes something that a screen can say: one sentence, a remedy, and the details in the
log.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.errors import RankscopeError
from engine.model import SyncReport
from tui.commands.failure import log
from tui.drafts import Draft
from tui.state import Problem, View

SYNC = "sync"
"""The place of problems that the last sync found; the next one replaces them."""

INDEX = "index"
"""The place of what stopped a sync, or reading the state of the index."""


DRAFT = "draft.open"
"""The action that goes on with an edit which was not saved."""

EDITS = "edits"
"""The place of edits whose text is no longer where it was."""

LIBRARY = "library"
"""The place of problems with the library as a whole, such as another process that writes it."""


def after_sync(problems: Sequence[Problem], report: SyncReport) -> tuple[Problem, ...]:
    """The problems after a sync that went through: what hindered an earlier one is over."""
    kept = tuple(one for one in problems if one.place not in (SYNC, INDEX, LIBRARY))
    return (*kept, *left_out(report))


def with_problem(problems: Sequence[Problem], problem: Problem) -> tuple[Problem, ...]:
    """The problems and one more, in place of an earlier one about the same."""
    return (*(one for one in problems if not problem.place or one.place != problem.place), problem)


def with_conflicts(view: View, count: int) -> View:
    """The view with a problem where edits are in conflict with their files, in place of what was said before."""
    kept = tuple(one for one in view.problems if one.place != EDITS)
    if not count:
        return replace(view, problems=kept)
    told = "an edit is" if count == 1 else f"{count:,} edits are"
    problem = Problem(f"{told} in conflict with the file", "look at both texts", "conflicts.show", EDITS)
    return replace(view, problems=(*kept, problem))


def unsaved(drafts: Iterable[Draft]) -> tuple[Problem, ...]:
    """The edits that were begun and not saved, the latest first."""
    return tuple(
        Problem(f"an edit at L{draft.line} was not saved", "go on with it", DRAFT, draft.path)
        for draft in drafts
    )


def with_unsaved(view: View, drafts: Iterable[Draft]) -> View:
    """The view with these edits as the unsaved ones, in place of those that were told before."""
    kept = tuple(one for one in view.problems if one.action != DRAFT)
    return replace(view, problems=(*kept, *unsaved(drafts)))


def left_out(report: SyncReport) -> tuple[Problem, ...]:
    """What a sync skipped or failed on, one problem a file. An evaluation set is skipped on purpose."""
    from engine.ingest.formats import EVALUATION_SET

    told = [(one, "failed") for one in report.failed]
    told += [(one, "skipped") for one in report.skipped if one.reason != EVALUATION_SET]
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
