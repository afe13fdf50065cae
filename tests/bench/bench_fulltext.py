"""Both text channels beside FTS5 on the same chunks in the same run, and what a first query after opening costs.

``python -m tests.bench.bench_fulltext [--chunks 100000] [--characters 200] [--queries 40]``
"""

from __future__ import annotations

import argparse
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.cancel import CancelToken
from engine.recall import cjk, fulltext
from engine.recall.analysis import analyse
from engine.store import postings
from engine.store.connect import statements

DEPTH = 200
BATCH = 2_000
LATIN = ["redis", "timeout", "node.js", "max_retry_count", "HTTP", "the", "of", "cache", "v1.2.3", "queue"]


class Language:
    """Chinese of a Zipfian vocabulary, with a Latin word now and then: as skewed as real text, and repeatable."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        characters = np.array([chr(0x4E00 + 7 * number) for number in range(2_500)])
        words = ["".join(self._random.choice(characters, length, p=_zipf(2_500, 8)))
                 for length in self._random.choice([1, 2, 3, 4], 30_000, p=[0.2, 0.5, 0.2, 0.1])]  # fmt: skip
        self._words, self._likely = np.array(words), _zipf(len(words), 2)
        self._text, self._place = "", 0

    def chinese(self, characters: int) -> str:
        if self._place + characters > len(self._text):
            self._text = "".join(self._random.choice(self._words, 100_000, p=self._likely))
            self._place = 0
        self._place += characters
        return self._text[self._place - characters : self._place]

    def chunk(self, characters: int) -> str:
        sentences: list[str] = []
        while sum(map(len, sentences)) < characters:
            sentences.append(self.chinese(int(self._random.integers(8, 30))))
            if self._random.random() < 0.2:
                sentences.append(str(self._random.choice(LATIN)))
        return "，".join(sentences)


def _zipf(number: int, offset: int) -> np.ndarray:
    weights = 1 / (np.arange(number) + offset)
    return weights / weights.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--characters", type=int, default=200)
    parser.add_argument("--queries", type=int, default=40)
    chosen = parser.parse_args()
    language = Language(seed=1)
    questions = [language.chinese(20) for _ in range(chosen.queries)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "postings.sqlite"
        connection = _opened(path)
        _build(connection, language, chosen.chunks, chosen.characters)
        connection.close()
        _measure(path, questions)
    print(f"machine: {platform.processor() or platform.machine()}, Python {platform.python_version()}, "
          f"numpy {np.__version__}, SQLite {sqlite3.sqlite_version}")  # fmt: skip


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _build(connection: sqlite3.Connection, language: Language, chunks: int, characters: int) -> None:
    for statement in statements(postings.SCHEMA):
        connection.execute(statement)
    connection.execute("CREATE VIRTUAL TABLE rival USING fts5(title, heading, body)")
    spent = dict.fromkeys(("analyse", "add", "merge", "FTS5"), 0.0)
    megabytes = 0.0
    for start in range(0, chunks, BATCH):
        texts = [language.chunk(characters) for _ in range(min(BATCH, chunks - start))]
        megabytes += sum(len(text.encode()) for text in texts) / 1e6
        with _timed(spent, "analyse"):
            terms = [postings.analyse_chunk("", (), text) for text in texts]
        with _timed(spent, "add"):
            connection.execute("BEGIN IMMEDIATE")
            postings.add(connection, 1, list(enumerate(terms, start + 1)))
            connection.execute("COMMIT")
        with _timed(spent, "merge"):
            _merge(connection, at_rest=start + BATCH >= chunks)
        rows = [("", "", _pretokenised(text)) for text in texts]
        with _timed(spent, "FTS5"):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO rival VALUES (?, ?, ?)", rows)
            connection.execute("COMMIT")
    size = connection.execute("SELECT sum(length(data)) FROM posting_block").fetchone()[0]
    segments = postings.counts(connection, [1]).segments
    print(
        f"{chunks:,} chunks of {characters} characters, {megabytes:.0f} MB; {segments} segments, {size / 1e6:.0f} MB"
    )
    print(
        f"  analyse {megabytes / spent['analyse']:.1f} MB/s; add {spent['add']:.1f} s, merge {spent['merge']:.1f} s;"
        f" FTS5 build {spent['FTS5']:.1f} s"
    )


def _merge(connection: sqlite3.Connection, *, at_rest: bool) -> None:
    due = True
    while due:
        connection.execute("BEGIN IMMEDIATE")
        due = postings.merge(connection, cancel=CancelToken(), at_rest=at_rest)
        connection.execute("COMMIT")


def _pretokenised(text: str) -> str:
    return " ".join(token.term for token in analyse(text) if token.counted)


def _measure(path: Path, questions: list[str]) -> None:
    connection = _opened(path)
    cache = postings.Cache()

    def ask(module: object, question: str) -> int:
        reader = cache.reader(connection)
        hits = module.search(  # type: ignore[attr-defined]
            reader, question, [1], depth=DEPTH, tie_order=sorted, cancel=CancelToken()
        )
        return len(hits.cids)

    def rival(question: str) -> int:
        grams = " OR ".join(f'"{token.term}"' for token in analyse(question) if token.kind == "bigram")
        found = connection.execute(
            "SELECT rowid FROM rival WHERE rival MATCH ? ORDER BY rank LIMIT ?", (grams, DEPTH)
        )
        return len(found.fetchall())

    began = time.perf_counter()
    ask(cjk, questions[0])
    print(f"  first question after opening: {(time.perf_counter() - began) * 1000:.1f} ms")
    new, again, fts5 = [], [], []
    for question in questions[1:]:
        new.append(_milliseconds(lambda: ask(cjk, question)))  # noqa: B023 (called at once)
        again.append(min(_milliseconds(lambda: ask(cjk, question)) for _ in range(3)))  # noqa: B023
        fts5.append(_milliseconds(lambda: rival(question)))  # noqa: B023
    fresh, warm, slow = map(statistics.median, (new, again, fts5))
    print(
        f"  cjk, 19 bigrams, top {DEPTH}, p50: new question {fresh:.1f} ms, again {warm:.1f} ms; FTS5 rank {slow:.1f} ms"
    )
    print(f"  ratio to FTS5 rank: {slow / fresh:.0f}x new, {slow / warm:.0f}x again")
    words = "the timeout of max_retry_count in node.js v1.2.3"
    ask(fulltext, words)
    print(
        f"  fulltext, {words!r}: {min(_milliseconds(lambda: ask(fulltext, words)) for _ in range(5)):.1f} ms"
    )


def _milliseconds(call: Callable[[], int]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


class _timed:
    """Adds the seconds of its block to a running sum."""

    def __init__(self, spent: dict[str, float], name: str) -> None:
        self._spent, self._name = spent, name

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._spent[self._name] += time.perf_counter() - self._began


if __name__ == "__main__":
    main()
