"""Copies: texts that are the same but for spaces and forms of characters, and texts that nearly are.

Near copies are looked for among those whose MinHash signatures share a band (Broder 1997; one permutation in bins
after Li, Owen and Zhang 2012), and each candidate is then measured exactly. 136 bytes a chunk are held beside its
text's hash, never the texts; 100,000 chunks of 900 characters take about 40 s, where few resemble each other.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.health.model import Case, case_of
from engine.model import Chunk
from engine.rank.duplicates import NEAR, resemblance, shingles
from engine.rank.folded import spaced

BANDS, ROWS = 16, 4
"""Two texts that resemble each other by 0.8 share a band with a chance of 1 − (1 − 0.8⁴)¹⁶ = 99.98 %, by 0.5 with
64 %."""

LEAST = 40
"""Code points below which a text is like many others by chance, and only an exact copy is told."""

CANDIDATES = 20
"""Of one chunk that are measured: a text that lies in a thousand documents is told once each."""

_EMPTY = np.uint64(2**64 - 1)
_STEP = np.uint64(0x2545F4914F6CDD1D)


class Copies:
    """What is kept of every chunk seen: its text's hash, and the bands of its signature."""

    def __init__(self) -> None:
        self._texts: dict[bytes, list[int]] = defaultdict(list)
        self._numbers = array("q")
        self._bands = array("Q")

    def add(self, number: int, chunk: Chunk) -> None:
        """Take in a chunk under a number of its own."""
        text = spaced(chunk.text)
        self._texts[hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]].append(number)
        if len(text) >= LEAST:
            self._numbers.append(number)
            self._bands.frombytes(_bands(shingles(chunk.text)).tobytes())

    def same(self) -> Iterator[Sequence[int]]:
        """Numbers of chunks with one and the same text, two or more at a time."""
        return (numbers for numbers in self._texts.values() if len(numbers) > 1)

    def alike(self) -> Mapping[int, set[int]]:
        """For each number the earlier ones that may resemble it."""
        found: dict[int, set[int]] = defaultdict(set)
        numbers = np.asarray(self._numbers)
        for band in np.asarray(self._bands).reshape(-1, BANDS).T:
            order = np.argsort(band, kind="stable")
            starts = np.flatnonzero(np.diff(band[order])) + 1
            for group in np.split(numbers[order], starts):
                for place in range(1, len(group)):
                    found[int(group[place])].update(group[max(0, place - CANDIDATES) : place].tolist())
        return found


def _bands(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """``(BANDS,)``: a hash of each band of the signature: the least hash of each bin, an empty bin taking the one
    before it as another value."""
    bins = BANDS * ROWS
    spread = hashes * _STEP
    spread ^= spread >> np.uint64(29)
    least = np.full(bins, _EMPTY)
    np.minimum.at(least, (spread % np.uint64(bins)).astype(np.intp), spread >> np.uint64(6))
    for place in np.flatnonzero(least == _EMPTY).tolist():
        least[place] = (int(least[place - 1]) * int(_STEP) + place) % 2**64
    keys = np.zeros(BANDS, dtype=np.uint64)
    for row in least.reshape(BANDS, ROWS).T:
        keys = (keys ^ row) * _STEP
        keys ^= keys >> np.uint64(32)
    return keys


Read = Callable[[Sequence[int]], Mapping[int, Chunk]]
"""Chunks by number."""


def exact_copies(found: Copies, read: Read, *, cancel: CancelToken) -> Iterator[Case]:
    """Every chunk whose text an earlier one has. Raises ``Cancelled``."""
    for numbers in found.same():
        cancel.check()
        chunks = read(numbers)
        first = chunks[numbers[0]]
        for number in numbers[1:]:
            yield case_of("duplicate", chunks[number], f"the same text as {_name(first)}")


def near_copies(
    found: Copies, suspects: Mapping[int, set[int]], read: Read, *, cancel: CancelToken
) -> Iterator[Case | None]:
    """For each suspect, in order, the case of the earlier chunk that it resembles most; None where it does none, or is
    an exact copy. ``suspects`` are those of ``Copies.alike``. Raises ``Cancelled``."""
    repeated = {number for numbers in found.same() for number in numbers[1:]}
    for number, others in suspects.items():
        cancel.check()
        likely = sorted(others - repeated)[:CANDIDATES]
        yield None if number in repeated or not likely else _nearest(number, likely, read)


def _nearest(number: int, likely: Sequence[int], read: Read) -> Case | None:
    chunks = dict(read([number, *likely]))
    chunk = chunks.pop(number)
    alike, name = max((_likeness(chunk, other), _name(other)) for other in chunks.values())
    return case_of("near_duplicate", chunk, f"{alike:.0%} of it is also in {name}") if alike > NEAR else None


def _likeness(chunk: Chunk, other: Chunk) -> float:
    """Chunks of one document overlap as they were asked to."""
    if chunk.document_id == other.document_id:
        return 0.0
    return resemblance(*sorted((chunk.text, other.text)))


def _name(chunk: Chunk) -> str:
    return f"{chunk.path} chunk {chunk.ordinal}"
