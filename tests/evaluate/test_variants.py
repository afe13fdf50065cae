"""What is set beside the settings in force, and what cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import SettingsError, UsageError
from engine.evaluate.baselines import BASELINES
from engine.evaluate.variants import baselines, channels_alone, in_force, variant
from engine.settings import Retrieval, Settings

SETTINGS = Settings(retrieval=Retrieval(top_k=4))


def test_assignments_change_what_they_name_and_nothing_else():
    found = variant(SETTINGS, "fusion=minmax, rrf_k = 10,features.fused=0.5")
    assert found.retrieval == replace(SETTINGS.retrieval, fusion="minmax", rrf_k=10)
    assert found.features.fused == 0.5
    assert found.name == "fusion=minmax, rrf_k = 10,features.fused=0.5"


def test_a_file_changes_what_it_sets(tmp_path: Path):
    (tmp_path / "strict.toml").write_text("[retrieval]\nminimum_relevance = 0.5\n")
    found = variant(SETTINGS, str(tmp_path / "strict.toml"))
    assert (found.name, found.retrieval) == ("strict", Retrieval(top_k=4, minimum_relevance=0.5))


def test_a_file_may_say_of_the_index_what_is_so_already(tmp_path: Path):
    (tmp_path / "a.toml").write_text('[chunking]\nmode = "structure"\n[interface]\ntheme = "light"\n')
    assert variant(SETTINGS, str(tmp_path / "a.toml")).retrieval == SETTINGS.retrieval


@pytest.mark.parametrize("given", ["mode=fixed", "target_characters=800", "provider=hash"])
def test_what_needs_another_index_is_refused(given: str):
    with pytest.raises(UsageError, match="share one index"):
        variant(SETTINGS, given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("fusoin=minmax", "did you mean fusion"),
        ("top_k=99", "1 to 20"),
        ("fusion=minmax,rrf_k", "has no value"),
        ("nowhere.toml", "no settings file"),
    ],
)
def test_what_is_wrong_is_said(given: str, said: str):
    with pytest.raises(SettingsError, match=said):
        variant(SETTINGS, given)


def test_each_channel_alone_and_each_baseline_is_a_variant():
    alone = channels_alone(SETTINGS)
    assert [each.name for each in alone] == ["fulltext alone", "cjk alone", "vector alone"]
    assert all(
        sum(each.retrieval.weight(name) for name in ("fulltext", "cjk", "vector", "graph")) == 1
        for each in alone
    )
    assert [each.baseline for each in baselines(SETTINGS)] == list(BASELINES)
    assert in_force(SETTINGS).retrieval == SETTINGS.retrieval
