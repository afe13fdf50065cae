"""The bill of the rerank: every shown part adds up to what is shown as the sum, at every width."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import Contribution, Result
from engine.rank import rerank
from engine.settings import Retrieval, Settings
from engine.trace import Trace, settle
from tests.tui.search.samples import SECOND, recall
from tests.tui.search.test_screen import opened, shown
from tui.widgets import bill, figures
from tui.widgets.line import measure, text_of

BILLED = replace(
    SECOND,
    features=(
        Contribution("fused", 0.92, 0.277, 2),
        Contribution("coverage", 0.70, 0.175, 3),
        Contribution("phrase", 0.52, 0.052, 2),
        Contribution("heading", 0.50, 0.050, 2),
        Contribution("path", 0.0, 0.0, 2),
        Contribution("similarity", 0.61, 0.092, 2),
        Contribution("numbers", 1.0, 0.050, 4),
        Contribution("same_document", 1.0, -0.050, 2),
    ),
)
RANKS = [[1, 2, 3, 0], [2, 1, 0, 0], [3, 0, 1, 0]]


def traced(**settings: object) -> Trace:
    return settle(recall(RANKS), replace(Retrieval(), **settings))  # type: ignore[arg-type]


def table(result: Result, trace: Trace, width: int = 37) -> list[str]:
    return [text_of(line).rstrip() for line in bill.rows(result, trace, width)]


def test_the_bill_stands_as_drawn() -> None:
    assert table(BILLED, traced(rerank="local")) == [
        "",
        "  feature      value   part  without",
        "  fused          .92   .277   rank 2",
        "  coverage       .70   .175   rank 3",
        "  phrase         .52   .052   rank 2",
        "  heading        .50   .050   rank 2",
        "  path           .00   .000   rank 2",
        "  similarity     .61   .092   rank 2",
        "  numbers       1.00   .050   rank 4",
        "  same doc.        1  −.050   rank 2",
        "  relevance            .646",
    ]


def test_without_a_rerank_one_line_says_what_the_relevance_is() -> None:
    trace = traced(rerank="off")
    result = trace.ranking.result(0)
    _, told = table(result, trace)
    left, right = told.strip().removeprefix("rerank off: ").split(" = ")
    fused, most = (float(part) for part in right.split(" / "))
    assert float(left) == pytest.approx(fused / most, abs=0.005)


def test_what_lies_beyond_the_weighed_is_marked() -> None:
    trace = settle(
        recall([[rank, 0, 0, 0] for rank in range(1, 150)]),
        Retrieval(rerank="local", top_k=20, candidate_multiplier=10),
    )
    assert table(trace.ranking.result(120), trace)[-1] == "  beyond the first 100: not weighed"
    assert "not weighed" not in "".join(table(trace.ranking.result(5), trace))


def test_the_pool_is_the_engines() -> None:
    assert bill.POOL == rerank.POOL


def test_a_models_score_and_a_missing_one_are_lines_too() -> None:
    scored = replace(SECOND, features=(Contribution("learned", -1.5, 0.646, 4),))
    assert table(scored, traced(rerank="local"))[2] == "  model        −1.50   .646   rank 4"
    missing = replace(SECOND, relevance=0.0, features=(Contribution("unscored", 0.0, 0.0, 4),))
    assert table(missing, traced(rerank="local"))[2] == "  no score         –   .000   rank 4"


@given(st.lists(st.floats(-0.2, 1.0), min_size=1, max_size=10), st.sampled_from([3, 4]))
def test_shown_parts_add_up_to_the_shown_sum(parts: list[float], decimals: int) -> None:
    total = sum(parts)
    shown = figures.adding(parts, total, decimals)
    unit = 10**decimals
    assert sum(round(part * unit) for part in shown) == math.floor(total * unit + 0.5)
    for given_part, part in zip(parts, shown, strict=True):
        assert abs(given_part - part) < 1 / unit + 1e-9
        assert given_part != 0 or part == 0


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=6),
    st.integers(24, 160),
)
def test_no_row_is_wider_than_the_pane(ranks: list[list[int]], width: int) -> None:
    trace = settle(recall([[*(rank or 1 for rank in row), 0] for row in ranks]), Retrieval(rerank="local"))
    for position in range(len(trace.ranking)):
        lines = bill.rows(trace.ranking.result(position), trace, width)
        assert {measure(line) for line in lines} == {width}
        assert len(lines) - 1 <= bill.LINES


def test_the_sentence_tells_what_moved_it() -> None:
    assert bill.sentence(BILLED) == (
        "the rerank raised it from 4th to 2nd: fused +.277, coverage +.175, similarity +.092"
    )
    assert bill.sentence(SECOND) == ""


@pytest.mark.parametrize("size", [(140, 45), (120, 40), (80, 24), (40, 15)])
async def test_w_shows_the_whole_bill_or_scrolls_it(size: tuple[int, int]) -> None:
    settings = Settings()
    settings = replace(settings, retrieval=replace(settings.retrieval, rerank="local"))
    async with opened(size, settings=settings) as (app, pilot):
        await pilot.press("w")
        await pilot.pause()
        assert "WHY" in shown(app)
        assert "channel" in shown(app)
        await pilot.press("end")
        await pilot.pause()
        assert "relevance" in shown(app)


async def test_turning_the_rerank_on_makes_room_for_the_bill() -> None:
    async with opened() as (app, pilot):
        assert "rerank off: " in shown(app)
        app.make_dial("rerank")
        await pilot.press("plus")
        await app.workers.wait_for_complete()
        await pilot.pause(0.2)
        assert "feature      value   part  without" in shown(app)
        assert "relevance" in shown(app)
        assert "PASSAGE" in shown(app)
