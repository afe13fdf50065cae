"""The differences from A: every entry and exit with the stage that caused it, and a diff that loses no line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.explain.compare import compare as compared
from engine.settings import Retrieval
from engine.trace import Trace, settle
from tests.explain.random_recalls import World, retrievals, worlds
from tests.tui.fake import FakeLibrary, recall_of, screen_text
from tests.tui.search.samples import HOSTILE
from tests.tui.search.test_screen import opened, shown
from tests.tui.search.test_whynot import SIZES, settled
from tui import cells
from tui.screens.compare import ComparePage
from tui.text import one_line
from tui.widgets import compare
from tui.widgets.line import measure, text_of


def pair(**turned: object) -> tuple[Trace, Trace]:
    recall = recall_of("任务重试")
    return settle(recall, Retrieval()), settle(recall, replace(Retrieval(), **turned))  # type: ignore[arg-type]


def table(a: Trace, b: Trace, width: int = 80) -> list[str]:
    return [text_of(row.line).rstrip() for row in compare.rows(compared(a, b), a, b, width)]


def test_settings_context_and_ranks_are_told_with_the_stage_that_caused_each() -> None:
    a, b = pair(top_k=5, vector_weight=2.0)
    told = table(a, b)
    assert told[1] == "  vector 1.00 → 2.00, top k 6 → 5"
    out = next(row for row in told if row.startswith("  − out"))
    assert out.endswith("now lost in fusion")
    back = table(b, a)
    assert next(row for row in back if row.startswith("  + in")).endswith("in A lost in fusion")


def test_nothing_that_differs_is_said_so() -> None:
    a, _ = pair()
    told = "\n".join(table(a, a))
    for words in (
        "the same, and the same index",
        "it holds the same chunks",
        "no chunk has another rank",
        "the same text",
    ):
        assert words in told


def test_what_is_the_same_is_shortened_and_every_difference_is_there() -> None:
    a, b = pair(top_k=3)
    found = compared(a, b)
    rows = "\n".join(table(a, b, 400))
    for line in found.diff:
        if line.sign != " " and line.text.strip():
            assert ("+ " if line.sign == "+" else "− ") + line.text in rows
    assert sum(row.mark for row in compare.rows(found, a, b, 80)) >= 4


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), retrievals(), st.integers(24, 150))
def test_no_row_is_wider_than_the_page(world: World, other: Retrieval, width: int) -> None:
    a, b = settle(world.recall, world.retrieval), settle(world.recall, other)
    found = compared(a, b)
    lines = [compare.title("A", found, width, True), *(row.line for row in compare.rows(found, a, b, width))]
    assert {measure(line) for line in lines} == {width}


@pytest.mark.parametrize("size", SIZES)
async def test_d_shows_it_and_follows_every_turn(size: tuple[int, int]) -> None:
    async with opened(size) as (app, pilot):
        await pilot.press("p", "d")
        await settled(app, pilot)
        assert isinstance(app.screen, ComparePage)
        assert "this is A itself" in screen_text(app)[-2]
        await pilot.press(*["greater_than_sign"] * 4)
        await settled(app, pilot)
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        assert "vector 1.00 → 2.00" in shown(app)
        assert "0 moved" not in shown(app)
        for _ in range(12):
            await pilot.press("n")
        assert "+ " in shown(app)
        await pilot.press("escape")
        assert not isinstance(app.screen, ComparePage)


async def test_without_a_pin_it_is_against_the_file_and_y_copies_it() -> None:
    async with opened() as (app, pilot):
        await pilot.press("greater_than_sign", "d")
        await settled(app, pilot)
        assert "COMPARE  file → now" in shown(app)
        await pilot.press("y")
        assert "vector 1.00 → 1.25" in app.clipboard
        await pilot.press("p")
        await settled(app, pilot)
        assert "COMPARE  A → now" in shown(app)


async def test_before_there_is_an_answer_it_says_what_to_do() -> None:
    async with opened(question="") as (app, pilot):
        await pilot.press("escape")
        for key in ("d", "v"):
            await pilot.press(key)
            await pilot.pause()
            assert "nothing to look into yet" in shown(app)


async def test_hostile_text_stays_words() -> None:
    library = FakeLibrary(texts=((HOSTILE, HOSTILE, HOSTILE * 2), ("b.md", "x", HOSTILE)))
    async with opened(library=library, question=HOSTILE) as (app, pilot):
        await pilot.press("p", *["less_than_sign"] * 4, "d")
        await settled(app, pilot)
        for row in screen_text(app):
            assert row == one_line(row)
