"""What may be varied, and how it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError, UsageError
from engine.evaluate.sweep.axes import axis_of, distance, points_of, present, settings_at
from engine.settings import Settings


@pytest.mark.parametrize(
    ("given", "key", "values"),
    [
        ("vector_weight=0,0.5,1", "retrieval.vector_weight", (0.0, 0.5, 1.0)),
        ("top_k=4..8:2", "retrieval.top_k", (4, 6, 8)),
        ("vector_weight=0.1..0.3:0.1", "retrieval.vector_weight", (0.1, 0.2, 0.3)),
        ("top_k=6..8", "retrieval.top_k", (6, 7, 8)),
        ("fusion=rrf,minmax,rrf", "retrieval.fusion", ("rrf", "minmax")),
        ("chunking.mode=fixed,structure", "chunking.mode", ("fixed", "structure")),
        ("rerank = off, local", "retrieval.rerank", ("off", "local")),
    ],
)
def test_lists_and_ranges(given: str, key: str, values: tuple[object, ...]) -> None:
    axis = axis_of(given)
    assert (axis.field.key, axis.values) == (key, values)


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ("vector_weight", SettingsError, "has no values"),
        ("vector_wieght=1", SettingsError, "vector_weight"),
        ("vector_weight=3", SettingsError, "0 to 2"),
        ("vector_weight=1..0", SettingsError, "is no range"),
        ("top_k=a..b", SettingsError, "is no range"),
        ("vector_weight=0..2:0.0001", UsageError, "values"),
        ("embedding.base_url=http://x", UsageError, "cannot be varied"),
        ("journal=queries", UsageError, "cannot be varied"),
    ],
)
def test_what_is_none_is_one_sentence(given: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        axis_of(given)


def test_every_combination_once_and_in_order() -> None:
    axes = [axis_of("top_k=4,6"), axis_of("fusion=rrf,minmax")]
    assert points_of(axes) == [(4, "rrf"), (4, "minmax"), (6, "rrf"), (6, "minmax")]
    with pytest.raises(UsageError, match="varied twice"):
        points_of([axes[0], axes[0]])
    with pytest.raises(UsageError, match="combinations"):
        points_of([axis_of(f"{name}_weight=0..2:0.05") for name in ("fulltext", "cjk", "vector")])


def test_values_that_do_not_go_together_are_refused() -> None:
    axes = [
        axis_of("fulltext_weight=0,1"),
        axis_of("cjk_weight=0,1"),
        axis_of("vector_weight=0,1"),
        axis_of("graph_weight=0,1"),
    ]
    with pytest.raises(SettingsError, match="weight"):
        settings_at(Settings(), axes, (0.0, 0.0, 0.0, 0.0))
    assert settings_at(Settings(), axes, (0.0, 1.0, 0.0, 0.0)).retrieval.cjk_weight == 1.0


@given(st.floats(0, 2, allow_nan=False), st.integers(1, 20))
def test_the_settings_in_force_are_nearest_to_themselves(weight: float, k: int) -> None:
    axes = [axis_of("vector_weight=0,1,2"), axis_of("top_k=1,20")]
    base = Settings()
    assert distance(base, axes, present(base, axes)) == (0, 0.0)
    assert distance(base, axes, (weight, k)) >= (0, 0.0)
