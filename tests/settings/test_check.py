"""Nothing out of range, of the wrong type or of hostile form becomes a setting; messages name all three."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SettingsError
from engine.settings import BY_KEY, FIELDS, Chunking, Embedding, Field, Retrieval, Settings
from engine.settings.check import check, check_settings, parse

RANGED = [field for field in FIELDS if field.minimum is not None and field.key != "version"]
NUMBERS = [field for field in RANGED if field.kind == "number"]


@pytest.mark.parametrize("field", RANGED, ids=lambda field: field.key)
def test_both_ends_of_a_range_are_in_it_and_beyond_is_not(field: Field):
    assert field.minimum is not None
    assert field.maximum is not None
    kind = int if field.kind == "integer" else float
    for inside in (field.minimum, field.maximum):
        assert check(field, kind(inside)) == inside
    for outside in (field.minimum - 1, field.maximum + 1):
        with pytest.raises(SettingsError) as caught:
            check(field, kind(outside))
        assert field.key in str(caught.value)
        assert f"{kind(outside)}" in str(caught.value)
        assert field.range in str(caught.value)


@pytest.mark.parametrize("field", RANGED, ids=lambda field: field.key)
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, True, False, "1", None, [1], {"a": 1}, 10**400], ids=repr
)
def test_what_is_no_finite_number_is_refused(field: Field, value: object):
    with pytest.raises(SettingsError, match=field.name):
        check(field, value)


def test_a_fraction_is_no_whole_number_even_when_it_is_round():
    with pytest.raises(SettingsError, match=r"retrieval\.top_k is 6\.0"):
        check(BY_KEY["retrieval.top_k"], 6.0)


def test_a_whole_number_where_a_number_is_due_is_kept_as_one_form():
    assert repr(check(BY_KEY["retrieval.vector_weight"], 1)) == "1.0"
    assert repr(check(BY_KEY["retrieval.vector_weight"], -0.0)) == "0.0"


@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_only_a_boolean_is_a_boolean(value: object):
    with pytest.raises(SettingsError, match="true or false"):
        check(BY_KEY["retrieval.required_terms"], value)


def test_a_choice_is_one_of_its_list():
    with pytest.raises(SettingsError, match=r"retrieval\.fusion is rff: it must be rrf, minmax or linear"):
        check(BY_KEY["retrieval.fusion"], "rff")


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://host/",
        "http://",
        "https://user:password@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1?v=1&Api-Key=secret",
        "https://host/v1?access_token=",
        "https://host/v1?X-Signature=1",
        "https://host/v1?secret",
        "https://host/v1#x",
        "https://ho st/",
        "https://host:port/",
        "https://host/\x1b]52;c;QQ\x07",
        "https://[::1/",
        "host/v1",
    ],
)
def test_an_address_is_plain_http_and_carries_no_secret(address: str):
    with pytest.raises(SettingsError, match=r"embedding\.base_url") as caught:
        check(BY_KEY["embedding.base_url"], address)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://localhost:8080/v1",
        "https://host/v1",
        "http://[::1]:80/v1",
        "https://host/v1?api-version=2024-10-21",
    ],
)
def test_ordinary_addresses_pass(address: str):
    assert check(BY_KEY["embedding.base_url"], address) == address


@pytest.mark.parametrize("name", ["A=B", "1A", "sk-abcdef", "A B", "Ä", "A\n"])
def test_the_name_of_a_variable_cannot_be_a_key_by_mistake(name: str):
    with pytest.raises(SettingsError, match="environment variable"):
        check(BY_KEY["embedding.api_key_env"], name)


def test_a_prefix_may_hold_line_ends_but_nothing_that_steers_a_terminal():
    prefix = BY_KEY["embedding.query_prefix"]
    assert check(prefix, "Instruct: find it\nQuery: ") == "Instruct: find it\nQuery: "
    for hostile in ("\x1b[2J", "\x00", "\u202e", "\ud800", "x" * 2001):
        with pytest.raises(SettingsError):
            check(prefix, hostile)


def test_scopes_are_patterns_with_labels_and_no_label_is_everybody():
    scopes = BY_KEY["scopes"]
    assert check(scopes, {"hr/**": ["pay", "hr", "pay"], "x": "y"}) == (
        ("hr/**", ("hr", "pay")),
        ("x", ("y",)),
    )
    for wrong in (
        {"a": ["*"]},
        {"a": []},
        {"a": [1]},
        {"": ["b"]},
        {"a": ["b c"]},
        {"a": 3},
        ["a"],
        {"a": ["\x1b"]},
    ):
        with pytest.raises(SettingsError, match="scopes"):
            check(scopes, wrong)


@pytest.mark.parametrize(
    ("target", "overlap"), [(10, 10), (10, 11), (0, 0), (10, -1)], ids=["equal", "above", "none", "negative"]
)
def test_an_overlap_that_would_never_advance_is_refused_with_both_numbers(target: int, overlap: int):
    """CK-01: size and overlap are told together."""
    with pytest.raises(SettingsError) as caught:
        check_settings(Settings(chunking=Chunking(target_characters=target, overlap_characters=overlap)))
    pair = f"overlap_characters is {overlap}"
    assert pair in str(caught.value)
    assert f"target_characters, {target}" in str(caught.value) or f"target_characters {target}" in str(
        caught.value
    )


def test_overlap_is_at_most_two_fifths_of_the_target():
    check_settings(Settings(chunking=Chunking(target_characters=1000, overlap_characters=400)))
    with pytest.raises(SettingsError, match="at most 400, 40 % of target_characters, 1,000"):
        check_settings(Settings(chunking=Chunking(target_characters=1000, overlap_characters=401)))


def test_a_child_is_smaller_than_its_parent():
    with pytest.raises(SettingsError, match="below parent_characters, 2,000"):
        check_settings(Settings(chunking=Chunking(parent_characters=2000, child_characters=2000)))


def test_at_least_one_channel_has_a_weight():
    """RF-02: all zero, negative and NaN weights are refused with the setting named."""
    silent = Retrieval(fulltext_weight=0.0, cjk_weight=0.0, vector_weight=0.0, graph_weight=0.0)
    with pytest.raises(
        SettingsError, match="fulltext_weight, cjk_weight, vector_weight, graph_weight are all 0"
    ):
        check_settings(Settings(retrieval=silent))
    for wrong in (-1.0, math.nan):
        with pytest.raises(SettingsError, match=r"retrieval\.vector_weight"):
            check_settings(Settings(retrieval=Retrieval(vector_weight=wrong)))


def test_an_endpoint_that_was_chosen_must_be_complete():
    with pytest.raises(SettingsError, match=r"embedding\.base_url and embedding\.model"):
        check_settings(Settings(embedding=Embedding(provider="openai", model="m")))


def test_every_problem_is_told_at_once():
    with pytest.raises(SettingsError, match=r"top_k is 0.*rrf_k is 0"):
        check_settings(Settings(retrieval=Retrieval(top_k=0, rrf_k=0)))


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("retrieval.top_k", " 8 ", 8),
        ("retrieval.context_max_characters", "16,000", 16000),
        ("retrieval.vector_weight", "1.4", 1.4),
        ("retrieval.vector_weight", "1", 1.0),
        ("retrieval.required_terms", "on", True),
        ("retrieval.rerank", "OFF", "off"),
        ("embedding.query_prefix", "query: ", "query: "),
        ("scopes", '{"hr/**" = ["hr"]}', (("hr/**", ("hr",)),)),
    ],
)
def test_typed_text_becomes_a_value(key: str, text: str, value: object):
    assert parse(BY_KEY[key], text) == value
    assert type(parse(BY_KEY[key], text)) is type(value)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("retrieval.top_k", "1,6"),
        ("retrieval.top_k", "6.5"),
        ("retrieval.top_k", "８.5"),
        ("retrieval.top_k", "9" * 5000),
        ("retrieval.vector_weight", "nan"),
        ("retrieval.vector_weight", "inf"),
        ("retrieval.vector_weight", ""),
        ("scopes", "hr"),
        ("scopes", "{}\nother = 1"),
    ],
)
def test_typed_text_that_is_no_value_is_refused_by_name(key: str, text: str):
    with pytest.raises(SettingsError, match=key):
        parse(BY_KEY[key], text)


@given(st.sampled_from(FIELDS), st.text(max_size=40))
def test_any_typed_text_is_a_value_in_range_or_one_printable_sentence(field: Field, text: str):
    try:
        value = parse(field, text)
    except SettingsError as error:
        message = str(error)
    else:
        message = ""
        assert check(field, value) == value
    assert message.isprintable()


@given(st.sampled_from(NUMBERS), st.floats(allow_nan=True, allow_infinity=True))
def test_a_number_that_passes_is_finite_and_in_range(field: Field, value: float):
    try:
        kept = check(field, value)
    except SettingsError:
        return
    assert isinstance(kept, float)
    assert math.isfinite(kept)
    assert field.minimum is not None
    assert field.maximum is not None
    assert field.minimum <= kept <= field.maximum
