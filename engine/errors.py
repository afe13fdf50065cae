"""The one tree of errors. Each says what happened, to what, and what to do; a face prints ``str(error)`` as
it is."""

from __future__ import annotations

from collections.abc import Sequence


class RankscopeError(Exception):
    """Something a person can act on.

    ``problem`` says what happened and to what; ``remedy`` says what to do. ``str()`` joins them into one
    sentence.
    """

    exit_code = 1
    details: tuple[str, ...] = ()

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}: {self.remedy}" if self.remedy else self.problem


class UsageError(RankscopeError):
    """The caller asked for something that cannot be: a bad path, an empty query. Exit code 2."""

    exit_code = 2


class SettingsError(UsageError):
    """A value out of range, a misspelt field, a file that is not TOML. Names the field, the value and the
    range."""


class SetError(UsageError):
    """An evaluation set that is not in the format it claims, or whose evidence is not in the library.

    ``details`` lists what does not fit, one line each, for a face to show below the sentence.
    """

    def __init__(self, problem: str, remedy: str = "", details: Sequence[str] = ()) -> None:
        super().__init__(problem, remedy)
        self.details = tuple(details)


class QueryError(UsageError):
    """An empty query, or one beyond 4,000 characters."""


class SourceError(RankscopeError):
    """The folder or a file in it cannot be read."""


class LibraryError(RankscopeError):
    """The index cannot be used as it is."""


class CorruptIndexError(LibraryError):
    """A file of the index is damaged, or is not ours."""


class NewerSchemaError(LibraryError):
    """The index was written by a later version."""


class OlderSchemaError(LibraryError):
    """The index was written by an earlier version, in a way that this one does not read."""


class BusyError(LibraryError):
    """Another process holds the writer's lease or a lock."""


class DiskFullError(LibraryError):
    """A write found no room; nothing of it was kept."""


class EmbedderError(RankscopeError):
    """The embedder could not be loaded, or gave no usable vector."""


class ModelChangedError(EmbedderError):
    """Another model answers under the name of the one that made the library's vectors."""


class EndpointError(RankscopeError):
    """A server that the settings name gave no usable answer.

    ``status`` is that of HTTP, 0 where there was no answer; ``told`` what the server said, printable and
    without the key. ``passing`` is whether the same request may succeed later, after ``retry_after`` seconds
    where the server said so.
    """

    def __init__(
        self,
        problem: str,
        remedy: str = "",
        *,
        status: int = 0,
        told: str = "",
        passing: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(problem, remedy)
        self.status = status
        self.told = told
        self.passing = passing
        self.retry_after = retry_after


class Cancelled(RankscopeError):
    """The caller cancelled. Not a failure; what was durable stays."""

    def __init__(self) -> None:
        super().__init__("cancelled")
