"""An index of another user, or on a file system that may not be written, still answers; what cannot be done is
told in one sentence."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.settings import Retrieval
from engine.store.places import locate
from tests.faults.stranger import NOBODY, Stranger, shared_folder
from tests.pipeline.killing import SETTINGS, run, synced

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can become another user")

QUESTION = "重试 limit"


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    process = Stranger()
    yield process
    process.leave()


@pytest.fixture
async def root() -> Iterator[Path]:
    """A library of six documents that belongs to the superuser."""
    with shared_folder() as folder:
        docs = folder / "docs"
        docs.mkdir()
        for n in range(6):
            (docs / f"{n}.md").write_text(f"# Queue {n}\n\n任务最多重试 {n} 次。The retry limit is {n}.\n")
        await synced(docs)
        yield docs


async def found(root: Path) -> list[str]:
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        trace = await library.retrieve(QUESTION, Retrieval(top_k=20))
        return [chunk.chunk_id for chunk in trace.recall.chunks]


def test_a_foreign_index_is_searched_and_nothing_is_written_into_it(root: Path, stranger: Stranger) -> None:
    before = sorted(path.name for path in locate(root).base.rglob("*"))
    answer = stranger.do("search", root, QUESTION)
    assert (len(answer["chunks"]), answer["degraded"], answer["vectors"]) == (6, ["graph_off"], 6)
    assert not answer["writable"]
    assert sorted(path.name for path in locate(root).base.rglob("*")) == before


async def test_a_foreign_index_is_searched_while_its_owner_writes(root: Path, stranger: Stranger) -> None:
    async with await Library.open(root, settings=SETTINGS) as library:
        (root / "7.md").write_text("# Queue 7\n\n任务最多重试 7 次。The retry limit is 7.\n")
        async for _ in library.sync(cancel=CancelToken()):
            pass
        assert len(stranger.do("search", root, QUESTION)["chunks"]) == 7


async def test_an_index_whose_writer_was_killed_is_searched_by_another_user(
    root: Path, stranger: Stranger
) -> None:
    (root / "0.md").write_text("# Queue 0\n\n任务最多重试 100 次。The retry limit is 100.\n")
    assert run(root, "sync", "documents.committed") == -9
    assert list(locate(root).base.rglob("*-wal"))
    theirs = stranger.do("search", root, QUESTION)["chunks"]
    assert theirs == await found(root)


def test_a_log_without_its_index_is_told_with_what_to_do(root: Path, stranger: Stranger) -> None:
    shutil.copytree(root, root.parent / "copy")
    copy = root.parent / "copy"
    path = locate(copy).library
    log = path.with_name("library.sqlite-wal")
    log.write_bytes(b"\x37\x7f\x06\x82" + bytes(28))
    told = str(stranger.do("search", copy, QUESTION)["error"])
    assert "may not be written here" in told
    assert "let its owner open it once" in told


def test_indexing_a_foreign_index_is_refused_with_a_way_out(root: Path, stranger: Stranger) -> None:
    told = str(stranger.do("index", root)["error"])
    assert told.endswith(
        ".rankscope may be read but not written: check its permissions, or keep an index of your own with --data"
    )


def test_a_foreign_index_that_may_not_be_read_is_told(root: Path, stranger: Stranger) -> None:
    locate(root).library.chmod(0o600)
    told = str(stranger.do("search", root, QUESTION)["error"])
    assert "library.sqlite" in told
    assert "permission" in told


def test_a_file_that_may_not_be_read_keeps_its_document_and_is_reported(
    root: Path, stranger: Stranger
) -> None:
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    (root / "0.md").write_text("another text altogether\n")
    os.chown(root / "0.md", 0, 0)
    (root / "0.md").chmod(0o600)
    assert stranger.do("index", root)["failed"] == [["0.md", "no permission"]]
    assert len(stranger.do("search", root, QUESTION)["chunks"]) == 6


def test_a_folder_that_may_not_be_listed_keeps_its_documents(root: Path, stranger: Stranger) -> None:
    (root / "deep").mkdir()
    (root / "deep" / "a.md").write_text("# Deep\n\n重试 limit deep\n")
    for path in (root, *root.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    assert stranger.do("index", root)["failed"] == []
    os.chown(root / "deep", 0, 0)
    (root / "deep").chmod(0o700)
    assert stranger.do("index", root)["failed"] == [["deep", "the folder could not be listed"]]
    assert len(stranger.do("search", root, QUESTION)["chunks"]) == 7
