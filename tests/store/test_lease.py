"""The writer's lease is freed by death, and its content only tells."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from engine.errors import BusyError, LibraryError
from engine.store.lease import Lease, SharedLock


def no_locks(*_: object) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


HOLD = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from engine.store.lease import Lease
    assert Lease(Path(sys.argv[1])).acquire()
    print("held", flush=True)
    time.sleep(60)
    """
)


def test_another_process_holds_it_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        lease = Lease(path)
        assert not lease.acquire()
        assert lease.holder().startswith(f"process {other.pid} since ")
        other.send_signal(signal.SIGKILL)
    assert lease.acquire()
    assert lease.holder() == "this process"
    lease.release()


def test_what_the_file_says_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "writer.lock"
    path.write_bytes(b"\x1b[2J not json")
    lease = Lease(path)
    assert lease.holder() == "another process"
    assert lease.acquire()
    lease.release()


def test_a_generation_is_deleted_only_when_nobody_reads_it(tmp_path: Path) -> None:
    reader, deleter = SharedLock(tmp_path), SharedLock(tmp_path)
    assert not deleter.exclusive()
    reader.release()
    assert deleter.exclusive()
    deleter.release()


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    for name in ("writer.lock", "in-use.lock"):
        (tmp_path / name).symlink_to(precious)
    with pytest.raises(LibraryError, match=r"writer\.lock"):
        Lease(tmp_path / "writer.lock").acquire()
    with pytest.raises(LibraryError, match=r"in-use\.lock"):
        SharedLock(tmp_path)
    assert precious.read_text() == "mine"


def test_who_holds_it_is_told_in_the_refusal(tmp_path: Path) -> None:
    first, second = Lease(tmp_path / "writer.lock"), Lease(tmp_path / "writer.lock")
    assert not second.taken()
    assert first.acquire()
    assert second.taken()
    assert not first.taken()
    assert not second.acquire()
    assert isinstance(second.refusal(), BusyError)
    assert str(second.refusal()).startswith(f"process {os.getpid()} since ")
    first.release()


def test_a_file_system_without_locks_is_read_and_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", no_locks)
    lease = Lease(tmp_path / "writer.lock")
    assert not lease.acquire()
    assert str(lease.refusal()).endswith(
        "gives no locks (No locks available), so it cannot be known who else writes there:"
        " keep the index on a local disk with --data"
    )
    lock = SharedLock(tmp_path)
    assert not lock.exclusive(), "what cannot be locked never counts as unused"
    lock.release()
