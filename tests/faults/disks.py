"""A disk that fills up: a file system in memory of a few MB where it may be mounted."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A folder on a disk of its own; skips where none can be mounted."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def fill(place: Path, left: int = 0) -> Path:
    """Take the room of the disk but for ``left`` bytes; remove the file to give it back."""
    path = place / "filler"
    with open(path, "wb") as file:
        status = os.statvfs(place)
        free = max(0, status.f_bavail * status.f_frsize - left)
        while free > 0:
            try:
                free -= file.write(bytes(min(free, 65_536)))
                file.flush()
            except OSError:
                break
    return path
