"""A program that asks and indexes as a user who owns nothing here: the superuser passes every check of permissions.

It rehearses as who it was, so that everything is imported before the change of user: the interpreter itself may lie
where only its owner reads.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.cancel import CancelToken
from engine.errors import RankscopeError
from engine.library import Library
from engine.settings import Retrieval
from tests.pipeline.killing import SETTINGS

NOBODY = 65_534


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder that every user can enter, unlike the test runner's own."""
    with tempfile.TemporaryDirectory(prefix="rankscope-faults-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


class Stranger:
    """A process of the user nobody, and what it gives for one task after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.stranger"],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, task: str, root: Path, *arguments: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([task, str(root), *arguments]), file=self._process.stdin, flush=True)
        found = json.loads(self._process.stdout.readline())
        assert isinstance(found, dict)
        return found

    def leave(self) -> None:
        self._process.communicate()


async def _search(root: Path, question: str) -> dict[str, Any]:
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        trace = await library.retrieve(question, Retrieval(top_k=20))
        return {
            "chunks": [chunk.chunk_id for chunk in trace.recall.chunks],
            "degraded": [told.code for told in trace.degraded],
            "writable": library.writable,
            "vectors": trace.recall.channels[2].listed,
        }


async def _index(root: Path) -> dict[str, Any]:
    async with await Library.open(root, settings=SETTINGS) as library:
        async for _ in library.sync(cancel=CancelToken()):
            pass
        return {"failed": [[each.path, each.reason] for each in library.report.failed]}


async def _done(task: str, root: Path, *arguments: str) -> dict[str, Any]:
    try:
        return await (_search(root, *arguments) if task == "search" else _index(root))
    except RankscopeError as error:
        return {"error": str(error)}


def _main() -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.md").write_text("# A\n\n重试 limit\n")
        asyncio.run(_index(Path(name)))
        asyncio.run(_search(Path(name), "重试 limit"))
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    for line in sys.stdin:
        task, root, *arguments = json.loads(line)
        print(json.dumps(asyncio.run(_done(task, Path(root), *arguments))), flush=True)


if __name__ == "__main__":
    _main()
