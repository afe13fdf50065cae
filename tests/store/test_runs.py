"""Runs are kept in the library file, case by case, and found again by what they depend on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import CorruptIndexError, LibraryError
from engine.store import runs
from engine.store.library_file import LibraryFile
from engine.store.runs import RunStore


@pytest.fixture
def store(tmp_path: Path):
    with closing(RunStore(tmp_path / "library.sqlite")) as store:
        yield store


def test_a_run_that_was_cut_short_is_gone_on_with(store: RunStore):
    assert store.begin("a", {"set": "x"}) == set()
    store.put([("a", 0, {"n": 0}), ("a", 2, {"n": 2})])
    assert store.begin("a", {"set": "x"}) == {0, 2}
    store.put([("a", 1, {"n": 1})])
    assert store.outcomes("a") == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_a_run_that_was_finished_is_begun_anew(store: RunStore):
    store.begin("a", {})
    store.put([("a", 0, {"n": "old"})])
    store.end(["a"])
    assert store.begin("a", {}) == set()
    assert store.outcomes("a") == []


def test_runs_are_listed_latest_first_with_their_state(store: RunStore):
    for name in ("a", "b"):
        store.begin(name, {"name": name})
    store.put([("a", 0, {})])
    store.end(["a"])
    assert [(each.id, each.state, each.cases, each.manifest) for each in store.runs()] == [
        ("b", "running", 0, {"name": "b"}),
        ("a", "done", 1, {"name": "a"}),
    ]


def test_a_run_is_found_by_the_beginning_of_its_id(store: RunStore):
    for name in ("abc", "abd"):
        store.begin(name, {})
    assert store.run("abc").id == "abc"
    with pytest.raises(LibraryError, match="2 runs"):
        store.run("ab")
    with pytest.raises(LibraryError, match="no run"):
        store.run("x")


def test_only_the_latest_are_kept(store: RunStore, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(runs, "KEPT_RUNS", 2)
    for name in ("a", "b", "c"):
        store.begin(name, {})
        store.put([(name, 0, {})])
    assert [each.id for each in store.runs()] == ["c", "b"]
    assert store.outcomes("a") == []


def test_the_tables_come_to_a_library_file_that_has_none(tmp_path: Path):
    with closing(LibraryFile(tmp_path / "library.sqlite")) as file:
        file.remember("serving", "g1")
        with closing(RunStore(file.path)) as store:
            store.begin("a", {})
        assert file.value("serving") == "g1"


def test_a_damaged_outcome_is_told(store: RunStore, tmp_path: Path):
    store.begin("a", {})
    store.put([("a", 0, {})])
    with closing(sqlite3.connect(tmp_path / "library.sqlite")) as connection, connection:
        connection.execute("UPDATE evaluation_case SET outcome = x'00'")
    with pytest.raises(CorruptIndexError, match="run the evaluation again"):
        store.outcomes("a")
