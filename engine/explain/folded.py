"""A text without white space, width and case, and where each of its characters came from: by this a pasted text
is found though a terminal wrapped it. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize


def bare(text: str) -> str:
    """The text in NFKC, case folded, without white space, character by character."""
    return "".join(_form(character) for character in text)


def spans_of(needle: str, text: str) -> Iterator[tuple[int, int]]:
    """Every ``[start, end)`` of ``text`` that equals the needle but for white space, width and case; none
    overlaps the one before. A character whose form is met in part (``ﬁ`` by an i) is taken whole."""
    wanted = bare(needle)
    if not wanted:
        return
    folded: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        form = _form(character)
        folded.append(form)
        origin.extend([place] * len(form))
    whole = "".join(folded)
    at = whole.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        yield origin[at], origin[end - 1] + 1
        at = whole.find(wanted, end)


class _Forms(dict[str, str]):
    """Each character's form, made once."""

    def __missing__(self, character: str) -> str:
        form = normalize("NFKC", character).casefold()
        self[character] = "".join(form.split())
        return self[character]


_FORMS = _Forms()


def _form(character: str) -> str:
    return _FORMS[character]
