"""The library as a whole, on real files and real SQLite: what is found, what it says, and that it says it again."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, CorruptIndexError, DiskFullError, LibraryError, QueryError, SourceError
from engine.ingest.read import Unreadable
from engine.library import Library
from engine.model import CHANNELS, Progress
from engine.settings import Chunking, Embedding, Features, Retrieval, Settings
from engine.store.cache import EmbeddingCache
from engine.store.check import check
from engine.trace import as_asked, covers, settle
from tests.pipeline.killing import without_times

HASH = Settings(embedding=Embedding(provider="hash"))
DOCUMENTS = {
    "guide.md": "# 重试与隔离\n\n同一任务最多自动重试三次，间隔为 1、5、25 分钟。第三次仍失败时，进入死信队列。\n",
    "errors.md": "# Errors\n\n## E1234\n\nThe retry limit was hit. See `max_retry_count`.\n\n## E2000\n\nNo lease.\n",
    "cache.txt": "缓存缺失时，读取回到权威数据库。\n\nA miss is no error.\n",
    "notes/队列.md": "# 队列\n\n死信队列保留十四天，之后只剩记录。\n",
}


def write(root: Path, documents: Mapping[str, str]) -> Path:
    for path, text in documents.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


async def opened(root: Path, settings: Settings = HASH, **options: object) -> Library:
    return await Library.open(root, settings=settings, **options)  # type: ignore[arg-type]


async def sync(library: Library, **options: bool) -> list[Progress]:
    return [step async for step in library.sync(cancel=CancelToken(), **options)]


@pytest.fixture
async def library(tmp_path: Path):
    library = await opened(write(tmp_path / "docs", DOCUMENTS))
    await sync(library)
    yield library
    await library.close()


async def answer(library: Library, query: str = "任务自动重试几次？", **options: object) -> str:
    return without_times(await library.retrieve(query, **options))  # type: ignore[arg-type]


# --- finding ---------------------------------------------------------------------------------------------------


async def test_a_question_finds_its_passage_with_rank_and_score_in_each_channel(library: Library) -> None:
    trace = await library.retrieve("任务自动重试几次？")
    first = trace.ranking.result(0)
    assert first.chunk.path == "guide.md"
    assert set(first.channels) == {"cjk", "vector"}
    assert first.channels["cjk"].rank == 1
    for result in trace.ranking.results():
        parts = sum(hit.part for hit in result.channels.values())
        assert parts == pytest.approx(result.fused_score, abs=1e-12)


async def test_every_chunk_is_the_text_at_its_span(library: Library) -> None:
    trace = await library.retrieve("queue 队列 retry 任务 cache", Retrieval(top_k=20))
    assert len(trace.recall.chunks) >= 4
    for chunk in trace.recall.chunks:
        assert DOCUMENTS[chunk.path][chunk.start : chunk.end] == chunk.text


async def test_an_identifier_is_found_by_full_text_at_its_heading(library: Library) -> None:
    trace = await library.retrieve("max_retry_count")
    first = trace.ranking.result(0)
    assert first.channels["fulltext"].rank == 1
    assert first.chunk.heading_path == ("Errors", "E1234")


async def test_the_graph_says_that_it_is_off_and_is_no_used_channel(library: Library) -> None:
    document = (await library.retrieve("队列")).to_json()
    diagnostics = document["diagnostics"]
    assert isinstance(diagnostics, dict)
    assert "graph" not in diagnostics["used_channels"]
    assert {"graph_off"} <= {each["code"] for each in diagnostics["degraded"]}


async def test_two_runs_a_new_process_and_a_rebuild_give_the_same_bytes(tmp_path: Path) -> None:
    root = write(tmp_path / "docs", DOCUMENTS)
    async with await opened(root) as library:
        await sync(library)
        first = await answer(library)
        assert await answer(library) == first
    async with await opened(root) as library:
        assert await answer(library) == first
        before = library.generation.id
        await sync(library, rebuild=True)
        assert library.generation.id != before
        assert await answer(library) == first


async def test_a_settled_recall_is_what_a_fresh_query_says(library: Library) -> None:
    recall = await library.recall("任务重试 retry")
    turned = Retrieval(vector_weight=0.3, top_k=2, fusion="minmax", document_quota=1)
    assert covers(recall, turned)
    assert without_times(settle(recall, turned)) == await answer(library, "任务重试 retry", retrieval=turned)


async def test_a_wide_recall_seen_as_a_narrow_question_is_that_questions_answer(library: Library) -> None:
    turned = Retrieval(cjk_weight=0, vector_weight=0, rerank="local", required_terms=True)
    wide = await library.recall("E1234 任务重试 retry", replace(turned, cjk_weight=1, vector_weight=1))
    fresh = await library.recall("E1234 任务重试 retry", turned)
    narrow = as_asked(wide, turned)
    assert narrow.terms == fresh.terms
    assert without_times(settle(narrow, turned)) == without_times(settle(fresh, turned))


async def test_the_weights_of_the_features_are_those_of_the_settings(library: Library) -> None:
    recall = await library.recall("max_retry_count", Retrieval(rerank="local"))
    trace = settle(recall, Retrieval(rerank="local"), Features(fused=0.0))
    assert all(line.part == 0 for line in trace.ranking.result(0).features if line.feature == "fused")


async def test_a_muted_channel_is_not_asked(library: Library) -> None:
    recall = await library.recall("队列", Retrieval(vector_weight=0, fulltext_weight=0))
    assert [channel.channel for channel in recall.channels if channel.used] == ["cjk"]
    assert not covers(recall, Retrieval())


async def test_neighbours_and_held_terms_are_copied_where_they_will_be_asked_for(library: Library) -> None:
    wide = await library.recall("E1234", Retrieval(adjacent_chunk_count=1, required_terms=True))
    assert wide.around
    assert wide.holds is not None
    assert wide.holds.shape == (len(wide.chunks), len(wide.terms))
    assert not covers(await library.recall("E1234"), Retrieval(adjacent_chunk_count=1))


@pytest.mark.parametrize("query", ["", "   \n", "\0\0", "x" * 4_001])
async def test_a_question_that_is_none_is_refused_in_one_sentence(library: Library, query: str) -> None:
    with pytest.raises(QueryError):
        await library.retrieve(query)


@pytest.mark.parametrize("query", ["x\ud83d y", "alpha\0beta", "AND OR NEAR(", "\x1b[2J", "🎉", "-x:y*^"])
async def test_any_text_is_a_question(library: Library, query: str) -> None:
    trace = await library.retrieve(query)
    json.dumps(trace.to_json()).encode("utf-8")


# --- syncing ---------------------------------------------------------------------------------------------------


async def test_a_second_sync_finds_nothing_and_reads_nothing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.pipeline.index.read", lambda *_, **__: pytest.fail("a file was read"))
    await sync(library)
    assert (library.report.added, library.report.changed, library.report.deleted) == (0, 0, 0)
    assert library.report.unchanged == len(DOCUMENTS)


async def test_changed_shorter_and_deleted_files_leave_nothing_behind(
    library: Library, tmp_path: Path
) -> None:
    write(library.root, {"errors.md": "# Errors\n\nNothing.\n"})
    (library.root / "cache.txt").unlink()
    await sync(library)
    assert (library.report.changed, library.report.deleted) == (1, 1)
    trace = await library.retrieve("max_retry_count 缓存缺失", Retrieval(top_k=20))
    assert all(
        "max_retry_count" not in chunk.text and "缓存" not in chunk.text for chunk in trace.recall.chunks
    )
    async with await opened(library.root, data=tmp_path / "fresh") as fresh:
        await sync(fresh)
        assert await answer(fresh, "No lease 死信") == await answer(library, "No lease 死信")


async def test_only_what_was_included_is_indexed_now_and_at_every_later_sync(tmp_path: Path) -> None:
    root = write(tmp_path / "docs", DOCUMENTS)
    async with await opened(root, include=["notes/", "/guide.md"]) as library:
        await sync(library)
        assert (await library.status()).documents == 2
    write(root, {"notes/more.md": "# More\n\nMore.\n", "other.md": "# Other\n\nOther.\n"})
    async with await opened(root) as library:
        await sync(library)
        assert (library.report.added, library.report.deleted) == (1, 0)
        await sync(library, rebuild=True)
        assert (await library.status()).documents == 3
    async with await opened(root, include=["*"]) as library:
        await sync(library)
        assert (await library.status()).documents == len(DOCUMENTS) + 2


async def test_patterns_that_match_nothing_delete_nothing(library: Library, tmp_path: Path) -> None:
    await library.close()
    async with await opened(library.root, include=["nothing/"]) as narrowed:
        with pytest.raises(SourceError, match="matches nothing/, and nothing was deleted"):
            await sync(narrowed)
        assert (await narrowed.status()).documents == len(DOCUMENTS)
    async with await opened(library.root) as again:
        await sync(again)
        assert again.report.unchanged == len(DOCUMENTS), "patterns that were refused are not remembered"


async def test_an_emptied_folder_deletes_nothing(library: Library) -> None:
    for path in DOCUMENTS:
        (library.root / path).unlink()
    with pytest.raises(SourceError, match="nothing was deleted"):
        await sync(library)
    assert (await library.status()).documents == len(DOCUMENTS)


async def test_a_document_that_changed_on_disk_is_marked_and_keeps_its_indexed_text(library: Library) -> None:
    before = (await library.retrieve("死信队列")).ranking.result(0)
    write(library.root, {before.chunk.path: "# 别的\n\n新的内容。\n"})
    trace = await library.retrieve("死信队列")
    assert trace.ranking.result(0).chunk.text == before.chunk.text
    assert trace.recall.stale == {before.chunk.document_id}
    assert "stale_documents" in {each.code for each in trace.degraded}


async def test_a_touched_file_is_not_stale(library: Library) -> None:
    os.utime(library.root / "guide.md", (1, 1))
    assert not (await library.retrieve("任务重试")).recall.stale


async def test_cached_vectors_come_back_with_the_text(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (library.root / "guide.md").read_text()
    write(library.root, {"guide.md": "# 别的\n\n新的内容。\n"})
    await sync(library)
    write(library.root, {"guide.md": text})
    monkeypatch.setattr(
        "engine.embedding.builtin.HashEmbedder.embed", lambda *_, **__: pytest.fail("embedded again")
    )
    await sync(library)
    assert (await library.status()).vectors_waiting == 0


async def test_a_question_is_answered_where_the_cache_has_no_room_for_its_vector(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise DiskFullError("no room left to write the cache")

    before = await answer(library, "一个没有问过的问题")
    monkeypatch.setattr(EmbeddingCache, "put_many", full)
    monkeypatch.setattr(EmbeddingCache, "get_many", lambda *_, **__: {})
    assert await answer(library, "一个没有问过的问题") == before


async def test_vectors_of_another_embedder_are_told_and_counted_as_its_own(library: Library) -> None:
    library.generation.remember(embedder="another", embedder_name="use (multilingual)")
    write(library.root, {"new.md": "# New\n\nNew.\n"})
    await sync(library)
    assert "made by use (multilingual), the settings ask for hash" in library.report.embedding_failed
    status = await library.status()
    assert (status.vectors_ready, status.vectors_waiting) == (len(DOCUMENTS) + 1, 1)
    assert (status.embedder, status.embedder_note) == ("use (multilingual)", "")
    await sync(library, rebuild=True)
    assert library.report.embedding_failed == ""
    assert (await library.status()).embedder == "hash"


async def test_labels_of_single_documents_of_a_corpus_follow_the_settings(tmp_path: Path) -> None:
    root = write(tmp_path / "docs", {"corpus.jsonl": "".join(
        json.dumps({"_id": name, "text": "dead letter"}) + "\n" for name in ("open", "secret")
    )})  # fmt: skip
    async with await opened(root) as library:
        await sync(library)
        assert (await library.status()).documents == 2
    async with await opened(root, replace(HASH, scopes=(("corpus.jsonl#secret", ("hr",)),))) as library:
        await sync(library)
        assert (await library.status()).documents == 1
        assert (await library.status(scopes=("hr",))).documents == 2
        assert "secret" not in await answer(library, "dead letter")
    async with await opened(root) as library:
        await sync(library)
        assert (await library.status()).documents == 2


async def test_without_vectors_the_text_channels_serve_and_the_trace_counts(tmp_path: Path) -> None:
    async with await opened(write(tmp_path, DOCUMENTS)) as library:
        await sync(library, embed=False)
        trace = await library.retrieve("任务自动重试几次？")
        vector = trace.recall.channel("vector")
        assert (vector.listed, vector.waiting) == (0, (await library.status()).chunks)
        assert trace.ranking.result(0).chunk.path == "guide.md"
        assert "vector_waiting" in {each.code for each in trace.degraded}
        async for _ in library.embed(cancel=CancelToken()):
            pass
        assert (await library.retrieve("任务")).recall.channel("vector").waiting == 0


# --- rebuilding ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["fixed", "structure", "parent-child"])
async def test_a_rebuild_cuts_as_the_settings_say(tmp_path: Path, mode: str) -> None:
    root = write(tmp_path / "docs", {"long.md": "# 长文\n\n" + "这是一个句子，讲重试与隔离。" * 300})
    async with await opened(root) as library:
        await sync(library)
    settings = replace(HASH, chunking=Chunking(mode=mode, target_characters=400, overlap_characters=40))  # type: ignore[arg-type]
    async with await opened(root, settings) as library:
        pending = (await library.status()).chunking_pending
        assert (pending is None) == (settings.chunking == Chunking())
        await sync(library, rebuild=True)
        assert (await library.status()).chunking_pending is None
        trace = await library.retrieve("重试与隔离")
        assert {chunk.role for chunk in trace.recall.chunks} == {
            "child" if mode == "parent-child" else "standalone"
        }
        assert bool(trace.recall.parents) == (mode == "parent-child")


async def test_a_cancelled_rebuild_leaves_the_old_one_serving_and_is_resumed(tmp_path: Path) -> None:
    root = write(tmp_path, {f"{n:03}.md": f"# {n}\n\n文档 {n} 的内容。\n" for n in range(300)})
    token = CancelToken()
    rebuilding = False

    def steps(step: str) -> None:
        if rebuilding and step == "documents.committed":
            token.cancel()

    async with await opened(root, steps=steps) as library:
        await sync(library)
        before, serving = await answer(library, "文档 7"), library.generation.id
        rebuilding = True
        with pytest.raises(Cancelled):
            async for _ in library.sync(rebuild=True, cancel=token):
                pass
        rebuilding = False
        assert library.generation.id == serving
        assert await answer(library, "文档 7") == before
        await sync(library, rebuild=True)
        assert 0 < library.report.unchanged < 300
        assert library.generation.id != serving
        assert await answer(library, "文档 7") == before


async def test_an_index_that_lost_its_pointer_is_not_taken_for_an_empty_one(library: Library) -> None:
    await library.close()
    library.places.library.write_bytes(b"")
    with pytest.raises(LibraryError, match="no index yet"):
        await opened(library.root, create=False)
    assert list(library.places.generations.iterdir()), "asking a question deletes nothing"


async def test_new_documents_share_a_commit_and_each_replaced_one_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.pipeline.group.SECONDS", 1e9)
    steps: list[str] = []
    root = write(tmp_path / "docs", DOCUMENTS)
    async with await opened(root, steps=steps.append) as library:
        await sync(library)
        steps.clear()
        write(root, {f"new {number}.md": f"# New\n\n{number}\n" for number in range(50)})
        await sync(library)
        assert steps.count("documents.committed") == 1, (
            "also where the index is not new: a killed build goes on"
        )
        steps.clear()
        write(root, {f"new {number}.md": f"# Changed\n\n{number}\n" for number in range(5)})
        await sync(library)
        assert steps.count("documents.committed") == 5
        steps.clear()
        for path in DOCUMENTS:
            os.utime(root / path, ns=(1, 1))
        await sync(library)
        assert (library.report.unchanged, steps.count("documents.committed")) == (len(DOCUMENTS) + 50, 1)


async def test_a_sync_that_is_left_early_has_ended_when_it_is_closed(tmp_path: Path) -> None:
    documents = {f"{number}.md": f"# {number}\n\n任务 {number}。\n" for number in range(200)}
    async with await opened(write(tmp_path / "docs", documents)) as library:
        token = CancelToken()
        async with aclosing(library.sync(cancel=token)) as steps:
            await anext(steps)
        assert token.cancelled
        await sync(library)
        assert (await library.status()).documents == len(documents)


async def test_a_lost_generation_is_told_and_mended_by_a_rebuild(tmp_path: Path) -> None:
    root = write(tmp_path, DOCUMENTS)
    async with await opened(root) as library:
        await sync(library)
        before = await answer(library)
        index = library.generation.path
    index.write_bytes(b"garbage" * 1000)
    for suffix in ("-wal", "-shm"):
        index.with_name(index.name + suffix).unlink(missing_ok=True)
    async with await opened(root) as library:
        with pytest.raises(CorruptIndexError, match="--rebuild"):
            await library.retrieve("任务")
        await sync(library)
        assert await answer(library) == before


async def test_damaged_postings_are_an_error_beside_which_the_vectors_serve(library: Library) -> None:
    with sqlite3.connect(library.generation.path) as damaged:
        damaged.execute("UPDATE posting_block SET data = zeroblob(length(data))")
    damaged.close()
    trace = await library.retrieve("任务重试")
    assert [channel.channel for channel in trace.recall.channels if channel.used] == ["vector"]
    assert {"cjk_failed"} <= {each.code for each in trace.degraded}
    with pytest.raises(CorruptIndexError, match="--rebuild"):
        await library.retrieve("任务重试", Retrieval(vector_weight=0))


# --- scopes ----------------------------------------------------------------------------------------------------

SCOPED = replace(HASH, scopes=(("internal/**", ("ops",)), ("internal/keys/**", ("security",))))
RESTRICTED = {
    "internal/runbook.md": "# 重试\n\n任务自动重试耗尽后，值班人员打开内部恢复开关。重试 重试 重试。\n",
    "internal/keys/vault.md": "# Keys\n\nThe retry key of the vault. 任务 重试。\n",
    "aaa/internal.md": "# Public\n\nretry 任务 says the public page.\n",
}


async def test_a_public_trace_is_that_of_a_library_that_never_held_the_restricted_files(
    tmp_path: Path,
) -> None:
    public = {**DOCUMENTS, "aaa/internal.md": RESTRICTED["aaa/internal.md"]}
    questions = ["任务自动重试耗尽后怎么办？", "retry key", "内部恢复开关", "max_retry_count"]
    async with await opened(write(tmp_path / "a" / "docs", public), SCOPED) as library:
        await sync(library)
        expected = [await answer(library, question) for question in questions]
    root = write(tmp_path / "b" / "docs", {**RESTRICTED, **DOCUMENTS})
    async with await opened(root, SCOPED) as library:
        await sync(library)
        assert [await answer(library, question) for question in questions] == expected
        (root / "internal/runbook.md").write_text("# 重试\n\n改写：任务重试。\n" * 50)
        await sync(library)
        assert [await answer(library, question) for question in questions] == expected
        (root / "internal/runbook.md").unlink()
        await sync(library)
        assert [await answer(library, question) for question in questions] == expected


async def test_scopes_add_up_and_the_owner_sees_all(tmp_path: Path) -> None:
    async with await opened(write(tmp_path, {**RESTRICTED, **DOCUMENTS}), SCOPED) as library:
        await sync(library)

        async def paths(*scopes: str) -> set[str]:
            trace = await library.retrieve("任务 重试 retry vault", Retrieval(top_k=20), scopes=scopes)
            return {chunk.path for chunk in trace.recall.chunks if chunk.path.startswith("internal")}

        assert await paths() == set()
        assert await paths("ops") == {"internal/runbook.md"}
        assert await paths("ops", "security") == {"internal/runbook.md", "internal/keys/vault.md"}
        assert await paths("*") == {"internal/runbook.md", "internal/keys/vault.md"}
        assert await paths("security") == set()


# --- at the same time ------------------------------------------------------------------------------------------


async def test_no_trace_mixes_old_and_new_while_a_document_is_replaced(tmp_path: Path) -> None:
    def version(number: int) -> str:
        return "".join(f"# 第 {n} 节\n\n版本 {number} 的重试规则，第 {n} 节。\n\n" for n in range(8))

    root = write(tmp_path, {"rules.md": version(0), "other.md": "# 其他\n\n重试。\n"})
    async with await opened(root, replace(HASH, chunking=Chunking(target_characters=400))) as library:
        await sync(library)
        done = asyncio.Event()

        async def asking() -> int:
            asked = 0
            while not done.is_set():
                trace = await library.retrieve("版本 重试规则", Retrieval(top_k=20))
                versions = {chunk.revision for chunk in trace.recall.chunks if chunk.path == "rules.md"}
                texts = {
                    chunk.text.split("版本 ")[1][:2] for chunk in trace.recall.chunks if "版本" in chunk.text
                }
                assert len(versions) == len(texts) == 1
                asked += 1
            return asked

        askers = [asyncio.create_task(asking()) for _ in range(3)]
        for number in range(1, 12):
            write(root, {"rules.md": version(number)})
            await sync(library)
        done.set()
        assert all(await asyncio.gather(*askers))


async def test_a_second_process_reads_and_is_told_who_writes(library: Library) -> None:
    async with await opened(library.root) as second:
        assert not second.writable
        assert second.writer.startswith("process ")
        assert await answer(second) == await answer(library)
        with pytest.raises(LibraryError, match="writes this library"):
            await sync(second)
        before = library.generation.id
        await sync(library, rebuild=True)
        assert await answer(second) == await answer(library)
        assert second.generation.id != before


async def test_a_cancelled_query_stops(library: Library) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        await library.recall("任务", cancel=token)


def test_every_channel_has_a_column() -> None:
    assert CHANNELS == ("fulltext", "cjk", "vector", "graph")


async def test_questions_go_on_while_generations_are_switched(library: Library) -> None:
    done = asyncio.Event()
    expected = await answer(library)

    async def asking() -> int:
        asked = 0
        while not done.is_set():
            assert await answer(library) == expected
            asked += 1
        return asked

    askers = [asyncio.create_task(asking()) for _ in range(4)]
    for _ in range(4):
        await sync(library, rebuild=True)
    done.set()
    assert all(await asyncio.gather(*askers))


# --- what cannot be read ---------------------------------------------------------------------------------------


def unreadable(monkeypatch: pytest.MonkeyPatch, *paths: str) -> None:
    """Make reading these files fail as without permission (root passes every permission check)."""
    from engine.pipeline import index

    real = index.read

    def read(root: Path, path: str, **options: object) -> object:
        if path in paths:
            raise Unreadable(path, "no permission")
        return real(root, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "read", read)


async def test_an_unreadable_file_keeps_its_documents_through_a_sync(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await answer(library, "缓存缺失")
    os.utime(library.root / "cache.txt", (1, 1))
    unreadable(monkeypatch, "cache.txt")
    await sync(library)
    assert [(each.path, each.reason) for each in library.report.failed] == [("cache.txt", "no permission")]
    assert await answer(library, "缓存缺失") == before


async def test_an_unreadable_file_keeps_its_documents_through_a_rebuild(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await answer(library, "缓存缺失")
    unreadable(monkeypatch, *DOCUMENTS)
    await sync(library, rebuild=True)
    assert len(library.report.failed) == len(DOCUMENTS)
    assert await answer(library, "缓存缺失") == before
    monkeypatch.undo()
    (library.root / "cache.txt").write_text("别的内容。\n")
    await sync(library)
    assert (library.report.changed, library.report.unchanged) == (1, len(DOCUMENTS) - 1)


async def test_a_rebuild_of_an_emptied_folder_replaces_nothing(library: Library) -> None:
    for path in DOCUMENTS:
        (library.root / path).unlink()
    with pytest.raises(SourceError, match="nothing was deleted"):
        await sync(library, rebuild=True)
    assert (await library.status()).documents == len(DOCUMENTS)


async def test_a_full_disk_keeps_what_was_and_says_which_file(library: Library) -> None:
    write(
        library.root,
        {f"more/{n}.md": f"# {n}\n\n" + f"新的内容 {n} words and words. " * 200 for n in range(30)},
    )
    with library.generation.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 8}")
    with pytest.raises(DiskFullError, match=r"index\.sqlite"):
        await sync(library)
    check(library.generation, cancel=CancelToken())
    assert (await library.retrieve("任务自动重试几次？")).ranking.result(0).chunk.path == "guide.md"
    assert library.generation._writer is not None
    library.generation._writer.execute("PRAGMA max_page_count = 1000000")
    await sync(library)
    assert (await library.status()).documents == len(DOCUMENTS) + 30


async def test_leftovers_of_a_crash_are_removed_at_the_next_start(tmp_path: Path) -> None:
    async with await opened(write(tmp_path, DOCUMENTS)) as library:
        await sync(library)
        generations = library.places.generations
    leftover = generations / "g0123456789ab"
    leftover.mkdir()
    (leftover / "index.sqlite-journal").write_bytes(b"half")
    (generations / "notes.txt").write_text("not ours to delete")
    async with await opened(tmp_path) as library:
        assert not leftover.exists()
        assert (generations / "notes.txt").exists()
        assert (await library.status()).documents == len(DOCUMENTS)


async def test_page_files_that_are_mostly_tombstones_are_compacted_and_dropped_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.vectors.page_rows", lambda _: 4)
    monkeypatch.setattr("engine.store.vector_pages.page_rows", lambda _: 4)
    monkeypatch.setattr("engine.recall.vector.page_rows", lambda _: 4)
    root = write(tmp_path, {f"{n}.md": f"# {n}\n\n文档 {n}。\n" for n in range(30)})
    async with await opened(root) as library:
        await sync(library)
        folder = library.generation.folder
        for n in range(25):
            (root / f"{n}.md").unlink()
        await sync(library)
        before = await answer(library, "文档 27")
        check(library.generation, cancel=CancelToken())
        assert len(list(folder.glob("vectors-*"))) == 2
    async with await opened(root) as library:
        assert len(list(folder.glob("vectors-*"))) == 1
        assert await answer(library, "文档 27") == before
