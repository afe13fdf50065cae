"""SQLite's FTS5 with every term required: the search that needs no index of one's own.

A real FTS5 table (tokenizer ``unicode61``) holds the document's path, the text, and a ``search_text`` in which
every CJK character stands alone, for ``unicode61`` takes a Chinese sentence for one word. A query is cut into
words of other scripts and runs of CJK; each becomes a quoted phrase, and all are joined by AND. Rows come in the
order of ``bm25()``, equal ones in the order of the chunks.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence

from engine.errors import LibraryError
from engine.model import Chunk

_CJK = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003fffd"
)
_CHARACTER = re.compile(f"([{_CJK}])")
_PART = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")


class Fts5And:
    """Built over chunks in the order in which ties break; the table lies in a temporary database.

    Raises ``LibraryError`` where this Python's SQLite has no FTS5.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._ids = [chunk.chunk_id for chunk in chunks]
        self._guard = threading.Lock()
        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        try:
            self._connection.execute(
                "CREATE VIRTUAL TABLE chunks_fts USING fts5(source_name, text, search_text, tokenize='unicode61')"
            )
        except sqlite3.OperationalError as error:
            raise LibraryError(
                f"the baseline fts5-and cannot run: {error}", "use a Python whose SQLite has FTS5"
            ) from None
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "INSERT INTO chunks_fts(rowid, source_name, text, search_text) VALUES (?, ?, ?, ?)",
            ((n, chunk.path, chunk.text, spaced(chunk.text)) for n, chunk in enumerate(chunks)),
        )
        self._connection.execute("COMMIT")

    def rank(self, query: str, depth: int) -> list[str]:
        """The chunks that hold every part of the query; none for a query without words."""
        expression = match_expression(query)
        if not expression:
            return []
        with self._guard:
            rows = self._connection.execute(
                "SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY bm25(chunks_fts), rowid LIMIT ?",
                (expression, depth),
            ).fetchall()
        return [self._ids[place] for (place,) in rows]


def spaced(text: str) -> str:
    """The text with a space on either side of every CJK character."""
    return _CHARACTER.sub(r" \1 ", text)


def match_expression(query: str) -> str:
    """The MATCH expression of a query: quoted phrases joined by AND, empty where it has no word.

    Only letters, digits and underscores come into it, always inside quotes, so operators are plain words.
    """
    phrases = (" ".join(spaced(part).split()) for part in _PART.findall(query))
    return " AND ".join(f'"{phrase}"' for phrase in dict.fromkeys(phrases))
