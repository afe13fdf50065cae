"""What one request may hold is learned from refusals, and no single text spoils it for the others."""

from __future__ import annotations

import pytest

from engine.embedding.batches import CHARACTERS, LONGEST, TEXTS, Limits, is_refusal
from engine.errors import EndpointError

MANY = EndpointError("x", status=400, told="batch size is invalid, it should not be larger than 10")
LONG = EndpointError("x", status=400, told="This model's maximum context length is 512 tokens")
BARE = EndpointError("x", status=400, told="bad request")


def test_a_request_is_bounded_by_count_and_by_characters():
    limits = Limits(texts=3, characters=10)
    assert limits.count(["a"] * 5) == 3
    assert limits.count(["a"] * 5, beside=1) == 2
    assert limits.count(["aaaa", "aaaa", "aaaa"]) == 2
    assert limits.count(["a" * 99, "a"]) == 1
    assert limits.count(["a"]) == 1


def test_a_refusal_for_the_number_halves_the_number():
    limits = Limits()
    assert limits.shrink(MANY, ["a"] * 25)
    assert (limits.texts, limits.characters) == (13, CHARACTERS)
    assert limits.shrink(BARE, ["a"] * 13)
    assert limits.texts == 7


def test_a_refusal_for_the_length_halves_the_characters():
    limits = Limits()
    assert limits.shrink(LONG, ["aaaa"] * 8)
    assert (limits.texts, limits.characters) == (TEXTS, 16)
    assert limits.shrink(EndpointError("x", status=413), ["aaaa"] * 4)
    assert limits.characters == 8


def test_what_goes_beside_the_texts_counts():
    limits = Limits(texts=2)
    assert limits.shrink(MANY, ["a"], beside=1)
    assert limits.texts == 1
    assert not limits.shrink(BARE, ["a"], beside=1)


def test_a_single_text_that_is_refused_is_itself_at_fault():
    limits = Limits()
    limits.served(["a"] * 32)
    for size in (32, 16, 8, 4, 2):
        assert limits.shrink(BARE, ["a"] * size)
    assert not limits.shrink(BARE, ["a"])
    assert limits.texts == 32, "what had served before serves again"


def test_a_single_long_text_is_cut_and_the_batch_is_as_large_as_before():
    limits = Limits(texts=1)
    assert limits.shrink(LONG, ["x" * 2_000])
    assert (limits.longest, limits.texts, limits.characters) == (1_000, TEXTS, CHARACTERS)


def test_a_short_text_is_never_too_long():
    limits = Limits(texts=1)
    assert not limits.shrink(LONG, ["x" * 200])
    assert limits.longest == LONGEST


@pytest.mark.parametrize(
    ("status", "told", "refusal"),
    [
        (400, "", True), (413, "", True), (422, "", True), (401, "", False), (404, "", False), (429, "", False),
        (500, "input is too large to process. increase the physical batch size", True), (500, "oops", False),
        (0, "", False),
    ],
)  # fmt: skip
def test_which_errors_are_about_what_was_sent(status: int, told: str, refusal: bool):
    assert is_refusal(EndpointError("x", status=status, told=told)) is refusal
