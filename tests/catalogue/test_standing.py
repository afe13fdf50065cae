"""The states of each document, and the folder beside the index."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.settings import Embedding, Settings

HASH = Settings(embedding=Embedding(provider="hash"), scopes=(("secret/", ("ops",)),))


async def sync(library: Library, **options: bool) -> None:
    async for _ in library.sync(cancel=CancelToken(), **options):
        pass


@pytest.fixture
async def library(tmp_path: Path):
    root = tmp_path / "docs"
    (root / "secret").mkdir(parents=True)
    (root / "a.md").write_text("# 重试\n\n任务最多自动重试三次。\n")
    (root / "b.md").write_text("# 缓存\n\n缓存缺失时读取回到数据库。\n")
    (root / "blank.md").write_text("\n\n")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\0\0")
    (root / "secret" / "key.md").write_text("# 值班\n\n值班人员的电话。\n")
    (root / "secret" / "key.png").write_bytes(b"\x89PNG\r\n\0\0")
    async with await Library.open(root, settings=HASH) as opened:
        yield opened


async def states(library: Library, path: str) -> tuple[str, str, str, str]:
    (found,) = [each for each in await library.catalogue.documents() if each.path == path]
    return found.parse, found.text, found.vector, found.graph


async def test_each_facet_is_ready_by_itself(library: Library) -> None:
    await sync(library, embed=False)
    assert await states(library, "a.md") == ("ready", "ready", "waiting", "off")
    assert await states(library, "blank.md") == ("ready", "off", "off", "off")
    async for _ in library.embed(cancel=CancelToken()):
        pass
    assert await states(library, "a.md") == ("ready", "ready", "ready", "off")


async def test_vectors_of_another_embedder_are_incompatible(library: Library) -> None:
    await sync(library)
    with library.generation.writing():
        library.generation.meta["embedder"] = "another"
    assert (await states(library, "a.md"))[2] == "incompatible"


async def test_edits_conflicts_and_what_is_out_of_use_are_counted(library: Library) -> None:
    await sync(library)
    recall = await library.recall("重试 缓存")
    first = {chunk.path: chunk.chunk_id for chunk in recall.chunks}
    await library.edits.set_text(first["a.md"], "最多两次。")
    await library.edits.disable(first["b.md"])
    (library.root / "a.md").write_text("# 全新\n\n别的内容，从头写过。\n")
    await sync(library)
    found = {each.path: each for each in await library.catalogue.documents()}
    assert (found["a.md"].edits, found["a.md"].conflicts, found["a.md"].disabled) == (0, 1, 0)
    assert (found["b.md"].edits, found["b.md"].conflicts, found["b.md"].disabled) == (1, 0, 1)
    assert (found["b.md"].chunks, found["b.md"].text) == (0, "off")


async def test_skipped_files_are_told_to_those_who_may_see_them(library: Library) -> None:
    await sync(library)

    async def skipped(*scopes: str) -> list[str]:
        return [each.path for each in (await library.catalogue.on_disk(scopes=scopes)).skipped]

    assert await skipped() == ["logo.png"]
    assert await skipped("ops") == ["logo.png", "secret/key.png"]


async def test_the_folder_is_compared_without_reading_what_did_not_change(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync(library)
    from engine.pipeline import freshness

    read: list[str] = []
    real = freshness.read
    monkeypatch.setattr(
        freshness, "read", lambda root, path, **options: (read.append(path), real(root, path, **options))[1]
    )
    found = await library.catalogue.on_disk()
    assert (found.changed, read) == (0, [])
    assert found.since is not None
    (library.root / "a.md").write_text("# 重试\n\n任务最多自动重试五次。\n")
    os.utime(library.root / "b.md", (1, 1))
    (library.root / "blank.md").unlink()
    (library.root / "new.md").write_text("# 新\n\n新的一页。\n")
    (library.root / "secret" / "new.md").write_text("# 新\n\n新的一页。\n")
    found = await library.catalogue.on_disk()
    assert dict(found.freshness) == {"a.md": "changed", "blank.md": "gone"}
    assert found.new == ("new.md",)
    assert found.changed == 3
    assert sorted(read) == ["a.md", "b.md"]
    everything = await library.catalogue.on_disk(scopes=("*",))
    assert everything.new == ("new.md", "secret/new.md")


async def test_before_the_first_sync_every_file_is_new(library: Library) -> None:
    found = await library.catalogue.on_disk()
    assert found.since is None
    assert set(found.new) == {"a.md", "b.md", "blank.md"}
    library.settings = replace(HASH, scopes=())
    assert "secret/key.md" in (await library.catalogue.on_disk()).new
