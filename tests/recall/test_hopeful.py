"""The few best are the first of all that match, to the bit: passing over chunks changes nothing but the work."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.recall import bm25, cjk, fulltext
from engine.recall.analysis import analyse_query
from engine.recall.asked import Asked
from engine.recall.hopeful import among, hopeful, matched, still_hopeful
from tests.recall.shelf import Shelf

EVERYTHING = 1_000_000


def skewed(seed: int, texts: int, alphabet: str, separator: str) -> Shelf:
    """A shelf where some words stand in nearly every text and others in one, as in any language."""
    draw = random.Random(seed)
    weights = [1 / (rank + 1) ** 1.6 for rank in range(len(alphabet))]
    shelf = Shelf()
    for number in range(texts):
        words = draw.choices(alphabet, weights, k=draw.randrange(1, 40))
        shelf.put(f"{number:04}", separator.join(words))
    for gone in draw.sample(range(texts), texts // 8):
        shelf.drop(f"{gone:04}")
    return shelf


HAN = "的任务重试失败队列死信超时幂等租约缓存写回检索向量融合阈值"
LATIN = "abcdefghijklmnopqrstuvwxyz"


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 30), query=st.text(HAN[:14], min_size=1, max_size=16))
def test_the_best_by_cjk_are_the_first_of_all_that_match(seed: int, depth: int, query: str) -> None:
    assert_same(cjk, skewed(seed, 60, HAN, ""), query, depth)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6), depth=st.integers(1, 30), words=st.lists(st.sampled_from(LATIN), min_size=1)
)
def test_the_best_by_full_text_are_the_first_of_all_that_match(
    seed: int, depth: int, words: list[str]
) -> None:
    assert_same(fulltext, skewed(seed, 60, LATIN, " "), " ".join(words), depth)


def assert_same(channel, shelf: Shelf, query: str, depth: int) -> None:
    few, every = (shelf.hits(channel, query, depth=number) for number in (depth, EVERYTHING))
    assert few.cids.tolist() == every.cids[:depth].tolist()
    assert few.scores.tolist() == every.scores[:depth].tolist()
    assert (few.matched, few.terms) == (every.matched, every.terms) == (len(every.cids), few.terms)


def test_what_holds_common_words_alone_is_passed_over() -> None:
    shelf = Shelf()
    for number in range(400):
        shelf.put(f"common {number}", "the of and in to")
    for number in range(5):
        shelf.put(f"rare {number}", f"the replay of the lease {'lease ' * number}")
    query = "the replay of the lease"
    view = shelf.cache.reader(shelf.connection).view([1])
    asked = Asked(view, analyse_query(query).words, bm25.idf, CancelToken())
    known = bm25.collection(view.chunks, view.lengths("fulltext"), view.fulltext_length)
    streams = [*asked.streams()]
    found = matched(streams, view.size)
    slots = hopeful(streams, known, found, depth=3)
    assert np.count_nonzero(found) == 405
    assert 3 <= len(slots) <= 5
    scored = among(streams, slots, view.size).scored(known)
    assert np.count_nonzero(still_hopeful(scored, depth=3, boost=1.0)) == 3


@pytest.mark.parametrize("depth", [1, 5, 405])
def test_where_every_term_is_common_all_that_match_are_scored(depth: int) -> None:
    shelf = Shelf.of(*(f"the of {number}" for number in range(40)))
    assert_same(fulltext, shelf, "the of", depth)
