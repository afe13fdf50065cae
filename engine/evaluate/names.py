"""From the document ids of judgement files to paths of the library. Pure.

Judgements name a document by an id: the ``_id`` of a corpus line, a file name, a path, a stem.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePosixPath

from engine.ingest.corpus import document_path
from engine.ingest.formats import CORPUS

NEAR_LIMIT = 5_000
"""Paths among which a near name is looked for; the search is slow."""


def corpus_path(identity: str) -> str:
    """The path of a document of a BEIR folder that is the library: ``corpus.jsonl#ID``."""
    return document_path(CORPUS, identity)


def identity_of(path: str) -> str:
    """What a judgement file calls a document: the id of a corpus line, else its path."""
    file, mark, identity = path.partition("#")
    return identity if mark and PurePosixPath(file).name == CORPUS else path


class Names:
    """The paths of a library, by every name that may stand for one."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._known = set(self._paths)
        self._by_name: dict[str, list[str]] = {}
        for path in self._paths:
            for name in _names(path):
                self._by_name.setdefault(name, []).append(path)

    def of(self, name: str) -> tuple[str, ...]:
        """The paths that a name stands for: itself where it is one, else those with that id, file name or
        stem."""
        if name in self._known:
            return (name,)
        found = self._by_name.get(identity_of(name), [])
        if "/" in name and not found:
            last = self._by_name.get(name.rpartition("/")[2], [])
            found = [path for path in last if path.endswith(f"/{name}")]
        return tuple(found)

    def near(self, name: str) -> str:
        """The path that a misspelt one may mean, empty where there is none."""
        same = self._by_name.get(name.rpartition("/")[2], [])
        if same:
            return same[0]
        if len(self._paths) > NEAR_LIMIT:
            return ""
        return next(iter(get_close_matches(name, self._paths, 1, 0.7)), "")


def _names(path: str) -> set[str]:
    identity = identity_of(path)
    if identity != path:
        return {identity}
    file = PurePosixPath(path)
    return {file.name, file.stem} - {""}
