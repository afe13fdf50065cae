"""The formats of evaluation sets, one module each, and the reader that tells which one a path holds."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import SetError
from engine.evaluate.formats.beir import QUERIES, read_answers, read_beir, read_noanswer
from engine.evaluate.formats.ours import read_jsonl, read_toml
from engine.evaluate.formats.source import lines, parsed, read_text
from engine.evaluate.formats.squad import read_squad
from engine.evaluate.formats.trec import read_trec
from engine.evaluate.sets import EvaluationSet
from engine.settings.fields import quoted

__all__ = ["read_set"]

_OURS = "evaluation.toml"
_READS = (
    "it may be our TOML or JSON Lines, a BEIR folder or one of its qrels, SQuAD-style JSON, "
    "or TREC qrels beside their topics"
)


def read_set(path: Path) -> EvaluationSet:
    """The set at a path, in whichever format it is.

    A folder is a BEIR folder, or holds ``evaluation.toml``, or TREC qrels and topics. A file of judgements is
    read with the queries or topics beside it. Raises ``SetError`` where nothing fits, or what fits is malformed.
    """
    if path.is_dir():
        return _folder(path)
    suffix = path.suffix.lower()
    if suffix == ".toml":
        return read_toml(path)
    if suffix in (".jsonl", ".ndjson"):
        return _json_lines(path)
    if suffix == ".json":
        return _json(path)
    if path.parent.name == "qrels" and (path.parent.parent / QUERIES).is_file():
        return read_beir(path.parent.parent, path)
    return _trec(path)


def _folder(folder: Path) -> EvaluationSet:
    if (folder / QUERIES).is_file():
        return read_beir(folder)
    if (folder / _OURS).is_file():
        return read_toml(folder / _OURS)
    judged = [each for each in _files(folder) if _is_qrels(each)]
    if len(judged) == 1:
        return _trec(judged[0])
    raise SetError(f"{quoted(str(folder), 200)} holds no evaluation set that can be told", _READS)


def _json_lines(path: Path) -> EvaluationSet:
    if path.name == QUERIES:
        return read_beir(path.parent)
    first = next(lines(read_text(path)), None)
    row = parsed(first[1], f"{quoted(str(path), 200)}, line {first[0]}") if first else None
    if isinstance(row, dict) and "query-id" in row and "answers" in row:
        return read_answers(path)
    return read_jsonl(path)


def _json(path: Path) -> EvaluationSet:
    table = parsed(read_text(path), quoted(str(path), 200))
    if isinstance(table, dict) and "drop_docs" in table:
        return read_noanswer(path)
    if isinstance(table, dict) and "data" in table:
        return read_squad(path)
    raise SetError(f"{quoted(str(path), 200)} is no evaluation set that can be told", _READS)


def _trec(path: Path) -> EvaluationSet:
    """Judgements and topics: the path is one of them, the other the only one of its kind beside it."""
    judgements = _is_qrels(path)
    others = [each for each in _files(path.parent) if each != path and _is_qrels(each) != judgements]
    topics = [each for each in others if re.search("topic|quer", each.name, re.IGNORECASE)]
    beside = topics if judgements else others
    if len(beside) != 1:
        wanted = "topics" if judgements else "qrels"
        raise SetError(
            f"{quoted(str(path), 200)} has {len(beside) or 'no'} {wanted} beside it",
            f"keep one alone; {_READS}",
        )
    return read_trec(path, beside[0]) if judgements else read_trec(beside[0], path)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_file())
    except OSError as error:
        raise SetError(f"{quoted(str(folder), 200)} cannot be read: {error.strerror}") from None


def _is_qrels(path: Path) -> bool:
    """Whether the first line has the four columns of TREC: topic, iteration, document, grade."""
    try:
        with path.open("rb") as file:
            columns = file.readline(4096).split()
    except OSError as error:
        raise SetError(f"{quoted(str(path), 200)} cannot be read: {error.strerror}") from None
    return len(columns) == 4 and re.fullmatch(rb"-?[0-9]+", columns[3]) is not None
