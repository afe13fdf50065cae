"""Chunks are read once in one state of the index, and anew in the next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.model import Chunk
from engine.settings import Embedding, Settings
from engine.store import chunk_cache
from engine.store.chunk_cache import ENTRY_CHARACTERS, ChunkCache
from tests.rank.build import chunk

STORED = {cid: chunk(f"c{cid}", text="text " * 10) for cid in range(1, 9)}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The row numbers that were read from the store, call by call."""
    calls: list[list[int]] = []

    def by_cid(_: object, cids: list[int]) -> dict[int, Chunk]:
        calls.append(list(cids))
        return {cid: STORED[cid] for cid in cids if cid in STORED}

    monkeypatch.setattr(chunk_cache, "by_cid", by_cid)
    return calls


def read(cache: ChunkCache, commit: int, *cids: int) -> dict[int, Chunk]:
    return cache.read(None, commit, cids)  # type: ignore[arg-type]


def test_only_what_is_missing_is_read(asked: list[list[int]]):
    cache = ChunkCache()
    read(cache, 1, 1, 2)
    assert read(cache, 1, 2, 3) == {2: STORED[2], 3: STORED[3]}
    assert asked == [[1, 2], [3]]


def test_a_later_commit_keeps_nothing_of_an_earlier_one(asked: list[list[int]], monkeypatch):
    cache = ChunkCache()
    read(cache, 1, 1)
    monkeypatch.setitem(STORED, 1, replace(STORED[1], text="changed"))
    assert read(cache, 2, 1)[1].text == "changed"


def test_a_reader_of_an_earlier_commit_leaves_nothing_to_a_later_one(asked: list[list[int]]):
    cache = ChunkCache()
    read(cache, 2, 1)
    read(cache, 1, 2)
    read(cache, 2, 1, 2)
    assert asked == [[1], [2], [2]]


def test_it_stays_below_its_limit_and_keeps_the_latest_used(asked: list[list[int]]):
    size = ENTRY_CHARACTERS + len(STORED[1].text)
    cache = ChunkCache(limit=3 * size)
    read(cache, 1, 1, 2, 3)
    read(cache, 1, 1)
    read(cache, 1, 4)
    assert cache.characters == 3 * size
    asked.clear()
    read(cache, 1, 1, 3, 4)
    assert asked == []


def test_a_row_that_is_not_there_is_not_made_up(asked: list[list[int]]):
    assert read(ChunkCache(), 1, 99) == {}


async def test_a_question_after_a_sync_sees_the_new_text(tmp_path: Path):
    (tmp_path / "a.md").write_text("# Queue\n\nThe queue keeps letters for a day.\n")
    settings = Settings(embedding=Embedding(provider="hash"))
    async with await Library.open(tmp_path, settings=settings) as library:
        for text in ("for a day", "for a week"):
            (tmp_path / "a.md").write_text(f"# Queue\n\nThe queue keeps letters {text}.\n")
            async for _ in library.sync(cancel=CancelToken()):
                pass
            for _ in range(2):
                assert text in (await library.retrieve("queue letters")).ranking.chunk(0).text
