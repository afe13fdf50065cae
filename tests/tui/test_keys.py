"""What a key does once it is pressed: every one runs something, and what it said stays until the next."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.binding import Binding
from textual.dom import DOMNode

from engine.model import Progress
from tests.tui.fake import FakeLibrary, screen_text, workbench
from tests.tui.test_shell import settled
from tui.keys import INPUT_METHOD

PANELS = {
    "": "",
    "help": "?",
    "menu": "space",
    "palette": ":",
    "problems": "!",
    "settings": "7",
    "scopes": "f",
}


def without_method(node: DOMNode) -> list[str]:
    """The bindings of a node whose action has no method where the toolkit looks for it."""
    places = {"app": node.app, "screen": node.screen}
    lost = []
    for binding in vars(type(node)).get("BINDINGS", ()):
        if isinstance(binding, Binding):
            place, _, name = binding.action.rpartition(".")
            if not hasattr(places.get(place, node), f"action_{name}"):
                lost.append(f"{type(node).__name__}: {binding.key} {binding.action}")
    return lost


@pytest.mark.parametrize("panel", PANELS)
async def test_every_key_runs_something_where_it_is_bound(panel):
    app = workbench(question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        if PANELS[panel]:
            await pilot.press(PANELS[panel])
        nodes = [app, app.screen, *app.screen.query("*")]
        assert [lost for node in nodes for lost in without_method(node)] == []


async def test_the_folder_is_read_again_by_its_key():
    library = FakeLibrary()
    app = workbench(library, question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        before = len(library.tokens)
        await pilot.press("R")
        await settled(pilot)
        assert len(library.tokens) > before


def sentence(app):
    return screen_text(app)[-2].strip()


async def test_a_note_stays_while_indexing_goes_on_until_the_next_key():
    library = FakeLibrary(steps=(Progress("read", 1, 9, 2.0, 4.0), Progress("read", 2, 9, 2.0, 3.0)))
    library.hold_tasks()
    app = workbench(library, question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        await pilot.pause()
        await pilot.press("y")
        app.show(replace(app.view, progress=library.steps[1]))
        await pilot.pause()
        assert sentence(app).startswith("copied ")
        await pilot.press("j")
        assert sentence(app).startswith("rank 2 of 9")


async def test_escape_twice_in_a_row_cancels_indexing_and_once_only_asks():
    library = FakeLibrary(steps=(Progress("read", 1, 9, 2.0, 4.0),))
    library.hold_tasks()
    app = workbench(library, question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await pilot.pause()
        await pilot.pause()
        await pilot.press("escape")
        app.show(replace(app.view, progress=library.steps[0]))
        assert sentence(app).startswith("again cancels indexing")
        await pilot.press("j", "escape")
        assert app.bridge.syncing, "the key before was another one"
        await pilot.press("escape")
        assert not app.bridge.syncing
        await settled(pilot)
        assert sentence(app).startswith("indexing cancelled")


async def test_what_is_said_of_an_input_method_goes_with_the_next_key_that_works():
    app = workbench(question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        await pilot.press("任")
        assert sentence(app) == INPUT_METHOD
        await pilot.press("+")
        assert "rank 1 of" in sentence(app)


async def test_no_key_of_a_keyboard_is_taken_for_an_input_method():
    """As a terminal sends them: backspace comes with a character of its own, and is one of the main keys."""
    app = workbench(question="任务重试")
    async with app.run_test(size=(140, 45)) as pilot:
        await settled(pilot)
        sent = [chr(code) for code in (*range(1, 27), *range(28, 128))]
        for character in sent:
            (event,) = [one for one in XTermParser().feed(character) if isinstance(one, events.Key)]
            assert await app.keys.translate(event) is not None, event
        before = app.view.retrieval
        await pilot.press("plus")
        assert app.view.retrieval != before
        app.post_message(events.Key("backspace", "\x7f"))
        await pilot.pause()
        await pilot.pause()
        assert app.view.retrieval == before
