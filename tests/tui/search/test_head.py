"""The rows above the panes: every channel with its count and time, every cut-off of the pipeline."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Degradation
from tests.tui.search.samples import CHANNEL_RECALLS
from tui.widgets import head
from tui.widgets.line import measure, text_of

DEGRADED = (Degradation("graph", "graph_off", "the graph was never built", "build it"),)
COUNTS = head.Pipeline(200, 200, ("vector",), 231, 231, 6, 4, 2)


def test_channels_stand_as_drawn() -> None:
    assert text_of(head.channels(CHANNEL_RECALLS, DEGRADED, 140)).rstrip() == (
        " channels   fulltext 48, 3 ms    cjk 60, 2 ms    vector 200 of 299, 8 ms, 12 waiting    graph – not built"
    )


def test_the_pipeline_stands_as_drawn() -> None:
    assert text_of(head.pipeline(COUNTS, 140)).rstrip() == (
        " pipeline   depth 200 cuts vector  ›  found 231  ›  gate keeps 231  ›  top k 6  ›  packed 4, left out 2"
    )


def test_a_view_that_is_less_than_the_depth_says_of_how_many() -> None:
    told = text_of(head.pipeline(replace(COUNTS, view=24, unanswerable=True), 140))
    assert "depth 24 of 200 cuts vector" in told
    assert "gate keeps 231, unanswerable" in told


def test_eighty_columns_sum_both_up_in_one_row() -> None:
    assert text_of(head.summary(CHANNEL_RECALLS, True, COUNTS, 80)).rstrip() == (
        " ! text 48  cjk 60  vector 200 of 299, 12 waiting  graph –  found 231, packed 4"
    )
    assert (
        text_of(head.summary(CHANNEL_RECALLS, False, COUNTS, 40)).rstrip()
        == "   text 48 cjk 60 vec 200 graph –"
    )


def test_a_muted_channel_and_one_that_failed_do_not_read_alike() -> None:
    muted = replace(CHANNEL_RECALLS[2], requested=False, used=False)
    failed = replace(CHANNEL_RECALLS[2], used=False)
    why = (Degradation("vector", "query_embedding_failed", "the endpoint is silent", "r again"),)
    assert "vector – not asked" in text_of(head.channels((muted,), (), 80))
    assert "vector – query not embedded" in text_of(head.channels((failed,), why, 80))


@given(st.integers(20, 200), st.text("x ", max_size=30))
def test_no_row_is_wider_than_the_screen(width: int, note: str) -> None:
    assert measure(head.channels(CHANNEL_RECALLS, DEGRADED, width, note=note)) == width
    assert measure(head.pipeline(COUNTS, width)) == width
    assert measure(head.summary(CHANNEL_RECALLS, True, COUNTS, width, note=note)) == width


@pytest.mark.parametrize(
    ("scopes", "elapsed", "width", "waiting", "expected"),
    [
        ((), 9.0, 140, "", "scope public   9 ms"),
        (("ops",), 9.0, 140, "", "scope public, ops   9 ms"),
        (("*",), None, 140, "asking", "scope all   asking"),
        ((), 9.0, 40, "", "9 ms"),
        (("ops",), 9.0, 40, "", "scope public, ops   9 ms"),
    ],
)
def test_the_end_of_the_query_says_whose_documents_and_how_long(
    scopes: tuple[str, ...], elapsed: float | None, width: int, waiting: str, expected: str
) -> None:
    assert text_of(head.query_end(scopes, elapsed, width, waiting=waiting)) == expected
