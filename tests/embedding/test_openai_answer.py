"""An answer becomes a matrix whose rows belong to the inputs, or an error that says why not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.embedding.openai_answer import vectors
from engine.errors import EmbedderError
from tests.embedding.endpoint import packed


def items(*indexes: object) -> dict[str, object]:
    return {
        "data": [{"index": index, "embedding": [1.0, float(place)]} for place, index in enumerate(indexes)]
    }


def test_rows_follow_the_inputs_whatever_the_order_of_the_list():
    """EM-01."""
    assert vectors(items(2, 0, 3, 1), 4)[:, 1].tolist() == [1.0, 3.0, 0.0, 2.0]


def test_without_any_index_the_list_s_order_counts():
    """EM-01."""
    assert vectors(items(None, None, None), 3)[:, 1].tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("indexes", "received"),
    [
        ((0, 1, 2), "3 vectors for 4"),
        ((0, 1, 3, 4), "0 to 3"),
        ((0, 1, 1, 3), "0, 1, 1, 3"),
        ((0, 1, 2, 3, 4), "5 vectors for 4"),
        ((True, 1, 2, 3), "True, 1, 2, 3"),
        ((), "0 vectors for 4"),
        ((0, 1, 2, None), "0 to 3"),
        ((0, 1, 2, "3"), "'3'"),
        ((0.0, 1.0, 2.0, 3.0), "0 to 3"),
        ((-1, 0, 1, 2), "-1"),
    ],
)
def test_gaps_repeats_and_counts_are_told_with_what_was_expected(indexes: tuple[object, ...], received: str):
    """EM-02."""
    with pytest.raises(EmbedderError, match=received):
        vectors(items(*indexes), 4)


def test_numbers_and_base64_are_both_understood():
    """EM-09."""
    assert vectors({"data": [{"embedding": [1.0, 2]}]}, 1).tolist() == [[1.0, 2.0]]
    assert vectors({"data": [{"embedding": "AACAPwAAAEA="}]}, 1).tolist() == [[1.0, 2.0]]
    assert vectors({"data": [{"embedding": packed([1, 2])}, {"embedding": [3.0, 4.0]}]}, 2).shape == (2, 2)


@pytest.mark.parametrize(
    "value",
    [
        "AACAPwAAAA==", "AACAPw", "****", "中", "", [], None, 3, {"0": 1}, ["1.0"], [None], [True], [[1.0]],
        [float("nan"), 1.0], [float("inf"), 1.0], [0.0, 0.0], [10**400], packed([0, 0]), packed([np.nan, 1]),
    ],
)  # fmt: skip
def test_what_is_no_vector_is_refused(value: object):
    with pytest.raises(EmbedderError, match="embedding endpoint answered with"):
        vectors({"data": [{"index": 0, "embedding": value}]}, 1)


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(EmbedderError, match="2 and 3 dimensions"):
        vectors({"data": [{"embedding": [1.0, 2.0]}, {"embedding": [1.0, 2.0, 3.0]}]}, 2)


@pytest.mark.parametrize("answer", [None, [], {}, {"data": None}, {"data": {}}, {"data": [1]}, "busy"])
def test_what_is_no_list_of_vectors_is_refused(answer: object):
    with pytest.raises(EmbedderError, match="no list of vectors"):
        vectors(answer, 1)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.floats(0.5, 9, width=32), min_size=3, max_size=3), min_size=1, max_size=9),
    st.randoms(),
)
def test_shuffled_and_packed_is_the_same_as_plain(rows: list[list[float]], random):
    data = [
        {"index": place, "embedding": packed(row) if random.random() < 0.5 else row}
        for place, row in enumerate(rows)
    ]
    random.shuffle(data)
    assert vectors({"data": data}, len(rows)).tolist() == rows
