"""The Documents screen by the text it shows, and by what its keys do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widget import Widget

from tests.tui.documents.desk import opened, settle, shown, write_documents
from tests.tui.fake import screen_text
from tui import cells

SIZES = [(140, 45), (120, 40), (80, 24), (40, 15), (200, 60)]


async def test_rows_fill_the_screen_at_every_size_whichever_pane_is_shown(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter", "less_than_sign")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settle(app, pilot)
            for pane in ("what-if", "documents", "document"):
                await pilot.press("tab")
                await pilot.pause()
                rows = screen_text(app)
                assert len(rows) == size[1]
                assert {cells.width(row) for row in rows} == {size[0]}
                assert f"▸{pane.replace('-', ' ').upper()}" in shown(app)


async def test_the_list_shows_folders_counts_and_states(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, _, _page):
        text = shown(app)
        assert "DOCUMENTS" in text
        assert "3 of 3" in text
        assert " ops/" in text
        assert "retry.md" in text
        assert "✓✓✓-" in text


async def test_enter_opens_a_document_with_its_borders_and_evidence(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        text = shown(app)
        assert "▸DOCUMENT  retry.md › 重试" in text
        assert "▸   1   1 █  # 重试" in text
        assert "q07 whole" in text
        assert "CHUNK 1 of" in text
        assert "chunk 1 starts at L1" in text


async def test_h_and_l_go_through_the_chunks_and_j_k_through_the_rows(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("ops/queue.md")
        await pilot.press("enter")
        await settle(app, pilot)
        seen = [page.text.chunk]
        for _ in range(9):
            await pilot.press("l")
            seen.append(page.text.chunk)
        last = len(page.text.shown.chunks) - 1  # type: ignore[union-attr]
        assert seen == [min(number, last) for number in range(10)]
        await pilot.press("h")
        assert page.text.chunk == max(0, last - 1)
        await pilot.press("g", "j", "j")
        assert page.text.cursor == page.text.rows_of().window(0, 3)[2][0]  # type: ignore[union-attr]
        await pilot.press("G")
        assert "100 %" in shown(app)


async def test_a_turned_size_recuts_the_document_and_counts_the_library(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        before = len(page.text.shown.chunks)  # type: ignore[union-attr]
        await pilot.press("less_than_sign", "less_than_sign", "less_than_sign")
        await settle(app, pilot, 0.35)
        text = shown(app)
        assert "PREVIEW of size 400, overlap 160; searches still use 1,600 / 160" in text
        assert "*size" in text
        assert len(page.text.shown.chunks) > before  # type: ignore[union-attr]
        assert "SPLIT" in text
        assert "newly split or lost" in text
        assert "q11 retry.md L5–" in text
        await pilot.press("escape")
        await settle(app, pilot)
        assert "PREVIEW of" not in shown(app)
        assert len(page.text.shown.chunks) == before  # type: ignore[union-attr]
        await pilot.press("u", "u", "u")
        await settle(app, pilot)
        assert app.view.settings.chunking.target_characters == 1_600


async def test_a_value_out_of_its_range_stays_and_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        await pilot.press("J", *["greater_than_sign"] * 9)
        await settle(app, pilot)
        assert app.view.settings.chunking.overlap_characters == 640
        assert "overlap" in screen_text(app)[-2]


async def test_slash_filters_the_list_and_escape_shows_all(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await pilot.press("slash", "Q", "u", "e", "enter")
        await pilot.pause()
        assert "1 of 3" in shown(app)
        assert page.shelf.entry is not None
        assert page.shelf.entry.path == "ops/queue.md"
        await pilot.press("escape")
        await pilot.pause()
        assert "3 of 3" in shown(app)


async def test_slash_in_a_document_finds_and_n_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("ops/queue.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("slash", *"第 2", "enter")
        await settle(app, pilot)
        assert "find hit 1 of 11" in screen_text(app)[-2]
        await pilot.press("n", "n")
        assert "find hit 3 of 11" in screen_text(app)[-2]
        await pilot.press("N")
        assert "find hit 2 of 11" in screen_text(app)[-2]
        assert page.text.finds[1][0] == page.text.cursor
        await pilot.press("slash", *"nowhere", "enter")
        await pilot.pause()
        assert "no 'nowhere' in this document" in screen_text(app)[-2]


async def test_n_goes_from_evidence_to_cut(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("n")
        assert "q07 whole: mark 1 of" in screen_text(app)[-2]


@pytest.mark.parametrize("size", [(140, 45), (80, 24), (40, 15)], ids=str)
async def test_from_a_result_to_its_borders_and_back_as_it_was_left(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = tmp_path / "samples"
    write_documents(folder)
    for number in range(30):
        lines = "".join(f"第 {line} 行：死信队列保留 {number} 天。\n\n" for line in range(30))
        (folder / f"page{number:02}.md").write_text(f"# 队列 {number}\n\n{lines}", encoding="utf-8")
    async with opened(tmp_path, size, press="") as (app, pilot, search):
        await pilot.press("ctrl+d", "ctrl+d", "j", "enter", "j", "j", "j")
        results, passage = search.results, search.passage
        before = [(pane.cursor, pane.top) for pane in (results, passage)]
        chunk = results.result.chunk
        await pilot.press("enter")
        await settle(app, pilot)
        page = app.page
        assert "DOCUMENT" in shown(app)
        assert page.text.cursor == chunk.start
        assert page.chunk.chunk_id == chunk.chunk_id
        await pilot.press("l", "j", "tab", "escape")
        await settle(app, pilot)
        assert app.page is search
        assert app.focused is passage
        assert [(pane.cursor, pane.top) for pane in (results, passage)] == before
        assert results.result.chunk.chunk_id == chunk.chunk_id
        await pilot.press("escape")
        assert app.focused is results
        assert (results.cursor, results.top) == before[0]


@pytest.mark.parametrize("size", [(80, 24), (40, 15)], ids=str)
async def test_the_chunk_under_the_cursor_is_told_as_soon_as_the_document_is_there(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, size) as (app, pilot, page):
        await pilot.press("tab", "tab")
        await pilot.resize_terminal(size[0] + 1, size[1])
        await pilot.press("tab")
        page.shelf.to_path("retry.md")
        page.text.show(None, preview=False, now=page.now)
        await pilot.press("enter")
        await settle(app, pilot)
        assert "CHUNK 1 of 2" in shown(app)


async def test_hostile_text_leaves_the_frame_intact(tmp_path: Path) -> None:
    async with opened(tmp_path, (80, 24)) as (app, pilot, page):
        page.shelf.to_path("hostile.md")
        await pilot.press("enter")
        await settle(app, pilot)
        rows = screen_text(app)
        assert {cells.width(row) for row in rows} == {80}
        assert "␛[2J [/] 标题" in shown(app)
        assert "\x1b" not in shown(app)


async def test_the_number_of_widgets_does_not_grow_with_the_document(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        before = len(page.query(Widget))
        (tmp_path / "samples" / "long.md").write_text("一行 line\n\n" * 4_000, encoding="utf-8")
        await pilot.press("r")
        await settle(app, pilot, 0.3)
        page.shelf.to_path("long.md")
        await pilot.press("enter")
        await settle(app, pilot, 0.3)
        assert page.served is not None
        assert page.served.sheet.lines.count == 8_000
        assert len(page.query(Widget)) == before


async def test_copying_takes_the_chunk_that_serves(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("l", "y")
        assert page.chunk is not None
        assert app.clipboard == page.chunk.text
        await pilot.press("Y")
        assert app.clipboard.startswith("retry.md L")


async def test_screens_are_kept_as_they_were_left(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("l", "7")
        await pilot.pause()
        await pilot.press("2")
        await pilot.pause()
        assert app.page is page
        assert page.text.chunk == 1
        await pilot.press("1", "2")
        await pilot.pause()
        assert app.page is page
        assert len(app.screen_stack) == 2


async def test_a_build_shows_its_plan_then_takes_over_and_search_answers_from_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter", "less_than_sign", "less_than_sign", "less_than_sign")
        await settle(app, pilot, 0.35)
        generation = app.view.status.generation  # type: ignore[union-attr]
        await pilot.press("B")
        await settle(app, pilot)
        text = shown(app)
        assert "BUILD THE LIBRARY" in text
        assert "evidence split" in text
        await pilot.press("escape")
        await settle(app, pilot)
        assert app.view.status.generation == generation  # type: ignore[union-attr]
        await pilot.press("B")
        await settle(app, pilot)
        await pilot.press("enter")
        await settle(app, pilot, 0.5)
        assert app.view.status.generation != generation  # type: ignore[union-attr]
        assert app.view.status.chunking.target_characters == 400  # type: ignore[union-attr]
        assert "PREVIEW of" not in shown(app)
        assert page.served is not None
        assert max(chunk.end - chunk.start for chunk in page.served.chunks) <= 400


async def test_a_build_can_be_left_aside_and_compared_before_it_serves(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter", "less_than_sign", "less_than_sign", "less_than_sign")
        await settle(app, pilot, 0.35)
        generation = app.view.status.generation  # type: ignore[union-attr]
        await pilot.press("B")
        await settle(app, pilot)
        await pilot.press("G")
        assert "leaves it aside" in shown(app)
        await pilot.press("enter")
        await settle(app, pilot, 0.5)
        assert app.view.status.generation == generation  # type: ignore[union-attr]
        await pilot.press("6", "d")
        await settle(app, pilot)
        assert "structure 1,600 / 160 serves, structure 400 / 160 lies aside" in shown(app)
        assert "evidence split" in shown(app)
        await pilot.press("enter")
        await settle(app, pilot)
        assert app.view.status.generation != generation  # type: ignore[union-attr]


async def test_a_process_that_may_not_write_builds_nothing_and_says_who_does(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        app.show(replace(app.view, writable=False, writer="process 7"))
        await pilot.press("B")
        assert "process 7 writes this library" in screen_text(app)[-2]
