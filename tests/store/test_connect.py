"""Opening a database file: ours, foreign, damaged, newer, full or busy, each told in one sentence."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from engine.errors import (
    BusyError,
    CorruptIndexError,
    DiskFullError,
    LibraryError,
    NewerSchemaError,
    OlderSchemaError,
)
from engine.store.connect import connect, prepare, read, statements, translated, write

SCHEMA = """
CREATE TABLE t(n INTEGER); -- a comment; with a semicolon
CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t WHERE n < 0; END;
"""


def opened(path: Path, *, version: int = 1) -> sqlite3.Connection:
    connection = connect(path, synchronous="NORMAL")
    prepare(connection, path, version=version, schema=SCHEMA)
    return connection


def test_a_schema_is_split_at_its_statements_not_at_semicolons() -> None:
    assert len(list(statements(SCHEMA))) == 2


def test_an_index_is_made_once_and_then_recognised(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    connection = connect(path, synchronous="NORMAL")
    assert prepare(connection, path, version=1, schema=SCHEMA)
    assert not prepare(connection, path, version=1, schema=SCHEMA)
    connection.close()


def test_a_newer_schema_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    opened(path, version=7).close()
    before = path.read_bytes()
    with pytest.raises(NewerSchemaError, match=r"schema 7.*upgrade"):
        opened(path, version=1)
    assert path.read_bytes() == before


def test_an_older_schema_is_refused_with_a_way_out_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    opened(path, version=1).close()
    before = path.read_bytes()
    with pytest.raises(OlderSchemaError, match=r"schema 1.*it is derived: rebuild it"):
        opened(path, version=2)
    assert path.read_bytes() == before


def test_opening_never_waits_for_a_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.store.connect.BUSY_MS", 1)
    path = tmp_path / "a.sqlite"
    writer = opened(path)
    with write(writer):
        writer.execute("INSERT INTO t VALUES (1)")
        reader = opened(path)
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
    reader.close()
    writer.close()


def test_a_foreign_database_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.sqlite"
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE theirs(x)")
    other.commit()
    other.close()
    before = foreign.read_bytes()
    with pytest.raises(CorruptIndexError, match="not an index of Rankscope"):
        opened(foreign)
    assert foreign.read_bytes() == before
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"not a database at all, and long enough to be read as a header" * 20)
    with pytest.raises(CorruptIndexError, match="damaged"):
        opened(damaged)
    assert damaged.read_bytes().startswith(b"not a database")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    connection = opened(tmp_path / "a.sqlite")

    def failing() -> None:
        with write(connection):
            connection.execute("INSERT INTO t VALUES (1)")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    connection.close()


def test_a_full_disk_rolls_back_and_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    connection = opened(path)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with (
        pytest.raises(DiskFullError, match=r"a\.sqlite.*free some space"),
        translated(path),
        write(connection),
    ):
        connection.executemany("INSERT INTO t VALUES (?)", ((n,) for n in range(100_000)))
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    connection.close()


def test_a_failure_on_a_disk_without_room_is_told_as_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = sqlite3.OperationalError("disk I/O error")
    failure.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    with pytest.raises(LibraryError, match="check the disk"), translated(tmp_path / "a.sqlite"):
        raise failure
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(DiskFullError, match="free some space"), translated(tmp_path / "a.sqlite"):
        raise failure


def test_a_reader_sees_one_state_while_a_writer_commits(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    writer, reader = opened(path), opened(path)
    with read(reader):
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
        with write(writer):
            writer.execute("INSERT INTO t VALUES (1)")
        assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
    assert reader.execute("SELECT count(*) FROM t").fetchone() == (1,)
    writer.close()
    reader.close()


def test_a_second_writer_waits_and_is_then_told_that_the_file_is_busy(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    first, second = opened(path), opened(path)
    second.execute("PRAGMA busy_timeout = 10")
    with (
        write(first),
        pytest.raises(BusyError, match="in use by another process"),
        translated(path),
        write(second),
    ):
        pass
    first.close()
    second.close()


def test_many_processes_open_a_new_file_together(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from engine.store.library_file import LibraryFile
        LibraryFile(Path(sys.argv[1])).close()
        """
    )
    path = str(tmp_path / "library.sqlite")
    running = [
        subprocess.Popen([sys.executable, "-c", program, path], stderr=subprocess.PIPE, text=True)
        for _ in range(12)
    ]
    told = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * 12, told
