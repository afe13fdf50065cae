"""Ranking metrics over ids and graded judgements, equal to those of trec_eval as ir_measures serves them.

Relevant is what has a grade above 0; a grade of 0 or below adds no gain. Of an id that a ranking repeats the
first counts, and the ranks behind it close up: metrics see the list of distinct ids. A query without anything
relevant has no value: it is counted apart and takes no part in a mean. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import fsum, log2

from engine.errors import SetError

Grades = Mapping[str, int]
"""The judgements of one query: id → grade."""

Measure = Callable[[Sequence[str], Grades], float]
"""From distinct ids, best first and already cut at k, and judgements of which one at least is relevant."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric and its cutoff: ``recall@5``; a cutoff of 0 reads the whole ranking (``map``)."""

    name: str
    kind: str
    cutoff: int

    def __call__(self, ranked: Sequence[str], grades: Grades) -> float | None:
        """The value in ``[0, 1]``, None where no id is relevant. ``ranked`` is best first."""
        if not any(grade > 0 for grade in grades.values()):
            return None
        distinct = list(dict.fromkeys(ranked))
        cut = distinct[: self.cutoff] if self.cutoff else distinct
        if self.kind == "precision":
            return _found(cut, grades) / self.cutoff
        if self.kind == "ndcg":
            return _ndcg(cut, grades, self.cutoff)
        return _MEASURES[self.kind](cut, grades)


@dataclass(frozen=True, slots=True)
class Scores:
    """Metrics of a run: ``queries`` by query id and metric, and ``means`` over those that have a value.

    ``scorable`` queries have something relevant, ``not_scorable`` are judged and have nothing;
    ``missing`` scorable queries do not occur in the run and count as 0.
    """

    queries: Mapping[str, Mapping[str, float]]
    means: Mapping[str, float]
    scorable: int
    not_scorable: int
    missing: int


def metric(name: str) -> Metric:
    """The metric of a name: ``hit@k``, ``recall@k``, ``precision@k``, ``mrr@k``, ``ndcg@k``, ``map``.

    ``mrr``, ``ndcg`` and ``map`` may go without a cutoff. Raises ``SetError`` for any other name.
    """
    match = re.fullmatch(r"([a-z]+)(?:@([1-9][0-9]{0,5}))?", name.strip().lower())
    known = (*_MEASURES, "precision", "ndcg")
    if match is None or match[1] not in known:
        near = get_close_matches(name.lower().partition("@")[0], known, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
        raise SetError(f"there is no metric {name[:40]!r}", hint)
    if match[2] is None and match[1] in _NEED_CUTOFF:
        raise SetError(f"the metric {match[1]} needs a cutoff", f"write {match[1]}@5")
    return Metric(match[0], match[1], int(match[2] or 0))


def graded(judgements: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Judgements as a mapping; of an id that is judged twice the higher grade counts."""
    found: dict[str, int] = {}
    for item, grade in judgements:
        found[item] = max(grade, found.get(item, grade))
    return found


def score_run(
    run: Mapping[str, Sequence[str]], judgements: Mapping[str, Grades], metrics: Sequence[Metric]
) -> Scores:
    """Every metric of every judged query. ``run`` is query id → ids, best first.

    A judged query that the run lacks counts as 0; one that was not judged is left out. Raises ``SetError``
    where run and judgements share no query, for that measures nothing.
    """
    if judgements and not any(query in run for query in judgements):
        raise SetError(
            f"0 of {len(judgements)} judged queries occur in the run", "check that both name the same set"
        )
    queries: dict[str, dict[str, float]] = {}
    for query, grades in judgements.items():
        values = {each.name: each(run.get(query, ()), grades) for each in metrics}
        found = {name: value for name, value in values.items() if value is not None}
        if found:
            queries[query] = found
    scorable = sum(any(grade > 0 for grade in grades.values()) for grades in judgements.values())
    return Scores(
        queries=queries,
        means=means(queries.values()),
        scorable=scorable,
        not_scorable=len(judgements) - scorable,
        missing=sum(query not in run for query in queries),
    )


def means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each name over the rows that have it; a name that no row has is not there."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return {name: fsum(values) / len(values) for name, values in columns.items()}


# --- the measures
# ----------------------------------------------------------------------------------------------


def _found(cut: Sequence[str], grades: Grades) -> int:
    return sum(grades.get(item, 0) > 0 for item in cut)


def _relevant(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def _hit(cut: Sequence[str], grades: Grades) -> float:
    return float(_found(cut, grades) > 0)


def _recall(cut: Sequence[str], grades: Grades) -> float:
    return _found(cut, grades) / _relevant(grades)


def _reciprocal_rank(cut: Sequence[str], grades: Grades) -> float:
    return next((1 / rank for rank, item in enumerate(cut, 1) if grades.get(item, 0) > 0), 0.0)


def _average_precision(cut: Sequence[str], grades: Grades) -> float:
    """Precision at the rank of each relevant id that was found, over all that are relevant."""
    ranks = [rank for rank, item in enumerate(cut, 1) if grades.get(item, 0) > 0]
    return fsum(found / rank for found, rank in enumerate(ranks, 1)) / _relevant(grades)


def _ndcg(cut: Sequence[str], grades: Grades, cutoff: int) -> float:
    """Linear gain, discount ``log2(rank + 1)`` (Järvelin & Kekäläinen 2002, as trec_eval has it)."""
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    return _dcg([grades.get(item, 0) for item in cut]) / _dcg(ideal[: cutoff or None])


def _dcg(gains: Sequence[int]) -> float:
    return fsum(max(0, gain) / log2(rank + 1) for rank, gain in enumerate(gains, 1))


_MEASURES: Mapping[str, Measure] = {
    "hit": _hit,
    "recall": _recall,
    "mrr": _reciprocal_rank,
    "map": _average_precision,
}
_NEED_CUTOFF = ("hit", "recall", "precision")
