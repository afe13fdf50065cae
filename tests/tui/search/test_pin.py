"""State A: what moves are measured against, through turns, questions, principals and changes of the index."""

from __future__ import annotations

from dataclasses import replace

from engine.model import OWNER
from engine.settings import Retrieval, Settings
from engine.settings.fields import BY_KEY
from tests.tui.fake import STATE, TEXTS, FakeLibrary, recall_of, screen_text
from tests.tui.search.test_screen import opened, shown
from tui import pinned, state
from tui.bridge import covers, settle
from tui.state import View

VECTOR = BY_KEY["retrieval.vector_weight"]


def answered(view: View, query: str = "重试任务") -> View:
    asked = recall_of(query, retrieval=pinned.asked_with(view), scopes=view.scopes)
    return pinned.referenced(replace(view, query=query, trace=settle(asked, view.settings)))


def test_without_a_pin_moves_are_against_the_saved_settings() -> None:
    view = answered(state.with_value(View(), VECTOR, 0.2))
    assert view.reference is not None
    assert view.reference.retrieval == Retrieval()


def test_a_pin_is_taken_off_where_it_stands_and_moved_from_anywhere_else() -> None:
    view = pinned.toggled(answered(View()))
    assert view.pin is not None
    assert view.reference is view.trace
    turned = answered(state.with_value(view, VECTOR, 0.2))
    moved = pinned.toggled(turned)
    assert moved.pin is not None
    assert moved.pin.settings.retrieval.vector_weight == 0.2
    assert "moved to" in moved.note
    off = pinned.toggled(moved)
    assert off.pin is None
    assert off.reference is not None
    assert off.reference.retrieval == Retrieval()


def test_another_question_is_measured_against_the_pinned_settings() -> None:
    view = pinned.toggled(answered(View()))
    view = answered(state.with_value(view, VECTOR, 0.2), "死信队列")
    assert view.reference is not None
    assert view.reference.recall.query == "死信队列"
    assert view.reference.retrieval == Retrieval()


def test_a_channel_that_only_the_pinned_state_asks_is_asked_for_it() -> None:
    view = pinned.toggled(answered(View()))
    view = answered(state.with_value(view, VECTOR, 0.0), "死信队列")
    assert view.trace is not None
    assert covers(view.trace.recall, Settings())
    assert not next(one for one in view.trace.channels if one.channel == "vector").requested


def test_a_former_principal_leaves_nothing_but_settings() -> None:
    view = pinned.forgotten(pinned.toggled(answered(View())))
    assert view.pin is not None
    assert view.pin.trace is None
    assert pinned.forgotten(View()).pin is None


def test_nothing_is_pinned_before_there_is_an_answer() -> None:
    view = pinned.toggled(View())
    assert view.pin is None
    assert "nothing to pin" in view.note


async def test_the_title_says_that_a_state_is_pinned_and_turns_are_against_it() -> None:
    async with opened() as (app, pilot):
        await pilot.press(*["less_than_sign"] * 3, "p")
        await pilot.pause(0.1)
        assert "A pinned" in screen_text(app)[0]
        assert "1 setting that differs from the file" in shown(app)
        await pilot.press(*["greater_than_sign"] * 3)
        await pilot.pause(0.1)
        assert app.view.reference is not None
        assert app.view.reference.retrieval.vector_weight == 0.25
        assert "against A" in "".join(_sentences(app))
        await pilot.press(*["less_than_sign"] * 3, "p")
        await pilot.pause(0.1)
        assert "A pinned" not in screen_text(app)[0]


def _sentences(app: object) -> list[str]:
    from tui.screens.search import SearchScreen
    from tui.screens.search_sentence import sentence

    screen = app.screen  # type: ignore[attr-defined]
    assert isinstance(screen, SearchScreen)
    board = screen.board
    return [sentence(board, "results", board.result(at), 0, scores=False) for at in range(board.found)]


async def test_at_eighty_columns_the_sign_stays() -> None:
    async with opened((80, 24)) as (app, pilot):
        await pilot.press("p")
        assert "A pinned" in screen_text(app)[0]


async def test_a_changed_index_moves_ranks_against_what_was_pinned_before() -> None:
    """The pinned trace is of another recall; chunks are matched by their ids."""
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        await pilot.press("p")
        before = app.view.trace
        library.texts = TEXTS[1:]
        library.state = replace(STATE, corpus_version="b" * 64, chunks=8)
        await pilot.press("r")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.view.reference is before
        assert app.view.trace is not before
        assert "▾" in shown(app) or "▴" in shown(app) or "new" in shown(app)


async def test_scopes_forget_the_pinned_trace() -> None:
    async with opened() as (app, pilot):
        await pilot.press("p")
        app.choose_scopes((OWNER,))
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert app.view.pin is not None
        assert app.view.pin.trace is None
        assert app.view.reference is not None
        assert app.view.reference.recall.scopes == (OWNER,)
