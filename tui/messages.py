"""What the bridge tells the application: past events, each with all that its handler needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from engine.cancel import CancelToken
from tui.state import Problem

if TYPE_CHECKING:
    from engine.library import Status
    from engine.model import Progress, Recall, SyncReport


class LibraryOpened(Message):
    """The library is open; ``first`` says that it held no document yet."""

    def __init__(self, name: str, writable: bool, writer: str, first: bool) -> None:
        super().__init__()
        self.name = name
        self.writable = writable
        self.writer = writer
        self.first = first


class LibraryFailed(Message):
    """The library cannot be opened."""

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem


class StatusRead(Message):
    """Counts and states of the library, as the principal sees them."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


class ProgressMade(Message):
    """A background task went on; None when it ended. At most ten a second."""

    def __init__(self, progress: Progress | None) -> None:
        super().__init__()
        self.progress = progress

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ProgressMade)


class SyncFinished(Message):
    """The folder was read to its end: the text channels serve it as it is."""

    def __init__(self, report: SyncReport) -> None:
        super().__init__()
        self.report = report


class EmbedderLoaded(Message):
    """Queries can be embedded from now on."""


class EmbeddingFinished(Message):
    """No vector is waiting any more, or none can be made."""


class TaskFailed(Message):
    """A background task failed; the library goes on with what it has."""

    def __init__(self, problem: Problem) -> None:
        super().__init__()
        self.problem = problem


class RecallFinished(Message):
    """A query's recall. ``request`` is the number that asking for it gave."""

    def __init__(self, request: int, recall: Recall) -> None:
        super().__init__()
        self.request = request
        self.recall = recall


class Examined(Message):
    """What a pane asked to have worked out. ``token`` is the one that asking for it gave."""

    def __init__(self, token: CancelToken, answer: object) -> None:
        super().__init__()
        self.token = token
        self.answer = answer


class Examining(Message):
    """It goes on. ``token`` is the one that asking for it gave. At most ten a second."""

    def __init__(self, token: CancelToken, progress: Progress) -> None:
        super().__init__()
        self.token = token
        self.progress = progress

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Examining) and message.token is self.token


class ExamineFailed(Message):
    """It could not be worked out, and why. ``token`` is the one that asking for it gave."""

    def __init__(self, token: CancelToken, problem: Problem) -> None:
        super().__init__()
        self.token = token
        self.problem = problem


class RecallFailed(Message):
    """A query gave nothing, and why. ``request`` is the number that asking for it gave."""

    def __init__(self, request: int, problem: Problem) -> None:
        super().__init__()
        self.request = request
        self.problem = problem
