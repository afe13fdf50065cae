"""Chunks that were read, kept for the next question in the same state of the index.

Reading a chunk out of SQLite costs more than ranking it, and one question's candidates are mostly those of the
one before: an evaluation, or a turned weight, asks for the same few hundred again and again.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence

from engine.model import Chunk
from engine.store.chunks import by_cid

LIMIT_CHARACTERS = 8 << 20
"""Code points of text that are kept at most, about 16 MB of Chinese."""

ENTRY_CHARACTERS = 512
"""What an entry counts beside its text: ids, path, headings, the object itself."""


class ChunkCache:
    """By row number, the latest used kept, for one commit number at a time; safe from any thread."""

    def __init__(self, limit: int = LIMIT_CHARACTERS) -> None:
        self.limit = limit
        self.characters = 0
        self._commit = -1
        self._entries: OrderedDict[int, Chunk] = OrderedDict()
        self._guard = threading.Lock()

    def read(self, connection: sqlite3.Connection, commit: int, cids: Sequence[int]) -> dict[int, Chunk]:
        """The chunks under these row numbers, as ``connection``'s transaction at ``commit`` sees them."""
        found = self._kept(commit, cids)
        missing = [cid for cid in cids if cid not in found]
        if missing:
            fresh = by_cid(connection, missing)
            self._keep(commit, fresh)
            found |= fresh
        return found

    def _kept(self, commit: int, cids: Sequence[int]) -> dict[int, Chunk]:
        with self._guard:
            if commit != self._commit:
                return {}
            found = {}
            for cid in cids:
                if (chunk := self._entries.get(cid)) is not None:
                    self._entries.move_to_end(cid)
                    found[cid] = chunk
            return found

    def _keep(self, commit: int, fresh: dict[int, Chunk]) -> None:
        """A later commit empties it; what an earlier one still reads is not kept."""
        with self._guard:
            if commit > self._commit:
                self._entries.clear()
                self._commit, self.characters = commit, 0
            if commit < self._commit:
                return
            for cid, chunk in fresh.items():
                if cid not in self._entries:
                    self._entries[cid] = chunk
                    self.characters += _size(chunk)
            while self.characters > self.limit:
                self.characters -= _size(self._entries.popitem(last=False)[1])


def _size(chunk: Chunk) -> int:
    return ENTRY_CHARACTERS + len(chunk.text)
