"""Our own format: what it reads, what it refuses and how it says so, and that writing loses nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SetError
from engine.evaluate.formats.ours import jsonl, read_jsonl, read_toml, toml
from engine.evaluate.formats.table import read_case, write_case
from engine.evaluate.sets import Case, Claim, Evidence, Preference

SAMPLES = Path(__file__).resolve().parent.parent.parent.parent / "samples" / "evaluation.toml"


def case(**fields: object) -> Case:
    return read_case({"id": "c", "query": "why?", **fields})


def written(tmp_path: Path, text: str, name: str = "set.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


# --- what it reads


def test_simple_evidence_becomes_claims_of_one_alternative_each() -> None:
    found = case(
        evidence=[{"file": "a.md", "text": "x"}, {"file": "b.md", "start": 3, "end": 9, "heading": "H"}]
    )
    assert found.claims == (
        Claim("1", (Evidence("a.md", "x"),)),
        Claim("2", (Evidence("b.md", start=3, end=9, heading="H"),)),
    )
    assert found.answerable


def test_a_claim_has_alternatives_terms_and_a_grade() -> None:
    pieces = [{"file": "a.md", "text": "x"}, {"file": "b.md", "text": "y"}]
    (claim,) = case(claims=[{"id": "k", "evidence": pieces, "required_terms": ["三次"], "grade": 2}]).claims
    assert claim == Claim("k", (Evidence("a.md", "x"), Evidence("b.md", "y")), ("三次",), 2)


def test_rows_with_a_string_as_evidence_and_offsets_are_read() -> None:
    row = {
        "id": "r",
        "query": "q",
        "file": "a.md",
        "evidence": "three",
        "start": 4,
        "end": 9,
        "line": 1,
        "note": "n",
    }
    assert read_case(row).claims == (Claim("1", (Evidence("a.md", "three", 4, 9),)),)


def test_rows_with_a_list_of_evidences_need_all_of_them() -> None:
    rows = [{"file": "a.md", "evidence": "x", "start": 0, "end": 1}, {"file": "b.md", "start": 2, "end": 4}]
    found = case(kind="conflict", evidences=rows)
    assert [claim.evidence for claim in found.claims] == [
        (Evidence("a.md", "x", 0, 1),),
        (Evidence("b.md", start=2, end=4),),
    ]


def test_a_row_of_the_kind_unanswerable_needs_no_further_word() -> None:
    assert not case(kind="unanswerable").answerable


def test_pairs_are_read_in_either_form() -> None:
    better, worse = {"file": "a.md", "text": "x"}, {"file": "b.md", "text": "y"}
    expected = (Preference(Evidence("a.md", "x"), Evidence("b.md", "y")),)
    evidence = [{"file": "a.md", "text": "x"}]
    assert case(evidence=evidence, pairs=[{"better": better, "worse": worse}]).preferences == expected
    assert case(evidence=evidence, better=better, worse=worse).preferences == expected


def test_the_samples_are_read_and_counted() -> None:
    found = read_toml(SAMPLES)
    assert (found.version, found.name) == (1, "Drayhorse documentation")
    assert sum(not each.answerable for each in found.cases) >= 8
    assert not found.by_document
    assert {each.lang for each in found.only(lang=["zh"]).cases} == {"zh"}
    assert {each.kind for each in found.only(kind=["number", "conflict"]).cases} == {"number", "conflict"}


def test_the_rows_of_another_collection_are_read(shared: Path) -> None:
    found = read_jsonl(shared / "data" / "docs-eval.jsonl")
    assert (len(found.cases), sum(each.answerable for each in found.cases)) == (29, 23)


def test_json_lines_may_begin_with_a_header(tmp_path: Path) -> None:
    rows = [
        {"version": 1, "name": "N", "corpus_version": "abc"},
        {"id": "1", "query": "q", "answerable": False},
    ]
    text = "\ufeff" + "\n\n".join(map(json.dumps, rows)) + "\r\n"
    found = read_jsonl(written(tmp_path, text, "set.jsonl"))
    assert (found.name, found.corpus_pin, len(found.cases)) == ("N", "abc", 1)


def test_the_hash_is_that_of_the_content_and_not_of_the_place(tmp_path: Path) -> None:
    text = '[[cases]]\nid = "1"\nquery = "q"\nanswerable = false\n'
    one, two = (read_toml(written(tmp_path, text, name)) for name in ("a.toml", "b.toml"))
    other = read_toml(written(tmp_path, text + "\n", "c.toml"))
    assert one.source_hash == two.source_hash != other.source_hash


# --- what it writes


def names() -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)


@st.composite
def pieces(draw: st.DrawFn) -> Evidence:
    start = draw(st.integers(0, 99))
    form = draw(st.sampled_from(["text", "span", "both", "whole"]))
    return Evidence(
        draw(names()),
        draw(names()) if form in ("text", "both") else "",
        start if form in ("span", "both") else None,
        start + draw(st.integers(1, 9)) if form in ("span", "both") else None,
        draw(st.sampled_from(["", "Heading"])),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    several = st.lists(pieces(), min_size=1, max_size=3).map(tuple)
    claims = draw(
        st.lists(
            st.builds(Claim, names(), several, st.lists(names(), max_size=2).map(tuple), st.integers(1, 3)),
            max_size=3,
            unique_by=lambda claim: claim.id,
        )
    )
    return Case(
        draw(names()),
        draw(names()),
        draw(st.sampled_from(["", "zh"])),
        draw(st.sampled_from(["", "number", "unanswerable"])),
        tuple(draw(st.lists(names(), max_size=2))),
        bool(claims),
        tuple(claims),
        tuple(draw(st.lists(names(), max_size=2))),
        draw(st.sampled_from(["", "QUESTION_OUT_OF_SCOPE"])),
        tuple(draw(st.lists(st.builds(Preference, pieces(), pieces()), max_size=2))),
        tuple(draw(st.lists(st.tuples(names(), st.integers(-2, 0)), max_size=2))),
    )


@given(case=cases())
def test_a_case_that_is_written_reads_as_it_was(case: Case) -> None:
    assert read_case(write_case(case)) == case


def test_a_set_that_is_written_reads_as_it_was_in_both_forms(tmp_path: Path) -> None:
    found = read_toml(SAMPLES)
    assert read_toml(written(tmp_path, toml(found), "x.toml")).cases == found.cases
    again = read_jsonl(written(tmp_path, jsonl(found), "x.jsonl"))
    assert (again.cases, again.name) == (found.cases, found.name)


# --- what it refuses


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "neither evidence nor claims"),
        ({"answerable": False, "evidence": [{"file": "a", "text": "x"}]}, "it has evidence and is not answerable"),
        ({"answerable": "no"}, "answerable is no"),
        ({"evidance": []}, "there is no field evidance; did you mean evidence"),
        ({"evidence": [{"file": "a", "txt": "x"}]}, "evidence 1: there is no field txt; did you mean text"),
        ({"evidence": [{"file": "a", "text": " \n"}]}, "evidence 1: its text is blank"),
        ({"evidence": [{"text": "x"}]}, "it has no file"),
        ({"evidence": ["x"]}, "evidence 1 is x, it must be a table"),
        ({"evidence": [{"file": "a", "start": 3}]}, "evidence 1 has start alone"),
        ({"evidence": [{"file": "a", "start": 3, "end": 3}]}, r"\[3, 3\) is no span"),
        ({"evidence": [{"file": "a", "start": -1, "end": 3}]}, r"\[-1, 3\) is no span"),
        ({"evidence": [{"file": "a", "start": 1.5, "end": 3}]}, "start is 1.5, it must be a whole number"),
        ({"evidence": [], "claims": []}, "it has both claims and evidence"),
        ({"claims": [{"id": "a", "evidence": []}]}, "claim 1 has no list of evidence"),
        ({"claims": [{"evidence": [{"file": "a"}], "grade": 0}]}, "grade is 0"),
        ({"claims": [{"id": "1", "evidence": [{"file": "a"}]}] * 2}, "two claims have the same id"),
        ({"kind": "unanswerable", "expected_reason": "NOPE"}, "expected_reason is NOPE, it must be one of NO_REL"),
        ({"kind": "unanswerable", "scopes": "ops"}, "scopes is ops, it must be a list of texts"),
        ({"kind": "unanswerable", "pairs": [{"better": {"file": "a"}}]}, "pair 1 must have better and worse"),
        ({"kind": "unanswerable", "query": " "}, "it has no query"),
        ({"kind": "unanswerable", "id": 3}, "id is 3, it must be text"),
    ],
)  # fmt: skip
def test_a_malformed_case_is_told_in_a_few_words(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        case(**fields)


def test_every_problem_is_told_at_once_with_its_case(tmp_path: Path) -> None:
    text = '[[cases]]\nid = "one"\nquery = "q"\n[[cases]]\nid = "two"\nanswerable = false\n'
    with pytest.raises(SetError, match=r"case 1 \(one\): neither .*; case 2 \(two\): it has no query"):
        read_toml(written(tmp_path, text))


def test_two_cases_with_one_id_are_refused(tmp_path: Path) -> None:
    row = '{"id": "x", "query": "q", "answerable": false}\n'
    with pytest.raises(SetError, match=r"line 2 \(x\): line 1 has the same id"):
        read_jsonl(written(tmp_path, row * 2, "set.jsonl"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cases = 3", r"has no \[\[cases\]\]"),
        ("a = ", "not TOML"),
        ("version = 2\ncases = []", "holds no case"),
        (
            'version = 2\n[[cases]]\nid = "1"\nquery = "q"\nanswerable = false',
            "this rankscope reads 1: update",
        ),
        ('version = true\n[[cases]]\nid = "1"\nquery = "q"\nanswerable = false', "version is True"),
        ('name = 3\n[[cases]]\nid = "1"\nquery = "q"\nanswerable = false', "name is 3, it must be text"),
    ],
)
def test_a_file_that_is_no_set_is_told_apart(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SetError, match=said):
        read_toml(written(tmp_path, text))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"id": 1\n', "line 1: not JSON"),
        (b"[1]\n", "line 1: not an object"),
        (b"\xff\xfe", "line 1: not UTF-8"),
        (b"[" * 100_000, "line 1: not JSON"),
        (b"\n\n", "holds no case"),
    ],
)
def test_hostile_json_lines_are_refused_with_their_line(tmp_path: Path, raw: bytes, said: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(raw)
    with pytest.raises(SetError, match=said):
        read_jsonl(path)


def test_what_a_message_quotes_cannot_break_out_of_it(tmp_path: Path) -> None:
    row = json.dumps({"id": "x\x1b[31m\n", "query": "q"})
    with pytest.raises(SetError) as error:
        read_jsonl(written(tmp_path, row, "set.jsonl"))
    assert str(error.value).isprintable()


def test_a_lone_surrogate_from_json_is_replaced(tmp_path: Path) -> None:
    row = '{"id": "x", "query": "a\\ud800b", "answerable": false}'
    (found,) = read_jsonl(written(tmp_path, row, "set.jsonl")).cases
    assert found.query == "a\ufffdb"
