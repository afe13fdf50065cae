"""Verdicts on real libraries: every layer, what may be said of it, and changes that work when they are applied."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, QueryError, UsageError
from engine.explain import ChunkTarget, SpanTarget, TextTarget, Verdict
from engine.explain.change import covering
from engine.explain.grids import with_value
from engine.library import Library
from engine.settings import Retrieval, Settings
from engine.trace import as_asked, settle
from tests.explain.libraries import WINDOWS, indexed, settings, write
from tests.pipeline.killing import without_times

QUESTION = "任务失败后最多自动重试几次？"
RULE = "同一任务最多自动重试三次，第三次仍失败时任务进入死信队列。"
FILLER = "缓存缺失时读取回到权威数据库，再写回缓存；写入不经过它。"
NEAR = {
    f"pages/{number:02}.md": f"# 第 {number} 页\n\n任务失败后自动重试，重试之前先等 {number} 分钟。第 {number} 队。\n"
    for number in range(1, 13)
}
DOCUMENTS: dict[str, str | bytes] = {
    **NEAR,
    "retry.md": f"# 规则\n\n{RULE}\n",
    "copy.md": f"# 规则\n\n{RULE}\n",
    "cache.md": f"---\ntitle: 缓存说明\nowner: 平台组甲\n---\n\n# 缓存\n\n{FILLER}\n",
    "long.md": "# 长页\n\n" + "".join(f"段落 {n}：{FILLER}\n\n" for n in range(60)),
    "internal/plan.md": "# 机密\n\n北辰计划的任务失败后最多自动重试九次，不公开。\n",
    "english.md": "# Leases\n\nA worker renews its lease every ten seconds, or loses it.\n",
    "blob.txt": b"\x00\x01\x02 hidden sentence in bytes \x00\x03",
}
SCOPED = settings(scopes=(("internal/**", ("ops",)),))


@pytest.fixture
async def library(tmp_path: Path):
    library = await indexed(write(tmp_path / "docs", DOCUMENTS), SCOPED)
    yield library
    await library.close()


async def verdict(library: Library, text: str, query: str = QUESTION, **fields: object) -> Verdict:
    options = {name: fields.pop(name) for name in ("scopes", "owner") if name in fields}
    retrieval = Retrieval(**fields)  # type: ignore[arg-type]
    return await library.why(query, TextTarget(text), retrieval, **options)  # type: ignore[arg-type]


async def applied(library: Library, found: Verdict, retrieval: Retrieval, **options: object) -> None:
    """Every change of a verdict brings the whole target in, asked anew through a query of its own."""
    place = found.place
    assert place is not None
    for change in found.changes:
        trace = await library.retrieve(
            found.query,
            with_value(retrieval, **change.settings),
            **options,  # type: ignore[arg-type]
        )
        held = [g for g in trace.context.groups if g.path == place.path and place.text in g.text]
        assert held, change.sentence
        assert held[0].evidence_id == change.group


# --- the layers -----------------------------------------------------------------------------------------------


async def test_what_is_in_the_context_says_where(library: Library) -> None:
    found = await verdict(library, RULE)
    assert found.layer == "context"
    assert found.change is None
    assert found.remedy is None
    assert found.stages[-1].because.startswith("in as [")


async def test_a_text_that_no_document_holds_is_not_in_the_corpus(library: Library) -> None:
    found = await verdict(library, "量子纠缠与引力波的联合观测计划书")
    assert (found.layer, found.place, found.change) == ("not_in_corpus", None, None)


async def test_a_text_that_was_written_after_the_sync_says_so(library: Library) -> None:
    write(library.root, {"new.md": "# 新\n\n刚写下的一句话，还没有人索引它。\n"})
    found = await verdict(library, "刚写下的一句话")
    assert found.layer == "source_changed"
    assert "new.md" in found.sentence
    assert found.remedy is not None
    assert found.remedy.kind == "sync"
    write(library.root, {"retry.md": "# 规则\n\n改过的规则只重试一次。\n"})
    assert (await verdict(library, "改过的规则只重试一次")).layer == "source_changed"


async def test_a_text_in_a_file_that_was_not_read_says_why(library: Library) -> None:
    found = await verdict(library, "hidden sentence in bytes")
    assert found.layer == "parse_failed"
    assert "blob.txt" in found.sentence
    span = await library.why(QUESTION, SpanTarget("blob.txt", 0, 5))
    assert span.layer == "parse_failed"


async def test_front_matter_is_in_no_chunk(library: Library) -> None:
    found = await verdict(library, "平台组甲")
    assert found.layer == "not_in_corpus"
    assert "front matter" in found.sentence
    assert [row.stage for row in found.stages] == ["corpus"]


async def test_what_no_channel_hands_on_has_its_true_rank_however_deep(library: Library) -> None:
    found = await verdict(library, "段落 44", top_k=1, candidate_multiplier=2)
    assert found.layer == "not_recalled"
    ranks = {each.channel: each for each in found.standings}
    recall = await library.recall(QUESTION, covering(Retrieval()), depth=10_000)
    assert found.place is not None
    row = [chunk.chunk_id for chunk in recall.chunks].index(found.place.homes[0])
    assert [ranks[name].rank or 0 for name in ("fulltext", "cjk", "vector")] == recall.ranks[row, :3].tolist()


async def test_what_the_question_shares_no_term_with_says_so(library: Library) -> None:
    found = await verdict(library, "renews its lease", vector_weight=0.0)
    assert found.layer == "not_recalled"
    row = next(row for row in found.stages if row.stage == "cjk")
    assert (row.rank, row.kept) == (None, False)
    assert "none of the question's terms" in row.because
    await applied(library, found, Retrieval(vector_weight=0.0))


async def test_what_stands_beyond_top_k_was_lost_in_fusion(library: Library) -> None:
    found = await verdict(library, NEAR["pages/07.md"][10:], top_k=2, candidate_multiplier=10)
    assert found.layer == "fusion"
    rows = {row.stage: row for row in found.stages}
    assert rows["fused"].kept
    assert rows["top k"].kept is False
    await applied(library, found, Retrieval(top_k=2, candidate_multiplier=10))


async def test_what_the_gate_drops_says_what_it_tested(library: Library) -> None:
    settings = Retrieval(minimum_relevance=0.9, top_k=20)
    found = await library.why(QUESTION, TextTarget(NEAR["pages/07.md"][10:]), settings)
    assert found.layer == "gate"
    assert "below the minimum, 0.90" in found.sentence
    await applied(library, found, settings)
    assert any("minimum_relevance" in change.settings for change in found.changes)


async def test_a_repeated_passage_is_a_duplicate_of_the_one_that_stands_higher(library: Library) -> None:
    wide = Retrieval(top_k=20)
    spans = [SpanTarget(path, 6, 6 + len(RULE)) for path in ("copy.md", "retry.md")]
    found = [await library.why(QUESTION, span, wide) for span in spans]
    assert [each.layer for each in found] == ["context", "duplicate"]
    assert found[1].change is None
    assert found[1].remedy is not None


async def test_any_place_of_a_text_will_do(library: Library) -> None:
    found = await verdict(library, RULE)
    assert found.layer == "context"
    assert found.place is not None
    assert found.place.path == "copy.md"
    assert (await library.why(QUESTION, SpanTarget("retry.md", 6, 6 + len(RULE)))).layer == "fusion"


async def test_the_quota_leaves_out_the_next_hit_of_a_document(tmp_path: Path) -> None:
    pages = "".join(f"## 第 {n} 条\n\n任务失败后最多自动重试 {n} 次，{FILLER * 12}\n\n" for n in range(1, 6))
    async with await indexed(write(tmp_path, {"one.md": f"# 页\n\n{pages}"})) as library:
        settings = Retrieval(document_quota=1)
        found = [
            await library.why(QUESTION, TextTarget(f"最多自动重试 {n} 次"), settings) for n in range(1, 6)
        ]
        layers = sorted(each.layer for each in found)
        assert layers == ["context", "quota", "quota", "quota", "quota"]
        for each in found:
            await applied(library, each, settings)


async def test_what_the_budget_leaves_out_says_what_it_needs(tmp_path: Path) -> None:
    pages = {f"{n}.md": f"# 第 {n} 页\n\n任务失败后最多自动重试 {n} 次，{FILLER * 30}\n" for n in range(1, 6)}
    async with await indexed(write(tmp_path, pages)) as library:
        settings = Retrieval(context_max_characters=2_500)
        found = [
            await library.why(QUESTION, TextTarget(f"最多自动重试 {n} 次"), settings) for n in range(1, 6)
        ]
        lost = [each for each in found if each.layer == "budget"]
        assert len(lost) == 3
        assert any("characters and" in each.sentence for each in lost)
        for each in lost:
            await applied(library, each, settings)


async def test_a_sentence_across_a_boundary_is_split_and_a_recut_is_previewed(tmp_path: Path) -> None:
    text = f"{(FILLER * 20)[:388]}{RULE}{FILLER * 13}"
    root = write(tmp_path, {"rule.txt": text, **NEAR})
    async with await indexed(root, settings(chunking=WINDOWS)) as library:
        found = await verdict(library, RULE, top_k=3)
        assert found.layer == "split"
        assert "between chunks" in found.sentence
        assert found.remedy is not None
        assert found.remedy.kind == "recut"
        under = replace(WINDOWS, **found.remedy.settings)  # type: ignore[arg-type]
    async with await indexed(root, settings(chunking=under)) as library:
        async for _ in library.sync(rebuild=True, cancel=CancelToken()):
            pass
        again = await verdict(library, RULE, top_k=3)
        assert again.place is not None
        assert not again.place.split


async def test_a_split_sentence_that_both_chunks_bring_whole_is_in(tmp_path: Path) -> None:
    text = f"{(FILLER * 20)[:388]}{RULE}{FILLER * 13}"
    async with await indexed(write(tmp_path, {"rule.txt": text}), settings(chunking=WINDOWS)) as library:
        found = await verdict(library, RULE)
        assert found.place is not None
        assert found.place.split
        assert found.layer == "context"


# --- who may know ---------------------------------------------------------------------------------------------


async def test_a_restricted_target_reads_as_an_absent_one_byte_for_byte(library: Library) -> None:
    restricted = (await library.why(QUESTION, TextTarget("北辰计划"), scopes=("ops",))).place
    assert restricted is not None
    secret, nothing = "北辰计划的任务失败后", "南极计划的任务失败后"

    async def said(target: TextTarget | ChunkTarget | SpanTarget) -> str:
        return json.dumps((await library.why(QUESTION, target)).to_json(), ensure_ascii=False)

    assert (await said(TextTarget(secret))).replace(secret, nothing) == await said(TextTarget(nothing))
    own, other = restricted.homes[0], "z" * 20
    assert (await said(ChunkTarget(own))).replace(own, other) == await said(ChunkTarget(other))
    path, fiction = "internal/plan.md", "internal/none.md"
    assert (await said(SpanTarget(path, 8, 20))).replace(path, fiction) == await said(
        SpanTarget(fiction, 8, 20)
    )


async def test_a_restricted_change_on_disk_leaves_no_trace(library: Library) -> None:
    changed = {
        "internal/plan.md": "# 机密\n\n北辰计划改为十次。\n",
        "internal/new.md": "新的机密句子在这里。\n",
    }
    write(library.root, changed)
    for text in ("北辰计划改为十次", "新的机密句子在这里"):
        found = await verdict(library, text)
        assert (found.layer, found.place) == ("not_in_corpus", None)


async def test_the_owner_is_told_what_lies_outside_the_scopes(library: Library) -> None:
    found = await verdict(library, "北辰计划", owner=True)
    assert found.layer == "out_of_scope"
    assert found.remedy is not None
    assert "ops" in found.remedy.sentence
    assert (await verdict(library, "北辰计划", owner=True, scopes=("ops",))).layer == "context"


# --- finding --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pasted",
    [
        RULE,
        f"  {RULE}\n",
        RULE.replace("三次，", "三\n  次，"),
        RULE.replace("，", ","),
        RULE.replace("任务最多", "任务 最多").replace("。", ""),
    ],
)
async def test_a_pasted_text_is_found_as_a_terminal_wrapped_it(library: Library, pasted: str) -> None:
    found = await verdict(library, pasted)
    assert found.place is not None
    assert found.place.likeness == 1.0
    assert RULE.removesuffix("。") in found.place.text


async def test_a_text_with_other_words_is_found_by_likeness(library: Library) -> None:
    found = await verdict(library, "同一个任务最多自动重试三次，第三次还失败时任务进入死信队列")
    assert found.place is not None
    assert 0.8 <= found.place.likeness < 1
    assert "死信队列" in found.place.text
    assert "by likeness" in found.stages[0].because


async def test_a_text_across_chunks_is_found_whole(tmp_path: Path) -> None:
    text = "".join(f"第{n}句说的是第{n}件事。" for n in range(400))
    async with await indexed(write(tmp_path, {"all.txt": text}), settings(chunking=WINDOWS)) as library:
        found = await verdict(library, text[350:1_300], top_k=1)
        assert found.place is not None
        assert (found.place.start, found.place.end) == (350, 1_300)
        assert [chunk.ordinal for chunk in found.place.chunks] == [1, 2, 3, 4]
        assert found.layer == "split"


async def test_a_parent_is_in_by_any_of_its_children(tmp_path: Path) -> None:
    mode = settings(chunking=replace(WINDOWS, mode="parent-child"))
    pages = {"page.md": "# 页\n\n" + "".join(f"任务失败后最多重试 {n} 次。{FILLER}\n\n" for n in range(70))}
    async with await indexed(write(tmp_path, pages), mode) as library:
        trace = await library.retrieve(QUESTION, Retrieval(context_max_characters=48_000))
        parent = next(iter(trace.recall.parents))
        found = await library.why(QUESTION, ChunkTarget(parent), Retrieval(context_max_characters=48_000))
        assert found.layer == "context"


@pytest.mark.parametrize(
    "target", [TextTarget(" \n"), TextTarget("x" * 16_001), ChunkTarget(""), SpanTarget("a.md", 3, 3)]
)
async def test_a_target_that_is_none_is_refused(library: Library, target: TextTarget) -> None:
    with pytest.raises(UsageError):
        await library.why(QUESTION, target)
    with pytest.raises(QueryError):
        await library.why(" ", ChunkTarget("x"))


@pytest.mark.parametrize("text", ["\x1b[2J", "[bold]x[/]", "a\0b", "lone \ud83d here", "%_*?", "💥👨‍👩‍👧"])
async def test_any_text_is_a_target(library: Library, text: str) -> None:
    found = await verdict(library, text)
    json.dumps(found.to_json(), allow_nan=False).encode("utf-8")
    assert found.layer == "not_in_corpus"


async def test_a_cancelled_verdict_ends(library: Library) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        await library.why(QUESTION, TextTarget("renews its lease"), cancel=token)


async def test_two_verdicts_are_the_same_bytes(library: Library) -> None:
    one, two = [json.dumps((await verdict(library, "renews its lease")).to_json()) for _ in range(2)]
    assert one == two


# --- one recall for all settings ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "narrow",
    [
        Retrieval(fulltext_weight=0.0),
        Retrieval(fulltext_weight=0.0, rerank="local"),
        Retrieval(fulltext_weight=0.0, vector_weight=0.0, required_terms=True),
        Retrieval(cjk_weight=0.0, rerank="local", adjacent_chunk_count=1),
        Retrieval(fulltext_weight=0.0, cjk_weight=0.0, rerank="local"),
    ],
)
@pytest.mark.parametrize("query", ["lease 任务 renews 重试", QUESTION, "lease"])
async def test_a_covering_recall_settles_as_a_fresh_query(
    library: Library, narrow: Retrieval, query: str
) -> None:
    wide = as_asked(await library.recall(query, covering(narrow)), narrow)
    fresh = await library.retrieve(query, narrow)
    assert wide.terms == fresh.recall.terms
    assert without_times(settle(wide, narrow)) == without_times(fresh)


# --- faults, injected -----------------------------------------------------------------------------------------


async def test_a_cut_key_sentence_is_a_fault_of_the_cut_and_structure_mends_it(tmp_path: Path) -> None:
    """The retry rule is cut at “第三次仍”; the ranking is not to blame, and no threshold or weight is."""
    before = "# 手册\n\n" + FILLER * 12
    rule = "同一任务最多自动重试三次。第三次仍失败时，任务进入死信队列。"
    size = len(before) + rule.index("失败时")
    text = before + rule + "\n\n" + FILLER * 20
    fault = replace(WINDOWS, target_characters=size)
    root = write(tmp_path, {"manual.md": text, **NEAR})

    async def told(under: Settings) -> Verdict:
        async with await indexed(root, under) as library:
            async for _ in library.sync(rebuild=True, cancel=CancelToken()):
                pass
            return await verdict(library, rule, top_k=1)

    cut = await told(settings(chunking=fault))
    assert cut.layer == "split"
    assert cut.stages[0].kept is False
    whole = await told(settings())
    assert whole.place is not None
    assert whole.place.homes
    assert whole.layer in ("context", "fusion", "not_recalled")


WRONG = (
    "某些临时观察操作可以重复执行，不设重试上限，任务失败后自动重试次数不限，任务失败后等一会儿再自动重试，"
    "任务失败后一直自动重试。"
)
RIGHT = f"任务处理器失败后最多自动重试三次；仍失败时，消息进入隔离队列，等待人工处理。{FILLER * 6}"


async def test_a_wrong_rule_in_the_words_of_the_question_is_beaten_by_general_features(
    tmp_path: Path,
) -> None:
    """The injected rule leads by its words; its missing number and its contradiction put the right one above,
    and the verdict on the right one offers just that."""
    question = "任务失败后自动重试的次数最多 3 次"
    async with await indexed(write(tmp_path, {"wrong.md": WRONG, "right.md": RIGHT, **NEAR})) as library:
        bills = {}
        for rerank in ("off", "local"):
            trace = await library.retrieve(question, Retrieval(rerank=rerank))  # type: ignore[arg-type]
            bills[rerank] = {each.chunk.path: each for each in trace.ranking.results()}
        assert bills["off"]["wrong.md"].rank < bills["off"]["right.md"].rank
        right, wrong = bills["local"]["right.md"], bills["local"]["wrong.md"]
        assert right.rank < wrong.rank
        parts = [{line.feature: line.part for line in each.features} for each in (right, wrong)]
        assert parts[0]["numbers"] > parts[1].get("numbers", 0.0)
        assert parts[1]["conflict"] < 0
        narrow = Retrieval(top_k=right.rank, candidate_multiplier=10)
        found = await library.why(question, TextTarget("消息进入隔离队列"), narrow)
        assert found.layer == "fusion"
        assert any(change.settings == {"rerank": "local"} for change in found.changes)
        await applied(library, found, narrow)


async def test_a_restricted_chunk_that_would_lead_leaves_no_trace(tmp_path: Path) -> None:
    """Trace, statistics, verdict and lens of a public question are those of a library without it."""
    secret = {"internal/lead.md": f"# 机密\n\n{QUESTION} 任务失败后最多自动重试九次，北辰机密。\n"}
    with_it = await indexed(write(tmp_path / "with", {**NEAR, **secret}), SCOPED)
    without = await indexed(write(tmp_path / "without", NEAR), SCOPED)
    try:
        one, two = [without_times(await each.retrieve(QUESTION)) for each in (with_it, without)]
        assert one == two
        assert "北辰" not in one
        told, lenses = [], []
        for each in (with_it, without):
            found = await verdict(each, NEAR["pages/07.md"][10:], top_k=2)
            told.append(json.dumps(found.to_json()))
            assert found.place is not None
            lenses.append(await each.lens(QUESTION, found.place.homes[0]))
        assert told[0] == told[1]
        assert lenses[0] == lenses[1]
        assert "九次" in (await with_it.retrieve(QUESTION, scopes=("ops",))).context.text
    finally:
        await with_it.close()
        await without.close()


async def test_the_weights_in_force_decide_and_not_those_it_was_opened_with(library: Library) -> None:
    only = dict.fromkeys(("coverage", "phrase", "heading", "path", "similarity", "numbers"), 0.0)
    settings = Retrieval(rerank="local", minimum_relevance=0.9)
    known, text = library.settings.features, TextTarget(NEAR["pages/07.md"][10:])
    fused = replace(known, fused=1.0, **only)
    strict = await library.why(QUESTION, text, settings)
    loose = await library.why(QUESTION, text, settings, features=replace(fused, fused=0.0, similarity=0.0))
    assert strict.stages != loose.stages
    assert strict == await library.why(QUESTION, text, settings, features=known)
