"""A run in the formats of others: a TREC run with its judgements, and CSV for a spreadsheet. Pure text.

A reader of a TREC run sorts by score and breaks ties its own way, so scores fall strictly with our ranks; the
true ones are in the JSON.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from engine.evaluate.figures import EVIDENCE, values
from engine.evaluate.outcome import Outcome

_SPACE = re.compile(r"[\s%\x00-\x1f\x7f]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def trec_run(outcomes: Sequence[Outcome], tag: str) -> str:
    """``query Q0 item rank score tag``, a line for each ranked item. A case that ranked nothing has no line."""
    corpus, written = _corpus(outcomes), []
    for outcome in outcomes:
        query = field(outcome.case_id)
        for rank, item in enumerate(outcome.ranked, 1):
            # Whole numbers: exact in the single precision that some readers have.
            score = len(outcome.ranked) - rank + 1
            written.append(f"{query} Q0 {field(item, corpus)} {rank} {score} {field(tag)}\n")
    return "".join(written)


def trec_qrels(outcomes: Sequence[Outcome]) -> str:
    """``query 0 item grade``: the judgements that the run was measured against, by chunk or by document."""
    corpus = _corpus(outcomes)
    return "".join(
        f"{field(outcome.case_id)} 0 {field(item, corpus)} {grade}\n"
        for outcome in outcomes
        for item, grade in outcome.grades.items()
    )


def field(text: str, corpus: str = "") -> str:
    """A name as one field of a line, white space escaped; an item of ``corpus`` goes by its own id."""
    name = text.removeprefix(corpus) if corpus else text
    return _SPACE.sub(lambda found: f"%{ord(found[0]):02X}", name) or "%"


def _corpus(outcomes: Sequence[Outcome]) -> str:
    """``corpus.jsonl#`` where every item is a document of one corpus, so that its judgements elsewhere fit; else
    nothing."""
    items = (item for outcome in outcomes for item in (*outcome.ranked, *outcome.grades))
    files = {file if mark else "" for file, mark, _ in (item.partition(".jsonl#") for item in items)}
    return f"{files.pop()}.jsonl#" if len(files) == 1 and "" not in files else ""


def csv_table(outcomes: Sequence[Outcome], metrics: Sequence[str]) -> str:
    """A row for each case, with its rank, layer and figures; what is not defined is empty."""
    names = (*metrics, *EVIDENCE)
    head = ("case_id", "query", "lang", "kind", "answerable", "rank", "in_context", "layer", "refused")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*head, "confidence", *names))
    for outcome in outcomes:
        found = values(outcome, metrics)
        writer.writerow(
            [
                _cell(outcome.case_id),
                _cell(outcome.query),
                _cell(outcome.lang),
                _cell(outcome.kind),
                _truth(outcome.answerable),
                outcome.rank or "",
                _truth(outcome.in_context),
                outcome.layer or "",
                _truth(outcome.refused),
                "" if outcome.confidence is None else repr(outcome.confidence),
                *(repr(found[name]) if name in found else "" for name in names),
            ]
        )
    return out.getvalue()


def _cell(text: str) -> str:
    """Text from a set. A spreadsheet would run what begins like a formula, so that gets an apostrophe."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _truth(value: bool | None) -> str:
    return "" if value is None else str(value).lower()
