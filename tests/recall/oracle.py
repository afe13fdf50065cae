"""FTS5 as the oracle of both text channels: the same tokens, FTS5's own postings, bm25() and counts.

A tokenizer registered with apsw hands FTS5 what ``analyse`` finds; terms that stand beside words are colocated
tokens, which FTS5 leaves out of lengths. bm25() adds up over terms, so each term is asked for alone, and the rules of
wholes and parts, coverage and streak are applied here, naively, over dictionaries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import apsw

from engine.recall.analysis import AnalysedQuery, Token, analyse, analyse_query
from engine.recall.asked import PARTS_SHARE
from engine.recall.words import Word

Scores = dict[int, float]


def fts5_idf(chunks: int, holding: int) -> float:
    """FTS5's own: clamped where more than half of the rows hold the term."""
    value = math.log((chunks - holding + 0.5) / (holding + 0.5))
    return value if value > 0 else 1e-6


class Oracle:
    """The same chunks in two FTS5 tables: ``words`` alone, and words and bigrams ``together``."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self._chunks: dict[int, list[Token]] = {}
        self._texts: dict[int, tuple[str, str, str]] = {}
        for table, channels in (("words", ("fulltext",)), ("together", ("fulltext", "cjk"))):
            self._connection.register_fts5_tokenizer(table, _tokenizer(channels))
            self._connection.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5(title, heading, body, tokenize = '{table}')"
            )

    def put(self, cid: int, title: str, headings: Sequence[str], text: str) -> None:
        row = (cid, title, "\n".join(headings), text)
        self._texts[cid] = row[1:]
        self._chunks[cid] = [token for part in row[1:] for token in analyse(part)]
        for table in ("words", "together"):
            self._connection.execute(
                f"INSERT INTO {table}(rowid, title, heading, body) VALUES (?, ?, ?, ?)", row
            )

    def drop(self, cid: int) -> None:
        self._chunks.pop(cid, None)
        self._texts.pop(cid, None)
        for table in ("words", "together"):
            self._connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (cid,))

    def fulltext(self, query: str) -> Scores:
        return _summed(self._tree("words", tree) for tree in _first(analyse_query(query).words))

    def cjk(self, query: str) -> Scores:
        asked = analyse_query(query)
        grams = [gram for run in asked.runs for gram in run]
        if not grams:
            return {}
        trees = _first([*grams, *asked.words])
        scores = _summed(self._tree("together", tree) for tree in trees)
        total = sum(self._idf("together", tree.term) for tree in trees)
        return {
            cid: score
            * (1 + 0.5 * (self._covered(cid, trees) / total) ** 2 + 0.25 * self._streak(cid, asked))
            for cid, score in scores.items()
        }

    def _term(self, table: str, term: str) -> Scores:
        """bm25() of one term alone, as positive scores; of a character by hand, wherever it stands."""
        if table == "together" and len(term) == 1 and analyse(term)[0].kind == "single":
            return self._character(term)
        quoted = '"' + term.replace('"', '""') + '"'
        rows = self._connection.execute(
            f"SELECT rowid, -bm25({table}, 4, 2, 1) FROM {table} WHERE {table} MATCH ?", (quoted,)
        )
        return dict(rows)

    def _character(self, character: str) -> Scores:
        lengths = {cid: sum(token.counted for token in tokens) for cid, tokens in self._chunks.items()}
        average = sum(lengths.values()) / max(1, len(lengths))
        times = {
            cid: sum(weight * text.count(character) for weight, text in zip((4, 2, 1), texts, strict=True))
            for cid, texts in self._texts.items()
        }
        holding = {cid: count for cid, count in times.items() if count}
        idf = fts5_idf(len(lengths), len(holding))
        return {
            cid: idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[cid] / average))
            for cid, count in holding.items()
        }

    def _idf(self, table: str, term: str) -> float:
        return fts5_idf(len(self._chunks), len(self._term(table, term)))

    def _tree(self, table: str, tree: Word, weight: float | None = None) -> Scores:
        idf = self._idf(table, tree.term)
        weight = idf if weight is None else weight
        scores = {cid: score * weight / idf for cid, score in self._term(table, tree.term).items()}
        parts = _summed(self._tree(table, part, share) for part, share in self._shares(table, tree, weight))
        return {**parts, **scores}

    def _shares(self, table: str, tree: Word, weight: float) -> list[tuple[Word, float]]:
        parts = _first(tree.parts)
        idfs = [self._idf(table, part.term) for part in parts]
        if tree.kind == "whole":
            scale = min(1.0, PARTS_SHARE * weight / sum(idfs))
        else:
            scale = weight / self._idf(table, tree.term)
        return [(part, idf * scale) for part, idf in zip(parts, idfs, strict=True)]

    def _held(self, cid: int) -> set[str]:
        """The chunk's terms, and every character that a cjk term begins with."""
        terms = {token.term for token in self._chunks[cid]}
        return terms | {token.term[0] for token in self._chunks[cid] if token.channel == "cjk"}

    def _covered(self, cid: int, trees: Sequence[Word]) -> float:
        held = self._held(cid)

        def worth(tree: Word, weight: float) -> float:
            if tree.term in held:
                return weight
            return sum(worth(*share) for share in self._shares("together", tree, weight))

        return sum(worth(tree, self._idf("together", tree.term)) for tree in trees)

    def _streak(self, cid: int, asked: AnalysedQuery) -> float:
        held = self._held(cid)
        lengths = [len(run) - 1 + len(run[-1].term) for run in asked.runs]
        longest = max(
            (end - start + (len(run[0].term) - 1 if end > start else 0))
            for run in asked.runs
            for start in range(len(run))
            for end in range(start, len(run) + 1)
            if all(gram.term in held for gram in run[start:end])
        )
        return longest / max(lengths)


def _tokenizer(channels: Sequence[str]) -> object:
    def tokenize(utf8: bytes, reason: int, locale: str | None) -> Iterator[tuple[object, ...]]:
        text = utf8.decode()
        if reason & apsw.FTS5_TOKENIZE_QUERY:
            yield 0, len(utf8), text
            return
        together: list[str] = []
        for token in analyse(text):
            if token.channel not in channels:
                continue
            if token.counted and together:
                yield 0, 0, *together
                together = []
            together.append(token.term)
        if together:
            yield 0, 0, *together

    return lambda connection, arguments: tokenize


def _first(words: Sequence[Word]) -> list[Word]:
    return list({word.term: word for word in reversed(words)}.values())


def _summed(scores: Iterator[Scores]) -> Scores:
    total: Scores = {}
    for each in scores:
        for cid, score in each.items():
            total[cid] = total.get(cid, 0.0) + score
    return total
