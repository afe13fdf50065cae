"""Refusals: who was answered and should not have been, and whether any threshold could tell them apart. Pure.

A question is answered when its confidence reaches the threshold; one without any candidate has no confidence
and is refused by every threshold. The threshold is chosen on one half of the questions and judged on the other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, nextafter, sqrt
from statistics import NormalDist

from engine.evaluate.halves import halves


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one question. ``confidence`` is None where nothing was found at all."""

    case_id: str
    answerable: bool
    answered: bool
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """Answerable and unanswerable questions, answered and refused; rates are None where there are none."""

    answered_answerable: int
    refused_answerable: int
    answered_unanswerable: int
    refused_unanswerable: int

    @property
    def false_accept(self) -> float | None:
        """The share of unanswerable questions that were answered."""
        return _share(self.answered_unanswerable, self.refused_unanswerable)

    @property
    def over_refusal(self) -> float | None:
        """The share of answerable questions that were refused."""
        return _share(self.refused_answerable, self.answered_answerable)

    @property
    def balanced_accuracy(self) -> float | None:
        """The mean of the shares treated rightly in both classes; 0.5 for always answering, or never."""
        if self.false_accept is None or self.over_refusal is None:
            return None
        return 1 - (self.false_accept + self.over_refusal) / 2


@dataclass(frozen=True, slots=True)
class Threshold:
    """One point of the curve: what happens when confidence must reach ``minimum``."""

    minimum: float
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Curve:
    """Every threshold that makes a difference, lowest first.

    ``auc`` is the chance that an answerable question has more confidence than an unanswerable one (ties count
    half), with the bounds of its 95 % interval; 0.5 is chance. ``p`` is how likely an AUC as high comes of
    chance (one-sided rank sum test).
    """

    points: tuple[Threshold, ...]
    auc: float
    low: float
    high: float
    p: float

    @property
    def best(self) -> Threshold:
        """The point with the best balanced accuracy; of equal ones the lowest, which refuses least."""
        return max(self.points, key=lambda point: (point.matrix.balanced_accuracy or 0.0, -point.minimum))

    @property
    def separates(self) -> bool:
        """Whether some threshold makes no error."""
        return self.best.matrix.balanced_accuracy == 1.0

    @property
    def tells(self) -> bool:
        """Whether confidence tells the two apart any better than chance."""
        return self.p < 0.025


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold chosen on one half of the questions, and what it does to the other half.

    ``curve`` is that of the half that chose, ``held_out`` that of the other.
    """

    minimum: float
    chosen_on: Matrix
    reported_on: Matrix
    curve: Curve
    held_out: Curve

    @property
    def sentence(self) -> str:
        """The result in one sentence, for a report."""
        matrix = self.reported_on
        wrong = (
            f"{matrix.false_accept or 0:.0%} wrongly answered, {matrix.over_refusal or 0:.0%} wrongly refused"
        )
        if not self.held_out.tells:
            low, high = self.held_out.low, self.held_out.high
            auc = f"AUC {self.held_out.auc:.2f} ({low:.2f}–{high:.2f})"
            return f"no threshold separates them: {auc} is no better than chance"
        if self.held_out.separates:
            return f"at {self.minimum:.4g}: {wrong} on the held-out half; a threshold separates them"
        return f"no threshold separates them wholly; at {self.minimum:.4g}: {wrong} on the held-out half"


def matrix(verdicts: Iterable[Verdict]) -> Matrix:
    """Count what was answered and refused."""
    counts = [0, 0, 0, 0]
    for verdict in verdicts:
        counts[2 * (not verdict.answerable) + (not verdict.answered)] += 1
    return Matrix(*counts)


def curve(verdicts: Sequence[Verdict]) -> Curve | None:
    """The threshold curve; None unless there are both answerable and unanswerable questions."""
    answerable = sorted(_confidence(each) for each in verdicts if each.answerable)
    unanswerable = sorted(_confidence(each) for each in verdicts if not each.answerable)
    if not answerable or not unanswerable:
        return None
    auc = _auc(answerable, unanswerable)
    margin = NormalDist().inv_cdf(0.975) * _auc_error(auc, len(answerable), len(unanswerable))
    points = tuple(
        Threshold(minimum, _at(minimum, answerable, unanswerable))
        for minimum in _thresholds(sorted({*answerable, *unanswerable} - {-inf}))
    )
    chance = _chance(auc, len(answerable), len(unanswerable))
    return Curve(points, auc, max(0.0, auc - margin), min(1.0, auc + margin), chance)


def choose(verdicts: Sequence[Verdict]) -> Choice | None:
    """Choose the best threshold on one half and report it on the other.

    The halves follow from the questions' ids alone. None where a half lacks either class.
    """
    first, second = halves(verdicts, identity=lambda each: each.case_id, stratum=lambda each: each.answerable)
    choosing, held_out = curve(first), curve(second)
    if choosing is None or held_out is None:
        return None
    minimum = choosing.best.minimum
    return Choice(minimum, choosing.best.matrix, _all_at(minimum, second), choosing, held_out)


# --- parts
# ------------------------------------------------------------------------------------------------


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def _confidence(verdict: Verdict) -> float:
    return -inf if verdict.confidence is None else verdict.confidence


def _thresholds(values: Sequence[float]) -> list[float]:
    """One between every two neighbouring confidences, one that refuses none of them, one that refuses all."""
    if not values:
        return [0.0]
    between = [(low + high) / 2 if low < (low + high) / 2 else high for low, high in pairwise(values)]
    return [values[0], *between, nextafter(values[-1], inf)]


def _at(minimum: float, answerable: Sequence[float], unanswerable: Sequence[float]) -> Matrix:
    """The matrix at a threshold; both lists are sorted."""

    refused, rightly = bisect_left(answerable, minimum), bisect_left(unanswerable, minimum)
    return Matrix(len(answerable) - refused, refused, len(unanswerable) - rightly, rightly)


def _all_at(minimum: float, verdicts: Sequence[Verdict]) -> Matrix:
    return _at(
        minimum,
        sorted(_confidence(each) for each in verdicts if each.answerable),
        sorted(_confidence(each) for each in verdicts if not each.answerable),
    )


def _auc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float:
    """Mann and Whitney's statistic over all pairs, from sorted lists."""

    wins = sum(bisect_left(unanswerable, each) + bisect_right(unanswerable, each) for each in answerable)
    return wins / (2 * len(answerable) * len(unanswerable))


def _auc_error(auc: float, answerable: int, unanswerable: int) -> float:
    """Standard error of an AUC (Hanley & McNeil 1982)."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (answerable - 1) * (q1 - auc**2) + (unanswerable - 1) * (q2 - auc**2)
    return sqrt(max(0.0, variance) / (answerable * unanswerable))


def _chance(auc: float, answerable: int, unanswerable: int) -> float:
    """One-sided p of Mann and Whitney's test by its normal approximation, with the continuity correction."""
    pairs = answerable * unanswerable
    spread = sqrt(pairs * (answerable + unanswerable + 1) / 12)
    return 1 - NormalDist().cdf(((auc - 0.5) * pairs - 0.5) / spread)
