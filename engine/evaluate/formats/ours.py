"""Our own format, as TOML (a header and ``[[cases]]``) and as JSON Lines (one case a line).

In JSON Lines the first line may be the header: an object with ``version`` or ``name`` and no ``query``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from engine.errors import SetError
from engine.evaluate.formats.source import hashed, objects, read_text, wrong
from engine.evaluate.formats.table import Malformed, read_case, write_case
from engine.evaluate.sets import SET_VERSION, Case, EvaluationSet
from engine.settings.fields import quoted


def read_toml(path: Path) -> EvaluationSet:
    """Read a set in TOML. Raises ``SetError`` with every problem, each with the case it concerns."""
    return parsed_toml(path, read_text(path))


def parsed_toml(path: Path, text: str) -> EvaluationSet:
    """The set that a text in TOML describes; ``path`` is for what is told. Raises ``SetError`` like ``read_toml``."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SetError(f"{quoted(str(path), 200)}: not TOML ({str(error)[:120]})") from None
    rows = table.pop("cases", None)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SetError(f"{quoted(str(path), 200)} has no [[cases]]", "it is no evaluation set")
    places = ((f"case {number}", row) for number, row in enumerate(rows, 1))
    return _set(path, table, _cases(path, places), hashed(text))


def read_jsonl(path: Path) -> EvaluationSet:
    """Read a set in JSON Lines. Raises ``SetError`` with every problem, each with its line."""
    return parsed_jsonl(path, read_text(path))


def parsed_jsonl(path: Path, text: str) -> EvaluationSet:
    """The set that a text in JSON Lines describes. Raises ``SetError`` like ``read_jsonl``."""
    rows = list(objects(path, text))
    header: dict[str, object] = {}
    if rows and "query" not in rows[0][1] and {"version", "name"} & set(rows[0][1]):
        header = rows.pop(0)[1]
    places = ((f"line {number}", row) for number, row in rows)
    return _set(path, header, _cases(path, places), hashed(text))


def toml(evaluation: EvaluationSet) -> str:
    """The set in TOML, as ``read_toml`` reads it."""
    return tomli_w.dumps({**_header(evaluation), "cases": [write_case(case) for case in evaluation.cases]})


def jsonl(evaluation: EvaluationSet) -> str:
    """The set in JSON Lines, as ``read_jsonl`` reads it."""
    rows = [_header(evaluation), *(write_case(case) for case in evaluation.cases)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _cases(path: Path, rows: Iterable[tuple[str, Mapping[str, object]]]) -> tuple[Case, ...]:
    cases: list[Case] = []
    problems: list[str] = []
    places: dict[str, str] = {}
    for place, row in rows:
        name = f"{place} ({quoted(row['id'])})" if "id" in row else place
        try:
            case = read_case(row)
        except Malformed as problem:
            problems.append(f"{name}: {problem}")
            continue
        if case.id in places:
            problems.append(f"{name}: {places[case.id]} has the same id")
        places.setdefault(case.id, place)
        cases.append(case)
    if problems:
        wrong(path, problems)
    if not cases:
        raise SetError(f"{quoted(str(path), 200)} holds no case", "add one with an id, a query and evidence")
    return tuple(cases)


def _set(path: Path, header: Mapping[str, object], cases: tuple[Case, ...], source: str) -> EvaluationSet:
    version = header.get("version", SET_VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise SetError(f"{quoted(str(path), 200)}: version is {quoted(version)}, it must be {SET_VERSION}")
    if version > SET_VERSION:
        raise SetError(
            f"{quoted(str(path), 200)}: version is {version}, this rankscope reads {SET_VERSION}",
            "update rankscope",
        )
    named = {"name": path.stem, "corpus_version": ""}
    for key in named:
        value = header.get(key, named[key])
        if not isinstance(value, str):
            raise SetError(f"{quoted(str(path), 200)}: {key} is {quoted(value)}, it must be text")
        named[key] = value
    absent = header.get("absent", [])
    if not isinstance(absent, list) or not all(isinstance(item, str) for item in absent):
        raise SetError(f"{quoted(str(path), 200)}: absent must be a list of documents")
    return EvaluationSet(version, named["name"], cases, named["corpus_version"], source, tuple(absent))


def _header(evaluation: EvaluationSet) -> dict[str, Any]:
    header: dict[str, Any] = {"version": SET_VERSION, "name": evaluation.name}
    if evaluation.corpus_pin:
        header["corpus_version"] = evaluation.corpus_pin
    if evaluation.absent:
        header["absent"] = list(evaluation.absent)
    return header
