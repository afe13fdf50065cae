"""What a question gets when its vector cannot be made, or cannot be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import EmbedderError
from engine.library import Library
from engine.settings import Embedding, Retrieval, Settings
from tests.pipeline.killing import SETTINGS, synced

VECTOR_ONLY = Retrieval(fulltext_weight=0, cjk_weight=0, graph_weight=0)


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("# 重试\n\n任务最多重试三次。\n")
    await synced(tmp_path)
    return tmp_path


def codes(trace: object) -> set[str]:
    return {each.code for each in trace.degraded}  # type: ignore[attr-defined]


async def test_keyword_results_come_with_a_visible_reason(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise EmbedderError("the embedding server timed out", "start it")

    monkeypatch.setattr("engine.embedding.builtin.HashEmbedder.embed_query", fails)
    async with await Library.open(root, settings=SETTINGS) as library:
        trace = await library.retrieve("任务重试")
        assert trace.ranking.result(0).chunk.path == "a.md"
        assert "query_embedding_failed" in codes(trace)
        with pytest.raises(EmbedderError, match="timed out"):
            await library.retrieve("任务重试", VECTOR_ONLY)


async def test_vectors_of_another_embedder_never_take_part(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.embedding.builtin.HashEmbedder.fingerprint", "another")
    async with await Library.open(root, settings=SETTINGS) as library:
        trace = await library.retrieve("任务重试")
        assert trace.recall.channel("vector").listed == 0
        assert "vector_incompatible" in codes(trace)


async def test_an_embedder_that_cannot_serve_here_is_told_and_the_text_serves(root: Path) -> None:
    other: Settings = replace(SETTINGS, embedding=Embedding(provider="openai"))
    async with await Library.open(root, settings=other) as library:
        trace = await library.retrieve("任务重试")
        assert "vector_off" in codes(trace)
        assert trace.ranking.result(0).chunk.path == "a.md"


async def test_auto_stays_with_the_embedder_that_the_library_was_made_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("# a\n\ntext\n")
    monkeypatch.setattr("engine.embedding.is_installed", lambda: False)
    async with await Library.open(tmp_path, settings=Settings()) as library:
        assert (await library.status()).embedder == "hash"
    monkeypatch.setattr("engine.embedding.is_installed", lambda: True)
    async with await Library.open(tmp_path, settings=Settings()) as library:
        assert (await library.status()).embedder == "hash"


async def test_a_model_that_is_still_loading_keeps_no_question_waiting(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.embedding.builtin.HashEmbedder.loaded", False)
    async with await Library.open(root, settings=SETTINGS) as library:
        recall = await library.recall("任务重试", wait=False)
        assert {each.code for each in recall.degraded} >= {"embedder_loading"}
        assert recall.channel("cjk").listed == 1
