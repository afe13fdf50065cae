"""What became of the lines of a text in another one. Pure.

The diff is Bram Cohen's "patience": the ends that both share, then the lines that stand once on either side, in
the longest order that both have, then the same between those. A line that could be any of several is not matched,
which is what an edit needs: no place rather than a wrong one. It takes n log n where a diff that looks for the
longest match (``difflib``) takes n² and more on a log of equal lines.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from engine.text import LineIndex

LEVELS = 32
"""How often a stretch between matched lines is looked at anew. Texts that were edited need three or four; one made
to be slow would take as many as it has lines."""


class Block(NamedTuple):
    """``size`` lines that are the same from line ``old`` of the one text and from line ``new`` of the other."""

    old: int
    new: int
    size: int


class _Stretch(NamedTuple):
    """Lines of both texts that are still to be matched with each other."""

    old: int
    old_end: int
    new: int
    new_end: int
    level: int


@dataclass(frozen=True, slots=True)
class LineMap:
    """Two texts and the lines that they share: the ``blocks`` in order, the ``starts`` of the lines of each."""

    blocks: tuple[Block, ...]
    old: Sequence[int]
    new: Sequence[int]
    new_length: int

    @classmethod
    def of(cls, source: str, text: str) -> LineMap:
        old, new = LineIndex.of(source).starts, LineIndex.of(text).starts
        return cls(tuple(same_lines(_lines(source, old), _lines(text, new))), old, new, len(text))

    def moved(self, place: int) -> int | None:
        """Where the character at ``place`` of the source stands in the text, if its line is kept; of a longer end
        of a line, at the end of the shorter."""
        line = bisect_right(self.old, place) - 1
        at = bisect_right(self.blocks, line, key=lambda block: block.old) - 1
        if at < 0 or line >= self.blocks[at].old + self.blocks[at].size:
            return None
        new = self.blocks[at].new + line - self.blocks[at].old
        end = self.new[new + 1] if new + 1 < len(self.new) else self.new_length
        return min(self.new[new] + place - self.old[line], end - 1)

    def nearby(self, start: int, end: int) -> tuple[int, int]:
        """The span of the lines of the text that stand where ``source[start:end]`` stood; empty where none does.

        For a person to look at: what has become of a place that no rule finds again.
        """
        first, last = bisect_right(self.old, start) - 1, bisect_right(self.old, end - 1) - 1
        low, high = 0, len(self.new)
        for block in self.blocks:
            if block.old <= first:
                low = block.new + min(first - block.old, block.size)
            if block.old + block.size > last:
                high = block.new + max(last + 1 - block.old, 0)
                break
        bounds = [*self.new, self.new_length]
        return bounds[low], bounds[max(low, high)]


def same_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """The lines that both texts share, as blocks that rise in both."""
    at = None
    for block in sorted(_blocks(old, new)):
        if at is not None and (at.old + at.size, at.new + at.size) == (block.old, block.new):
            at = Block(at.old, at.new, at.size + block.size)
        else:
            if at is not None:
                yield at
            at = block
    if at is not None:
        yield at


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    todo = [_Stretch(0, len(old), 0, len(new), 0)]
    while todo:
        stretch = todo.pop()
        ahead = _shared(old, new, stretch)
        if ahead:
            yield Block(stretch.old, stretch.new, ahead)
        rest = stretch._replace(old=stretch.old + ahead, new=stretch.new + ahead)
        behind = _shared_behind(old, new, rest)
        if behind:
            yield Block(rest.old_end - behind, rest.new_end - behind, behind)
        rest = rest._replace(old_end=rest.old_end - behind, new_end=rest.new_end - behind)
        if rest.level < LEVELS and rest.old < rest.old_end and rest.new < rest.new_end:
            todo += _between(_once(old, new, rest), rest)


def _between(anchors: Sequence[tuple[int, int]], rest: _Stretch) -> Iterator[_Stretch]:
    """The stretches that begin with an anchor, and the one before the first; none where there is no anchor."""
    if not anchors:
        return
    edges = [(rest.old, rest.new), *anchors, (rest.old_end, rest.new_end)]
    for (old, new), (old_end, new_end) in pairwise(edges):
        yield _Stretch(old, old_end, new, new_end, rest.level + 1)


def _once(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> list[tuple[int, int]]:
    """Lines that stand once in either part, in the longest order that both have."""
    here = Counter(old[stretch.old : stretch.old_end])
    there = Counter(new[stretch.new : stretch.new_end])
    places = {new[place]: place for place in range(stretch.new, stretch.new_end) if there[new[place]] == 1}
    pairs = [
        (place, places[old[place]])
        for place in range(stretch.old, stretch.old_end)
        if here[old[place]] == 1 and old[place] in places
    ]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs, rising in the first, that rises in the second too (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, new) in enumerate(pairs):
        pile = bisect_left(tops, new)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(new)
            piles.append(number)
        else:
            tops[pile], piles[pile] = new, number
    found: list[tuple[int, int]] = []
    at = piles[-1] if piles else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _shared(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> int:
    """How many lines are the same at the beginning of both parts."""
    most = min(stretch.old_end - stretch.old, stretch.new_end - stretch.new)
    return next((n for n in range(most) if old[stretch.old + n] != new[stretch.new + n]), most)


def _shared_behind(old: Sequence[str], new: Sequence[str], stretch: _Stretch) -> int:
    """How many lines are the same at the end of both parts."""
    most = min(stretch.old_end - stretch.old, stretch.new_end - stretch.new)
    return next(
        (n for n in range(most) if old[stretch.old_end - 1 - n] != new[stretch.new_end - 1 - n]), most
    )


def _lines(text: str, starts: Sequence[int]) -> list[str]:
    """The lines without their ends: that of the last line comes and goes with what follows it."""
    return [text[start:end].rstrip("\r\n") for start, end in pairwise([*starts, len(text)])]
