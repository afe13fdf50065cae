"""Opening what lies below a folder, and nothing else: no component may be a link, however the tree changes
meanwhile.

Each component is opened relative to the one before it with ``O_NOFOLLOW``, so what was checked is what is
opened; a path is never resolved twice. Errors are ``OSError``; ``ELOOP`` or ``ENOTDIR`` where a link stands
in the way.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""``O_NONBLOCK``: a named pipe that took a file's place must not block the open."""


@contextmanager
def opened_root(root: Path) -> Iterator[int]:
    """A descriptor of the folder itself, or of the one that holds it where the root is a single file.

    The root may be named through links: that is its owner's choice.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
    try:
        descriptor = os.open(root, flags)
    except NotADirectoryError:
        descriptor = os.open(os.path.dirname(os.path.realpath(root, strict=True)), flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def opened_below(root: int, name: bytes, flags: int) -> Iterator[int]:
    """A descriptor of ``name``, a path relative to the folder ``root``; its last component opens with
    ``flags``."""
    parts = name.split(b"/") if name else [b"."]
    if any(part in (b"", b"..") for part in parts):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    folder = root
    try:
        for part in parts[:-1]:
            deeper = os.open(part, FOLDER, dir_fd=folder)
            if folder != root:
                os.close(folder)
            folder = deeper
        descriptor = os.open(parts[-1], flags, dir_fd=folder)
    finally:
        if folder != root:
            os.close(folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
