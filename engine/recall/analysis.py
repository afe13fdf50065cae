"""The one analyser of index, query and token lens: terms of the fulltext and cjk channels, with their places.

Han, kana and Hangul form runs of their own, whatever they touch: runs make overlapping bigrams (channel
``cjk``), everything else words and identifiers (channel ``fulltext``, see ``words``). The two term spaces
never meet. Text is compared as ``normal`` has it and case folded; places are always those of the original
text. Nothing in it is a syntax: operators, NUL and lone surrogates merely part words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import add
from typing import Literal

from engine.identity import fingerprint
from engine.recall.normal import mapped, normal
from engine.recall.words import TERM_LIMIT, Kind, Word, words

ANALYSER_VERSION = 1
"""To be raised whenever a text could yield other terms than before: a stored index is then rebuilt."""

TextChannel = Literal["fulltext", "cjk"]

_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3031-\u3035\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff"
    "\U0001aff0-\U0001b16f\U00020000-\U0003fffd"
)
"""Han, hiragana, katakana and Hangul as NFKC leaves them, with the iteration and length marks that are read
as part of a word."""

_RUN = re.compile(f'([{_CJK}]+)|[^\\s\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff()"`|{_CJK}]+')
_CJK_RUN = re.compile(f"[{_CJK}]+")
_OTHER_RUN = re.compile(f'[^\\s\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff()"`|{_CJK}]+')


@dataclass(frozen=True, slots=True)
class Token:
    """One term at ``[start, end)`` of the original text.

    ``word``, ``bigram`` and ``single`` (a cjk run of one character) are counted in a text's length.
    ``whole``, ``folded`` and ``last`` (the last character of a longer run, so that each character of a text
    begins a bigram or is a term itself) stand beside them and are not.
    """

    term: str
    start: int
    end: int
    channel: TextChannel
    kind: Kind

    @property
    def counted(self) -> bool:
        return self.kind in ("word", "bigram", "single")


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term of a text stands in it, and its length in counted tokens, channel by channel."""

    frequencies: dict[str, int]
    fulltext_length: int
    cjk_length: int


@dataclass(frozen=True, slots=True)
class AnalysedQuery:
    """A query's words, each a tree, and its cjk runs, each its bigrams or its single character; with places
    in the query, and with repetitions."""

    words: tuple[Word, ...]
    runs: tuple[tuple[Word, ...], ...]


def analyser_version() -> str:
    """Fingerprint of the rules and of the Unicode tables behind them; part of every index state."""
    return fingerprint("analyser", ANALYSER_VERSION, unicodedata.unidata_version)


def analyse(text: str) -> tuple[Token, ...]:
    """Every term of the text, in the order in which it begins there; an extra term follows the first it
    stands beside."""
    tokens: list[Token] = []
    known = mapped(text)
    for match in _RUN.finditer(known.text):
        base = match.start()
        for term, start, end, channel, kind in _cjk(match[1]) if match[1] else _fulltext(match[0]):
            tokens.append(Token(term, *known.span(base + start, base + end), channel, kind))
    return tuple(tokens)


def analyse_query(text: str) -> AnalysedQuery:
    """The same terms as ``analyse``, kept as the trees and runs that a channel scores."""
    trees: list[Word] = []
    runs: list[tuple[Word, ...]] = []
    known = mapped(text)
    for match in _RUN.finditer(known.text):
        base = match.start()
        if match[1]:
            grams = (Word(term, start, end, kind) for term, start, end, _, kind in _cjk(match[1]))
            runs.append(tuple(_placed(gram, known.span, base) for gram in grams if gram.kind != "last"))
        else:
            trees.extend(_placed(tree, known.span, base) for tree in words(match[0]))
    return AnalysedQuery(tuple(trees), tuple(runs))


def count(text: str) -> TermCounts:
    """What ``analyse`` finds, counted, without places and some ten times faster; what the index stores."""
    text = normal(text)
    frequencies: dict[str, int] = {}
    fulltext_length = 0
    for run, times in Counter(_OTHER_RUN.findall(text)).items():
        counted, beside = _terms(run) if len(run) <= _CACHED_RUN else _terms.__wrapped__(run)
        fulltext_length += times * len(counted)
        for term in counted:
            frequencies[term] = frequencies.get(term, 0) + times
        for term in beside:
            frequencies[term] = frequencies.get(term, 0) + times
    grams: list[str] = []
    beside_runs = 0
    for run in _CJK_RUN.findall(text):
        grams.extend(map(add, run, run[1:]))
        grams.append(run[-1])
        beside_runs += len(run) > 1
    frequencies.update(Counter(grams))
    return TermCounts(frequencies, fulltext_length, len(grams) - beside_runs)


_CACHED_RUN = 64
"""Code points of the longest run whose terms are remembered; a longer one is seldom met twice."""

_Placed = tuple[str, int, int, TextChannel, Kind]


@lru_cache(maxsize=1 << 16)
def _terms(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Terms of a run that count in the length, and those that stand beside them."""
    if run.isascii() and run.isalpha() and (run.islower() or run[1:].islower()) and len(run) <= TERM_LIMIT:
        return (run.lower(),), ()
    placed = tuple(_fulltext(run))
    return (
        tuple(term for term, *_, kind in placed if kind == "word"),
        tuple(term for term, *_, kind in placed if kind != "word"),
    )


def _fulltext(run: str) -> Iterator[_Placed]:
    for tree in words(run):
        for word in _in_order(tree):
            yield word.term, word.start, word.end, "fulltext", word.kind


def _in_order(tree: Word) -> list[Word]:
    """Words in order; what stands beside words follows the first of them."""
    below = [word for part in tree.parts for word in _in_order(part)]
    return [tree, *below] if tree.kind != "whole" else [below[0], tree, *below[1:]]


def _cjk(run: str) -> Iterator[_Placed]:
    if len(run) == 1:
        yield run, 0, 1, "cjk", "single"
        return
    for start in range(len(run) - 1):
        yield run[start : start + 2], start, start + 2, "cjk", "bigram"
    yield run[-1], len(run) - 1, len(run), "cjk", "last"


def _placed(tree: Word, span: Callable[[int, int], tuple[int, int]], base: int) -> Word:
    start, end = span(base + tree.start, base + tree.end)
    return Word(tree.term, start, end, tree.kind, tuple(_placed(part, span, base) for part in tree.parts))
