"""Edits while a sync goes on in the same process: whichever commits first, the index ends with both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.pipeline import replay as replaying
from engine.store.check import check
from engine.store.chunks import of_document
from tests.explain.libraries import indexed, settings, write

RULE = "任务失败后最多自动重试三次。"
BEFORE = f"# 规则\n\n{RULE}\n\n# 其他\n\n缓存缺失时读取回到数据库。\n"
AFTER = f"# 前言\n\n新加的一段。\n\n{BEFORE}"


class Hook:
    """Does something once, when a durable step of this name is reported."""

    def __init__(self) -> None:
        self.at = ""
        self.work = lambda: None

    def __call__(self, step: str) -> None:
        if step == self.at:
            self.at = ""
            self.work()


@pytest.fixture
async def hooked(tmp_path: Path) -> AsyncIterator[tuple[Library, Hook]]:
    hook = Hook()
    root = write(tmp_path / "docs", {"a.md": BEFORE, "b.md": "# 别的\n\n别的内容。\n"})
    await (await indexed(root)).close()
    library = await Library.open(root, settings=settings(), steps=hook)
    yield library, hook
    await library.close()


def texts(library: Library, path: str) -> list[str]:
    with library.serving().reading() as connection:
        return [chunk.text for chunk in of_document(connection, path)]


def chunk_of(library: Library, part: str) -> str:
    with library.serving().reading() as connection:
        return next(one.chunk_id for one in of_document(connection, "a.md") if part in one.text)


async def synced(library: Library) -> None:
    async for _ in library.sync(cancel=CancelToken()):
        pass


async def test_an_edit_made_while_a_sync_holds_the_new_text_is_not_overwritten(
    hooked: tuple[Library, Hook],
) -> None:
    library, hook = hooked
    chunk_id, loop = chunk_of(library, RULE), asyncio.get_running_loop()
    (library.root / "a.md").write_text(AFTER, encoding="utf-8")
    hook.at = "revision.archived"
    hook.work = lambda: asyncio.run_coroutine_threadsafe(
        library.edits.set_text(chunk_id, "改写过的规则。"), loop
    ).result()
    await synced(library)
    assert "改写过的规则。" in texts(library, "a.md")
    assert any("新加的一段" in text for text in texts(library, "a.md"))
    check(library.serving(), cancel=CancelToken())


async def test_a_sync_that_ends_while_an_edit_is_applied_is_not_undone(
    hooked: tuple[Library, Hook], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, _ = hooked
    chunk_id, loop = chunk_of(library, RULE), asyncio.get_running_loop()
    original, called = replaying.prepare, 0

    def overtaken(*args: object, **named: object) -> object:
        nonlocal called
        called += 1
        if called == 1:
            (library.root / "a.md").write_text(AFTER, encoding="utf-8")
            asyncio.run_coroutine_threadsafe(synced(library), loop).result()
        return original(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(replaying, "prepare", overtaken)
    await library.edits.set_text(chunk_id, "改写过的规则。")
    assert "改写过的规则。" in texts(library, "a.md")
    assert any("新加的一段" in text for text in texts(library, "a.md"))


async def test_a_document_that_is_deleted_while_its_edit_is_applied_stays_away(
    hooked: tuple[Library, Hook], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, _ = hooked
    chunk_id, loop = chunk_of(library, RULE), asyncio.get_running_loop()
    original, called = replaying.prepare, 0

    def overtaken(*args: object, **named: object) -> object:
        nonlocal called
        called += 1
        if called == 1:
            (library.root / "a.md").unlink()
            asyncio.run_coroutine_threadsafe(synced(library), loop).result()
        return original(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(replaying, "prepare", overtaken)
    await library.edits.set_text(chunk_id, "改写过的规则。")
    assert texts(library, "a.md") == []
    (conflict,) = await library.edits.conflicts()
    assert conflict.mine == "改写过的规则。"


async def test_edits_begun_at_once_are_taken_one_after_another(hooked: tuple[Library, Hook]) -> None:
    library, _ = hooked
    chunk_id = chunk_of(library, RULE)
    done = await asyncio.gather(*(library.edits.set_text(chunk_id, f"第 {n} 稿。") for n in range(6)))
    (pin,) = await library.edits.pins()
    last = max(done, key=lambda each: each.step.seq)
    assert pin == last.step.added[0]
    assert pin.text in texts(library, "a.md")
    for _ in done:
        await library.edits.undo()
    assert RULE in "".join(texts(library, "a.md"))
