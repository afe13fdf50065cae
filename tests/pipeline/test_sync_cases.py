"""What broke the syncs of other tools: many files, names in two normal forms, swapped and moved folders, edits of a
chunk that is not there any more."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.embedding.builtin import HashEmbedder
from engine.embedding.protocol import Vectors
from engine.errors import UsageError
from engine.library import Library
from engine.pipeline import index as pipeline
from engine.settings import Retrieval
from tests.pipeline.killing import SETTINGS, of_path

BY_VECTOR = Retrieval(fulltext_weight=0, cjk_weight=0, graph_weight=0)


async def sync(library: Library, **options: bool) -> tuple[int, int, int, int, int]:
    async for _ in library.sync(cancel=CancelToken(), **options):
        pass
    report = library.report
    return report.added, report.changed, report.renamed, report.deleted, report.unchanged


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    root = tmp_path / "docs"
    root.mkdir()
    async with await Library.open(root, settings=SETTINGS) as opened:
        yield opened


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that the embedder is asked for."""
    asked: list[str] = []
    real = HashEmbedder.embed

    def embed(self: HashEmbedder, texts: list[str], *, cancel: CancelToken) -> Vectors:
        asked.extend(texts)
        return real(self, texts, cancel=cancel)

    monkeypatch.setattr(HashEmbedder, "embed", embed)
    return asked


def paths(library: Library) -> list[str]:
    with library.serving().reading() as connection:
        return [row[0] for row in connection.execute("SELECT path FROM document ORDER BY path")]


async def test_changes_among_the_last_of_two_thousand_files_are_all_seen(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = library.root
    for number in range(2_000):
        (root / f"{number:04}.md").write_text(f"第 {number} 页\n")
    assert await sync(library, embed=False) == (2_000, 0, 0, 0, 0)
    read: list[str] = []
    real = pipeline.read
    monkeypatch.setattr(
        pipeline, "read", lambda top, path, **options: (read.append(path), real(top, path, **options))[1]
    )
    assert await sync(library, embed=False) == (0, 0, 0, 0, 2_000)
    assert read == []
    for number in range(500, 2_000, 100):
        (root / f"{number:04}.md").write_text(f"第 {number} 页，改过\n")
        (root / f"{number + 1:04}.md").unlink()
        (root / f"{number + 2:04}.md").rename(root / f"新 {number + 2:04}.md")
    assert await sync(library, embed=False) == (0, 15, 15, 15, 1_955)
    assert len(read) == 30, "what changed, and what has a new name"
    assert await sync(library, embed=False) == (0, 0, 0, 0, 1_985)


async def test_a_moved_folder_and_swapped_contents_embed_nothing_again(
    library: Library, embedded: list[str]
) -> None:
    root = library.root
    (root / "一").mkdir()
    for name, text in (
        ("一/a.md", "# 甲\n\n重试三次。\n"),
        ("一/b.md", "# 乙\n\n缓存失效。\n"),
        ("c.md", "# 丙\n\n租约。\n"),
    ):
        (root / name).write_text(text)
    await sync(library)
    asked = len(embedded)
    (root / "一").rename(root / "二")
    assert await sync(library) == (0, 0, 2, 0, 1)
    assert paths(library) == ["c.md", "二/a.md", "二/b.md"]
    for old, new in (("二/a.md", "t"), ("二/b.md", "二/a.md"), ("t", "二/b.md")):
        (root / old).rename(root / new)
    await sync(library)
    assert [of_path(library, path)[-1].text.strip() for path in ("二/a.md", "二/b.md")] == [
        "# 乙\n\n缓存失效。",
        "# 甲\n\n重试三次。",
    ]
    assert len(embedded) == asked
    assert library.report.waiting == 0


async def test_a_name_in_two_normal_forms_is_what_the_disk_calls_it(
    library: Library, embedded: list[str]
) -> None:
    long, short = (unicodedata.normalize(form, "ä-ガイド.md") for form in ("NFD", "NFC"))
    (library.root / long).write_text("# ガイド\n\nはじめに読む。\n")
    (library.root / "other.md").write_text("# other\n\nAnother page.\n")
    await sync(library)
    asked = len(embedded)
    (library.root / long).rename(library.root / short)
    assert await sync(library) == (0, 0, 1, 0, 1)
    assert paths(library) == sorted([short, "other.md"])
    assert len(embedded) == asked
    (library.root / long).write_text("# ガイド\n\nもう一つの手引き。\n")
    assert (await sync(library))[0] == 1
    for _ in range(2):
        assert await sync(library) == (0, 0, 0, 0, 3)
    assert paths(library) == sorted([long, short, "other.md"])
    assert os.listdir(library.root).count(long) == 1


async def test_an_edited_text_is_found_at_once_and_embedded_once(
    library: Library, embedded: list[str]
) -> None:
    (library.root / "fruit.md").write_text("# Fruit\n\nThe apple is red.\n")
    (library.root / "stone.md").write_text("# Stone\n\nGranite is hard.\n")
    await sync(library)
    (chunk,) = of_path(library, "fruit.md")
    await library.edits.set_text(chunk.chunk_id, "The banana is yellow.")
    asked = len(embedded)

    async def found(word: str, retrieval: Retrieval | None = None) -> list[tuple[str, bool]]:
        recall = await library.recall(word, retrieval)
        return [(each.text, each.edited) for each in recall.chunks if each.path == "fruit.md"]

    assert await found("banana") == [("The banana is yellow.", True)]
    assert await found("apple", Retrieval(vector_weight=0)) == []
    assert await found("apple", BY_VECTOR) == [], "its old vector serves nothing, and the new one waits"
    questions = len(embedded) - asked
    async for _ in library.embed(cancel=CancelToken()):
        pass
    assert len(embedded) - asked - questions == 1
    assert await found("banana", BY_VECTOR) == [("The banana is yellow.", True)]
    recall = await library.recall("banana", BY_VECTOR)
    assert np.nanmax(recall.scores[:, 2]) > 0


async def test_an_edit_of_a_chunk_that_a_sync_replaced_is_refused_and_writes_nothing(
    library: Library,
) -> None:
    (library.root / "rule.md").write_text("# 规则\n\n最多重试三次。\n")
    await sync(library)
    (chunk,) = of_path(library, "rule.md")
    (library.root / "rule.md").write_text("# 规则\n\n最多重试五次，间隔一分钟。\n")
    await sync(library)
    with pytest.raises(UsageError, match="chunk"):
        await library.edits.set_text(chunk.chunk_id, "最多重试四次。")
    assert await library.edits.history() == []
    assert of_path(library, "rule.md")[0].text.endswith("间隔一分钟。\n")
