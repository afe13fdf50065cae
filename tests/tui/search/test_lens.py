"""The token lens: what met and what it adds, in sums that add up, in place of the passage and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.explain.lens import AskedTerm, HeldTerm, Lens
from engine.explain.verdict import Standing
from engine.settings import Settings
from tests.tui.fake import FakeLibrary, screen_text, workbench_on
from tests.tui.search.samples import HOSTILE, chunk, hostile_text
from tests.tui.search.test_screen import opened, shown
from tests.tui.search.test_whynot import settled
from tui import cells
from tui.screens.search import SearchScreen
from tui.text import one_line
from tui.widgets import lens
from tui.widgets.line import measure, text_of

LENS = Lens(
    "Redis 持久",
    chunk(),
    (
        AskedTerm("fulltext", "redis", 0, 5, 27, 3.79, True, 8.0, 7.944),
        AskedTerm("fulltext", "appendfsync", 6, 9, 0, 7.797, False),
        AskedTerm("cjk", "redis", 0, 5, 27, 3.79, True, 8.0, 8.0),
        AskedTerm("cjk", "持久", 6, 8, 1_204, 4.964, False),
    ),
    (HeldTerm("fulltext", "redis", 2, 27, 3.79, True), HeldTerm("fulltext", "connector", 1, 9, 4.85, False)),
    {"fulltext": 7.944, "cjk": 8.0},
    (
        Standing("fulltext", 2, 7.944, 27),
        Standing("cjk", 14, 8.03, 1_337),
        Standing("vector", 14, 0.381, 1_216),
        Standing("graph", None, None, 0, "not built"),
    ),
)


def test_the_lens_stands_as_drawn() -> None:
    assert [text_of(line).rstrip() for line in lens.rows(LENS, 37)] == [
        "  fulltext          df    idf   part",
        "  ✓ redis           27   3.79   7.94",
        "  – appendfsync      0   7.80      –",
        "    BM25                        7.94",
        "    2nd of 27",
        "  cjk               df    idf   part",
        "  ✓ redis           27   3.79   8.00",
        "  – 持久         1,204   4.96      –",
        "    BM25                        8.00",
        "    14th of 1,337, raised to 8.03",
        "  vector  cosine .381, 14th of 1,216",
        "  graph  – not built",
        "  its terms         df    idf  times",
        "    connector        9   4.85      1",
    ]


def test_the_sentence_counts_what_met_and_names_the_rarest_that_is_missing() -> None:
    assert lens.sentence(LENS) == (
        "1 of 2 terms met by full text, 1 of 2 terms met by cjk; the rarest that is missing: appendfsync"
    )
    assert "no terms" in lens.sentence(replace(LENS, asked=()))


@settings(max_examples=50)
@given(st.lists(st.tuples(hostile_text, st.floats(0, 30)), max_size=6), st.integers(24, 150))
def test_no_row_is_wider_than_the_pane_or_raw_and_parts_add_up(
    terms: list[tuple[str, float]], width: int
) -> None:
    asked = tuple(
        AskedTerm("cjk", term + HOSTILE, 0, 1, 3, 2.0, part > 0, part, part) for term, part in terms
    )
    total = sum(part for _, part in terms)
    wild = replace(
        LENS, asked=asked, bm25={"cjk": total}, held=(HeldTerm("cjk", HOSTILE, 1, 1, 1.0, False),),
        standings=(Standing("vector", None, None, 0, HOSTILE),),
    )  # fmt: skip
    lines = lens.rows(wild, width)
    assert {measure(line) for line in lines} == {width}
    for line in lines:
        assert text_of(line) == one_line(text_of(line))
    if width > 40 and asked:
        rows = [text_of(line).split() for line in lines]
        start = next(number for number, row in enumerate(rows) if row[:2] == ["cjk", "df"])
        parts = [row[-1] for row in rows[start + 1 : start + 1 + len(asked)]]
        units = [round(float(part.replace(",", "")) * 100) for part in parts if part != "–"]
        told = next(row for row in rows if row and row[0] == "BM25")[-1]
        assert sum(units) == round(float(told.replace(",", "")) * 100)


@pytest.mark.parametrize("size", [(140, 45), (120, 40), (80, 24), (40, 15)])
async def test_t_opens_it_in_the_detail_pane_and_back_gives_the_passage(size: tuple[int, int]) -> None:
    async with opened(size) as (app, pilot):
        await pilot.press("t")
        await settled(app, pilot)
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        assert "idf" in shown(app)
        await pilot.press("t")
        await settled(app, pilot)
        assert "idf" not in shown(app)


async def test_it_follows_the_cursor_of_the_list_once_that_rests() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        await pilot.press("t")
        await settled(app, pilot)
        assert isinstance(app.screen, SearchScreen)
        assert app.focused is app.screen.results
        await pilot.press("j", "j", "j")
        await settled(app, pilot)
        assert len(library.lenses) == 2
        assert app.screen.results.result is not None
        assert library.lenses[-1] == app.screen.results.result.chunk.chunk_id
        assert app.screen.passage.lens is not None
        assert app.screen.passage.lens.chunk.chunk_id == library.lenses[-1]


async def test_escape_closes_the_lens_before_it_leaves_the_pane() -> None:
    async with opened((80, 24)) as (app, pilot):
        await pilot.press("t")
        await settled(app, pilot)
        assert isinstance(app.screen, SearchScreen)
        assert app.focused is app.screen.passage
        assert "terms met by cjk" in screen_text(app)[-2]
        await pilot.press("escape")
        assert not app.screen.passage.lensed
        assert app.focused is app.screen.passage
        await pilot.press("escape")
        assert app.focused is app.screen.results


async def test_what_cannot_be_looked_up_is_said_in_the_pane() -> None:
    library = FakeLibrary()
    async with opened(library=library) as (app, pilot):
        library.failure = RuntimeError("gone")
        await pilot.press("t")
        await settled(app, pilot)
        assert "the token lens: something" in shown(app)


async def test_a_real_library_shows_its_own_terms(tmp_path: Path) -> None:
    from engine.library import Library

    (tmp_path / "a.md").write_text("# 重试\n\n任务最多自动重试三次。\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# Cache\n\nA write invalidates the cache.\n", encoding="utf-8")
    resolved = replace(Settings(), embedding=replace(Settings().embedding, provider="hash"))
    app = workbench_on(
        lambda: Library.open(tmp_path, settings=resolved), tmp_path, resolved, "任务重试 cache"
    )
    async with app.run_test(size=(140, 45)) as pilot:
        for _ in range(100):
            await pilot.pause(0.1)
            if app.view.trace is not None and app.view.trace.ranking.found and not app.bridge.syncing:
                break
        await settled(app, pilot)
        await pilot.press("t")
        for _ in range(40):
            await settled(app, pilot)
            if "idf" in shown(app):
                break
        text = shown(app)
        assert "✓ 重试" in text or "✓ cache" in text
        assert "BM25" in text
        await app.bridge.close()
