"""Where the files of a library's index lie. Knows paths and their safety, no contents.

Inside the folder as ``.rankscope/``; under a data directory, in a folder of its own, where one was named or
where the folder cannot be written.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from engine.errors import LibraryError, UsageError
from engine.store.connect import translated

FOLDER = ".rankscope"
GENERATION_ID = re.compile(r"g[0-9a-f]{12}\Z")


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one index below ``base``."""

    base: Path

    @property
    def library(self) -> Path:
        return self.base / "library.sqlite"

    @property
    def cache(self) -> Path:
        return self.base / "cache.sqlite"

    @property
    def settings(self) -> Path:
        return self.base / "settings.toml"

    @property
    def lease(self) -> Path:
        return self.base / "writer.lock"

    @property
    def generations(self) -> Path:
        return self.base / "generations"

    @property
    def sweeps(self) -> Path:
        """Generations that sweeps keep: none of them ever serves."""
        return self.base / "sweeps"

    def generation(self, generation: str) -> Path:
        """The folder of a generation. The id is checked: nothing inside the index may name a path outside
        it."""
        if not GENERATION_ID.match(generation):
            raise LibraryError(f"the index in {self.base} names an impossible generation", "rebuild it")
        return self.generations / generation

    def exists(self) -> bool:
        """Whether an index lies here. Raises ``LibraryError`` where that cannot be seen."""
        with translated(self.base):
            return self.library.is_file()

    def refuse_links(self) -> None:
        """Raise ``LibraryError`` where anything in the index is a link.

        A folder may come from anyone, its index with it, and what a link names would be read, written or
        emptied in place of our own file.
        """
        for folder, folders, files in os.walk(self.base, onerror=_unless_gone):
            for name in (*folders, *files):
                path = Path(folder, name)
                if path.is_symlink():
                    raise _is_a_link(path)

    def create(self) -> None:
        """Make the folders; ``.gitignore`` keeps the index out of any repository around it. An index that is there
        and may not be written stays as it is.

        Raises ``LibraryError`` where something stands in the way, a link among them.
        """
        self.refuse_links()
        if self.exists() and not os.access(self.base, os.W_OK):
            return
        with translated(self.base):
            self.generations.mkdir(parents=True, exist_ok=True)
            ignore = self.base / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")


def _is_a_link(path: Path) -> LibraryError:
    return LibraryError(f"{path} is a link, and an index is never followed out of its folder", "remove it")


def _unless_gone(error: OSError) -> None:
    """A generation that another process removes meanwhile holds no link."""
    if not isinstance(error, FileNotFoundError):
        with translated(Path(error.filename)):
            raise error


def new_generation_id() -> str:
    """Random: says nothing, and never meets an old one."""
    return "g" + secrets.token_hex(6)


def checked_root(folder: Path) -> Path:
    """The real path of a folder that can be listed, or ``UsageError`` with what is wrong."""
    try:
        root = folder.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise UsageError(
            f"{folder} does not exist or cannot be reached", "give the path of a folder"
        ) from error
    if not root.is_dir():
        raise UsageError(f"{folder} is not a folder", "give the folder that holds the documents")
    if not os.access(root, os.R_OK | os.X_OK):
        raise UsageError(f"{folder} cannot be read", "check its permissions")
    return root


def locate(root: Path, data: Path | None = None) -> Places:
    """Where the index of ``root`` lies or would lie.

    Below ``data`` (``--data``, ``RANKSCOPE_DATA``) one folder holds one library, named after it and a hash of
    its real path. Without it ``.rankscope/`` inside the folder, unless that cannot be written: then the
    user's data directory.
    """
    if data is None:
        inside = Places(root / FOLDER)
        if inside.base.is_symlink():
            raise _is_a_link(inside.base)
        if inside.base.exists() and not inside.base.is_dir():
            raise LibraryError(f"{inside.base} is not a folder", "move it away, or use --data DIR")
        if inside.exists() or os.access(root, os.W_OK):
            return inside
        from platformdirs import user_data_path

        data = user_data_path("rankscope")
    if data.exists() and not data.is_dir():
        raise UsageError(f"{data} is not a folder", "give --data a folder")
    name = re.sub(r"[^\w.-]+", "-", root.name)[:40] or "root"
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:10]
    return Places(data.absolute() / f"{name}-{digest}")
