"""Page files: fixed-size pages of float32 rows in an append-only file. Bytes only; what they mean is in
SQLite.

A page holds about 3 MiB: large enough that a read costs its bytes, small enough that two of them and the
query stay in a cache, and that a scan can stop between two (about 1 ms). Rows are unit vectors,
little-endian. A page's checksum is the CRC-32 of its rows so far, so that an append extends it; bytes past
the rows that SQLite counts do not exist.

Pages are read with ``preadv`` into the caller's buffer, not mapped: a file that is cut short or a disk that
fails under a mapping kills the process, where a read says so; two threads read as fast either way.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

ROW = np.dtype("<f4")
PAGE_BYTES = 3 << 20
_NEW = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Never through a link, and never waiting on a pipe: what lies in the folder is input like any other."""


_sync_data = getattr(os, "fdatasync", os.fsync)
"""macOS has only the latter."""


def page_rows(dimensions: int) -> int:
    """How many vectors of this length a page holds."""
    return max(1, PAGE_BYTES // (dimensions * ROW.itemsize))


def extended(checksum: int, rows: Rows) -> int:
    """The checksum of a page to which these rows are added; 0 is that of an empty one."""
    return zlib.crc32(np.ascontiguousarray(rows, dtype=ROW).data.cast("B"), checksum)


def append_rows(path: Path, slot: int, rows: Rows) -> None:
    """Write rows at a slot, over whatever an append that was never committed left there, and sync them.

    Slot 0 makes the file anew. Raises ``OSError``; ``FileNotFoundError`` also where the file is shorter than
    the slot.
    """
    offset = slot * rows.shape[1] * ROW.itemsize
    descriptor = os.open(path, _OLD if slot else _NEW, 0o644)
    try:
        if os.fstat(descriptor).st_size < offset:
            raise FileNotFoundError(errno.ENOENT, "shorter than what it should hold", str(path))
        left = np.ascontiguousarray(rows, dtype=ROW).data.cast("B")
        while left:
            written = os.pwrite(descriptor, left, offset)
            left, offset = left[written:], offset + written
        _sync_data(descriptor)
    finally:
        os.close(descriptor)
    if slot == 0:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class PageFile:
    """An open page file, to read from any number of threads. Use it as a context; a missing file reads as
    damaged."""

    def __init__(self, path: Path, dimensions: int) -> None:
        self.dimensions = dimensions
        self.page_rows = page_rows(dimensions)
        self.missing = False
        self._descriptor = -1
        self._sound: _Sound = {}
        try:
            self._descriptor = os.open(path, _READ)
            status = os.fstat(self._descriptor)
            self.missing = not stat.S_ISREG(status.st_mode)
            self._sound = _sound_pages((status.st_dev, status.st_ino))
        except OSError:
            self.missing = True

    def __enter__(self) -> PageFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def buffer(self) -> Rows:
        """Room for one page, to give to ``page`` again and again."""
        return np.empty((self.page_rows, self.dimensions), dtype=ROW)

    def page(self, number: int, count: int, checksum: int, buffer: Rows) -> Rows | None:
        """The first ``count`` rows of a page, read into ``buffer``; None where the page is damaged.

        What a page holds is checked the first time that this process reads it, and again when it has grown.
        """
        rows = buffer[:count]
        if not self._fill(rows, number * self.page_rows):
            return None
        known = self._sound.get(number, (0, 0))
        if known != (count, checksum):
            if not (_continues(rows, known, checksum) or _continues(rows, (0, 0), checksum)):
                return None
            if count >= known[0]:
                self._sound[number] = (count, checksum)
        return rows

    def rows(self, number: int, count: int, checksum: int, places: Sequence[int]) -> Rows | None:
        """Single rows of a page, ``(n, dimensions)``; None where the page is damaged. Reads no more than they
        are once the page is known to be sound."""
        if self._sound.get(number) != (count, checksum):
            page = self.page(number, count, checksum, self.buffer())
            return None if page is None else page[list(places)]
        rows = np.empty((len(places), self.dimensions), dtype=ROW)
        first = number * self.page_rows
        whole = all(self._fill(rows[i : i + 1], first + place) for i, place in enumerate(places))
        return rows if whole else None

    def _fill(self, rows: Rows, slot: int) -> bool:
        """Read rows from a slot on; false where the file ends before, or cannot be read."""
        if self.missing:
            return False
        offset = slot * self.dimensions * ROW.itemsize
        left = rows.data.cast("B") if rows.size else memoryview(b"")
        while left:
            try:
                read = os.preadv(self._descriptor, [left], offset)
            except OSError:
                return False
            if not read:
                return False
            left, offset = left[read:], offset + read
        return True


# --- what this process has checked -----------------------------------------------------------------------------

_Sound = dict[int, tuple[int, int]]
_checked: dict[tuple[int, int], _Sound] = {}
"""By device and inode: page → (rows, checksum) as last found sound. One entry of a few bytes a page."""
_guard = threading.Lock()
_FILES_REMEMBERED = 64


def _sound_pages(identity: tuple[int, int]) -> _Sound:
    with _guard:
        if identity not in _checked and len(_checked) >= _FILES_REMEMBERED:
            _checked.clear()
        return _checked.setdefault(identity, {})


def _continues(rows: Rows, known: tuple[int, int], checksum: int) -> bool:
    """Whether the rows after those known give the checksum, and all of them are unit vectors."""
    count, before = known
    if count >= len(rows):
        return False
    fresh = rows[count:]
    return extended(before, fresh) == checksum and bool(are_units(fresh).all())


def are_units(rows: Rows) -> NDArray[np.bool_]:
    """Which rows have length 1 but for the rounding of their components and of this sum; ``(n,) bool``.

    The error of a float32 inner product of unit vectors is below ``d · 2⁻²⁴`` (Higham 2002, 3.1); twice that
    is room for the rounding of the components.
    """
    slack = np.float32(2 * (rows.shape[1] + 8) * 2.0**-24)
    off: Rows = np.abs(np.vecdot(rows, rows) - np.float32(1))
    return off <= slack
