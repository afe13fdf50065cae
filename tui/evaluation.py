"""The loaded evaluation set as the screens show it: one frozen value in the view. Pure; it imports no numpy.

``Evaluating`` (``evaluating.py``) makes the next value from what comes back from the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.evaluate.compare import Difference, Flip
    from engine.evaluate.live_score import Score
    from engine.evaluate.live_set import Loaded
    from engine.evaluate.run import Run
    from engine.model import Progress


def names(top_k: int) -> tuple[str, ...]:
    """The figures that are followed; recall looks as deep as the settings serve."""
    return (f"recall@{top_k}", "mrr@10", "ndcg@10", "context_recall")


def short(name: str) -> str:
    """A figure's name where cells are few."""
    return "context" if name == "context_recall" else name.replace("_", " ")


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What is known of the set. ``loaded`` is None until it was read; ``progress`` is there while it is being asked,
    ``wrong`` says why it cannot be followed.

    ``now`` is the score of the settings in force: by ranks alone until ``whole`` is it, too. ``ranked`` says whether
    it is theirs at all and not that of the settings before; figures that are not are muted. ``a`` is what it stands
    against, ``against`` its name, ``a_run`` the kept run that it is, if it is one. ``differences`` are tested, and of
    this very pair, where ``tested``. ``baselines`` are by name. ``milliseconds`` is what the last re-score took, and
    ``doing`` what runs for the set in words.
    """

    loaded: Loaded | None = None
    progress: Progress | None = None
    wrong: str = ""
    now: Score | None = None
    whole: Score | None = None
    ranked: bool = False
    a: Score | None = None
    against: str = ""
    a_run: Run | None = None
    differences: Mapping[str, Difference] = field(default_factory=dict)
    tested: bool = False
    flips: Mapping[str, Flip] = field(default_factory=dict)
    baselines: Sequence[tuple[str, Score]] = ()
    milliseconds: float | None = None
    doing: str = ""

    @property
    def cases(self) -> int:
        """Cases that can be followed."""
        live = self.loaded.live if self.loaded is not None else None
        return 0 if live is None else len(live.cases)

    @property
    def answerable(self) -> int:
        live = self.loaded.live if self.loaded is not None else None
        return 0 if live is None else sum(judged.case.answerable for judged in live.cases)

    @property
    def true(self) -> bool:
        """Whether the contexts are those of the settings in force."""
        return self.ranked and self.whole is not None and self.whole is self.now

    def value(self, name: str) -> tuple[float | None, bool]:
        """A figure now, and whether it is that of the settings in force; else it is the last one known."""
        if name == "context_recall":
            return (None if self.whole is None else self.whole.mean(name)), self.true
        return (None if self.now is None else self.now.mean(name)), self.ranked

    def before(self, name: str) -> float | None:
        """The figure in A."""
        return None if self.a is None else self.a.mean(name)

    def change(self, name: str) -> float | None:
        """How the figure now differs from A's."""
        # it imports numpy, which is there once there is a score
        from engine.evaluate.live_score import change

        now = self.whole if name == "context_recall" else self.now
        return None if self.a is None or now is None else change(self.a, now, name)

    @property
    def moved(self) -> tuple[int, int]:
        """How many cases were gained and lost against A."""
        gained = sum(flip.gained for flip in self.flips.values())
        return gained, len(self.flips) - gained


NO_EVALUATION = Evaluation()
"""Nothing is loaded."""
