"""A library that was indexed once, and whose record a test may write."""

from __future__ import annotations

from engine.pipeline.face import Aside, Task


class FakeUpkeep:
    """What the Tasks screen lists."""

    def __init__(self) -> None:
        self.kept: tuple[Task, ...] = ()
        self.beside: Aside | None = None
        self.previous = ""

    async def tasks(self, limit: int = 100) -> tuple[Task, ...]:
        return self.kept[:limit]

    async def aside(self) -> Aside | None:
        return self.beside

    async def before(self) -> str:
        return self.previous
