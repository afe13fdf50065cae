"""What the loaded set has worked out by the bridge: each function starts one piece of work, and returns the token under
which its answer comes back."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from engine.cancel import CancelToken
from engine.model import OWNER, Progress
from tui.bridge import Bridge, LibraryLike
from tui.evaluation import short
from tui.messages import Examining
from tui.widgets.scoreboard import number, signed

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from engine.evaluate.case_file import Block, Written
    from engine.evaluate.compare import Difference, Flip
    from engine.evaluate.judgements import JudgedCase
    from engine.evaluate.live import Live
    from engine.evaluate.live_score import Score
    from engine.evaluate.live_set import Loaded
    from engine.evaluate.outcome import Outcome
    from engine.evaluate.run import Run, Variant
    from engine.evaluate.sets import Case, Evidence
    from engine.evaluate.sweep import Swept
    from engine.library import Library
    from engine.settings import Field, Settings
    from engine.store.runs import RunRecord
    from tui.evaluation import Evaluation
    from tui.state import View


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Scores with their contexts, in the order of the variants asked for, and how long the last one took."""

    scores: tuple[Score, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """How a score stands against A."""

    differences: dict[str, Difference]
    flips: dict[str, Flip]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A run that was kept: its number, its figures in words, and its score."""

    number: int
    told: str
    score: Score


@dataclass(frozen=True, slots=True)
class Wanted:
    """A case to be made: the question, who asks it, and the span of a document's revision that answers it."""

    query: str
    scopes: tuple[str, ...]
    document: str
    revision: str
    start: int
    end: int
    text: str


def load(bridge: Bridge, asker: MessagePump, path: Path | None, *, skip_invalid: bool) -> CancelToken:
    """The set, checked and asked once, each case as its own principal; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Loaded:
        from engine.evaluate import live_set
        from engine.evaluate.run import METRICS

        found = None
        steps = live_set.load(
            cast("Library", library), path, METRICS, skip_invalid=skip_invalid, cancel=cancel
        )
        async for step in steps:
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        assert found is not None, "a load that raises nothing ends with what was loaded"
        return found

    return bridge.examine(asker, "reading the evaluation set", work)


def settle(bridge: Bridge, asker: MessagePump, live: Live, variants: Sequence[Variant]) -> CancelToken:
    """What these settings make of every case, contexts and all."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Settled:
        scores, took = [], 0.0
        for variant in variants:
            began = time.perf_counter()
            scores.append(
                await cast("Library", library).threaded(partial(_whole, live, variant, cancel), cancel)
            )
            took = (time.perf_counter() - began) * 1000
        return Settled(tuple(scores), took)

    return bridge.examine(asker, "scoring the evaluation set", work)


def _whole(live: Live, variant: Variant, cancel: CancelToken) -> Score:
    from engine.evaluate.live_score import by_outcomes

    return by_outcomes(variant, list(live.outcomes(variant, cancel=cancel)))


def ranks(bridge: Bridge, asker: MessagePump, live: Live, variant: Variant) -> CancelToken:
    """What ranks alone tell of these settings, where the lists are yet to be laid out for them."""

    async def work(_: LibraryLike, __: CancelToken) -> Score | None:
        from engine.evaluate.live_score import by_ranks

        return await asyncio.to_thread(by_ranks, live, variant)

    return bridge.examine(asker, "ranking the evaluation set", work)


def compare(bridge: Bridge, asker: MessagePump, a: Score, b: Score, names: Sequence[str]) -> CancelToken:
    """How a score stands against A, tested: a second for a thousand cases."""

    async def work(_: LibraryLike, __: CancelToken) -> Against:
        from engine.evaluate.live_score import differences, flipped

        return Against(await asyncio.to_thread(differences, a, b, names), flipped(a, b))

    return bridge.examine(asker, "comparing with A", work)


def baselines(bridge: Bridge, asker: MessagePump, live: Live, settings: Settings) -> CancelToken:
    """The scores of the baselines and of full text alone, by name; packed under these settings."""

    def work_out(library: Library, cancel: CancelToken) -> list[tuple[str, Score]]:
        from engine.evaluate import variants as known
        from engine.evaluate.live_score import by_outcomes
        from engine.evaluate.run import outcomes_on

        text = next(each for each in known.channels_alone(settings) if each.name.startswith("fulltext"))
        asked = (*known.baselines(settings), dataclasses.replace(text, name="full text"))
        plan = dataclasses.replace(live.asking.plan, variants=asked)
        steps = outcomes_on(library, library.serving(), plan, cancel=cancel)
        while True:
            try:
                next(steps)
            except StopIteration as ended:
                return [
                    (variant.name, by_outcomes(variant, outcomes))
                    for variant, outcomes in zip(asked, ended.value, strict=True)
                ]

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        served = cast("Library", library)
        return await served.threaded(lambda: work_out(served, cancel), cancel)

    return bridge.examine(asker, "scoring the baselines", work)


def run(bridge: Bridge, asker: MessagePump, live: Live, variant: Variant) -> CancelToken:
    """A whole run, kept in the library; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Kept:
        from engine.evaluate.live_score import by_outcomes, names
        from engine.evaluate.run import Evaluation

        served = cast("Library", library)
        evaluation = Evaluation(served, dataclasses.replace(live.asking.plan, variants=(variant,)))
        async for step in evaluation.run(cancel=cancel):
            asker.post_message(Examining(cancel, step))
        made = evaluation.runs[0]
        score = by_outcomes(variant, made.outcomes)
        told = ", ".join(
            f"{short(name)} {number(score.mean(name))}" for name in names(variant.retrieval.top_k)
        )
        return Kept(await served.threaded(lambda: _number(served, made.id), cancel), told, score)

    return bridge.examine(asker, "running the evaluation set", work)


def _number(library: Library, name: str) -> int:
    from engine.store.runs import RunStore

    with closing(RunStore(library.places.library)) as store:
        return store.run(name).number


def runs(bridge: Bridge, asker: MessagePump, name: str) -> CancelToken:
    """The finished runs of the set of a name, the latest first."""

    def listed(library: Library) -> list[RunRecord]:
        from engine.store.runs import RunStore

        with closing(RunStore(library.places.library)) as store:
            every = store.runs()
        return [each for each in every if each.state == "done" and each.manifest["set"]["name"] == name]

    async def work(library: LibraryLike, cancel: CancelToken) -> object:
        served = cast("Library", library)
        return await served.threaded(lambda: listed(served), cancel)

    return bridge.examine(asker, "listing the runs", work)


def kept(bridge: Bridge, asker: MessagePump, record: RunRecord) -> CancelToken:
    """A kept run, and its score."""

    async def work(library: LibraryLike, cancel: CancelToken) -> tuple[Score, Run]:
        from engine.evaluate.live_score import by_outcomes
        from engine.evaluate.run import kept_run

        served = cast("Library", library)
        found = await served.threaded(lambda: kept_run(served, record.id), cancel)
        return by_outcomes(found.variant, found.outcomes), found

    return bridge.examine(asker, "reading a run", work)


def lost_piece(judged: JudgedCase, outcome: Outcome | None) -> Evidence | None:
    """A piece of evidence of the first claim that is not in the context; None where none has a place."""
    lost = {claim.id for claim in outcome.claims if not claim.in_context} if outcome is not None else set()
    pieces = (
        piece
        for claim in judged.case.claims
        if claim.id in lost
        for piece in claim.evidence
        if not piece.whole
    )
    return next((piece for piece in pieces if piece.located), None)


def why(bridge: Bridge, asker: MessagePump, case: Case, piece: Evidence, view: View) -> CancelToken:
    """What would bring a piece of evidence in, in a few words, with the id of its case."""

    async def work(library: LibraryLike, cancel: CancelToken) -> tuple[str, str]:
        from engine.explain.verdict import SpanTarget
        from tui.widgets.why_not import condition

        assert piece.start is not None
        assert piece.end is not None
        verdict = await library.why(
            case.query, SpanTarget(piece.file, piece.start, piece.end), view.retrieval, scopes=case.scopes,
            features=view.settings.features, owner=True, cancel=cancel,
        )  # fmt: skip
        if verdict.change is not None:
            return case.id, condition(verdict.change)
        return case.id, verdict.remedy.sentence if verdict.remedy is not None else verdict.sentence

    return bridge.examine(asker, "why not", work)


def export(bridge: Bridge, asker: MessagePump, value: Evaluation, kind: str, folder: Path) -> CancelToken:
    """Write what the screen shows to a file in ``folder``; its path comes back."""

    async def work(_: LibraryLike, __: CancelToken) -> Path:
        from tui.evaluate_export import written

        return await asyncio.to_thread(written, value, kind, folder)

    return bridge.examine(asker, "writing the report", work)


def make_case(bridge: Bridge, asker: MessagePump, wanted: Wanted, path: Path, name: str) -> CancelToken:
    """Write a case of a question and a marked span at the end of a set."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Written:
        from engine.errors import UsageError
        from engine.evaluate.case_file import append, evidence_of

        opened = await library.catalogue.open(wanted.document, scopes=(OWNER,), cancel=cancel)
        if opened.revision != wanted.revision or opened.text[wanted.start : wanted.end] != wanted.text:
            raise UsageError(
                f"{wanted.document} does not say this: the chunk was edited, or the file changed since",
                "mark what stands in the file, after R",
            )
        piece = evidence_of(wanted.document, opened.text, wanted.start, wanted.end)
        return await asyncio.to_thread(append, path, wanted.query, [piece], name=name, scopes=wanted.scopes)

    return bridge.examine(asker, "writing a case", work)


def block(bridge: Bridge, asker: MessagePump, path: Path, case_id: str) -> CancelToken:
    """A case as it is written in its file."""

    async def work(_: LibraryLike, __: CancelToken) -> Block:
        from engine.evaluate.case_file import block_of

        return await asyncio.to_thread(block_of, path, case_id)

    return bridge.examine(asker, "reading a case", work)


def rewrite(bridge: Bridge, asker: MessagePump, old: Block, text: str) -> CancelToken:
    """Another text in the place of a case."""

    async def work(_: LibraryLike, __: CancelToken) -> Written:
        from engine.evaluate.case_file import rewrite as rewritten

        return await asyncio.to_thread(rewritten, old, text)

    return bridge.examine(asker, "writing a case", work)


def take_back(bridge: Bridge, asker: MessagePump, written: Written) -> CancelToken:
    """A case that was made or edited, as it was before."""

    async def work(_: LibraryLike, __: CancelToken) -> Written:
        from engine.evaluate.case_file import take_back as taken

        await asyncio.to_thread(taken, written)
        return written

    return bridge.examine(asker, "undoing a case", work)


def sweep(
    bridge: Bridge, asker: MessagePump, loaded: Loaded, settings: Settings, fields: Sequence[Field], by: str
) -> CancelToken:
    """The set over the values of these settings; the asker gets ``Examining`` on the way."""

    async def work(library: LibraryLike, cancel: CancelToken) -> Swept:
        from engine.evaluate import sweep as sweeps
        from engine.evaluate.run import METRICS
        from engine.settings.fields import value_of
        from tui.widgets.sweep_map import values

        assert loaded.cases is not None
        axes = tuple(sweeps.Axis(field, values(field, value_of(settings, field))) for field in fields)
        cuts = any(axis.cuts for axis in axes) and not loaded.cases.by_document
        request = sweeps.Request(
            loaded.cases, axes, by="context_recall" if cuts else by,
            metrics=tuple(dict.fromkeys((*METRICS, by))) if "@" in by else METRICS,
            skipped=loaded.invalid, base=settings,
        )  # fmt: skip
        found = None
        async for step in sweeps.sweep(cast("Library", library), request, cancel=cancel):
            if isinstance(step, Progress):
                asker.post_message(Examining(cancel, step))
            else:
                found = step
        assert found is not None, "a sweep that raises nothing ends with what came out"
        return found

    return bridge.examine(asker, "sweeping the evaluation set", work)


def effects(
    bridge: Bridge, asker: MessagePump, live: Live, now: Score, tried: Sequence[Settings]
) -> CancelToken:
    """What other settings would do to the set, each in a few words: ``recall@6 =   context +.025``."""

    async def work(library: LibraryLike, cancel: CancelToken) -> list[str]:
        from engine.evaluate.live import follows
        from engine.evaluate.live_score import change
        from engine.evaluate.variants import in_force

        told = []
        names = (f"recall@{now.variant.retrieval.top_k}", "context_recall")
        for settings in tried:
            if not follows(settings.retrieval):
                told.append("")
                continue
            one = partial(_whole, live, in_force(settings), cancel)
            then = await cast("Library", library).threaded(one, cancel)
            told.append("   ".join(f"{short(name)} {signed(change(now, then, name))}" for name in names))
        return told

    return bridge.examine(asker, "weighing changes by the evaluation set", work)
