"""Where a passage says the opposite of what the query says: a limit against none, a permission against its
refusal.

Only opposite words are looked at, and only within one clause that is about the query: it must hold two of the
query's rare terms that stand apart in the query. A question that may be answered by no contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import normalize

Side = tuple[int, int]
"""What is at stake, and 1 where it is said, −1 where it is denied."""

Term = tuple[str, int, int]
"""A folded term with its ``[start, end)`` in the query."""


_OPPOSITIONS = (
    (
        r"最多|至多|不超过|不多于|上限|\bat most\b|\bno more than\b|\bup to\b|\bmaximum\b|\blimited to\b|\bcapped at\b",
        r"无限|不限|(?:没有|无|不设|不设置)[^,，。]{0,6}(?:上限|限制)|永远"
        r"|\bunlimited\b|\bunbounded\b|\bno (?:upper )?limit\b|\bwithout (?:a )?limit\b|\bforever\b|\bindefinitely\b",
    ),
    (
        r"支持|\bsupport(?:s|ed)?\b",
        r"不(?:再)?支持|(?:\bnot|n['’]t|\bnever) supports?\b|\bnot supported\b|\bunsupported\b",
    ),
    (
        r"允许|\ballow(?:s|ed)?\b|\bpermitted\b",
        r"不允许|禁止|严禁|不得|\bnot allow(?:ed)?\b|\bforbidden\b|\bprohibited\b|\bnot permitted\b",
    ),
    (r"可以|能够|\bcan\b", r"不可以|不能够?|无法|不可(?!避免)|\bcan ?not\b|\bcan[’']t\b|\bunable to\b"),
    (
        r"必须|需要|\bmust\b|\brequired\b|\bmandatory\b",
        r"不必|无需|不需要|无须|\bneed not\b|\bnot required\b|\boptional\b|\bmust not\b",
    ),
    (
        r"默认(?:启用|开启|打开)|\benabled by default\b", r"默认(?:禁用|关闭|不启用|不开启)|\bdisabled by default\b"
    ),
    (r"总是|始终|\balways\b", r"从不|绝不|永不|\bnever\b"),
)  # fmt: skip
"""What is said, and what denies it, as patterns over folded text: words whose denial changes the answer.

Plain ``不`` is none of them: what no longer happens may be the answer.
"""

_WORD = re.compile(
    r"(?=[最至不上无没永支允禁严可能必需默总始从绝]|(?<![a-z])[a-z]|n['’]t)(?:"
    + "|".join(f"({denied})|({plain})" for plain, denied in _OPPOSITIONS)
    + ")"
)
"""All of them at once, two groups each. A denial starts no later than the word that it denies, so it is
met first.
"""

_YES_OR_NO = re.compile(
    r"吗|是否|是不是|能否|可否|有没有|(?P<verb>[\u4e00-\u9fff]{1,2})[不没](?P=verb)"
    r"|\bwhether\b"
    r"|^\W*(?:is|are|was|were|do|does|did|can|could|will|would|should|shall|may|might|must|has|have|had)(?:n[’']t)?\b"
)
_CLAUSE_END = re.compile(r"[。;!?()\n\r]|[,:](?!\d)|\.(?=\s|$)|(?=但|而不|\bbut\b|\bwhereas\b|\bhowever\b)")
"""Of folded text, where full-width marks are ASCII ones; a comma or colon inside a number ends nothing."""


def folded(text: str) -> str:
    return normalize("NFKC", text).casefold()


def is_yes_or_no(query: str) -> bool:
    """Whether the query may be answered by yes or no (``吗``, ``是否``, ``能不能``, a leading auxiliary)."""
    return _YES_OR_NO.search(folded(query)) is not None


def stances(query: str) -> tuple[Side, ...]:
    """What the query itself takes a side on; nothing for a question that yes or no may answer."""
    return () if is_yes_or_no(query) else _sides(folded(query))


def contradicts(text: str, sides: Sequence[Side], terms: Sequence[Term]) -> bool:
    """Whether a clause of the text denies a side that the query takes, and none affirms it.

    ``terms`` are the query's rare terms, folded, with their spans in the query. A clause is about the query
    where it holds two whose spans do not overlap.
    """
    clauses = clauses_with_a_side(text)

    def said(side: Side) -> bool:
        return any(side in taken and _holds_two(clause, terms) for clause, taken in clauses)

    return any(said((place, -side)) and not said((place, side)) for place, side in sides)


@lru_cache(maxsize=1_024)
def clauses_with_a_side(text: str) -> tuple[tuple[str, tuple[Side, ...]], ...]:
    """The folded clauses that take a side on something, with what they take; read once a text."""
    taken = ((clause, _sides(clause)) for clause in _CLAUSE_END.split(folded(text)) if clause)
    return tuple((clause, sides) for clause, sides in taken if sides)


def _sides(text: str) -> tuple[Side, ...]:
    """What a folded text says or denies; what it does both of is no side."""
    said: dict[int, int] = {}
    for word in _WORD.finditer(text):
        place, plain = divmod((word.lastindex or 1) - 1, 2)
        side = 1 if plain else -1
        said[place] = side if said.get(place, side) == side else 0
    return tuple((place, side) for place, side in said.items() if side)


def _holds_two(clause: str, terms: Sequence[Term]) -> bool:
    held = [(start, end) for term, start, end in terms if term in clause]
    return len(held) > 1 and min(end for _, end in held) <= max(start for start, _ in held)
