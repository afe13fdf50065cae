"""The rows of the Evaluate screen and of the block beside the settings: exact in their cells, at every width."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.evaluate.live_score import by_outcomes, differences, flipped, names
from engine.evaluate.run import Variant
from engine.settings import Retrieval
from tests.evaluate.test_live_score import A, B
from tests.tui.search.samples import HOSTILE, hostile_text
from tests.tui.search.test_layout import overlaps
from tui.evaluation import NO_EVALUATION, Evaluation
from tui.evaluation import names as names_shown
from tui.screens.evaluate_layout import PANES, Pane, arrange
from tui.widgets import evaluate_cases, evaluate_table, scoreboard
from tui.widgets.evaluate_cases import Row
from tui.widgets.line import MUTED, measure, text_of

ONE, OTHER = (by_outcomes(Variant(name, Retrieval()), each) for name, each in (("a", A), ("b", B)))
VALUE = Evaluation(
    now=OTHER, whole=OTHER, ranked=True, a=ONE, against="the file's settings", tested=True,
    differences=differences(ONE, OTHER, names(6)), flips=flipped(ONE, OTHER), baselines=(("fts5-and", ONE),),
)  # fmt: skip
LOST = Row("q07", "三次以后会怎样？", True, 2, 11, "context", "fusion", True, False, True, True, True)


def test_the_figures_that_are_shown_are_those_that_are_followed() -> None:
    assert all(names_shown(top_k) == names(top_k) for top_k in range(1, 21))


@given(st.integers(40, 240), st.integers(8, 80), st.sampled_from(PANES), st.sampled_from([None, *PANES]))
def test_parts_stay_inside_the_body_and_never_overlap(
    width: int, height: int, active: Pane, zoomed: Pane | None
) -> None:
    arrangement = arrange(width, height, active=active, zoomed=zoomed)
    assert overlaps(arrangement) == []  # type: ignore[arg-type]
    assert arrangement.shows(zoomed or active)
    for place in arrangement.places.values():
        assert min(place.x, place.y) >= 0
        assert min(place.width, place.height) > 0
        assert place.x + place.width <= width


@given(st.integers(16, 240), st.integers(0, 4), st.booleans())
def test_tables_fill_their_width(width: int, cursor: int, focused: bool) -> None:
    for value in (VALUE, NO_EVALUATION):
        rows = evaluate_table.lines(value, 6, width, cursor=cursor, focused=focused)
        rows += [evaluate_table.state(value, width), evaluate_table.title(value, width, focused)]
        assert {measure(row) for row in rows} == {width}


@given(hostile_text, hostile_text, st.integers(30, 200), st.sampled_from(["", "top k ≥ 8", HOSTILE]))
def test_a_case_fills_its_row_whatever_it_says(case_id: str, query: str, width: int, change: str) -> None:
    row = Row(case_id, query, True, None, 3, "fusion", "context", True, True, True, True, True)
    columns = evaluate_cases.choose(evaluate_cases.ID, width)
    line = evaluate_cases.line(row, columns, width, mark="▸", focused=True)
    assert measure(line) == width
    assert not {"\x1b", "\x9b", "\u202e", "\n"} & set(text_of(line))


def test_the_table_stands_as_drawn() -> None:
    head, recall, *_ = evaluate_table.lines(VALUE, 6, 116, cursor=1, focused=False)
    assert text_of(head).startswith(
        "                   terms+h.  fts and   tf-idf full text       A    now change  95 % interval     p  verdict"
    )
    assert text_of(recall)[:27] == "  recall@6                –"
    assert len(text_of(recall)[:77].rstrip()) == 77


def test_a_lost_case_says_where_and_what_would_bring_it_in() -> None:
    columns = evaluate_cases.choose(4, 116)
    line = text_of(evaluate_cases.line(LOST, columns, 116, mark="▸", focused=True, change="top k ≥ 12"))
    assert line.startswith(" ▸q07   三次以后会怎样？")
    assert "    2    11    ▾9   in > out   fusion: top k ≥ 12" in line
    assert evaluate_cases.sentence(LOST, "top k ≥ 12") == (
        "q07: lost at fusion (11th) now; in A it was in the context (2nd) · top k ≥ 12"
    )


def test_what_moved_a_case_is_told_by_its_largest_parts() -> None:
    parts = (("vector", 0.1214), ("cjk", -0.034), ("same_document", 0.01), ("path", 0.005), ("clamp", 0.0))
    assert evaluate_cases.moved_by(parts) == "vector +.121, cjk −.034, same document +.010"
    assert evaluate_cases.sentence(LOST, "top k ≥ 12", "cjk −.034").endswith(
        "in the context (2nd) · moved by cjk −.034 · top k ≥ 12"
    )


def test_a_case_of_several_claims_says_how_many_are_in() -> None:
    row = replace(LOST, flipped=False, before="fusion", part="1/2", now=3)
    line = text_of(evaluate_cases.line(row, evaluate_cases.choose(4, 116), 116, mark=" ", focused=False))
    assert "   1/2  " in line
    assert evaluate_cases.sentence(row) == "q07: 1 of 2 claims in, the others lost at fusion (3rd), as in A"


def test_the_block_has_six_rows_or_three_and_mutes_what_is_not_true_yet() -> None:
    rows = [text_of(row) for row in scoreboard.block(VALUE, 6, 23, 6)]
    assert rows[1] == "            now   vs A "
    assert [row[:10] for row in rows[2:5]] == [" recall@6 ", " mrr@10   ", " context  "]
    assert rows[5].startswith(" 2 gained, 1 lost")
    assert len(scoreboard.block(VALUE, 6, 23, 3)) == 3
    behind = Evaluation(now=OTHER, whole=ONE, ranked=True, a=ONE)
    context = scoreboard.block(behind, 6, 23, 6)[4]
    assert {style for text, style in context if text.strip() and "context" not in text} == {MUTED}
    assert text_of(scoreboard.brief(VALUE, 6)).startswith("recall@6 ")
