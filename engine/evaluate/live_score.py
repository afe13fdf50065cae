"""What one setting makes of a set, and how that stands against another: the figures a screen shows. Pure.

A score is first known by ranks alone (``by_ranks``, in the frame of the key), then whole (``by_outcomes``). Figures of
either are those of ``figures`` over a run's outcomes, to the last digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from engine.evaluate.compare import Difference, Flip, flips
from engine.evaluate.figures import values
from engine.evaluate.live import Live
from engine.evaluate.live_matrix import Placed, Ranks, metric_value
from engine.evaluate.outcome import Outcome
from engine.evaluate.run import Variant
from engine.evaluate.statistics import holm, paired

CUTOFF = 10
"""How deep the fixed metrics look; recall looks as deep as the settings serve."""

CONTEXT = "context_recall"


def names(top_k: int) -> tuple[str, ...]:
    """The figures that are followed, for settings that serve so many."""
    return (f"recall@{top_k}", "mrr@10", "ndcg@10", CONTEXT)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One case: its relevant items by rank, the grades of all that could be found, and whether it was refused."""

    placed: Placed
    wanted: tuple[int, ...]
    refused: bool
    answerable: bool

    @property
    def rank(self) -> int | None:
        """The rank of the first relevant item."""
        return self.placed[0][0] if self.placed else None


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """A variant over a set: ``standings`` by case id, and where the contexts are known the ``outcomes``, too."""

    variant: Variant
    standings: Mapping[str, Standing]
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    _known: dict[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether the contexts are known."""
        return bool(self.outcomes) or not self.standings

    def values(self, name: str) -> Mapping[str, float]:
        """A figure of each case that has something to find, by its id; none at all where it is not known yet."""
        if name not in self._known:
            self._known[name] = _values(self, name)
        return self._known[name]

    def mean(self, name: str) -> float | None:
        """The figure over all cases that have something to find."""
        found = self.values(name)
        return fsum(found.values()) / len(found) if found else None

    @property
    def refused_rightly(self) -> tuple[int, int]:
        """Of the cases without an answer how many were refused, and how many there are."""
        without = [standing.refused for standing in self.standings.values() if not standing.answerable]
        return sum(without), len(without)


def _values(score: Score, name: str) -> Mapping[str, float]:
    if name == CONTEXT:
        return {
            case: values(outcome, ())[CONTEXT] for case, outcome in score.outcomes.items() if outcome.scorable
        }
    return {
        case: metric_value(name, standing.placed, standing.wanted)
        for case, standing in score.standings.items()
        if standing.wanted
    }


def by_ranks(live: Live, variant: Variant, *, warm: bool = False) -> Score | None:
    """The score that ranks alone tell; None where the candidates' texts have a say, or, where it must be ``warm``,
    where the lists are not laid out for these settings."""
    if warm and not live.matrix.laid_out(variant.retrieval, CUTOFF):
        return None
    ranks = live.matrix.rank(variant.retrieval, CUTOFF)
    return None if ranks is None else Score(variant, _standings(live, ranks))


def _standings(live: Live, ranks: Ranks) -> dict[str, Standing]:
    rows = zip(live.cases, ranks.placed, live.matrix.wanted, ranks.refused, strict=True)
    return {
        judged.case.id: Standing(placed, wanted, refused, judged.case.answerable)
        for judged, placed, wanted, refused in rows
    }


def by_outcomes(variant: Variant, outcomes: Sequence[Outcome]) -> Score:
    """The whole score."""
    return Score(
        variant,
        {outcome.case_id: _standing(outcome) for outcome in outcomes},
        {outcome.case_id: outcome for outcome in outcomes},
    )


def _standing(outcome: Outcome) -> Standing:
    grades = outcome.grades
    placed = tuple(
        (rank, grades[item]) for rank, item in enumerate(outcome.ranked, 1) if grades.get(item, 0) > 0
    )
    wanted = tuple(sorted(grade for grade in grades.values() if grade > 0))
    return Standing(placed, wanted, outcome.refused, outcome.answerable)


# --- against another ----------------------------------------------------------------------------------------


def differences(a: Score, b: Score, wanted: Sequence[str]) -> dict[str, Difference]:
    """Each figure of B against A, tested over the cases that both have, p corrected over all that are tested (Holm).

    Takes a second for a thousand cases. A figure that one of them does not know is left out.
    """
    pairs = {name: _pairs(a, b, name) for name in wanted}
    tests = {
        name: paired([one for one, _ in both], [other for _, other in both])
        for name, both in pairs.items()
        if both
    }
    corrected = holm({name: test.p for name, test in tests.items()})
    return {
        name: Difference(
            name, _mean([one for one, _ in pairs[name]]), _mean([other for _, other in pairs[name]]), test,
            corrected[name],
        )
        for name, test in tests.items()
    }  # fmt: skip


def change(a: Score, b: Score, name: str) -> float | None:
    """The mean change of a figure over the cases that both have."""
    both = _pairs(a, b, name)
    return fsum(other - one for one, other in both) / len(both) if both else None


def _pairs(a: Score, b: Score, name: str) -> list[tuple[float, float]]:
    before, after = a.values(name), b.values(name)
    return [(value, after[case]) for case, value in before.items() if case in after]


def _mean(found: Sequence[float]) -> float:
    return fsum(found) / len(found)


def flipped(a: Score, b: Score) -> dict[str, Flip]:
    """The cases that entered or left the context, or were answered in one and refused in the other, by id."""
    both = ((one, b.outcomes[case]) for case, one in a.outcomes.items() if case in b.outcomes)
    return {flip.case_id: flip for flip in flips(both)}
