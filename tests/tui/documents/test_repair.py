"""From a wrong result to the repaired chunk and the better rank, by the keyboard alone; and nothing begun is lost,
however the process ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.documents.desk import opened, settle, shown, write_documents
from tests.tui.terminal import Terminal
from tui.app import RankscopeApp
from tui.screens.documents_split import middle, places


@pytest.mark.parametrize("size", [(140, 45), (80, 24), (40, 15)], ids=str)
async def test_a_chunk_that_ranks_too_low_is_found_repaired_and_ranks_better(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, size, question="人工重放之前要确认什么", press="") as (app, pilot, search):
        await pilot.press("G")
        chunk = search.results.result.chunk
        before = search.results.result.rank
        assert before > 1
        await pilot.press("enter", "enter")
        await settle(app, pilot)
        assert "DOCUMENT" in shown(app)
        await pilot.press("e", *"人工重放之前要确认什么：下游已恢复。", "enter", "escape", "enter")
        await until(pilot, lambda: app.page.chunk.text.startswith("人工重放之前"))
        await pilot.press("escape")
        await until(pilot, lambda: app.page is search)
        assert app.focused.id == "passage"
        await until(pilot, lambda: rank(app, chunk.chunk_id) < before)


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Let the screen work until something holds, however long the machine takes; pytest's own patience is the end."""
    for _ in range(2_000):
        if holds():
            return
        await pilot.pause(0.01)
    assert holds()


def rank(app: RankscopeApp, chunk_id: str) -> int:
    trace = app.view.trace
    assert trace is not None
    return trace.ranking.position(chunk_id) + 1


def test_places_of_a_cut_have_text_on_both_sides():
    text = "\n第一句。\n\n第二句！ Third one. \n"
    assert [text[at:][:2] for at in places(text)] == ["第二", "Th"]
    assert text[middle(text, places(text)) :].startswith("Third")
    assert middle("abcdef", ()) == 3


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGHUP], ids=["killed", "closed"])
def test_an_edit_is_offered_again_after_the_terminal_is_gone(tmp_path: Path, end: signal.Signals) -> None:
    write_documents(tmp_path / "samples")
    command = [
        sys.executable, "-m", "tui", str(tmp_path / "samples"), "--data", str(tmp_path / "data"),
        "--set", "embedding.provider=hash",
    ]  # fmt: skip
    environment = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    with Terminal(command, environment=environment) as terminal:
        terminal.wait_for("RESULTS")
        terminal.wait_for("3 documents")
        terminal.press("2")
        terminal.wait_for("hostile.md")
        terminal.press("\x1b[B\r")
        terminal.wait_for("CHUNK 1")
        terminal.press("e")
        terminal.wait_for("EDIT")
        terminal.press("未存的字")
        terminal.settle(0.8)
        os.kill(terminal.pid, end)
        assert terminal.wait() != 0
    with Terminal(command, environment=environment) as terminal:
        terminal.wait_for("was not saved; ! goes on with it")
