"""Postings: what is put is there, what is removed is not, merging changes neither, and damage is told."""

from __future__ import annotations

import sqlite3
import threading
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.errors import Cancelled, CorruptIndexError
from engine.store import postings
from engine.store.connect import connect, prepare, write
from engine.store.postings import ChunkTerms, Counts, codec, tiers
from engine.store.postings.tiers import DEAD_SHARE, FANOUT

Held = dict[str, dict[int, float]]


@pytest.fixture
def connection(tmp_path) -> sqlite3.Connection:
    path = tmp_path / "postings.sqlite"
    opened = connect(path, synchronous="OFF")
    prepare(opened, path, version=1, schema=postings.SCHEMA)
    yield opened
    opened.close()


def terms(**frequencies: int) -> ChunkTerms:
    return ChunkTerms(frequencies, sum(frequencies.values()), 0)


def held(connection: sqlite3.Connection, *names: str, label_sets: tuple[int, ...] = (1,)) -> Held:
    """Term → cid → frequency, as a new reader sees it."""
    view = postings.Reader(connection).view(label_sets)
    found: Held = {}
    for name in names:
        slots, frequencies = view.posting(name)
        found[name] = dict(zip(view.cids(slots).tolist(), frequencies.tolist(), strict=True))
    return found


def merge_all(connection: sqlite3.Connection, *, at_rest: bool = False) -> int:
    merges = 0
    while postings.merge(connection, cancel=CancelToken(), at_rest=at_rest):
        merges += 1
    return merges


# --- a single character ---


def test_all_terms_of_a_character_cost_one_reading_of_each_block(connection) -> None:
    names = [f"{first}{chr(0x4E00 + number)}" for first in "任务队" for number in range(400)]
    with write(connection):
        for segment in range(3):
            cids = range(segment * 40, segment * 40 + 40)
            postings.add(connection, 1, [(cid, ChunkTerms(dict.fromkeys(names, 2), 0, 9)) for cid in cids])
    postings.remove(connection, [5])
    blocks = connection.execute("SELECT count(*) FROM posting_block").fetchone()[0]
    view = postings.Reader(connection).view([1])
    read: list[str] = []
    connection.set_trace_callback(read.append)
    slots, frequencies = view.posting_of_character("务")
    connection.set_trace_callback(None)
    assert view.cids(slots).tolist() == [cid for cid in range(120) if cid != 5]
    assert set(frequencies.tolist()) == {800.0}
    assert blocks > 1
    assert sum("posting_block" in statement for statement in read) <= blocks


# --- adding and removing ------------------------------------------------------------------------------------


def test_what_is_added_is_seen_at_once_in_the_same_transaction(connection) -> None:
    with write(connection):
        postings.add(connection, 1, [(7, terms(a=2, b=1)), (3, terms(a=1))])
        assert held(connection, "a", "b", "c") == {"a": {3: 1, 7: 2}, "b": {7: 1}, "c": {}}


def test_a_rolled_back_segment_leaves_nothing_not_even_in_the_cache(connection) -> None:
    cache = postings.Cache()
    connection.execute("BEGIN IMMEDIATE")
    postings.add(connection, 1, [(1, terms(a=1))])
    assert len(cache.reader(connection).view([1]).posting("a")[0]) == 1
    connection.execute("ROLLBACK")
    with write(connection):
        postings.add(connection, 1, [(2, terms(b=1))])
    view = cache.reader(connection).view([1])
    assert (len(view.posting("a")[0]), view.cids(view.posting("b")[0]).tolist()) == (0, [2])


def test_removing_counts_what_was_there_and_forgives_what_was_not(connection) -> None:
    postings.add(connection, 1, [(cid, terms(a=cid)) for cid in (1, 2, 3)])
    assert postings.remove(connection, [2, 3, 99]) == 2
    assert postings.remove(connection, [2]) == 0
    assert held(connection, "a") == {"a": {1: 1}}
    assert postings.counts(connection, [1]) == Counts(1, 1, 1, 0)


def test_a_segment_whose_last_chunk_goes_goes_whole(connection) -> None:
    postings.add(connection, 1, [(1, terms(a=1)), (2, terms(a=1))])
    postings.remove(connection, [1])
    postings.remove(connection, [2])
    assert postings.counts(connection, [1]) == Counts(0, 0, 0, 0)
    assert [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("posting_segment", "posting_chunk", "posting_block")] == [0, 0, 0]  # fmt: skip


def test_chunks_without_terms_count_as_chunks(connection) -> None:
    postings.add(connection, 1, [(1, terms()), (2, terms())])
    postings.add(connection, 1, [(3, terms(a=1))])
    assert postings.Reader(connection).view([1]).chunks == 3
    assert held(connection, "a") == {"a": {3: 1}}


def test_label_sets_are_apart_and_add_up(connection) -> None:
    postings.add(connection, 1, [(1, terms(a=1))])
    postings.add(connection, 2, [(2, terms(a=2, b=1))])
    assert held(connection, "a", "b") == {"a": {1: 1}, "b": {}}
    assert held(connection, "a", label_sets=(2, 1, 2)) == {"a": {1: 1, 2: 2}}
    assert postings.counts(connection, [1, 2]) == Counts(2, 2, 4, 0)
    assert held(connection, "a", label_sets=()) == {"a": {}}


def test_a_chunk_may_move_to_another_label_set(connection) -> None:
    postings.add(connection, 1, [(1, terms(a=1)), (2, terms(a=1))])
    postings.remove(connection, [1])
    postings.add(connection, 2, [(1, terms(a=1))])
    assert held(connection, "a") == {"a": {2: 1}}
    assert held(connection, "a", label_sets=(2,)) == {"a": {1: 1}}
    assert postings.Reader(connection).view([1]).slots(np.array([1, 2, 9])).tolist() == [-1, 1, -1]


# --- merging ------------------------------------------------------------------------------------------------

changes = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"),
            st.lists(
                st.dictionaries(st.sampled_from("abcdef缓存書"), st.integers(1, 70_000), max_size=5),
                max_size=4,
            ),
        ),
        st.tuples(st.just("remove"), st.sets(st.integers(1, 60), max_size=8)),
        st.tuples(st.just("merge"), st.booleans()),
    ),
    max_size=40,
)


@settings(max_examples=80, deadline=None)
@given(changes=changes, block_bytes=st.sampled_from([1, 30, codec.BLOCK_BYTES]))
def test_any_history_holds_what_a_dictionary_holds(changes, block_bytes: int) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(postings.SCHEMA)
    cache = postings.Cache(limit=4_000)
    naive: dict[int, dict[str, int]] = {}
    cid = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "BLOCK_BYTES", block_bytes)
        for what, *given_ in changes:
            if what == "add":
                chunks = [(cid := cid + 1, terms(**chunk)) for chunk in given_[0]]
                postings.add(connection, 1, chunks)
                naive |= {number: dict(chunk.frequencies) for number, chunk in chunks}
            elif what == "remove":
                assert postings.remove(connection, given_[0]) == len(given_[0] & naive.keys())
                naive = {number: chunk for number, chunk in naive.items() if number not in given_[0]}
            else:
                merge_all(connection, at_rest=given_[0])
    view = cache.reader(connection).view([1])
    assert (view.chunks, view.fulltext_length) == (
        len(naive),
        sum(sum(chunk.values()) for chunk in naive.values()),
    )
    for term in "abcdef缓存書":
        slots, frequencies = view.posting(term)
        expected = {number: chunk[term] for number, chunk in naive.items() if term in chunk}
        assert dict(zip(view.cids(slots).tolist(), frequencies.tolist(), strict=True)) == expected
        assert (np.diff(slots) > 0).all()
    assert postings.verify(connection, cancel=CancelToken()) == ()
    connection.close()


def test_segments_stay_few_and_each_merge_makes_fewer(connection) -> None:
    for cid in range(1, 201):
        postings.add(connection, 1, [(cid, terms(a=1))])
        before = postings.counts(connection, [1]).segments
        while postings.merge(connection, cancel=CancelToken()):
            after = postings.counts(connection, [1]).segments
            assert after < before
            before = after
    assert postings.counts(connection, [1]).segments < 3 * FANOUT
    assert len(held(connection, "a")["a"]) == 200


def test_a_segment_of_many_tombstones_is_rewritten_without_them(connection) -> None:
    postings.add(connection, 1, [(cid, terms(a=1)) for cid in range(1, 101)])
    postings.remove(connection, range(1, int(100 * DEAD_SHARE) + 1))
    assert merge_all(connection) == 0
    postings.remove(connection, [26])
    assert merge_all(connection) == 1
    assert postings.Reader(connection).view([1]).size == 74


def test_at_rest_what_was_built_is_one_segment_and_a_little_more_stays_beside_it(connection) -> None:
    for first in range(1, 40, 3):
        postings.add(connection, 1, [(cid, terms(a=1)) for cid in range(first, first + 3)])
        merge_all(connection)
    assert postings.counts(connection, [1]).segments > 1
    assert merge_all(connection, at_rest=True) == 1
    assert postings.counts(connection, [1]) == Counts(1, 39, 39, 0)
    postings.add(connection, 1, [(cid, terms(a=1)) for cid in range(40, 49)])
    assert merge_all(connection, at_rest=True) == 0
    postings.add(connection, 1, [(49, terms(a=1))])
    assert merge_all(connection, at_rest=True) == 1
    assert len(held(connection, "a")["a"]) == 49


@pytest.mark.parametrize("at_rest", [False, True])
def test_label_sets_never_merge_into_each_other(connection, at_rest: bool) -> None:
    for cid in range(1, 2 * FANOUT - 1):
        postings.add(connection, 1 + cid % 2, [(cid, terms(a=1))])
    merge_all(connection, at_rest=at_rest)
    assert postings.counts(connection, [1]).chunks == postings.counts(connection, [2]).chunks == FANOUT - 1
    assert (postings.counts(connection, [1, 2]).segments == 2) is at_rest


def test_a_cancelled_merge_is_undone_by_its_transaction(connection) -> None:
    for cid in range(1, FANOUT + 1):
        postings.add(connection, 1, [(cid, terms(a=1))])
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled), write(connection):
        postings.merge(connection, cancel=cancel)
    assert postings.counts(connection, [1]).segments == FANOUT
    assert postings.verify(connection, cancel=CancelToken()) == ()


def test_a_merge_holds_windows_and_not_the_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes: eight times the terms and postings take no more memory at once."""
    monkeypatch.setattr(codec, "BLOCK_BYTES", 500)
    monkeypatch.setattr(tiers, "WINDOW_BYTES", 2_000)
    assert _merging_peak(8_000) < 1.5 * _merging_peak(1_000)


def _merging_peak(vocabulary: int) -> int:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(postings.SCHEMA)
    for first in range(0, FANOUT * 16, 16):
        words = [f"t{number}" for number in range(vocabulary)]
        chunks = [(first + n + 1, terms(**dict.fromkeys(words[n::4], 1))) for n in range(16)]
        postings.add(connection, 1, chunks)
    del chunks, words
    tracemalloc.start()
    assert postings.merge(connection, cancel=CancelToken())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    connection.close()
    return peak


# --- reading ------------------------------------------------------------------------------------------------


def test_the_cache_stays_within_its_bytes_from_many_threads(tmp_path) -> None:
    path = tmp_path / "postings.sqlite"
    writer = connect(path, synchronous="OFF")
    prepare(writer, path, version=1, schema=postings.SCHEMA)
    names = [f"t{number}" for number in range(300)]
    for cid in range(1, 6):
        postings.add(writer, 1, [(cid, terms(**dict.fromkeys(names, cid)))])
    cache = postings.Cache(limit=20_000)
    wrong: list[object] = []

    def look() -> None:
        connection = connect(path, synchronous="OFF")
        view = cache.reader(connection).view([1])
        wrong.extend(name for name in names if view.posting(name)[1].tolist() != [1, 2, 3, 4, 5])
        connection.close()

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert (wrong, cache.nbytes <= cache.limit) == ([], True)


def test_a_reader_keeps_its_state_while_others_write(tmp_path) -> None:
    path = tmp_path / "postings.sqlite"
    writer, reader = connect(path, synchronous="OFF"), connect(path, synchronous="OFF")
    prepare(writer, path, version=1, schema=postings.SCHEMA)
    for cid in range(1, FANOUT + 1):
        postings.add(writer, 1, [(cid, terms(a=1))])
    reader.execute("BEGIN")
    view = postings.Reader(reader).view([1])
    with write(writer):
        postings.remove(writer, [1])
        merge_all(writer)
    assert len(view.posting("a")[0]) == FANOUT
    reader.execute("ROLLBACK")
    assert len(held(reader, "a")["a"]) == FANOUT - 1
    reader.close()
    writer.close()


# --- damage -------------------------------------------------------------------------------------------------

FLIP = "UPDATE {0} SET {1} = CAST(substr({1}, 1, {2}) || x'ff' || substr({1}, {2} + 2) AS BLOB)"


@pytest.mark.parametrize(
    "harm",
    [
        *(FLIP.format("posting_block", "data", at) for at in (0, 5, 30, 60)),
        FLIP.format("posting_chunk", "data", 20),
        "UPDATE posting_block SET data = x''",
        "UPDATE posting_block SET data = substr(data, 1, length(data) - 1)",
        "UPDATE posting_chunk SET data = 'text'",
        "DELETE FROM posting_block WHERE first = (SELECT max(first) FROM posting_block)",
        "DELETE FROM posting_block WHERE first = x''",
        "DELETE FROM posting_chunk WHERE segment = 1",
        "DELETE FROM posting_segment WHERE segment = 1",
        "UPDATE posting_segment SET dead = x'00' WHERE segment = 1",
        "UPDATE posting_segment SET live = live - 1",
        "UPDATE posting_total SET chunks = chunks + 1",
        "DROP TABLE posting_block",
    ],
)
def test_damage_is_told_and_verified(connection, monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    """FT-11: a flipped byte, a lost row, a lost table: an error with its remedy, never "nothing found"."""
    monkeypatch.setattr(codec, "BLOCK_BYTES", 20)
    postings.add(connection, 1, [(cid, terms(alpha=1, beta=2, gamma=3, omega=cid)) for cid in (1, 2, 3)])
    assert postings.verify(connection, cancel=CancelToken()) == ()
    connection.execute(harm)
    with pytest.raises(CorruptIndexError, match="rebuild"):
        held(connection, "alpha", "beta", "gamma", "omega", "zeta")
    if "DROP" not in harm:
        assert postings.verify(connection, cancel=CancelToken()) != ()


def test_a_crafted_posting_cannot_point_outside_its_segment(connection) -> None:
    run = codec.TermRun([b"a"], np.array([1]), np.array([9]), np.array([1]))
    ((_, data),) = codec.encode_blocks([run])
    with pytest.raises(CorruptIndexError, match="does not hold"):
        codec.Block(data).posting(b"a", 9)
