"""The texts of a library as a set is checked against them: those that the serving generation was cut from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from engine.store.generation import Generation
from engine.store.library_file import LibraryFile

REMEMBERED = 256
"""Texts kept in memory; neighbouring cases mostly ask for the same."""


class ArchivedTexts(Mapping[str, str]):
    """Document path → decoded text, read from the archive when it is asked for; for one thread at a time.

    A document whose revision is no longer archived has no text here. Raises ``LibraryError`` or one of its
    kinds where the archive is damaged.
    """

    def __init__(self, generation: Generation, file: LibraryFile) -> None:
        with generation.reading() as connection:
            rows = connection.execute("SELECT path, revision, parser FROM document ORDER BY path").fetchall()
        self._revisions: dict[str, tuple[str, str]] = {
            path: (revision, parser) for path, revision, parser in rows
        }
        self._read = lru_cache(REMEMBERED)(file.revision)

    def __getitem__(self, path: str) -> str:
        revision = self._read(*self._revisions[path])
        if revision is None:
            raise KeyError(path)
        return revision.text

    def __contains__(self, path: object) -> bool:
        return path in self._revisions

    def __iter__(self) -> Iterator[str]:
        return iter(self._revisions)

    def __len__(self) -> int:
        return len(self._revisions)
