"""Text folded for comparison, kept for the last thousand texts; what a turned setting reads again is not
folded again.

Folding changes lengths. Nothing here is a span; ``fold_with_offsets`` alone leads back to the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

from engine.text import WIDE

KEPT = 1_024
"""Texts whose folded forms are kept: at most 16,000 code points each, so 64 MiB at the very worst, 5
usually.
"""

ATOM = re.compile(rf"[{WIDE}]|[^\W_{WIDE}]+|\S")
"""A Han, kana or Hangul character, a word of anything else, or one mark."""

BREAK = "\n"
"""Stands before and after each atom of ``atoms``; no atom holds white space, so no text can hold a false
one.
"""


@lru_cache(maxsize=KEPT)
def spaced(text: str) -> str:
    """The text in NFKC with every run of white space as one space: what makes two passages the same text."""
    return " ".join(normalize("NFKC", text).split())


@lru_cache(maxsize=KEPT)
def atoms(text: str) -> str:
    """The case-folded atoms of the text, each between two breaks, so that ``in`` finds only whole ones."""
    return f"{BREAK}{BREAK.join(ATOM.findall(normalize('NFKC', text).casefold()))}{BREAK}"


@lru_cache(maxsize=64)
def fold_with_offsets(text: str) -> tuple[str, tuple[int, ...] | None]:
    """The text folded character by character, and for each folded character where it came from (None: in
    place).
    """
    if text.isascii():
        return text.lower(), None
    forms: dict[str, str] = {}
    for character in set(text):
        forms[character] = normalize("NFKC", character).casefold()
    pieces = [forms[character] for character in text]
    folded = "".join(pieces)
    if len(folded) == len(text) and all(len(piece) == 1 for piece in pieces):
        return folded, None
    return folded, tuple(place for place, piece in enumerate(pieces) for _ in piece)
