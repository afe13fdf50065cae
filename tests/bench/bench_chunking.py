"""Chunking in MB/s of UTF-8 on 5 MB of generated Markdown, beside peers in the same run.

Run as ``python -m tests.bench.bench_chunking``. The peers: the block rules of markdown-it-py alone, which
structure mode cannot beat while it parses with them, and a naive recursive splitter (separators tried in turn,
pieces merged up to the size), the kind most pipelines use, which keeps no offsets.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable

from markdown_it import MarkdownIt

from engine.chunking import chunk
from engine.chunking.fixed import windows
from engine.ingest.markdown import outline
from engine.settings import Chunking

SIZE = 5_000_000
SEPARATORS = ("\n\n", "\n", "。", ". ", " ", "")

PAGE = """# Queue {n}

The retry queue keeps a message until it is acknowledged. A message that fails is retried with backoff; after
`max_retry_count` attempts it goes to the dead letter queue. 消息失败后按指数退避重试，最多三次；之后进入死信队列。

## Settings of queue {n}

| name | default | meaning |
| --- | --- | --- |
| `timeout_{n}` | 30 s | how long a consumer may take |
| `max_retry_count` | 3 | 重试次数上限 |

```python
def handle_{n}(message):
    # acknowledge last, so that a crash repeats the work
    for attempt in range(3):
        store(message, attempt)
```

- Consumers are stateless.
  - They may be restarted at any time.
- 顺序只在同一分区内保证。

> A poisoned message never blocks its partition.

Setext heading {n}
------------------

{prose}
"""


def pages(size: int) -> str:
    """Generated Markdown of at least ``size`` bytes, every page different."""
    made: list[str] = []
    written = number = 0
    while written < size:
        sentence = (
            f"Paragraph {number} explains how partition {number % 64} is rebalanced. 第{number}段说明再均衡。"
        )
        made.append(PAGE.format(n=number, prose=(sentence + " ") * (3 + number % 9)))
        written += len(made[-1].encode())
        number += 1
    return "\n".join(made)


def recursive(text: str, target: int, separators: tuple[str, ...] = SEPARATORS) -> list[str]:
    """The naive peer: split at the first separator, merge up to the target, recurse into what is too long."""
    separator, *rest = separators
    parts = text.split(separator) if separator else list(text)
    merged: list[str] = []
    current = ""
    for part in parts:
        joined = f"{current}{separator}{part}" if current else part
        if len(joined) <= target:
            current = joined
            continue
        if current:
            merged.append(current)
        if len(part) > target and rest:
            merged += recursive(part, target, tuple(rest))
            current = ""
        else:
            current = part
    return [*merged, current] if current else merged


def speed(size: int, work: Callable[[], object], runs: int = 3) -> float:
    best = float("inf")
    for _ in range(runs):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return size / best / 1e6


def main() -> None:
    text = pages(SIZE)
    size = len(text.encode())
    parser = MarkdownIt("commonmark").enable("table")
    rows: list[tuple[str, Callable[[], object]]] = [
        ("markdown-it-py block rules alone", lambda: parser.block.parse(text, parser, {}, [])),
        ("naive recursive splitter", lambda: recursive(text, 1_600)),
        ("outline", lambda: outline(text)),
        ("structure", lambda: chunk(text, "markdown", Chunking("structure"))),
        ("parent-child", lambda: chunk(text, "markdown", Chunking("parent-child"))),
        ("fixed, Markdown with heading paths", lambda: chunk(text, "markdown", Chunking("fixed"))),
        ("fixed, plain text", lambda: chunk(text, "text", Chunking("fixed"))),
        ("fixed windows alone", lambda: windows(text, 0, len(text), 1_600, 160)),
    ]
    print(
        f"chunking {size / 1e6:.1f} MB of Markdown; {platform.machine()}, Python {platform.python_version()}"
    )
    peer = 0.0
    for name, work in rows:
        figure = speed(size, work)
        peer = peer or figure
        print(f"  {name:36} {figure:7.2f} MB/s  {figure / peer:6.2f} x block rules")


if __name__ == "__main__":
    main()
