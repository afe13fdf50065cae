"""Why not: the verdict on a page, whole at every size; what it offers is applied, undone and told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BusyError
from engine.explain.verdict import Change, ChunkTarget, Place, Remedy, StageRow, TextTarget, Verdict
from engine.settings import Settings
from engine.trace import settle
from tests.tui.fake import TEXTS, FakeLibrary, recall_of, screen_text
from tests.tui.search.samples import FAQ, HOSTILE, chunk, hostile_text
from tests.tui.search.test_screen import opened, shown
from tui import cells
from tui.screens.why_not import WhyNotPage
from tui.screens.why_not_target import TargetPanel, offers
from tui.text import one_line
from tui.widgets import why_not
from tui.widgets.line import measure, text_of

QUEUE = chunk("queue.md", "死信", 8, 15, "死信队列中的任务不会自动恢复，需要人工重放。", number=5)
BUDGET = Change(
    {"context_max_characters": 6_500}, {"context_max_characters": 6_000}, 6_500, 48_000, 0.01, "[4]"
)
WEIGHT = Change({"fulltext_weight": 0.55}, {"fulltext_weight": 1.0}, 0.0, 0.55, 0.2, "[3]", leaves=(FAQ,))
STAGES = (
    StageRow("corpus", kept=True, because="same as on disk, parsed, whole in one chunk, enabled, in scope"),
    StageRow("fulltext", None, 48, None, False, "none of its terms is in the query's"),
    StageRow("cjk", 3, 60, 9.87, True),
    StageRow("vector", 1, 299, 0.758, True),
    StageRow("graph", because="not built"),
    StageRow("fused", 13, 231, 0.0388, True),
    StageRow("rerank", 5, 231, 0.571, True, "similarity +.114, coverage +.160"),
    StageRow("gate", 5, 231, 0.571, True, "no threshold is set"),
    StageRow("top k", 5, 6, kept=True),
    StageRow("pack", score=1_204.0, kept=False, because="budget: ranks 1 to 4 use 5,214"),
)
VERDICT = Verdict(
    "任务", ChunkTarget("chunk0005"),
    Place("d", "queue.md", "r", 0, 22, QUEUE.text, (QUEUE,), ("chunk0005",)), "budget",
    "lost at the pack: ranked 5th, but it needs 1,204 characters and 786 of 6,000 are left",
    stages=STAGES, changes=(BUDGET, WEIGHT),
)  # fmt: skip


def table(verdict: Verdict, width: int = 120) -> list[str]:
    return [text_of(row.line).rstrip() for row in why_not.rows(verdict, width)]


def test_the_verdict_stands_as_drawn() -> None:
    assert table(VERDICT) == [
        " lost at the pack: ranked 5th, but it needs 1,204 characters and 786 of 6,000 are left",
        " stage       rank     of   score  kept because",
        " corpus         –      –       –   yes same as on disk, parsed, whole in one chunk, enabled, in scope",
        " fulltext       –     48       –    no none of its terms is in the query's",
        " cjk            3     60    9.87   yes",
        " vector         1    299    .758   yes",
        " graph          –      –       –     – not built",
        " fused         13    231   .0388   yes",
        " rerank         5    231    .571   yes similarity +.114, coverage +.160",
        " gate           5    231           yes no threshold is set",
        " top k          5      6       –   yes",
        " pack           –      –   1,204    no budget: ranks 1 to 4 use 5,214",
        " SMALLEST CHANGE  each was run before it is shown",
        "  1  budget ≥ 6,500            6,000 → 6,500      in as [4]; nothing leaves",
        "  2  fulltext ≤ 0.55           1.00 → 0.55        in as [3]; faq.md L3–9 leaves",
    ]


def test_the_title_names_the_place_and_quotes_the_text() -> None:
    told = text_of(why_not.title(VERDICT, VERDICT.target, 100, True))
    assert told.startswith("▸WHY NOT  queue.md › 死信 L8–15 #5 ")
    assert "“死信队列中的任务不会自动恢复" in told
    absent = replace(VERDICT, target=TextTarget("没有 的\n话"), place=None)
    assert "a text" in text_of(why_not.title(absent, absent.target, 80, True))
    assert "“没有 的 话”" in text_of(why_not.title(absent, absent.target, 80, True))


def test_a_condition_says_every_value_that_works() -> None:
    between = replace(WEIGHT, settings={"vector_weight": 1.4}, low=1.4, high=1.7)
    assert why_not.condition(between) == "vector 1.40–1.70"
    assert why_not.condition(replace(between, high=1.4)) == "vector 1.40"
    choice = Change({"rerank": "local"}, {"rerank": "off"}, "local", "local", 0.5, "[1]")
    assert why_not.condition(choice) == "rerank local"
    pair = Change(
        {"top_k": 10, "context_max_characters": 8_000},
        {"top_k": 6, "context_max_characters": 6_000},
        10,
        10,
        0.3,
        "[5]",
    )
    assert why_not.condition(pair) == "top k 10, budget 8,000"
    assert "6 → 10 and 6,000 → 8,000" in "".join(table(replace(VERDICT, changes=(pair,))))


def test_where_no_setting_helps_the_remedy_is_another() -> None:
    told = table(replace(VERDICT, changes=(), remedy=Remedy("recut", "cut at 450 it stays whole")), 80)
    assert told[-2:] == [" REMEDY  no setting of a query brings it in", " cut at 450 it stays whole"]


@settings(max_examples=60)
@given(hostile_text, st.integers(12, 160))
def test_no_row_is_wider_than_the_page_or_raw(body: str, width: int) -> None:
    wild = replace(
        VERDICT,
        sentence=body + HOSTILE,
        target=TextTarget(body),
        stages=tuple(replace(row, because=body) for row in STAGES),
        changes=(replace(WEIGHT, leaves=(chunk(body or "x", body),), group=body),),
        remedy=Remedy("look", HOSTILE),
        place=Place("d", body, "r", 0, 9, body, (chunk(body, body),), ()),
    )
    lines = [why_not.title(wild, wild.target, width, True), *(row.line for row in why_not.rows(wild, width))]
    for line in lines:
        assert measure(line) == width
        assert text_of(line) == one_line(text_of(line))
    assert why_not.as_text(wild)


SIZES = [(140, 45), (120, 40), (80, 24), (40, 15)]


@pytest.mark.parametrize("size", SIZES)
async def test_a_result_is_asked_of_at_once_and_everything_is_reached_by_keys(size: tuple[int, int]) -> None:
    library = FakeLibrary()
    async with opened(size, library) as (app, pilot):
        await pilot.press("G", "W")
        await settled(app, pilot)
        assert isinstance(app.screen, WhyNotPage)
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        seen = shown(app)
        for _ in range(30):
            await pilot.press("j")
        seen += shown(app)
        for word in ("WHY NOT", "lost in fusion", "corpus", "vector", "pack", "SMALLEST CHANGE", "top k ≥ 9"):
            assert word in seen, word


async def test_enter_applies_the_change_u_undoes_it_and_the_verdict_follows() -> None:
    async with opened() as (app, pilot):
        before = app.view.settings
        await pilot.press("G", "W")
        await settled(app, pilot)
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.view.retrieval.top_k == 9
        assert "it is in the context, as" in shown(app)
        await pilot.press("u")
        await settled(app, pilot)
        assert app.view.settings == before
        assert "lost in fusion" in shown(app)
        await pilot.press("escape")
        assert not isinstance(app.screen, WhyNotPage)


async def test_turning_the_dial_there_asks_once_for_many_turns() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        await pilot.press("G", "W")
        await settled(app, pilot)
        for _ in range(3):
            app.turn(1, big=True)
        await settled(app, pilot)
        assert len(library.whys) == 2
        assert library.whys[-1][1].vector_weight == 1.75


async def test_what_runs_is_told_after_a_tenth_of_a_second_and_escape_cancels_it() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        library.hold()
        await pilot.press("W")
        await pilot.pause(0.25)
        assert "esc cancels" in shown(app)
        await pilot.press("escape")
        await pilot.pause()
        assert library.tokens[-1].cancelled
        assert "cancelled: r asks again" in shown(app)
        library.release()
        await pilot.press("r")
        await settled(app, pilot)
        assert "corpus" in shown(app)


async def test_an_error_is_a_sentence_on_the_page() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        library.failure = BusyError("the index changes while it is asked", "ask again")
        await pilot.press("W")
        await settled(app, pilot)
        assert "the index changes while it is asked: ask again" in shown(app)


async def test_a_text_that_is_pasted_or_a_chunk_that_is_found_by_words() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        await pilot.press("shift+tab", "W")
        await pilot.pause()
        assert isinstance(app.screen, TargetPanel)
        panel = app.screen
        assert all(offer.rank > 6 for offer in panel.offers)
        panel.query_one("#find").insert_text_at_cursor("idempotent")  # type: ignore[attr-defined]
        await pilot.pause(0.3)
        await settled(app, pilot)
        assert library.asked[-1] == "idempotent"
        assert panel.offers[0].target == TextTarget("idempotent")
        assert "api/jobs.md" in panel.offers[1].place
        await pilot.press("down", "enter")
        await settled(app, pilot)
        assert "WHY NOT  api/jobs.md › POST /jobs/replay" in shown(app)
        await pilot.press("W")
        await pilot.pause()
        app.screen.query_one("#find").insert_text_at_cursor("完全没有的话")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await settled(app, pilot)
        assert "no document of the library holds it" in shown(app)
        assert "“完全没有的话”" in shown(app)


async def test_in_the_context_it_asks_of_the_group_or_of_what_was_left_out() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        await pilot.press("tab", "W")
        await settled(app, pilot)
        assert app.view.trace is not None
        first = app.view.trace.context.groups[0].citations[0].chunk_id
        assert library.whys[-1][0] == ChunkTarget(first)
        assert "it is in the context" in shown(app)


async def test_y_copies_the_verdict() -> None:
    async with opened() as (app, pilot):
        await pilot.press("W")
        await settled(app, pilot)
        await pilot.press("y")
        assert app.clipboard.startswith(" WHY NOT")
        assert "corpus" in app.clipboard


async def test_hostile_documents_stay_words() -> None:
    library = FakeLibrary(texts=((HOSTILE, HOSTILE, HOSTILE * 3), *TEXTS))
    for size in SIZES:
        async with opened(size, library, question=HOSTILE) as (app, pilot):
            await pilot.press("W")
            await settled(app, pilot)
            for row in screen_text(app):
                assert row == one_line(row)
                assert cells.width(row) == size[0]


def test_offers_find_every_word_typed_in_path_heading_and_text() -> None:
    trace = settle(recall_of("任务"), Settings().retrieval)
    found = offers("queue 人工", trace)
    assert [offer.place for offer in found[1:]] == ["queue.md"]
    assert offers("a" * 5_000, trace)[1:] == []
    assert offers("", None) == []
    assert ChunkTarget("abcdefghij234567abcd") in {
        one.target for one in offers("ABCDEFGHIJ234567ABCD", trace)
    }


async def settled(app: object, pilot: object) -> None:
    """Wait for pauses, workers and their messages."""
    await pilot.pause(0.25)  # type: ignore[attr-defined]
    await app.workers.wait_for_complete()  # type: ignore[attr-defined]
    await pilot.pause(0.05)  # type: ignore[attr-defined]


async def test_a_real_library_says_where_a_chunk_and_a_text_were_lost(tmp_path: Path) -> None:
    from engine.library import Library
    from tests.tui.fake import workbench_on

    for number in range(9):
        (tmp_path / f"d{number}.md").write_text(
            f"# 第 {number} 篇\n\n任务重试{'，又重试' * number}。\n", encoding="utf-8"
        )
    (tmp_path / "far.md").write_text("# Cache\n\nA write invalidates the cache.\n", encoding="utf-8")
    resolved = replace(Settings(), embedding=replace(Settings().embedding, provider="hash"))
    app = workbench_on(lambda: Library.open(tmp_path, settings=resolved), tmp_path, resolved, "任务重试")
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(100):
            await pilot.pause(0.1)
            if app.view.trace is not None and app.view.trace.ranking.found and not app.bridge.syncing:
                break
        await settled(app, pilot)
        await pilot.press("G", "W")
        for _ in range(60):
            await settled(app, pilot)
            if "corpus" in shown(app):
                break
        assert "SMALLEST CHANGE" in shown(app) or "REMEDY" in shown(app)
        await pilot.press("W")
        await pilot.pause()
        app.screen.query_one("#find").insert_text_at_cursor("invalidates the cache")  # type: ignore[attr-defined]
        await pilot.press("enter")
        for _ in range(60):
            await settled(app, pilot)
            if "far.md" in shown(app):
                break
        assert "WHY NOT  far.md › Cache" in shown(app)
        await app.bridge.close()
