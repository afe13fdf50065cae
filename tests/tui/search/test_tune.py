"""Tune shows every retrieval setting by stage, and the dial with its range."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.settings import Retrieval
from tui.widgets import tune
from tui.widgets.line import measure, text_of

FILE = Retrieval()
NOW = replace(FILE, vector_weight=1.4, rerank="local", context_max_characters=6_000)
TUNING = tune.Tuning(NOW, FILE, "vector_weight", frozenset({"graph"}))


def test_settings_stand_by_stage_as_drawn() -> None:
    assert text_of(tune.title(TUNING, 23, focused=False)) == " TUNE       * 3 differ "
    assert [text_of(line) for _, line in tune.rows(TUNING, 23, focused=False)] == [
        " recall                ",
        "  depth 4× = 24 of 200 ",
        " fuse                  ",
        "  method           rrf ",
        "  fulltext        1.00 ",
        "  cjk             1.00 ",
        "▹*vector          1.40 ",
        "  graph         – 0.80 ",
        "  rrf k             60 ",
        " rank                  ",
        " *rerank         local ",
        "  min rel.        0.00 ",
        "  min vec.        0.00 ",
        "  margin          0.00 ",
        "  all terms      false ",
        " pack                  ",
        "  top k              6 ",
        " *budget         6,000 ",
        "  neighbours         0 ",
        "  quota            off ",
        "  duplicates      0.90 ",
    ]


def test_every_retrieval_setting_is_there_once() -> None:
    assert sorted(tune.DIALS) == sorted(field.name for field in fields(Retrieval))


def test_the_foot_shows_the_range_and_where_a_rank_changes() -> None:
    told = ("below 1.11: 5, 6 swap", "above: no change")
    assert [text_of(line) for line in tune.foot(TUNING, told, 23)] == [
        " VECTOR      file 1.00 ",
        " 0 ╌╌╌╌╌╌╌╌╌╌╌|╌╌╌╌ 2  ",
        " below 1.11: 5, 6 swap ",
        " above: no change      ",
    ]


@pytest.mark.parametrize("dial", tune.DIALS)
@pytest.mark.parametrize("focused", [False, True])
def test_every_setting_fits_its_column_at_both_ends_of_its_range(dial: str, focused: bool) -> None:
    known = tune.DECLARED[dial]
    ends = known.choices or ((False, True) if known.kind == "boolean" else (known.minimum, known.maximum))
    for value in ends:
        value = int(value) if known.kind == "integer" and value is not None else value
        tuning = tune.Tuning(replace(FILE, **{dial: value}), FILE, dial)  # type: ignore[arg-type]
        lines = [line for _, line in tune.rows(tuning, 23, focused)] + list(tune.foot(tuning, (), 23))
        assert all(measure(line) == 23 for line in lines)
        assert "…" not in "".join(map(text_of, lines))
        assert measure(tune.title(tuning, 23, focused)) == 23


@given(st.integers(1, 20), st.integers(2, 10))
def test_depth_is_never_cut_off(top_k: int, multiplier: int) -> None:
    tuning = replace(TUNING, now=replace(NOW, top_k=top_k, candidate_multiplier=multiplier))
    row = dict(tune.rows(tuning, 23, focused=False))["candidate_multiplier"]
    assert "…" not in text_of(row)
    assert str(min(200, top_k * multiplier)) in text_of(row)


def test_the_row_for_small_screens_says_what_the_dial_is_and_what_else_differs() -> None:
    line = text_of(tune.turning(TUNING, tune.foreseen(("below 1.11: 5, 6 swap",)), 80))
    assert line.startswith("▹vector * 1.40  file 1.00   top k 6   rerank local*")
    assert line.rstrip().endswith("below 1.11: 5, 6 swap")
    assert text_of(tune.turning(TUNING, tune.foreseen(("below 1.11: 5, 6 swap",)), 40)).startswith(
        "▹vector * 1.40  file 1.00"
    )
