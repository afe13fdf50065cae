"""From nothing to searchable, and a sync that finds nothing changed: seconds, beside FTS5 over the same chunks.

Run by ``make bench``; ``python -m tests.bench.bench_index [DOCUMENTS]``.
"""

from __future__ import annotations

import asyncio
import platform
import random
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from engine.cancel import CancelToken
from engine.library import Library
from engine.settings import Embedding, Settings

HASH = Settings(embedding=Embedding(provider="hash"))
BYTES = 2_000
WORDS = (
    "retry", "queue", "lease", "worker", "timeout", "payload", "replay", "index", "cache", "shard", "vector", "token",
    "budget", "merge", "commit",
)  # fmt: skip
HAN = "任务重试队列隔离缓存失败恢复规则版本提交合并检索索引分块向量预算回放租约超时权限文档引用"


def make(root: Path, documents: int) -> int:
    """Write the documents, half English, half Chinese; their bytes in all."""
    chance, total = random.Random(7), 0
    for n in range(documents):
        parts = [f"# Document {n} 文档\n"]
        while sum(len(part.encode()) for part in parts) < BYTES:
            if chance.random() < 0.5:
                parts.append(" ".join(chance.choices(WORDS, k=30)) + f" {chance.randrange(10**6)}.\n")
            else:
                parts.append("".join(chance.choices(HAN, k=60)) + "。\n")
            if chance.random() < 0.2:
                parts.append(f"\n## Section {len(parts)}\n")
        file = root / f"{n // 500:02}" / f"{n:05}.md"
        file.parent.mkdir(exist_ok=True)
        total += file.write_bytes("\n".join(parts).encode())
    return total


async def sync(root: Path, *, embed: bool) -> tuple[float, Library]:
    began = time.perf_counter()
    library = await Library.open(root, settings=HASH)
    async for _ in library.sync(embed=embed, cancel=CancelToken()):
        pass
    return time.perf_counter() - began, library


def fts5(path: Path, chunks: list[tuple[str, str]]) -> float:
    began = time.perf_counter()
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(heading, text)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", chunks)
    connection.commit()
    connection.close()
    return time.perf_counter() - began


async def measure(documents: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "docs"
        root.mkdir()
        size = make(root, documents)
        text, library = await sync(root, embed=False)
        await library.close()
        vectors, library = await sync(root, embed=True)
        with library.generation.reading() as connection:
            chunks = connection.execute("SELECT heading_path, text FROM chunk").fetchall()
        await library.close()
        nothing, library = await sync(root, embed=True)
        assert library.report.unchanged == documents
        await library.close()
        peer = fts5(Path(folder) / "fts.sqlite", chunks)
    print(f"{documents:,} documents, {size / 1e6:.1f} MB, {len(chunks):,} chunks")
    print(f"  searchable by text {text:.1f} s; with hashed vectors {text + vectors - nothing:.1f} s")
    print(f"  nothing changed: {nothing:.2f} s")
    print(f"  FTS5 alone over the same chunks, words only: {peer:.2f} s; ratio {text / peer:.0f}")


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    asyncio.run(measure(documents))
    print(
        f"machine: {platform.machine()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


if __name__ == "__main__":
    main()
