"""A program that indexes a folder and kills itself at a durable step, and what a test needs to run it."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.library import Library
from engine.model import Chunk, Progress
from engine.settings import Chunking, Embedding, Settings
from engine.store.chunks import of_document
from engine.store.places import locate
from engine.trace import Trace
from engine.verify import Subject, Verified, verify

SETTINGS = Settings(
    embedding=Embedding(provider="hash"), chunking=Chunking(target_characters=400, overlap_characters=0)
)
PATHS = tuple(f"{number:03}.md" for number in range(10))
"""The documents that are edited."""


def run(root: Path, task: str, step: str = "", occurrence: int = 1) -> int:
    """Do a task in a process that kills itself at the n-th time that a step is durable; its exit code."""
    return _nursery().run([str(root), task, step, str(occurrence)])


class Nursery:
    """A process that has everything imported, and forks one that works for each run: a tenth of the time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.pipeline.killing"],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, arguments: list[str]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(arguments), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


@functools.cache
def _nursery() -> Nursery:
    return Nursery()


def _raise_children() -> None:
    """Fork a child for each line of standard input, and tell its exit code; end with the input."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                root, task, step, occurrence = json.loads(line)
                asyncio.run(_main(Path(root), task, step, int(occurrence)))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def start(root: Path, task: str) -> subprocess.Popen[bytes]:
    """The same, running until somebody kills it."""
    arguments = [sys.executable, "-m", "tests.pipeline.killing", str(root), task, "", "1"]
    return subprocess.Popen(arguments, cwd=Path(__file__).parents[2])


def without_times(trace: Trace) -> str:
    """A trace as JSON with its timings taken out."""
    document = trace.to_json()
    document["duration_ms"] = 0
    document["diagnostics"]["channel_ms"] = {}  # type: ignore[index]
    return json.dumps(document, ensure_ascii=False)


async def answers(root: Path, *questions: str, data: Path | None = None) -> list[str]:
    """The traces of these questions from the index as it is."""
    async with await Library.open(root, settings=SETTINGS, data=data) as library:
        return [without_times(await library.retrieve(question)) for question in questions]


async def synced(root: Path, *, rebuild: bool = False, data: Path | None = None) -> None:
    async with await Library.open(root, settings=SETTINGS, data=data) as library:
        async for _ in library.sync(rebuild=rebuild, cancel=CancelToken()):
            pass


def verified(root: Path) -> Verified:
    """Everything compared with everything, as the files lie there now: nothing is opened first, and so mended."""
    *_, found = verify(Subject(root, locate(root), SETTINGS), cancel=CancelToken())
    assert isinstance(found, Verified)
    return found


def errors(root: Path) -> list[str]:
    """What is wrong with an index, whatever the folder has that it has not."""
    return [str(finding) for finding in verified(root).findings if finding.severity == "error"]


async def _main(root: Path, task: str, step: str, occurrence: int) -> None:
    seen = 0

    def steps(name: str) -> None:
        nonlocal seen
        seen += name == step
        if seen >= occurrence:
            os.kill(os.getpid(), signal.SIGKILL)

    async with await Library.open(root, settings=SETTINGS, steps=steps) as library:
        if task == "edit":
            await edited(library)
            return
        if task == "sweep":
            from tests.evaluate.sweep.libraries import swept

            await swept(library)
            return
        if task == "drop":
            await library.upkeep.drop()
            return
        async for _ in begun(library, task):
            pass


def begun(library: Library, task: str) -> AsyncGenerator[Progress, None]:
    """A task on generations under way; a recut is a rebuild in another cut, a hold one that is left aside."""
    cancel = CancelToken()
    if task in ("recut", "hold"):
        library.settings = replace(SETTINGS, chunking=replace(SETTINGS.chunking, target_characters=800))
    match task:
        case "rebuild" | "recut":
            return library.upkeep.rebuild(cancel=cancel)
        case "hold":
            return library.upkeep.rebuild(hold=True, cancel=cancel)
        case "switch":
            return library.upkeep.resume(cancel=cancel)
        case "rollback":
            return library.upkeep.roll_back(cancel=cancel)
        case "take over":
            return library.upkeep.take_over(cancel=cancel)
    return library.sync(cancel=cancel)


async def edited(library: Library) -> None:
    """Edits of every kind on what was not edited yet; taken up again where a kill ended it."""
    taken = {pin.path for step in await library.edits.history() for pin in step.added}
    for number, path in enumerate(PATHS):
        if path in taken:
            continue
        first, second, *_ = (chunk for chunk in of_path(library, path) if chunk.role != "parent")
        match number % 5:
            case 0:
                await library.edits.set_text(first.chunk_id, f"队列 {number} 的任务最多重试九百次。")
            case 1:
                await library.edits.delete(second.chunk_id)
            case 2:
                await library.edits.split(first.chunk_id, [len(first.text) // 2])
            case 3:
                await library.edits.merge([first.chunk_id, second.chunk_id])
            case 4:
                await library.edits.disable(first.chunk_id)


def of_path(library: Library, path: str) -> list[Chunk]:
    with library.serving().reading() as connection:
        return of_document(connection, path)


if __name__ == "__main__" and len(sys.argv) == 1:
    _raise_children()
elif __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
