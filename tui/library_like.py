"""What the bridge asks of a library; ``engine.library.Library`` is one, the tests' fake another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol

from engine.cancel import CancelToken
from engine.model import Progress, Recall, SyncReport

if TYPE_CHECKING:
    from engine.catalogue.face import Catalogue
    from engine.edits.face import Edits
    from engine.explain.lens import Lens
    from engine.explain.verdict import Target, Verdict
    from engine.health.face import Examination
    from engine.library import Status
    from engine.pipeline.face import Upkeep
    from engine.settings import Features, Retrieval, Settings


class LibraryLike(Protocol):
    """What the bridge asks of a library; ``engine.library.Library`` is one, the tests' fake another."""

    name: str
    report: SyncReport
    settings: Settings
    catalogue: Catalogue

    @property
    def edits(self) -> Edits: ...

    @property
    def upkeep(self) -> Upkeep: ...

    @property
    def health(self) -> Examination: ...

    @property
    def writable(self) -> bool: ...
    @property
    def writer(self) -> str: ...
    def sync(self, *, rebuild: bool = ..., embed: bool, cancel: CancelToken) -> AsyncIterator[Progress]: ...
    def embed(self, *, cancel: CancelToken) -> AsyncIterator[Progress]: ...
    async def load_embedder(self) -> str: ...
    async def recall(
        self,
        query: str,
        retrieval: Retrieval,
        *,
        scopes: tuple[str, ...],
        wait: bool,
        cancel: CancelToken,
    ) -> Recall: ...
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
    ) -> Verdict: ...
    async def lens(
        self, query: str, chunk_id: str, *, scopes: tuple[str, ...], cancel: CancelToken
    ) -> Lens: ...
    async def status(self, *, scopes: tuple[str, ...]) -> Status: ...
    async def close(self) -> None: ...
