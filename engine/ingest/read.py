"""Read one file below a root: its bytes, and a stamp and hash that are true of exactly those bytes."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import SourceError
from engine.ingest.below import FILE, FOLDER, opened_below, opened_root
from engine.ingest.formats import CORPUS
from engine.ingest.names import name_of
from engine.model import FileStamp

SIZE_LIMIT = 64 << 20
"""Bytes a file may have. Beyond lie dumps and data, which would hold memory for no answer."""

CORPUS_LIMIT = 512 << 20
"""Bytes a ``corpus.jsonl`` may have: it is many documents in one file."""

_BLOCK = 1 << 20
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it was at one moment. ``sha256`` is the hex digest of ``raw``."""

    raw: bytes
    stamp: FileStamp
    sha256: str


class Unreadable(SourceError):
    """A file that cannot be read as it is. ``reason`` says why in a few words, ``path`` which.

    ``refused`` is true where it will never be read: it is too large, or no regular file. Otherwise (no
    permission, gone, changing) what is known of its documents still stands.
    """

    def __init__(self, path: str, reason: str, *, refused: bool = False) -> None:
        super().__init__(f"{path} was not read: {reason}")
        self.path = path
        self.reason = reason
        self.refused = refused


def stamp_of(status: os.stat_result) -> FileStamp:
    return FileStamp(status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)


def stamp_below(root: Path, path: str) -> FileStamp:
    """The stamp of ``path`` as ``read`` would find it, without opening it. Raises ``Unreadable``."""
    folder, _, name = name_of(path).rpartition(b"/")
    try:
        with opened_root(root) as top, opened_below(top, folder, FOLDER) as handle:
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError as error:
        raise Unreadable(path, _reason(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable(path, "not a regular file", refused=True)
    return stamp_of(status)


def read(root: Path, path: str, *, cancel: CancelToken | None = None, limit: int | None = None) -> Content:
    """The bytes of ``path`` (below ``root``, as discovery names it), never through a link.

    What is trusted is the status of the open handle, before and after: a file that changed meanwhile is read
    again, up to three times. Raises ``Unreadable``.
    """
    if limit is None:
        limit = CORPUS_LIMIT if path.rpartition("/")[2] == CORPUS else SIZE_LIMIT
    try:
        with opened_root(root) as top, opened_below(top, name_of(path), FILE) as handle:
            return _stable(handle, path, limit, cancel)
    except OSError as error:
        raise Unreadable(path, _reason(error)) from error


def _stable(handle: int, path: str, limit: int, cancel: CancelToken | None) -> Content:
    for _ in range(_ATTEMPTS):
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise Unreadable(path, "not a regular file", refused=True)
        if before.st_size > limit:
            raise Unreadable(path, f"larger than {limit >> 20} MiB", refused=True)
        raw, digest = _bytes(handle, limit, cancel)
        if stamp_of(os.fstat(handle)) == stamp_of(before) and len(raw) == before.st_size:
            return Content(raw, stamp_of(before), digest)
    raise Unreadable(path, "it changes while it is read")


def _bytes(handle: int, limit: int, cancel: CancelToken | None) -> tuple[bytes, str]:
    """Everything from the start, one byte past the limit at most, and its digest."""
    os.lseek(handle, 0, os.SEEK_SET)
    raw, digest = bytearray(), hashlib.sha256()
    while len(raw) <= limit and (block := os.read(handle, min(_BLOCK, limit + 1 - len(raw)))):
        if cancel is not None:
            cancel.check()
        raw += block
        digest.update(block)
    return bytes(raw), digest.hexdigest()


def _reason(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "a link"
    if error.errno == errno.ENOENT:
        return "gone"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "no permission"
    return error.strerror.lower() if error.strerror else "it cannot be read"
