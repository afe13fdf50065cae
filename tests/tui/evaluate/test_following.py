"""The set of the folder is asked once, and then follows every turned setting, whatever screen is open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.evaluate.live_score import by_outcomes
from engine.evaluate.run import outcomes_on
from engine.evaluate.variants import in_force
from engine.settings import Settings
from tests.tui.documents.desk import SET, opened, shown, write_documents
from tests.tui.evaluate.waiting import scored, until
from tui.app import RankscopeApp
from tui.evaluation import names
from tui.screens.search import SearchScreen

BAD = """
[[cases]]
id = "q99"
query = "不存在"
evidence = [{ file = "retry.md", text = "这句话从来没有写过" }]
"""


def run_of(app: RankscopeApp, settings: Settings) -> dict[str, float | None]:
    """The peer: the figures of a whole run at these settings."""
    loaded = app.view.evaluation.loaded
    assert loaded is not None
    assert loaded.live is not None
    asking = loaded.live.asking
    variant = in_force(settings)
    plan = type(asking.plan)(asking.plan.cases, (variant,), asking.plan.metrics)
    steps = outcomes_on(asking.library, asking.library.serving(), plan, cancel=CancelToken())
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            score = by_outcomes(variant, ended.value[0])
            return {name: score.mean(name) for name in names(settings.retrieval.top_k)}


def figures_of(app: RankscopeApp) -> dict[str, float | None]:
    value = app.view.evaluation
    return {name: value.value(name)[0] for name in names(app.view.retrieval.top_k)}


async def test_ranks_are_there_in_the_frame_of_the_key_and_contexts_once_they_are_true(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, press="") as (app, pilot, _):
        await scored(app, pilot)
        assert "EVALUATION    2 cases" in shown(app)
        assert app.view.evaluation.true
        assert figures_of(app) == run_of(app, app.view.settings)
        before = app.view.evaluation.whole
        app.apply({"vector_weight": 0.3, "top_k": 1, "context_max_characters": 2_000})
        app._settle()
        value = app.view.evaluation
        assert value.ranked
        assert not value.true
        assert value.whole is before
        expected = run_of(app, app.view.settings)
        ranked = names(1)[:-1]
        assert {name: value.value(name) for name in ranked} == {
            name: (expected[name], True) for name in ranked
        }
        await scored(app, pilot)
        assert app.view.evaluation.true
        assert figures_of(app) == expected


async def test_a_pin_is_what_figures_stand_against(tmp_path: Path) -> None:
    async with opened(tmp_path, press="") as (app, pilot, _):
        await scored(app, pilot)
        app.apply({"top_k": 1})
        await pilot.press("p")
        await until(pilot, lambda: app.view.evaluation.a is app.view.evaluation.whole)
        assert app.view.evaluation.against == "A, the pinned settings"
        app.apply({"top_k": 6})
        await scored(app, pilot)
        value = app.view.evaluation
        assert value.a is not None
        assert value.a.variant.retrieval.top_k == 1
        assert value.tested
        assert set(value.differences) == set(names(6))
        assert value.change("recall@6") == value.differences["recall@6"].test.difference


async def test_a_rerank_is_followed_behind_the_key(tmp_path: Path) -> None:
    async with opened(tmp_path, press="") as (app, pilot, _):
        await scored(app, pilot)
        app.apply({"rerank": "local"})
        app._settle()
        assert not app.view.evaluation.ranked
        await scored(app, pilot)
        assert app.view.evaluation.true
        assert figures_of(app) == run_of(app, app.view.settings)
        app.apply({"rerank": "off"})
        app._settle()
        assert app.view.evaluation.true  # it was settled before


async def test_a_changed_index_is_asked_anew(tmp_path: Path) -> None:
    async with opened(tmp_path, press="") as (app, pilot, _):
        await scored(app, pilot)
        first = app.view.evaluation.loaded
        (tmp_path / "samples" / "more.md").write_text("# 更多\n\n死信队列的又一页。\n", encoding="utf-8")
        app.action_library_sync()
        await until(pilot, lambda: app.view.evaluation.loaded not in (None, first))
        await scored(app, pilot)
        assert figures_of(app) == run_of(app, app.view.settings)


async def test_what_was_asked_of_another_index_is_dropped(tmp_path: Path) -> None:
    async with opened(tmp_path, press="") as (app, pilot, _):
        await scored(app, pilot)
        following, loaded = app.evaluating, app.view.evaluation.loaded
        assert loaded is not None
        late = [CancelToken() for _ in range(2)]
        for purpose, token in zip(("settle", "baselines"), late, strict=True):
            following._asking.begin(purpose, lambda token=token: token)  # type: ignore[misc]
        following._asking.begin("load", CancelToken)
        following.ended(following._asking._tokens["load"], loaded)
        assert all(token.cancelled for token in late)
        assert not any(following.owns(token) for token in late)
        await scored(app, pilot)
        assert figures_of(app) == run_of(app, app.view.settings)


async def test_figures_are_muted_while_the_index_is_another_than_was_asked(tmp_path: Path) -> None:
    async with opened(tmp_path, press="") as (app, pilot, _):
        await scored(app, pilot)
        assert app.view.evaluation.true
        status = app.view.status
        assert status is not None
        changing = replace(status, state=replace(status.state, corpus_version="f" * 64))
        app.bridge._tasks += 1
        app.show(replace(app.view, status=changing))
        assert not app.view.evaluation.ranked
        app.bridge._tasks -= 1
        app.show(replace(app.view, status=status))
        await scored(app, pilot)
        assert app.view.evaluation.true


async def test_a_set_that_does_not_fit_is_listed_and_not_asked(tmp_path: Path) -> None:
    write_documents(tmp_path / "samples")
    (tmp_path / "samples" / "evaluation.toml").write_text(SET + BAD, encoding="utf-8")
    async with opened(tmp_path, press="") as (app, pilot, _):
        await until(pilot, lambda: "1 case does not fit" in shown(app))
        app.evaluating.without_invalid()
        await scored(app, pilot)
        assert app.view.evaluation.cases == 2


async def test_without_a_set_the_way_to_the_first_case_is_told(tmp_path: Path) -> None:
    write_documents(tmp_path / "samples")
    (tmp_path / "samples" / "evaluation.toml").unlink()
    async with opened(tmp_path, press="") as (app, _, page):
        assert isinstance(page, SearchScreen)
        assert "no set: c makes the" in shown(app)
        assert app.view.evaluation.wrong == ""
