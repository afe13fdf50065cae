"""Another model behind an unchanged name is told from the same one with other rounding."""

from __future__ import annotations

import numpy as np
import pytest

from engine.embedding.probe import PROBES, Seen, keep, read, same
from engine.embedding.protocol import Vectors, normalised
from tests.embedding.endpoint import Facts, vector


def probes(seed: str = "", dimensions: int = 64) -> Vectors:
    return normalised(np.array([vector(text, dimensions, seed) for text in PROBES]))


def test_rounding_is_no_other_model():
    known = probes()
    rounded = normalised(known.astype(np.float16).astype(np.float64) + 1e-3)
    assert same(known, rounded)


@pytest.mark.parametrize("now", [probes("other"), probes(dimensions=32), probes()[[1, 0, 2]], -probes()])
def test_other_vectors_are_another_model(now: Vectors):
    assert not same(probes(), now)


def test_one_text_of_three_that_differs_is_enough():
    now = probes().copy()
    now[2] = probes("other")[2]
    assert not same(probes(), now)


def test_what_is_kept_is_read_again():
    facts = Facts()
    seen = Seen().with_model(probes()).with_model(probes("other", 32))
    keep(facts, "id", seen)
    again = read(facts, "id")
    assert again.current == 1
    assert [each.tolist() for each in again.models] == [probes().tolist(), probes("other", 32).tolist()]
    assert read(facts, "another").known is None


def test_a_model_that_comes_back_is_the_one_it_was():
    seen = Seen().with_model(probes()).with_model(probes("other"))
    assert (seen.with_model(probes()).current, seen.with_model(probes("third")).current) == (0, 2)
    assert len(seen.with_model(probes()).models) == 2


@pytest.mark.parametrize(
    "damaged",
    ["", "{", "[]", "{}", '{"models": 3, "current": 0}', '{"models": ["x"], "current": 0}',
     '{"models": [], "current": 0}', '{"models": [""], "current": 0}', '{"models": ["AACAPw=="], "current": 0}',
     '{"models": ["AADAfwAAwH8AAMB/"], "current": 0}', '{"models": ["AACAPwAAgD8AAIA/"], "current": 7}', "[" * 9999],
)  # fmt: skip
def test_what_is_damaged_counts_as_nothing(damaged: str):
    assert read(Facts({"probes id": damaged}), "id").known is None
