"""The texts of a library as a set is checked against them: those that the serving generation was cut from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.store.generation import Generation
from engine.store.library_file import LibraryFile

REMEMBERED = 32_000_000
"""Code points of texts kept in memory: a set that names no documents searches all of them, again and again."""


class ArchivedTexts(Mapping[str, str]):
    """Document path → decoded text, read from the archive when it is asked for; for one thread at a time.

    A document whose revision is no longer archived has no text here. Raises ``LibraryError`` or one of its
    kinds where the archive is damaged.
    """

    def __init__(self, generation: Generation, file: LibraryFile) -> None:
        with generation.reading() as connection:
            rows = connection.execute(
                "SELECT path, revision, parser, document_id, file FROM document ORDER BY path"
            ).fetchall()
        self._revisions: dict[str, tuple[str, str]] = {
            path: (revision, parser) for path, revision, parser, *_ in rows
        }
        self._documents = {document_id: (path, file) for path, _, _, document_id, file in rows}
        self._file = file
        self._kept: dict[str, str] = {}
        self._size = 0

    def renamed(self) -> dict[str, str]:
        """The present path of each document by the paths at which it stood before; none that another has now."""
        origins = self._file.origins()
        found = {
            before: self._documents[document_id][0]
            for document_id, before in self._file.former_paths()
            if document_id in self._documents
        }
        found |= {
            origins[file] + path.removeprefix(file): path
            for path, file in self._documents.values()
            if file in origins
        }
        return {before: now for before, now in found.items() if before not in self._revisions}

    def __getitem__(self, path: str) -> str:
        if path not in self._kept:
            revision = self._file.revision(*self._revisions[path])
            if revision is None:
                raise KeyError(path)
            self._keep(path, revision.text)
        return self._kept[path]

    def _keep(self, path: str, text: str) -> None:
        """Remember a text, and forget the oldest ones that leave no room for it."""
        self._kept[path] = text
        self._size += len(text)
        while self._size > REMEMBERED and len(self._kept) > 1:
            self._size -= len(self._kept.pop(next(iter(self._kept))))

    def __contains__(self, path: object) -> bool:
        return path in self._revisions

    def __iter__(self) -> Iterator[str]:
        return iter(self._revisions)

    def __len__(self) -> int:
        return len(self._revisions)
