"""Edits that were begun and not saved: each kept in a file of its own from the first pause on, so that no closed
terminal and no killed process loses one. They are offered again at the next start, and when the chunk is edited.

They lie under the user's state folder, for the user alone, one folder a library.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from engine.settings.places import state_folder

SIZE_LIMIT = 4_000_000
"""Bytes of a draft that is read: sixteen thousand characters escaped, with room to spare."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsaved text for a chunk. ``base`` is the text that it was made from, ``at`` when, in Unix seconds."""

    chunk_id: str
    path: str
    line: int
    base: str
    text: str
    at: float


class Drafts:
    """The drafts of one library."""

    def __init__(self, library: Path, *, folder: Path | None = None) -> None:
        named = hashlib.sha256(os.fsencode(library)).hexdigest()[:16]
        self._folder = (folder or state_folder()) / "drafts" / named

    def keep(self, draft: Draft) -> None:
        """Keep a draft in place of the one of its chunk, durably. Raises ``OSError``."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".draft-")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(asdict(draft), file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._file(draft.chunk_id))
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise

    def drop(self, chunk_id: str) -> None:
        """Forget the draft of a chunk: it was saved, or is not wanted."""
        with suppress(OSError):
            self._file(chunk_id).unlink()

    def of(self, chunk_id: str) -> Draft | None:
        """The draft of a chunk."""
        return _read(self._file(chunk_id))

    def all(self) -> tuple[Draft, ...]:
        """Every draft, the latest first."""
        return tuple(sorted(self._all(), key=lambda draft: (-draft.at, draft.chunk_id)))

    def _all(self) -> Iterator[Draft]:
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError:
            return
        for file in files:
            if (draft := _read(file)) is not None:
                yield draft

    def _file(self, chunk_id: str) -> Path:
        return self._folder / f"{hashlib.sha256(chunk_id.encode('utf-8')).hexdigest()[:24]}.json"


def _read(file: Path) -> Draft | None:
    """A draft as it was kept; None where the file is no draft."""
    try:
        if file.is_symlink() or file.stat().st_size > SIZE_LIMIT:
            return None
        found = json.loads(file.read_text(encoding="ascii"))
        kinds = {field.name: str for field in fields(Draft)} | {"line": int, "at": (int, float)}
        if not isinstance(found, dict) or found.keys() != kinds.keys():
            return None
        if not all(isinstance(found[name], kind) for name, kind in kinds.items()):  # type: ignore[arg-type]
            return None
        return Draft(**found)
    except (OSError, ValueError, RecursionError):
        return None
