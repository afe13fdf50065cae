"""What a query says of the files on disk is of its own state of the index, and a sync sees every change of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.pipeline import index as pipeline
from engine.pipeline.freshness import with_freshness
from engine.settings import Chunking, Embedding, Settings
from engine.store import documents as store
from engine.store.documents import FileRow, cut_of, cuts

HASH = Settings(embedding=Embedding(provider="hash"))
TEXT = "# 重试\n\n同一任务最多自动重试三次。\n"


async def sync(library: Library, **options: bool) -> None:
    async for _ in library.sync(cancel=CancelToken(), **options):
        pass


@pytest.fixture
async def library(tmp_path: Path):
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text(TEXT)
    (root / "b.md").write_text("# 缓存\n\n缓存缺失时读取回到数据库，并重试一次。\n")
    async with await Library.open(root, settings=HASH) as opened:
        await sync(opened)
        yield opened


async def test_what_was_recalled_before_a_sync_is_stale_after_it(library: Library) -> None:
    """The index has caught up with the file, and the passage that is shown has not."""
    recall = await library.recall("任务重试几次")
    (library.root / "a.md").write_text(TEXT.replace("三", "五"))
    await sync(library)
    shown = {chunk.document_id for chunk in recall.chunks if chunk.path == "a.md"}
    assert with_freshness(recall, library.root).stale == shown
    assert not (await library.recall("任务重试几次")).stale


async def test_an_edit_without_a_place_is_part_of_the_state_that_tells_it(library: Library) -> None:
    (chunk,) = [each for each in (await library.recall("任务重试")).chunks if each.path == "a.md"]
    await library.edits.set_text(chunk.chunk_id, "重试两次。")
    (library.root / "a.md").write_text("# 全新\n\n这里讲的是别的事：重试与任务的队列。\n")
    await sync(library)
    in_conflict = await library.retrieve("任务重试")
    assert "edit_conflicts" in {each.code for each in in_conflict.degraded}
    await library.edits.undo()
    settled = await library.retrieve("任务重试")
    assert "edit_conflicts" not in {each.code for each in settled.degraded}
    assert [each.text for each in settled.recall.chunks] == [each.text for each in in_conflict.recall.chunks]
    assert settled.recall.state != in_conflict.recall.state


async def test_a_rewrite_of_the_same_size_and_time_is_seen(library: Library) -> None:
    file = library.root / "a.md"
    before = file.stat()
    file.write_text(TEXT.replace("三", "五"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    await sync(library)
    assert library.report.changed == 1


async def test_every_file_is_read_where_that_is_asked_for(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = pipeline.read
    monkeypatch.setattr(
        pipeline, "read", lambda root, path, **options: (read.append(path), real(root, path, **options))[1]
    )
    await sync(library)
    assert read == []
    await sync(library, reread=True)
    assert read == ["a.md", "b.md"]
    assert library.report.unchanged == 2


async def test_a_file_that_was_cut_in_no_known_way_is_read_again(library: Library) -> None:
    own = Chunking(mode="fixed", target_characters=400, overlap_characters=0)
    with library.generation.writing() as connection:
        row = store.files(connection)["a.md"]
        store.put_file(connection, FileRow("a.md", row.stamp, row.sha256, "", row.recipe, own))
        assert store.files(connection)["a.md"].chunking == own
        assert cuts(connection) == {"a.md": own}
        assert cut_of(connection, "b.md", HASH.chunking) == HASH.chunking
        connection.execute("UPDATE file SET chunking = '[' WHERE path = 'a.md'")
        assert cuts(connection) == {}
        assert cut_of(connection, "a.md", HASH.chunking) == HASH.chunking
