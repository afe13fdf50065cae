"""The exact text that is embedded, and what identifies a vector."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.embedding.protocol import (
    HEADING_LIMIT,
    INPUT_LIMIT,
    embed_hash,
    embedder_fingerprint,
    embedding_input,
    normalised,
    query_hash,
    require_vector,
)
from engine.errors import EmbedderError


def test_title_and_headings_stand_above_the_text() -> None:
    assert embedding_input("Guide", ["Install", "Linux"], "Use apt.") == "Guide\nInstall › Linux\n\nUse apt."


def test_a_title_that_is_the_first_heading_stands_once() -> None:
    assert embedding_input("Guide", ["Guide", "Linux"], "Use apt.") == "Guide › Linux\n\nUse apt."


def test_nothing_above_leaves_the_text_alone() -> None:
    assert embedding_input("", [" ", ""], "Use  apt.\n") == "Use  apt.\n"


@pytest.mark.parametrize("blank", ["", "   ", "\n\t\r\n", "\u200b", "\ufeff\u2060", "\0\0", "\u3000"])
def test_em_05_a_blank_text_is_never_embedded_whatever_stands_above_it(blank: str) -> None:
    assert embedding_input("Title", ["Heading"], blank) == ""


@pytest.mark.parametrize("visible", ["a", "。", "\ue000", "\U000323af", "\ud800"])
def test_a_text_of_one_visible_or_unassigned_character_is_embedded(visible: str) -> None:
    assert embedding_input("", [], visible)


def test_lone_surrogates_and_nul_are_replaced_before_hashing_and_embedding() -> None:
    given_text = embedding_input("T\ud800", ["H\0i"], "a\udfffb\0c")
    assert given_text == "T\ufffd\nH i\n\na\ufffdb c"
    given_text.encode("utf-8")


def test_a_freak_heading_or_text_is_cut() -> None:
    cut = embedding_input("t" * 9_999, ["h" * 9_999], "x" * 99_999)
    assert cut == f"{'t' * HEADING_LIMIT}\n{'h' * HEADING_LIMIT}\n\n{'x' * INPUT_LIMIT}"


def test_a_query_is_cached_apart_from_the_same_text_in_a_document() -> None:
    assert query_hash("redis") != embed_hash("redis")
    assert query_hash("a\0b") == query_hash("a b")


def test_em_08_model_endpoint_dimensions_and_prefixes_are_part_of_the_identity() -> None:
    base = {"model": "m1", "dimensions": 3, "endpoint": "http://h:1/v1"}
    changes: list[dict[str, object]] = [
        {},
        {"model": "m2"},
        {"dimensions": 4},
        {"endpoint": "http://h:2/v1"},
        {"document_prefix": "passage: "},
        {"query_prefix": "passage: "},
    ]
    prints = {embedder_fingerprint("openai", **(base | change)) for change in changes}  # type: ignore[arg-type]
    assert len(prints) == len(changes)


def test_rows_without_a_direction_become_zeros_and_no_others() -> None:
    rows = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [3e38, 3e38], [1e-40, 0]], dtype=np.float32)
    lengths = np.linalg.norm(normalised(rows).astype(float), axis=1)
    assert lengths == pytest.approx([1, 0, 0, 0, 1, 1], abs=1e-6)


@pytest.mark.parametrize("row", [[0.0, 0.0], [np.nan, 1.0]])
def test_a_question_without_a_usable_vector_is_an_error_that_names_the_embedder(row: list[float]) -> None:
    with pytest.raises(EmbedderError, match="fake"):
        require_vector(np.array(row, dtype=np.float32), "fake")


@settings(max_examples=100)
@given(st.text(), st.lists(st.text(), max_size=3), st.text(max_size=80))
def test_every_input_can_be_encoded_and_holds_no_nul(title: str, path: list[str], text: str) -> None:
    given_text = embedding_input(title, path, text)
    given_text.encode("utf-8")
    assert "\0" not in given_text
