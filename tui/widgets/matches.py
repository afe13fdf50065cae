"""Where a text holds the words of the query: by the analyser that the index uses, so what is marked is what
matched.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from engine.model import QueryTerm


def marks(text: str, terms: Iterable[QueryTerm]) -> tuple[tuple[int, int], ...]:
    """Half-open offsets into ``text``, in order, of every term of the query; terms that overlap or touch
    are one.

    A query term of one Chinese, Japanese or Korean character matches that character wherever it begins a
    term.
    """
    wanted = frozenset((term.channel, term.term) for term in terms)
    return _marks(text, wanted) if wanted else ()


@lru_cache(maxsize=256)
def _marks(text: str, wanted: frozenset[tuple[str, str]]) -> tuple[tuple[int, int], ...]:
    # imported late: the analyser is part of the engine, which loads after the first paint
    from engine.recall.analysis import analyse

    found: list[tuple[int, int]] = []
    for token in analyse(text):
        if (token.channel, token.term) in wanted:
            found.append((token.start, token.end))
        elif token.channel == "cjk" and (token.channel, token.term[0]) in wanted:
            found.append((token.start, token.start + 1))
    return joined(found)


def joined(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The spans in order, those that overlap or touch as one."""
    made: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(made[-1][1], end))
        elif start < end:
            made.append((start, end))
    return tuple(made)
