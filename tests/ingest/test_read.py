"""Bytes come from the file that was named, whole, or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

import engine.ingest.read as module
from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.ingest.discover import discover
from engine.ingest.read import Unreadable, read, stamp_below


def test_a_file_is_read_with_its_stamp_and_hash(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.md").write_bytes(b"\xff\x00text\r\n")
    content = read(tmp_path, "a/b.md")
    assert content.raw == b"\xff\x00text\r\n"
    assert content.sha256 == hashlib.sha256(content.raw).hexdigest()
    assert content.stamp == discover(tmp_path, cancel=CancelToken()).files[0].stamp


def test_a_name_that_is_not_utf8_is_read(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_bytes(b"x")
    (found,) = discover(tmp_path, cancel=CancelToken()).files
    assert read(tmp_path, found.path).raw == b"x"


@pytest.mark.parametrize(
    "path", ["link.md", "folder/a.md", "../secret.md", "real/../../secret.md", "real//a.md", "."]
)
def test_sy03_nothing_is_read_through_a_link_or_out_of_the_root(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / "real/a.md").write_text("inside")
    (tmp_path / "secret.md").write_text("secret")
    (root / "link.md").symlink_to("../secret.md")
    (root / "folder").symlink_to("real")
    with pytest.raises(Unreadable):
        read(root, path)


def test_sy03_a_file_swapped_for_a_link_after_it_was_found_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (root / "a.md").write_text("a")
    (found,) = discover(root, cancel=CancelToken()).files
    (root / "a.md").unlink()
    (root / "a.md").symlink_to("../secret.md")
    with pytest.raises(Unreadable, match=r"^a\.md was not read: a link$"):
        read(root, found.path)


def test_a_pipe_in_a_files_place_neither_blocks_nor_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(Unreadable) as refused:
        read(tmp_path, "a.md")
    assert (refused.value.reason, refused.value.refused) == ("not a regular file", True)


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as missing:
        read(tmp_path, "gone.md")
    assert (missing.value.path, missing.value.reason, missing.value.refused) == ("gone.md", "gone", False)


def test_a_file_over_the_limit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate((64 << 20) + 1)
    monkeypatch.setattr(os, "read", None)
    with pytest.raises(Unreadable) as large:
        read(tmp_path, "big.md")
    assert (large.value.reason, large.value.refused) == ("larger than 64 MiB", True)


def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(b"one\n")
    reading, appended = os.read, [b"two\n"]

    def append_once(handle: int, size: int) -> bytes:
        block = reading(handle, size)
        if appended:
            with file.open("ab") as more:
                more.write(appended.pop())
        return block

    monkeypatch.setattr(module.os, "read", append_once)
    content = read(tmp_path, "a.log")
    assert content.raw == b"one\ntwo\n"
    assert content.stamp.size == 8


def test_a_file_that_never_rests_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(b"one\n")
    reading, rounds = os.read, []

    def always_append(handle: int, size: int) -> bytes:
        block = reading(handle, size)
        if not block:
            rounds.append(1)
            with file.open("ab") as more:
                more.write(b"more\n")
        return block

    monkeypatch.setattr(module.os, "read", always_append)
    with pytest.raises(Unreadable, match="it changes while it is read"):
        read(tmp_path, "a.log")
    assert len(rounds) == 3


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * 10)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        read(tmp_path, "a.md", cancel=cancel)


def test_a_single_file_as_root_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.md").write_bytes(b"x")
    (tmp_path / "link.md").symlink_to("real/a.md")
    listing = discover(tmp_path / "link.md", cancel=CancelToken())
    assert [found.path for found in listing.files] == ["a.md"]
    assert read(tmp_path / "link.md", "a.md").raw == b"x"
    assert read(listing.root, "a.md").raw == b"x"


def test_a_stamp_is_told_without_opening_the_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.md").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    assert stamp_below(tmp_path, "d/a.md") == read(tmp_path, "d/a.md").stamp
    for path, reason in (("d/gone.md", "gone"), ("pipe", "not a regular file"), ("d/a.md/x", "a link")):
        with pytest.raises(Unreadable) as unreadable:
            stamp_below(tmp_path, path)
        assert unreadable.value.reason == reason
