"""One case as a table, as our TOML and JSONL write it, and back.

Simple ``evidence = [...]`` becomes claims of one alternative each. The rows of other collections are read by
the same rules: ``file`` with ``evidence`` as a string and ``start``, ``end``, or a list ``evidences`` of such.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from engine.evaluate.sets import Case, Claim, Evidence, Preference
from engine.settings.fields import quoted

REASONS = (
    "NO_RELEVANT_CANDIDATE",
    "EVIDENCE_BELOW_THRESHOLD",
    "CONFLICTING_EVIDENCE",
    "PERMISSION_FILTERED",
    "QUESTION_OUT_OF_SCOPE",
    "CITATION_VALIDATION_FAILED",
)
"""What ``expected_reason`` may be."""

CASE_FIELDS = (
    "id", "query", "lang", "kind", "scopes", "answerable", "evidence", "evidences", "claims", "forbidden_claims",
    "expected_reason", "pairs", "better", "worse", "irrelevant", "file", "text", "start", "end", "heading",
)  # fmt: skip
CLAIM_FIELDS = ("id", "evidence", "required_terms", "grade")
EVIDENCE_FIELDS = ("file", "text", "evidence", "start", "end", "heading")

Table = Mapping[str, object]


class Malformed(ValueError):
    """What is wrong with one case, in a few words; the reader adds the file and the place."""


def read_case(table: Table) -> Case:
    """The case that a table describes. Raises ``Malformed``."""
    _misspelt(table, CASE_FIELDS)
    identity = _text(table, "id", required=True)
    claims = _claims(table)
    kind = _text(table, "kind")
    answerable = table.get("answerable", bool(claims) or kind != "unanswerable")
    if not isinstance(answerable, bool):
        raise Malformed(f"answerable is {quoted(answerable)}, it must be true or false")
    if answerable and not claims:
        raise Malformed("neither evidence nor claims; say answerable = false if nothing answers it")
    if claims and not answerable:
        raise Malformed("it has evidence and is not answerable")
    return Case(
        id=identity,
        query=_text(table, "query", required=True),
        lang=_text(table, "lang"),
        kind=kind,
        scopes=_texts(table, "scopes"),
        answerable=answerable,
        claims=claims,
        forbidden_claims=_texts(table, "forbidden_claims"),
        expected_reason=_reason(table),
        preferences=_preferences(table),
        irrelevant=_irrelevant(table),
    )


def write_case(case: Case) -> dict[str, Any]:
    """The shortest table that reads as this case: what has its default is left out."""
    table: dict[str, Any] = {"id": case.id, "query": case.query}
    for name in ("lang", "kind", "expected_reason"):
        if getattr(case, name):
            table[name] = getattr(case, name)
    for name in ("scopes", "forbidden_claims"):
        if getattr(case, name):
            table[name] = list(getattr(case, name))
    if not case.answerable:
        table["answerable"] = False
    if case.claims and case.claims == _simple(case.evidence):
        table["evidence"] = [_write_evidence(piece) for piece in case.evidence]
    elif case.claims:
        table["claims"] = [_write_claim(claim) for claim in case.claims]
    if case.preferences:
        table["pairs"] = [
            {"better": _write_evidence(pair.better), "worse": _write_evidence(pair.worse)}
            for pair in case.preferences
        ]
    if case.irrelevant:
        table["irrelevant"] = [{"file": file, "grade": grade} for file, grade in case.irrelevant]
    return table


# --- claims and evidence
# ----------------------------------------------------------------------------------------------


def _claims(table: Table) -> tuple[Claim, ...]:
    forms = [name for name in ("claims", "evidence", "evidences") if name in table]
    if len(forms) > 1:
        raise Malformed(f"it has both {forms[0]} and {forms[1]}; one of them is enough")
    if not forms:
        return _simple((_evidence(table, "it"),)) if "file" in table else ()
    (form,) = forms
    value = table[form]
    if isinstance(value, str):
        return _simple((_evidence({**table, "text": value}, "it"),))
    if not isinstance(value, list):
        raise Malformed(f"{form} is {quoted(value)}, it must be a list")
    if form != "claims":
        return _simple(tuple(_evidence(item, f"{form} {n}") for n, item in enumerate(value, 1)))
    claims = tuple(_claim(item, number) for number, item in enumerate(value, 1))
    if len({claim.id for claim in claims}) < len(claims):
        raise Malformed("two claims have the same id")
    return claims


def _simple(pieces: tuple[Evidence, ...]) -> tuple[Claim, ...]:
    return tuple(Claim(str(number), (piece,)) for number, piece in enumerate(pieces, 1))


def _claim(value: object, number: int) -> Claim:
    place = f"claim {number}"
    if not isinstance(value, dict):
        raise Malformed(f"{place} is {quoted(value)}, it must be a table")
    _misspelt(value, CLAIM_FIELDS, place)
    pieces = value.get("evidence")
    if not isinstance(pieces, list) or not pieces:
        raise Malformed(f"{place} has no list of evidence")
    grade = value.get("grade", 1)
    if not isinstance(grade, int) or isinstance(grade, bool) or grade < 1:
        raise Malformed(f"{place}: grade is {quoted(grade)}, it must be a whole number from 1")
    return Claim(
        id=_text(value, "id") or str(number),
        evidence=tuple(_evidence(item, f"{place}, evidence {n}") for n, item in enumerate(pieces, 1)),
        required_terms=_texts(value, "required_terms"),
        grade=grade,
    )


def _evidence(value: object, place: str) -> Evidence:
    if not isinstance(value, dict):
        raise Malformed(f"{place} is {quoted(value)}, it must be a table with file and text")
    if place != "it":
        _misspelt(value, EVIDENCE_FIELDS, place)
    text = _text(value, "text") if "text" in value else _text(value, "evidence")
    if ("text" in value or "evidence" in value) and not text.strip():
        raise Malformed(f"{place}: its text is blank")
    start, end = _offset(value, "start", place), _offset(value, "end", place)
    if (start is None) != (end is None):
        raise Malformed(f"{place} has {'end' if start is None else 'start'} alone")
    if start is not None and end is not None and not 0 <= start < end:
        raise Malformed(f"{place}: [{start}, {end}) is no span")
    return Evidence(_text(value, "file", required=True), text, start, end, _text(value, "heading"))


def _preferences(table: Table) -> tuple[Preference, ...]:
    pairs = table.get("pairs", [])
    if not isinstance(pairs, list):
        raise Malformed(f"pairs is {quoted(pairs)}, it must be a list")
    if "better" in table or "worse" in table:
        pairs = [*pairs, {name: table[name] for name in ("better", "worse") if name in table}]
    found = []
    for number, pair in enumerate(pairs, 1):
        if not isinstance(pair, dict) or set(pair) != {"better", "worse"}:
            raise Malformed(f"pair {number} must have better and worse")
        better, worse = (_evidence(pair[name], f"pair {number}, {name}") for name in ("better", "worse"))
        found.append(Preference(better, worse))
    return tuple(found)


def _irrelevant(table: Table) -> tuple[tuple[str, int], ...]:
    rows = table.get("irrelevant", [])
    if not isinstance(rows, list):
        raise Malformed(f"irrelevant is {quoted(rows)}, it must be a list")
    found = []
    for row in rows:
        file, grade = (row.get("file"), row.get("grade", 0)) if isinstance(row, dict) else (None, 0)
        if not isinstance(file, str) or not isinstance(grade, int) or grade > 0:
            raise Malformed(
                f"irrelevant holds {quoted(row)}, it must be a table with file and a grade up to 0"
            )
        found.append((file, int(grade)))
    return tuple(found)


def _write_claim(claim: Claim) -> dict[str, Any]:
    table: dict[str, Any] = {"id": claim.id}
    if claim.required_terms:
        table["required_terms"] = list(claim.required_terms)
    if claim.grade != 1:
        table["grade"] = claim.grade
    return {**table, "evidence": [_write_evidence(piece) for piece in claim.evidence]}


def _write_evidence(piece: Evidence) -> dict[str, Any]:
    table: dict[str, Any] = {"file": piece.file}
    if piece.heading:
        table["heading"] = piece.heading
    if piece.text:
        table["text"] = piece.text
    if piece.start is not None:
        table |= {"start": piece.start, "end": piece.end}
    return table


# --- values
# ----------------------------------------------------------------------------------------------


def _misspelt(table: Table, known: tuple[str, ...], place: str = "") -> None:
    """Refuse a field that is nearly one of ours; any other is a note of the set's author and is left alone."""
    for name in table:
        near = [] if name in known else get_close_matches(name, [n for n in known if n not in table], 1, 0.8)
        if near:
            raise Malformed(
                f"{place + ': ' if place else ''}there is no field {quoted(name)}; did you mean {near[0]}?"
            )


def _text(table: Table, name: str, *, required: bool = False) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise Malformed(f"{name} is {quoted(value)}, it must be text")
    if required and not value.strip():
        raise Malformed(f"it has no {name}")
    return value


def _texts(table: Table, name: str) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise Malformed(f"{name} is {quoted(value)}, it must be a list of texts")
    return tuple(value)


def _offset(table: Table, name: str, place: str) -> int | None:
    value = table.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise Malformed(f"{place}: {name} is {quoted(value)}, it must be a whole number")


def _reason(table: Table) -> str:
    value = _text(table, "expected_reason")
    if value and value not in REASONS:
        raise Malformed(f"expected_reason is {quoted(value)}, it must be one of {', '.join(REASONS)}")
    return value
