"""On real questions the layer is what running each stage again names, and every change shown brings its target in.

A few questions in every run; all of them under stress.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.settings import Embedding, Retrieval, Settings
from tests.explain.verdicts import Tally, indexed, judge, of_pages, of_samples

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SETTINGS = Settings(embedding=Embedding(provider="hash"), scopes=(("internal/**", ("ops",)),))
PAGES = ("docs-en/**", "docs-zh/**")


async def judged_samples(data: Path, every: int, retrieval: Retrieval | None = None) -> Tally:
    async with await indexed(SAMPLES, data, SETTINGS) as library:
        return await judge(library, of_samples(SAMPLES)[::every], retrieval or Retrieval())


async def judged_pages(shared: Path, data: Path, every: int) -> Tally:
    async with await indexed(shared / "data", data, SETTINGS, PAGES) as library:
        return await judge(library, of_pages(shared / "data")[::every], Retrieval())


async def test_some_verdicts_on_the_samples_are_right_and_their_changes_work(tmp_path: Path) -> None:
    tally = await judged_samples(tmp_path, 24)
    assert tally.wrong == []
    assert tally.layers["context"] > 0
    assert sum(tally.changed.values()) > 0


async def test_and_under_settings_that_lose_targets_elsewhere(tmp_path: Path) -> None:
    narrow = Retrieval(
        rerank="local", minimum_relevance=0.35, document_quota=1, context_max_characters=2_500, top_k=4
    )
    tally = await judged_samples(tmp_path, 43, narrow)
    assert tally.wrong == []


@pytest.mark.stress
async def test_every_verdict_on_the_samples_is_right_and_its_changes_work(tmp_path: Path) -> None:
    assert (await judged_samples(tmp_path, 1)).wrong == []


@pytest.mark.stress
async def test_every_verdict_on_the_pages_is_right_and_its_changes_work(shared: Path, tmp_path: Path) -> None:
    assert (await judged_pages(shared, tmp_path, 1)).wrong == []
