"""The writer's lease: one process writes a library at a time.

It is a lock of the operating system, freed when its holder dies however it dies. What the file says is for
display. An index that may not be written has no lease to take, and a file system that gives no locks gives none:
both are read all the same.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from engine.errors import BusyError, LibraryError
from engine.store.connect import translated
from engine.store.reading import writable

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
"""A lock is emptied before it is written: never through a link to somebody's file."""

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS)


class Lease:
    """Held or not; ``holder`` says by whom."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None
        self._obstacle: LibraryError | None = None

    @property
    def held(self) -> bool:
        return self._handle is not None

    def acquire(self) -> bool:
        """Try to take the lease, without waiting; ``refusal`` says why it was not to be had."""
        if self._handle is not None:
            return True
        self._obstacle = None
        if not writable(self._path):
            self._obstacle = _not_ours(self._path.parent)
            return False
        with translated(self._path):
            handle = os.open(self._path, _FLAGS, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            if error.errno not in _HELD:
                self._obstacle = _no_locks(self._path.parent, error)
            return False
        note = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": time.strftime("%H:%M", time.localtime()),
        }
        with suppress(OSError):
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(note).encode("utf-8"), 0)
        self._handle = handle
        return True

    def taken(self) -> bool:
        """Whether somebody else holds it now; looks, and takes nothing."""
        if self.held:
            return False
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno in _HELD
        finally:
            os.close(handle)
        return False

    def holder(self) -> str:
        """``this process``, or who holds it, for a line on the screen."""
        if self.held:
            return "this process"
        try:
            note = json.loads(self._path.read_bytes()[:500])
            return f"process {int(note['pid'])} since {str(note['since'])[:5]}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

    def refusal(self) -> LibraryError:
        """Why the lease could not be taken: somebody holds it, or nobody can."""
        return self._obstacle or BusyError(
            f"{self.holder()} writes this library", "close it, or wait until it has ended"
        )

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class SharedLock:
    """Says that a generation is in use; ``exclusive`` tells whether nobody else uses it, and then keeps them
    out.

    Where the lock cannot be had (a file that may not be made, a file system without locks) reading goes on without,
    and nothing counts as unused.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "in-use.lock"
        self._locked = False
        with translated(self._path):
            self._handle = self._opened()
        if self._handle >= 0:
            with suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_SH)
                self._locked = True

    def _opened(self) -> int:
        """A descriptor, -1 where there is no lock and none may be made."""
        try:
            return os.open(self._path, _FLAGS, 0o644)
        except OSError as error:
            if error.errno not in _NOT_OURS:
                raise
        try:
            return os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, PermissionError):
            return -1

    def exclusive(self) -> bool:
        if not self._locked:
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def release(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _not_ours(folder: Path) -> LibraryError:
    return LibraryError(
        f"{folder} may be read but not written",
        "check its permissions, or keep an index of your own with --data",
    )


def _no_locks(folder: Path, error: OSError) -> LibraryError:
    return LibraryError(
        f"{folder} gives no locks ({error.strerror}), so it cannot be known who else writes there",
        "keep the index on a local disk with --data",
    )
