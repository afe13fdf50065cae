"""BEIR folders: judgements of whole documents, splits, and what is beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import SetError
from engine.evaluate.formats import beir
from engine.evaluate.formats.beir import read_answers, read_beir, read_noanswer, read_qrels
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence

HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    queries = [
        {"_id": "q1", "text": "one?"},
        {"_id": "q2", "text": "two?", "metadata": {"answerable": False}},
        {"_id": "q3", "text": "of another split?"},
        {"_id": 4, "text": "nothing judged relevant?"},
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    corpus = [{"_id": name, "title": name, "text": f"text of {name}"} for name in ("a", "b", "c")]
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in corpus), encoding="utf-8"
    )
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        HEADER + "q1\ta\t2\nq1\tb\t1\nq1\tc\t0\n4\ta\t0\n", encoding="utf-8"
    )
    (tmp_path / "qrels" / "dev.tsv").write_text(HEADER + "q3\ta\t1\n", encoding="utf-8")
    return tmp_path


def test_every_relevant_document_is_a_claim_with_its_grade(folder: Path) -> None:
    first = read_beir(folder).cases[0]
    assert first.claims == (
        Claim("a", (Evidence("corpus.jsonl#a"),), grade=2),
        Claim("b", (Evidence("corpus.jsonl#b"),), grade=1),
    )
    assert first.irrelevant == (("corpus.jsonl#c", 0),)


def test_whole_documents_are_judged(folder: Path) -> None:
    assert read_beir(folder).by_document


def test_queries_of_another_split_are_left_out_and_unanswerable_ones_are_not(folder: Path) -> None:
    found = read_beir(folder)
    assert [(case.id, case.answerable, case.scorable) for case in found.cases] == [
        ("q1", True, True),
        ("q2", False, False),
        ("4", True, False),
    ]


def test_another_split_is_read_by_its_name(folder: Path) -> None:
    found = read_beir(folder, folder / "qrels" / "dev.tsv")
    assert [case.id for case in found.cases if case.answerable] == ["q3"]
    assert found.name == f"{folder.name}/dev"


def test_of_several_splits_without_a_test_one_must_be_named(folder: Path) -> None:
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "train.tsv")
    with pytest.raises(SetError, match=r"2 files in qrels/: dev\.tsv, train\.tsv: name the one"):
        read_beir(folder)


def test_judgements_of_other_queries_are_an_error_that_counts(folder: Path) -> None:
    """EV-08."""
    (folder / "qrels" / "dev.tsv").write_text(HEADER + "Q1\ta\t1\nQ2\ta\t1\nQ3\ta\t1\n", encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n', encoding="utf-8")
    with pytest.raises(SetError, match="0 of 3 judged queries"):
        read_beir(folder, folder / "qrels" / "dev.tsv")


def test_what_a_split_takes_away_has_no_answer_and_must_be_absent(folder: Path) -> None:
    split = {"drop_docs": ["a", "b"], "unanswerable_queries": ["q1"], "excluded_queries": ["4"], "note": "n"}
    (folder / "noanswer-split.json").write_text(json.dumps(split), encoding="utf-8")
    found = read_noanswer(folder / "noanswer-split.json")
    assert [(case.id, case.answerable) for case in found.cases] == [("q1", False), ("q2", False)]
    assert found.absent == ("corpus.jsonl#a", "corpus.jsonl#b")
    (left,) = beir.corpus_without(folder, found.absent)
    assert json.loads(left)["_id"] == "c"


def test_answers_are_spans_of_the_document(folder: Path) -> None:
    rows = [
        {
            "query-id": "q1",
            "answerable": True,
            "corpus-id": "a",
            "answers": [{"text": "of", "start": 5, "end": 7}],
        },
        {"query-id": "q2", "answerable": False, "corpus-id": "a", "answers": []},
    ]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    first, second = read_answers(folder / "answers.jsonl").cases
    assert first.evidence == (Evidence("corpus.jsonl#a", "of", 5, 7),)
    assert not second.answerable


def test_an_answer_without_a_span_is_told(folder: Path) -> None:
    row = {"query-id": "q1", "answers": [{"text": "of", "start": "5", "end": 7}], "corpus-id": "a"}
    (folder / "answers.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(SetError, match="line 1: an answer has no text, start and end"):
        read_answers(folder / "answers.jsonl")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q\ta\n", "line 1: not a query, a document and a whole number"),
        (HEADER + "q\ta\tone\n", "line 2: not a query"),
        (HEADER, "holds no judgement"),
        ("q 0 a 1 x\n", "line 1: not a query"),
    ],
)
def test_malformed_judgements_are_told_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "q.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(SetError, match=said):
        read_qrels(tmp_path / "q.tsv")


def test_judgements_come_in_three_columns_or_in_four_and_the_higher_grade_counts(tmp_path: Path) -> None:
    (tmp_path / "three").write_text(HEADER + "q\ta b\t1\r\nq\ta b\t2\nq\ta b\t0\n", encoding="utf-8")
    (tmp_path / "four").write_text("q 0 a 1\nq Q0 b -1\n", encoding="utf-8")
    assert read_qrels(tmp_path / "three") == {"q": {"a b": 2}}
    assert read_qrels(tmp_path / "four") == {"q": {"a": 1, "b": -1}}


def test_a_folder_that_is_written_reads_as_it_was(folder: Path, tmp_path: Path) -> None:
    found = read_beir(folder)
    again = tmp_path / "again"
    (again / "qrels").mkdir(parents=True)
    (again / "queries.jsonl").write_text(beir.queries_jsonl(found), encoding="utf-8")
    (again / "qrels" / "test.tsv").write_text(beir.qrels_tsv(found), encoding="utf-8")
    assert {case.id: case for case in read_beir(again).cases} == {case.id: case for case in found.cases}


def test_evidence_within_a_document_is_written_as_that_document() -> None:
    claims = (
        Claim("1", (Evidence("a.md", "x"), Evidence("b.md", "y"))),
        Claim("2", (Evidence("a.md", "z"),), grade=2),
    )
    written = beir.qrels_tsv(EvaluationSet(1, "s", (Case("c", "q", claims=claims),)))
    assert written == HEADER + "c\ta.md\t2\nc\tb.md\t1\n"


def test_public_sets_are_read(shared: Path) -> None:
    squad = read_beir(shared / "data" / "squad2-en")
    assert (len(squad.cases), sum(case.answerable for case in squad.cases)) == (2000, 1000)
    without = read_noanswer(shared / "data" / "xquad-en" / "noanswer-split.json")
    assert (len(without.cases), sum(not case.answerable for case in without.cases)) == (1168, 212)
    assert len(without.absent) == 48
