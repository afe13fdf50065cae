"""Loading a set to be followed: read, checked against the library's texts, and frozen.

Where a piece of evidence is not found nothing is asked, and the list says why; unless those cases are left out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.cancel import CancelToken
from engine.catalogue.evidence import SET, set_beside
from engine.evaluate.fit import fitting
from engine.evaluate.formats import read_set
from engine.evaluate.live import Live, freezing
from engine.evaluate.run import Plan, Variant
from engine.evaluate.sets import EvaluationSet
from engine.library import Library
from engine.model import Progress
from engine.settings import Retrieval


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A set as a screen follows it. ``path`` is where it was read from, None where the library has none of its own.

    ``live`` is None where nothing can be asked: there is no set, no case, or ``problems`` stand against it and were
    not left out. ``invalid`` are the ids of the cases that do not fit.
    """

    path: Path | None
    cases: EvaluationSet | None = None
    live: Live | None = None
    invalid: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return "" if self.path is None else self.path.name

    @property
    def split(self) -> int:
        """Cases of which some claim's evidence lies whole in no chunk of the present cut."""
        cases = () if self.live is None else self.live.cases
        return sum(any(claim.unreachable == "split" for claim in judged.claims) for judged in cases)


def load(
    library: Library,
    path: Path | None,
    metrics: Sequence[str],
    *,
    scopes: Sequence[str] = (),
    skip_invalid: bool = False,
    cancel: CancelToken,
) -> AsyncGenerator[Progress | Loaded, None]:
    """Read a set, by default the one in the library's folder, and freeze it: progress, and at last what was loaded.

    Raises ``SetError`` for what is no set and for one that is too large to be followed, ``LibraryError``,
    ``Cancelled``.
    """
    return library.stream(
        lambda: _load(library, path, tuple(metrics), tuple(scopes), skip_invalid, cancel), cancel
    )


def _load(
    library: Library,
    path: Path | None,
    metrics: tuple[str, ...],
    scopes: tuple[str, ...],
    skip_invalid: bool,
    cancel: CancelToken,
) -> Iterator[Progress | Loaded]:
    found = set_beside(library.root) if path is None else read_set(path)
    if found is None:
        yield Loaded(None)
        return
    where = path or library.root / SET
    fit = fitting(library, found)
    problems = tuple(map(str, fit.problems))
    if not fit.cases.cases or (problems and not skip_invalid):
        yield Loaded(where, found, None, fit.invalid, problems)
        return
    plan = Plan(fit.cases, (Variant("settings", Retrieval()),), metrics, scopes, skipped=fit.invalid)
    for step in freezing(library, plan, cancel):
        yield step if isinstance(step, Progress) else Loaded(where, fit.cases, step, fit.invalid, problems)
