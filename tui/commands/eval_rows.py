"""The rows of ``rankscope eval``: what was run, every variant, kinds and languages, what was lost where, refusals,
comparisons. Pure; columns align to the cell, and what is not defined is ``–``, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from tui.cells import MISSING, cut, fit, right, width
from tui.commands.search_rows import decimal
from tui.text import one_line

if TYPE_CHECKING:
    from engine.evaluate.compare import Comparison
    from engine.evaluate.figures import Figures
    from engine.evaluate.outcome import Outcome
    from engine.evaluate.refusal import Matrix
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
    """Every row, in at most ``columns`` cells."""
    from engine.evaluate.figures import figures, grouped
    from engine.evaluate.report import degradations

    first = report.first
    yield from _head(report)
    yield ""
    everyone = {run.variant.name: figures(run.outcomes, report.metrics) for run in report.runs}
    shown = _shown(report, everyone, columns)
    yield from _table("all cases", everyone, shown, columns)
    for title, key in (("by kind", "kind"), ("by language", "lang")):
        groups = grouped(first.outcomes, report.metrics, attrgetter(key))
        if len(groups) > 1:
            yield ""
            yield from _table(title, groups, shown, columns)
    yield ""
    yield from _fates(everyone[first.variant.name], degradations(first.outcomes))
    yield from _refusals(report)
    yield from _lost_cases(first.outcomes, columns)
    for comparison in report.comparisons:
        yield ""
        yield from _comparison(comparison, columns)


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


def _shown(report: Report, everyone: Mapping[str, Figures], columns: int) -> list[str]:
    """The figures that have room, in the order in which they were asked for."""
    known = {name for each in everyone.values() for name in each.means}
    wanted = [name for name in SHOWN if name in known]
    wanted += [name for name in report.metrics if name in known and name not in wanted]
    room = max(1, (columns - NAME - COUNT - HELD - 2) // (1 + FIGURE))
    return wanted[:room]


def _table(title: str, groups: Mapping[str, Figures], shown: Sequence[str], columns: int) -> Iterator[str]:
    name = min(NAME, max(width(title), *(width(one_line(each)) for each in groups)))
    heads = [right(HEADS.get(each, each), FIGURE) for each in shown]
    yield cut(" ".join([fit(title, name), right("cases", COUNT), right("in context", HELD), *heads]), columns)
    for group, found in groups.items():
        held = f"{found.in_context:,}/{found.scorable:,}" if found.scorable else MISSING
        cells = [right(_figure(found.means.get(each)), FIGURE) for each in shown]
        counts = [right(f"{found.cases:,}", COUNT), right(held, HELD)]
        yield cut(" ".join([fit(one_line(group), name), *counts, *cells]), columns)


def _figure(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 3)


def _fates(found: Figures, degraded: Mapping[str, int]) -> Iterator[str]:
    """Where the evidence was lost, and what did not serve."""
    lost = ", ".join(f"{layer} {count:,}" for layer, count in found.layers.items())
    yield f"in the context {found.in_context:,} of {found.scorable:,}" + (f"; lost: {lost}" if lost else "")
    if found.preferences[1]:
        yield f"better above worse in {found.preferences[0]:,} of {found.preferences[1]:,} pairs"
    if degraded:
        yield "degraded: " + ", ".join(f"{code} in {count:,}" for code, count in degraded.items())


# --- refusals -----------------------------------------------------------------------------------------------


def _refusals(report: Report) -> Iterator[str]:
    from engine.evaluate.refusal import matrix
    from engine.evaluate.report import choices, verdicts

    found = matrix(verdicts(report.first.outcomes))
    if found.false_accept is None:
        return
    yield ""
    yield from _matrix(found)
    for gate, choice in choices(report.first.outcomes).items():
        yield f"{gate}: {choice.sentence}"


def _matrix(found: Matrix) -> Iterator[str]:
    """Answerable and unanswerable questions by what became of them."""
    yield f"{fit('refusals', 14)} {right('answered', 9)} {right('refused', 9)}"
    for name, answered, refused, rate in (
        ("answerable", found.answered_answerable, found.refused_answerable, found.over_refusal),
        ("unanswerable", found.answered_unanswerable, found.refused_unanswerable, found.false_accept),
    ):
        said = "over-refusal" if name == "answerable" else "false accept"
        share = MISSING if rate is None else f"{rate:.1%}"
        yield f"{fit(name, 14)} {right(f'{answered:,}', 9)} {right(f'{refused:,}', 9)}  {said} {share}"


# --- cases --------------------------------------------------------------------------------------------------


def _lost_cases(outcomes: Sequence[Outcome], columns: int) -> Iterator[str]:
    """Cases whose evidence is not in the context, with the layer that lost it and the rank it has."""
    lost = [case for case in outcomes if case.in_context is False]
    if not lost:
        return
    yield ""
    yield f"{fit('lost', 20)} {fit('in', 13)} {right('rank', 5)}  question"
    for case in lost[:LISTED]:
        rank = MISSING if case.rank is None else str(case.rank)
        cells = f"{fit(one_line(case.case_id), 20)} {fit(case.layer or '', 13)} {right(rank, 5)}"
        yield cut(f"{cells}  {one_line(case.query)}", columns)
    if len(lost) > LISTED:
        yield f"and {len(lost) - LISTED:,} more"


def _comparison(comparison: Comparison, columns: int) -> Iterator[str]:
    from engine.evaluate.compare import sentence

    a, b = one_line(comparison.a), one_line(comparison.b)
    yield cut(f"{b} against {a}, {comparison.cases:,} cases", columns)
    if comparison.cause:
        yield cut(f"first difference: {one_line(comparison.cause)}", columns)
    if any(comparison.only):
        yield f"not compared: {comparison.only[0]:,} cases of {a}, {comparison.only[1]:,} of {b}"
    for difference in comparison.differences:
        yield cut(one_line(sentence(difference, comparison.a, comparison.b)), columns)
    gained = sum(flip.gained for flip in comparison.flips)
    yield f"flips: {gained:,} gained, {len(comparison.flips) - gained:,} lost; {len(comparison.moves):,} ranks moved"
    for flip in comparison.flips[:LISTED]:
        change = f"{flip.before} → {flip.after}"
        yield cut(f"  {fit(one_line(flip.case_id), 20)} {fit(change, 26)} {one_line(flip.query)}", columns)
    if len(comparison.flips) > LISTED:
        yield f"  and {len(comparison.flips) - LISTED:,} more"
