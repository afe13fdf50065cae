"""The estimate of tokens knows that Chinese needs more of them than Latin letters do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tokens import estimated_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("a", 1),
        ("同一任务最多自动重试三次", 11),
        ("the timeout is per attempt", 7),
        ("max_retry_count = 3", 7),
        ("重试 retry 3", 4),
        ("한국어와 にほんご", 7),
    ],
)
def test_an_estimate(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_texts_together_have_what_they_have_apart(left: str, right: str) -> None:
    together = estimated_tokens(f"{left} {right}")
    assert abs(together - estimated_tokens(left) - estimated_tokens(right)) <= 2
