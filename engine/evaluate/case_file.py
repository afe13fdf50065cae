"""Cases written into the file of a set: one more at its end, or one of them in other words. Everything else of the file
stays as it is, comments and all.

A change is tried on the text first, read as a set, and only then written, in one step. Blocking.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from engine.errors import SetError
from engine.evaluate.formats.ours import parsed_jsonl, parsed_toml
from engine.evaluate.formats.source import read_text
from engine.evaluate.formats.table import write_case
from engine.evaluate.sets import SET_VERSION, Case, Claim, EvaluationSet, Evidence
from engine.settings.fields import quoted
from engine.settings.save import write_atomically

_BLOCK = re.compile(r"^[ \t]*\[\[[ \t]*cases[ \t]*\]\]", re.MULTILINE)
_JSON = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Written:
    """What was done to a file: the id of the case, and the text before and after, by which it can be taken back."""

    path: Path
    case_id: str
    before: str | None
    after: str


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one case in a TOML file, from ``first`` to ``last`` (1-based, inclusive), as they are written."""

    path: Path
    case_id: str
    text: str
    first: int
    last: int


def evidence_of(file: str, text: str, start: int, end: int) -> Evidence:
    """A marked span of a document's text, as a person would write it: its words where they stand there once, else
    the span."""
    words = text[start:end]
    return Evidence(file, words) if text.count(words) == 1 else Evidence(file, "", start, end)


def append(
    path: Path, query: str, evidence: Sequence[Evidence], *, name: str = "", scopes: Sequence[str] = ()
) -> Written:
    """Write one more case at the end of a set in our format; a file that is not there is begun, under ``name``.

    Raises ``SetError`` for a file that is in no format of ours or cannot take one, and what writing raises.
    """
    _refuse_foreign(path)
    before = read_text(path) if path.exists() else None
    known = [] if before is None else [case.id for case in _cases(path, before)]
    case = Case(_free(known), query, scopes=tuple(scopes), claims=_claims(evidence))
    after = _begun(path, before, name) + _block(path, case)
    return _write(path, case.id, before, after)


def block_of(path: Path, case_id: str) -> Block:
    """The text of one case, to be edited. Raises ``SetError`` where it cannot be told apart."""
    _refuse_foreign(path)
    text = read_text(path)
    if path.suffix.lower() in _JSON:
        return _line_of(path, text, case_id)
    ids = [case.id for case in parsed_toml(path, text).cases]
    starts = [match.start() for match in _BLOCK.finditer(text)]
    if len(starts) != len(ids) or case_id not in ids:
        raise SetError(
            f"the case {quoted(case_id)} stands in no [[cases]] of its own in {quoted(path.name)}",
            "edit the file itself",
        )
    place = ids.index(case_id)
    end = starts[place + 1] if place + 1 < len(starts) else len(text)
    lines = text[starts[place] : end].split("\n")
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()  # blank lines and comments behind a case are about the next one
    first = text.count("\n", 0, starts[place]) + 1
    return Block(path, case_id, "\n".join(lines), first, first + len(lines) - 1)


def rewrite(block: Block, text: str) -> Written:
    """Put another text in the place of a case. Raises ``SetError`` where the file is then no set, holds more or fewer
    cases, or was changed meanwhile."""
    before = read_text(block.path)
    lines = before.split("\n")
    if "\n".join(lines[block.first - 1 : block.last]) != block.text:
        raise SetError(f"{quoted(block.path.name)} was changed meanwhile", "e opens the case as it is now")
    after = "\n".join([*lines[: block.first - 1], text.rstrip("\n"), *lines[block.last :]])
    was, now = _cases(block.path, before), _cases(block.path, after)
    if len(now) != len(was):
        raise SetError(
            f"that would be {len(now)} cases in place of {len(was)}", "write one case; c makes another"
        )
    place = [case.id for case in was].index(block.case_id)
    return _write(block.path, now[place].id, before, after)


def take_back(written: Written) -> None:
    """Undo what was written, unless the file was changed since. Raises ``SetError``."""
    if read_text(written.path) != written.after:
        raise SetError(f"{quoted(written.path.name)} was changed since", "edit the file itself")
    if written.before is None:
        written.path.unlink()
    else:
        write_atomically(written.path, written.before)


# --- parts --------------------------------------------------------------------------------------------------


def _write(path: Path, case_id: str, before: str | None, after: str) -> Written:
    _cases(path, after)
    write_atomically(path, after)
    return Written(path, case_id, before, after)


def _cases(path: Path, text: str) -> tuple[Case, ...]:
    return _parsed(path, text).cases


def _parsed(path: Path, text: str) -> EvaluationSet:
    return parsed_jsonl(path, text) if path.suffix.lower() in _JSON else parsed_toml(path, text)


def _refuse_foreign(path: Path) -> None:
    """A link in an opened folder may lead to what is none of its business."""
    if path.is_symlink():
        raise SetError(f"{quoted(path.name)} is a link", "open the set that it leads to by its own path")
    if path.suffix.lower() not in (".toml", *_JSON):
        raise SetError(f"{quoted(path.name)} is not in our format", "cases go to a .toml or .jsonl file")


def _free(known: Sequence[str]) -> str:
    taken = set(known)
    return next(name for number in range(1, len(taken) + 2) if (name := f"case-{number}") not in taken)


def _claims(evidence: Sequence[Evidence]) -> tuple[Claim, ...]:
    """Each piece as a claim of its own, as the short form ``evidence = [...]`` means it."""
    return tuple(Claim(str(number), (piece,)) for number, piece in enumerate(evidence, 1))


def _begun(path: Path, before: str | None, name: str) -> str:
    """The file up to the new case: what was there, or a header."""
    if before is not None:
        return before if not before or before.endswith("\n") else f"{before}\n"
    header: Mapping[str, object] = {"version": SET_VERSION, "name": name or path.stem}
    if path.suffix.lower() in _JSON:
        return json.dumps(header, ensure_ascii=False) + "\n"
    return tomli_w.dumps(header)


def _block(path: Path, case: Case) -> str:
    table = write_case(case)
    if path.suffix.lower() in _JSON:
        return json.dumps(table, ensure_ascii=False) + "\n"
    return "\n" + tomli_w.dumps({"cases": [table]})


def _line_of(path: Path, text: str, case_id: str) -> Block:
    for number, line in enumerate(text.split("\n"), 1):
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("id") == case_id and "query" in row:
            return Block(path, case_id, line, number, number)
    raise SetError(f"the case {quoted(case_id)} is not in {quoted(path.name)}", "r reads the set again")
