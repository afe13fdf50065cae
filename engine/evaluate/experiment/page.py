"""The result of an experiment as one HTML document: figures, and query by query what stood above the answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluate.experiment.run import Asked, Outcome, Result
from engine.evaluate.html import Table, cell, page, paragraph, section, table
from engine.evaluate.html.figures import Bar, Move, bars, moves
from engine.evaluate.statistics import bootstrap_interval


def experiment_page(result: Result) -> str:
    """The whole page. The same result gives the same bytes."""
    experiment = result.experiment
    return page(
        experiment.name,
        [
            paragraph(experiment.about),
            paragraph(
                f"{len(experiment.documents):,} documents of commit {experiment.commit[:12]}, {len(experiment.queries):,}"
                " queries; a chunk is relevant if it is of the right document, below the right heading, and holds a whole"
                " piece of evidence",
                muted=True,
            ),
            *_summary(result),
            *_comparisons(result),
            *(_query(result, at) for at in range(len(experiment.queries))),
            _documents(result),
        ],
    )


def _summary(result: Result) -> Iterator[str]:
    k = result.experiment.top_k
    heads = [cell(name) for name in ("configuration", "method")]
    heads += [
        cell(name)._replace(number=True)
        for name in ("window", "overlap", "chunks", "hit@1", f"hit@{k}", "MRR")
    ]
    rows = [
        [
            cell(each.configuration.name), cell(_method(each)), cell(each.configuration.chunking.target_characters),
            cell(each.configuration.chunking.overlap_characters), cell(each.chunks), cell(each.hit(1)),
            cell(each.hit(k)), cell(each.mrr),
        ]
        for each in result.outcomes
    ]  # fmt: skip
    figures = [
        Bar(
            each.configuration.name,
            each.mrr,
            *bootstrap_interval([asked.reciprocal for asked in each.queries]),
        )
        for each in result.outcomes
    ]
    yield section(
        "Configurations",
        table(Table(heads, rows)),
        bars("MRR by configuration", figures, unit="mean reciprocal rank; the line is its 95 % interval"),
    )


def _method(outcome: Outcome) -> str:
    configuration = outcome.configuration
    told = configuration.method
    if not configuration.headings:
        told += ", headings not counted"
    return f"{told}, reworded" if configuration.reworded else told


def _comparisons(result: Result) -> Iterator[str]:
    first = result.outcomes[0]
    for other, test in zip(result.outcomes[1:], result.tests, strict=True):
        names = first.configuration.name, other.configuration.name
        size = f"MRR {test.difference:+.3f} ({test.low:+.3f} to {test.high:+.3f}), p {test.p:.3f}"
        counts = f"of {test.questions} queries {test.wins} better, {test.losses} worse, {test.ties} the same"
        told = f"{size}: {counts}; {test.verdict()}".replace("-", "−")
        rows = [
            Move(one.id, one.rank, after.rank)
            for one, after in zip(first.queries, other.queries, strict=True)
        ]
        yield section(
            f"{names[1]} against {names[0]}", paragraph(told), moves("rank by query", rows, names=names)
        )


def _query(result: Result, at: int) -> str:
    query = result.experiment.queries[at]
    parts = [
        paragraph(f"{query.text}"),
        paragraph(f"{query.file} › {query.heading}: {' / '.join(query.evidence)}", muted=True),
    ]
    for outcome in result.outcomes:
        asked = outcome.queries[at]
        rank = f"rank {asked.rank}" if asked.rank else "not found"
        parts.append(
            section(f"{outcome.configuration.name}: {rank}", _rows(asked, result.experiment.top_k), level=3)
        )
    return section(query.id, *parts)


def _rows(asked: Asked, top_k: int) -> str:
    heads = [
        cell("#")._replace(number=True),
        cell("document"),
        cell("heading"),
        cell("lines")._replace(number=True),
        cell("text"),
    ]
    rows = [
        [
            cell(row.rank), cell(row.path), cell(" › ".join(row.heading_path)),
            cell(f"L{row.line_start}–{row.line_end}")._replace(number=True), cell(row.begin),
        ]
        for row in asked.rows
    ]  # fmt: skip
    marked = frozenset(at for at, row in enumerate(asked.rows) if row.relevant)
    below = frozenset(at for at, row in enumerate(asked.rows) if row.rank > top_k)
    return table(Table(heads, rows, marked, below))


def _documents(result: Result) -> str:
    heads = [cell("document"), cell("characters")._replace(number=True), cell("SHA-256")]
    rows = [
        [cell(path), cell(result.characters[path]), cell(digest)]
        for path, digest in result.experiment.documents.items()
    ]
    return section("Documents", table(Table(heads, rows)))
