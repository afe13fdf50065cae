"""What keys do on the Search screen."""

from __future__ import annotations

from textual import events

from engine.model import QUERY_LIMIT
from tests.tui.fake import FakeLibrary, screen_text
from tests.tui.search.test_screen import opened, shown
from tui.app import RankscopeApp
from tui.screens.search import SearchScreen


def screen(app: RankscopeApp) -> SearchScreen:
    assert isinstance(app.screen, SearchScreen)
    return app.screen


async def test_a_question_is_asked_and_its_results_get_the_focus() -> None:
    library = FakeLibrary()
    async with opened(library=library, question="") as (app, pilot):
        assert app.focused is not None
        assert app.focused.id == "question"
        screen(app).question.field.put("死信队列")
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert library.asked == ["死信队列"]
        assert app.focused is screen(app).results
        assert "▸RESULTS" in shown(app)


async def test_earlier_questions_come_back_and_the_draft_is_kept() -> None:
    async with opened(question="第一个问题") as (app, pilot):
        app.ask("第一个问题")
        app.ask("第二个问题")
        await app.workers.wait_for_complete()
        await pilot.press("slash")
        field = screen(app).question.field
        field.put("草稿")
        await pilot.press("up")
        assert field.value == "第二个问题"
        await pilot.press("up")
        assert field.value == "第一个问题"
        await pilot.press("down", "down")
        assert field.value == "草稿"


async def test_a_turn_moves_ranks_and_undo_moves_them_back() -> None:
    async with opened() as (app, pilot):
        before = screen_text(app)
        await pilot.press("greater_than_sign", "greater_than_sign", "greater_than_sign")
        await pilot.pause(0.1)
        text = shown(app)
        assert "▹*vector          1.75" in text
        assert "* 1 differs" in text
        assert "▴" in text or "▾" in text
        await pilot.press("u", "u", "u")
        await pilot.pause(0.3)
        assert screen_text(app)[6:20] == before[6:20]


async def test_the_cursor_stays_with_its_chunk_through_a_turn() -> None:
    async with opened() as (app, pilot):
        await pilot.press("j", "j", "j")
        held = screen(app).results.result
        assert held is not None
        await pilot.press(*["greater_than_sign"] * 4)
        await pilot.pause(0.1)
        now = screen(app).results.result
        assert now is not None
        assert now.chunk.chunk_id == held.chunk.chunk_id


async def test_a_weight_is_muted_and_brought_back() -> None:
    async with opened() as (app, pilot):
        await pilot.press("plus", "0")
        await pilot.pause()
        assert app.view.retrieval.vector_weight == 0
        await app.workers.wait_for_complete()
        await pilot.pause(0.1)
        assert "vector – not asked" in shown(app)
        await pilot.press("0")
        assert app.view.retrieval.vector_weight == 1.05


async def test_the_dial_goes_through_every_setting_from_any_pane() -> None:
    async with opened() as (app, pilot):
        await pilot.press("J")
        assert app.view.dial == "graph_weight"
        assert "▹ graph" in shown(app)
        await pilot.press("K", "K")
        assert app.view.dial == "cjk_weight"
        await pilot.press("shift+tab")
        await pilot.pause()
        assert "▸TUNE" in shown(app)
        await pilot.press("up", "right")
        assert app.view.dial == "fulltext_weight"
        assert app.view.retrieval.fulltext_weight == 1.05


async def test_tab_goes_through_the_panes_as_they_are_read() -> None:
    for size, expected in (
        ((140, 45), ["context", "why", "passage", "question", "tune", "results"]),
        ((80, 24), ["context", "why", "passage", "tune", "question", "results"]),
    ):
        async with opened(size) as (app, pilot):
            visited = []
            for _ in expected:
                await pilot.press("tab")
                assert app.focused is not None
                visited.append(app.focused.id)
                await pilot.pause()
                if app.focused.id in ("context", "passage"):
                    assert f"▸{app.focused.id.upper()}" in shown(app)
            assert visited == expected


async def test_enter_opens_the_passage_and_escape_comes_back() -> None:
    async with opened((80, 24)) as (app, pilot):
        await pilot.press("enter")
        await pilot.pause()
        assert "▸PASSAGE" in shown(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "▸RESULTS" in shown(app)


async def test_zoom_gives_a_pane_the_body_and_takes_it_back() -> None:
    async with opened() as (app, pilot):
        await pilot.press("z")
        await pilot.pause()
        assert "TUNE" not in shown(app)
        assert "▸RESULTS" in shown(app)
        await pilot.press("z")
        await pilot.pause()
        assert "TUNE" in shown(app)


async def test_next_mark_goes_to_a_result_that_moved() -> None:
    async with opened() as (app, pilot):
        await pilot.press("n")
        assert "no result moved" in shown(app)
        await pilot.press(*["greater_than_sign"] * 4)
        await pilot.pause(0.1)
        await pilot.press("n")
        page = screen(app)
        assert page.board.moved(page.results.cursor)


async def test_a_paste_fills_the_query_and_runs_nothing() -> None:
    """UI-06: pasted lines neither submit nor act as keys, and what does not fit is said."""
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        app.post_message(events.Paste("q\nd\ny\n" + "问" * 5_000 + "\x1b[201~q\n" * 100_000))
        await pilot.pause(0.5)
        field = screen(app).question.field
        assert field.value.startswith("q d y 问问")
        assert len(field.value) == QUERY_LIMIT
        assert "more than a query may have" in shown(app)
        assert app.focused is field
        assert len(library.asked) == 1


async def test_a_phrase_committed_at_once_by_an_input_method_arrives_whole() -> None:
    async with opened(question="") as (app, pilot):
        for character in "重试次数用完以后怎么办呢？":
            app.post_message(events.Key(character, character))
        await pilot.pause(0.1)
        assert screen(app).question.field.value == "重试次数用完以后怎么办呢？"


async def test_copying_says_what_was_copied() -> None:
    async with opened() as (app, pilot):
        await pilot.press("y")
        result = screen(app).results.result
        assert result is not None
        assert app.clipboard == result.chunk.text
        assert f"copied {len(result.chunk.text)} characters of" in shown(app)
        await pilot.press("tab", "y")
        assert "of [1]" in shown(app)


async def test_scopes_are_switched_in_a_panel_and_asked_with_at_once() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        await pilot.press("f")
        await pilot.pause()
        assert "SCOPE" in shown(app)
        await pilot.press("down", "down", "enter", "escape")
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.view.scopes == ("ops",)
        assert "scope public, ops" in shown(app)
        assert len(library.asked) == 2


async def test_a_group_unfolds_and_a_result_left_out_is_gone_to() -> None:
    async with opened((80, 24)) as (app, pilot):
        await pilot.press("tab")
        await pilot.pause()
        await pilot.press("enter")
        assert screen(app).ledger.unfolded == frozenset({0})
        await pilot.press("enter")
        assert screen(app).ledger.unfolded == frozenset()


async def test_resizing_keeps_cursor_and_tab() -> None:
    async with opened((140, 45)) as (app, pilot):
        await pilot.press("j", "j")
        await pilot.resize_terminal(60, 18)
        await pilot.pause(0.1)
        assert screen(app).results.cursor == 2
        await pilot.press("tab")
        await pilot.pause()
        await pilot.resize_terminal(140, 45)
        await pilot.pause(0.1)
        assert "▸CONTEXT" in shown(app)
        assert screen(app).results.cursor == 2


async def test_the_sentence_explains_what_has_the_focus() -> None:
    async with opened() as (app, pilot):
        assert "rank 1 of" in screen_text(app)[-2]
        await pilot.press("shift+tab")
        assert "vector: weight of the vector channel" in screen_text(app)[-2]
        await pilot.press("tab", "tab")
        assert "[1] holds rank" in screen_text(app)[-2]
        await pilot.press("tab")
        assert "fused ." in screen_text(app)[-2]
        assert "/(60+" in screen_text(app)[-2]
