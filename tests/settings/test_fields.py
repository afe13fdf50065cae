"""The schema as a list: complete, in order, looked up by near names, turned by exact steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.settings import BY_KEY, FIELDS, Field, Settings, check, fields_of, find, shown, turned
from engine.settings.fields import quoted, value_of, with_values

TURNABLE = [field for field in FIELDS if field.kind in ("integer", "number") and field.step]


def test_retrieval_has_the_ranges_and_defaults_of_the_design_in_its_order():
    table = [(f.name, f.minimum, f.maximum, f.default) for f in fields_of("retrieval") if f.step]
    assert table == [
        ("top_k", 1, 20, 6),
        ("minimum_vector_similarity", 0, 1, 0.0),
        ("fulltext_weight", 0, 2, 1.0),
        ("cjk_weight", 0, 2, 1.0),
        ("vector_weight", 0, 2, 1.0),
        ("graph_weight", 0, 2, 0.8),
        ("rrf_k", 1, 1000, 60),
        ("candidate_multiplier", 2, 10, 4),
        ("context_max_characters", 2000, 48000, 16000),
        ("adjacent_chunk_count", 0, 2, 0),
        ("minimum_relevance", 0, 1, 0.0),
        ("score_margin", 0, 1, 0.0),
        ("document_quota", 0, 20, 0),
        ("duplicate_overlap", 0.5, 1, 0.9),
    ]
    assert [f.choices for f in fields_of("retrieval") if f.kind == "choice"] == [
        ("rrf", "minmax", "linear"),
        ("off", "local", "learned"),
    ]


def test_chunking_has_the_ranges_and_defaults_of_the_design():
    assert [(f.name, f.minimum, f.maximum, f.default) for f in fields_of("chunking") if f.step] == [
        ("target_characters", 400, 8000, 1600),
        ("overlap_characters", 0, 3200, 160),
        ("parent_characters", 1600, 16000, 4800),
        ("child_characters", 300, 4000, 900),
    ]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.key)
def test_every_field_is_described_and_its_default_passes_its_own_check(field: Field):
    assert field.help.endswith(".")
    assert field.label
    assert field.range
    assert check(field, field.default) == field.default
    assert value_of(Settings(), field) == field.default


def test_a_bare_name_is_enough_where_only_one_section_has_it():
    assert find("top_k") is find("retrieval.top_k") is BY_KEY["retrieval.top_k"]
    assert find("journal").section == ""


def test_a_name_of_several_sections_must_be_written_in_full():
    with pytest.raises(SettingsError, match=r"embedding\.base_url or rerank_endpoint\.base_url"):
        find("base_url")


@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("topk", "top_k"),
        ("vector_wieght", "vector_weight"),
        ("retrieval.fulltext_wight", "retrieval.fulltext_weight"),
        ("RRF_K", "rrf_k"),
        ("overlap", "overlap_characters"),
    ],
)
def test_a_misspelt_name_gets_the_near_one(wrong: str, near: str):
    with pytest.raises(SettingsError, match=f"did you mean {near}"):
        find(wrong)


def test_a_name_like_no_other_points_to_the_list():
    with pytest.raises(SettingsError, match="rankscope settings"):
        find("zzzzzz")


@given(st.sampled_from(TURNABLE), st.integers(-200, 200), st.booleans())
def test_turning_stays_in_range_and_keeps_the_type(field: Field, turns: int, big: bool):
    value = turned(field, field.default, turns, big=big)
    assert check(field, value) == value
    assert type(value) is type(field.default)


def test_steps_are_exact_decimals():
    weight = BY_KEY["retrieval.vector_weight"]
    value: object = 0.0
    for _ in range(14):
        value = turned(weight, value, 1)
    assert value == 0.7


def test_a_value_at_the_end_of_its_range_stays():
    assert turned(BY_KEY["retrieval.top_k"], 20, 1) == 20
    assert turned(BY_KEY["retrieval.fusion"], "linear", 1) == "linear"
    assert turned(BY_KEY["retrieval.required_terms"], False, -1) is False


def test_choices_move_along_their_list():
    assert turned(BY_KEY["retrieval.rerank"], "off", 1) == "local"
    assert turned(BY_KEY["retrieval.required_terms"], False, 1) is True


def test_changing_a_value_leaves_the_others_and_the_original_alone():
    before = Settings()
    after = with_values(before, [(find("top_k"), 9), (find("journal"), "queries")])
    assert (after.retrieval.top_k, after.journal) == (9, "queries")
    assert with_values(after, [(find("top_k"), 6), (find("journal"), "counts")]) == before == Settings()


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("retrieval.vector_weight", 0.8, "0.80"),
        ("retrieval.vector_weight", 0.125, "0.125"),
        ("retrieval.context_max_characters", 16000, "16,000"),
        ("retrieval.required_terms", False, "false"),
        ("embedding.model", "", "–"),
        ("scopes", (("a", ("b",)),), "1 entry"),
    ],
)
def test_values_are_shown_in_one_form(key: str, value: object, text: str):
    assert shown(BY_KEY[key], value) == text


@given(st.text())
def test_a_foreign_value_in_a_message_is_printable_and_short(text: str):
    assert len(quoted(text)) <= 60
    assert quoted(text).isprintable()
