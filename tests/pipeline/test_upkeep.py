"""Generations beside the one that serves: held, compared, resumed, dropped, taken over, gone back to; and the record."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, SourceError, UsageError
from engine.library import Library
from engine.settings import Chunking, Embedding, Settings
from engine.store.documents import cuts
from tests.pipeline.killing import of_path, verified

WIDE = Settings(
    embedding=Embedding(provider="hash"), chunking=Chunking(target_characters=1600, overlap_characters=0)
)
NARROW = replace(WIDE, chunking=Chunking(target_characters=400, overlap_characters=0))
PARAGRAPH = "同一任务最多自动重试三次，间隔依次为一、五、二十五分钟，第三次仍失败时进入死信队列。"
TEXT = "\n\n".join(f"第 {number} 段：{PARAGRAPH * 3}" for number in range(8))
NAMES = tuple(f"{number}.md" for number in range(6))


async def run(steps: object) -> None:
    async for _ in steps:  # type: ignore[attr-defined]
        pass


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(f"# {name}\n\n{TEXT}\n")
    return folder


@pytest.fixture
async def library(root: Path):
    async with await Library.open(root, settings=WIDE) as opened:
        await run(opened.sync(cancel=CancelToken()))
        yield opened


def narrow(library: Library) -> None:
    """As a face does whose settings were turned."""
    library.settings = NARROW


async def begun(library: Library, files: int) -> None:
    """A rebuild that was cancelled after so many files."""
    narrow(library)
    cancel, committed = CancelToken(), 0

    def counted(step: str) -> None:
        nonlocal committed
        committed += step == "documents.committed"
        if committed == files:
            cancel.cancel()

    before, library.steps = library.steps, counted
    with pytest.raises(Cancelled):
        await run(library.upkeep.rebuild(cancel=cancel))
    library.steps = before


def cut(library: Library, path: str) -> int:
    return len(of_path(library, path))


# --- held, switched, rolled back ----------------------------------------------------------------------------


async def test_a_held_rebuild_lies_aside_whole_until_it_is_let_serve(library: Library) -> None:
    before, served = library.generation.id, cut(library, "0.md")
    narrow(library)
    await run(library.upkeep.rebuild(hold=True, cancel=CancelToken()))
    assert library.serving().id == before
    assert cut(library, "0.md") == served
    found = await library.upkeep.aside()
    assert found is not None
    assert (found.whole, found.files, found.of, found.chunking) == (True, 6, 6, NARROW.chunking)
    (library.root / "0.md").write_text("# 新\n\n后来才写的一段。\n")
    await run(library.upkeep.resume(cancel=CancelToken()))
    assert library.serving().id == found.generation
    assert [each.text.strip() for each in of_path(library, "0.md")][-1].endswith("后来才写的一段。")
    assert cut(library, "1.md") > served
    assert await library.upkeep.aside() is None
    assert verified(library.root).clean


async def test_a_rollback_brings_the_one_before_up_to_date_and_keeps_every_edit(library: Library) -> None:
    before, chunks = library.generation.id, cut(library, "1.md")
    narrow(library)
    await run(library.upkeep.rebuild(cancel=CancelToken()))
    after = library.generation.id
    chunk = of_path(library, "2.md")[0]
    await library.edits.set_text(chunk.chunk_id, "改过的文字，回退之后仍在。")
    (library.root / "3.md").write_text("# 新\n\n后来才写的一段。\n")
    assert await library.upkeep.before() == before
    await run(library.upkeep.roll_back(cancel=CancelToken()))
    assert library.serving().id == before
    assert cut(library, "1.md") == chunks
    assert "改过的文字，回退之后仍在。" in {each.text for each in of_path(library, "2.md")}
    assert "后来才写的一段。" in of_path(library, "3.md")[-1].text
    assert await library.upkeep.before() == after
    await run(library.upkeep.roll_back(cancel=CancelToken()))
    assert library.serving().id == after
    assert "改过的文字，回退之后仍在。" in {each.text for each in of_path(library, "2.md")}


async def test_where_nothing_is_kept_each_way_back_says_so(library: Library) -> None:
    with pytest.raises(UsageError, match="no generation is kept"):
        await run(library.upkeep.roll_back(cancel=CancelToken()))
    with pytest.raises(UsageError, match="no rebuild lies aside"):
        await run(library.upkeep.resume(cancel=CancelToken()))
    with pytest.raises(UsageError, match="no rebuild lies aside"):
        await run(library.upkeep.take_over(cancel=CancelToken()))
    with pytest.raises(UsageError, match="no rebuild lies aside"):
        await library.upkeep.drop()
    assert await library.upkeep.before() == ""


# --- cancelled, then dropped, resumed or taken over ---------------------------------------------------------


@pytest.fixture
def small_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.pipeline.group.SECONDS", 0.0)


async def test_what_was_cancelled_is_resumed_whatever_the_settings_say_by_now(
    library: Library, small_commits: None
) -> None:
    await begun(library, 3)
    found = await library.upkeep.aside()
    assert found is not None
    assert not found.whole
    library.settings = WIDE
    await run(library.upkeep.resume(cancel=CancelToken()))
    assert library.serving().id == found.generation
    assert library.serving().chunking == NARROW.chunking


async def test_what_was_cancelled_is_dropped(library: Library, small_commits: None) -> None:
    await begun(library, 3)
    found = await library.upkeep.aside()
    assert found is not None
    assert await library.upkeep.drop() == found.generation
    assert not library.places.generation(found.generation).exists()
    assert await library.upkeep.aside() is None
    assert verified(library.root).clean


async def test_what_was_finished_is_taken_over_and_keeps_its_cut(
    library: Library, small_commits: None
) -> None:
    served, wide = library.generation.id, cut(library, "0.md")
    chunk = of_path(library, "0.md")[0]
    await library.edits.disable(chunk.chunk_id)
    await begun(library, 3)
    found = await library.upkeep.aside()
    assert found is not None
    assert 0 < found.files < 6
    await run(library.upkeep.take_over(cancel=CancelToken()))
    assert library.serving().id == served
    with library.serving().reading() as connection:
        own = cuts(connection)
    assert own == dict.fromkeys(NAMES[: found.files], NARROW.chunking)
    counts = [cut(library, name) for name in NAMES]
    assert counts[1] > wide
    assert counts[-1] == wide
    assert sum(not each.enabled for each in of_path(library, "0.md")) == 1
    assert await library.upkeep.aside() is None
    assert (await library.status(scopes=("*",))).recut == found.files
    assert verified(library.root).clean
    # and through what comes later
    (library.root / "1.md").write_text(f"# 1.md\n\n{TEXT}\n\n后来才写的一段。\n")
    os.rename(library.root / "2.md", library.root / "9.md")
    await run(library.sync(cancel=CancelToken()))
    assert (library.report.changed, library.report.renamed) == (1, 1)
    assert cut(library, "1.md") >= counts[1]
    assert cut(library, "9.md") == counts[2]
    chunk = of_path(library, "1.md")[0]
    await library.edits.set_text(chunk.chunk_id, "改过。")
    assert cut(library, "1.md") >= counts[1]
    assert verified(library.root).clean
    library.settings = WIDE
    await run(library.upkeep.rebuild(cancel=CancelToken()))
    with library.serving().reading() as connection:
        assert cuts(connection) == {}


async def test_what_is_cut_alike_is_not_taken_over(library: Library, small_commits: None) -> None:
    await run(library.upkeep.rebuild(hold=True, cancel=CancelToken()))
    with pytest.raises(UsageError, match="cut as what serves"):
        await run(library.upkeep.take_over(cancel=CancelToken()))


# --- the record ---------------------------------------------------------------------------------------------


async def test_each_task_leaves_a_record_with_its_failures(library: Library) -> None:
    (library.root / "bad.md").write_bytes(b"x")
    os.chmod(library.root / "bad.md", 0)
    link = library.root / "gone.md"
    link.write_text("# 会消失\n\n文字。\n")
    await run(library.sync(cancel=CancelToken()))
    first, *rest = await library.upkeep.tasks()
    assert (first.kind, first.state, first.done, first.total) == ("sync", "done", 8, 8)
    assert first.ended is not None
    assert first.seconds is not None
    assert [(each.kind, each.state) for each in rest] == [("sync", "done")]


async def test_a_failed_task_says_why_and_a_cancelled_one_that_it_was(
    library: Library, small_commits: None
) -> None:
    await begun(library, 2)
    for name in NAMES:
        (library.root / name).unlink()
    with pytest.raises(SourceError):
        await run(library.sync(cancel=CancelToken()))
    failed, cancelled, *_ = await library.upkeep.tasks()
    assert (failed.kind, failed.state) == ("sync", "failed")
    assert "holds no document any more" in failed.detail
    assert (cancelled.kind, cancelled.state) == ("rebuild", "cancelled")
    assert 0 < cancelled.done <= cancelled.total == 6


async def test_a_task_whose_process_was_cut_short_says_so_at_the_next_start(root: Path) -> None:
    async with await Library.open(root, settings=WIDE) as library:
        await run(library.sync(cancel=CancelToken()))
        place = library.places.library
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE task SET state = 'running', ended = NULL")
    connection.close()
    async with await Library.open(root, settings=WIDE) as library:
        (task,) = await library.upkeep.tasks()
        assert (task.state, task.seconds) == ("interrupted", None)


async def test_what_cannot_be_read_is_named_in_the_record(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.ingest.read import Unreadable
    from engine.pipeline import index

    real = index.read

    def refusing(root: Path, path: str, **options: object) -> object:
        if path == "0.md":
            raise Unreadable(path, "it changes while it is read")
        return real(root, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "read", refusing)
    (library.root / "0.md").write_text("# 变\n\n改了。\n")
    await run(library.sync(cancel=CancelToken()))
    (first, *_) = await library.upkeep.tasks(1)
    assert [(each.path, each.reason) for each in first.failures] == [("0.md", "it changes while it is read")]
