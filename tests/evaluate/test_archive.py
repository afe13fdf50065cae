"""The texts that a set is checked against are those that the index was cut from, not what the disk holds now."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.evaluate import archive
from engine.evaluate.archive import ArchivedTexts
from engine.library import Library
from engine.settings import Embedding, Settings
from engine.store.library_file import LibraryFile

HASH = Settings(embedding=Embedding(provider="hash"))


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


async def test_evidence_follows_a_document_through_its_renames(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# 重试\n\n任务最多自动重试三次。\n")
    (root / "other.md").write_text("# 别的\n\n缓存缺失时读取回到数据库。\n")
    (root / "corpus.jsonl").write_text('{"_id": "7", "title": "", "text": "队列保留十四天。"}\n')
    (root / "evaluation.toml").write_text(
        'version = 1\nname = "own"\n\n[[cases]]\nid = "q"\nquery = "重试几次"\n'
        'evidence = [{file = "a.md", text = "最多自动重试三次"}]\n'
    )
    async with await Library.open(root, settings=HASH) as library:
        for old, new in (("a.md", "b.md"), ("b.md", "notes/c.md"), ("corpus.jsonl", "notes/corpus.jsonl")):
            await _synced(library)
            (root / new).parent.mkdir(exist_ok=True)
            (root / old).rename(root / new)
        await _synced(library)
        with closing(LibraryFile(library.places.library)) as file:
            assert ArchivedTexts(library.generation, file).renamed()["a.md"] == "notes/c.md"
            assert (
                ArchivedTexts(library.generation, file).renamed()["corpus.jsonl#7"] == "notes/corpus.jsonl#7"
            )
        fitted = (await library.catalogue.evidence()).pieces
        assert list(fitted) == ["notes/c.md"]
        (root / "a.md").write_text("# 新的\n\n另一篇，与之前无关。\n")
        await _synced(library)
        assert (await library.catalogue.evidence()).invalid == 1, "another document stands at its name now"


async def _synced(library: Library) -> None:
    async for _ in library.sync(cancel=CancelToken()):
        pass
