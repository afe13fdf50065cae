"""A re-cut is previewed with the chunker itself, and the nearest one is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.cancel import CancelToken
from engine.chunking import chunk
from engine.errors import Cancelled
from engine.explain.recut import recut
from engine.settings import Chunking
from tests.explain.libraries import WINDOWS

TEXT = "x" * 390 + "the sentence that is cut" + "y" * 600


def whole(under: Chunking, start: int, end: int) -> bool:
    spans = chunk(TEXT, "text", under)
    return any(span.start <= start and end <= span.end for span in spans if span.role != "parent")


def test_the_nearest_cut_that_keeps_a_sentence_whole_is_told():
    start, end = 390, 414
    assert not whole(WINDOWS, start, end)
    found = recut(TEXT, "text", WINDOWS, start, end, cancel=CancelToken())
    assert found is not None
    assert found.kind == "recut"
    assert found.settings == {"overlap_characters": 10} or found.settings == {"target_characters": 450}
    assert whole(replace(WINDOWS, **found.settings), start, end)  # type: ignore[arg-type]
    assert "chunks" in found.sentence


def test_what_no_cut_holds_has_none():
    text = "z" * 40_000
    assert recut(text, "text", WINDOWS, 0, 39_000, cancel=CancelToken()) is None


def test_a_preview_can_be_cancelled():
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        recut(TEXT, "text", WINDOWS, 390, 414, cancel=token)
