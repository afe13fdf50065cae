"""Panes tile the screen at every size, and rows and columns go in one order as it shrinks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.screens.search_layout import PANES, Arrangement, Pane, arrange, tabs_of


def overlaps(arrangement: Arrangement) -> list[tuple[str, str]]:
    parts = list(arrangement.places.items())
    return [
        (one, other)
        for at, (one, a) in enumerate(parts)
        for other, b in parts[at + 1 :]
        if a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height
    ]


@given(st.integers(40, 240), st.integers(11, 80), st.sampled_from(PANES), st.sampled_from([None, *PANES]))
def test_parts_stay_inside_the_body_and_never_overlap(
    width: int, height: int, active: Pane, zoomed: Pane | None
) -> None:
    arrangement = arrange(width, height, active=active, zoomed=zoomed)
    assert overlaps(arrangement) == []
    for place in arrangement.places.values():
        assert min(place.x, place.y) >= 0
        assert min(place.width, place.height) > 0
        assert place.x + place.width <= width
        assert place.y + place.height <= height


@given(st.integers(40, 240), st.integers(11, 80), st.sampled_from(PANES))
def test_query_and_the_active_pane_are_always_there(width: int, height: int, active: Pane) -> None:
    arrangement = arrange(width, height, active=active)
    assert arrangement.shows("query")
    assert arrangement.shows("channels") or arrangement.shows("summary")
    assert arrangement.shows(active)
    assert arrangement.shows("tune") or arrangement.shows("turning")


def test_the_wide_form_stands_as_drawn() -> None:
    places = arrange(140, 41).places
    assert places["results"] == (24, 4, 78, 21)
    assert places["context"] == (24, 26, 78, 15)
    assert (places["rule-left"].x, places["rule-right"].x) == (23, 102)
    assert places["why"] == (103, 4, 37, 9)
    assert places["passage"] == (103, 14, 37, 27)


def test_a_bill_gets_its_rows_as_far_as_the_passage_can_still_be_read() -> None:
    assert arrange(140, 41, why=20).places["why"].height == 20
    low = arrange(140, 28, why=20).places
    assert (low["why"].height, low["passage"].height) == (15, 8)


def test_eighty_by_twenty_four_stands_as_drawn() -> None:
    places = arrange(80, 21).places
    assert places["results"] == (0, 4, 80, 12)
    assert places["brief"] == (0, 17, 80, 4)


def test_forty_by_fifteen_still_shows_results_and_brief() -> None:
    places = arrange(40, 12).places
    assert places["results"].height == 6
    assert places["brief"].height == 2


@pytest.mark.parametrize("active", PANES)
def test_tabs_show_one_pane_at_a_time(active: Pane) -> None:
    arrangement = arrange(80, 21, active=active)
    assert [pane for pane in PANES if arrangement.shows(pane)] == [active]
    assert set(tabs_of("normal")) == set(PANES)


def test_rows_go_blank_first_then_the_pipeline() -> None:
    assert [arrange(140, height).places["results"].y for height in (30, 24)] == [4, 4]
    assert arrange(120, 22).shows("pipeline")
    assert not arrange(120, 18).shows("pipeline")
