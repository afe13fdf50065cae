"""What an edit would do to the library's own set is told before it is saved, and waits for nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue.what_if import Side
from engine.edits.actions import Change
from engine.evaluate.compare import Flip
from engine.evaluate.effect import Effect
from engine.settings import Retrieval
from tests.tui.documents.desk import opened, settle, shown
from tests.tui.fake import screen_text
from tui import cells
from tui.widgets import document_effect
from tui.widgets.document_effect import Tried
from tui.widgets.line import ATTENTION, measure, text_of

NAMES = document_effect.metrics(Retrieval())


def effect(**changed: object) -> Effect:
    figures: dict[str, object] = {
        "path": "retry.md",
        "change": Change((), ()),
        "now": Side((900, 400), whole=9),
        "then": Side((900, 380), whole=7, split=1, lost=1),
        "cases": 40,
        "metrics": {"recall@6": (0.85, 0.825), "mrr@10": (0.712, 0.712), "context_recall": (0.775, 0.8)},
        **changed,
    }
    return Effect(**figures)  # type: ignore[arg-type]


def told(tried: Tried, width: int = 100) -> str:
    return "\n".join(text_of(line) for line in document_effect.rows(tried, width))


def test_each_figure_stands_now_and_then_with_its_change() -> None:
    text = told(Tried(NAMES, effect()))
    assert "evaluation.toml, 40 cases" in text
    for row in (
        "whole              9       7      −2",
        "split              0       1      +1",
        "recall@6        .850    .825   −.025",
        "mrr@10          .712    .712       =",
        "context         .775    .800   +.025",
        "no case flips",
    ):
        assert row in text, row
    worse = [line for line in document_effect.rows(Tried(NAMES, effect()), 40) if "−" in text_of(line)]
    assert all(ATTENTION in dict(line).values() for line in worse)


def test_what_is_not_known_yet_takes_the_rows_that_it_will_have_and_is_muted() -> None:
    waiting = document_effect.rows(Tried(NAMES, waiting="trying"), 100)
    assert len(waiting) == len(document_effect.rows(Tried(NAMES, effect()), 100))
    assert {style for line in waiting[2:] for text, style in line if text.strip("– ")} <= {"muted"}


def test_no_set_and_what_is_wrong_with_one_are_said() -> None:
    assert "no evaluation.toml beside the documents" in told(Tried(NAMES))
    assert (
        told(Tried(NAMES, wrong="evaluation.toml is no set: mend it")) == "evaluation.toml is no set: mend it"
    )


LAYERS = st.sampled_from(["context", "split"])
FLIPS = st.builds(Flip, st.text(max_size=9), st.text(max_size=30), st.just("zh"), LAYERS, LAYERS)


@given(st.lists(FLIPS, max_size=6), st.integers(36, 200))
def test_cases_that_leave_the_context_are_named_first_and_every_row_fits(flips, width) -> None:
    rows = document_effect.rows(Tried(NAMES, effect(flips=tuple(flips))), width)
    assert all(measure(line) <= width for line in rows)
    lost = sum(not flip.gained for flip in flips)
    if flips:
        assert f"{lost} lost, {len(flips) - lost} gained" in "\n".join(map(text_of, rows))


@pytest.mark.parametrize("size", [(140, 45), (40, 15)], ids=str)
async def test_the_review_tells_evidence_metrics_and_flips_before_anything_is_saved(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, size) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("e")
        await pilot.pause()
        edit = app.page
        edit.area.put(edit.subject.base.replace("间隔依次为 1、5、25 分钟", "间隔不定"))
        await pilot.press("escape")
        await settle(app, pilot)
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        assert edit._foresight.tried.found is not None
        assert (edit._foresight.tried.found.now.whole, edit._foresight.tried.found.then.whole) == (2, 1)
        assert "evaluation.toml, 2 cases" in shown(app)
        assert "whole" in shown(app)
        if size[1] > 15:
            assert "1 lost, 0 gained" in shown(app)
            assert "q07 context > " in shown(app)
        assert await app.bridge.library.edits.history() == []
        await pilot.press("enter")
        await settle(app, pilot)
        assert app.page is page
        assert page.chunk.edited


async def test_leaving_the_review_stops_the_trial_and_no_set_is_said(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("e", "x", "escape")
        edit = app.page
        await pilot.pause()
        tokens = dict(edit._asking._tokens)
        await pilot.press("e")
        assert all(token.cancelled for token in tokens.values())
        assert not edit._asking.running("effect")
        (tmp_path / "samples" / "evaluation.toml").unlink()
        await pilot.press("y", "escape")
        await settle(app, pilot)
        assert "no evaluation.toml beside the documents" in shown(app)
        assert "+ xy# 重试" in shown(app)
        await pilot.press("q")
        await settle(app, pilot)


@pytest.mark.parametrize("size", [(140, 45), (40, 15)], ids=str)
async def test_a_split_and_a_merge_tell_it_before_they_are_made(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, size) as (app, pilot, page):
        page.shelf.to_path("retry.md")
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("i")
        await settle(app, pilot)
        assert "recall@6 " in shown(app)
        first = app.screen._foresight.tried.found
        assert first.then.chunks == first.now.chunks + 1
        await pilot.press("h", "h")
        assert "trying the edit on a copy" in shown(app)
        await settle(app, pilot, 0.5)
        assert "recall@6 " in shown(app)
        assert app.screen._foresight.tried.found is not first
        await pilot.press("escape", "m")
        await settle(app, pilot)
        assert "MERGE" in shown(app)
        merged = app.screen._foresight.tried.found
        assert merged.then.chunks == merged.now.chunks - 1
        assert {cells.width(row) for row in screen_text(app)} == {size[0]}
        if size[1] > 15:
            assert "evaluation.toml, 2 cases" in shown(app)
        await pilot.press("escape")
        assert await app.bridge.library.edits.history() == []


def test_in_a_row_each_figure_stands_as_it_would_be_with_its_change() -> None:
    told = text_of(document_effect.brief(Tried(NAMES, effect())))
    assert told == "recall@6 .825 −.025   mrr@10 .712 =   context .800 +.025   no case flips"
    assert text_of(document_effect.brief(Tried(NAMES))) == "no evaluation.toml"
    assert text_of(document_effect.brief(Tried(NAMES, waiting="trying"))) == "trying"
