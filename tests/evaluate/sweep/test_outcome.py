"""The winner of a sweep: chosen on one half of the cases, judged on the other, and never named within noise."""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.evaluate.sweep.axes import Point, axis_of
from engine.evaluate.sweep.outcome import Cell, Swept, best_of, cell, judged

AXIS = axis_of("top_k=2,4,6,8")
CHOOSING = (True, False) * 10
PRESENT: Point = (6,)


def of(point: int, values: Sequence[float | None]) -> Cell:
    cases = [{} if value is None else {"mrr@10": value, "recall@5": 1.0} for value in values]
    return cell((point,), cases, "mrr@10", CHOOSING, (int(point != 6), abs(point - 6) / 19))


def swept(cells: Sequence[Cell]) -> Swept:
    now = next(each for each in cells if each.point == PRESENT)
    best = best_of(cells)
    return Swept(
        "set", "mrr@10", "grid", (AXIS,), tuple(cells), now, best, judged(best, now, CHOOSING), (10, 10)
    )


def test_means_are_of_the_cases_that_have_something_to_find() -> None:
    found = of(6, [1.0, None, 0.5, 0.0] + [None] * 16)
    assert (found.chosen, found.held) == (0.75, 0.0)
    assert dict(found.means) == {"mrr@10": 0.5, "recall@5": 1.0}
    nothing = of(6, [None] * 20)
    assert (nothing.chosen, nothing.held, dict(nothing.means)) == (None, None, {})


def test_the_choosing_half_alone_chooses() -> None:
    """A cell that shines on the other half is not preferred for it."""
    shines = of(2, [0.1, 1.0] * 10)
    chosen = of(4, [0.6, 0.0] * 10)
    assert best_of([of(6, [0.5, 0.5] * 10), shines, chosen]).point == (4,)


def test_among_equals_the_nearest_to_the_settings_is_taken() -> None:
    same = [of(point, [0.5] * 20) for point in (2, 4, 6, 8)]
    assert best_of(same).point == PRESENT
    assert best_of([each for each in same if each.point != PRESENT]).point == (4,)
    assert swept(same).verdict == "same"
    assert "nothing tried is better" in swept(same).sentence


def test_a_real_gain_is_named_and_noise_is_not() -> None:
    real = swept([of(6, [0.2] * 20), of(8, [0.9] * 20)])
    assert real.verdict == "better"
    assert real.sentence == (
        "mrr@10: top_k 8 is better than the settings in force, on the 10 cases that did not choose it "
        "+0.700 (+0.700 to +0.700), p 0.002"
    )
    lucky = swept([of(6, [0.5] * 20), of(8, [0.9, 0.5] * 9 + [0.9, 0.6])])
    assert lucky.verdict == "noise"
    assert "is within noise; about" in lucky.sentence


def test_without_a_case_to_judge_it_that_is_said() -> None:
    found = swept([of(6, [0.1, None] * 10), of(8, [0.9, None] * 10)])
    assert found.test is None
    assert "no case is left to judge it" in found.sentence


def test_the_json_is_whole_and_has_no_time_in_it() -> None:
    told = json.loads(json.dumps(swept([of(6, [0.2] * 20), of(8, [0.9] * 20)]).to_json()))
    assert told["axes"] == {"retrieval.top_k": [2, 4, 6, 8]}
    assert told["best"]["settings"] == {"retrieval.top_k": 8}
    assert told["cells"][0]["metrics"] == {"mrr@10": 0.2, "recall@5": 1.0}
    assert told["verdict"] == "better"
