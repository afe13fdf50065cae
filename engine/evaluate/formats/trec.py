"""TREC topics and judgement files. Documents are named by their ids; ``validate`` finds them in the library.

Topics come as ``<top>`` blocks (the title is the query), as ``<topic number="…">`` elements (their query,
title or text), or as lines of id, tab, query. They are never given to an XML parser: a hostile one can grow.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from engine.errors import SetError
from engine.evaluate.formats.beir import document_grades, judged_case, read_qrels
from engine.evaluate.formats.source import hashed, lines, read_text
from engine.evaluate.sets import SET_VERSION, Case, EvaluationSet
from engine.settings.fields import quoted

_TOP = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number:?)?\s*([^\s<]+)", re.IGNORECASE)
_TITLE = re.compile(r"<title>\s*(?:Topic:?)?([^<]*)", re.IGNORECASE)
_TOPIC = re.compile(r"<topic\b([^>]*)>(.*?)</topic>", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"\b(?:number|id|num|qid)\s*=\s*[\"']([^\"']+)[\"']", re.IGNORECASE)
_QUERY = re.compile(r"<(query|title)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")


def read_trec(qrels: Path, topics: Path) -> EvaluationSet:
    """The set of a judgement file and its topics. A topic without judgements is left out.

    Raises ``SetError``.
    """
    judged = read_qrels(qrels)
    cases: list[Case] = []
    for identity, text in read_topics(topics).items():
        if identity in judged:
            cases.append(judged_case(identity, text, judged[identity]))
    if not cases:
        raise SetError(
            f"0 of {len(judged)} judged queries of {quoted(str(qrels), 200)} occur in {quoted(topics.name)}",
            "check that both belong to one set",
        )
    source = hashed(read_text(qrels), read_text(topics))
    return EvaluationSet(SET_VERSION, qrels.stem, tuple(cases), source_hash=source)


def read_topics(path: Path) -> dict[str, str]:
    """Topic id → query. Raises ``SetError`` where there is none, or an id repeats."""
    found: dict[str, str] = {}
    for identity, text in _topics(read_text(path)):
        query = " ".join(html.unescape(text).split())
        if not query:
            raise SetError(f"{quoted(str(path), 200)}: topic {quoted(identity)} has no query")
        if found.setdefault(identity, query) != query:
            raise SetError(f"{quoted(str(path), 200)}: two topics have the id {quoted(identity)}")
    if not found:
        raise SetError(f"{quoted(str(path), 200)} holds no topic")
    return found


def qrels(evaluation: EvaluationSet) -> str:
    """The judgements in four columns. White space in an id, which would make a fifth, becomes ``_``."""
    return "".join(
        f"{_word(case.id)} 0 {_word(document)} {grade}\n"
        for case in evaluation.cases
        for document, grade in document_grades(case).items()
    )


def topics(evaluation: EvaluationSet) -> str:
    """The queries as lines of id, tab, query, each on one line."""
    return "".join(f"{_word(case.id)}\t{' '.join(case.query.split())}\n" for case in evaluation.cases)


def _word(identity: str) -> str:
    return "_".join(identity.split())


def _topics(text: str) -> Iterator[tuple[str, str]]:
    if re.search("<top>", text, re.IGNORECASE):
        for block in _TOP.findall(text):
            number, title = _NUMBER.search(block), _TITLE.search(block)
            if number and title:
                yield number[1], title[1]
        return
    if re.search(r"<topic\b", text, re.IGNORECASE):
        for attributes, body in _TOPIC.findall(text):
            named, query = _ID.search(attributes), _QUERY.search(body)
            if named:
                yield named[1], query[2] if query else _TAG.sub(" ", body)
        return
    for place, line in lines(text):
        identity, tab, words = line.partition("\t")
        if not tab:
            raise SetError(f"line {place} of the topics has no tab", "write id, tab, query")
        yield identity.strip(), words
