"""A sweep from the Evaluate screen: chosen by keys, shown as a map to walk in, and set from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluate.sweep import Axis, Swept
from engine.evaluate.sweep.outcome import best_of, cell
from engine.settings import Settings, check_settings, with_values
from engine.settings.fields import BY_KEY
from tests.tui.documents.desk import settle, shown
from tests.tui.evaluate.test_screen import opened
from tests.tui.evaluate.waiting import until
from tui.screens.sweep import CUTS, AxesPanel, SweepPage
from tui.widgets import sweep_map
from tui.widgets.line import measure, text_of
from tui.widgets.tune import DIALS

WEIGHT, METHOD = BY_KEY["retrieval.vector_weight"], BY_KEY["retrieval.fusion"]


def swept(*axes: Axis) -> Swept:
    """A sweep whose figure is the sum of the places of its values, over four cases that take turns to choose."""
    points = [(one,) for one in axes[0].values]
    if len(axes) > 1:
        points = [(*point, other) for point in points for other in axes[1].values]
    places = {point: sum(a.values.index(v) for a, v in zip(axes, point, strict=True)) for point in points}
    cells = [
        cell(point, [{"mrr@10": places[point] / 20}] * 4, "mrr@10", [True, False] * 2, (0, 0.0))
        for point in points
    ]
    best = best_of(cells)
    return Swept("own", "mrr@10", "grid", axes, tuple(cells), cells[0], best, None, (2, 2))


@pytest.mark.parametrize("name", [f"retrieval.{name}" for name in DIALS] + list(CUTS))
def test_the_values_of_an_axis_are_allowed_and_hold_the_present_one(name: str) -> None:
    field = BY_KEY[name]
    found = sweep_map.values(field, field.default)
    assert field.default in found
    assert len(set(found)) == len(found) <= 12
    for value in found:
        if value or not name.endswith("_weight"):
            check_settings(with_values(Settings(), [(field, value)]))


@given(st.integers(24, 200), st.booleans())
def test_a_map_fills_its_rows_and_shows_the_cursor(width: int, double: bool) -> None:
    axes = (Axis(WEIGHT, (0.0, 0.5, 1.0, 2.0)), Axis(METHOD, METHOD.choices))
    laid = sweep_map.lay_out(swept(*(axes if double else axes[:1])))
    rows = [sweep_map.title(laid.swept, width, True), sweep_map.heads(laid, width, 0)]
    rows += [sweep_map.row(laid, place, width, 0, laid.best, True) for place in range(4)]
    rows += sweep_map.verdict(laid.swept, width)
    assert {measure(row) for row in rows} == {width}
    assert laid.best == (3, 2 if double else 0)


def test_the_best_and_the_present_cell_are_marked_and_shaded() -> None:
    laid = sweep_map.lay_out(swept(Axis(WEIGHT, (0.0, 0.5, 1.0, 2.0)), Axis(METHOD, METHOD.choices)))
    rows = [text_of(sweep_map.row(laid, place, 60, 0, laid.best, True)) for place in range(4)]
    assert "· .000" in rows[0]
    assert "*█.250" in rows[3]
    assert rows[3].startswith("▸ 2.00")
    assert sweep_map.sentence(laid, (0, 1)).startswith("vector 0.00, method minmax: mrr@10 .050")


async def test_v_sweeps_the_dial_with_another_setting_and_enter_sets_a_cell(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        await pilot.press("v")
        panel = app.screen
        assert isinstance(panel, AxesPanel)
        wanted = [tuple(field.name for field in axes) for axes in panel.offers]
        panel.list.move_to(wanted.index(("vector_weight", "fusion")))
        await pilot.press("enter")
        await settle(app, pilot)
        page = app.page
        assert isinstance(page, SweepPage)
        await until(pilot, lambda: page.map.laid is not None)
        text = shown(app)
        assert "SWEEP  recall@6 by vector × method" in text
        assert "recall@6: " in text
        assert page.map.laid is not None
        await pilot.press("g", "h", "h", "h", "enter")
        first = page.map.laid.down[0]
        assert app.view.retrieval.vector_weight == first
        assert app.view.retrieval.fusion == METHOD.choices[0]
        for size in ((80, 24), (40, 15)):
            await pilot.resize_terminal(*size)
            await settle(app, pilot)
            assert "▸SWEEP" in shown(app)
        await pilot.press("u", "escape")
        assert app.view.retrieval.vector_weight == 1.0
        assert app.page is not page


async def test_a_sweep_is_stopped_by_leaving_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        await pilot.press("v", "enter")
        sweeping = app.page
        assert isinstance(sweeping, SweepPage)
        await pilot.press("escape")
        assert app.page is page
        await until(pilot, lambda: not app.bridge._examined)
