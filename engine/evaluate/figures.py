"""From outcomes to figures: every metric of every case, and their means over groups of cases. Pure.

Ranking metrics are over items, chunks or documents. Evidence-level figures are over claims and compare across
chunkings: a claim that several chunks hold is found once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.evaluate.metrics import means, metric
from engine.evaluate.outcome import Outcome

EVIDENCE = ("evidence_recall@1", "evidence_recall@5", "context_recall", "context_precision")
"""Figures over claims, beside the metrics that were asked for."""

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """The means over some cases.

    ``cases`` counts all of them, ``scorable`` those with something to find, over which ``means`` are taken;
    ``in_context`` those of these whose every claim is in the packed context. ``layers`` counts where the
    others were lost, ``preferences`` is (kept, asked), ``refused`` how many of all were refused.
    """

    cases: int
    scorable: int
    in_context: int
    means: Values
    layers: Mapping[str, int]
    preferences: tuple[int, int]
    refused: int


_measure = lru_cache(maxsize=64)(metric)


def values(outcome: Outcome, metrics: Sequence[str]) -> dict[str, float]:
    """Every figure of one case by name; none where there is nothing to find."""
    if not outcome.scorable:
        return {}
    found = {name: _measure(name)(outcome.ranked, outcome.grades) for name in metrics}
    return {
        **{name: value for name, value in found.items() if value is not None},
        **{name: _evidence(name, outcome) for name in EVIDENCE},
    }


def _evidence(name: str, outcome: Outcome) -> float:
    kind, _, cutoff = name.partition("@")
    if kind == "context_precision":
        return sum(outcome.hits) / len(outcome.hits) if outcome.hits else 0.0
    claims = outcome.claims
    if not claims:
        return 0.0
    if kind == "context_recall":
        return sum(claim.in_context for claim in claims) / len(claims)
    return sum(claim.rank is not None and claim.rank <= int(cutoff) for claim in claims) / len(claims)


def figures(outcomes: Iterable[Outcome], metrics: Sequence[str]) -> Figures:
    """The figures of these cases together; a metric without any case to be taken over is not there."""
    cases = list(outcomes)
    scorable = [case for case in cases if case.scorable]
    lost = Counter(str(case.layer) for case in scorable if not case.in_context)
    pairs = [kept for case in cases for kept in case.preferences]
    return Figures(
        cases=len(cases),
        scorable=len(scorable),
        in_context=sum(bool(case.in_context) for case in scorable),
        means=means(values(case, metrics) for case in scorable),
        layers=dict(sorted(lost.items(), key=lambda item: (-item[1], item[0]))),
        preferences=(sum(pairs), len(pairs)),
        refused=sum(case.refused for case in cases),
    )


def grouped(
    outcomes: Sequence[Outcome], metrics: Sequence[str], key: Callable[[Outcome], str]
) -> dict[str, Figures]:
    """Figures by kind, by language or by whatever ``key`` says, in the order of their first case; what has no
    name is left out."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if name := key(outcome):
            groups.setdefault(name, []).append(outcome)
    return {name: figures(cases, metrics) for name, cases in groups.items()}
