"""Chunk health: every cause with its chunks, each a key away from its borders, and the list kept as it was left."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.health import CAUSES, Case, Health
from engine.model import Progress
from tests.tui.documents.desk import opened, settle, shown, write_documents
from tests.tui.fake import FakeLibrary, screen_text, workbench
from tui import cells
from tui.screens.documents import DocumentsScreen
from tui.screens.health import HealthPage
from tui.widgets import health
from tui.widgets.line import measure, text_of

PARTED = "# 长段\n\n" + "一句没有句号的话继续下去，" * 300 + "\n"
COPY = "# 附录\n\n" + "第一条：两份文件里有同样的一段话，用来看重复。\n" * 3


def write_sick(folder: Path) -> None:
    """Documents with a parted sentence, two copies, a chunk that is too small, and one without any text."""
    write_documents(folder)
    (folder / "long.md").write_text(PARTED, encoding="utf-8")
    (folder / "copy-a.md").write_text(COPY, encoding="utf-8")
    (folder / "copy-b.md").write_text(COPY, encoding="utf-8")
    (folder / "tiny.md").write_text(f"# 一\n\n好。\n\n# 二\n\n{'写满一段文字。' * 60}\n", encoding="utf-8")
    (folder / "empty.md").write_text("---\ntitle: 空\n---\n", encoding="utf-8")


SIZES = [(140, 45), (80, 24), (40, 15)]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_from_a_cause_to_the_chunk_and_back_as_it_was_left(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    write_sick(tmp_path / "samples")
    async with opened(tmp_path, size, press="H") as (app, pilot, page):
        assert isinstance(page, HealthPage)
        text = shown(app)
        assert "▸HEALTH" in text
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        await pilot.press("n", "n", "n")
        row = page.pane.row
        assert row is not None
        assert row.head
        await to_chunk(pilot, page)
        case, at = page.pane.row.case, (page.pane.cursor, page.pane.top)
        await pilot.press("enter")
        await settle(app, pilot)
        documents = app.page
        assert isinstance(documents, DocumentsScreen)
        assert documents.served.sheet.opened.path == case.path
        assert documents.chunk.chunk_id == case.chunk_id
        await pilot.press("q")
        await settle(app, pilot)
        assert app.page is page
        assert (page.pane.cursor, page.pane.top) == at
        assert app.focused is page.pane
        await pilot.press("q")
        await settle(app, pilot)
        assert app.page.NAME == "Search"


async def to_chunk(pilot, page: HealthPage) -> None:
    """Down to the next chunk of the list."""
    await pilot.press("j")
    while page.pane.row.case is None or not page.pane.row.case.chunk_id:
        await pilot.press("j")


async def test_where_the_list_was_opened_from_documents_it_leads_back_there(tmp_path: Path) -> None:
    write_sick(tmp_path / "samples")
    async with opened(tmp_path) as (app, pilot, documents):
        await pilot.press("H")
        await settle(app, pilot)
        page = app.page
        await to_chunk(pilot, page)
        await pilot.press("enter")
        await settle(app, pilot)
        assert app.page is documents
        await pilot.press("q")
        await settle(app, pilot)
        assert app.page is page
        await pilot.press("q")
        await settle(app, pilot)
        assert app.page is documents
        await pilot.press("q")
        await settle(app, pilot)
        assert app.page.NAME == "Search"


async def test_causes_fold_say_what_they_do_and_are_found_anew_after_a_change(tmp_path: Path) -> None:
    write_sick(tmp_path / "samples")
    async with opened(tmp_path, press="H") as (app, pilot, page):
        text = shown(app)
        for name in ("empty", "tiny", "duplicate", "no cause for concern"):
            assert name in text, name
        assert "empty.md" in text
        assert "the same text as copy-a.md" in text
        assert health.HARM["tiny"] in text
        await pilot.press("g")
        assert screen_text(app)[-2].strip().startswith("empty: no question finds them")
        count = page.pane.count
        await pilot.press("enter")
        assert page.pane.count < count
        assert "+ empty" in shown(app)
        await pilot.press("l")
        assert page.pane.count == count
        (tmp_path / "samples" / "copy-b.md").unlink()
        app.action_library_sync()
        await settle(app, pilot, 0.2)
        assert "changed since: r" in shown(app)
        await pilot.press("r")
        await settle(app, pilot)
        assert "copy-b.md" not in shown(app)
        assert "changed since" not in shown(app)


class Slow:
    """An examination that goes on until it is cancelled, and says so."""

    def __init__(self) -> None:
        self.tokens: list[CancelToken] = []
        self.scopes: list[tuple[str, ...]] = []
        self.found = False

    async def run(
        self, *, scopes: tuple[str, ...] = (), cancel: CancelToken
    ) -> AsyncIterator[Progress | Health]:
        import asyncio

        self.tokens.append(cancel)
        self.scopes.append(scopes)
        yield Progress("publish", 120, 2_000, 300.0, 6.0, "a/b.md")
        while not self.found:
            cancel.check()
            await asyncio.sleep(0.005)
        yield Health(1, 1, (Case("tiny", "secret.md", "id", 1, 1, "3 characters of ink"),), "measured")


async def test_it_goes_on_in_the_background_is_cancelled_by_escape_and_asked_again() -> None:
    library = FakeLibrary()
    library.health = slow = Slow()  # type: ignore[assignment]
    app = workbench(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.05)
        await pilot.press("escape", "H")
        await pilot.pause(0.05)
        assert "documents 120 of 2,000, 0:06 left" in shown(app)
        await pilot.press("1", "H")
        await pilot.pause()
        assert len(slow.tokens) == 1, "it went on"
        await pilot.press("escape")
        assert slow.tokens[0].cancelled
        assert "cancelled: r examines again" in shown(app)
        await pilot.press("r")
        await pilot.pause(0.05)
        assert len(slow.tokens) == 2
        await pilot.press("escape", "escape")
        assert app.page.NAME == "Search"
        await app.bridge.close()


async def test_another_principal_sees_nothing_of_what_was_found() -> None:
    library = FakeLibrary()
    library.health = slow = Slow()  # type: ignore[assignment]
    slow.found = True
    app = workbench(library, scopes=("ops",))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.05)
        await pilot.press("escape", "H")
        await pilot.pause(0.05)
        assert "secret.md" in shown(app)
        slow.found = False
        app.choose_scopes(())
        assert "secret.md" not in shown(app)
        await pilot.pause(0.05)
        assert "secret.md" not in shown(app)
        assert slow.scopes == [("ops",), ()]
        await app.bridge.close()


HOSTILE = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(
    ["\x1b[2J", "[/]", "\u202e中文"]
)
CASES = st.builds(
    Case, st.sampled_from(list(CAUSES)), HOSTILE, st.sampled_from(["", "id"]), st.integers(1, 9_999),
    st.integers(1, 99_999), HOSTILE,
)  # fmt: skip


@given(st.lists(CASES, max_size=12), st.integers(38, 200), st.sets(st.sampled_from(list(CAUSES))))
def test_every_case_has_a_row_of_its_own_that_fits_unless_it_is_folded(cases, width, folded) -> None:
    order = list(CAUSES)
    found = Health(3, 9, tuple(sorted(cases, key=lambda case: order.index(case.cause))), "each was measured")
    groups = health.grouped(found)
    rows = health.rows(groups, folded, width)
    told = [row.case for row in rows if row.case is not None]
    assert told == [case for case in found.cases if case.cause not in folded]
    assert [row.cause for row in rows if row.head] == list(dict.fromkeys(case.cause for case in found.cases))
    for row in rows:
        line = health.line(groups, row, folded, width)
        assert measure(line) <= width
        assert not any(unicodedata.category(one) in ("Cc", "Cf") for one in text_of(line))
        assert "\x1b" not in health.sentence(groups, row)
    state = health.title(groups, width, True, "changed since: r", behind=True)
    assert measure(state) == width


def test_a_case_of_a_document_that_changed_is_told_at_its_own_line() -> None:
    case = Case("hub", "a/very/long/folder/of/documents/手册.md", "id", 3, 40, "among the nearest")
    groups = health.grouped(Health(1, 3, (case, replace(case, ordinal=4)), ""))
    assert "手册.md L40" in text_of(health.line(groups, health.Row("hub", case), (), 40))
