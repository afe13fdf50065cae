"""The texts that a set is checked against are those that the index was cut from, not what the disk holds now."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.evaluate import archive
from engine.evaluate.archive import ArchivedTexts
from engine.library import Library
from engine.settings import Embedding, Settings
from engine.store.library_file import LibraryFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_bytes("\ufeff# 标题\r\n正文。\r\n".encode())
    (root / "b.txt").write_bytes(
        "编码是 GB18030 的一页，内容不长也不短，讲的是任务的重试。".encode("gb18030")
    )
    (root / "corpus.jsonl").write_text('{"_id": "p1", "text": "a paragraph"}\n', encoding="utf-8")
    return root


async def texts(root: Path, data: Path) -> dict[str, str]:
    settings = Settings(embedding=Embedding(provider="hash"))
    async with await Library.open(root, settings=settings, data=data) as library:
        async for _ in library.sync(embed=False, cancel=CancelToken()):
            pass
        (root / "a.md").write_text("something else", encoding="utf-8")
        file = LibraryFile(library.places.library)
        try:
            found = ArchivedTexts(library.generation, file)
            assert len(found) == 3
            assert "a.md" in found
            assert "none.md" not in found
            assert found.get("none.md") is None
            return dict(found)
        finally:
            file.close()


async def test_texts_are_decoded_without_bom_and_with_their_line_ends(folder: Path, tmp_path: Path) -> None:
    assert await texts(folder, tmp_path / "data") == {
        "a.md": "# 标题\r\n正文。\r\n",
        "b.txt": "编码是 GB18030 的一页，内容不长也不短，讲的是任务的重试。",
        "corpus.jsonl#p1": "a paragraph",
    }


async def test_memory_is_bounded_and_what_was_forgotten_is_read_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "REMEMBERED", 5)
    assert len(await texts(folder, tmp_path / "data")) == 3
