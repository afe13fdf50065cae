"""An index to be damaged and verified."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.cancel import CancelToken
from engine.library import Library
from engine.store.library_file import LibraryFile
from engine.store.places import Places, locate
from engine.verify import Finding, Subject, Verified, verify
from tests.pipeline.killing import SETTINGS, answers, synced

QUESTIONS = ("重试几次", "the retry limit of queue 3", "corpus line")


@dataclass(frozen=True, slots=True)
class Damaged:
    """A folder with its index."""

    root: Path

    @property
    def places(self) -> Places:
        return locate(self.root)

    @property
    def generation(self) -> Path:
        with closing(LibraryFile(self.places.library)) as library:
            serving = library.serving()
        assert serving is not None
        return self.places.generation(serving)

    @property
    def page_file(self) -> Path:
        (found,) = self.generation.glob("vectors-*.f32")
        return found

    def sql(self, *statements: str, file: str = "generation") -> None:
        """Run statements in the generation's, the library's or the cache's file."""
        path = (
            self.generation / "index.sqlite" if file == "generation" else self.places.base / f"{file}.sqlite"
        )
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def verified(self) -> Verified:
        subject = Subject(self.root, self.places, SETTINGS)
        *_, last = verify(subject, cancel=CancelToken())
        assert isinstance(last, Verified)
        return last

    def found(self) -> list[Finding]:
        return list(self.verified().findings)

    def codes(self) -> set[str]:
        return {finding.code for finding in self.found()}

    def sync(self, *, rebuild: bool = False) -> None:
        asyncio.run(synced(self.root, rebuild=rebuild))

    def repair(self) -> Verified:
        """Mend what can be mended; what was left."""

        async def repairing() -> Verified:
            async with await Library.open(self.root, settings=SETTINGS, create=False) as library:
                async for each in library.verification.repair(cancel=CancelToken()):
                    last = each
            assert isinstance(last, Verified)
            return last

        return asyncio.run(repairing())

    def answers(self) -> list[str]:
        return asyncio.run(answers(self.root, *QUESTIONS))
