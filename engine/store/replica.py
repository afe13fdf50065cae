"""A copy of a generation to try something on, as it is at one moment; gone afterwards.

It lies among the generations, under an id of its own: what a kill leaves behind is tidied away with them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.store.connect import connect, translated
from engine.store.generation import Generation, discard
from engine.store.lease import SharedLock
from engine.store.vectors import page_files

PAGES = 2_000
"""Pages of SQLite that are copied between two looks at the cancel token: some 8 MB, 5 ms."""


@contextmanager
def replica(generation: Generation, folder: Path, *, cancel: CancelToken) -> Iterator[Generation]:
    """A generation in ``folder``, which must not be there yet, that holds what this one does.

    Raises ``Cancelled``, ``LibraryError`` (``DiskFullError``) where there is no room for it.
    """
    with translated(folder):
        folder.mkdir(parents=True)
    try:
        using = SharedLock(folder)
        try:
            _copy(generation, folder, cancel)
            with closing(Generation(folder)) as copy:
                yield copy
        finally:
            using.release()
    finally:
        with suppress(LibraryError):  # what cannot be removed now is tidied away later
            discard(folder)


def _copy(generation: Generation, folder: Path, cancel: CancelToken) -> None:
    """One state of the rows, and of the vectors at least as many: pages only grow."""
    path = folder / generation.path.name
    with (
        generation.reading() as source,
        translated(path),
        closing(connect(path, synchronous="OFF")) as target,
    ):
        source.backup(target, pages=PAGES, progress=lambda *_: cancel.check())
        for file in page_files(source):
            cancel.check()
            with suppress(FileNotFoundError):  # a lost one is as lost in the copy
                shutil.copyfile(generation.folder / file, folder / file)
