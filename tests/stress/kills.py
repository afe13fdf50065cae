"""Killing a process at any moment of whatever it does to a library, and what must be true afterwards.

``python -m tests.stress.kills ROOT KIND N`` does one thing: ``sync``, ``rebuild``, ``edit`` or ``embedder``. It prints
each edit's number once that edit has returned: what was told to be durable must be there.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.embedding.builtin import HashEmbedder
from engine.library import Library
from engine.settings import Settings
from tests.pipeline.killing import SETTINGS, of_path

KINDS = ("sync", "rebuild", "edit", "embedder", "chunking")
DOCUMENTS = 60
QUESTION = "任务 重试 retry limit queue"


def settings_of(kind: str, number: int) -> Settings:
    """The settings that a task works with: a change of the cut goes to and fro."""
    if kind == "chunking":
        cut = replace(SETTINGS.chunking, target_characters=400 if number % 2 else 800)
        return replace(SETTINGS, chunking=cut)
    return SETTINGS


def write(root: Path, number: int, version: int) -> None:
    (root / f"{number:03}.md").write_text(
        f"# 队列 {number}\n\n任务最多重试 {version} 次。\n\n## Limits\n\nThe limit of queue {number} is {version}.\n"
        * 4
    )


def change(root: Path, chances: random.Random, version: int) -> None:
    """What a sync will find: changed, new and removed files."""
    for _ in range(10):
        write(root, chances.randrange(DOCUMENTS), version)
    (root / f"{chances.randrange(DOCUMENTS):03}.md").unlink(missing_ok=True)


def start(root: Path, kind: str, number: int) -> subprocess.Popen[str]:
    """A process that does one thing, until it is done or killed."""
    command = [sys.executable, "-m", "tests.stress.kills", str(root), kind, str(number)]
    return subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True)


async def _main(root: Path, kind: str, number: int) -> None:
    if kind == "embedder" and number % 2:
        HashEmbedder.fingerprint = "another embedder"  # by its name, that is; it changes to and fro
    async with await Library.open(root, settings=settings_of(kind, number)) as library:
        print("open", flush=True)
        if kind == "edit":
            await _edit(library, number)
            return
        async for _ in library.sync(rebuild=kind != "sync", cancel=CancelToken()):
            pass


async def _edit(library: Library, number: int) -> None:
    chances = random.Random(number)
    for count in range(12):
        chunks = of_path(library, f"{chances.randrange(DOCUMENTS):03}.md")
        if chunks:
            done = await library.edits.set_text(
                chances.choice(chunks).chunk_id, f"编辑 {number} {count} retry"
            )
            print(done.step.seq, flush=True)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
