"""Whether a difference between two systems on the same questions is more than noise. Pure and repeatable.

Every function takes paired values, question by question; chance comes from fixed seeds, and the order of the
questions does not matter, so the same values give the same figures to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb, fsum
from statistics import NormalDist, stdev

import numpy as np
from numpy.typing import NDArray

EXACT = 16
"""Pairs that differ, up to which every assignment of signs is tried: 65,536 of them."""

PERMUTATIONS = 100_000
"""Beyond that, drawn ones: a p of 0.05 is then known to ±0.0014 (95 %)."""

RESAMPLES = 10_000
SEED = 20_240_229
BATCH = 4_000_000
"""Numbers drawn at a time, to bound the memory."""

SIGNIFICANT = 0.05
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Paired:
    """B against A on the same questions.

    ``difference`` is the mean of B minus A, ``low`` and ``high`` its 95 % interval; ``wins``, ``losses`` and
    ``ties`` count questions from B's side. ``p`` is two-sided. ``more`` is how many questions like these would
    have to be added before a difference of this size were significant with 80 % power: 0 where these are
    enough, None where no number would do, for there is no difference.
    """

    questions: int
    difference: float
    low: float
    high: float
    p: float
    wins: int
    losses: int
    ties: int
    more: int | None

    def verdict(self, p: float | None = None) -> str:
        """``better``, ``worse``, or ``noise``: no winner is named within noise. ``p`` may be a corrected one."""
        if (self.p if p is None else p) >= SIGNIFICANT or self.difference == 0:
            return "noise"
        return "better" if self.difference > 0 else "worse"


def paired(a: Sequence[float], b: Sequence[float]) -> Paired:
    """Compare B with A. Raises ``ValueError`` where their lengths differ or there is no question."""
    if len(a) != len(b) or not a:
        raise ValueError(f"{len(a)} and {len(b)} values make no pairs")
    differences = np.sort(np.asarray(b, dtype=np.float64) - np.asarray(a, dtype=np.float64))
    low, high = bootstrap_interval(differences)
    p = randomisation_p(differences)
    return Paired(
        questions=len(differences),
        difference=_mean(differences),
        low=low,
        high=high,
        p=p,
        wins=int((differences > 0).sum()),
        losses=int((differences < 0).sum()),
        ties=int((differences == 0).sum()),
        more=more_questions(differences, p),
    )


def randomisation_p(differences: Sequence[float] | NDArray[np.float64]) -> float:
    """Two-sided p of the paired randomisation test (Fisher 1935; Smucker et al. 2007 for retrieval).

    Under the hypothesis that nothing differs each difference may have either sign. Exact where at most
    ``EXACT`` of them are not 0, and where all others have one size (hits won and lost); else signs are drawn,
    and counted with the observed ones (Phipson & Smyth 2010), so that p is never 0.
    """
    values = np.sort(np.abs(np.asarray(differences, dtype=np.float64)))
    values = values[values > 0]
    if not len(values):
        return 1.0
    observed = abs(fsum(differences))
    # Sums of the same values in another order may differ in their last bits, and must count as equal.
    reached = observed - 1e-12 * float(values.sum())
    if len(values) <= EXACT:
        sums = _every_sum(values)
        return float(np.mean(np.abs(sums) >= reached))
    if values[-1] - values[0] <= 1e-12 * values[-1]:
        return _sign_test(len(values), round(observed / float(values[-1])))
    extreme = sum(int((np.abs(sums) >= reached).sum()) for sums in _drawn_sums(values))
    return (extreme + 1) / (PERMUTATIONS + 1)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down correction (1979) for several comparisons: by name, each at most 1."""
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    adjusted: dict[str, float] = {}
    highest = 0.0
    for place, name in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - place) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def bootstrap_interval(
    values: Sequence[float] | NDArray[np.float64], *, coverage: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of the mean over resampled questions (Efron 1979). One value is its own interval.

    Raises ``ValueError`` where there is no value.
    """
    sample = np.sort(np.asarray(values, dtype=np.float64))
    if not len(sample):
        raise ValueError("no values")
    generator = np.random.default_rng(SEED)
    means = np.concatenate(
        [
            sample[generator.integers(0, len(sample), (rows, len(sample)))].mean(axis=1)
            for rows in _batches(RESAMPLES, len(sample))
        ]
    )
    low, high = np.quantile(means, [(1 - coverage) / 2, (1 + coverage) / 2])
    return float(low), float(high)


def more_questions(differences: Sequence[float] | NDArray[np.float64], p: float) -> int | None:
    """How many further questions a difference of this size would take, see ``Paired``.

    The size of a paired sample, ``((z_α/2 + z_β)·s ÷ d)²`` with d the mean and s the standard deviation.
    """
    values = [float(value) for value in differences]
    mean = _mean(values)
    if p < SIGNIFICANT and mean != 0:
        return 0
    if mean == 0:
        return None
    spread = stdev(values) if len(values) > 1 else abs(mean)
    normal = NormalDist()
    z = normal.inv_cdf(1 - SIGNIFICANT / 2) + normal.inv_cdf(POWER)
    needed = ceil((z * max(spread, abs(mean)) / mean) ** 2)
    return max(1, needed - len(values))


def _sign_test(count: int, lead: int) -> float:
    """The same p where all differences have one size: ``lead`` is how many more have the one sign."""
    fewer = (count - lead) // 2
    tail = sum(comb(count, losses) for losses in range(fewer + 1))
    return min(1.0, 2 * tail / 2**count) if lead else 1.0


def _every_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """``(2^n,)``: the sum under every assignment of signs."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _drawn_sums(values: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Sums under drawn signs, ``PERMUTATIONS`` in all, in batches."""
    generator = np.random.default_rng(SEED)
    for rows in _batches(PERMUTATIONS, len(values)):
        signs = generator.integers(0, 2, (rows, len(values)), dtype=np.int8)
        yield 2.0 * (signs @ values) - float(values.sum())


def _batches(rows: int, width: int) -> Iterator[int]:
    """The rows in portions of at most ``BATCH`` numbers."""
    step = max(1, BATCH // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)


def _mean(values: Sequence[float] | NDArray[np.float64]) -> float:
    return fsum(values) / len(values)
