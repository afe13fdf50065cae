"""Over a setting that packs, the stretches hold exactly what each grid point's own run holds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from engine.explain.compare import packed
from engine.explain.grids import grid, with_value
from engine.explain.holding import PACKS, holding
from engine.settings import Features
from engine.settings.fields import find
from engine.trace import as_asked, covers, settle
from tests.explain.random_recalls import World, worlds


@pytest.mark.parametrize("name", sorted(PACKS))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds())
def test_every_grid_point_lies_in_the_stretch_of_what_it_holds(name: str, world: World) -> None:
    recall, retrieval = world.recall, world.retrieval
    found = holding(recall, retrieval, name, Features())
    field, present = find(f"retrieval.{name}"), getattr(retrieval, name)
    for value in [present, *(point.value for point in grid(field, present))]:
        turned = with_value(retrieval, **{name: value})
        if covers(recall, turned):
            held = packed(settle(as_asked(recall, turned), turned).context)
            assert held in [one.ranks for one in found.stretches if one.low <= value <= one.high]
    assert all(
        one.ranks != other.ranks for one, other in zip(found.stretches, found.stretches[1:], strict=False)
    )
    assert found.at_present is not None
