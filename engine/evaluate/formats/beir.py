"""BEIR folders as sets: ``queries.jsonl``, ``qrels/*.tsv``, and ``corpus.jsonl``, which is the library.

Judgements are of whole documents; each relevant one is a claim of its own, with its grade. A query that the
judgements do not name belongs to another split and is left out, unless it says ``"answerable": false``. Beside
the folder's own files, a ``noanswer-split.json`` names documents that are taken away so that the questions on
them have no answer, and ``answers.jsonl`` the spans that answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.errors import SetError
from engine.evaluate.formats.source import hashed, lines, objects, parsed, read_text, wrong
from engine.evaluate.names import corpus_path, identity_of
from engine.evaluate.sets import SET_VERSION, Case, Claim, EvaluationSet, Evidence
from engine.settings.fields import quoted

QUERIES = "queries.jsonl"
Judgements = dict[str, dict[str, int]]
"""Query id → document id → grade."""


def read_beir(folder: Path, qrels: Path | None = None) -> EvaluationSet:
    """The set of a folder, by these judgements or by ``qrels/test.tsv`` (or the only file there).

    Raises ``SetError``.
    """
    chosen = qrels or _split(folder)
    judged = read_qrels(chosen)
    cases = tuple(
        _case(identity, text, unanswerable, judged.get(identity, {}))
        for identity, text, unanswerable in read_queries(folder / QUERIES)
        if identity in judged or unanswerable
    )
    if not cases:
        raise SetError(
            f"0 of {len(judged)} judged queries of {quoted(str(chosen), 200)} occur in {QUERIES}",
            "check that both belong to one set",
        )
    name = folder.resolve().name if chosen.stem == "test" else f"{folder.resolve().name}/{chosen.stem}"
    return EvaluationSet(
        SET_VERSION, name, cases, source_hash=hashed(read_text(folder / QUERIES), read_text(chosen))
    )


def read_noanswer(path: Path) -> EvaluationSet:
    """The set of the folder that holds ``noanswer-split.json``, with the questions that it makes unanswerable.

    ``absent`` are the documents to take away. Raises ``SetError``.
    """
    text = read_text(path)
    table = parsed(text, quoted(str(path), 200))
    keys = ("drop_docs", "unanswerable_queries", "excluded_queries")
    lists = [table.get(key, []) if isinstance(table, dict) else None for key in keys]
    if not all(isinstance(each, list) and all(isinstance(item, str) for item in each) for each in lists):
        raise SetError(f"{quoted(str(path), 200)}: {', '.join(keys)} must be lists of ids")
    dropped, unanswerable, excluded = (set(each or ()) for each in lists)
    whole = read_beir(path.parent)
    cases = tuple(
        Case(case.id, case.query, answerable=False) if case.id in unanswerable else case
        for case in whole.cases
        if case.id not in excluded
    )
    return EvaluationSet(
        SET_VERSION,
        f"{whole.name} without answers",
        cases,
        source_hash=hashed(whole.source_hash, text),
        absent=tuple(corpus_path(identity) for identity in sorted(dropped)),
    )


def read_answers(path: Path) -> EvaluationSet:
    """The questions of the folder that holds ``answers.jsonl``, with spans of the documents as evidence.

    Raises ``SetError`` where a row lacks its query or has no span.
    """
    queries = {identity: text for identity, text, _ in read_queries(path.parent / QUERIES)}
    cases: list[Case] = []
    problems: list[str] = []
    for number, row in objects(path):
        identity, answers = row.get("query-id"), row.get("answers")
        if not isinstance(identity, str) or identity not in queries or not isinstance(answers, list):
            problems.append(f"line {number}: its query-id is not in {QUERIES}, or it has no list of answers")
            continue
        pieces = tuple(dict.fromkeys(_answer(row.get("corpus-id"), answer) for answer in answers))
        if None in pieces or (not pieces and row.get("answerable") is not False):
            problems.append(f"line {number}: an answer has no text, start and end")
            continue
        claims = (Claim("1", tuple(piece for piece in pieces if piece is not None)),) if pieces else ()
        cases.append(Case(identity, queries[identity], answerable=bool(claims), claims=claims))
    if problems:
        wrong(path, problems)
    source = hashed(read_text(path.parent / QUERIES), read_text(path))
    return EvaluationSet(
        SET_VERSION, f"{path.resolve().parent.name}/answers", tuple(cases), source_hash=source
    )


def read_queries(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Id, text, and whether ``metadata`` says that nothing answers it. Raises ``SetError``."""
    seen: set[str] = set()
    for number, row in objects(path):
        identity, text, metadata = row.get("_id"), row.get("text"), row.get("metadata")
        if isinstance(identity, int) and not isinstance(identity, bool):
            identity = str(identity)
        if not isinstance(identity, str) or not identity or not isinstance(text, str):
            raise SetError(f"{quoted(str(path), 200)}, line {number}: no _id or no text")
        if identity in seen:
            raise SetError(
                f"{quoted(str(path), 200)}, line {number}: the id {quoted(identity)} was there before"
            )
        seen.add(identity)
        yield identity, text, isinstance(metadata, dict) and metadata.get("answerable") is False


def read_qrels(path: Path) -> Judgements:
    """Judgements in three columns with a header, or in the four of TREC. Raises ``SetError``.

    Of a document judged twice for one query the higher grade counts.
    """
    found: Judgements = {}
    for number, line in lines(read_text(path)):
        columns = line.split("\t") if "\t" in line else line.split()
        if number == 1 and columns[-1].strip().lower() in ("score", "grade", "rel", "relevance", "label"):
            continue
        if len(columns) == 4:
            del columns[1]
        try:
            query, document, grade = (column.strip() for column in columns)
            value = int(grade)
        except ValueError:
            raise SetError(
                f"{quoted(str(path), 200)}, line {number}: not a query, a document and a whole number"
            ) from None
        row = found.setdefault(query, {})
        row[document] = max(value, row.get(document, value))
    if not found:
        raise SetError(f"{quoted(str(path), 200)} holds no judgement")
    return found


def judged_case(identity: str, text: str, grades: Mapping[str, int]) -> Case:
    """A case whose claims are the relevant documents; ``grades`` is by document, as evidence names it."""
    claims = tuple(
        Claim(identity_of(document), (Evidence(document),), grade=grade)
        for document, grade in grades.items()
        if grade > 0
    )
    rest = tuple((document, grade) for document, grade in grades.items() if grade <= 0)
    return Case(identity, text, claims=claims, irrelevant=rest)


# --- writing
# ----------------------------------------------------------------------------------------------


def queries_jsonl(evaluation: EvaluationSet) -> str:
    """``queries.jsonl``; what has no answer says so in its metadata."""
    rows = (
        {"_id": case.id, "text": case.query, "metadata": {"answerable": case.answerable}}
        for case in evaluation.cases
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def qrels_tsv(evaluation: EvaluationSet) -> str:
    """``qrels/test.tsv``. Evidence within a document makes that document relevant: the span is lost."""
    rows = [
        f"{case.id}\t{document}\t{grade}\n"
        for case in evaluation.cases
        for document, grade in document_grades(case).items()
    ]
    return "query-id\tcorpus-id\tscore\n" + "".join(rows)


def document_grades(case: Case) -> dict[str, int]:
    """Document id → the highest grade of a claim that it satisfies, and the grades of what is irrelevant."""
    found = {identity_of(file): grade for file, grade in case.irrelevant}
    for claim in case.claims:
        for piece in claim.evidence:
            identity = identity_of(piece.file)
            found[identity] = max(claim.grade, found.get(identity, 0))
    return found


def corpus_without(folder: Path, absent: tuple[str, ...]) -> Iterator[str]:
    """The lines of a folder's ``corpus.jsonl`` without these documents, each with its newline.

    Raises ``SetError`` where it cannot be read.
    """
    dropped = {identity_of(path) for path in absent}
    corpus = folder / "corpus.jsonl"
    for number, line in lines(read_text(corpus)):
        row = parsed(line, f"{quoted(str(corpus), 200)}, line {number}")
        if not isinstance(row, dict) or str(row.get("_id")) not in dropped:
            yield f"{line}\n"


# --- parts
# ------------------------------------------------------------------------------------------------


def _case(identity: str, text: str, unanswerable: bool, grades: Mapping[str, int]) -> Case:
    if unanswerable:
        return Case(identity, text, answerable=False)
    return judged_case(identity, text, {corpus_path(document): grade for document, grade in grades.items()})


def _split(folder: Path) -> Path:
    found = sorted((folder / "qrels").glob("*.tsv"))
    test = folder / "qrels" / "test.tsv"
    if test in found or len(found) == 1:
        return test if test in found else found[0]
    names = ", ".join(quoted(each.name) for each in found[:5])
    raise SetError(
        f"{quoted(str(folder), 200)} has {len(found)} files in qrels/{': ' + names if names else ''}",
        "name the one to use" if found else "it is no BEIR folder",
    )


def _answer(document: object, answer: object) -> Evidence | None:
    if not isinstance(document, str) or not isinstance(answer, dict):
        return None
    text, start, end = (answer.get(key) for key in ("text", "start", "end"))
    if not isinstance(text, str) or not text or not isinstance(start, int) or not isinstance(end, int):
        return None
    return Evidence(corpus_path(document), text, start, end)
