"""A real embedding server around a real model, killed, slowed, changed and started again while a library is indexed
and asked: no vector of another model ever takes part, the old ones serve, and everything goes on where it stopped."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.embedding import packaged
from engine.embedding.openai import OpenAIEmbedder
from engine.embedding.packaged import PackagedEmbedder
from engine.embedding.protocol import embedding_input
from engine.errors import Cancelled
from engine.library import Library
from engine.settings import Embedding, Retrieval, Settings
from engine.trace import Trace
from tests.embedding.endpoint import SOON
from tests.faults.embedding_server import free_port, serving
from tests.pipeline.killing import of_path

VECTOR_ONLY = Retrieval(fulltext_weight=0, cjk_weight=0, graph_weight=0)
SUBJECTS = ("重试", "缓存", "租约", "死信队列", "审计", "限流", "备份", "告警")
QUESTIONS = ("任务失败以后按哪条规则？", "how long is a lease held", "谁能看到日志，规则是什么？")


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    if not packaged.is_installed():
        pytest.skip("the packaged model is not installed")
    soon = replace(SOON, seconds=5.0, attempts=2)
    made = partial(OpenAIEmbedder, documents=soon, query=soon, loading=soon)
    monkeypatch.setattr("engine.embedding.OpenAIEmbedder", made)
    for name in ("FIRST_BATCH", "LARGEST_BATCH"):
        monkeypatch.setattr(f"engine.pipeline.attach.{name}", 2)


@pytest.fixture(scope="module")
def model() -> PackagedEmbedder:
    return PackagedEmbedder()


def write(root: Path, first: int, last: int) -> None:
    for number in range(first, last):
        subject = SUBJECTS[number % len(SUBJECTS)]
        (root / f"{number:02}.md").write_text(
            f"# {subject} {number}\n\n这一页说明{subject}的第 {number} 条规则。\n"
        )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    write(folder, 0, 8)
    return folder


def settings(port: int) -> Settings:
    endpoint = Embedding(provider="openai", base_url=f"http://127.0.0.1:{port}/v1/", model="use")
    return Settings(embedding=endpoint)


async def sync(library: Library, **options: bool) -> None:
    async for _ in library.sync(cancel=CancelToken(), **options):
        pass


def codes(trace: Trace) -> set[str]:
    return {each.code for each in trace.degraded if each.channel == "vector"}


async def is_true(library: Library, model: PackagedEmbedder, question: str) -> int:
    """How many vectors took part; each similarity is that of the model itself."""
    recall = await library.recall(question, VECTOR_ONLY)
    asked = model.embed_query(question, cancel=CancelToken())
    for chunk, score in zip(recall.chunks, recall.scores[:, 2], strict=True):
        given = embedding_input(chunk.title, chunk.heading_path, chunk.text)
        (own,) = model.embed([given], cancel=CancelToken())
        assert np.isclose(score, float(own @ asked), atol=1e-5)
    return len(recall.chunks)


async def counts(library: Library) -> tuple[int, int]:
    status = await library.status()
    return status.vectors_ready, status.vectors_waiting


async def test_a_server_that_is_killed_slowed_changed_and_started_again(
    root: Path, model: PackagedEmbedder
) -> None:
    port = free_port()
    async with await Library.open(root, settings=settings(port)) as library:
        # killed while it indexes: what it had made stays, the rest waits, the text serves
        with serving(port, delay=0.2) as server:
            async for progress in library.sync(cancel=CancelToken()):
                if progress.stage == "embed" and progress.done >= 2:
                    server.kill()
        ready, waiting = await counts(library)
        assert ready >= 2
        assert waiting == 8 - ready > 0
        assert library.report.embedding_failed
        trace = await library.retrieve(QUESTIONS[0])
        assert "query_embedding_failed" in codes(trace)
        assert trace.ranking.found

        # started again: the rest alone is asked for
        with serving(port) as server:
            await sync(library)
            assert await counts(library) == (8, 0)
            assert await is_true(library, model, QUESTIONS[0]) == 8
            server.kill()
            assert server.stdout is not None
            sent = sum(int(line) for line in server.stdout if line.strip())
        assert sent <= waiting + 12, (
            "what was made is not made again; the probes and the question come with it"
        )

    async with await Library.open(root, settings=settings(port)) as library:
        # slow: a question waits for it and can be cancelled, one asked before is there at once
        with serving(port, delay=0.4):
            assert await is_true(library, model, QUESTIONS[1]) == 8
            token = CancelToken()
            token.cancel()
            with pytest.raises(Cancelled):
                await library.recall(QUESTIONS[2], VECTOR_ONLY, cancel=token)
        assert not codes(await library.retrieve(QUESTIONS[0]))

    # another model under the same name, and one of other dimensions: neither takes part
    write(root, 8, 10)
    for kind in ("other", "short"):
        with serving(port, kind):
            async with await Library.open(root, settings=settings(port)) as library:
                await sync(library)
                assert await counts(library) == (8, 2)
                trace = await library.retrieve(f"{QUESTIONS[2]} {kind}")
                assert "vector_incompatible" in codes(trace)
                assert trace.recall.channel("vector").listed == 0
                assert trace.ranking.found

    # a rebuild to the other model that its server does not survive: the old index and its vectors serve
    with serving(port, "other", delay=0.2) as server:
        async with await Library.open(root, settings=settings(port)) as library:
            before = library.serving().id
            async for progress in library.upkeep.rebuild(hold=True, cancel=CancelToken()):
                if progress.stage == "embed" and progress.done >= 2:
                    server.kill()
            assert library.serving().id == before
            await library.upkeep.drop()
    with serving(port):
        async with await Library.open(root, settings=settings(port)) as library:
            await sync(library)
            assert await counts(library) == (10, 0)
            assert await is_true(library, model, QUESTIONS[2]) == 10
            assert [chunk.path for chunk in of_path(library, "09.md")] == ["09.md"]
