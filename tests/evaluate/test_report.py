"""The document of an evaluation: complete, finite, in a stable order, and honest about refusals."""

from __future__ import annotations

import json

from engine.evaluate.outcome import Outcome
from engine.evaluate.report import CURVE_POINTS, Report, answerability, degradations, verdicts
from engine.evaluate.run import Run, Variant
from engine.settings import Retrieval
from tests.evaluate.test_figures import UNANSWERABLE, outcome

NAMES = ("recall@1", "mrr@10")
MANIFEST = {"set": {"items": "chunks"}}


def run(name: str, *outcomes: Outcome, baseline: str = "") -> Run:
    return Run(name, Variant(name, Retrieval(), baseline=baseline), MANIFEST, outcomes)


def mixed(count: int) -> list[Outcome]:
    """Answerable questions with much confidence, unanswerable ones with little."""
    return [
        outcome(f"q{n}", answerable=True, confidence=0.6 + n / 1000, lead=0.2) if n % 2
        else outcome(f"q{n}", answerable=False, grades={}, claims=(), confidence=n / 1000, lead=None)
        for n in range(count)
    ]  # fmt: skip


def test_the_document_has_its_keys_in_order_and_no_nan():
    cases = (outcome("a", kind="k", lang="zh"), UNANSWERABLE)
    report = Report(
        "set", (run("settings", *cases), run("other", *cases), run("b", *cases, baseline="tfidf")), NAMES
    )
    found = report.to_json()
    assert list(found)[:4] == ["set", "run", "manifest", "metrics"]
    assert {"answerability", "baselines", "cases"} <= set(found)
    assert found["metrics"]["recall@1"] == 0.5
    assert found["baselines"]["tfidf"]["recall@1"] == 0.5
    assert list(found["variants"]) == ["other"]
    assert found["counts"]["not_scorable"] == 1
    assert list(found["by_kind"]) == ["k"]
    json.dumps(found, allow_nan=False)


def test_a_case_tells_its_rank_layer_metrics_and_true_scores():
    case = Report("set", (run("settings", outcome("a")),), NAMES).to_json()["cases"][0]
    assert (case["case_id"], case["rank"], case["in_context"], case["layer"]) == ("a", 1, False, "budget")
    assert case["metrics"]["recall@1"] == 0.5
    assert [each["relevance"] for each in case["results"]] == [1.0, 0.5, 0.25]


def test_degradations_are_counted_the_most_frequent_first():
    cases = [outcome(degraded=("a",)), outcome(degraded=("a", "b")), outcome()]
    assert list(degradations(cases).items()) == [("a", 2), ("b", 1)]


def test_a_threshold_is_chosen_on_one_half_and_told_of_the_other():
    found = answerability(mixed(60))
    told = found["thresholds"]["minimum_relevance"]
    assert told["on_the_held_out_half"]["balanced_accuracy"] == 1.0
    assert "a threshold separates them" in told["sentence"]
    assert found["matrix"]["false_accept"] == 1.0
    json.dumps(found, allow_nan=False)


def test_the_lead_of_a_lone_document_is_as_large_as_can_be():
    assert {each.confidence for each in verdicts(mixed(4), "score_margin")} == {0.2, 1.0}


def test_without_unanswerable_questions_there_is_no_threshold():
    assert answerability([outcome("a"), outcome("b")])["thresholds"] == {}


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    found = answerability(mixed(1000))["thresholds"]["minimum_relevance"]["curve"]
    assert len(found) <= CURVE_POINTS
    assert (found[0]["false_accept"], found[-1]["over_refusal"]) == (1.0, 1.0)
    assert [each["minimum"] for each in found] == sorted(each["minimum"] for each in found)
