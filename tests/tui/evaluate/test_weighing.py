"""A change that would bring a passage in is shown with what it would do to the evaluation set."""

from __future__ import annotations

from pathlib import Path

from engine.cancel import CancelToken
from engine.evaluate.live_score import by_outcomes, change
from engine.evaluate.variants import in_force
from engine.explain.verdict import TextTarget
from tests.tui.documents.desk import settle, shown
from tests.tui.evaluate.test_screen import lose, opened
from tests.tui.evaluate.waiting import until
from tui.evaluating import with_values_of
from tui.screens.why_not import WhyNotPage
from tui.widgets.scoreboard import signed


async def test_each_smallest_change_says_what_it_does_to_the_set(tmp_path: Path) -> None:
    async with opened(tmp_path) as (app, pilot, _):
        await lose(app, pilot)
        page = WhyNotPage(TextTarget("第 30 条："))
        app.push_screen(page)
        await settle(app, pilot)
        await until(pilot, lambda: page._effects)
        assert page.verdict is not None
        changes = page.verdict.changes
        assert len(page._effects) == len(changes) > 0
        value = app.view.evaluation
        live = value.loaded.live  # type: ignore[union-attr]
        assert live is not None
        assert value.whole is not None
        for told, one in zip(page._effects, changes, strict=True):
            variant = in_force(with_values_of(app.view.settings, one.settings))
            then = by_outcomes(variant, list(live.outcomes(variant, cancel=CancelToken())))
            wanted = [signed(change(value.whole, then, name)) for name in ("recall@1", "context_recall")]
            assert told == f"recall@1 {wanted[0]}   context {wanted[1]}"
            assert told in shown(app)
