"""An edit of one chunk in a document of a megabyte, beside taking in the whole document anew; and the lines of a log
that grew, beside ``difflib``.

Run by ``make bench``; ``python -m tests.bench.bench_edits [BYTES]``.
"""

from __future__ import annotations

import asyncio
import platform
import random
import statistics
import sys
import tempfile
import time
from difflib import SequenceMatcher
from pathlib import Path

from engine.cancel import CancelToken
from engine.edits.lines import same_lines
from engine.library import Library
from engine.settings import Embedding, Settings
from engine.store.chunks import of_document

HASH = Settings(embedding=Embedding(provider="hash"))
WORDS = [
    "任务",
    "失败",
    "重试",
    "队列",
    "租约",
    "lease",
    "worker",
    "queue",
    "retry",
    "cache",
    "renew",
    "seconds",
]
TIMES = 9
LOG = 1_500
"""Lines of the log; difflib takes the square of it, and more."""


def make(file: Path, size: int) -> None:
    chance, parts, held = random.Random(3), ["# Big\n\n"], 0
    while held < size:
        words = " ".join(f"{chance.choice(WORDS)}{chance.randrange(1_000)}" for _ in range(120))
        parts.append(f"## Section {len(parts)}\n\n{words}.\n\n")
        held += len(parts[-1].encode())
    file.write_text("".join(parts), encoding="utf-8")


async def measure(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make(root / "big.md", size)
        async with await Library.open(root, settings=HASH) as library:
            await sync(library)
            with library.serving().reading() as connection:
                chunks = of_document(connection, "big.md")
            edits = []
            for chunk in random.Random(4).sample(chunks, TIMES):
                began = time.perf_counter()
                await library.edits.set_text(chunk.chunk_id, f"rewritten {chunk.ordinal}")
                edits.append(time.perf_counter() - began)
            with (root / "big.md").open("a", encoding="utf-8") as file:
                file.write("The end.\n")
            began = time.perf_counter()
            await sync(library)
            anew = time.perf_counter() - began
    edit = statistics.median(edits)
    print(f"a document of {size / 1e6:.1f} MB, {len(chunks):,} chunks")
    print(
        f"  an edit of one {edit * 1e3:.0f} ms; the document anew {anew * 1e3:.0f} ms; ratio {anew / edit:.1f}"
    )


async def sync(library: Library) -> None:
    async for _ in library.sync(cancel=CancelToken()):
        pass


def lines() -> None:
    chance = random.Random(5)
    old = [chance.choice(("retry", "lease renewed", "ok")) for _ in range(LOG)]
    new = [*old[:500], "changed", *old[520:], *old[:100]]
    began = time.perf_counter()
    blocks = list(same_lines(old, new))
    ours = time.perf_counter() - began
    began = time.perf_counter()
    others = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    theirs = time.perf_counter() - began
    certain, guessed = (sum(block.size for block in found) for found in (blocks, others))
    print(f"a log of {LOG:,} lines of three kinds, each of which could be any other of its kind")
    print(
        f"  {ours * 1e3:.1f} ms, {certain:,} lines matched; difflib {theirs * 1e3:.0f} ms, {guessed:,} lines"
    )


def main() -> None:
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
    lines()
    print(f"machine: {platform.machine()}, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
