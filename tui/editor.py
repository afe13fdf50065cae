"""The reader's own editor: which one, how it is told a line, and how the workbench steps aside for it.

Only a file of the library is ever opened, by the path that the index stored, looked at anew: below the root, a
regular file, no component of its path a link. The path goes to the program as one argument, never through a shell.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from engine.errors import SourceError
from engine.ingest.names import name_of
from engine.ingest.read import Unreadable, stamp_below

if TYPE_CHECKING:
    from textual.app import App

VIEWERS = ("less", "more", "vi")
"""What shows a file where no editor is set, the first that is installed."""

_AFTER_PATH = frozenset(("hx", "helix", "micro", "subl", "zed"))
_GOTO = frozenset(("code", "codium", "cursor"))


def command(environ: Mapping[str, str], path: str, line: int) -> list[str]:
    """The program and its arguments that open ``path`` at a line; ``path`` is absolute, so never an option.

    ``$VISUAL`` comes before ``$EDITOR``; both may carry arguments. Raises ``SourceError`` where there is nothing to
    open it with.
    """
    given = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        program = shlex.split(given)
    except ValueError:
        raise SourceError(f"$EDITOR cannot be read: {given!r}", "set it to a program") from None
    if not program:
        program = [name for name in VIEWERS if shutil.which(name, path=environ.get("PATH"))][:1]
    if not program or shutil.which(program[0], path=environ.get("PATH")) is None:
        raise SourceError("there is no editor to open it with", "set $EDITOR to one that is installed")
    name = PurePath(program[0]).name
    if name in _AFTER_PATH:
        return [*program, f"{path}:{line}"]
    if name in _GOTO:
        return [*program, "--wait", "--goto", f"{path}:{line}"]
    return [*program, f"+{line}", path]


def original(root: Path, document: str) -> str:
    """Where the file of a document lies now; that of one line of a corpus is the corpus (``corpus.jsonl#ID``).

    Raises ``SourceError`` where it is gone, or no longer a file below the root that is reached without a link.
    """
    file = document
    try:
        try:
            stamp_below(root, file)
        except Unreadable:
            file = document.rpartition("#")[0] or document
            stamp_below(root, file)
    except Unreadable as error:
        raise SourceError(f"{document} cannot be opened: {error.reason}", "sync the folder") from error
    folder = root if root.is_dir() else root.parent
    return os.fsdecode(os.path.join(os.fsencode(folder.absolute()), name_of(file)))


def now() -> float:
    """When a text came back from an editor, in Unix seconds."""
    return time.time()


def run(app: App[Any], program: Sequence[str]) -> int:
    """Give the terminal to a program until it ends; its exit code. Raises ``SourceError`` where it cannot start."""
    from textual.app import SuspendNotSupported

    try:
        with app.suspend():
            code = subprocess.run(program, check=False).returncode
    except SuspendNotSupported:
        raise SourceError(
            "this terminal cannot be given to another program", "open the file beside it"
        ) from None
    except OSError as error:
        raise SourceError(f"{program[0]} does not start: {error.strerror or error}", "set $EDITOR") from error
    app.refresh()
    return code
