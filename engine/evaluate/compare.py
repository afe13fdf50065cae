"""Two runs of one set, case by case: what entered and left the context and by which stage, which ranks moved, and
whether the difference is more than noise. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

from engine.errors import SetError
from engine.evaluate.figures import values
from engine.evaluate.manifest import first_difference
from engine.evaluate.outcome import Outcome
from engine.evaluate.run import Run
from engine.evaluate.statistics import Paired, holm, paired

TESTED = ("recall@1", "recall@5", "mrr@10", "ndcg@10", "context_recall")
"""What is tested where both runs rank the same items."""

TESTED_ACROSS = ("evidence_recall@1", "evidence_recall@5", "context_recall")
"""What is tested across chunkings: chunks of one cut are not those of another, claims are the same."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A case whose evidence entered or left the context, or an unanswerable one that was answered in one run only.

    ``before`` and ``after`` are the layers, ``context`` or where it was lost; ``answered`` or ``refused`` for a
    case without an answer.
    """

    case_id: str
    query: str
    kind: str
    before: str
    after: str

    @property
    def gained(self) -> bool:
        return self.after in ("context", "refused")


@dataclass(frozen=True, slots=True)
class Move:
    """A case whose first relevant item stands elsewhere; None where it is not ranked."""

    case_id: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of both runs, B against A. ``corrected`` is p after Holm's correction over all that are tested."""

    metric: str
    before: float
    after: float
    test: Paired
    corrected: float

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, or ``noise``: no winner is named within noise."""
        return self.test.verdict(self.corrected)


@dataclass(frozen=True, slots=True)
class Comparison:
    """B against A over the ``cases`` that both ran. ``cause`` is the first difference of what they depend on;
    ``only`` counts the cases that one of them alone has."""

    a: str
    b: str
    cause: str
    cases: int
    only: tuple[int, int]
    differences: tuple[Difference, ...]
    flips: tuple[Flip, ...]
    moves: tuple[Move, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "cause": self.cause,
            "cases": self.cases,
            "only": list(self.only),
            "differences": [
                {
                    "metric": each.metric,
                    "a": each.before,
                    "b": each.after,
                    **asdict(each.test),
                    "p_corrected": each.corrected,
                    "verdict": each.verdict,
                    "sentence": sentence(each, self.a, self.b),
                }
                for each in self.differences
            ],
            "flips": [{**asdict(each), "gained": each.gained} for each in self.flips],
            "moves": [asdict(each) for each in self.moves],
        }


def compare(a: Run, b: Run, metrics: Sequence[str]) -> Comparison:
    """What lies between two runs. Raises ``SetError`` where they have no case in common."""
    before = {each.case_id: each for each in a.outcomes}
    after = {each.case_id: each for each in b.outcomes}
    both = [(before[name], after[name]) for name in before if name in after]
    if not both:
        raise SetError(
            f"the runs {a.variant.name} and {b.variant.name} have no case in common", "run both on one set"
        )
    return Comparison(
        a=a.variant.name,
        b=b.variant.name,
        cause=first_difference(a.manifest, b.manifest),
        cases=len(both),
        only=(len(before) - len(both), len(after) - len(both)),
        differences=_differences(both, tested(a, b, metrics), metrics),
        flips=flips(both),
        moves=tuple(Move(one.case_id, one.rank, other.rank) for one, other in both if one.rank != other.rank),
    )


def tested(a: Run, b: Run, metrics: Sequence[str]) -> tuple[str, ...]:
    """The figures that can be compared between two runs."""
    same_cut = a.manifest.get("chunking") == b.manifest.get("chunking") or (a.by_document and b.by_document)
    if not same_cut:
        return TESTED_ACROSS
    return tuple(name for name in TESTED if name in metrics or "@" not in name)


def _differences(
    both: Sequence[tuple[Outcome, Outcome]], names: Sequence[str], metrics: Sequence[str]
) -> tuple[Difference, ...]:
    """Each figure over the cases that have something to find; none where no case does."""
    pairs = [(values(one, metrics), values(other, metrics)) for one, other in both]
    scored = [(one, other) for one, other in pairs if one and other]
    if not scored:
        return ()
    tests = {
        name: paired([one[name] for one, _ in scored], [other[name] for _, other in scored]) for name in names
    }
    corrected = holm({name: test.p for name, test in tests.items()})
    return tuple(
        Difference(name, _mean(scored, name, 0), _mean(scored, name, 1), test, corrected[name])
        for name, test in tests.items()
    )


def _mean(scored: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], name: str, side: int) -> float:
    return fsum(pair[side][name] for pair in scored) / len(scored)


def flips(both: Iterable[tuple[Outcome, Outcome]]) -> tuple[Flip, ...]:
    """The cases that stand otherwise in the second outcome of each pair."""
    return tuple(flip for one, other in both if (flip := _flip(one, other)) is not None)


def _flip(one: Outcome, other: Outcome) -> Flip | None:
    before, after = _stand(one), _stand(other)
    if before == after or not {before, after} & {"context", "refused"}:
        return None
    return Flip(one.case_id, one.query, one.kind, before, after)


def _stand(outcome: Outcome) -> str:
    """Where a case ended: its layer, or for one without an answer whether it was answered all the same."""
    if outcome.answerable:
        return outcome.layer or ""
    return "refused" if outcome.refused else "answered"


def sentence(difference: Difference, a: str, b: str) -> str:
    """The result in one sentence: a winner, or why there is none and what it would take."""
    test, metric = difference.test, difference.metric
    chance = "p < 0.001" if difference.corrected < 0.001 else f"p {difference.corrected:.3f}"
    size = f"{test.difference:+.3f} ({test.low:+.3f} to {test.high:+.3f}), {chance}"
    if difference.verdict != "noise":
        return f"{metric}: {b} is {difference.verdict} than {a}, {size}"
    if test.more is None:
        return f"{metric}: the same for both"
    if test.more == 0:
        return f"{metric}: no winner once every figure that is tested is counted, {size}"
    return f"{metric}: no winner, {size}; a difference of this size would take about {test.more:,} more cases"
