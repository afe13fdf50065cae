"""The names of the durable steps: every commit, rename into place and pointer move says that it is done.

Tests hand in a collaborator that kills the process exactly there.
"""

from __future__ import annotations

from typing import Protocol

STEPS: tuple[str, ...] = (
    "library.created",
    "generation.created",
    "alias.recorded",
    "revision.archived",
    "pages.synced",
    "documents.committed",
    "documents.deleted",
    "vectors.committed",
    "segments.merged",
    "cache.committed",
    "edit.appended",
    "edit.applied",
    "generation.checked",
    "generation.held",
    "aside.dropped",
    "pointer.moved",
    "generation.deleted",
)


class Steps(Protocol):
    """Called with the name of a step once it is durable."""

    def __call__(self, step: str, /) -> None: ...


def no_steps(step: str, /) -> None:
    """The collaborator of every ordinary run."""
