"""Running an experiment: every label is checked before anything is ranked, and the result has no time and no machine
in it.

A chunk is relevant only if it is of the right document, stands below the right heading, and holds a whole piece of
evidence; pieces that fall apart between two chunks are never put together. Ties break by path, then by place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from engine.cancel import CancelToken
from engine.chunking import chunk
from engine.errors import SetError
from engine.evaluate.baselines import BASELINES
from engine.evaluate.experiment.blobs import blobs
from engine.evaluate.experiment.file import Configuration, Experiment, Query
from engine.evaluate.statistics import Paired, paired
from engine.ingest.parse import Document, parse
from engine.model import Chunk
from engine.settings import Chunking
from engine.settings.fields import quoted

DECIMALS = 6
"""Figures are written to so many decimals: they compare runs byte by byte, and claim no such precision."""


@dataclass(frozen=True, slots=True)
class Row:
    """A ranked chunk: its place among the chunks of its document counts from 1."""

    rank: int
    path: str
    heading_path: tuple[str, ...]
    ordinal: int
    line_start: int
    line_end: int
    relevant: bool
    begin: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A query under one configuration. ``rank`` is that of the first relevant chunk, None where no term of the query
    leads to one; ``rows`` are the top, and the relevant one even beyond it."""

    id: str
    text: str
    rank: int | None
    rows: tuple[Row, ...]

    @property
    def reciprocal(self) -> float:
        return 1.0 / self.rank if self.rank else 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One configuration: how many chunks its cut made, and every query."""

    configuration: Configuration
    chunks: int
    queries: tuple[Asked, ...]

    def hit(self, k: int) -> float:
        return _mean([float(each.rank is not None and each.rank <= k) for each in self.queries])

    @property
    def mrr(self) -> float:
        return _mean([each.reciprocal for each in self.queries])


@dataclass(frozen=True, slots=True)
class Result:
    """All configurations, in the order of the file; ``tests`` hold each later one against the first, by MRR."""

    experiment: Experiment
    characters: Mapping[str, int]
    outcomes: tuple[Outcome, ...]
    tests: tuple[Paired, ...]

    def to_json(self) -> dict[str, object]:
        experiment = self.experiment
        return {
            "experiment": experiment.name,
            "about": experiment.about,
            "commit": experiment.commit,
            "top_k": experiment.top_k,
            "documents": [
                {"path": path, "sha256": digest, "characters": self.characters[path]}
                for path, digest in experiment.documents.items()
            ],
            "configurations": [_configuration(each, experiment.top_k) for each in self.outcomes],
            "comparisons": [
                {
                    "a": self.outcomes[0].configuration.name,
                    "b": other.configuration.name,
                    "mrr": _round(test.difference),
                    "low": _round(test.low),
                    "high": _round(test.high),
                    "p": _round(test.p),
                    "wins": test.wins,
                    "losses": test.losses,
                    "ties": test.ties,
                    "verdict": test.verdict(),
                }
                for other, test in zip(self.outcomes[1:], self.tests, strict=True)
            ],
        }

    def canonical(self) -> str:
        """The result as its one form: UTF-8, keys in this order, one line end."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def run(experiment: Experiment, *, cancel: CancelToken) -> Result:
    """Read the documents of the commit, check every label, cut, rank and judge.

    Raises ``SetError`` with the first thing that does not hold, ``Cancelled``.
    """
    raw = blobs(experiment.folder, experiment.commit, experiment.documents)
    documents = {path: _document(path, content) for path, content in raw.items()}
    for query in experiment.queries:
        _checked(query, documents[query.file], cancel)
    outcomes = tuple(_outcome(experiment, each, documents, cancel) for each in experiment.configurations)
    first = [asked.reciprocal for asked in outcomes[0].queries]
    tests = tuple(paired(first, [asked.reciprocal for asked in each.queries]) for each in outcomes[1:])
    return Result(experiment, {path: len(each.text) for path, each in documents.items()}, outcomes, tests)


def _document(path: str, raw: bytes) -> Document:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        raise SetError(
            f"{quoted(path, 120)} is not UTF-8 at this commit", "leave it out of the experiment"
        ) from None
    parsed = parse(path, raw)
    if len(parsed.documents) != 1:
        why = parsed.skipped[0].reason if parsed.skipped else "it is not one document"
        raise SetError(f"{quoted(path, 120)} cannot be cut: {why}", "leave it out of the experiment")
    return parsed.documents[0]


def _checked(query: Query, document: Document, cancel: CancelToken) -> None:
    """The heading and the evidence below it are there, before any cut is looked at."""
    whole = Chunking(mode="structure", target_characters=8_000, overlap_characters=0)
    spans = chunk(document.text, document.kind, whole, language=document.language, cancel=cancel)
    below = [span for span in spans if query.heading in span.heading_path]
    where = f"query {quoted(query.id)}"
    if not below:
        raise SetError(
            f"{where}: {quoted(query.file, 120)} has no heading {quoted(query.heading)}",
            "correct the heading",
        )
    start, end = below[0].start, below[-1].end
    for piece in query.evidence:
        if piece not in document.text[start:end]:
            elsewhere = (
                "only elsewhere in the document" if piece in document.text else "nowhere in the document"
            )
            raise SetError(
                f"{where}: {quoted(piece)} stands {elsewhere}, not below {quoted(query.heading)}",
                "correct the evidence or the heading",
            )


def _outcome(
    experiment: Experiment,
    configuration: Configuration,
    documents: Mapping[str, Document],
    cancel: CancelToken,
) -> Outcome:
    chunks = [each for path in sorted(documents) for each in _chunks(documents[path], configuration, cancel)]
    relevant = {
        query.id: frozenset(each.chunk_id for each in chunks if _is_relevant(each, query))
        for query in experiment.queries
    }
    cut = next((query for query in experiment.queries if not relevant[query.id]), None)
    if cut is not None:
        raise SetError(
            f"query {quoted(cut.id)}: configuration {quoted(configuration.name)} cuts its evidence: no chunk below"
            f" {quoted(cut.heading)} holds a whole piece of it",
            "choose evidence that every configuration leaves whole",
        )
    bare = chunks if configuration.headings else [replace(each, title="", heading_path=()) for each in chunks]
    ranker = BASELINES[configuration.method](bare)
    by_id = {each.chunk_id: each for each in chunks}
    asked = []
    for query in experiment.queries:
        cancel.check()
        text = query.reworded if configuration.reworded else query.text
        asked.append(
            _asked(query, text, ranker.rank(text, len(chunks)), relevant[query.id], by_id, experiment.top_k)
        )
    return Outcome(configuration, len(chunks), tuple(asked))


def _chunks(document: Document, configuration: Configuration, cancel: CancelToken) -> list[Chunk]:
    spans = chunk(
        document.text, document.kind, configuration.chunking, language=document.language, cancel=cancel
    )
    return [
        Chunk(
            f"{document.path}#{span.ordinal}", document.path, document.path, document.title, document.revision,
            span.ordinal, span.role, span.heading_path, span.start, span.end, span.line_start, span.line_end,
            document.text[span.start : span.end],
        )
        for span in spans
        if span.role != "parent"
    ]  # fmt: skip


def _is_relevant(chunk: Chunk, query: Query) -> bool:
    return (
        chunk.path == query.file
        and query.heading in chunk.heading_path
        and any(piece in chunk.text for piece in query.evidence)
    )


def _asked(
    query: Query,
    text: str,
    ranked: Sequence[str],
    relevant: frozenset[str],
    by_id: Mapping[str, Chunk],
    top_k: int,
) -> Asked:
    rank = next((at for at, name in enumerate(ranked, 1) if name in relevant), None)
    shown = [*range(1, min(top_k, len(ranked)) + 1)]
    if rank is not None and rank > top_k:
        shown.append(rank)
    rows = tuple(_row(at, by_id[ranked[at - 1]], ranked[at - 1] in relevant) for at in shown)
    return Asked(query.id, text, rank, rows)


def _row(rank: int, chunk: Chunk, relevant: bool) -> Row:
    begin = " ".join(chunk.text.split())[:80]
    return Row(
        rank, chunk.path, chunk.heading_path, chunk.ordinal, chunk.line_start, chunk.line_end, relevant, begin
    )


def _configuration(outcome: Outcome, top_k: int) -> dict[str, object]:
    configuration = outcome.configuration
    cut = configuration.chunking
    return {
        "name": configuration.name,
        "method": configuration.method,
        "headings": configuration.headings,
        "reworded": configuration.reworded,
        "chunking": {
            "mode": cut.mode,
            "target_characters": cut.target_characters,
            "overlap_characters": cut.overlap_characters,
            "seek_boundary": cut.seek_boundary,
            "within_heading": cut.within_heading,
        },
        "chunks": outcome.chunks,
        "metrics": {
            "hit@1": _round(outcome.hit(1)),
            f"hit@{top_k}": _round(outcome.hit(top_k)),
            "mrr": _round(outcome.mrr),
        },
        "queries": [
            {
                "id": each.id,
                "text": each.text,
                "relevant_rank": each.rank,
                "rows": [
                    {
                        "rank": row.rank,
                        "path": row.path,
                        "heading_path": list(row.heading_path),
                        "chunk": row.ordinal,
                        "line_start": row.line_start,
                        "line_end": row.line_end,
                        "relevant": row.relevant,
                    }
                    for row in each.rows
                ],
            }
            for each in outcome.queries
        ],
    }


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values) if values else 0.0


def _round(value: float) -> float:
    return round(value, DECIMALS) + 0.0
