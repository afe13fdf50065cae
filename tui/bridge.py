"""The only seam between engine and screen, and the only place with workers: engine calls in, messages out.

Every query has a number; what comes back under another than the last is dropped by its handler. Cancelling is
cooperative: a token is set, and the engine's threads stop at their next check. The engine is imported here,
after the first paint, and in a thread, because it brings numpy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.cancel import CancelToken
from engine.errors import BusyError, Cancelled
from engine.model import OWNER, Progress, Recall
from tui.commands.failure import log
from tui.giving_way import GivingWay, Keys
from tui.library_like import LibraryLike as LibraryLike
from tui.messages import (
    EmbedderLoaded,
    EmbeddingFinished,
    Examined,
    ExamineFailed,
    LibraryFailed,
    LibraryOpened,
    ProgressMade,
    RecallFailed,
    RecallFinished,
    StatusRead,
    SyncFinished,
    TaskFailed,
)
from tui.problems import problem_of

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import App
    from textual.message_pump import MessagePump

    from engine.explain.lens import Lens
    from engine.explain.verdict import Target, Verdict
    from engine.settings import Retrieval, Settings
    from engine.trace import Trace
    from tui.state import Problem
    from tui.widgets.vary_chart import Varied

PROGRESS_INTERVAL = 0.1
"""Seconds between two messages of progress: a screen needs no more than ten a second."""

STATUS_INTERVAL = 1.0
WATCH_SECONDS = 0.2
"""How often it is looked whether a task has ended that a changed file waits for."""

CLOSING_SECONDS = 0.8
"""How long closing waits for threads to reach their next check (every 50 ms) before it goes on without
them."""


Opener = Callable[[], Awaitable[LibraryLike]]
Work = Callable[[LibraryLike, CancelToken], Awaitable[object]]
Task = Callable[[LibraryLike, CancelToken], AsyncIterator[Progress]]


def settle(recall: Recall, settings: Settings) -> Trace:
    """Rank and pack again: about a millisecond, so it runs where the key was handled."""
    from engine.trace import settle as settle_trace

    return settle_trace(recall, settings.retrieval, settings.features)


def covers(recall: Recall, settings: Settings) -> bool:
    """Whether the recall can serve these settings; otherwise the index must be asked again."""
    from engine.trace import covers as trace_covers

    return trace_covers(recall, settings.retrieval)


def varied(recall: Recall, settings: Settings, name: str, cancel: CancelToken) -> Varied:
    """Ranks over a setting's whole range; where it only packs, what the context holds. Blocks for some 0.1 s."""
    from engine.explain.holding import PACKS, holding
    from engine.explain.sensitivity import sensitivity
    from tui.widgets.vary_chart import Varied

    work = holding if name in PACKS else sensitivity
    found = work(recall, settings.retrieval, name, settings.features, cancel=cancel)
    return Varied(found, {chunk.chunk_id: chunk for chunk in recall.chunks}, held=name in PACKS)


class Bridge:
    """Holds the open library, the tokens of what runs, and the number of the last query."""

    def __init__(self, app: App[Any], opener: Opener, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.library: LibraryLike | None = None
        self.failed: Problem | None = None
        self.request = 0
        self.doing = ""
        self._app = app
        self._opener = opener
        self._clock = clock
        self.keys = Keys()
        self._query = CancelToken()
        self._task = CancelToken()
        self._watching = CancelToken()
        self._running = 0
        self._idle = asyncio.Event()
        self._tasks = 0
        self._embedder_loaded = False
        self._leaving = asyncio.Event()
        self._examined: set[CancelToken] = set()
        self._scopes: tuple[str, ...] = ()

    @property
    def syncing(self) -> bool:
        """Whether a sync or embedding runs that was not cancelled."""
        return self._tasks > 0 and not self._task.cancelled

    def open(self) -> None:
        """Open the library, then bring it up to date in the background."""
        self.failed = None
        self._start(self._open(), "library")

    def sync(self, scopes: tuple[str, ...] = (), **how: bool) -> None:
        """Read the folder again and embed what waits, in the background; one such task at a time. ``how`` is what a
        library's ``sync`` takes beside."""
        kind = "rebuild" if how.get("rebuild") else "sync"
        self.begin(kind, scopes, lambda library, cancel: library.sync(embed=False, cancel=cancel, **how))

    def begin(self, doing: str, scopes: tuple[str, ...], task: Task) -> None:
        """A task that brings the index into another state, then embed what waits, in the background; one at a time."""
        self._scopes = scopes
        if self.library is not None and not self.syncing:
            self._task, self.doing = GivingWay(self.keys), doing
            self._start(self._update(self.library, self._task, task), "task")

    def watch(self, folder: Path) -> None:
        """Read the folder again whenever something in it changes, until the workbench is left."""
        self._start(self._watch(folder), "watch")

    def ask(self, query: str, retrieval: Retrieval, scopes: tuple[str, ...]) -> int:
        """Recall the query, in place of the one that runs; the number that its messages will carry."""
        self.cancel_query()
        self.request += 1
        self._query = CancelToken()
        if self.library is not None:
            self._start(
                self._recall(self.library, self.request, query, retrieval, scopes, self._query), "query"
            )
        return self.request

    def cancel_query(self) -> None:
        """Stop the running query; whatever it still sends is late, and dropped."""
        self._query.cancel()
        self.request += 1

    def cancel_tasks(self) -> None:
        """Stop sync and embedding at their next check; they resume where they stopped."""
        self._task.cancel()

    # --- examinations: worked out beside the query, for the pane that asks, under a token of its own ---

    def examine(self, asker: MessagePump, doing: str, work: Work) -> CancelToken:
        """Work something out; the asker gets ``Examined`` or ``ExamineFailed`` with the token. Cancelled, it gets
        neither.
        """
        cancel = CancelToken()
        self._examined.add(cancel)
        self._start(self._examine(asker, doing, work, cancel), "examine")
        return cancel

    def why(
        self, asker: MessagePump, query: str, target: Target, settings: Settings, scopes: tuple[str, ...]
    ) -> CancelToken:
        """The verdict on a target under these settings. Only the owner is told of what lies outside the scopes."""

        async def work(library: LibraryLike, cancel: CancelToken) -> Verdict:
            owner = OWNER in scopes
            return await library.why(
                query, target, settings.retrieval, scopes=scopes, features=settings.features, owner=owner,
                cancel=cancel,
            )  # fmt: skip

        return self.examine(asker, "why not", work)

    def lens(self, asker: MessagePump, query: str, chunk_id: str, scopes: tuple[str, ...]) -> CancelToken:
        """The terms of a query and of one chunk."""

        async def work(library: LibraryLike, cancel: CancelToken) -> Lens:
            return await library.lens(query, chunk_id, scopes=scopes, cancel=cancel)

        return self.examine(asker, "the token lens", work)

    def vary(self, asker: MessagePump, recall: Recall, settings: Settings, name: str) -> CancelToken:
        """A setting over its whole range; what the recall does not hold of it is asked first."""

        async def work(library: LibraryLike, cancel: CancelToken) -> Varied:
            from engine.explain.change import covering

            wide, held = covering(settings.retrieval), recall
            if not covers(recall, replace(settings, retrieval=wide)):
                held = await library.recall(
                    recall.query, wide, scopes=recall.scopes, wait=False, cancel=cancel
                )
            return await asyncio.to_thread(varied, held, settings, name, cancel)

        return self.examine(asker, "varying a setting", work)

    def find(self, asker: MessagePump, words: str, scopes: tuple[str, ...]) -> CancelToken:
        """The recall of a few words by the text channels alone: chunks that somebody looks for."""

        async def work(library: LibraryLike, cancel: CancelToken) -> Recall:
            from engine.settings import Retrieval

            by_text = Retrieval(vector_weight=0.0, graph_weight=0.0)
            return await library.recall(words, by_text, scopes=scopes, wait=False, cancel=cancel)

        return self.examine(asker, "looking for a chunk", work)

    async def _examine(self, asker: MessagePump, doing: str, work: Work, cancel: CancelToken) -> None:
        try:
            if self.library is None:
                raise BusyError("the library is not open yet", "wait a moment")
            answer = await work(self.library, cancel)
        except Cancelled:
            return
        except asyncio.CancelledError:
            cancel.cancel()
            raise
        except Exception as error:
            asker.post_message(ExamineFailed(cancel, problem_of(error, doing)))
        else:
            asker.post_message(Examined(cancel, answer))
        finally:
            self._examined.discard(cancel)

    def read_status(self, scopes: tuple[str, ...]) -> None:
        self._scopes = scopes
        if self.library is not None:
            self._start(self._status(self.library), "status")

    async def close(self) -> None:
        """Cancel everything, wait for the threads to notice, and close the library."""
        self._leaving.set()
        for token in (self._query, self._task, self._watching, *self._examined):
            token.cancel()
        deadline = self._clock() + CLOSING_SECONDS
        if self._running:
            self._idle.clear()
            await _within(self._idle.wait(), CLOSING_SECONDS)
        if self.library is not None:
            await _within(self.library.close(), max(0.1, deadline - self._clock()))

    # --- workers: each ends in messages, and none lets an error through ---

    def _start(self, work: Coroutine[Any, Any, None], group: str) -> None:
        if self._leaving.is_set():
            work.close()
            return
        self._app.run_worker(self._counted(work), group=group, exit_on_error=False)

    async def _counted(self, work: Coroutine[Any, Any, None]) -> None:
        self._running += 1
        try:
            await work
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()

    def _post(self, message: Any) -> None:
        self._app.post_message(message)

    async def _open(self) -> None:
        try:
            library = await self._opener()
            status = await library.status(scopes=self._scopes)
        except Exception as error:
            self.failed = problem_of(error, "opening the library", place="library")
            self._post(LibraryFailed(self.failed))
            return
        if self._leaving.is_set():
            await library.close()
            return
        self.library = library
        self._post(StatusRead(status))
        self._post(LibraryOpened(library.name, library.writable, library.writer, status.documents == 0))
        if not library.writable:
            await self._load(library)

    async def _update(self, library: LibraryLike, cancel: CancelToken, task: Task) -> None:
        self._tasks += 1
        try:
            await self._follow(library, task(library, cancel))
            await self._status(library)
            self._post(SyncFinished(library.report))
            await self._load(library)
            cancel.check()
            self.doing = "embed"
            await self._follow(library, library.embed(cancel=cancel))
            await self._status(library)
            self._post(EmbeddingFinished())
        except Cancelled:
            await self._status(library)
        except Exception as error:
            self._post(TaskFailed(problem_of(error, "indexing", action="library.sync", place="index")))
        finally:
            self._tasks -= 1
            self.doing = "" if not self._tasks else self.doing
            self._post(ProgressMade(None))
        await self._load(library)

    async def _watch(self, folder: Path) -> None:
        from engine.ingest.watch import changes

        try:
            async for _ in changes(folder, cancel=self._watching):  # first, for what changed before it began
                while self.syncing and not self._watching.cancelled:
                    await asyncio.sleep(WATCH_SECONDS)
                if not self._watching.cancelled:
                    self.sync(self._scopes)
        except Exception as error:
            self._post(TaskFailed(problem_of(error, "watching the folder", place="index")))

    async def _load(self, library: LibraryLike) -> None:
        """Make the vector channel ready: also where this process may not write, or was told to stop indexing."""
        if self._embedder_loaded or self._leaving.is_set():
            return
        loading = asyncio.ensure_future(library.load_embedder())
        leaving = asyncio.ensure_future(self._leaving.wait())
        await asyncio.wait((loading, leaving), return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not loading.done():
            loading.cancel()
        elif error := loading.exception():
            self._post(TaskFailed(problem_of(error, "loading the embedder", place="vector")))
        else:
            self._embedder_loaded = True
            self._post(EmbedderLoaded())

    async def _follow(self, library: LibraryLike, steps: AsyncIterator[Progress]) -> None:
        """Pass progress on, ten times a second at most and at each change of stage; counts once a second."""
        stage, told, counted = "", float("-inf"), self._clock()
        async for progress in steps:
            now = self._clock()
            if progress.stage != stage or now - told >= PROGRESS_INTERVAL:
                stage, told = progress.stage, now
                self._post(ProgressMade(progress))
            if now - counted >= STATUS_INTERVAL:
                counted = now
                await self._status(library)

    async def _status(self, library: LibraryLike) -> None:
        try:
            self._post(StatusRead(await library.status(scopes=self._scopes)))
        except Cancelled:
            pass
        except Exception as error:
            self._post(TaskFailed(problem_of(error, "reading the library's state", place="index")))

    async def _recall(
        self,
        library: LibraryLike,
        request: int,
        query: str,
        retrieval: Retrieval,
        scopes: tuple[str, ...],
        cancel: CancelToken,
    ) -> None:
        try:
            recall = await library.recall(query, retrieval, scopes=scopes, wait=False, cancel=cancel)
        except Cancelled:
            return
        except asyncio.CancelledError:
            cancel.cancel()
            raise
        except Exception as error:
            problem = problem_of(error, "the query", action="query.again", place="query")
            self._post(RecallFailed(request, problem))
        else:
            self._post(RecallFinished(request, recall))


async def _within(work: Coroutine[Any, Any, Any], seconds: float) -> None:
    """Wait for the work, so long at most; what it raises concerns nobody any more, but is recorded."""
    try:
        await asyncio.wait_for(work, seconds)
    except TimeoutError:
        pass
    except Exception as error:
        log(error)
