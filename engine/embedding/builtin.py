"""The built-in embedder ``hash``: hashed character n-grams. No model, no statistics; lexical, not semantic.

Runs of Han, kana and Hangul give single characters and pairs; every other word gives itself and, with a mark
at either end, its runs of four characters (as fastText's subwords: Bojanowski et al., 2017). Each adds
``± weight · √count`` to one of 1,024 components (feature hashing: Weinberger et al., 2009). Words that carry
grammar and no topic count a tenth: with so few components, what is common to all texts drowns what tells them
apart.

All is done on whole batches of code points in numpy: a loop over characters gives 150 to 240 chunks of 1,000
characters a second, this more than 2,000.

The same text gives the same bits in every process and on every platform: hashes are integers, sums run in a
fixed order, square roots are correctly rounded, and the one sum whose order numpy would choose is
``math.fsum``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.cancel import CancelToken
from engine.embedding.protocol import Vectors, clean, embedder_fingerprint, require_vector

DIMENSIONS = 1_024
BATCH = 1 << 16
"""Code points worked on at once: about 25 ms and 12 MiB."""

GRAM = 4
WORD_WEIGHT, GRAM_WEIGHT, PAIR_WEIGHT, SINGLE_WEIGHT = 1.5, 1.0, 1.0, 1.0
GRAMMAR_WEIGHT = 0.1
"""What a grammatical word counts of a word. Chosen with the rest on XQuAD: Recall@1 0.84 zh and 0.87 en,
where all n-grams of 3 to 5 characters alike give 0.83 and 0.83."""
PARTICLE_WEIGHT, PARTICLE_PAIR_WEIGHT = 0.3, 0.55

GRAMMAR = (
    "a about after all also an and are as at be been before between but by can did do does during for "
    "from had has have he her him his how if in into is it its many more most much no not of on one "
    "only or other out over she some such than that the their them then there they this to two under up "
    "was were what when where which who whom whose why with would"
)
PARTICLES = "的了是在和有一不人这中为上个以到我们他她它之与及等对也其于被而或就都还"

_DENSE = (
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u30ff\u3105-\u318f\u31a0-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts whose words are a few characters long and stand close together, as a class for ``re``."""
_WORD = re.compile(rf"[{_DENSE}]+|[^\W_{_DENSE}]+")
_WIDE_SIGNS = re.compile(
    "[\u3000-\u3004\u3008-\u3020\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u30fb]+"
)
"""Wide punctuation. With it taken out first, most texts are in NFKC already: 20 µs, not 140, to fold."""

_SPACED_KIND, _DENSE_KIND, _PARTICLE_KIND = 0, 1, 2
_SPACE = ord(" ")
_HASH_BITS = np.uint64(40)

Points = NDArray[np.uint32]
Hashes = NDArray[np.uint64]
Flags = NDArray[np.bool_]


class HashEmbedder:
    """Hashed character n-grams. Holds nothing; safe from any number of threads at once."""

    name = "hash"
    model = "character n-grams 1"
    dimensions = DIMENSIONS
    semantic = False
    note = "lexical, not semantic"
    loaded = True
    fingerprint = embedder_fingerprint(name, model=model, dimensions=DIMENSIONS)

    def load(self, *, cancel: CancelToken | None = None) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str], *, cancel: CancelToken) -> Vectors:
        """``(n, 1024) float32``. A text without any character to compare is a row of zeros."""
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        start = 0
        for batch in _batches(texts):
            cancel.check()
            rows[start : start + len(batch)] = _embed(batch)
            start += len(batch)
        return rows

    def embed_query(self, text: str, *, cancel: CancelToken) -> Vectors:
        """``(1024,) float32``. Raises ``EmbedderError`` where the text has no character to compare."""
        return require_vector(self.embed([text], cancel=cancel)[0], self.name)


def fold(text: str) -> str:
    """The words of a text as they are compared: NFKC, case folded, dense scripts apart, spaces around each.

    A text of nothing but signs keeps them, so that it too can be found.
    """
    text = clean(text)
    words = _WORD.findall(_folded(_WIDE_SIGNS.sub(" ", text))) or _folded(text).split()
    return f" {' '.join(words)} "


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Folded texts in groups of about ``BATCH`` code points, a longer text alone."""
    batch: list[str] = []
    size = 0
    for text in texts:
        folded = fold(text)
        if batch and size + len(folded) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(folded)
        size += len(folded)
    if batch:
        yield batch


# --- features -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Feature:
    """All occurrences of one kind: ``(m,) uint64`` of ``text number << 40 | hash``, and what one counts."""

    keys: Hashes
    weight: float


def _embed(folded: Sequence[str]) -> Vectors:
    """Unit vectors of folded texts, all at once."""
    sums = np.zeros(len(folded) * DIMENSIONS)
    for feature in _features(folded):
        grams, counts = np.unique(feature.keys, return_counts=True)
        place = (grams >> _HASH_BITS) * np.uint64(DIMENSIONS) + (grams & np.uint64(DIMENSIONS - 1))
        signed = np.where(grams & np.uint64(DIMENSIONS), -feature.weight, feature.weight) * np.sqrt(counts)
        sums += np.bincount(place.astype(np.int64), weights=signed, minlength=len(sums))
    rows = sums.reshape(len(folded), DIMENSIONS)
    lengths = np.array([math.sqrt(math.fsum(squares)) for squares in (rows * rows).tolist()])
    return (rows / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32)


def _features(folded: Sequence[str]) -> Iterator[_Feature]:
    """Every feature of every text. Two spaces stand between two texts, and nothing spans them."""
    points = np.frombuffer("".join(folded).encode("utf-32-le"), dtype="<u4")
    owner = np.repeat(np.arange(len(folded), dtype=np.uint64), [len(text) for text in folded])
    kind = _kinds()[points]
    yield from _dense(points, owner, kind)
    yield from _spaced(points, owner, kind == _SPACED_KIND)


def _dense(points: Points, owner: Hashes, kind: NDArray[np.uint8]) -> Iterator[_Feature]:
    """Single characters and overlapping pairs of dense scripts; those with a particle count less."""
    if not kind.any():
        return
    wide = points.astype(np.uint64)
    singles = _keys(owner, _mix(wide + np.uint64(1 << 32)))
    yield _Feature(singles[kind == _DENSE_KIND], SINGLE_WEIGHT)
    yield _Feature(singles[kind == _PARTICLE_KIND], PARTICLE_WEIGHT)
    pairs = _keys(owner[:-1], _mix(_mix(wide[:-1] + np.uint64(2 << 32)) + wide[1:]))
    inside = (kind[:-1] > 0) & (kind[1:] > 0)
    weak = (kind[:-1] == _PARTICLE_KIND) | (kind[1:] == _PARTICLE_KIND)
    yield _Feature(pairs[inside & ~weak], PAIR_WEIGHT)
    yield _Feature(pairs[inside & weak], PARTICLE_PAIR_WEIGHT)


def _spaced(points: Points, owner: Hashes, spaced: Flags) -> Iterator[_Feature]:
    """Whole words, and their runs of four characters, the spaces around them included."""
    space = points == _SPACE
    begins = np.flatnonzero(space)
    words = _word_hashes(points, begins)
    is_word = (np.diff(begins, append=len(points)) > 1) & spaced[np.minimum(begins + 1, len(points) - 1)]
    grammar = np.isin(words, _grammar())
    for kept, weight in ((~grammar, 1.0), (grammar, GRAMMAR_WEIGHT)):
        yield _Feature(_keys(owner[begins], words)[is_word & kept], WORD_WEIGHT * weight)
    starts = len(points) - GRAM + 1
    if starts <= 0:
        return
    inside = spaced[:starts] & spaced[GRAM - 1 :]
    for place in range(1, GRAM - 1):
        inside &= ~space[place : place + starts] & spaced[place : place + starts]
    hashes = np.full(int(inside.sum()), 4 << 32, dtype=np.uint64)
    for place in range(GRAM):
        hashes = _mix(hashes + points[place : place + starts][inside])
    keys = _keys(owner[:starts][inside], hashes)
    weak = np.repeat(grammar, np.diff(begins, append=len(points)))[:starts][inside]
    yield _Feature(keys[~weak], GRAM_WEIGHT)
    yield _Feature(keys[weak], GRAM_WEIGHT * GRAMMAR_WEIGHT)


# --- hashing ------------------------------------------------------------------------------------------------


def _keys(owner: Hashes, hashes: Hashes) -> Hashes:
    return (owner << _HASH_BITS) | (hashes >> np.uint64(64 - 40))


def _word_hashes(points: Points, begins: NDArray[np.int64]) -> Hashes:
    """One hash for each word, a space and what follows: the sum over its characters, each with its place."""
    place = np.arange(len(points), dtype=np.uint64) - np.repeat(
        begins, np.diff(begins, append=len(points))
    ).astype(np.uint64)
    return _mix(np.add.reduceat(_mix((place << np.uint64(32)) + points), begins))


def _mix(values: Hashes) -> Hashes:
    """The finaliser of SplitMix64 (Steele et al., 2014): every bit of the input reaches every bit."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@lru_cache(maxsize=1)
def _grammar() -> Hashes:
    """The hashes of the grammatical words."""
    points = np.frombuffer(f" {GRAMMAR}".encode("utf-32-le"), dtype="<u4")
    return _word_hashes(points, np.flatnonzero(points == _SPACE))


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    """The kind of every code point, ``(0x110000,) uint8``."""
    kinds = np.full(0x110000, _SPACED_KIND, dtype=np.uint8)
    for first, last in re.findall(r"(.)-(.)", _DENSE):
        kinds[ord(first) : ord(last) + 1] = _DENSE_KIND
    kinds[[ord(particle) for particle in PARTICLES]] = _PARTICLE_KIND
    return kinds
