"""Real pages, bytes as published: every one is indexed, and a question about them gives the same bytes each time."""

from __future__ import annotations

import asyncio
import csv
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.ingest.parse import parse
from engine.library import Library
from engine.settings import Embedding, Settings
from tests.pipeline.killing import without_times

HASH = Settings(embedding=Embedding(provider="hash"))
QUESTION = "compressMsgBodyOverHowmuch 默认是多少字节？"


async def indexed(folder: Path, data: Path) -> Library:
    library = await Library.open(folder, settings=HASH, data=data)
    async for _ in library.sync(cancel=CancelToken()):
        pass
    return library


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """One index of the Chinese pages for the tests of this module."""
    data = tmp_path_factory.mktemp("pages")

    async def index() -> None:
        library = await indexed(shared / "data" / "docs-zh", data)
        await library.close()

    asyncio.run(index())
    return data


@pytest.fixture
async def library(shared: Path, data: Path) -> AsyncIterator[Library]:
    async with await Library.open(shared / "data" / "docs-zh", settings=HASH, data=data) as library:
        yield library


@pytest.mark.parametrize("pages", ["docs-zh", "docs-en"])
async def test_every_page_is_indexed_whole(shared: Path, tmp_path: Path, pages: str) -> None:
    folder = shared / "data" / pages
    with (folder / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
        listed = {row["file"] for row in csv.DictReader(manifest, delimiter="\t")}
    library = await indexed(folder, tmp_path)
    try:
        assert [each.path for each in library.report.skipped] == ["MANIFEST.tsv"]
        assert not library.report.failed
        assert not library.report.doubtful
        with library.generation.reading() as connection:
            rows = connection.execute(
                'SELECT d.path, c.start, c."end", c.text FROM chunk c JOIN document d USING (did)'
            ).fetchall()
        assert {row[0] for row in rows} == listed
        texts = {path: parse(path, (folder / path).read_bytes()).documents[0].text for path in listed}
        assert all(texts[path][start:end] == text for path, start, end, text in rows)
    finally:
        await library.close()


async def test_the_chunk_with_the_answer_is_among_the_first_three(library: Library) -> None:
    trace = await library.retrieve(QUESTION)
    first = [trace.ranking.result(position).chunk.text for position in range(3)]
    assert any("compressMsgBodyOverHowmuch" in text and "4096" in text for text in first)


async def test_every_result_says_rank_and_score_in_each_channel_that_found_it(library: Library) -> None:
    trace = await library.retrieve(QUESTION)
    assert {name for result in trace.ranking.results() for name in result.channels} == {
        "fulltext",
        "cjk",
        "vector",
    }
    for result in trace.ranking.results():
        assert result.channels
        assert all(hit.rank >= 1 for hit in result.channels.values())
        assert abs(sum(hit.part for hit in result.channels.values()) - result.fused_score) < 1e-12


async def test_two_runs_a_rebuild_and_a_resumed_rebuild_give_the_same_bytes(library: Library) -> None:
    expected = without_times(await library.retrieve(QUESTION))
    assert without_times(await library.retrieve(QUESTION)) == expected
    token = CancelToken()
    steps = library.sync(rebuild=True, cancel=token)
    async for step in steps:
        if step.stage == "index" and step.done:
            token.cancel()
            break
    await steps.aclose()
    assert without_times(await library.retrieve(QUESTION)) == expected
    before = library.generation.id
    async for _ in library.sync(rebuild=True, cancel=CancelToken()):
        pass
    assert library.generation.id != before
    assert without_times(await library.retrieve(QUESTION)) == expected
