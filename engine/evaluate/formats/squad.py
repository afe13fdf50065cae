"""SQuAD-style JSON: ``data`` → ``paragraphs`` → ``context`` and ``qas`` with ``answers`` at ``answer_start``.

It names no documents: the passage itself tells where the evidence stands, in whichever document of the library
holds it (``validate`` finds it). CMRC, DRCD and XQuAD come in this form, too. Offsets are code points.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.errors import SetError
from engine.evaluate.formats.source import hashed, parsed, read_text, wrong
from engine.evaluate.sets import SET_VERSION, Case, Claim, EvaluationSet, Evidence
from engine.settings.fields import quoted


class _Malformed(ValueError):
    """What is wrong with one question."""


def read_squad(path: Path) -> EvaluationSet:
    """Read a set. Raises ``SetError`` with every problem."""
    text = read_text(path)
    table = parsed(text, quoted(str(path), 200))
    if not isinstance(table, dict) or not isinstance(table.get("data"), list):
        raise SetError(f"{quoted(str(path), 200)} has no list `data`", "it is no SQuAD-style set")
    cases: list[Case] = []
    problems: list[str] = []
    for number, (context, question) in enumerate(_questions(table["data"]), 1):
        try:
            cases.append(_case(context, question))
        except _Malformed as problem:
            problems.append(f"question {number}: {problem}")
    repeated = len(cases) - len({case.id for case in cases})
    if repeated:
        problems.append(f"{repeated} questions have an id that was there before")
    if problems:
        wrong(path, problems)
    if not cases:
        raise SetError(f"{quoted(str(path), 200)} holds no question")
    return EvaluationSet(SET_VERSION, path.stem, tuple(cases), source_hash=hashed(text))


def squad(evaluation: EvaluationSet, texts: Mapping[str, str]) -> str:
    """A located set as SQuAD-style JSON: a document is a paragraph, a claim's alternatives are answers.

    ``texts`` is document path → text. Where a question has several claims or documents, those of the first
    document alone are kept: the form has one context a question. What has no answer goes with the first
    document.
    """
    questions: dict[str, list[dict[str, object]]] = {}
    for case in evaluation.cases:
        pieces = [piece for piece in case.evidence if piece.start is not None and piece.file in texts]
        path = pieces[0].file if pieces else next(iter(texts), "")
        answers = [
            {"text": texts[path][piece.start : piece.end], "answer_start": piece.start}
            for piece in pieces
            if piece.file == path
        ]
        question = {"id": case.id, "question": case.query, "answers": answers, "is_impossible": not answers}
        questions.setdefault(path, []).append(question)
    data = [
        {"title": path, "paragraphs": [{"context": texts.get(path, ""), "qas": rows}]}
        for path, rows in questions.items()
    ]
    return json.dumps({"version": evaluation.name, "data": data}, ensure_ascii=False, indent=1) + "\n"


def _questions(data: list[object]) -> Iterator[tuple[object, object]]:
    """Every question with its context, whatever their types."""
    for article in data:
        for paragraph in _items(article, "paragraphs"):
            for question in _items(paragraph, "qas"):
                yield (paragraph.get("context") if isinstance(paragraph, dict) else None), question


def _items(table: object, key: str) -> list[object]:
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, list) else []


def _case(context: object, question: object) -> Case:
    if not isinstance(context, str) or not context:
        raise _Malformed("its paragraph has no context")
    if not isinstance(question, dict):
        raise _Malformed("not an object")
    identity, text = question.get("id"), question.get("question")
    if isinstance(identity, int) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or not identity or not isinstance(text, str):
        raise _Malformed("no id or no question")
    impossible = question.get("is_impossible", False) is True
    pieces = dict.fromkeys(_answer(context, answer) for answer in _items(question, "answers"))
    if impossible:
        return Case(identity, text, answerable=False)
    if not pieces:
        raise _Malformed("no answer, and it is not marked is_impossible")
    return Case(identity, text, claims=(Claim("1", tuple(pieces)),))


def _answer(context: str, answer: object) -> Evidence:
    text, start = (
        (answer.get("text"), answer.get("answer_start")) if isinstance(answer, dict) else (None, None)
    )
    if not isinstance(text, str) or not text:
        raise _Malformed("an answer has no text")
    if not isinstance(start, int) or isinstance(start, bool) or start < 0:
        return Evidence("", text, passage=context)  # some sets write -1 where they did not look
    return Evidence("", text, start, start + len(text), passage=context)
