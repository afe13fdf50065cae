"""A renamed file stays the document it was: its ids, edits and citations follow it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.model import SyncReport
from engine.store.check import check
from tests.explain.libraries import indexed, write
from tests.pipeline.killing import of_path, run, synced

RULE = "# 规则\n\n同一任务最多自动重试三次。\n"
DOCUMENTS = {
    "a.md": RULE,
    "b.md": "# 其他\n\n缓存缺失时回到数据库。\n",
    "c.md": "# 又一页\n\n租约十秒一续。\n",
}


@pytest.fixture
async def library(tmp_path: Path):
    library = await indexed(write(tmp_path / "docs", DOCUMENTS))
    yield library
    await library.close()


async def read_again(library: Library) -> SyncReport:
    async for _ in library.sync(cancel=CancelToken()):
        pass
    check(library.serving(), cancel=CancelToken())
    return library.report


def told(report: SyncReport) -> tuple[int, ...]:
    return report.added, report.changed, report.renamed, report.deleted, report.unchanged


def names(library: Library, path: str) -> list[str]:
    return [chunk.chunk_id for chunk in of_path(library, path)]


async def test_a_renamed_file_keeps_its_chunks_and_its_edit(library: Library) -> None:
    (chunk,) = of_path(library, "a.md")
    await library.edits.set_text(chunk.chunk_id, "改写过的规则。")
    (library.root / "sub").mkdir()
    (library.root / "a.md").rename(library.root / "sub" / "甲.md")
    assert told(await read_again(library)) == (0, 0, 1, 0, 2)
    (moved,) = of_path(library, "sub/甲.md")
    assert (moved.chunk_id, moved.document_id, moved.text) == (
        chunk.chunk_id,
        chunk.document_id,
        "改写过的规则。",
    )
    assert of_path(library, "a.md") == []
    trace = await library.retrieve("改写过的规则")
    assert {group.path for group in trace.context.groups} <= {"sub/甲.md", "b.md", "c.md"}
    assert told(await read_again(library)) == (0, 0, 0, 0, 3)
    async for _ in library.sync(rebuild=True, cancel=CancelToken()):
        pass
    assert of_path(library, "sub/甲.md")[0].text == "改写过的规则。"


async def test_what_is_new_under_the_old_name_is_another_document(library: Library) -> None:
    before = names(library, "a.md")
    (library.root / "a.md").rename(library.root / "d.md")
    await read_again(library)
    (library.root / "a.md").write_text(RULE, encoding="utf-8")
    assert told(await read_again(library)) == (1, 0, 0, 0, 3)
    assert names(library, "d.md") == before
    assert names(library, "a.md") != before
    (library.root / "d.md").rename(library.root / "e.md")
    assert told(await read_again(library)) == (0, 0, 1, 0, 3)
    assert names(library, "e.md") == before


async def test_a_name_that_is_taken_over_in_the_same_scan_is_another_document(library: Library) -> None:
    before = names(library, "a.md")
    (library.root / "a.md").rename(library.root / "d.md")
    (library.root / "b.md").rename(library.root / "a.md")
    report = await read_again(library)
    assert told(report)[0] + report.changed + report.renamed + report.unchanged == 3
    assert of_path(library, "d.md")
    assert of_path(library, "a.md")[0].text.startswith("# 其他")
    assert len({each for path in ("a.md", "c.md", "d.md") for each in names(library, path)}) == 3
    assert before


async def test_what_is_not_one_to_one_is_no_rename(library: Library) -> None:
    for copy in ("d.md", "e.md"):
        (library.root / copy).write_text(RULE, encoding="utf-8")
    (library.root / "a.md").unlink()
    assert told(await read_again(library)) == (2, 0, 0, 1, 2)


@pytest.mark.parametrize("step", ["alias.recorded", "revision.archived", "documents.committed"])
async def test_a_rename_killed_at_a_step_is_finished_by_the_next_run(tmp_path: Path, step: str) -> None:
    root = write(tmp_path / "docs", DOCUMENTS)
    await synced(root)
    async with await Library.open(root) as library:
        before = names(library, "a.md")
    (root / "a.md").rename(root / "d.md")
    assert run(root, "sync", step) == -9
    await synced(root)
    async with await Library.open(root) as library:
        assert names(library, "d.md") == before
        assert of_path(library, "a.md") == []
        check(library.serving(), cancel=CancelToken())
