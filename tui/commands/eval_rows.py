"""The rows of ``rankscope eval``: what was run, every variant, kinds and languages, what was lost where, refusals,
comparisons. Pure; columns align to the cell, and what is not defined is ``–``, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from tui.cells import MISSING, cut, fit, right, width, wrap
from tui.commands.search_rows import decimal
from tui.text import one_line

if TYPE_CHECKING:
    from engine.evaluate.compare import Comparison
    from engine.evaluate.figures import Figures
    from engine.evaluate.outcome import Outcome
    from engine.evaluate.report import Report

SHOWN = (
    "recall@1", "recall@5", "mrr@10", "evidence_recall@5", "context_recall", "ndcg@10", "hit@5", "recall@10",
    "context_precision", "map", "precision@5",
)  # fmt: skip
"""Which figures stand first, where not all have room; ``--json`` has every one."""

HEADS = {
    "evidence_recall@1": "evid.@1",
    "evidence_recall@5": "evid.@5",
    "context_recall": "context",
    "context_precision": "c.prec.",
}
NAME, COUNT, HELD, FIGURE = 22, 6, 11, 9
LISTED = 20
"""Cases that were lost, flips and moves that are named one by one."""


def rows(report: Report, columns: int) -> Iterator[str]:
    """Every row, in at most ``columns`` cells: tables are cut, sentences go on in the next row."""
    first = report.first
    yield from _prose(_head(report), columns)
    for table in (_figures(report, columns), *_groups(report, columns)):
        yield ""
        yield from _cut(table, columns)
    yield ""
    yield from _prose(_fates(first.outcomes), columns)
    if any(not case.answerable for case in first.outcomes):
        yield ""
        yield from _cut(_matrix(first.outcomes), columns)
        yield from _prose(_thresholds(first.outcomes), columns)
    if any(case.in_context is False for case in first.outcomes):
        yield ""
        yield from _cut(_lost_cases(first.outcomes), columns)
    for comparison in report.comparisons:
        yield ""
        yield from _prose(_comparison(comparison), columns)
        yield from _cut(_flips(comparison), columns)


def _cut(table: Iterable[str], columns: int) -> Iterator[str]:
    return (cut(row, columns) for row in table)


def _prose(sentences: Iterable[str], columns: int) -> Iterator[str]:
    """Sentences to their end, however narrow the screen."""
    for sentence in sentences:
        yield from (sentence[start:end] for start, end in wrap(sentence, columns))


def _head(report: Report) -> Iterator[str]:
    first, cases = report.first, report.first.outcomes
    scorable = sum(case.scorable for case in cases)
    index: Mapping[str, object] = next(iter(first.manifest["index"].values()), {})
    yield f"{one_line(report.name)}  {len(cases):,} cases, {scorable:,} with something to find  run {first.id}"
    yield (
        f"index {str(index.get('corpus_version', ''))[:6]}  {index.get('documents', 0):,} documents,"
        f" {index.get('chunks', 0):,} chunks, {first.manifest['embedder']},"
        f" {first.manifest['chunking']['mode']}; judged by {'document' if first.by_document else 'chunk'}"
    )


# --- figures ------------------------------------------------------------------------------------------------


def _figures(report: Report, columns: int) -> Iterator[str]:
    """Every variant over all cases."""
    from engine.evaluate.figures import figures

    everyone = {run.variant.name: figures(run.outcomes, report.metrics) for run in report.runs}
    return _table("all cases", everyone, _shown(report, columns))


def _groups(report: Report, columns: int) -> Iterator[Iterator[str]]:
    """By kind and by language, where there are several: the figures of the first run, and every variant's evidence
    in the context."""
    from engine.evaluate.figures import grouped

    for title, key in (("by kind", "kind"), ("by language", "lang")):
        groups = grouped(report.first.outcomes, report.metrics, attrgetter(key))
        if len(groups) > 1:
            yield _table(title, groups, _shown(report, columns))
            if len(report.runs) > 1:
                yield _crossed(report, key)


def _shown(report: Report, columns: int) -> list[str]:
    """The figures that have room, the most telling first."""
    from engine.evaluate.figures import EVIDENCE

    known = (*report.metrics, *EVIDENCE)
    wanted = [name for name in SHOWN if name in known] + [name for name in known if name not in SHOWN]
    return wanted[: max(1, (columns - NAME - COUNT - HELD - 2) // (1 + FIGURE))]


def _table(title: str, groups: Mapping[str, Figures], shown: Sequence[str]) -> Iterator[str]:
    name = min(NAME, max(width(title), *(width(one_line(each)) for each in groups)))
    heads = [right(HEADS.get(each, each), FIGURE) for each in shown]
    yield " ".join([fit(title, name), right("cases", COUNT), right("in context", HELD), *heads])
    for group, found in groups.items():
        held = f"{found.in_context:,}/{found.scorable:,}" if found.scorable else MISSING
        cells = [right(_figure(found.means.get(each)), FIGURE) for each in shown]
        counts = [right(f"{found.cases:,}", COUNT), right(held, HELD)]
        yield " ".join([fit(one_line(group), name), *counts, *cells])


def _crossed(report: Report, key: str) -> Iterator[str]:
    """Every variant by kind or language: in how many cases, of how many, the evidence is in the context."""
    from engine.evaluate.figures import grouped

    counts = {
        run.variant.name: {
            group: f"{found.in_context}/{found.scorable}"
            for group, found in grouped(run.outcomes, (), attrgetter(key)).items()
            if found.scorable
        }
        for run in report.runs
    }
    groups = list(dict.fromkeys(group for row in counts.values() for group in row))
    wide = max((7, *(min(14, width(one_line(group))) for group in groups)))
    name = min(NAME, max(width(one_line(each)) for each in counts))
    heads = [right(one_line(group), wide) for group in groups]
    yield " ".join([fit("in context", name), *heads])
    for variant, row in counts.items():
        cells = [right(row.get(group, MISSING), wide) for group in groups]
        yield " ".join([fit(one_line(variant), name), *cells])


def _figure(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 3)


def _fates(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Where the evidence was lost, and what did not serve."""
    from engine.evaluate.figures import figures
    from engine.evaluate.report import degradations

    found, degraded = figures(outcomes, ()), degradations(outcomes)
    lost = ", ".join(f"{layer} {count:,}" for layer, count in found.layers.items())
    yield f"in the context {found.in_context:,} of {found.scorable:,}" + (f"; lost: {lost}" if lost else "")
    if found.preferences[1]:
        yield f"better above worse in {found.preferences[0]:,} of {found.preferences[1]:,} pairs"
    if degraded:
        yield "degraded: " + ", ".join(f"{code} in {count:,}" for code, count in degraded.items())


# --- refusals -----------------------------------------------------------------------------------------------


def _matrix(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Answerable and unanswerable questions by what became of them."""
    from engine.evaluate.refusal import matrix
    from engine.evaluate.report import verdicts

    found = matrix(verdicts(outcomes))
    yield f"{fit('refusals', 14)} {right('answered', 9)} {right('refused', 9)}"
    for name, answered, refused, said, rate in (
        ("answerable", found.answered_answerable, found.refused_answerable, "over-refusal", found.over_refusal),
        ("unanswerable", found.answered_unanswerable, found.refused_unanswerable, "false accept", found.false_accept),
    ):  # fmt: skip
        share = MISSING if rate is None else f"{rate:.1%}"
        yield f"{fit(name, 14)} {right(f'{answered:,}', 9)} {right(f'{refused:,}', 9)}  {said} {share}"


def _thresholds(outcomes: Sequence[Outcome]) -> Iterator[str]:
    from engine.evaluate.report import choices

    return (f"{gate}: {choice.sentence}" for gate, choice in choices(outcomes).items())


# --- cases --------------------------------------------------------------------------------------------------


def _lost_cases(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Cases whose evidence is not in the context, with the layer that lost it and the rank it has."""
    lost = [case for case in outcomes if case.in_context is False]
    ids = _column(case.case_id for case in lost[:LISTED])
    yield f"{fit('lost', ids)} {fit('in', 13)} {right('rank', 5)}  question"
    for case in lost[:LISTED]:
        rank = MISSING if case.rank is None else str(case.rank)
        cells = f"{fit(one_line(case.case_id), ids)} {fit(case.layer or '', 13)} {right(rank, 5)}"
        yield f"{cells}  {one_line(case.query)}"
    if len(lost) > LISTED:
        yield f"and {len(lost) - LISTED:,} more"


def _column(names: Iterable[str]) -> int:
    """Cells for a column of ids: the widest of them, within reason."""
    return min(28, max((4, *(width(one_line(name)) for name in names))))


def _comparison(comparison: Comparison) -> Iterator[str]:
    from engine.evaluate.compare import sentence

    a, b = one_line(comparison.a), one_line(comparison.b)
    yield f"{b} against {a}, {comparison.cases:,} cases"
    if comparison.cause:
        yield f"first difference: {one_line(comparison.cause)}"
    if any(comparison.only):
        yield f"not compared: {comparison.only[0]:,} cases of {a}, {comparison.only[1]:,} of {b}"
    for difference in comparison.differences:
        yield one_line(sentence(difference, comparison.a, comparison.b))
    gained = sum(flip.gained for flip in comparison.flips)
    moved = f"{len(comparison.moves):,} ranks moved"
    yield f"flips: {gained:,} gained, {len(comparison.flips) - gained:,} lost; {moved}"


def _flips(comparison: Comparison) -> Iterator[str]:
    """Cases whose evidence entered or left the context, each with the stage that lost it."""
    flips = comparison.flips
    ids = _column(flip.case_id for flip in flips[:LISTED])
    for flip in flips[:LISTED]:
        change = f"{flip.before} → {flip.after}"
        yield f"  {fit(one_line(flip.case_id), ids)} {fit(change, 24)} {one_line(flip.query)}"
    if len(flips) > LISTED:
        yield f"  and {len(flips) - LISTED:,} more"
