"""Running a set: every question through the library's own recall and ``settle``, as ``search`` runs it.

A question is recalled once and settled under each variant. What is finished is durable in the library file, so a
run that was cancelled or killed goes on where it stopped and ends with the same bytes. Blocking work runs in the
library's threads.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from engine.cancel import CancelToken
from engine.errors import LibraryError
from engine.evaluate import rivals
from engine.evaluate.judge import deep_enough, judge
from engine.evaluate.judgements import JudgedCase, Shelved, judge_set
from engine.evaluate.manifest import Manifest, manifest, run_id
from engine.evaluate.metrics import metric
from engine.evaluate.outcome import Outcome, outcome_of
from engine.evaluate.sets import Case, EvaluationSet
from engine.library import Asked, Library
from engine.model import CHANNELS, DEPTH, IndexState, Progress, Recall
from engine.pipeline.pace import Pace
from engine.pipeline.query import checked, index_state, principal
from engine.rank.pipeline import rank
from engine.settings import Features, Retrieval
from engine.store import chunks as chunk_store
from engine.store import documents
from engine.store.generation import Generation
from engine.store.labels import label_sets, visible
from engine.store.runs import RunStore
from engine.store.steps import Steps, no_steps
from engine.trace import as_asked, settle

METRICS = ("hit@1", "hit@5", "recall@1", "recall@5", "recall@10", "precision@5", "mrr@10", "ndcg@10", "map")
"""What a report shows unless it is asked for others."""

COMMIT_CASES, COMMIT_SECONDS = 64, 1.0
"""How much work a kill may cost; a commit costs two syncs of the disk."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to answer that is judged: settings, or a ``baseline`` whose order is packed under them."""

    name: str
    retrieval: Retrieval
    features: Features = field(default_factory=Features)
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run. ``cases`` are valid and selected already; ``skipped`` names those that were left out
    as invalid, ``selection`` says what chose among them. ``scopes`` are held beside each case's own.
    """

    cases: EvaluationSet
    variants: tuple[Variant, ...]
    metrics: tuple[str, ...] = METRICS
    scopes: tuple[str, ...] = ()
    selection: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    @property
    def cutoff(self) -> int:
        """The deepest rank that a metric looks at, those that read the whole ranking apart."""
        return max((metric(name).cutoff for name in self.metrics), default=0)

    @property
    def depth(self) -> int:
        """How many of each channel a recall freezes: ``max(200, 10·k)``."""
        deepest = max(self.cutoff, *(variant.retrieval.top_k for variant in self.variants))
        return max(DEPTH, 10 * deepest)


@dataclass(frozen=True, slots=True)
class Run:
    """A variant with everything that came out, in the order of the cases."""

    id: str
    variant: Variant
    manifest: Manifest
    outcomes: tuple[Outcome, ...]

    @property
    def by_document(self) -> bool:
        """Whether documents were judged, not chunks."""
        return bool(self.manifest["set"]["items"] == "documents")


class Evaluation:
    """One plan on one library. ``run`` it to its end; then ``runs`` holds a run for each variant."""

    def __init__(self, library: Library, plan: Plan, *, steps: Steps = no_steps) -> None:
        self.library = library
        self.plan = plan
        self.runs: tuple[Run, ...] = ()
        self._steps = steps

    async def run(self, *, cancel: CancelToken) -> AsyncIterator[Progress]:
        """Ask every question that was not asked yet; what is finished stays, whatever happens.

        Raises ``Cancelled``, and ``LibraryError`` where the index cannot be read or changes under the run.
        """
        async for progress in self.library.stream(lambda: self._work(cancel), cancel):
            yield progress

    def _work(self, cancel: CancelToken) -> Iterator[Progress]:
        store = RunStore(self.library.places.library, steps=self._steps)
        try:
            asking = prepared(self.library, self.library.serving(), self.plan, cancel)
            names = [run_id(each) for each in asking.manifests]
            finished = [store.begin(name, each) for name, each in zip(names, asking.manifests, strict=True)]
            yield from _ask_all(asking, store, names, set.intersection(*finished), cancel)
            store.end(names)
            self.runs = tuple(
                Run(name, variant, each, _outcomes(store, name))
                for name, variant, each in zip(names, self.plan.variants, asking.manifests, strict=True)
            )
        finally:
            store.close()


def outcomes_on(
    library: Library, generation: Generation, plan: Plan, *, cancel: CancelToken
) -> Generator[Progress, None, tuple[tuple[Outcome, ...], ...]]:
    """What every variant of a plan makes of its cases on any generation of a library, and nothing kept of it.

    Blocking. Yields progress; returns the outcomes of each variant. Raises what ``Evaluation.run`` raises.
    """
    asking = prepared(library, generation, plan, cancel)
    pace = Pace("evaluate", len(asking.judged))
    found: list[list[Outcome]] = [[] for _ in plan.variants]
    for judged in asking.judged:
        cancel.check()
        for outcomes, outcome in zip(found, _ask(asking, judged, cancel), strict=True):
            outcomes.append(outcome)
        if (progress := pace.step()) is not None:
            yield progress
    yield pace.last()
    return tuple(map(tuple, found))


# --- before the first question ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything that asking needs. ``states`` are the index states by principal, ``rivals`` the baselines'
    indexes by (name, principal). ``by_document`` and ``depth`` are read off the plan, once: the one looks at
    every case."""

    library: Library
    generation: Generation
    plan: Plan
    by_document: bool
    depth: int
    judged: tuple[JudgedCase, ...]
    states: Mapping[tuple[str, ...], IndexState]
    manifests: tuple[Manifest, ...]
    rivals: Mapping[tuple[str, tuple[str, ...]], rivals.Rival]


def prepared(library: Library, generation: Generation, plan: Plan, cancel: CancelToken) -> Asking:
    """Judge the set against a generation as it is, and write down all that the runs depend on."""
    principals = dict.fromkeys(principal_of(plan, case) for case in plan.cases.cases)
    shelf = _Shelf(generation)
    judged = judge_set(plan.cases, plan.scopes, shelf.look)
    with generation.reading() as connection:
        every = label_sets(connection)
    states = {each: index_state(generation, visible(every, each)) for each in principals}
    asked_rivals = {
        (variant.baseline, each): rivals.built(generation, variant.baseline, each, cancel)
        for variant in plan.variants
        if variant.baseline
        for each in principals
    }
    manifests = tuple(_manifest(library, generation, plan, variant, states) for variant in plan.variants)
    return Asking(
        library, generation, plan, plan.cases.by_document, plan.depth, judged, states, manifests, asked_rivals
    )


def principal_of(plan: Plan, case: Case) -> tuple[str, ...]:
    """Who asks a case: the scopes of the plan and its own, in one order."""
    return principal((*plan.scopes, *case.scopes))


def as_run(asking: Asking, variant: Variant, outcomes: Sequence[Outcome]) -> Run:
    """Outcomes that were not asked for as a run, as the run that would give them: with its manifest and its id."""
    made = _manifest(asking.library, asking.generation, asking.plan, variant, asking.states)
    return Run(run_id(made), variant, made, tuple(outcomes))


def _manifest(
    library: Library,
    generation: Generation,
    plan: Plan,
    variant: Variant,
    states: Mapping[tuple[str, ...], IndexState],
) -> Manifest:
    return manifest(
        plan.cases,
        selection=plan.selection,
        skipped=plan.skipped,
        states={" ".join(scopes): state for scopes, state in states.items()},
        chunking=generation.chunking,
        embedder=library.embedder,
        retrieval=variant.retrieval,
        features=variant.features,
        metrics=plan.metrics,
        depth=plan.depth,
        baseline=variant.baseline,
    )


class _Shelf:
    """Looks documents up, each once."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._found: dict[str, Shelved | None] = {}

    def look(self, path: str) -> Shelved | None:
        if path not in self._found:
            with self._generation.reading() as connection:
                document = documents.found_at(connection, path)
                chunks = tuple(chunk_store.of_document(connection, path)) if document else ()
            self._found[path] = Shelved(document[0], path, *document[1:], chunks) if document else None
        return self._found[path]


# --- the questions ------------------------------------------------------------------------------------------


def _ask_all(
    asking: Asking, store: RunStore, names: Sequence[str], finished: set[int], cancel: CancelToken
) -> Iterator[Progress]:
    """Ask what is not finished, and commit outcomes as they come."""
    pace = Pace("evaluate", len(asking.judged) - len(finished))
    pending: list[tuple[str, int, Mapping[str, Any]]] = []
    committed = time.monotonic()
    try:
        for place, judged in enumerate(asking.judged):
            if place in finished:
                continue
            cancel.check()
            outcomes = _ask(asking, judged, cancel)
            pending += ((name, place, each.to_json()) for name, each in zip(names, outcomes, strict=True))
            now = time.monotonic()
            if len(pending) >= COMMIT_CASES * len(names) or now - committed >= COMMIT_SECONDS:
                store.put(pending)
                pending, committed = [], now
            if (progress := pace.step()) is not None:
                yield progress
    finally:
        if pending:
            store.put(pending)
    yield pace.last()


def _ask(asking: Asking, judged: JudgedCase, cancel: CancelToken) -> list[Outcome]:
    """One question under every variant: recalled once for all settings, and once for each baseline."""
    plan, scopes = asking.plan, principal_of(asking.plan, judged.case)
    settings = [variant.retrieval for variant in plan.variants if not variant.baseline]
    wide: Recall | None = None
    if settings:
        asked = Asked(checked(judged.case.query), widest(settings), scopes, asking.depth)
        wide = asking.library.ask(asked, asking.generation, cancel=cancel)
        refuse_changed(wide.state, asking.states[scopes])
    outcomes = []
    for variant in plan.variants:
        retrieval = rivals.alone(variant.retrieval) if variant.baseline else variant.retrieval
        if variant.baseline:
            rival = asking.rivals[variant.baseline, scopes]
            recall = rival.recall(judged.case.query, asking.depth, cancel)
        else:
            assert wide is not None
            recall = asking.library.score(as_asked(wide, retrieval), retrieval, cancel=cancel)
        outcomes.append(settled(asking, judged, recall, replace(variant, retrieval=retrieval)))
    return outcomes


def settled(asking: Asking, judged: JudgedCase, recall: Recall, variant: Variant) -> Outcome:
    """What a variant makes of one case whose recall is there, ranked as deep as the metrics look. Pure."""
    trace = settle(recall, variant.retrieval, variant.features)
    deep = deep_enough(variant.retrieval, asking.plan.cutoff)
    ranking = trace.ranking if deep is variant.retrieval else rank(recall, deep, variant.features)
    return judge(judged, trace, ranking, by_document=asking.by_document)


def widest(settings: Sequence[Retrieval]) -> Retrieval:
    """Settings whose recall serves all of these: every channel that one of them asks, and the most that one of
    them needs to know of the candidates."""
    weights: dict[str, Any] = {
        f"{channel}_weight": max(each.weight(channel) for each in settings) for channel in CHANNELS
    }
    return replace(
        settings[0],
        **weights,
        adjacent_chunk_count=max(each.adjacent_chunk_count for each in settings),
        rerank="local" if any(each.weighs_candidates for each in settings) else "off",
    )


def refuse_changed(now: IndexState, then: IndexState) -> None:
    """Raise ``LibraryError`` where a question met another state of the index than the set was judged in."""
    if now != then:
        raise LibraryError(
            "the index changed while the questions were asked", "run the evaluation again when it is at rest"
        )


def _outcomes(store: RunStore, name: str) -> tuple[Outcome, ...]:
    """What was kept, read back: a run in one go and one in parts are made from the same bytes."""
    try:
        return tuple(outcome_of(each) for each in store.outcomes(name))
    except (KeyError, TypeError, ValueError) as error:
        raise LibraryError(f"the run {name} is damaged", "run the evaluation again") from error


def kept_run(library: Library, name: str) -> Run:
    """A run that the library file keeps, by its id or the beginning of it. Raises ``LibraryError``."""
    with closing(RunStore(library.places.library)) as store:
        record = store.run(name)
        if record.state != "done":
            raise LibraryError(f"the run {record.id} was never finished", "run it again")
        outcomes = _outcomes(store, record.id)
    retrieval = Retrieval(**record.manifest["settings"])
    variant = Variant(record.id, retrieval, baseline=str(record.manifest.get("baseline", "")))
    return Run(record.id, variant, dict(record.manifest), outcomes)
