"""The list tells how each document stands: four facets, its edits, the folder on disk, and what was skipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue.standing import Content, OnDisk
from engine.model import Skipped
from engine.settings import Embedding
from tests.tui.documents.desk import SMALL, opened, settle, shown, write_documents
from tests.tui.fake import screen_text, status_of
from tui import cells
from tui.screens import documents_work
from tui.widgets import document, shelf
from tui.widgets.line import measure, text_of


def told(content: Content, freshness: str = "") -> tuple[str, str, bool]:
    disk = OnDisk({content.path: freshness} if freshness else {})  # type: ignore[dict-item]
    (entry,) = documents_work.entries((content,), disk)
    return "".join(shelf.GLYPHS[state] for state in entry.states), entry.note, entry.attention


def test_each_facet_has_its_glyph_and_what_is_out_of_the_ordinary_its_words() -> None:
    plain = Content("a.md", 9, 0)
    assert told(plain) == ("✓✓✓-", "", False)
    assert told(replace(plain, waiting=5)) == ("✓✓◦-", "vec 5", False)
    assert told(replace(plain, failed=2)) == ("✓✓✗-", "vec 2 failed", True)
    assert told(replace(plain, incompatible=True)) == ("✓✓!-", "vec of another embedder", True)
    assert told(replace(plain, chunks=0)) == ("✓---", "no retrievable content", False)
    assert told(replace(plain, edits=3, disabled=1)) == ("✓✓✓-", "edit 2 off 1", False)
    assert told(replace(plain, edits=1, disabled=1)) == ("✓✓✓-", "off 1", False)
    assert told(replace(plain, conflicts=1, edits=1), "changed") == ("✓✓✓-", "! 1 changed edit 1", True)
    assert told(plain, "gone") == ("✓✓✓-", "gone", True)
    assert told(replace(plain, encoding="gb18030")) == ("✓✓✓-", "gb18030?", False)


def test_files_that_are_no_documents_come_last_and_a_set_is_none_of_them() -> None:
    disk = OnDisk(
        {}, ("new.md",), (Skipped("logo.png", "binary"), Skipped("evaluation.toml", "evaluation set"))
    )
    found = shelf.shelf(documents_work.entries((Content("b.md", 1, 0), Content("z/a.md", 1, 0)), disk))
    assert found.rows == (0, "z/", 1, "new on disk", 2, "skipped", 3)
    assert shelf.sentence(found, 2) == "new.md is new on disk: r reads the folder again"
    assert shelf.sentence(found, 3) == "logo.png was skipped: binary"


@given(st.integers(38, 160), st.integers(0, 99), st.booleans(), st.text(max_size=40), st.integers(0, 12))
def test_the_states_fit_and_what_changed_on_disk_is_kept_longest(
    width, changed, known, writer, troubles
) -> None:
    disk = OnDisk({str(number): "changed" for number in range(changed)}, since=1.0) if known else None
    line = document.states(status_of(), disk, writer, width, troubles)
    assert measure(line) == width
    assert text_of(line).startswith(f" ! {troubles}  ") == bool(troubles)
    assert ("changed on disk" in text_of(line)) == bool(known and changed)


async def test_what_changed_on_disk_is_seen_when_the_screen_is_looked_at_again_and_synced(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "samples"
    write_documents(folder)
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\0\0")
    async with opened(tmp_path) as (app, pilot, page):
        text = shown(app)
        assert "parsed 3 of 4" in text
        assert "– ✗--- binary" in text
        assert "on disk" not in text
        await pilot.press("1")
        retry = folder / "retry.md"
        retry.write_text(retry.read_text(encoding="utf-8") + "\n一句新话。\n", encoding="utf-8")
        (folder / "hostile.md").unlink()
        (folder / "fresh.md").write_text("# 新\n\n新的一页。\n", encoding="utf-8")
        await pilot.press("2")
        await settle(app, pilot)
        text = shown(app)
        assert "3 changed on disk since " in text
        assert "✓✓✓- changed" in text
        assert "✓✓✓- gone" in text
        assert "new on disk" in text
        await pilot.press("r")
        await settle(app, pilot, 0.1)
        text = shown(app)
        assert "on disk" not in text
        assert "hostile.md" not in text
        assert "fresh.md" in text
        page.shelf.to_path("logo.png")
        await pilot.press("enter")
        assert "there is nothing to open here" in screen_text(app)[-2]


@pytest.mark.parametrize("size", [(80, 24), (40, 15)], ids=str)
async def test_another_principal_sees_nothing_of_the_list_and_of_what_is_open(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    write_documents(tmp_path / "samples")
    (tmp_path / "samples" / "ops" / "key.png").write_bytes(b"\x89PNG\r\n\0\0")
    settings = replace(SMALL, scopes=(("ops/", ("ops",)),), embedding=Embedding(provider="hash"))
    async with opened(tmp_path, size, settings=settings) as (app, pilot, page):
        assert "queue.md" not in shown(app)
        app.choose_scopes(("ops",))
        await settle(app, pilot)
        assert "queue.md" in shown(app)
        assert "key.png" in shown(app)
        page.shelf.to_path("ops/queue.md")
        await pilot.press("enter")
        await settle(app, pilot)
        assert "死信" in shown(app)
        app.choose_scopes(())
        for _ in range(2):
            await pilot.pause()
            assert "死信" not in shown(app).split("DOCUMENT", 1)[1]
            assert page.served is None
            assert not [entry for entry in page.shelf.shelf.entries if entry.path.startswith("ops/")]
            await settle(app, pilot)
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
