"""Running a sweep: one recall of each case serves every setting of one chunking, what is finished is kept, and the
generation that serves stays what it is. Blocking work runs in the library's threads.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from engine.cancel import CancelToken
from engine.catalogue.what_if import same_cut
from engine.errors import SettingsError, UsageError
from engine.evaluate.figures import EVIDENCE, values
from engine.evaluate.halves import halves
from engine.evaluate.manifest import run_id
from engine.evaluate.run import METRICS, Plan, Variant, outcomes_on, prepared
from engine.evaluate.sets import Case, EvaluationSet
from engine.evaluate.sweep import outcome
from engine.evaluate.sweep.axes import Axis, Point, distance, present, settings_at
from engine.evaluate.sweep.cuts import cut_of
from engine.evaluate.sweep.outcome import Cell, Swept
from engine.evaluate.sweep.search import Grid, Search
from engine.library import Library
from engine.model import Progress
from engine.settings import Chunking, Settings
from engine.settings.fields import quoted
from engine.store.generation import Generation
from engine.store.sweeps import Figures, SweepStore

TOGETHER = 16
"""Settings that are asked together: one recall a case serves them all, and what they gave is kept at once."""

RANKED, ACROSS = "mrr@10", "evidence_recall@5"
"""What is maximised unless something else is asked for: across chunkings only figures over evidence compare."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be swept. ``cases`` are checked and selected; ``by`` is the figure to be maximised, empty for the
    usual one; ``skipped`` are the cases left out as invalid, ``selection`` what chose among the others; ``base`` are the
    settings that the axes turn, by default the library's."""

    cases: EvaluationSet
    axes: tuple[Axis, ...]
    search: Search = field(default_factory=Grid)
    by: str = ""
    metrics: tuple[str, ...] = METRICS
    scopes: tuple[str, ...] = ()
    selection: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    base: Settings | None = None

    @property
    def objective(self) -> str:
        """What is maximised. Raises ``UsageError`` where it is no figure, or does not compare across chunkings."""
        cuts = any(axis.cuts for axis in self.axes)
        name = self.by or (ACROSS if cuts and not self.cases.by_document else RANKED)
        if name not in (*self.metrics, *EVIDENCE):
            raise UsageError(
                f"{quoted(name)} is no figure of this set",
                f"maximise one of {', '.join((*self.metrics, *EVIDENCE))}",
            )
        if cuts and name not in EVIDENCE and not self.cases.by_document:
            raise UsageError(
                f"{name} counts chunks, and those of two cuts do not compare",
                f"maximise one of {', '.join(EVIDENCE)}",
            )
        return name


def sweep(
    library: Library, request: Request, *, cancel: CancelToken
) -> AsyncGenerator[Progress | Swept, None]:
    """Try the points of a sweep: progress, and at last what came out. What is finished is kept, whatever happens.

    Raises ``UsageError`` for axes that are none, ``BusyError`` where another chunking is asked for and another process
    writes the library, ``LibraryError``, ``Cancelled``.
    """
    if not request.axes:
        raise UsageError("nothing is varied", "name settings with --vary field=a,b,c")
    work = _Sweep(library, request, request.objective, cancel)
    return library.stream(work.run, cancel)


class _Sweep:
    """One sweep under way: the cells so far, and the generations that they were asked on."""

    def __init__(self, library: Library, request: Request, by: str, cancel: CancelToken) -> None:
        self._library = library
        self._request = request
        self._by = by
        self._cancel = cancel
        self._base = request.base or library.settings
        self._cells: dict[Point, Cell] = {}
        self._impossible: dict[Point, str] = {}
        chosen = {case.id for case in choosing_cases(request.cases.cases)}
        self._choosing = tuple(case.id in chosen for case in request.cases.cases)

    def run(self) -> Iterator[Progress | Swept]:
        axes, start = self._request.axes, present(self._base, self._request.axes)
        with closing(SweepStore(self._library.places.library, steps=self._library.steps)) as store:
            yield from self._tried([start], store)
            trial = self._request.search.trial(axes, start)
            points = next(trial, None)
            order: list[Point] = []
            while points is not None:
                yield from self._tried(points, store)
                order += points
                try:
                    points = trial.send([self._score(point) for point in points])
                except StopIteration:
                    points = None
        cells = [self._cells[point] for point in dict.fromkeys([*order, start]) if point in self._cells]
        now, best = self._cells[start], outcome.best_of(cells)
        choosing = sum(
            first and value is not None for first, value in zip(self._choosing, now.values, strict=True)
        )
        scored = sum(value is not None for value in now.values)
        yield Swept(
            set=self._request.cases.name,
            by=self._by,
            search=self._request.search.name,
            axes=axes,
            cells=tuple(cells),
            present=now,
            best=best,
            test=outcome.judged(best, now, self._choosing),
            cases=(choosing, scored - choosing),
            impossible=tuple((point, why) for point, why in self._impossible.items()),
        )

    def _score(self, point: Point) -> float | None:
        cell = self._cells.get(point)
        return None if cell is None else cell.chosen

    def _tried(self, points: Sequence[Point], store: SweepStore) -> Iterator[Progress]:
        """Ask what is not known yet, chunking by chunking in the order of the points."""
        by_cut: dict[Chunking, list[tuple[Point, Settings]]] = {}
        for point in points:
            if point in self._cells or point in self._impossible:
                continue
            try:
                settings = settings_at(self._base, self._request.axes, point)
            except SettingsError as error:
                self._impossible[point] = error.problem
                continue
            by_cut.setdefault(settings.chunking, []).append((point, settings))
        for chunking, some in by_cut.items():
            yield from self._under(chunking, some, store)

    def _under(
        self, chunking: Chunking, points: Sequence[tuple[Point, Settings]], store: SweepStore
    ) -> Iterator[Progress]:
        serving = self._library.serving()
        cuts = any(axis.cuts for axis in self._request.axes)
        if not cuts or same_cut(chunking, serving.chunking):
            yield from self._asked(serving, points, store)
            return
        cut = yield from cut_of(self._library.index(), serving, chunking, cancel=self._cancel)
        with closing(cut):
            yield from self._asked(cut, points, store)

    def _asked(
        self, generation: Generation, points: Sequence[tuple[Point, Settings]], store: SweepStore
    ) -> Iterator[Progress]:
        for start in range(0, len(points), TOGETHER):
            some = points[start : start + TOGETHER]
            plan = self._plan(
                [Variant(str(at), each.retrieval, each.features) for at, (_, each) in enumerate(some)]
            )
            names = [
                run_id(each) for each in prepared(self._library, generation, plan, self._cancel).manifests
            ]
            known = store.known(names)
            missing = [at for at, name in enumerate(names) if name not in known]
            if missing:
                asked = replace(plan, variants=tuple(plan.variants[at] for at in missing))
                found = yield from self._outcomes(generation, asked)
                fresh = {names[at]: figures for at, figures in zip(missing, found, strict=True)}
                store.put(fresh.items())
                known |= fresh
            for (point, _), name in zip(some, names, strict=True):
                self._cells[point] = outcome.cell(
                    point,
                    known[name],
                    self._by,
                    self._choosing,
                    distance(self._base, self._request.axes, point),
                )

    def _outcomes(self, generation: Generation, plan: Plan) -> Generator[Progress, None, list[Figures]]:
        steps = outcomes_on(self._library, generation, plan, cancel=self._cancel)
        tried = len(self._cells)
        while True:
            try:
                progress = next(steps)
            except StopIteration as end:
                return [[values(case, plan.metrics) for case in cases] for cases in end.value]
            yield replace(progress, detail=f"{tried:,} settings tried, {len(plan.variants):,} under way")

    def _plan(self, variants: Sequence[Variant]) -> Plan:
        request = self._request
        return Plan(
            request.cases,
            tuple(variants),
            request.metrics,
            request.scopes,
            request.selection,
            request.skipped,
        )


def choosing_cases(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases of a set that choose the winner of a sweep; the others judge it."""
    return halves(cases, identity=lambda case: case.id, stratum=lambda case: (case.answerable, case.kind))[0]
