"""What lies in an index and serves nobody: unfinished generations, page files without a name. Notes, never errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from engine.store import vectors
from engine.store.generation import Generation
from engine.store.places import GENERATION_ID, Places
from engine.verify.finding import Finding

OURS = frozenset(
    (
        ".gitignore", "generations", "sweeps", "evaluation", "settings.toml", "writer.lock",
        *(f"{name}.sqlite{end}" for name in ("library", "cache") for end in ("", "-wal", "-shm")),
    )
)  # fmt: skip


def check_leftovers(places: Places, kept: frozenset[str]) -> Iterator[Finding]:
    """``kept`` are the generations that serve, served before, or are being built."""
    for path in sorted(places.base.iterdir()):
        if path.name not in OURS:
            yield Finding("leftover", path.name, "it is no file of an index", "note", remedy="remove it")
    if not places.generations.is_dir():
        return
    for folder in sorted(places.generations.iterdir()):
        if folder.name not in kept:
            ours = GENERATION_ID.match(folder.name)
            yield Finding(
                "leftover",
                f"generations/{folder.name}",
                "a generation that neither serves nor is being built" if ours else "it is no generation",
                "note",
                mend="tidy" if ours else "none",
                remedy="" if ours else "remove it",
            )


def check_pages(connection: sqlite3.Connection, generation: Generation) -> Iterator[Finding]:
    """Page files that nothing refers to."""
    for path in vectors.unreferenced(connection, generation.folder):
        yield Finding(
            "leftover", f"{generation.id}/{path.name}", "a page file without a name", "note", mend="tidy"
        )
