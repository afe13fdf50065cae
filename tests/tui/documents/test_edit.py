"""Chunks are edited from the keyboard: in place, outside, split, merged, out of use, into the bin; each is undone,
and none is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from tests.tui.documents.desk import opened, settle, shown
from tests.tui.fake import screen_text
from tui import cells, editor
from tui.drafts import Drafts
from tui.screens import panels
from tui.screens.documents_edit import EditPage
from tui.widgets import figures


async def at(app, pilot, page, path: str) -> None:
    page.set_focus(page.shelf)
    page.shelf.to_path(path)
    await pilot.press("enter")
    await settle(app, pilot)


async def test_a_text_is_edited_reviewed_saved_and_undone(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        before = page.chunk.text
        await pilot.press("e")
        await pilot.pause()
        assert isinstance(app.page, EditPage)
        assert "EDIT  retry.md L1–" in shown(app)
        assert "of 16,000" in shown(app)
        await pilot.press(*"新的", "escape")
        await settle(app, pilot)
        text = shown(app)
        assert "▸REVIEW" in text
        assert "2 more" in text
        assert "+ 新的# 重试" in text
        assert "− # 重试" in text
        await pilot.press("enter")
        await settle(app, pilot)
        assert app.page is page
        assert "text changed" in screen_text(app)[-2]
        assert page.chunk.text == f"新的{before}"
        assert page.chunk.edited
        assert "edited" in shown(app)
        await pilot.press("j", "k")
        assert "edited: a sync keeps the edit wherever" in screen_text(app)[-2]
        assert f" {figures.plural(len(page.chunk.text), 'character')} " in shown(app)
        await pilot.press("u")
        await settle(app, pilot)
        assert page.chunk.text == before
        assert "undone" in screen_text(app)[-2]


async def test_nothing_changed_closes_and_q_keeps_a_draft_that_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        await pilot.press("e", "escape")
        await settle(app, pilot)
        assert app.page is page
        await pilot.press("e", "x", "escape", "q")
        await settle(app, pilot)
        assert app.page is page
        drafts = Drafts(tmp_path / "samples").all()
        assert [draft.text[:3] for draft in drafts] == ["x# "]
        await pilot.press("U")
        await settle(app, pilot)
        assert "NOT SAVED" in shown(app)
        assert "x# 重试" in shown(app)
        await pilot.press("j", "enter")
        await settle(app, pilot)
        assert "the draft of" in screen_text(app)[-2]
        await pilot.press("escape", "e", "backspace", "home", "delete", "escape")
        await settle(app, pilot)
        assert app.page is page
        assert Drafts(tmp_path / "samples").all() == ()


async def test_an_edit_that_a_closed_terminal_cut_short_is_offered_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        await pilot.press("e", *"未存")
        await pilot.pause()
    async with opened(tmp_path, press="") as (app, pilot, _):
        assert "retry.md: an edit at L1 was not saved; ! goes on with it" in screen_text(app)[-2]
        panels.run_id(app, "draft.open")
        await settle(app, pilot, 0.2)
        await settle(app, pilot, 0.1)
        edit = app.page
        assert isinstance(edit, EditPage)
        assert edit.area.content.startswith("未存# 重试")
        assert "draft.open" in {one.action for one in app.view.problems}
        await pilot.press("escape", "enter")
        await settle(app, pilot)
        assert "draft.open" not in {one.action for one in app.view.problems}, "it is saved"


async def test_hostile_text_is_edited_without_harm(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "hostile.md")
        before = page.chunk.text
        assert "\x1b" in before
        assert "\r\n" in before
        await pilot.press("e")
        await pilot.pause()
        assert "␛[2J [/] 标题" in shown(app)
        assert app.page.area.content == before
        app.post_message(events.Paste("a\x1b[31m\u2028b\r\nc"))
        await pilot.pause()
        await pilot.press("tab", "escape", "enter")
        await settle(app, pilot)
        assert page.chunk.text == f"a\x1b[31m\u2028b\nc\t{before}"


async def test_out_of_use_and_back_into_the_bin_and_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        total = app.view.status.state.chunks
        for key in ("x", "X"):
            await pilot.press(key)
            await settle(app, pilot)
            assert not page.chunk.enabled
            assert app.view.status.state.chunks == total - 1
            assert "out of use" in shown(app) or "bin" in shown(app)
            await pilot.press(key)
            await settle(app, pilot)
            assert page.chunk.enabled
            assert app.view.status.state.chunks == total


async def test_a_chunk_is_split_at_a_sentence_and_merged_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        count = len(page.served.chunks)
        whole = page.chunk.text
        await pilot.press("i")
        await pilot.pause()
        assert "SPLIT" in shown(app)
        await pilot.press("l", "h", "greater_than_sign", "less_than_sign", "down", "up", "enter")
        await settle(app, pilot)
        assert len(page.served.chunks) == count + 1
        assert whole.startswith(page.chunk.text)
        await pilot.press("m")
        await pilot.pause()
        assert "MERGE" in shown(app)
        await pilot.press("enter")
        await settle(app, pilot)
        assert len(page.served.chunks) == count
        assert page.chunk.text == whole
        await pilot.press("u", "u")
        await settle(app, pilot)


async def test_the_readers_editor_gives_a_draft_that_is_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(app, program):
        file = Path(program[-1])
        file.write_bytes(file.read_bytes() + "末尾\n".encode())
        return 0

    monkeypatch.setattr(editor, "run", run)
    monkeypatch.setenv("VISUAL", "sh")
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        before = page.chunk.text
        await pilot.press("E")
        await settle(app, pilot)
        assert isinstance(app.page, EditPage)
        assert app.page.area.content.rstrip() == f"{before.rstrip()}末尾" or "末尾" in app.page.area.content


async def test_who_may_not_edit_is_told_why(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        await pilot.press("less_than_sign", "e")
        await settle(app, pilot)
        assert "a preview is not edited" in screen_text(app)[-2]
        await pilot.press("escape")
        app.show(replace(app.view, writable=False, writer="process 7"))
        for key in "eEimMx":
            await pilot.press(key)
            assert "process 7 writes this library" in screen_text(app)[-2]


async def test_the_history_shows_each_step_and_takes_one_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        before = page.chunk.text
        await pilot.press("e", *"新", "escape", "enter")
        await settle(app, pilot)
        await pilot.press("U")
        await settle(app, pilot)
        text = shown(app)
        assert "▸HISTORY" in text
        assert "text" in text
        assert "+ 新# 重试" in text
        await pilot.press("enter")
        await settle(app, pilot)
        assert "undo of 1" in shown(app)
        assert "undone" in shown(app)
        await pilot.press("q")
        await settle(app, pilot)
        assert page.chunk.text == before


async def test_what_lies_in_the_bin_is_listed_and_taken_out_by_enter(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        chunk = page.chunk
        await pilot.press("X")
        await settle(app, pilot)
        await pilot.press("U")
        await settle(app, pilot)
        assert "1 step, 1 in the bin" in shown(app)
        assert "IN THE BIN" in shown(app)
        await pilot.press("j", "enter")
        await settle(app, pilot)
        assert "2 steps, 0 in the bin" in shown(app)
        await pilot.press("q")
        await settle(app, pilot)
        assert page.chunk.chunk_id == chunk.chunk_id
        assert page.chunk.enabled


LOST = {"ops/queue.md": ("第 3 条", "第三条"), "retry.md": ("同一任务", "一个任务")}


async def in_conflict(app, pilot, page, folder: Path, *paths: str) -> None:
    """Edit the first chunk of these documents, then change the files under the edits."""
    for path in paths:
        await at(app, pilot, page, path)
        page.text.to_chunk(0)
        await pilot.press("e", *"新", "escape", "enter")
        await settle(app, pilot)
    for path in paths:
        file = folder / "samples" / path
        file.write_text(file.read_text(encoding="utf-8").replace(*LOST[path]), encoding="utf-8")
    await pilot.press("r")
    await settle(app, pilot, 0.2)


async def test_a_conflict_is_told_and_settled_with_both_texts_seen(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):

        def told() -> bool:
            return "an edit is in conflict with the file" in {one.sentence for one in app.view.problems}

        async def choose(key: str) -> None:
            panels.run_id(app, "conflicts.show")
            await settle(app, pilot)
            assert "CONFLICT 1 of 1" in shown(app)
            await pilot.press(key)
            await settle(app, pilot, 0.1)

        await in_conflict(app, pilot, page, tmp_path, "ops/queue.md")
        assert told()
        assert "! 1" in shown(app)
        assert "CONFLICT" in shown(app), "in the margin"
        panels.run_id(app, "conflicts.show")
        await settle(app, pilot)
        for side in ("BASE", "MINE", "FILE", "新# 队列"):
            assert side in shown(app)
        await pilot.press("4")
        await settle(app, pilot)
        assert told(), "later"
        await choose("2")
        assert not told()
        assert "CONFLICT" not in shown(app)
        assert not page.chunk.edited, "the file's text serves"
        await pilot.press("u")
        await settle(app, pilot)
        assert told()
        await choose("enter")
        assert not told()
        assert page.chunk.edited, "mine is the first"


async def test_both_texts_go_into_the_editor_and_what_parts_them_must_go(tmp_path: Path) -> None:
    async with opened(tmp_path, (40, 15), press="") as (app, pilot, search):
        await pilot.press("2")
        await settle(app, pilot)
        await in_conflict(app, pilot, app.page, tmp_path, "ops/queue.md")
        await pilot.press("1")
        await settle(app, pilot)
        assert app.page is search
        app.ask("死信队列中的任务")
        await settle(app, pilot)
        assert "conflicts.show" in {one.action for one in app.view.degradations}
        panels.run_id(app, "conflicts.show")
        await settle(app, pilot)
        assert "CONFLICT 1 of 1" in shown(app)
        await pilot.press("G", "l", "h", "l")
        assert {cells.width(row) for row in screen_text(app)} == {40}
        await pilot.press("3")
        await settle(app, pilot)
        edit = app.page
        assert isinstance(edit, EditPage)
        assert edit.area.content.startswith("<<<<<<< mine\n新# 队列")
        assert "第三条" in edit.area.content
        await pilot.press("x", "escape", "enter")
        await settle(app, pilot)
        assert app.page is edit
        assert "take out the lines" in screen_text(app)[-2]
        edit.area.put("两边合起来的一句。")
        await pilot.press("q")
        panels.run_id(app, "draft.open")
        await settle(app, pilot)
        edit = app.page
        assert isinstance(edit, EditPage)
        assert edit.area.content == "两边合起来的一句。", "what was begun goes on"
        await pilot.press("escape", "enter")
        await settle(app, pilot)
        assert "两边合起来的一句。" in {chunk.text for chunk in app.page.served.chunks}
        assert not [one for one in app.view.problems if "conflict" in one.sentence]


async def test_the_next_conflict_waits_until_the_one_before_is_settled(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await in_conflict(app, pilot, page, tmp_path, *LOST)
        panels.run_id(app, "conflicts.show")
        await settle(app, pilot)
        assert "CONFLICT 1 of 2" in shown(app)
        await pilot.press("1")
        await settle(app, pilot)
        assert "CONFLICT 2 of 2" in shown(app)
        await pilot.press("2")
        await settle(app, pilot)
        assert not [one for one in app.view.problems if "conflict" in one.sentence]
        assert [pin.state for pin in await app.bridge.library.edits.pins()] == ["enabled"]


async def test_a_page_that_is_taken_down_may_still_be_told_of_a_size_or_a_focus(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await at(app, pilot, page, "retry.md")
        await pilot.press("e")
        await pilot.pause()
        edit = app.page
        assert isinstance(edit, EditPage)
        await pilot.press("escape")
        await settle(app, pilot)
        assert app.page is page
        assert not edit.query("#place"), "its parts are gone"
        edit.fit_panes()
        edit.remark("late")
        edit.follow(app.view)
        edit._resized()
