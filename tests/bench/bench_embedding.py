"""Embedders in chunks of 1,000 characters a second of processor time, beside a plain loop in the same run.

Run as ``python -m tests.bench.bench_embedding [CHUNKS]``. The peer of the built-in embedder is the same kind of
hashing as a loop over n-grams with ``zlib.crc32``. The packaged model takes part where it is installed.
"""

from __future__ import annotations

import platform
import sys
import time
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from engine.cancel import CancelToken
from engine.embedding import available
from engine.embedding.builtin import HashEmbedder
from engine.embedding.packaged import PackagedEmbedder

CHARACTERS = 1_000
ENGLISH = (
    "The retry queue keeps a message until it is acknowledged; after max_retry_count attempts it goes to the dead "
    "letter queue. A consumer may take thirty seconds before the broker hands its message to another one. "
)
CHINESE = (
    "消息失败后按指数退避重试，最多三次；之后进入死信队列，由值班人员在控制台单独重放。同一分区内保证顺序。"
)


def chunks(seed: str, count: int) -> list[str]:
    """Texts of 1,000 characters, every one different."""
    made = []
    for number in range(count):
        words = "".join(f"{seed[place:]}{number * 7919 + place} {seed[:place]}" for place in range(0, 99, 9))
        made.append((words * 9)[:CHARACTERS])
    return made


def looped(texts: Sequence[str]) -> np.ndarray:
    """Hashed n-grams the plain way."""
    rows = np.zeros((len(texts), 1_024), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for size in (1, 2) if ord(text[0]) > 0x2E80 else (4,):
            for start in range(len(text) - size + 1):
                value = zlib.crc32(text[start : start + size].encode())
                row[value % 1_024] += 1 if value & 0x400 else -1
    return rows


def rate(work: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    """Texts a second of processor time."""
    began = time.process_time()
    work(texts)
    return len(texts) / (time.process_time() - began)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print(f"{platform.processor() or platform.machine()}, {platform.platform()}, numpy {np.__version__}")
    built_in = HashEmbedder()
    built_in.embed(["warm"], cancel=CancelToken())
    packaged = PackagedEmbedder() if "use" in available() else None
    if packaged is not None:
        began = time.perf_counter()
        packaged.load()
        print(f"  use, load                     {time.perf_counter() - began:9.2f} s")
    for language, seed in (("en", ENGLISH), ("zh", CHINESE)):
        texts = chunks(seed, count)
        ours = rate(lambda each: built_in.embed(each, cancel=CancelToken()), texts)
        loop = rate(looped, texts[: max(50, count // 20)])
        print(f"  {language} hash                       {ours:9.0f} chunks/s")
        print(
            f"  {language} a loop over n-grams        {loop:9.0f} chunks/s   hash / this = {ours / loop:5.1f}"
        )
        if packaged is not None:
            model = rate(lambda each: packaged.embed(each, cancel=CancelToken()), texts[:30])
            print(f"  {language} use                        {model:9.1f} chunks/s")


if __name__ == "__main__":
    main()
