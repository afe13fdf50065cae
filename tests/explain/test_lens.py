"""The lens agrees with the ranks: its parts add up to the channel's own score."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.library import Library
from tests.explain.libraries import indexed, settings, write

DOCUMENTS: dict[str, str | bytes] = {
    "guide.md": "# 重试与隔离\n\n同一任务最多自动重试三次。使用 Redis 缓存，见 max_retry_count。\n",
    "errors.md": "# Errors\n\nThe retry limit was hit. Café résumé.\n",
    "internal/plan.md": "# 机密\n\n任务重试九次，Redis。\n",
}


@pytest.fixture
async def library(tmp_path: Path):
    library = await indexed(write(tmp_path, DOCUMENTS), settings(scopes=(("internal/**", ("ops",)),)))
    yield library
    await library.close()


async def chunk_of(library: Library, path: str, scopes: tuple[str, ...] = ()) -> str:
    trace = await library.retrieve("任务 retry", scopes=scopes)
    return next(chunk.chunk_id for chunk in trace.recall.chunks if chunk.path == path)


async def test_parts_add_up_to_the_score_of_full_text(library: Library) -> None:
    lens = await library.lens("max_retry_count 缓存 Redis", await chunk_of(library, "guide.md"))
    scores = {each.channel: each.score for each in lens.standings}
    assert lens.bm25["fulltext"] == pytest.approx(scores["fulltext"], abs=1e-12)
    assert 0 < lens.bm25["cjk"] <= (scores["cjk"] or 0)


async def test_every_term_says_how_rare_it_is_and_whether_it_met(library: Library) -> None:
    lens = await library.lens("任务失败 Redis lease", await chunk_of(library, "guide.md"))
    asked = {(each.channel, each.term): each for each in lens.asked}
    assert asked["cjk", "任务"].met
    assert asked["cjk", "任务"].part > 0
    assert asked["cjk", "失败"].met is False
    assert asked["cjk", "失败"].part == 0
    assert asked["fulltext", "redis"].document_frequency == 1
    assert ("cjk", "redis") in asked, "a question with Han asks for its words there too"
    assert asked["fulltext", "lease"].document_frequency == 0


async def test_an_identifier_that_met_whole_is_not_scored_in_parts(library: Library) -> None:
    lens = await library.lens("max_retry_count", await chunk_of(library, "guide.md"))
    asked = {each.term: each for each in lens.asked if each.channel == "fulltext"}
    assert asked["max_retry_count"].part > 0
    assert asked["retry"].met
    assert asked["retry"].part == 0


async def test_a_word_met_without_its_diacritics_is_told(library: Library) -> None:
    lens = await library.lens("café", await chunk_of(library, "errors.md"))
    assert any(each.met and each.part > 0 for each in lens.asked)


async def test_the_chunks_own_terms_begin_with_those_asked_for_then_the_rarest(library: Library) -> None:
    lens = await library.lens("任务重试", await chunk_of(library, "guide.md"))
    first = [each.asked for each in lens.held]
    assert first == sorted(first, reverse=True)
    rest = [each.idf for each in lens.held if not each.asked]
    assert rest == sorted(rest, reverse=True)
    assert {each.term for each in lens.held} >= {"任务", "重试", "redis"}


async def test_nothing_is_counted_of_what_may_not_be_seen(library: Library) -> None:
    public = await library.lens("Redis", await chunk_of(library, "guide.md"))
    ops = await library.lens("Redis", await chunk_of(library, "guide.md"), scopes=("ops",))
    assert [each.document_frequency for each in public.asked] == [1]
    assert [each.document_frequency for each in ops.asked] == [2]


async def test_a_chunk_that_may_not_be_seen_is_refused_like_one_that_is_none(library: Library) -> None:
    hidden = await chunk_of(library, "internal/plan.md", ("ops",))
    for chunk_id in (hidden, "z" * 20):
        with pytest.raises(UsageError) as refused:
            await library.lens("Redis", chunk_id)
        assert (
            str(refused.value).replace(chunk_id, "X")
            == "there is no chunk X to look into: choose one of the results"
        )
