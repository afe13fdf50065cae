"""Page files: fixed-size pages of float32 rows in an append-only file. Bytes only; what they mean is in
SQLite.

A page holds about 4 MiB: large enough that a read costs its bytes, small enough that two of them and the
query stay in a cache, and that a scan can stop between two (about 1 ms). Rows are unit vectors,
little-endian. A page's checksum is the CRC-32 of its rows so far, so that an append extends it; bytes past
the rows that SQLite counts do not exist.

The first time that a process reads a page, it reads and checks it; from then on it maps it, for two thirds of
the processor time. A damaged or shortened file, or a disk that fails, thus comes back as a page that cannot
be used, where touching a mapping would kill the process.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import threading
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]

ROW = np.dtype("<f4")
PAGE_BYTES = 4 << 20
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

    def __init__(self, path: Path, dimensions: int, *, afresh: bool = False) -> None:
        """``afresh`` checks every page again, whatever this process has found before."""
        self.dimensions = dimensions
        self.page_rows = page_rows(dimensions)
        self._descriptor = -1
        self._size = 0
        self._mapped: mmap.mmap | None = None
        self._sound: _Sound = {}
        with suppress(OSError):
            self._descriptor = os.open(path, _READ)
            status = os.fstat(self._descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_size:
                self._mapped = mmap.mmap(self._descriptor, status.st_size, prot=mmap.PROT_READ)
                self._size = status.st_size
                self._sound = {} if afresh else _sound_pages((status.st_dev, status.st_ino))

    def __enter__(self) -> PageFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._mapped = None  # unmapped with the last view of it
        self._size = 0
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def page(self, number: int, count: int, checksum: int) -> Rows | None:
        """The first ``count`` rows of a page, to be read and not kept; None where the page is damaged.

        What a page holds is checked the first time that this process reads it, and again when it has grown.
        """
        offset = number * self.page_rows * self.dimensions * ROW.itemsize
        if self._mapped is None or offset + count * self.dimensions * ROW.itemsize > self._size:
            return None
        known = self._sound.get(number, (0, 0))
        if known == (count, checksum):
            mapped = np.frombuffer(self._mapped, ROW, count * self.dimensions, offset)
            return mapped.reshape(count, self.dimensions)
        rows = self._read(count, offset)
        if rows is None or not (_continues(rows, known, checksum) or _continues(rows, (0, 0), checksum)):
            return None
        if count >= known[0]:
            self._sound[number] = (count, checksum)
        return rows

    def drop(self, number: int) -> None:
        """Let go of a page that was read: it stays in the system's cache, but counts no longer as ours."""
        size = self.page_rows * self.dimensions * ROW.itemsize
        start = number * size // mmap.PAGESIZE * mmap.PAGESIZE
        if self._mapped is not None and start < self._size:
            self._mapped.madvise(mmap.MADV_DONTNEED, start, min(size, self._size - start))

    def _read(self, count: int, offset: int) -> Rows | None:
        """Rows from an offset on, read and not mapped; None where they cannot be read."""
        rows: Rows = np.empty((count, self.dimensions), dtype=ROW)
        left = rows.data.cast("B")
        while left:
            try:
                read = os.preadv(self._descriptor, [left], offset)
            except OSError:
                return None
            if not read:
                return None
            left, offset = left[read:], offset + read
        return rows


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
