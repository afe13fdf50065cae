"""A run is named by all that it depends on, and the first difference between two is told."""

from __future__ import annotations

from dataclasses import replace

from engine.evaluate.manifest import Manifest, code_hash, first_difference, manifest, run_id
from engine.evaluate.sets import Case, EvaluationSet
from engine.settings import Chunking, Features, Retrieval
from tests.rank.build import STATE

SET = EvaluationSet(1, "letters", (Case("q", "x"),), source_hash="ab" * 32)


def of(**changes: object) -> Manifest:
    given: dict[str, object] = {
        "selection": {"lang": ("zh",), "kind": ()},
        "skipped": (),
        "states": {"public": STATE},
        "chunking": Chunking(),
        "embedder": "hash",
        "retrieval": Retrieval(),
        "features": Features(),
        "metrics": ("recall@5",),
        "depth": 200,
    }
    return manifest(SET, **{**given, **changes})  # type: ignore[arg-type]


def test_the_same_run_has_the_same_name_and_another_setting_another():
    assert run_id(of()) == run_id(of())
    assert run_id(of()) != run_id(of(retrieval=Retrieval(rrf_k=10)))
    assert first_difference(of(), of()) == ""


def test_the_first_difference_is_named_with_both_values():
    assert first_difference(of(), of(retrieval=Retrieval(rrf_k=10))) == "settings.rrf_k: 60 against 10"
    other = replace(STATE, corpus_version="d" * 64)
    told = first_difference(of(), of(states={"public": other}, retrieval=Retrieval(rrf_k=10)))
    assert told == "index.public.corpus_version: cccccccccccc… against dddddddddddd…"
    assert first_difference(of(), of(selection={})).startswith("set.selection.lang: ['zh'] against nothing")


def test_the_code_is_part_of_it_and_no_time_or_place_is():
    assert of()["code"] == {"version": "0.1.0", "sha256": code_hash()}
    assert "/" not in str(of()["code"])
