"""The report of an evaluation as one HTML document: figures beside those of other settings and baselines, what was lost
where, what flips. Pure; the same report gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.evaluate.compare import Comparison, sentence
from engine.evaluate.figures import figures, grouped, values
from engine.evaluate.html import Table, cell, page, paragraph, section, table
from engine.evaluate.html.figures import Bar, Move, bars, moves
from engine.evaluate.report import Report
from engine.evaluate.run import Run
from engine.evaluate.statistics import bootstrap_interval

SHOWN = ("recall@1", "recall@5", "mrr@10", "ndcg@10", "evidence_recall@5", "context_recall")
LISTED = 200
"""Cases that are listed one by one: those that were lost."""

MOVED = 60
"""Queries of a figure of ranks."""


def report_page(report: Report) -> str:
    """The whole page."""
    first = report.first
    scorable = sum(case.scorable for case in first.outcomes)
    return page(
        f"Evaluation: {report.name}",
        [
            paragraph(
                f"{len(first.outcomes):,} cases, {scorable:,} with something to find; run {first.id}, judged by"
                f" {'document' if first.by_document else 'chunk'}"
            ),
            paragraph(_index(first), muted=True),
            *_figures(report),
            *(_comparison(each) for each in report.comparisons),
            *_kinds(report),
            *_lost(report),
        ],
    )


def _index(run: Run) -> str:
    manifest = run.manifest
    index: Mapping[str, object] = next(iter(manifest["index"].values()), {})
    return (
        f"index {str(index.get('corpus_version', ''))[:12]}, {index.get('documents', 0):,} documents,"
        f" {index.get('chunks', 0):,} chunks, {manifest['embedder']}, {manifest['chunking']['mode']}"
    )


def _figures(report: Report) -> Iterator[str]:
    found = [(run.variant.name, figures(run.outcomes, report.metrics)) for run in report.runs]
    names = [name for name in SHOWN if any(name in each.means for _, each in found)]
    heads = [cell("settings"), *(cell(name)._replace(number=True) for name in (*names, "refused"))]
    rows = [
        [cell(name), *(cell(each.means.get(metric)) for metric in names), cell(each.refused)]
        for name, each in found
    ]
    parts = [table(Table(heads, rows))]
    shown = "mrr@10" if "mrr@10" in names else names[0] if names else ""
    if shown:
        parts.append(
            bars(
                shown,
                [_bar(run, shown, report) for run in report.runs],
                unit=f"{shown}; the line is its 95 % interval",
            )
        )
    yield section("Figures", *parts)


def _bar(run: Run, metric: str, report: Report) -> Bar:
    held = [found[metric] for case in run.outcomes if metric in (found := values(case, report.metrics))]
    if not held:
        return Bar(run.variant.name, 0.0)
    return Bar(run.variant.name, sum(held) / len(held), *bootstrap_interval(held))


def _comparison(found: Comparison) -> str:
    told = [paragraph(sentence(each, found.a, found.b).replace("-0", "−0")) for each in found.differences]
    ranks = [Move(each.case_id, each.before, each.after) for each in found.moves[:MOVED]]
    heads = [cell("case"), cell("before"), cell("after"), cell("question")]
    rows = [
        [cell(flip.case_id), cell(flip.before), cell(flip.after, warns=not flip.gained), cell(flip.query)]
        for flip in found.flips
    ]
    parts = [*told]
    if ranks:
        parts.append(moves("rank by case, those that moved", ranks, names=(found.a, found.b)))
    if rows:
        parts.append(table(Table(heads, rows)))
    return section(f"{found.b} against {found.a}", paragraph(found.cause, muted=True), *parts)


def _kinds(report: Report) -> Iterator[str]:
    for name, key in (("kind", lambda case: case.kind), ("language", lambda case: case.lang)):
        groups = grouped(report.first.outcomes, report.metrics, key)
        if not groups:
            continue
        metrics = [metric for metric in SHOWN if any(metric in each.means for each in groups.values())]
        heads = [cell(name), *(cell(each)._replace(number=True) for each in ("cases", *metrics))]
        rows = [
            [cell(group), cell(each.cases), *(cell(each.means.get(metric)) for metric in metrics)]
            for group, each in groups.items()
        ]
        yield section(f"By {name}", table(Table(heads, rows)))


def _lost(report: Report) -> Iterator[str]:
    lost = [case for case in report.first.outcomes if case.scorable and not case.in_context]
    if not lost:
        return
    heads = [cell("case"), cell("rank")._replace(number=True), cell("lost at"), cell("question")]
    rows = [
        [cell(case.case_id), cell(case.rank), cell(case.layer or ""), cell(case.query)]
        for case in lost[:LISTED]
    ]
    more = [paragraph(f"and {len(lost) - LISTED:,} more", muted=True)] if len(lost) > LISTED else []
    yield section(
        f"{len(lost):,} cases whose evidence is not in the context", table(Table(heads, rows)), *more
    )
