"""A library made of a few chunks, which answers when the test lets it: real recalls, no index, no thread.

``FakeLibrary`` stands for ``engine.library.Library`` behind the bridge. ``hold`` keeps queries unanswered
until ``release``; ``steps`` are the progress that a sync reports.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.cancel import CancelToken
from engine.explain.change import covering, smallest_changes
from engine.explain.layers import layer_of
from engine.explain.lens import AskedTerm, HeldTerm, Lens
from engine.explain.stages import sentence, stage_rows
from engine.explain.verdict import ChunkTarget, Place, Remedy, StageRow, Standing, Target, TextTarget, Verdict
from engine.library import Status
from engine.model import CHANNELS, ChannelRecall, Chunk, Degradation, IndexState, Progress, Recall, SyncReport
from engine.settings import Chunking, Features, Retrieval, Settings
from engine.settings.sources import Resolved
from engine.trace import as_asked, settle
from tests.tui.fake_catalogue import FakeCatalogue, FakeEdits, FakeHealth
from tests.tui.fake_upkeep import FakeUpkeep
from tui.app import RankscopeApp
from tui.bridge import Opener
from tui.opening import Opening, Terminal

TEXTS = (
    (
        "retry.md",
        "重试与隔离",
        "同一任务最多自动重试三次，间隔依次为 1、5、25 分钟。第三次仍失败时，任务进入死信队列。",
    ),
    (
        "retry.md",
        "超时",
        "单次执行超过 10 分钟即判为超时，计入自动重试次数。The timeout is per attempt, not per job.",
    ),
    ("ops/oncall.md", "重放失败任务", "值班人员先确认下游已恢复，再选择“重放”；一次最多 50 个任务。"),
    (
        "faq.md",
        "任务失败怎么办",
        "Failed jobs keep their payload for 14 days; after that only the record remains.",
    ),
    ("queue.md", "死信", "死信队列中的任务不会自动恢复，需要人工重放。"),
    ("cache.md", "失效", "写入后缓存在一秒内失效。"),
    ("api/jobs.md", "POST /jobs/replay", "Replays one job by hand; the handler must be idempotent."),
    ("errors.md", "E1234 Retry limit", "E1234 means that the retry limit was hit."),
    ("security.md", "Lockout", "An account locks after 5 failed sign-ins."),
)


def chunk(number: int, path: str, heading: str, text: str) -> Chunk:
    """A chunk of three lines, at a place of its own."""
    start = number * 1_000
    return Chunk(
        chunk_id=f"chunk{number:015}",
        document_id=f"doc-{path}",
        path=path,
        title=path,
        revision="r" * 64,
        ordinal=number + 1,
        role="standalone",
        heading_path=(heading,),
        start=start,
        end=start + len(text),
        line_start=10 * number + 1,
        line_end=10 * number + 7,
        text=text,
    )


def recall_of(
    query: str,
    texts: Iterable[tuple[str, str, str]] = TEXTS,
    *,
    retrieval: Retrieval | None = None,
    scopes: tuple[str, ...] = (),
    state: IndexState | None = None,
    degraded: tuple[Degradation, ...] = (),
) -> Recall:
    """A recall in which the text channels share characters with the query, and the vector finds
    everything."""
    chunks = sorted(
        (chunk(number, *text) for number, text in enumerate(texts)),
        key=lambda one: (one.path, one.ordinal, one.chunk_id),
    )
    scores = np.full((len(chunks), 4), np.nan)
    for row, one in enumerate(chunks):
        shared = len(set(query) & set(one.text + one.heading_path[0]))
        if shared:
            scores[row, 0] = shared + 1 / (row + 2)
            scores[row, 1] = shared * 1.7 + row / 10
        scores[row, 2] = 0.9 - 0.07 * ((row * 5) % max(1, len(chunks)))
    weights = retrieval or Retrieval()
    asked = [weights.weight(channel) > 0 for channel in CHANNELS]
    scores[:, [not one for one in asked]] = np.nan
    ranks = np.zeros(scores.shape, dtype=np.int32)
    for column in range(3):
        found = np.flatnonzero(~np.isnan(scores[:, column]))
        ranks[found[np.argsort(-scores[found, column], kind="stable")], column] = np.arange(1, len(found) + 1)
    channels = tuple(
        ChannelRecall(
            channel=name,
            requested=asked[column],
            used=asked[column] and name != "graph",
            matched=int((ranks[:, column] > 0).sum()),
            listed=int((ranks[:, column] > 0).sum()),
            of=len(chunks),
            minimum=float(np.nanmin(scores[:, column])) if ranks[:, column].any() else 0.0,
            maximum=float(np.nanmax(scores[:, column])) if ranks[:, column].any() else 0.0,
            milliseconds=2.0,
        )
        for column, name in enumerate(CHANNELS)
    )
    return Recall(
        query=query, scopes=scopes, depth=200, state=state or STATE, channels=channels, chunks=tuple(chunks),
        ranks=ranks, scores=scores, degraded=degraded, milliseconds=9.0,
    )  # fmt: skip


STATE = IndexState("3f9a1c" + "0" * 58, "a1", "hash", "v1", "", 8, 9)


def status_of(state: IndexState = STATE) -> Status:
    return Status(
        state=state, documents=state.documents, chunks=state.chunks, vectors_ready=state.chunks,
        vectors_waiting=0, vectors_refused=0, embedder="hash", embedder_note="lexical, not semantic",
        labels=("public", "ops"), generation="g1", chunking=Chunking(), chunking_pending=None,
        writer="this process",
    )  # fmt: skip


def verdict_of(recall: Recall, target: Target, retrieval: Retrieval, cancel: CancelToken) -> Verdict:
    """The verdict on a chunk by its id, or on a text that one chunk holds."""
    match target:
        case ChunkTarget(chunk_id):
            found = [each for each in recall.chunks if each.chunk_id == chunk_id]
        case TextTarget(text):
            found = [each for each in recall.chunks if text in each.text]
        case _:
            found = []
    if not found:
        told = "no document of the library holds it"
        row = StageRow("corpus", kept=False, because=told)
        return Verdict(
            recall.query, target, None, "not_in_corpus", told, stages=(row,), remedy=Remedy("sync", "R")
        )
    one = found[0]
    place = Place(
        one.document_id, one.path, one.revision, one.start, one.end, one.text, (one,), (one.chunk_id,)
    )
    trace = settle(as_asked(recall, retrieval), retrieval)
    row_of = recall.chunks.index(one)
    standings = tuple(
        Standing(name, int(rank), float(score), recall.channels[column].matched)
        if rank
        else Standing(name, None, None, 0, "not built" if name == "graph" else "none of its terms is asked")
        for column, (name, rank, score) in enumerate(
            zip(CHANNELS, recall.ranks[row_of], recall.scores[row_of], strict=True)
        )
    )
    layer = layer_of(trace, place)
    corpus = StageRow(
        "corpus", kept=True, because="same as on disk, parsed, whole in one chunk, enabled, in scope"
    )
    changes = (
        () if layer == "context" else smallest_changes(recall, retrieval, [place], Features(), cancel=cancel)
    )
    return Verdict(
        recall.query, target, place, layer, sentence(trace, place, layer, one.chunk_id, standings), standings,
        stage_rows(trace, place, one.chunk_id, standings, corpus), changes,
        None if changes or layer == "context" else Remedy("look", "ask with more of its own words"),
    )  # fmt: skip


def lens_of(recall: Recall, chunk_id: str) -> Lens:
    """A lens on a chunk whose terms are single characters; each is worth half its times."""
    row, one = next(pair for pair in enumerate(recall.chunks) if pair[1].chunk_id == chunk_id)
    asked = tuple(
        AskedTerm(
            "cjk", term, at, at + 1, 3, 1.5, term in one.text, one.text.count(term), one.text.count(term) / 2
        )
        for at, term in enumerate(recall.query)
    )
    held = tuple(
        HeldTerm("cjk", term, 1, 2, 2.5, term in recall.query) for term in dict.fromkeys(one.text[:30])
    )
    ranks, scores = recall.ranks[row], recall.scores[row]
    standings = (
        Standing("cjk", int(ranks[1]) or None, float(scores[1]) if ranks[1] else None, 9),
        Standing("vector", int(ranks[2]) or None, float(scores[2]) if ranks[2] else None, 9),
        Standing("graph", None, None, 0, "not built"),
    )
    return Lens(recall.query, one, asked, held, {"cjk": sum(term.part for term in asked)}, standings)


@dataclass
class FakeLibrary:
    """Counts what it is asked; answers at once unless ``hold`` was called."""

    texts: tuple[tuple[str, str, str], ...] = TEXTS
    steps: tuple[Progress, ...] = ()
    state: IndexState = STATE
    degraded: tuple[Degradation, ...] = ()
    failure: Exception | None = None
    name: str = "samples"
    writable: bool = True
    writer: str = "this process"
    report: SyncReport = field(default_factory=SyncReport)
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self.catalogue = FakeCatalogue(self.texts)
        self.edits = FakeEdits()
        self.health = FakeHealth()
        self.upkeep = FakeUpkeep()
        self.asked: list[str] = []
        self.lenses: list[str] = []
        self.whys: list[tuple[Target, Retrieval]] = []
        self.tokens: list[CancelToken] = []
        self.closed = False
        self._gate = asyncio.Event()
        self._gate.set()
        self._task = asyncio.Event()
        self._task.set()

    def hold(self) -> None:
        """Keep queries waiting, as a slow index would."""
        self._gate.clear()

    def release(self) -> None:
        self._gate.set()

    def hold_tasks(self) -> None:
        """Keep a sync waiting after its first step."""
        self._task.clear()

    def release_tasks(self) -> None:
        self._task.set()

    async def sync(
        self, *, rebuild: bool = False, embed: bool, cancel: CancelToken
    ) -> AsyncIterator[Progress]:
        self.tokens.append(cancel)
        for step in self.steps:
            yield step
            await self._pass(self._task, cancel)
            cancel.check()

    async def embed(self, *, cancel: CancelToken) -> AsyncIterator[Progress]:
        return
        yield

    async def load_embedder(self) -> str:
        return ""

    async def recall(
        self, query: str, retrieval: Retrieval, *, scopes: tuple[str, ...], wait: bool, cancel: CancelToken
    ) -> Recall:
        self.asked.append(query)
        self.tokens.append(cancel)
        if not self._gate.is_set():
            await self._pass(self._gate, cancel)
        if self.failure is not None:
            raise self.failure
        return recall_of(
            query, self.texts, retrieval=retrieval, scopes=scopes, state=self.state, degraded=self.degraded
        )

    async def why(
        self,
        query: str,
        target: Target,
        retrieval: Retrieval,
        *,
        scopes: tuple[str, ...],
        features: Features,
        owner: bool,
        cancel: CancelToken,
    ) -> Verdict:
        """A real verdict, of the recall that this library gives; of no index, so no rank lies deeper."""
        self.whys.append((target, retrieval))
        self.tokens.append(cancel)
        if not self._gate.is_set():
            await self._pass(self._gate, cancel)
        if self.failure is not None:
            raise self.failure
        recall = recall_of(query, self.texts, retrieval=covering(retrieval), scopes=scopes, state=self.state)
        return verdict_of(recall, target, retrieval, cancel)

    async def lens(self, query: str, chunk_id: str, *, scopes: tuple[str, ...], cancel: CancelToken) -> Lens:
        self.lenses.append(chunk_id)
        self.tokens.append(cancel)
        if not self._gate.is_set():
            await self._pass(self._gate, cancel)
        if self.failure is not None:
            raise self.failure
        recall = recall_of(query, self.texts, scopes=scopes, state=self.state)
        return lens_of(recall, chunk_id)

    async def status(self, *, scopes: tuple[str, ...]) -> Status:
        return status_of(self.state)

    async def close(self) -> None:
        self.closed = True

    async def _pass(self, gate: asyncio.Event, cancel: CancelToken) -> None:
        """Wait at a gate as an engine's thread does: looking at the token again and again."""
        while not gate.is_set():
            cancel.check()
            await asyncio.sleep(0.005)


PLAIN_TERMINAL = Terminal()


def workbench(
    library: FakeLibrary | None = None,
    *,
    question: str = "",
    settings: Settings | None = None,
    folder: Path = Path("/nowhere/samples"),
    terminal: Terminal = PLAIN_TERMINAL,
    resolved: Resolved | None = None,
    scopes: tuple[str, ...] = (),
) -> RankscopeApp:
    """The workbench on a fake library, without a journal."""
    served = library or FakeLibrary()

    async def opener() -> FakeLibrary:
        return served

    opening = Opening(
        folder, resolved or Resolved(settings or Settings(), {}), scopes, question, terminal, journal=False
    )
    return RankscopeApp(opening, opener)


def screen_text(app: RankscopeApp) -> list[str]:
    """What the screen shows now, row by row, as text."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips][: app.size.height]


def workbench_on(opener: Opener, folder: Path, settings: Settings, question: str) -> RankscopeApp:
    """The workbench on a real library, without a journal."""
    opening = Opening(folder, Resolved(settings, {}), (), question, PLAIN_TERMINAL, journal=False)
    return RankscopeApp(opening, opener)
