from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import SetError
from engine.evaluate.formats.squad import read_squad, squad
from engine.evaluate.sets import Case, Claim, EvaluationSet, Evidence
from engine.evaluate.validate import validate

CONTEXT = "最多自动重试三次，随后进入隔离队列。"


def written(tmp_path: Path, *questions: object, context: object = CONTEXT) -> Path:
    path = tmp_path / "squad.json"
    data = {
        "version": "1.1",
        "data": [{"title": "t", "paragraphs": [{"context": context, "qas": list(questions)}]}],
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def question(**fields: object) -> dict[str, object]:
    return {"id": "q", "question": "几次？", "answers": [{"text": "三次", "answer_start": 6}], **fields}


def test_answers_are_alternatives_within_the_passage(tmp_path: Path) -> None:
    answers = [
        {"text": "三次", "answer_start": 6},
        {"text": "重试三次", "answer_start": 4},
        {"text": "三次", "answer_start": 6},
    ]
    (case,) = read_squad(written(tmp_path, question(answers=answers))).cases
    assert case.claims == (
        Claim(
            "1",
            (Evidence("", "三次", 6, 8, passage=CONTEXT), Evidence("", "重试三次", 4, 8, passage=CONTEXT)),
        ),
    )


def test_the_document_that_holds_the_passage_is_found(tmp_path: Path) -> None:
    found = read_squad(written(tmp_path, question()))
    checked = validate(found, {"a.md": "无关", "b.md": f"前言。\n{CONTEXT}\n"})
    assert checked.usable().cases[0].evidence == (Evidence("b.md", "三次", 10, 12),)


def test_an_answer_without_an_offset_stands_where_its_text_does(tmp_path: Path) -> None:
    found = read_squad(written(tmp_path, question(answers=[{"text": "隔离队列", "answer_start": -1}])))
    assert validate(found, {"a": CONTEXT}).usable().cases[0].evidence[0].start == 13


def test_an_offset_that_does_not_hold_the_answer_is_a_problem_of_that_case_alone(tmp_path: Path) -> None:
    found = read_squad(
        written(tmp_path, question(answers=[{"text": "三次", "answer_start": 5}]), question(id="r"))
    )
    checked = validate(found, {"a": CONTEXT})
    assert checked.invalid == ("q",)
    assert checked.problems[0].kind == "moved"
    assert [case.id for case in checked.usable(skip_invalid=True).cases] == ["r"]


def test_what_is_impossible_is_unanswerable_whatever_looked_plausible(tmp_path: Path) -> None:
    (case,) = read_squad(written(tmp_path, question(is_impossible=True, plausible_answers=[{}]))).cases
    assert (case.answerable, case.claims) == (False, ())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"answers": []}, "question 1: no answer, and it is not marked is_impossible"),
        ({"id": None}, "question 1: no id or no question"),
        ({"answers": [{"answer_start": 0}]}, "question 1: an answer has no text"),
        ({"answers": [None]}, "question 1: an answer has no text"),
    ],
)
def test_malformed_questions_are_told(tmp_path: Path, fields: dict[str, object], said: str) -> None:
    with pytest.raises(SetError, match=said):
        read_squad(written(tmp_path, question(**fields)))


def test_a_paragraph_without_a_context_and_repeated_ids_are_told(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="its paragraph has no context"):
        read_squad(written(tmp_path, question(), context=None))
    with pytest.raises(SetError, match="1 questions have an id that was there before"):
        read_squad(written(tmp_path, question(), question()))


@pytest.mark.parametrize("text", ['{"data": 3}', "[]", '{"data": []}', '{"data": [{"paragraphs": "x"}, 3]}'])
def test_other_json_is_no_set(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SetError):
        read_squad(path)


def test_a_set_that_is_written_is_found_again_at_the_same_spans(tmp_path: Path) -> None:
    texts = {"a.md": CONTEXT, "b.md": "x"}
    cases = (
        Case(
            "1",
            "q",
            claims=(Claim("1", (Evidence("a.md", start=6, end=8), Evidence("a.md", start=4, end=8))),),
        ),
        Case("2", "r", answerable=False),
    )
    path = tmp_path / "s.json"
    path.write_text(squad(EvaluationSet(1, "s", cases), texts), encoding="utf-8")
    again = validate(read_squad(path), texts).usable()
    assert [case.answerable for case in again.cases] == [True, False]
    assert [(piece.file, piece.start, piece.end) for piece in again.cases[0].evidence] == [
        ("a.md", 6, 8),
        ("a.md", 4, 8),
    ]
