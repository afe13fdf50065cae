"""The one object a face talks to: open, sync, rebuild, recall, retrieve, status, close.

Its methods are asynchronous and do no work on the event loop: blocking work runs in threads of its own and
checks a ``CancelToken``. It owns the files, the lease and the embedder, and hands out frozen data.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from engine.cancel import CancelToken
from engine.catalogue.face import Catalogue
from engine.edits.face import Edits
from engine.errors import BusyError, LibraryError
from engine.explain.change import covering
from engine.explain.lens import Lens
from engine.explain.lens import lens as terms_of
from engine.explain.verdict import Target, Verdict
from engine.explain.why import Sources
from engine.explain.why import why as explain
from engine.health.face import Examination
from engine.learned import Reranker
from engine.model import DEPTH, Progress, Recall, SyncReport
from engine.pipeline import build
from engine.pipeline.build import Index
from engine.pipeline.face import Upkeep
from engine.pipeline.freshness import with_freshness
from engine.pipeline.query import Asked as Asked
from engine.pipeline.query import Question, checked, principal
from engine.pipeline.query import recall as ask_channels
from engine.pipeline.replay import replay
from engine.pipeline.semantics import Semantics
from engine.pipeline.status import Status as Status
from engine.pipeline.status import status_of
from engine.settings import Features, Retrieval, Settings
from engine.store.generation import Generation
from engine.store.lease import Lease
from engine.store.library_file import LibraryFile
from engine.store.places import Places, checked_root, locate
from engine.store.steps import Steps, no_steps
from engine.threads import left_behind, streamed, threaded
from engine.trace import Trace, settle
from engine.verify.face import Verification

T = TypeVar("T")


class Library:
    """A folder and its index. Make one with ``open``; ``close`` it, or use it as an async context manager."""

    def __init__(self, root: Path, places: Places, settings: Settings, steps: Steps) -> None:
        self.root = root
        self.name = root.name or str(root)
        self.places = places
        self.settings = settings
        self.report = SyncReport()
        self.steps = steps
        self._lease = Lease(places.lease)
        self._channels = ThreadPoolExecutor(4, thread_name_prefix="rankscope-channel")
        self._work = ThreadPoolExecutor(4, thread_name_prefix="rankscope-work")
        self._guard = threading.Lock()
        self._file: LibraryFile | None = None
        self._include: tuple[str, ...] | None = None
        self._generation: Generation | LibraryError | None = None
        self._semantics: Semantics | None = None
        self._reranker = Reranker(settings.rerank_endpoint)
        self.catalogue = Catalogue(self)
        self.edits = Edits(self)
        self.verification = Verification(self)
        self.health = Examination(self)
        self.upkeep = Upkeep(self)

    # --- opening and closing ---

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        settings: Settings | None = None,
        data: Path | None = None,
        create: bool = True,
        include: Sequence[str] | None = None,
        steps: Steps = no_steps,
    ) -> Library:
        """Open the index of a folder, making an empty one where there is none and ``create`` is true.

        ``include`` says anew which of its files belong to the library, by patterns in the syntax of ignore files;
        a sync that finds any remembers it. None leaves it as it is.

        Raises ``UsageError`` for a folder that is none, and ``LibraryError`` (or a kind of it) for an index
        that is damaged, foreign, newer, or absent. A damaged generation does not stop the opening: it is
        derived, and a rebuild replaces it; asking it a question raises what is wrong.
        """

        def opening() -> Library:
            root = checked_root(folder)
            library = cls(root, locate(root, data), settings or Settings(), steps)
            try:
                library._open(create, include)
            except BaseException:
                library._shut()
                raise
            return library

        return await asyncio.to_thread(opening)

    def _open(self, create: bool, include: Sequence[str] | None) -> None:
        if not self.places.exists() and not create:
            raise self._no_index()
        self.places.create()
        writable = self._lease.acquire()
        if not writable and not self.places.exists():
            raise BusyError(
                f"{self._lease.holder()} is just making the index of {self.root}", "try again in a moment"
            )
        self._file = LibraryFile(self.places.library, steps=self.steps)
        if self._file.serving() is None and not create:
            raise self._no_index()
        self._include = None if include is None else tuple(include)
        self._semantics = Semantics(self.places, self._file, self.settings.embedding, self.steps)
        if writable:
            self._file.interrupt_tasks()
            build.tidy(self.places, self._file, self.steps)
            if self._file.serving() is None:
                build.begin(self.index(), self.settings.chunking)
        self._serve()
        if isinstance(self._generation, Generation):
            self._semantics.return_to(self._generation, remember=writable)
        if writable and isinstance(self._generation, Generation) and self._generation.current:
            replay(self.index().sink(self._generation), cancel=CancelToken())

    def _no_index(self) -> LibraryError:
        return LibraryError(f"{self.root} has no index yet", f"make one with `rankscope index {self.root}`")

    def _serve(self) -> None:
        """Open the generation that the pointer names; what is wrong with it is kept for whoever asks it."""
        assert self._file is not None
        serving = self._file.serving()
        try:
            if serving is None:
                raise self._no_index()
            self._generation = Generation(self.places.generation(serving), steps=self.steps)
        except LibraryError as error:
            self._generation = error

    async def close(self) -> None:
        """Wait for running work to end (cancel it first), then give up files, locks and threads."""
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._work.shutdown(wait=True)
        self._channels.shutdown(wait=True)
        if isinstance(self._generation, Generation):
            self._generation.close()
        if self._semantics is not None:
            self._semantics.close()
        if self._file is not None:
            self._file.close()
        self._lease.release()

    async def __aenter__(self) -> Library:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def writable(self) -> bool:
        """Whether this process holds the writer's lease."""
        return self._lease.held

    @property
    def writer(self) -> str:
        """Who holds the writer's lease, for a line on the screen."""
        return self._lease.holder()

    @property
    def embedder(self) -> str:
        """The name of the embedder in force."""
        assert self._semantics is not None
        return self._semantics.name

    @property
    def generation(self) -> Generation:
        """The generation that serves; raises what is wrong with it."""
        if isinstance(self._generation, Generation):
            return self._generation
        raise self._generation or LibraryError(f"the library of {self.root} is closed", "open it again")

    # --- changing the index ---

    def sync(
        self, *, rebuild: bool = False, embed: bool = True, reread: bool = False, cancel: CancelToken
    ) -> AsyncGenerator[Progress, None]:
        """Bring the index up to date with the folder; ``report`` tells afterwards what was done.

        ``rebuild`` builds a generation aside, with the chunking and embedder of the settings, and switches to
        it when it is whole; until then, and where it fails, the one before serves. ``embed`` waits for the
        vectors, too; ``reread`` trusts no file's size, times and inode. Raises ``BusyError`` where another
        process writes, ``SourceError`` where the folder cannot be listed or has become empty, ``Cancelled``.
        """
        if rebuild:
            return self.upkeep.rebuild(embed=embed, cancel=cancel)
        return self.upkeep.sync(embed=embed, reread=reread, cancel=cancel)

    def embed(self, *, cancel: CancelToken) -> AsyncGenerator[Progress, None]:
        """Make the vectors that still wait. Other processes and queries go on beside it."""
        index = self.index()
        return self.stream(lambda: build.embed(index, self.generation, cancel=cancel), cancel)

    def served(self) -> Generation | LibraryError:
        """The generation that serves, or what is wrong with it."""
        with self._guard:
            return self._generation or self._no_index()

    def serve_anew(self) -> Generation:
        """Open what the pointer names, after it was moved."""
        with self._guard:
            self._serve()
        return self.generation

    def require_lease(self) -> None:
        """Take the writer's lease, if it is not held yet; raises ``BusyError`` where another process has it."""
        if not self.writable and not self._lease.acquire():
            raise self._lease.refusal()

    def semantics(self) -> Semantics:
        """The embedder in force, with its cache."""
        assert self._semantics is not None
        return self._semantics

    def index(self) -> Index:
        self.require_lease()
        assert self._file is not None
        return Index(
            self.root,
            self.places,
            self._file,
            self.semantics(),
            self.settings.scopes,
            self.steps,
            self._file.include() if self._include is None else self._include,
        )

    # --- asking ---

    async def recall(
        self,
        query: str,
        retrieval: Retrieval | None = None,
        *,
        scopes: tuple[str, ...] = (),
        depth: int = DEPTH,
        wait: bool = True,
        cancel: CancelToken | None = None,
    ) -> Recall:
        """Ask every channel, and the reranking model where the settings want it; everything that ranking will
        need.

        ``wait`` loads the embedder first where that is still to be done (seconds, for the packaged model);
        otherwise the vector channel is left out with ``embedder_loading``. Raises ``QueryError``,
        ``Cancelled``, ``LibraryError``.
        """
        token = cancel or CancelToken()
        settings = retrieval or self.settings.retrieval
        asked = Asked(checked(query), settings, principal(scopes), depth)

        def asking() -> Recall:
            generation = self.serving()
            return with_freshness(self.ask(asked, generation, wait=wait, cancel=token), self.root)

        return await self.threaded(asking, token)

    def ask(self, asked: Asked, generation: Generation, *, wait: bool = True, cancel: CancelToken) -> Recall:
        """``recall`` for a thread that may block, and without a look at the disk: an evaluation, which judges the
        index, asks hundreds of questions from one."""
        assert self._semantics is not None
        vector = self._semantics.query_vector(
            generation, asked.text, asked.retrieval, wait=wait, cancel=cancel
        )
        question = Question(asked.text, asked.retrieval, asked.scopes, asked.depth, vector)
        found = ask_channels(generation, question, executor=self._channels, cancel=cancel)
        return self.score(found, asked.retrieval, cancel=cancel)

    def score(self, recall: Recall, retrieval: Retrieval, *, cancel: CancelToken) -> Recall:
        """The recall with the reranking model's scores, where these settings want them. Blocks, as ``ask`` does.

        An endpoint that does not serve is told in the recall. Raises ``Cancelled``.
        """
        if retrieval.rerank != "learned":
            return recall
        return self._reranker.scored(recall, retrieval, cancel=cancel)

    async def retrieve(
        self,
        query: str,
        retrieval: Retrieval | None = None,
        *,
        scopes: tuple[str, ...] = (),
        depth: int = DEPTH,
        cancel: CancelToken | None = None,
    ) -> Trace:
        """Recall, rank and pack: the whole of one query. Raises what ``recall`` raises."""
        settings = retrieval or self.settings.retrieval
        found = await self.recall(query, settings, scopes=scopes, depth=depth, cancel=cancel)
        return settle(found, settings, self.settings.features)

    async def why(
        self,
        query: str,
        target: Target,
        retrieval: Retrieval | None = None,
        *,
        scopes: tuple[str, ...] = (),
        features: Features | None = None,
        owner: bool = False,
        cancel: CancelToken | None = None,
    ) -> Verdict:
        """Where a target was lost under a query, and the smallest change that brings it in.

        What lies outside the scopes reads as absent, unless an ``owner`` asks. Raises what ``recall`` raises,
        ``UsageError`` for a target that is none, ``BusyError`` where a sync runs too fast to be asked beside.
        """
        token = cancel or CancelToken()
        asked = Asked(checked(query), retrieval or self.settings.retrieval, principal(scopes))

        def asking() -> Verdict:
            sources, question = self._sources(asked, token, features)
            return explain(sources, question, target, owner=owner, cancel=token)

        return await self.threaded(asking, token)

    async def lens(
        self, query: str, chunk_id: str, *, scopes: tuple[str, ...] = (), cancel: CancelToken | None = None
    ) -> Lens:
        """The terms of a query and of one chunk, channel by channel. Raises ``UsageError`` where there is no
        such chunk that may be seen, and what ``recall`` raises."""
        token = cancel or CancelToken()
        asked = Asked(checked(query), self.settings.retrieval, principal(scopes))

        def asking() -> Lens:
            sources, question = self._sources(asked, token)
            return terms_of(sources, question, chunk_id, cancel=token)

        return await self.threaded(asking, token)

    def _sources(
        self, asked: Asked, cancel: CancelToken, features: Features | None = None
    ) -> tuple[Sources, Question]:
        """What explains a question, with the vector that any setting of it could ask for."""
        settings = self.settings if features is None else replace(self.settings, features=features)
        generation = self.serving()
        assert self._semantics is not None
        assert self._file is not None
        vector = self._semantics.query_vector(
            generation, asked.text, covering(asked.retrieval), wait=True, cancel=cancel
        )
        with self._guard:
            include = self._file.include()

        def recalled(question: Question) -> Recall:
            found = ask_channels(generation, question, executor=self._channels, cancel=cancel)
            return self.score(found, asked.retrieval, cancel=cancel)

        sources = Sources(self.root, generation, self.places.library, settings, include, recalled)
        return sources, Question(asked.text, asked.retrieval, asked.scopes, asked.depth, vector)

    async def load_embedder(self) -> str:
        """Load the model, if the embedder has one; the reason why it cannot be, or nothing."""
        assert self._semantics is not None
        return await left_behind(self._semantics.load)

    async def status(self, *, scopes: tuple[str, ...] = ()) -> Status:
        """What is ready, of what the principal may see."""
        return await asyncio.to_thread(self._status, scopes)

    def _status(self, scopes: tuple[str, ...]) -> Status:
        assert self._semantics is not None
        return status_of(self.serving(), self._semantics, self.settings, principal(scopes), self.writer)

    def serving(self) -> Generation:
        """The generation that serves now: another process may have moved the pointer since the last query."""
        assert self._file is not None
        with self._guard:
            if isinstance(self._generation, Generation) and self._file.serving() != self._generation.id:
                self._serve()
            return self.generation

    # --- threads ---

    async def threaded(self, work: Callable[[], T], cancel: CancelToken) -> T:
        """What blocking work on this library returns; cancelled with its caller, its end waited for."""
        return await threaded(self._work, work, cancel)

    def stream(self, work: Callable[[], Iterator[T]], cancel: CancelToken) -> AsyncGenerator[T, None]:
        """Run a blocking task on this library and hand on what it yields; closed early, it is cancelled."""
        return streamed(self._work, work, cancel)
