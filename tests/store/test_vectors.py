"""Slots and page files: what was committed is there, what was not never existed, what is damaged says so."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.errors import Cancelled, CorruptIndexError, DiskFullError
from engine.store import vector_pages, vectors
from engine.store.vector_pages import PageFile, page_rows
from engine.store.vectors import SlotRow, append, clear, compact, damaged, foreign, remove, unreferenced

DIM = 4


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three vectors a page, so that a handful of them make several."""
    monkeypatch.setattr(vector_pages, "PAGE_BYTES", 3 * DIM * 4)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = database()
    yield opened
    opened.close()


def database() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(vectors.SCHEMA)
    connection.execute("BEGIN")
    return connection


def commit(connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")
    connection.execute("BEGIN")


def rollback(connection: sqlite3.Connection) -> None:
    connection.execute("ROLLBACK")
    connection.execute("BEGIN")


def rows(*cids: int, label_set: int = 1) -> list[SlotRow]:
    return [SlotRow(cid, label_set, f"hash {cid}") for cid in cids]


def units(*seeds: int) -> np.ndarray:
    found = np.array([np.random.default_rng(seed).standard_normal(DIM) for seed in seeds])
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def add(
    connection: sqlite3.Connection, folder: Path, *cids: int, fingerprint: str = "f", label_set: int = 1
) -> None:
    assert append(connection, folder, fingerprint, rows(*cids, label_set=label_set), units(*cids)) == ()


def stored(connection: sqlite3.Connection, folder: Path, fingerprint: str = "f") -> dict[int, bytes]:
    """Every live vector as a reader finds it: cid → bytes. Fails on a damaged page."""
    file = vectors.vector_file(connection, fingerprint)
    found: dict[int, bytes] = {}
    if file is None:
        return found
    with PageFile(folder / file.name, file.dimensions) as source:
        for each in vectors.pages(connection, file):
            page = source.page(each.number, len(each.slots), each.checksum)
            assert page is not None
            for slot, row in zip(each.slots, page, strict=True):
                if slot["label_set"] != vectors.TOMBSTONE:
                    found[int(slot["cid"])] = row.tobytes()
    assert file.live == len(found)
    return found


def expected(*cids: int) -> dict[int, bytes]:
    return {cid: vectors.normalised(units(cid))[0].tobytes() for cid in cids}


# --- append ----------------------------------------------------------------------------------------------------


def test_what_is_appended_is_read_back_over_page_borders(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2)
    add(connection, tmp_path, 3, 4, 5, 6, 7)
    assert stored(connection, tmp_path) == expected(1, 2, 3, 4, 5, 6, 7)


def test_bytes_are_synced_before_any_slot_is_written(connection: sqlite3.Connection, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []

    def step(name: str) -> None:
        file = vectors.vector_file(connection, "f")
        assert file is not None
        seen.append((name, file.slots, (tmp_path / file.name).stat().st_size))

    append(connection, tmp_path, "f", rows(1, 2), units(1, 2), steps=step)
    assert seen == [("pages.synced", 0, 2 * DIM * 4)]


def test_vectors_that_are_not_unit_length_are_made_so(connection: sqlite3.Connection, tmp_path: Path) -> None:
    append(connection, tmp_path, "f", rows(1), np.array([[0, 30, 0, 40]], dtype=np.float32))
    assert stored(connection, tmp_path)[1] == np.array([0, 0.6, 0, 0.8], dtype=np.float32).tobytes()


def test_zero_and_not_finite_vectors_are_refused_by_name(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    given_rows = units(1, 2, 3, 4)
    given_rows[1] = 0
    given_rows[2, 0] = np.nan
    given_rows[3, 0] = np.inf
    assert append(connection, tmp_path, "f", rows(1, 2, 3, 4), given_rows) == (2, 3, 4)
    assert stored(connection, tmp_path) == expected(1)


def test_vectors_of_another_dimension_are_refused(connection: sqlite3.Connection, tmp_path: Path) -> None:
    add(connection, tmp_path, 1)
    assert append(connection, tmp_path, "f", rows(2, 3), np.ones((2, DIM + 1), dtype=np.float32)) == (2, 3)
    assert stored(connection, tmp_path) == expected(1)


def test_a_second_vector_of_a_chunk_replaces_the_first_in_a_new_slot(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2)
    append(connection, tmp_path, "f", rows(1), units(99))
    file = vectors.vector_file(connection, "f")
    assert file is not None
    assert (file.slots, file.live) == (3, 2)
    assert stored(connection, tmp_path) == expected(2) | {1: expected(99)[99]}


def test_an_append_that_was_never_committed_never_existed(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2)
    commit(connection)
    add(connection, tmp_path, 3, 4, 5)
    rollback(connection)
    assert stored(connection, tmp_path) == expected(1, 2)
    add(connection, tmp_path, 6, 7)
    assert stored(connection, tmp_path) == expected(1, 2, 6, 7)


@pytest.mark.parametrize("garbage", [b"", b"\xff" * 7, bytes(range(256))[: 5 * DIM * 4]])
def test_whatever_stands_past_the_mark_is_written_over(
    connection: sqlite3.Connection, tmp_path: Path, garbage: bytes
) -> None:
    add(connection, tmp_path, 1, 2)
    with (tmp_path / "vectors-1.f32").open("ab") as file:
        file.write(garbage)
    assert stored(connection, tmp_path) == expected(1, 2)
    add(connection, tmp_path, 3, 4)
    assert stored(connection, tmp_path) == expected(1, 2, 3, 4)


def test_a_file_left_by_a_kill_before_the_first_commit_is_begun_anew(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    (tmp_path / "vectors-1.f32").write_bytes(b"x" * 999)
    add(connection, tmp_path, 1)
    assert stored(connection, tmp_path) == expected(1)
    assert (tmp_path / "vectors-1.f32").stat().st_size == DIM * 4


@pytest.mark.parametrize("loss", ["gone", "short"])
def test_an_append_to_a_file_that_lost_vectors_is_an_error_and_clear_begins_again(
    connection: sqlite3.Connection, tmp_path: Path, loss: str
) -> None:
    add(connection, tmp_path, 1, 2)
    commit(connection)
    path = tmp_path / "vectors-1.f32"
    path.unlink() if loss == "gone" else os.truncate(path, 5)
    with pytest.raises(CorruptIndexError, match="lost vectors"):
        add(connection, tmp_path, 3)
    rollback(connection)
    clear(connection, "f")
    add(connection, tmp_path, 3)
    assert stored(connection, tmp_path) == expected(3)


def test_a_full_disk_is_told_with_the_path(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(DiskFullError, match=r"vectors-1\.f32"):
        add(connection, tmp_path, 1)


def test_short_writes_are_carried_on(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, offset: whole(fd, bytes(data[:5]), offset))
    add(connection, tmp_path, 1, 2, 3, 4)
    assert stored(connection, tmp_path) == expected(1, 2, 3, 4)


def test_a_planted_link_is_not_followed(connection: sqlite3.Connection, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    folder = tmp_path / "generation"
    folder.mkdir()
    (folder / "vectors-1.f32").symlink_to(victim)
    with pytest.raises(Exception, match=r"vectors-1\.f32"):
        add(connection, folder, 1)
    assert victim.read_bytes() == b"mine"


def test_impossible_figures_in_the_index_are_damage(connection: sqlite3.Connection, tmp_path: Path) -> None:
    add(connection, tmp_path, 1)
    for change in ("dimensions = 99999999", "dimensions = -1", "slots = 'x'", "live = 7"):
        commit(connection)
        connection.execute(f"UPDATE vector_file SET {change}")
        with pytest.raises(CorruptIndexError):
            vectors.vector_file(connection, "f")
        rollback(connection)
    connection.execute("UPDATE vector_page SET slots = zeroblob(5)")
    with pytest.raises(CorruptIndexError):
        stored(connection, tmp_path)


# --- pages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, DIM * 4 - 1, 3 * DIM * 4])
def test_a_flipped_bit_is_found_at_first_touch(
    connection: sqlite3.Connection, tmp_path: Path, offset: int
) -> None:
    add(connection, tmp_path, *range(1, 8))
    path = tmp_path / "vectors-1.f32"
    raw = bytearray(path.read_bytes())
    raw[offset] ^= 1
    path.unlink()
    path.write_bytes(raw)
    hurt = offset // (3 * DIM * 4)
    cids = tuple(range(1, 8))[3 * hurt : 3 * hurt + 3]
    assert damaged(connection, tmp_path, "f", cancel=CancelToken()) == cids


def test_a_check_looks_again_at_what_this_process_found_sound(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2)
    assert stored(connection, tmp_path) == expected(1, 2)
    with (tmp_path / "vectors-1.f32").open("r+b") as file:
        file.write(b"\1\2\3")
    assert damaged(connection, tmp_path, "f", cancel=CancelToken()) == (1, 2)


def test_a_page_is_checked_once_in_a_process_and_again_when_it_grew(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(connection, tmp_path, 1, 2)
    checked: list[int] = []
    original = vector_pages.are_units

    def counting(page: np.ndarray) -> np.ndarray:
        checked.append(len(page))
        return original(page)

    monkeypatch.setattr(vector_pages, "are_units", counting)
    stored(connection, tmp_path)
    stored(connection, tmp_path)
    assert checked == [2]
    monkeypatch.setattr(vectors, "are_units", original)
    add(connection, tmp_path, 3)
    stored(connection, tmp_path)
    assert checked == [2, 1]


def test_rows_that_are_no_unit_vectors_are_damage_even_with_a_right_checksum(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1)
    forged = np.full((1, DIM), np.nan, dtype=np.float32)
    (tmp_path / "vectors-1.f32").write_bytes(forged.tobytes())
    connection.execute("UPDATE vector_page SET checksum = ?", (vector_pages.extended(0, forged),))
    assert damaged(connection, tmp_path, "f", cancel=CancelToken()) == (1,)


@pytest.mark.parametrize("kind", ["missing", "directory", "pipe", "link"])
def test_what_is_no_file_reads_as_damaged_without_waiting(
    connection: sqlite3.Connection, tmp_path: Path, kind: str
) -> None:
    add(connection, tmp_path, 1)
    path = tmp_path / "vectors-1.f32"
    path.rename(tmp_path / "moved")
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(tmp_path / "moved")
    assert damaged(connection, tmp_path, "f", cancel=CancelToken()) == (1,)


# --- removal, other embedders, compaction ----------------------------------------------------------------------


def test_a_removed_vector_is_a_tombstone_and_its_slot_is_not_used_again(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2, 3, 4)
    remove(connection, [2, 4, 99])
    add(connection, tmp_path, 5)
    assert stored(connection, tmp_path) == expected(1, 3, 5)
    file = vectors.vector_file(connection, "f")
    assert file is not None
    assert file.slots == 5


def test_vectors_of_two_embedders_stand_apart_and_are_removed_together(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2)
    add(connection, tmp_path, 2, 3, fingerprint="g")
    assert (stored(connection, tmp_path), stored(connection, tmp_path, "g")) == (
        expected(1, 2),
        expected(2, 3),
    )
    remove(connection, [2])
    assert (stored(connection, tmp_path), stored(connection, tmp_path, "g")) == (expected(1), expected(3))


def test_em_08_chunks_with_vectors_of_another_embedder_alone_are_counted_by_label_set(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, 1, 2)
    add(connection, tmp_path, 3, label_set=2)
    assert foreign(connection, "f", [1, 2]) == 0
    assert foreign(connection, "g", [1]) == 2
    add(connection, tmp_path, 2, fingerprint="g")
    assert (
        foreign(connection, "g", [1]),
        foreign(connection, "g", [1, 2]),
        foreign(connection, "g", []),
    ) == (1, 2, 0)


def test_compaction_keeps_what_lives_in_a_new_file(connection: sqlite3.Connection, tmp_path: Path) -> None:
    add(connection, tmp_path, *range(1, 11))
    remove(connection, [1, 4, 5, 6, 10])
    assert vectors.wasteful(connection) == ()
    remove(connection, [2, 3])
    assert vectors.wasteful(connection) == ("f",)
    before = stored(connection, tmp_path)
    assert compact(connection, tmp_path, "f", cancel=CancelToken()) == ()
    assert stored(connection, tmp_path) == before == expected(7, 8, 9)
    assert unreferenced(connection, tmp_path) == [tmp_path / "vectors-1.f32"]
    remove(connection, [8])
    add(connection, tmp_path, 11)
    assert stored(connection, tmp_path) == expected(7, 9, 11)


def test_a_reader_in_the_state_before_a_compaction_still_reads_its_file(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.executescript(vectors.SCHEMA)
    writer.execute("BEGIN IMMEDIATE")
    add(writer, tmp_path, 1, 2, 3, 4)
    writer.execute("COMMIT")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    assert stored(reader, tmp_path) == expected(1, 2, 3, 4)
    writer.execute("BEGIN IMMEDIATE")
    remove(writer, [1])
    compact(writer, tmp_path, "f", cancel=CancelToken())
    writer.execute("COMMIT")
    assert stored(reader, tmp_path) == expected(1, 2, 3, 4)
    reader.execute("COMMIT")
    assert stored(reader, tmp_path) == expected(2, 3, 4)
    reader.close()
    writer.close()


def test_compaction_drops_what_is_damaged_and_names_it(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, *range(1, 8))
    with (tmp_path / "vectors-1.f32").open("r+b") as file:
        file.write(b"\0" * 8)
    assert compact(connection, tmp_path, "f", cancel=CancelToken()) == (1, 2, 3)
    assert stored(connection, tmp_path) == expected(4, 5, 6, 7)
    assert connection.execute("SELECT count(*) FROM vector").fetchone() == (4,)


def test_a_cancelled_compaction_leaves_the_old_file_serving(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    add(connection, tmp_path, *range(1, 8))
    commit(connection)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        compact(connection, tmp_path, "f", cancel=cancel)
    rollback(connection)
    assert stored(connection, tmp_path) == expected(*range(1, 8))


def test_unreferenced_names_only_page_files(connection: sqlite3.Connection, tmp_path: Path) -> None:
    add(connection, tmp_path, 1)
    for name in ("vectors-2.f32", "vectors-x.f32", "index.sqlite", "vectors-1.f32.bak"):
        (tmp_path / name).touch()
    assert unreferenced(connection, tmp_path) == [tmp_path / "vectors-2.f32"]


# --- every order of everything ---------------------------------------------------------------------------------

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.integers(1, 12), min_size=1, max_size=7, unique=True)),
        st.tuples(st.just("remove"), st.lists(st.integers(1, 12), max_size=5, unique=True)),
        st.tuples(st.just("compact"), st.just([])),
        st.tuples(st.just("rollback"), st.just([])),
        st.tuples(st.just("commit"), st.just([])),
    ),
    max_size=12,
)


@settings(max_examples=80, deadline=None)
@given(ACTIONS)
def test_any_history_holds_exactly_what_a_dictionary_would(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, list[int]]]
) -> None:
    folder = tmp_path_factory.mktemp("generation")
    connection = database()
    now: set[int] = set()
    before: set[int] = set()
    for action, cids in actions:
        if action == "add":
            add(connection, folder, *cids)
            now |= set(cids)
        elif action == "remove":
            remove(connection, cids)
            now -= set(cids)
        elif action == "compact":
            assert compact(connection, folder, "f", cancel=CancelToken()) == ()
        elif action == "commit":
            commit(connection)
            before = set(now)
        else:
            rollback(connection)
            now = set(before)
        assert stored(connection, folder) == expected(*sorted(now))
    connection.close()


def test_a_page_is_four_mebibytes_of_whole_rows() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_pages, "PAGE_BYTES", 4 << 20)
        assert [page_rows(dimensions) for dimensions in (384, 512, 1_024, 16_384)] == [
            2_730,
            2_048,
            1_024,
            64,
        ]
