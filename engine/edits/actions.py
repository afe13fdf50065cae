"""What may be done to chunks, as pins that go and pins that come. Pure; raises ``UsageError`` with what cannot be
done, and why."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from engine.edits.pin import Pin, State, pin_at
from engine.errors import UsageError
from engine.model import EDIT_LIMIT
from engine.text import grapheme_floor, is_blank

DIFF_CHARACTERS = 4_000
"""Above it an edited text is not compared with its source character by character, but cut in proportion."""


@dataclass(frozen=True, slots=True)
class Source:
    """The revision that serves: what pins are made in."""

    document_id: str
    path: str
    revision: str
    parser: str
    text: str

    def pin(self, start: int, end: int, **made: object) -> Pin:
        return pin_at(self.document_id, self.path, self.revision, self.parser, self.text, start, end, **made)


@dataclass(frozen=True, slots=True)
class Held:
    """A retrievable chunk as it stands: its span in the source, and the pin that made it, if one did."""

    start: int
    end: int
    pin: Pin | None = None

    def effective(self, source: Source) -> str:
        return source.text[self.start : self.end] if self.pin is None else self.pin.effective


@dataclass(frozen=True, slots=True)
class Change:
    """One step: the pins that go, and those that come in their place."""

    removed: tuple[Pin, ...]
    added: tuple[Pin, ...]


def with_text(source: Source, held: Held, text: str) -> Change:
    """Another text in place of the chunk's; its own text again ends the edit."""
    _require_fit(text)
    if text == held.effective(source):
        raise UsageError("the text is what it was", "change it, or leave it")
    pin = _pin(source, held)
    return _changed(held, replace(pin, text=None if text == pin.base else text))


def with_state(source: Source, held: Held, state: State) -> Change:
    """Take the chunk out of use, put it into the bin, or let it serve again."""
    pin = _pin(source, held)
    if pin.state == state:
        raise UsageError(f"the chunk is {state} already", "nothing to do")
    return _changed(held, replace(pin, state=state))


def split(source: Source, held: Held, at: Sequence[int]) -> Change:
    """Cut the chunk at these places of its text, code points from its start; each piece becomes a chunk."""
    text = held.effective(source)
    cuts = sorted({grapheme_floor(text, place, 0) for place in at if 0 < place < len(text)})
    edges = [0, *cuts, len(text)]
    own = [held.start, *(place + held.start for place in _in_source(source, held, cuts)), held.end]
    pieces = [text[low:high] for low, high in pairwise(edges)]
    spans = list(pairwise(own))
    blank = any(is_blank(source.text, low, high) for low, high in spans) or any(map(is_blank, pieces))
    if len(spans) < 2 or blank:
        raise UsageError("a cut must leave text on both sides", "move it into the text")
    state = held.pin.state if held.pin is not None else "enabled"
    made = []
    for (low, high), piece in zip(spans, pieces, strict=True):
        changed = piece if piece != source.text[low:high] else None
        made.append(source.pin(low, high, text=changed, state=state, boundary=True))
    return Change(_present(held), tuple(made))


def merge(source: Source, chunks: Sequence[Held]) -> Change:
    """Neighbours in source order as one chunk; text that they share stands once, what lies between them stays."""
    if len(chunks) < 2:
        raise UsageError("there is no chunk to merge with", "choose another")
    if any(held.pin is not None and held.pin.state != "enabled" for held in chunks):
        raise UsageError("a chunk out of use cannot be merged", "enable or restore it first")
    parts: list[str] = []
    at = chunks[0].start
    for held in chunks:
        parts.append(source.text[at : held.start])
        own = held.pin is None or held.pin.text is None
        parts.append(source.text[max(at, held.start) : held.end] if own else held.effective(source))
        at = max(at, held.end)
    text, start, end = "".join(parts), chunks[0].start, max(held.end for held in chunks)
    _require_fit(text)
    changed = None if text == source.text[start:end] else text
    return Change(
        tuple(held.pin for held in chunks if held.pin is not None),
        (source.pin(start, end, text=changed, boundary=True),),
    )


def resolved(source: Source, conflict: Pin, span: tuple[int, int], text: str | None) -> Change:
    """A pin that has lost its place, put at ``span`` with a text of its own, or with what it had where None."""
    start, end = _inked(source.text, *span)
    if start == end:
        raise UsageError(
            "what the edit was made on is gone from the file",
            "copy its text from the history, or take the file's",
        )
    mine = conflict.text if text is None else text
    if mine is not None:
        _require_fit(mine)
    if mine == source.text[start:end]:
        mine = None
    state = "enabled" if text is not None else conflict.state
    return Change((conflict,), (source.pin(start, end, text=mine, state=state, boundary=True),))


def _changed(held: Held, pin: Pin) -> Change:
    return Change(_present(held), () if pin.idle else (pin,))


def _present(held: Held) -> tuple[Pin, ...]:
    return () if held.pin is None else (held.pin,)


def _pin(source: Source, held: Held) -> Pin:
    return held.pin if held.pin is not None else source.pin(held.start, held.end)


def _require_fit(text: str) -> None:
    if is_blank(text):
        raise UsageError("a chunk cannot be empty", "move it to the bin instead")
    if len(text) > EDIT_LIMIT:
        raise UsageError(
            f"the text would have {len(text):,} characters, and {EDIT_LIMIT:,} is the most", "shorten it"
        )


def _in_source(source: Source, held: Held, places: Sequence[int]) -> list[int]:
    """Where places of the effective text stand in the chunk's own, both from its start."""
    if held.pin is None or held.pin.text is None:
        return list(places)
    own, text = source.text[held.start : held.end], held.pin.text
    if len(own) + len(text) > DIFF_CHARACTERS:
        return [place * len(own) // len(text) for place in places]
    starts, ends = [0], [0]
    for same in SequenceMatcher(None, own, text, autojunk=False).get_matching_blocks():
        starts += [same.b, same.b + same.size]
        ends += [same.a, same.a + same.size]
    found = []
    for place in places:
        at = bisect_right(starts, place) - 1
        high = ends[at + 1] if at + 1 < len(ends) else len(own)
        found.append(min(ends[at] + place - starts[at], high))
    return found


def _inked(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its ends; empty where it holds no ink."""
    part = "" if is_blank(text, start, end) else text[start:end]
    left = len(part) - len(part.lstrip())
    return start + left, start + max(left, len(part.rstrip()))
