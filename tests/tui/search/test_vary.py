"""The dial over its whole range: the chart says at every cell what a turn to its value gives."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.explain.change import covering
from engine.explain.holding import PACKS
from engine.explain.sensitivity import Sensitivity, Stretch
from engine.rank import rank
from engine.settings import Features, Retrieval, Settings
from engine.trace import as_asked
from tests.explain.random_recalls import World, worlds
from tests.tui.fake import FakeLibrary, recall_of, screen_text
from tests.tui.search.samples import HOSTILE, chunk
from tests.tui.search.test_screen import opened, shown
from tests.tui.search.test_whynot import SIZES, settled
from tui import cells
from tui.bridge import varied
from tui.screens.vary import VaryPage
from tui.text import one_line
from tui.widgets import vary, vary_chart
from tui.widgets.line import measure, text_of
from tui.widgets.tune import DIALS


def chart_of(name: str, retrieval: Retrieval, file: Retrieval | None = None) -> vary_chart.Chart:
    recall = recall_of("任务重试", retrieval=covering(retrieval))
    found = varied(recall, Settings(retrieval=retrieval), name, CancelToken())
    made = vary_chart.Chart(
        found, getattr(retrieval, name), getattr(file or retrieval, name), 0, retrieval.top_k
    )
    return replace(made, probe=made.here)


THREE = vary_chart.Chart(
    vary_chart.Varied(
        Sensitivity(
            "vector_weight", 1.0, True,
            (
                Stretch(0.0, 0.5, ("one", "two")),
                Stretch(0.5, 1.5, ("two", "one")),
                Stretch(1.5, 2.0, ("two", "three")),
            ),
        ),
        {name: chunk(f"{name}.md", number=number) for number, name in enumerate(("one", "two", "three"))},
    ),
    1.0, 0.25, 1, 6,
)  # fmt: skip


def test_the_strips_stand_as_drawn() -> None:
    width = 26
    assert vary.strip(width) == 20
    assert [text_of(line).rstrip() for line in vary.rows(THREE, width)][:2] == [
        "   1 b╌╌╌╌a╌╌╌╌╌╌╌╌╌╌╌╌╌╌",
        "   2 a╌╌╌╌b╌╌╌╌╌╌╌╌╌c╌╌╌╌",
    ]
    assert text_of(vary.cliffs(THREE, width)).rstrip() == "          |         |"
    assert text_of(vary.marks(THREE, width)).rstrip() == "       | file  ▾ now"


def test_the_sentence_tells_the_difference_and_what_enter_sets() -> None:
    assert vary.sentence(THREE) == (
        "vector 0.50 to 1.50: the ranks stay as they are; n N go to the 2 change points"
    )
    assert vary.sentence(replace(THREE, probe=0)) == "vector 0.00 to 0.50: b, a swap; enter sets 0.45"
    assert (
        vary.sentence(replace(THREE, probe=2)) == "vector 1.50 to 2.00: c enters, b leaves; enter sets 1.55"
    )


def test_between_grid_points_the_shortest_decimal_is_set() -> None:
    narrow = replace(
        THREE,
        varied=replace(
            THREE.varied,
            sensitivity=replace(
                THREE.varied.sensitivity,
                stretches=(
                    Stretch(0.0, 1.0612, ("one",)), Stretch(1.0612, 1.0687, ("two",)), Stretch(1.0687, 2.0, ("one",)),
                ),
            ),
        ),
    )  # fmt: skip
    value = vary_chart.value_in(narrow, 1)
    assert value == 1.062


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.sampled_from([name for name in DIALS if name not in PACKS and name != "rrf_k"]))
def test_what_enter_sets_gives_the_ranks_of_its_stretch(world: World, name: str) -> None:
    found = varied(world.recall, Settings(retrieval=world.retrieval), name, CancelToken())
    present = getattr(world.retrieval, name)
    chart = vary_chart.Chart(found, present, present, 0, world.retrieval.top_k)
    for place, stretch in enumerate(chart.stretches):
        if place == chart.here:
            continue
        value = vary_chart.value_in(chart, place)
        turned = replace(world.retrieval, **{name: value})
        made = rank(as_asked(world.recall, turned), turned, Features())
        ids = [world.recall.chunks[row].chunk_id for row in made.order[made.kept].tolist()]
        assert tuple(ids[: len(stretch.ranks)]) == stretch.ranks


@pytest.mark.parametrize("name", DIALS)
@pytest.mark.parametrize("width", [24, 38, 79, 139])
def test_every_setting_is_drawn_in_rows_of_one_width(name: str, width: int) -> None:
    chart = chart_of(name, Retrieval(), replace(Retrieval(), vector_weight=0.3))
    tops = [make(chart, width) for make in (vary.scale, vary.marks, vary.cliffs)]
    lines = [*tops, *vary.rows(chart, width), vary.title(chart, name, width, True)]
    assert {measure(line) for line in lines} == {width}
    assert len(set(vary_chart.cells_of(chart, vary.strip(width)))) >= 1
    assert vary.sentence(chart)


def test_a_setting_that_packs_shows_what_the_context_holds() -> None:
    chart = chart_of("document_quota", Retrieval())
    assert chart.varied.held
    assert len(chart.stretches) > 1
    assert any(text_of(line).lstrip().startswith("[1]") for line in vary.rows(chart, 80))


@pytest.mark.parametrize("size", SIZES)
async def test_v_shows_it_at_every_size(size: tuple[int, int]) -> None:
    async with opened(size) as (app, pilot):
        await pilot.press("v")
        await settled(app, pilot)
        assert isinstance(app.screen, VaryPage)
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        assert "▾ now" in shown(app) or "now ▾" in shown(app)
        await pilot.press("G")
        assert "security.md" in shown(app)
        await pilot.press("q")
        assert not isinstance(app.screen, VaryPage)


async def test_the_dial_is_turned_and_chosen_there_and_a_cliff_is_gone_to() -> None:
    async with opened() as (app, pilot):
        await pilot.press("v")
        await settled(app, pilot)
        await pilot.press("l", "l")
        await settled(app, pilot)
        assert app.view.retrieval.vector_weight == 1.1
        assert "*1.10  file 1.00" in shown(app)
        await pilot.press("n")
        await settled(app, pilot)
        assert "enter sets" in screen_text(app)[-2]
        await pilot.press("enter")
        await settled(app, pilot)
        assert app.view.retrieval.vector_weight > 1.1
        await pilot.press("u")
        await settled(app, pilot)
        assert app.view.retrieval.vector_weight == 1.1
        await pilot.press("J")
        await settled(app, pilot)
        assert "▸VARY  graph" in shown(app)


async def test_a_channel_that_is_muted_is_asked_for_the_range() -> None:
    library = FakeLibrary()
    settings_ = replace(Settings(), retrieval=replace(Retrieval(), vector_weight=0.0))
    async with opened(library=library, settings=settings_) as (app, pilot):
        await pilot.press("v")
        await settled(app, pilot)
        assert len(library.asked) == 2
        assert isinstance(app.screen, VaryPage)
        assert app.screen.chart is not None
        assert len(app.screen.chart.stretches) > 1


async def test_hostile_names_stay_words() -> None:
    library = FakeLibrary(texts=((HOSTILE, HOSTILE, HOSTILE),))
    async with opened(library=library, question=HOSTILE) as (app, pilot):
        await pilot.press("v")
        await settled(app, pilot)
        for row in screen_text(app):
            assert row == one_line(row)


@pytest.mark.parametrize("weight", [step / 20 for step in range(41)])
def test_the_marks_of_now_and_of_the_file_never_overwrite_each_other(weight: float) -> None:
    file = replace(Retrieval(), vector_weight=1.0)
    chart = chart_of("vector_weight", replace(file, vector_weight=weight), file)
    for width in (40, 80, 140):
        drawn = text_of(vary.marks(chart, width))
        assert sorted(re.findall("[a-z]+", drawn)) in (["file", "now"], ["now"])
        assert drawn.count("▾") == 1
