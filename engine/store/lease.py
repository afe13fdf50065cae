"""The writer's lease: one process writes a library at a time.

It is a lock of the operating system, freed when its holder dies however it dies. What the file says is for
display.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

from engine.store.connect import translated

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
"""A lock is emptied before it is written: never through a link to somebody's file."""


class Lease:
    """Held or not; ``holder`` says by whom."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        return self._handle is not None

    def acquire(self) -> bool:
        """Try to take the lease, without waiting."""
        if self._handle is not None:
            return True
        with translated(self._path):
            handle = os.open(self._path, _FLAGS, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
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

    def holder(self) -> str:
        """``this process``, or who holds it, for a line on the screen."""
        if self.held:
            return "this process"
        try:
            note = json.loads(self._path.read_bytes()[:500])
            return f"process {int(note['pid'])} since {str(note['since'])[:5]}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class SharedLock:
    """Says that a generation is in use; ``exclusive`` tells whether nobody else uses it, and then keeps them
    out."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "in-use.lock"
        with translated(self._path):
            self._handle = os.open(self._path, _FLAGS, 0o644)
            fcntl.flock(self._handle, fcntl.LOCK_SH)

    def exclusive(self) -> bool:
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def release(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
