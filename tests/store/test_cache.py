"""The embedding cache: what went in comes out, bounded, and damage costs nothing but time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.errors import DiskFullError, LibraryError
from engine.store import cache as cache_module
from engine.store.cache import EmbeddingCache


def units(*seeds: int, dimensions: int = 8) -> np.ndarray:
    found = np.array([np.random.default_rng(seed).standard_normal(dimensions) for seed in seeds])
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[EmbeddingCache]:
    opened = EmbeddingCache(path)
    yield opened
    opened.close()


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement, values)


def test_what_was_put_is_found_again_after_reopening(path: Path) -> None:
    rows = units(1, 2)
    for _ in range(2):
        with closing(EmbeddingCache(path)) as cache:
            cache.put_many("f", ["a", "b"], rows)
    with closing(EmbeddingCache(path)) as cache:
        found = cache.get_many("f", ["b", "a", "a", "c"])
        assert {key: row.tobytes() for key, row in found.items()} == {
            "a": rows[0].tobytes(),
            "b": rows[1].tobytes(),
        }
        assert cache.replaced == ""


def test_embedders_never_share_a_vector(cache: EmbeddingCache) -> None:
    cache.put_many("f", ["a"], units(1))
    assert cache.get_many("g", ["a"]) == {}


def test_a_later_vector_replaces_an_earlier_one(cache: EmbeddingCache) -> None:
    cache.put_many("f", ["a"], units(1))
    cache.put_many("f", ["a"], units(2))
    assert cache.get_many("f", ["a"])["a"].tobytes() == units(2)[0].tobytes()


def test_thousands_are_asked_for_at_once(cache: EmbeddingCache) -> None:
    keys = [f"{number:04}" for number in range(2_001)]
    cache.put_many("f", keys, np.tile(units(1), (2_001, 1)))
    assert len(cache.get_many("f", keys)) == 2_001


def test_vectors_without_a_direction_are_not_kept(cache: EmbeddingCache) -> None:
    rows = units(1, 2, 3)
    rows[0], rows[1, 0] = 0, np.nan
    cache.put_many("f", ["zero", "nan", "fine"], rows)
    assert list(cache.get_many("f", ["zero", "nan", "fine"])) == ["fine"]


@pytest.mark.parametrize(
    "blob", [b"", b"abc", b"\0" * 32, b"\xff" * 32, np.full(8, 2, dtype="<f4").tobytes(), "text", 7]
)
def test_a_row_that_holds_no_unit_vector_counts_as_unknown(
    cache: EmbeddingCache, path: Path, blob: object
) -> None:
    cache.put_many("f", ["a", "b"], units(1, 2))
    change(path, "UPDATE embedding SET vector = ? WHERE embed_hash = 'a'", blob)
    assert list(cache.get_many("f", ["a", "b"])) == ["b"]


def test_a_vector_of_another_dimension_counts_as_unknown(cache: EmbeddingCache) -> None:
    cache.put_many("f", ["a"], units(1, dimensions=4))
    assert cache.get_many("f", ["a"], dimensions=8) == {}
    assert list(cache.get_many("f", ["a"], dimensions=4)) == ["a"]


def test_the_least_recently_used_make_room_and_the_file_stays_bounded(path: Path) -> None:
    limit = 400_000
    cache = EmbeddingCache(path, limit_bytes=limit)
    vector = units(1, dimensions=512)
    for start in range(0, 2_000, 50):
        cache.put_many("f", [str(key) for key in range(start, start + 50)], np.tile(vector, (50, 1)))
        cache.get_many("f", ["0"])
    found = cache.get_many("f", [str(key) for key in range(2_000)])
    assert "1999" in found
    assert "0" in found, "read again and again, so never the least recently used"
    assert "1" not in found
    cache.close()
    assert path.stat().st_size < 2 * limit


def test_reading_writes_nothing_until_the_next_write(cache: EmbeddingCache, path: Path) -> None:
    cache.put_many("f", ["a"], units(1))
    with closing(sqlite3.connect(path)) as other:
        before = other.execute("PRAGMA data_version").fetchone()
        cache.get_many("f", ["a"])
        assert other.execute("PRAGMA data_version").fetchone() == before


# --- damage ----------------------------------------------------------------------------------------------------


def _garbage(path: Path) -> None:
    path.write_bytes(b"not a database " * 999)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _foreign(path: Path) -> None:
    change(path, "CREATE TABLE other(x)")


def _later(path: Path) -> None:
    EmbeddingCache(path).close()
    change(path, "PRAGMA user_version = 99")


def _earlier(path: Path) -> None:
    EmbeddingCache(path).close()
    change(path, "PRAGMA user_version = 0")


@pytest.mark.parametrize("harm", [_garbage, _foreign, _later, _earlier])
def test_a_file_that_cannot_serve_is_begun_anew_and_says_so(path: Path, harm: Callable[[Path], None]) -> None:
    harm(path)
    with closing(EmbeddingCache(path)) as cache:
        assert "begun anew" in cache.replaced
        cache.put_many("f", ["a"], units(1))
        assert list(cache.get_many("f", ["a"])) == ["a"]


def test_an_empty_file_is_a_new_cache(path: Path) -> None:
    _empty(path)
    with closing(EmbeddingCache(path)) as cache:
        assert cache.replaced == ""


@pytest.mark.parametrize("operation", ["get", "put"])
def test_damage_found_in_use_begins_anew_and_loses_nothing_but_the_cache(path: Path, operation: str) -> None:
    with closing(EmbeddingCache(path)) as cache:
        cache.put_many("f", [str(key) for key in range(500)], np.tile(units(1), (500, 1)))
    raw = bytearray(path.read_bytes())
    raw[cache_module.PAGE_SIZE :] = b"\xff" * (len(raw) - cache_module.PAGE_SIZE)
    path.write_bytes(raw)
    with closing(EmbeddingCache(path)) as cache:
        if operation == "get":
            assert cache.get_many("f", ["1"]) == {}
        else:
            cache.put_many("f", ["x"], units(1))
        assert "begun anew" in cache.replaced
        cache.put_many("f", ["a"], units(1))
        assert list(cache.get_many("f", ["a"])) == ["a"]


def test_a_place_that_cannot_be_used_is_one_error_and_deletes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cache.sqlite"
    folder.mkdir()
    with pytest.raises(LibraryError, match=r"cache\.sqlite"):
        EmbeddingCache(folder)
    assert folder.is_dir()


def test_db_07_a_full_disk_keeps_what_was_there(cache: EmbeddingCache) -> None:
    cache.put_many("f", ["a"], units(1))
    pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
    cache._connection.execute(f"PRAGMA max_page_count = {pages}")
    keys = [str(key) for key in range(2_000)]
    with pytest.raises(DiskFullError, match=r"cache\.sqlite"):
        cache.put_many("f", keys, np.tile(units(2), (2_000, 1)))
    assert list(cache.get_many("f", ["a", "1"])) == ["a"]


def test_the_commit_is_reported_as_a_durable_step(path: Path) -> None:
    steps: list[str] = []
    with closing(EmbeddingCache(path, steps=steps.append)) as cache:
        cache.put_many("f", ["a"], units(1))
    assert steps == ["cache.committed"]


def test_threads_share_one_cache(cache: EmbeddingCache) -> None:
    failures: list[BaseException] = []

    def work(name: int) -> None:
        try:
            for turn in range(20):
                cache.put_many("f", [f"{name}-{turn}"], units(turn))
                assert cache.get_many("f", [f"{name}-{turn}"])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_two_processes_may_hold_it_open(path: Path) -> None:
    with closing(EmbeddingCache(path)) as one, closing(EmbeddingCache(path)) as other:
        one.put_many("f", ["a"], units(1))
        other.put_many("f", ["b"], units(2))
        assert sorted(one.get_many("f", ["a", "b"])) == ["a", "b"]
