"""The catalogue of a library made of a few texts: real cuts of them, no index, no thread."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from engine.cancel import CancelToken
from engine.catalogue.evidence import Beside
from engine.catalogue.opened import Opened
from engine.catalogue.standing import Content, OnDisk
from engine.catalogue.what_if import Evidence, WhatIf, what_if
from engine.errors import UsageError
from engine.health import Health
from engine.model import Chunk, Progress
from engine.settings import Chunking


@dataclass
class FakeCatalogue:
    """Every path with its headings and texts as one Markdown document, cut as the settings are by default."""

    texts: tuple[tuple[str, str, str], ...]

    def _document(self, path: str) -> Opened:
        parts = [f"## {heading}\n\n{text}\n" for name, heading, text in self.texts if name == path]
        if not parts:
            raise UsageError(f"the library holds no document {path}", "choose one from the list")
        text, chunking = "\n".join(parts), Chunking()
        bare = Opened(f"doc-{path}", path, path, path, "r" * 64, "markdown", "", text, chunking, ())
        chunks = tuple(
            Chunk(
                f"{path}-{span.ordinal}", bare.document_id, path, path, bare.revision, span.ordinal, span.role,
                span.heading_path, span.start, span.end, span.line_start, span.line_end,
                text[span.start : span.end],
            )
            for span in bare.cut(chunking, cancel=CancelToken())
        )  # fmt: skip
        return Opened(
            bare.document_id, path, path, path, bare.revision, "markdown", "", text, chunking, chunks
        )

    @property
    def _paths(self) -> list[str]:
        return sorted({path for path, _, _ in self.texts})

    async def documents(self, *, scopes: tuple[str, ...] = ()) -> tuple[Content, ...]:
        return tuple(Content(path, len(self._document(path).chunks), 0) for path in self._paths)

    async def on_disk(self, *, scopes: tuple[str, ...] = (), cancel: CancelToken | None = None) -> OnDisk:
        return OnDisk()

    async def evidence(self) -> Beside:
        return Beside()

    async def open(
        self, path: str, *, scopes: tuple[str, ...] = (), cancel: CancelToken | None = None
    ) -> Opened:
        return self._document(path)

    async def what_if(
        self, chunking: Chunking, evidence: Evidence, *, scopes: tuple[str, ...] = (), cancel: CancelToken
    ) -> AsyncIterator[Progress | WhatIf]:
        documents = [self._document(path) for path in self._paths]
        for step in what_if(documents, len(documents), chunking, evidence, cancel=cancel):
            yield step


class FakeHealth:
    """A library in which nothing is wrong."""

    async def run(
        self, *, scopes: tuple[str, ...] = (), cancel: CancelToken
    ) -> AsyncIterator[Progress | Health]:
        yield Health(0, 0, (), "nothing was measured")


class FakeEdits:
    """A library that nobody has edited, and where nobody can."""

    async def conflicts(self) -> list[object]:
        return []

    async def history(self) -> list[object]:
        return []

    async def bin(self) -> list[object]:
        return []

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        async def refuse(*_: object) -> object:
            raise UsageError("this library cannot be edited", "it is made of a few texts")

        return refuse
