"""What a key does once it is pressed: every one runs something, and what it said stays until the next."""

from __future__ import annotations

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from tests.tui.fake import FakeLibrary, workbench
from tests.tui.test_shell import settled

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
