"""Both text channels find what FTS5 finds, in its order, with its scores, whatever was put, replaced, removed, merged."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.recall import cjk, fulltext
from engine.store import postings
from engine.store.postings import codec
from tests.recall.oracle import Oracle, fts5_idf
from tests.recall.shelf import Shelf

FRAGMENTS = [
    "自动重试最多三次", "使用Redis缓存", "资金决算法第三条", "任务转入死信队列", "书", "的",
    "一本书", "书店的缓存", "缓存和队列", "サーバー", "데이터베이스",
    "the queue retries", "dead letter", "timeout is per attempt", "a café in Łódź", "cafe", "naïve résumé",
    "max_retry_count = 3", "maxRetryCount", "node.js", "C++", "v1.1.6", "v1.16", "src/app/main.py", "E1234", "-x <x>",
    "GPT4模型", "pane_pid=3", "the pane died, pid 7", "don’t stop", "5㎏", "Ｃｌｏｕｄ１２３",
]  # fmt: skip

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map(" ".join)
joined = st.lists(st.sampled_from(FRAGMENTS), max_size=4).map("".join)
changes = st.lists(
    st.one_of(
        st.tuples(
            st.just("put"), st.integers(0, 12), texts, st.sampled_from(["", "缓存", "Queue"]), texts | joined
        ),
        st.tuples(st.just("drop"), st.integers(0, 12)),
        st.just(("merge",)),
        st.just(("reopen",)),
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(changes=changes, queries=st.lists(texts | joined, min_size=1, max_size=3))
def test_channels_agree_with_fts5_over_any_history(changes: list[Any], queries: list[str]) -> None:
    shelf, oracle = _after(changes)
    for query in queries:
        _agree(shelf, oracle, fulltext, query)
        _agree(shelf, oracle, cjk, query)
    assert postings.verify(shelf.connection, cancel=CancelToken()) == ()


@settings(max_examples=15, deadline=None)
@given(changes=changes)
def test_history_leaves_no_trace_in_the_bits_of_a_score(changes: list[Any]) -> None:
    """Whoever held the same chunks all along, or in one segment, gives the same bytes."""
    shelf, _ = _after(changes)
    fresh = Shelf()
    for cid, name in sorted(shelf.names.items(), key=lambda item: item[1]):
        title, headings, text = shelf.contents[cid]
        fresh.put(name, text, title=title, headings=headings)
    for query in ("自动重试 max_retry_count the queue", "café 缓存", "v1.1.6"):
        for channel in (fulltext, cjk):
            assert shelf.bits(channel, query) == fresh.bits(channel, query)


@pytest.mark.parametrize("block_bytes", [1, 40, 200])
def test_small_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    monkeypatch.setattr(codec, "BLOCK_BYTES", block_bytes)
    shelf, oracle = Shelf(), Oracle()
    for number in range(40):
        text = " ".join(FRAGMENTS[(number * step) % len(FRAGMENTS)] for step in (1, 3, 7, 11))
        oracle.put(shelf.put(f"{number:02}", text), "", (), text)
    assert shelf.merge() > 0
    for query in FRAGMENTS:
        _agree(shelf, oracle, fulltext, query)
        _agree(shelf, oracle, cjk, query)


def _after(changes: list[Any]) -> tuple[Shelf, Oracle]:
    shelf, oracle = Shelf(), Oracle()
    for what, *given_ in changes:
        if what == "put":
            name, title, heading, text = f"{given_[0]:02}", *given_[1:]
            for cid in [cid for cid, known in shelf.names.items() if known == name]:
                oracle.drop(cid)
            cid = shelf.put(name, text, title=title, headings=(heading,))
            oracle.put(cid, title, (heading,), text)
        elif what == "drop":
            for cid in [cid for cid, known in shelf.names.items() if known == f"{given_[0]:02}"]:
                oracle.drop(cid)
            shelf.drop(f"{given_[0]:02}")
        elif what == "merge":
            shelf.merge()
        else:
            shelf.cache = postings.Cache()
    return shelf, oracle


def _agree(shelf: Shelf, oracle: Oracle, channel: ModuleType, query: str) -> None:
    expected = (oracle.fulltext if channel is fulltext else oracle.cjk)(query)
    found = shelf.hits(channel, query, idf=fts5_idf)
    scores = dict(zip(found.cids.tolist(), found.scores.tolist(), strict=True))
    assert scores == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert found.matched == len(expected)
    order = found.cids.tolist()
    for first, second in pairwise(order):
        assert expected[first] >= expected[second] - 1e-9
        if scores[first] == scores[second]:
            assert shelf.names[first] < shelf.names[second]
    for rank, cid in enumerate(order, 1):
        stands = shelf.standing(channel, query, cid, idf=fts5_idf)
        assert (stands.rank, stands.score, stands.of) == (rank, scores[cid], len(order))
