"""Where source code falls apart by itself: the top-level definitions of a text, by language. Pure.

No compiler is asked: a definition is a line at column 0 that its language begins one with, outside of strings
and comments that span lines. What is directly above it (decorators, attributes, annotations, comments)
belongs to it. A miss costs a better cut, never text. Lines end at LF, CRLF and CR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.ingest.grammar import GRAMMARS, Grammar
from engine.text import LineIndex

LINE_LIMIT = 400
"""Code points of a line that are looked at: a definition says its name early, and a hostile line has
millions."""

_ABOVE_LIMIT = 60
"""Lines above a definition that may belong to it."""

_OPENS = re.compile(r"[@#\[]|//|/\*|--|;;|template\b")
"""How a line begins that belongs to the definition below: a comment, a decorator, an attribute."""

_GOES_ON = re.compile(r"[ \t)\]}*]")
"""How a line begins that may go on with one: indented, or closing a bracket."""


@dataclass(frozen=True, slots=True)
class Definition:
    """``start`` is the offset of the line where it begins, what belongs to it above included; ``line`` that
    line, from 1; ``name`` what it defines, as its source writes it."""

    line: int
    start: int
    name: str


def definitions(text: str, language: str) -> tuple[Definition, ...]:
    """The top-level definitions of ``text`` in order; none for a language without a grammar."""
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return ()
    lines = LineIndex.of(text)
    found: list[Definition] = []
    before = 0
    for line, name in _named_lines(text, lines, grammar):
        first = _first_line(text, lines, line, before)
        found.append(Definition(first, lines.start(first), name))
        before = line
    return tuple(found)


def _named_lines(text: str, lines: LineIndex, grammar: Grammar) -> Iterator[tuple[int, str]]:
    """Lines that begin a definition, with its name."""
    insides = _insides(text, grammar)
    inside = next(insides, None)
    for line, start in enumerate(lines.starts, start=1):
        while inside is not None and inside[1] <= start:
            inside = next(insides, None)
        if inside is not None and inside[0] < start:
            continue
        if text[start : start + 1] in (" ", "\t", "\r", "\n", ""):
            continue
        begun = grammar.begins.match(text[start : min(lines.end(line), start + LINE_LIMIT)])
        if begun is not None:
            yield line, next((name for name in begun.groups() if name), begun[0]).strip()


def _insides(text: str, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """Strings and comments that span lines, as ``(start, end)``, in order."""
    if grammar.quoted is None:
        return
    for quoted in grammar.quoted.finditer(text):
        if "\n" in quoted[0] or "\r" in quoted[0]:
            yield quoted.span()


def _first_line(text: str, lines: LineIndex, line: int, before: int) -> int:
    """The first line of what belongs to the definition at ``line``: up to ``before``, the line of the one
    above."""
    first = line
    for above in range(line - 1, max(before, line - _ABOVE_LIMIT), -1):
        start = lines.start(above)
        if _OPENS.match(text, start):
            first = above
        elif (
            not _GOES_ON.match(text, start)
            or not text[start : min(lines.end(above), start + LINE_LIMIT)].strip()
        ):
            break
    return first
