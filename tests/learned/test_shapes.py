"""What each kind of endpoint is asked, and how every shape of answer is read."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EndpointError
from engine.learned.shapes import SHAPES, address, request, rescaled, scores
from engine.settings import RerankEndpoint

ENDPOINT = RerankEndpoint(base_url="http://h:1", model="m")


def listed(answer: object, count: int = 2) -> list[float]:
    return scores(answer, count).tolist()


# --- asking ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "path", "texts"),
    [
        ("cohere", "/v2/rerank", "documents"),
        ("cohere-v1", "/v1/rerank", "documents"),
        ("jina", "/v1/rerank", "documents"),
        ("voyage", "/v1/rerank", "documents"),
        ("tei", "/rerank", "texts"),
    ],
)
def test_each_kind_has_its_own_path_and_name_for_the_texts(kind, path: str, texts: str):
    """RR-01."""
    endpoint = replace(ENDPOINT, kind=kind)
    assert address(endpoint) == f"http://h:1{path}"
    body = request(endpoint, "q", ["a", "b"])
    assert body["query"] == "q"
    assert body[texts] == ["a", "b"]
    assert not {"documents", "texts"} - {texts} & body.keys()


def test_every_kind_of_the_settings_has_a_shape():
    from engine.settings import BY_KEY

    assert set(BY_KEY["rerank_endpoint.kind"].choices) == set(SHAPES)


@pytest.mark.parametrize(("kind", "field"), [("cohere", "top_n"), ("jina", "top_n"), ("voyage", "top_k")])
def test_a_score_is_asked_for_every_text(kind, field: str):
    assert request(replace(ENDPOINT, kind=kind), "q", ["a", "b", "c"])[field] == 3


def test_a_model_is_named_only_where_the_settings_name_one():
    assert request(ENDPOINT, "q", ["a"])["model"] == "m"
    assert "model" not in request(replace(ENDPOINT, model=""), "q", ["a"])


@pytest.mark.parametrize("base", ["http://h/v9", "http://h/v9/", "http://h/v9/rerank"])
def test_a_base_with_a_path_keeps_it(base: str):
    assert address(replace(ENDPOINT, base_url=base)) == "http://h/v9/rerank"


# --- reading --------------------------------------------------------------------------------------------------

ITEMS = [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}]


@pytest.mark.parametrize(
    "answer",
    [
        {"results": ITEMS},
        {"results": [{**item, "document": {"text": "LIE"}} for item in ITEMS]},
        {"results": [{**item, "document": None} for item in ITEMS], "id": "x", "meta": {}},
        {"object": "list", "data": ITEMS, "usage": {"total_tokens": 9}},
        [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1, "text": "LIE"}],
        {"results": [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.1}]},
    ],
)
def test_every_shape_is_read_whatever_the_kind(answer: object):
    """RR-01."""
    assert listed(answer) == [0.1, 0.9]


def test_a_list_shorter_than_what_was_sent_leaves_the_others_without_a_score():
    """RR-05."""
    found = scores([{"index": index, "score": 0.5} for index in (15, 19, 0)], 20)
    assert np.flatnonzero(~np.isnan(found)).tolist() == [0, 15, 19]


@pytest.mark.parametrize(
    "answer",
    [
        {}, [], None, "busy", 3, {"results": []}, {"results": None}, {"results": {"0": 1}}, {"message": "no"},
        [{"score": 0.5}], [{"index": "0", "score": 0.5}], [{"index": True, "score": 0.5}],
        [{"index": 0.0, "score": 0.5}], [{"index": None, "score": 0.5}], ["0"], [[0, 0.5]],
        [{"index": 2, "score": 0.5}], [{"index": -1, "score": 0.5}], [{"index": 10**30, "score": 0.5}],
        [{"index": 0, "score": 0.5}, {"index": 0, "score": 0.4}],
        [{"index": 0, "score": math.nan}], [{"index": 0, "score": math.inf}], [{"index": 0, "score": 10**400}],
        [{"index": 0, "score": None}], [{"index": 0, "score": "0.5"}], [{"index": 0, "score": True}],
        [{"index": 0}],
    ],
)  # fmt: skip
def test_what_cannot_be_matched_to_the_texts_is_refused(answer: object):
    with pytest.raises(EndpointError, match="rerank endpoint answered with"):
        scores(answer, 2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=30), st.randoms())
def test_the_order_of_the_list_does_not_matter(values: list[float], random):
    items = [{"index": index, "score": value} for index, value in enumerate(values)]
    random.shuffle(items)
    assert scores(items, len(values)).tolist() == values


# --- the scale ------------------------------------------------------------------------------------------------


def test_scores_from_0_to_1_are_relevance_as_they_are():
    scale, relevance = rescaled(np.array([0.0, 0.25, 1.0, np.nan]), "auto")
    assert scale == "unit"
    assert relevance[:3].tolist() == [0.0, 0.25, 1.0]
    assert np.isnan(relevance[3])


def test_scores_outside_are_log_odds():
    scale, relevance = rescaled(np.array([0.0, 2.0, -2.0, 5_000.0, -5_000.0, np.nan]), "auto")
    assert scale == "logit"
    assert relevance[:3] == pytest.approx([0.5, 0.880797, 0.119203], abs=1e-6)
    assert relevance[3:5].tolist() == pytest.approx([1.0, 0.0])


def test_a_scale_that_was_set_is_kept():
    assert rescaled(np.array([0.0]), "logit")[1].tolist() == [0.5]
    assert rescaled(np.array([-1.0, 0.0, 1.0]), "cosine")[1].tolist() == [0.0, 0.5, 1.0]
    for scale, wrong in (("unit", 1.5), ("unit", -0.5), ("cosine", -1.5)):
        with pytest.raises(EndpointError, match=scale):
            rescaled(np.array([wrong]), scale)


def test_rounding_at_the_end_of_a_scale_is_no_other_scale():
    scale, relevance = rescaled(np.array([1.0000001, -1e-9]), "auto")
    assert (scale, relevance.tolist()) == ("unit", [1.0, 0.0])


def test_no_score_at_all_has_a_scale_too():
    assert rescaled(np.array([np.nan]), "auto")[0] == "unit"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.sampled_from(["auto", "logit"]))
def test_relevance_never_leaves_0_to_1_nor_turns_an_order_round(values: list[float], scale: str):
    raw = np.array(values)
    _, relevance = rescaled(raw, scale)
    assert ((relevance >= 0) & (relevance <= 1)).all()
    assert (np.diff(relevance[np.argsort(raw, kind="stable")]) >= 0).all()
