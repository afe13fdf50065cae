"""The sample library holds what its questions ask, and every trait that a part of the workbench needs to
show."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.chunking.chunker import chunk
from engine.chunking.sections import sections
from engine.ingest.decode import decode
from engine.ingest.discover import discover
from engine.ingest.document import Document
from engine.ingest.parse import parse
from engine.model import ChunkSpan
from engine.settings import Chunking

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SAMPLES = REPOSITORY / "samples"
REASONS = {
    "NO_RELEVANT_CANDIDATE",
    "EVIDENCE_BELOW_THRESHOLD",
    "CONFLICTING_EVIDENCE",
    "PERMISSION_FILTERED",
    "QUESTION_OUT_OF_SCOPE",
    "CITATION_VALIDATION_FAILED",
}
AT_LEAST = {
    "paraphrase": 40,
    "synonym": 12,
    "mixed": 8,
    "identifier": 10,
    "number": 8,
    "unanswerable": 8,
    "conflict": 5,
    "restricted": 4,
}
SMALL_WINDOWS = Chunking(mode="fixed", target_characters=400, overlap_characters=0)
IDENTIFIER = re.compile(r"[A-Za-z/][\w./-]*[\d_./-][\w./-]*\w")

Case = dict[str, Any]


def cases() -> list[Case]:
    table = tomllib.loads((SAMPLES / "evaluation.toml").read_text("utf-8"))
    assert (table["version"], table["name"]) == (1, "Drayhorse documentation")
    found: list[Case] = table["cases"]
    return found


CASES = cases()


@cache
def library() -> dict[str, Document]:
    """All documents of the folder, by path, as the index would read them."""
    found = {}
    for item in discover(SAMPLES, cancel=CancelToken()).files:
        for document in parse(item.path, (SAMPLES / item.path).read_bytes()).documents:
            found[document.path] = document
    return found


def chunks(path: str, chunking: Chunking | None = None) -> list[ChunkSpan]:
    document = library()[path]
    return chunk(document.text, document.kind, chunking or Chunking(), language=document.language)


def evidence(case: Case) -> list[dict[str, str]]:
    """Every piece of evidence of a case, whatever its claim."""
    claimed = [piece for claim in case.get("claims", []) for piece in claim["evidence"]]
    return [*case.get("evidence", []), *claimed]


def holders(text: str) -> set[str]:
    return {path for path, document in library().items() if text in document.text}


def home(path: str, text: str, chunking: Chunking | None = None) -> int | None:
    """The ordinal of the chunk that holds a text whole, if one does."""
    start = library()[path].text.index(text)
    return next(
        (c.ordinal for c in chunks(path, chunking) if c.start <= start and start + len(text) <= c.end), None
    )


def bigrams(text: str) -> set[str]:
    return {run[i : i + 2] for run in re.findall(r"[\u4e00-\u9fff]+", text) for i in range(len(run) - 1)}


def of_kind(*kinds: str) -> list[Case]:
    return [case for case in CASES if case["kind"] in kinds]


# --- the questions ---


def test_every_kind_of_question_is_asked_often_enough() -> None:
    counted = Counter(case["kind"] for case in CASES)
    assert set(counted) == set(AT_LEAST)
    assert {kind: counted[kind] for kind in AT_LEAST if counted[kind] < AT_LEAST[kind]} == {}
    chinese = [case for case in of_kind("paraphrase", "synonym") if case["lang"] == "zh"]
    assert len(chinese) >= 30


def test_no_two_cases_share_an_id_and_no_query_is_asked_twice_in_one_scope() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert len({(case["query"], tuple(case.get("scopes", ()))) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_names_what_answers_it_or_why_nothing_does(case: Case) -> None:
    assert ("evidence" in case) + ("claims" in case) == (1 if case.get("answerable", True) else 0)
    assert ("expected_reason" in case) == (not case.get("answerable", True))
    assert case.get("expected_reason", "PERMISSION_FILTERED") in REASONS


@pytest.mark.parametrize("case", [case for case in CASES if evidence(case)], ids=lambda case: case["id"])
def test_evidence_occurs_once_and_whole_in_one_chunk(case: Case) -> None:
    for piece in evidence(case):
        text = library()[piece["file"]].text
        assert text.count(piece["text"]) == 1, piece
        assert home(piece["file"], piece["text"]) is not None, piece
        assert 8 <= len(piece["text"]) <= 200, piece
        assert not re.search(r"\n\s*\n", piece["text"]), piece


def test_a_claim_needs_only_terms_that_its_evidence_holds() -> None:
    for case in CASES:
        for claim in case.get("claims", []):
            for term in claim.get("required_terms", []):
                assert all(term in piece["text"] for piece in claim["evidence"]), (case["id"], term)


def test_chinese_paraphrases_share_few_bigrams_with_their_evidence() -> None:
    shared = []
    for case in of_kind("paraphrase", "synonym"):
        if case["lang"] == "zh" and case["id"] != "first-01":
            asked = bigrams(case["query"])
            shared.append(max(len(asked & bigrams(piece["text"])) / len(asked) for piece in evidence(case)))
    assert median(shared) <= 0.1
    assert sum(share > 0.35 for share in shared) <= len(shared) // 20


def test_an_identifier_that_is_asked_for_stands_in_one_document_alone() -> None:
    for case in of_kind("identifier"):
        found = IDENTIFIER.search(case["query"])
        assert found, case["query"]
        assert holders(found[0]) == {evidence(case)[0]["file"]}, case["query"]


def test_both_sides_of_a_conflict_are_on_different_pages() -> None:
    for case in of_kind("conflict"):
        sides = [{piece["file"] for piece in claim["evidence"]} for claim in case["claims"]]
        assert len(sides) == 2
        assert not sides[0] & sides[1]


def test_a_restricted_question_is_asked_with_and_without_the_scope() -> None:
    asked = {(case["query"], bool(case.get("scopes"))) for case in of_kind("restricted")}
    assert {query for query, scoped in asked if scoped} == {query for query, scoped in asked if not scoped}


# --- the folder ---


def test_the_folder_holds_two_dozen_documents_and_no_evaluation_set() -> None:
    assert 24 <= len(library()) <= 26
    assert "evaluation.toml" not in library()
    assert 60_000 <= sum((SAMPLES / path).stat().st_size for path in library()) <= 140_000


def test_only_the_scope_ops_sees_what_the_restricted_page_says() -> None:
    settings = tomllib.loads((REPOSITORY / "settings.toml").read_text("utf-8"))
    assert settings["scopes"] == {"internal/**": ["ops"]}
    for secret in ("北辰物流", "幽灵模式", "ghost mode", "bg-quarry", "48,210"):
        assert holders(secret) == {"internal/incident-0412.md"}


def test_one_page_is_gb18030_one_has_crlf_and_one_lies_in_a_hidden_folder() -> None:
    assert decode((SAMPLES / "legacy/常见故障.txt").read_bytes()).encoding.lower() == "gb18030"
    assert "\r\n" in library()["reference/cli-and-api.md"].text
    assert ".drafts/fair-share.md" in library()


def test_a_small_fixed_window_cuts_the_retry_rule_that_structure_keeps_whole() -> None:
    rule = "默认最多自动重试三次。第三次仍然失败时，协调器把任务移入死信队列"
    assert home("guides/retry.md", rule) is not None
    assert home("guides/retry.md", rule, SMALL_WINDOWS) is None


def test_a_small_fixed_window_cuts_the_table_of_queue_settings_from_its_header() -> None:
    path, header = "reference/configuration.md", "| key | type | default | range | live | meaning |"
    text = library()[path].text
    first, last = text.index("| `max_retry_count`"), text.index("| `order`")
    table = text.rindex(header, 0, first)
    assert home(path, text[table:last]) is not None
    row = next(c for c in chunks(path, SMALL_WINDOWS) if c.start <= last < c.end)
    assert header not in text[row.start : last]


def test_source_code_is_cut_between_functions_and_by_fixed_windows_within_them() -> None:
    path = "examples/nightly_report.py"
    functions = re.findall(r"^def .*(?:\n(?:[ \t].*)?)*\n[ \t].*", library()[path].text, re.MULTILINE)
    assert len(functions) >= 6
    assert len(chunks(path)) >= 3
    assert [home(path, each) for each in functions].count(None) == 0
    assert None in [home(path, each, SMALL_WINDOWS) for each in functions]


def test_two_runbooks_repeat_one_chunk_word_for_word() -> None:
    pages = [
        {library()[path].text[c.start : c.end].strip() for c in chunks(path)}
        for path in ("runbooks/dead-letter.md", "runbooks/backup.md")
    ]
    (repeated,) = pages[0] & pages[1]
    assert "执行之前请确认三件事" in repeated


def test_three_pages_give_the_retry_rule_in_nearly_the_same_words() -> None:
    sentence = "同一个任务默认最多自动重试三次"
    assert holders(sentence) == {"guides/retry.md", "faq.md", "runbooks/oncall.md"}


def test_comments_in_fences_are_no_headings() -> None:
    kubernetes = library()["guides/kubernetes.md"]
    comments = re.findall(r"^# (.+)$", kubernetes.text, re.MULTILINE)
    headings = {part for section in sections(kubernetes.text, "markdown") for part in section.path}
    assert len(comments) > 3
    assert headings & set(comments) == {"Running on Kubernetes"}


def test_the_page_after_the_hit_holds_the_steps_that_the_hit_only_announces() -> None:
    case = next(case for case in CASES if case["id"] == "zh-47")
    announced, steps = (claim["evidence"][0] for claim in case["claims"])
    places = [home(piece["file"], piece["text"]) for piece in (announced, steps)]
    assert announced["file"] == steps["file"]
    assert places[0] is not None
    assert places[1] == places[0] + 1
    assert not bigrams(case["query"]) & bigrams(steps["text"])


def test_one_document_has_so_many_chunks_that_a_quota_matters() -> None:
    assert max(len(chunks(path)) for path in library()) >= 20


def test_versions_that_differ_by_a_dot_have_a_page_each() -> None:
    assert holders("v2.3.1") == {"releases/v2.3.1.md"}
    assert holders("v2.31.0") == {"releases/v2.31.md"}
