"""A database that may not be written is read whole, and what changed under the reader never passes for an answer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engine.errors import BusyError, CorruptIndexError, LibraryError
from engine.store import connect as connecting
from engine.store.connect import connect, prepare, write
from engine.store.reading import Frozen, require_unchanged, unchanged, writable

SCHEMA = "CREATE TABLE t(n INTEGER);"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "a.sqlite"
    connection = connect(place, synchronous="NORMAL")
    prepare(connection, place, version=1, schema=SCHEMA)
    connection.execute("INSERT INTO t VALUES (1)")
    connection.close()
    return place


@pytest.fixture
def _forbidden(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing might be written, once the file was made."""
    monkeypatch.setattr(connecting, "writable", lambda _: False)


def numbers(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT n FROM t")]


@pytest.mark.usefixtures("_forbidden")
def test_a_file_that_was_closed_is_read_without_anything_beside_it(path: Path) -> None:
    connection = connect(path, synchronous="NORMAL")
    assert numbers(connection) == [1]
    assert [each.name for each in path.parent.iterdir()] == ["a.sqlite"]
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("INSERT INTO t VALUES (2)")
    connection.close()


def test_what_changed_under_a_reader_counts_for_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(connecting, "writable", lambda _: False)
        reader = connect(path, synchronous="NORMAL")
    assert isinstance(reader, Frozen)
    require_unchanged(reader)
    writer = connect(path, synchronous="NORMAL")
    writer.execute("INSERT INTO t VALUES (2)")
    assert unchanged(reader), "the change is in the log, and what is read is the state before it"
    writer.close()
    assert not unchanged(reader)
    with pytest.raises(BusyError, match=r"was changed by its owner while it was read: ask again"):
        require_unchanged(reader)
    reader.close()


def test_a_log_is_read_through_its_index(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = connect(path, synchronous="NORMAL")
    with write(writer):
        writer.execute("INSERT INTO t VALUES (2)")
    monkeypatch.setattr(connecting, "writable", lambda _: False)
    reader = connect(path, synchronous="NORMAL")
    assert numbers(reader) == [1, 2]
    reader.close()
    writer.close()


@pytest.mark.usefixtures("_forbidden")
def test_a_log_without_its_index_is_refused_with_a_way_out(path: Path) -> None:
    path.with_name("a.sqlite-wal").write_bytes(b"something")
    with pytest.raises(LibraryError, match=r"only a writer can take in: let its owner open it once, or copy"):
        connect(path, synchronous="NORMAL")


@pytest.mark.usefixtures("_forbidden")
def test_a_foreign_database_is_refused_here_too(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.sqlite"
    other = sqlite3.connect(theirs)
    other.execute("CREATE TABLE theirs(x)")
    other.commit()
    other.close()
    with pytest.raises(CorruptIndexError, match="not an index of Rankscope"):
        connect(theirs, synchronous="NORMAL")


def test_what_is_not_there_yet_is_writable_where_its_folder_is(tmp_path: Path) -> None:
    assert writable(tmp_path / "new.sqlite")
