"""Edits of chunks: served at once by every channel, kept through syncs and rebuilds, and taken back to the byte."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import BusyError, UsageError
from engine.explain import TextTarget
from engine.library import Library
from engine.model import Chunk
from engine.settings import Chunking, Retrieval
from engine.store import chunks as chunk_store
from engine.store.check import check
from tests.explain.libraries import indexed, settings, write

RULE = "同一任务最多自动重试三次，第三次仍失败时任务进入死信队列。"
PAGES = {
    f"pages/{page:02}.md": f"# 第 {page} 页\n\n"
    + "".join(
        f"## 第 {part} 节\n\n第 {page} 页第 {part} 节：任务失败后先等 {page + part} 分钟。\n\n"
        f"The lease of section {page}-{part} is renewed every ten seconds.\n\n"
        for part in range(1, 7)
    )
    for page in range(1, 10)
}
DOCUMENTS = {**PAGES, "retry.md": f"# 规则\n\n{RULE}\n\n# 其他\n\n缓存缺失时读取回到数据库。\n"}
SMALL = Chunking(target_characters=200, overlap_characters=20)
MODES = [
    SMALL,
    Chunking(mode="fixed", target_characters=150, overlap_characters=30),
    Chunking(mode="parent-child", parent_characters=400, child_characters=150),
]


@pytest.fixture
async def library(tmp_path: Path):
    library = await indexed(write(tmp_path / "docs", DOCUMENTS), settings(chunking=SMALL))
    yield library
    await library.close()


def chunks(library: Library, path: str | None = None, *, parents: bool = False) -> list[Chunk]:
    with library.serving().reading() as connection:
        paths = (
            [path]
            if path
            else [row[0] for row in connection.execute("SELECT path FROM document ORDER BY path")]
        )
        found = [chunk for each in paths for chunk in chunk_store.of_document(connection, each)]
    return [chunk for chunk in found if parents or chunk.role != "parent"]


def state(library: Library) -> list[object]:
    """Everything of the generation that serves which an edit could leave a trace in."""
    with library.serving().reading() as connection:
        return [
            [replace(chunk) for chunk in chunks(library, parents=True)],
            connection.execute(
                "SELECT corpus_sum, vector_sum, chunks, waiting, ready FROM label_set"
            ).fetchall(),
        ]


async def synced(library: Library, *, rebuild: bool = False) -> None:
    async for _ in library.sync(rebuild=rebuild, cancel=CancelToken()):
        pass
    check(library.serving(), cancel=CancelToken())


async def context(library: Library, query: str, **fields: object) -> str:
    trace = await library.retrieve(query, Retrieval(**fields))  # type: ignore[arg-type]
    return trace.context.text


async def test_a_changed_text_is_served_at_once_and_its_source_is_cited(library: Library) -> None:
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    done = await library.edits.set_text(chunk.chunk_id, "同一任务最多自动重试九次，随后由值班大象接管。")
    assert done.sentence == "retry.md: text changed (step 1)"
    trace = await library.retrieve("值班大象接管")
    (best,) = [group for group in trace.context.groups if "九次" in group.text]
    assert RULE not in trace.context.text
    (citation,) = best.citations
    assert (citation.start, citation.end, citation.edited) == (chunk.start, chunk.end, True)
    assert "第三次仍失败" not in await context(library, "第三次仍失败")
    check(library.serving(), cancel=CancelToken())


async def test_what_lies_in_the_bin_is_taken_out_by_its_edit(library: Library) -> None:
    before = state(library)
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    await library.edits.delete(chunk.chunk_id)
    (pin,) = await library.edits.bin()
    done = await library.edits.recover(pin.id)
    assert "taken out of the bin" in done.sentence
    assert await library.edits.bin() == []
    assert state(library) == before
    for gone in (pin.id, "nothing"):
        with pytest.raises(UsageError, match="no such edit"):
            await library.edits.recover(gone)
    await library.edits.disable(chunk.chunk_id)
    with pytest.raises(UsageError, match="not lie in the bin"):
        await library.edits.recover((await library.edits.pins())[0].id)


async def test_what_is_out_of_use_is_recalled_by_no_channel_and_comes_back(library: Library) -> None:
    before = state(library)
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    for leave, come_back in (("disable", "enable"), ("delete", "restore")):
        await getattr(library.edits, leave)(chunk.chunk_id)
        recall = await library.recall("任务最多自动重试三次")
        assert chunk.chunk_id not in [one.chunk_id for one in recall.chunks]
        check(library.serving(), cancel=CancelToken())
        assert [pin.base for pin in await library.edits.bin()] == ([chunk.text] if leave == "delete" else [])
        await getattr(library.edits, come_back)(chunk.chunk_id)
        assert state(library) == before


async def test_a_split_and_a_merge_are_cut_there_by_every_mode(library: Library) -> None:
    path = "pages/03.md"
    first, second, *_ = chunks(library, path)
    await library.edits.merge([second.chunk_id, first.chunk_id])
    (merged, *_) = chunks(library, path)
    assert (merged.start, merged.end) == (first.start, second.end)
    assert not merged.edited
    middle = len(merged.text) // 2
    await library.edits.split(merged.chunk_id, [middle])
    left, right, *_ = chunks(library, path)
    assert left.text + right.text == merged.text
    for mode in MODES:
        library.settings = replace(library.settings, chunking=mode)
        await synced(library, rebuild=True)
        assert {(left.start, left.end), (right.start, right.end)} <= {
            (one.start, one.end) for one in chunks(library, path)
        }


async def test_a_parent_shows_what_its_children_say_and_not_what_they_said(tmp_path: Path) -> None:
    library = await indexed(write(tmp_path / "docs", DOCUMENTS), settings(chunking=MODES[2]))
    try:
        one, two, *_ = chunks(library, "retry.md")
        await library.edits.set_text(one.chunk_id, "新的规则。")
        await library.edits.disable(two.chunk_id)
        parents = [chunk for chunk in chunks(library, "retry.md", parents=True) if chunk.role == "parent"]
        told = "".join(parent.text for parent in parents)
        assert "新的规则。" in told
        assert one.text.strip() not in told
        assert two.text.strip() not in told
        assert "[…]" in told
        assert all(parent.edited for parent in parents)
    finally:
        await library.close()


async def test_edits_of_every_kind_live_through_rebuilds_in_each_mode_and_undo_to_the_byte(
    library: Library,
) -> None:
    before, draw = state(library), random.Random(5)
    edited: dict[str, str] = {}
    gone: list[str] = []
    steps = 0
    for page in range(1, 10):
        path = f"pages/{page:02}.md"
        here = chunks(library, path)
        for number, chunk in enumerate(draw.sample(here, min(6, len(here)))):
            kind = (page + number) % 4
            if kind == 0:
                edited[path + str(chunk.start)] = f"改写 {page}-{number}：大象在第 {number} 号仓库。"
                await library.edits.set_text(chunk.chunk_id, edited[path + str(chunk.start)])
            elif kind == 1:
                await library.edits.disable(chunk.chunk_id)
                gone.append(chunk.text)
            elif kind == 2:
                await library.edits.delete(chunk.chunk_id)
                gone.append(chunk.text)
            else:
                await library.edits.split(chunk.chunk_id, [len(chunk.text) // 2])
            steps += 1
    assert steps >= 50
    for mode in MODES:
        library.settings = replace(library.settings, chunking=mode)
        await synced(library, rebuild=True)
        assert await library.edits.conflicts() == []
        serving = {chunk.text for chunk in chunks(library) if chunk.enabled}
        assert set(edited.values()) <= serving
        assert not set(gone) & serving
        assert not any("[…]" in chunk.text for chunk in chunks(library))
    for number, (path, text) in enumerate(PAGES.items()):
        inside = text.replace("节：任务失败", "节：若任务失败") if number % 2 else text
        (library.root / path).write_text(f"# 前言\n\n新加的一页。\n\n{inside}", encoding="utf-8")
    await synced(library)
    lost = {conflict.pin.id: conflict for conflict in await library.edits.conflicts()}
    serving = {chunk.text for chunk in chunks(library) if chunk.enabled}
    for pin in await library.edits.pins():
        around = int(pin.path[-5:-3]) % 2 == 1
        assert (pin.id not in lost) if around or "任务失败" not in pin.base else (pin.id in lost)
        if pin.id in lost:
            assert lost[pin.id].base == pin.base
            assert lost[pin.id].mine == (pin.effective if pin.state == "enabled" else "")
            assert "若任务失败" in lost[pin.id].file
        else:
            assert (pin.effective in serving) == (pin.state == "enabled")
    assert lost
    write(library.root, PAGES)
    library.settings = replace(library.settings, chunking=SMALL)
    await synced(library, rebuild=True)
    assert await library.edits.conflicts() == []
    for _ in range(steps):
        await library.edits.undo()
    with pytest.raises(UsageError, match="nothing to undo"):
        await library.edits.undo()
    assert state(library) == before


async def test_a_text_that_moved_takes_its_edit_along_and_one_that_changed_is_a_conflict(
    library: Library,
) -> None:
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    await library.edits.set_text(chunk.chunk_id, "改写过的规则。")
    file = library.root / "retry.md"
    file.write_text("# 前言\n\n新加的一段话。\n\n" + DOCUMENTS["retry.md"], encoding="utf-8")
    await synced(library)
    assert await library.edits.conflicts() == []
    assert "改写过的规则。" in [one.text for one in chunks(library, "retry.md")]
    file.write_text(DOCUMENTS["retry.md"].replace("三次，", "四次，"), encoding="utf-8")
    await synced(library)
    (conflict,) = await library.edits.conflicts()
    assert (conflict.base, conflict.mine) == (chunk.text, "改写过的规则。")
    assert "四次，" in conflict.file
    assert any("四次，" in one.text for one in chunks(library, "retry.md"))
    await library.edits.resolve(conflict.pin.id, "mine")
    assert await library.edits.conflicts() == []
    assert "改写过的规则。" in [one.text for one in chunks(library, "retry.md")]
    await library.edits.undo()
    (again,) = await library.edits.conflicts()
    assert again.pin == conflict.pin
    await library.edits.resolve(conflict.pin.id, "file")
    assert await library.edits.conflicts() == []
    assert any("四次，" in one.text for one in chunks(library, "retry.md"))


async def test_a_renamed_file_takes_its_edits_and_their_history_along(library: Library) -> None:
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    await library.edits.set_text(chunk.chunk_id, "改写过的规则。")
    (library.root / "retry.md").rename(library.root / "rules.md")
    await synced(library)
    assert "改写过的规则。" in [one.text for one in chunks(library, "rules.md")]
    assert [step.seq for step in await library.edits.history("rules.md")] == [1]
    assert [step.seq for step in await library.edits.history("retry.md")] == [1]
    assert await library.edits.history("pages/01.md") == []
    assert (await library.edits.undo()).sentence == "rules.md: text changed, undone (step 2)"


async def test_a_question_that_meets_a_document_with_edits_in_conflict_says_so(library: Library) -> None:
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    await library.edits.set_text(chunk.chunk_id, "改写过的规则。")
    file = library.root / "retry.md"
    file.write_text(DOCUMENTS["retry.md"].replace("三次，", "四次，"), encoding="utf-8")
    await synced(library)
    trace = await library.retrieve("最多自动重试几次")
    (told,) = [each for each in trace.degraded if each.code == "edit_conflicts"]
    assert told.message == "1 edit of retry.md has lost its place; the file's text is shown there"
    assert "rankscope edits PATH conflicts" in told.remedy
    (conflict,) = await library.edits.conflicts()
    await library.edits.resolve(conflict.pin.id, "mine")
    trace = await library.retrieve("最多自动重试几次")
    assert "edit_conflicts" not in [each.code for each in trace.degraded]


async def test_what_was_edited_since_is_not_undone_beneath(library: Library) -> None:
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    first = await library.edits.set_text(chunk.chunk_id, "甲")
    await library.edits.set_text(chunk.chunk_id, "乙")
    with pytest.raises(UsageError, match="changed since"):
        await library.edits.undo(first.step.seq)
    undone = await library.edits.undo()
    assert undone.sentence == "retry.md: text changed, undone (step 3)"
    assert "甲" in [one.text for one in chunks(library, "retry.md")]
    await library.edits.undo(undone.step.seq)
    assert "乙" in [one.text for one in chunks(library, "retry.md")]


async def test_export_and_import_are_exact_and_lose_nothing_without_a_home(
    library: Library, tmp_path: Path
) -> None:
    one, two, three, *_ = chunks(library, "pages/01.md")
    await library.edits.set_text(one.chunk_id, 'quote " and \\ and \t tab\n第二行')
    await library.edits.delete(two.chunk_id)
    await library.edits.split(three.chunk_id, [20])
    told = await library.edits.export()
    other = await indexed(write(tmp_path / "other", {**DOCUMENTS, "pages/01.md": "# 别的\n\n全然不同。\n"}))
    try:
        await other.edits.import_(told)
        assert await other.edits.export() == told
        assert len(await other.edits.conflicts()) == 4
        assert await other.edits.import_(told) == []
        (other.root / "pages/01.md").write_text(DOCUMENTS["pages/01.md"], encoding="utf-8")
        await synced(other)
        assert await other.edits.conflicts() == []
        assert 'quote " and \\ and \t tab\n第二行' in [chunk.text for chunk in chunks(other)]
    finally:
        await other.close()
    for bad, why in (
        ("version = 2", "version"),
        ("[[edit", "cannot be read"),
        ("version = 1\n[[edit]]\npath = 1", "edit 1"),
    ):
        with pytest.raises(UsageError, match=why):
            await library.edits.import_(bad)


async def test_what_cannot_be_done_is_said_and_changes_nothing(library: Library) -> None:
    before = state(library)
    one, two, three, *_ = chunks(library, "pages/01.md")
    other = chunks(library, "pages/02.md")[0]
    edits = library.edits
    for work, why in (
        (edits.set_text(one.chunk_id, " \n"), "cannot be empty"),
        (edits.set_text(one.chunk_id, "x" * 16_001), "16,000 is the most"),
        (edits.set_text(one.chunk_id, one.text), "what it was"),
        (edits.set_text("nosuchchunk", "x"), "no such chunk"),
        (edits.enable(one.chunk_id), "enabled already"),
        (edits.split(one.chunk_id, [0]), "both sides"),
        (edits.split(one.chunk_id, [10**9]), "both sides"),
        (edits.merge([one.chunk_id]), "no chunk to merge"),
        (edits.merge([one.chunk_id, three.chunk_id]), "do not follow"),
        (edits.merge([one.chunk_id, other.chunk_id]), "different documents"),
        (edits.resolve("nosuchpin", "mine"), "no such edit"),
        (edits.undo(7), "no step 7"),
    ):
        with pytest.raises(UsageError, match=why):
            await work
    assert state(library) == before
    second = await Library.open(library.root)
    try:
        with pytest.raises(BusyError):
            await second.edits.disable(two.chunk_id)
        assert await second.edits.history() == []
    finally:
        await second.close()


async def test_a_revision_that_an_edit_needs_is_kept_however_many_come_after(library: Library) -> None:
    file = library.root / "retry.md"
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    await library.edits.set_text(chunk.chunk_id, "改写过的规则。")
    for number in range(6):
        file.write_text(f"# 版本 {number}\n\n{RULE}\n\n{RULE}\n", encoding="utf-8")
        await synced(library)
    (conflict,) = await library.edits.conflicts()
    assert conflict.mine == "改写过的规则。"
    file.write_text(DOCUMENTS["retry.md"] + "\n末尾。\n", encoding="utf-8")
    await synced(library)
    assert await library.edits.conflicts() == []


async def test_why_not_names_the_edit_that_keeps_a_text_out(library: Library) -> None:
    (chunk,) = [one for one in chunks(library, "retry.md") if RULE in one.text]
    await library.edits.disable(chunk.chunk_id)
    verdict = await library.why("最多自动重试几次", TextTarget(RULE))
    assert (verdict.layer, verdict.sentence) == ("disabled", "its chunk is disabled")
    assert verdict.remedy.sentence == "enable its chunk"
    await library.edits.enable(chunk.chunk_id)
    assert (await library.why("最多自动重试几次", TextTarget(RULE))).layer != "disabled"
    await library.edits.set_text(chunk.chunk_id, "改写过的规则。")
    verdict = await library.why("最多自动重试几次", TextTarget(RULE))
    assert (verdict.layer, verdict.sentence) == ("disabled", "an edit says something else in its place")
