"""Where text may be cut: natural boundaries by kind, and the least harmful place where there is none. Pure.

A *finder* yields the boundaries of one kind in ``(low, high]``, ascending. The functions
that choose among them promise that a cut leaves every grapheme cluster whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from engine.text import (
    CLOSERS,
    LINE_END,
    WIDE,
    grapheme_ceiling,
    grapheme_floor,
    is_blank,
    is_grapheme_boundary,
    sentence_ends,
)

Finder = Callable[[str, int, int], Iterator[int]]

_NEWLINE = r"(?:\r\n|\n|\r)"
_BLANK_LINES = re.compile(rf"{_NEWLINE}(?:[^\S\r\n]*{_NEWLINE})+")
_AFTER_SENTENCE = re.compile(rf"[^\S\r\n]*{_NEWLINE}?")
_GAP = re.compile(rf"(?:[^\S\r\n\xa0\u2007\u202f]|\u200b)+|[、，：][{CLOSERS}]*[^\S\r\n]*")
_NEVER_FIRST = rf"{CLOSERS}。！？；：，、．…‥·｡､ーゝゞ々!?;:,.%％‰°"
_NEVER_LAST = r"“‘«‹（【［「『〈《｛〔〖〘〚｢(\[{$¥￥€£#＃@"
_BETWEEN = re.compile(rf"(?<=\s)|(?<![{_NEVER_LAST}])(?![\s{_NEVER_FIRST}])(?:(?<=[{WIDE}])|(?=[{WIDE}]))")
"""Places where a line could be broken: after white space, and on either side of a wide character."""

# --- natural boundaries ---------------------------------------------------------------------------------


def paragraph_ends(text: str, low: int, high: int) -> Iterator[int]:
    """After the blank lines between paragraphs."""
    return _ends(_BLANK_LINES, text, low, high)


def line_ends(text: str, low: int, high: int) -> Iterator[int]:
    """After a newline."""
    return _ends(LINE_END, text, low, high)


def sentences(text: str, low: int, high: int) -> Iterator[int]:
    """After a sentence and the blanks that follow it on its line, its newline included."""
    for end in sentence_ends(text, low, high):
        blanks = _AFTER_SENTENCE.match(text, end, high)
        yield blanks.end() if blanks else end


def gaps(text: str, low: int, high: int) -> Iterator[int]:
    """After a space, or a comma or colon of a script that writes no spaces."""
    return _ends(_GAP, text, low, high)


PROSE: tuple[Finder, ...] = (paragraph_ends, line_ends, sentences, gaps)
"""What running text of unknown structure is cut at, best first."""


def _ends(pattern: re.Pattern[str], text: str, low: int, high: int) -> Iterator[int]:
    for match in pattern.finditer(text, low, high):
        yield match.end()


def last_boundary(text: str, known: int, places: Iterable[int]) -> int | None:
    """The last of ascending ``places`` that cuts no cluster; ``known`` is a boundary before them."""
    for place in reversed([*places]):
        if is_grapheme_boundary(text, place, known):
            return place
    return None


def overlap_start(text: str, known: int, earliest: int, cut: int, finders: Iterable[Finder]) -> int | None:
    """Where a chunk that repeats text before ``cut`` should start: a boundary in ``[earliest, cut)``, or
    None.

    The first boundary of the best kind in the first half; a boundary nearer to the cut only if that has none.
    """
    finders = tuple(finders)
    middle = (earliest + cut) // 2
    for low, high in ((earliest - 1, middle), (middle, cut - 1)):
        for finder in finders:
            for place in finder(text, low, high):
                if is_grapheme_boundary(text, place, known) and not is_blank(text, place, cut):
                    return place
    return None


# --- no boundary ----------------------------------------------------------------------------------------


def hard_cut(text: str, start: int, low: int, high: int) -> int:
    """A cut in ``(low, high]`` where no natural boundary is; ``start`` is a boundary at or before ``low``.

    Not inside a word, number or address, not before a closing mark nor after an opening one, if the piece
    from there on fits a window; else anywhere between clusters. One cluster longer than the window is kept
    whole, the only case in which the answer lies beyond ``high``.
    """
    exact = exact_cut(text, start, low, high)
    if exact > high:
        return exact
    place = last_boundary(text, start, _line_breaks(text, low, exact))
    return exact if place is None else place


def exact_cut(text: str, start: int, low: int, high: int) -> int:
    """The cut in ``(low, high]`` nearest to ``high`` that leaves clusters whole, or the first beyond."""
    cut = grapheme_floor(text, high, start)
    return cut if cut > low else grapheme_ceiling(text, low + 1, start)


def _line_breaks(text: str, low: int, high: int) -> Iterator[int]:
    """Places in ``(low, high]`` where a line could be broken; one character more is read, to see what
    follows."""
    for place in _BETWEEN.finditer(text, low + 1, high + 1):
        if place.start() <= high:
            yield place.start()
