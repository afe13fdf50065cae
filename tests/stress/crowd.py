"""One process that changes a library all the time, and others that ask it: what each answer said, and of which state.

The writer asks the same question after every change, so that the answers of its states are known; the state is the
corpus version together with the state of the vectors.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from engine.cancel import CancelToken
from engine.library import Library
from engine.settings import Retrieval
from engine.trace import Trace
from tests.pipeline.killing import SETTINGS, of_path, without_times

QUESTION = "版本 重试规则 retry rule"
RETRIEVAL = Retrieval(top_k=20)
DOCUMENTS = 12

Answers = dict[str, str]
"""By the state of the index, the trace without its timings, and without what it says of the files on disk: the writer
changes them before it syncs, and no state of the index knows of it."""


def write(root: Path, number: int, version: int) -> None:
    text = "".join(
        f"# 第 {part} 节\n\n版本 {version} 的重试规则，第 {part} 节。\n\nThe retry rule of version {version}.\n\n"
        for part in range(4)
    )
    (root / f"{number:02}.md").write_text(text)


async def ask(library: Library) -> tuple[str, str]:
    trace = await library.retrieve(QUESTION, RETRIEVAL)
    state = trace.recall.state
    return f"{state.corpus_version} {state.vectors} {state.chunks}", said(trace)


def said(trace: Trace) -> str:
    """All that the index decides of a trace."""
    degraded = tuple(one for one in trace.degraded if one.code != "stale_documents")
    recall = replace(trace.recall, stale=frozenset())
    return without_times(replace(trace, recall=recall, degraded=degraded))


async def write_until(root: Path, until: float, seed: int) -> tuple[Answers, int]:
    """Change the library until a moment; the answers of every state that it left behind, and how many changes."""
    chances, changes = random.Random(seed), 0
    answers: Answers = {}
    async with await Library.open(root, settings=SETTINGS) as library:
        answers.update([await ask(library)])
        while time.monotonic() < until:
            changes += 1
            await _change(root, library, chances, changes)
            answers.update([await ask(library)])
            async for _ in library.embed(cancel=CancelToken()):
                pass
            answers.update([await ask(library)])
    return answers, changes


async def _change(root: Path, library: Library, chances: random.Random, changes: int) -> None:
    number = chances.randrange(DOCUMENTS)
    kind = chances.choices(("write", "edit", "undo", "rebuild"), (6, 3, 1, 1))[0]
    history = await library.edits.history()
    if kind == "edit":
        chunk = chances.choice(of_path(library, f"{number:02}.md"))
        await library.edits.set_text(chunk.chunk_id, f"编辑 {changes} 的重试规则 retry rule")
    elif kind == "undo" and history and history[0].undoes is None:
        await library.edits.undo(history[0].seq)
    elif kind == "rebuild":
        async for _ in library.sync(rebuild=True, cancel=CancelToken()):
            pass
    else:
        write(root, number, changes)
        async for _ in library.sync(embed=False, cancel=CancelToken()):
            pass


def reader(root: Path, seconds: float) -> subprocess.Popen[str]:
    """A process that asks for so many seconds, and then prints what it was told."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.stress.crowd", str(root), str(seconds)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def _read(root: Path, seconds: float) -> None:
    told: Answers = {}
    count = 0
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state, answer = await ask(library)
            count += 1
            assert told.setdefault(state, answer) == answer, (
                f"two answers in one state {state}\n{told[state]}\n{answer}"
            )
    print(json.dumps({"answers": told, "count": count}))


if __name__ == "__main__":
    asyncio.run(_read(Path(sys.argv[1]), float(sys.argv[2])))
