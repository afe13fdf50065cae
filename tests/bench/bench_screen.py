"""What the screen costs: first paint from the start, and from a key to the last byte of what it changed.

Run as a script in a checkout; ``--chunks N`` sets the size of the library (100,000 if left out, a minute or
two to index). The peer in the same run is the toolkit alone: an empty application, and its own list of
options. Prints the figures, their ratio to the peer, and the machine; asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.tui.terminal import Terminal

PEER = """
from textual.app import App
from textual.widgets import OptionList
class Peer(App):
    ENABLE_COMMAND_PALETTE = False
    def compose(self):
        yield OptionList(*[f"READY row {n} of the list" for n in range(200)])
Peer().run(mouse=False)
"""
SENTENCES = (
    "同一任务最多自动重试三次，间隔依次为 1、5、25 分钟。",
    "第三次仍失败时，任务进入死信队列，状态记为 exhausted。",
    "值班人员可在控制台单独重放，重放不计入自动重试次数。",
    "The timeout is per attempt, not per job; a replayed job starts again at attempt 1.",
    "max_retry_count = 3 and lease_seconds = 90 are the defaults.",
    "单次执行超过 10 分钟即判为超时，计入自动重试次数。",
)
PER_DOCUMENT = 100


def write_library(folder: Path, chunks: int) -> None:
    """Documents of a hundred headings each, one chunk under each heading."""
    draw = random.Random(3)
    for number in range(max(1, chunks // PER_DOCUMENT)):
        parts = [f"# 手册 {number}\n"]
        for section in range(PER_DOCUMENT):
            body = "".join(draw.choices(SENTENCES, k=12))
            parts.append(
                f"\n# 第 {section} 节 {draw.randrange(10_000)}\n\n{body} 编号 {draw.randrange(100_000)}。\n"
            )
        (folder / f"doc{number:05}.md").write_text("".join(parts), encoding="utf-8")


def first_paint(command: Sequence[str], text: str, runs: int, environment: dict[str, str]) -> float:
    """Median seconds from the start of the process to a screen that shows the text."""
    found = []
    for _ in range(runs):
        began = time.perf_counter()
        with Terminal(command, environment=environment) as terminal:
            terminal.wait_for(text)
            found.append(time.perf_counter() - began)
    return statistics.median(found)


def latency(terminal: Terminal, key: str, quiet: float = 0.04) -> tuple[float, int]:
    """Milliseconds from a key to the last bytes that changed the panes, and how many bytes came.

    The first row and the lines at the foot are left out: there progress is told ten times a second.
    """
    before, panes = len(terminal.raw), range(1, terminal.screen.lines - 3)
    began = last = time.perf_counter()
    os.write(terminal.master, key.encode())
    patience = 1.0
    while select.select([terminal.master], [], [], patience)[0]:
        came, patience = time.perf_counter(), quiet
        terminal.screen.dirty.clear()
        terminal.read()
        if terminal.screen.dirty.intersection(panes):
            last = came
    return (last - began) * 1_000, len(terminal.raw) - before


def told(name: str, samples: Sequence[tuple[float, int]], peer: float | None = None) -> float:
    times = sorted(took for took, _ in samples)
    p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
    size = statistics.median(count for _, count in samples)
    ratio = f"  {p50 / peer:.2f} x the peer" if peer else ""
    print(f"  {name:<44} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   {size / 1_024:5.2f} KB{ratio}")
    return p50


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=100_000)
    chunks = parser.parse_args().chunks
    print(f"screen: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as scratch:
        folder, data = Path(scratch, "library"), Path(scratch, "data")
        folder.mkdir()
        write_library(folder, chunks)
        environment = {"XDG_STATE_HOME": scratch, "XDG_CONFIG_HOME": scratch}
        index = [sys.executable, "-m", "tui", "index", str(folder), "--data", str(data), "--no-wait"]
        own = ["--set", "embedding.provider=hash"]
        subprocess.run([*index, *own], check=True, env={**os.environ, **environment})
        workbench = [sys.executable, "-m", "tui", str(folder), "--data", str(data), *own]

        bare = first_paint([sys.executable, "-c", PEER], "READY", 5, environment)
        ours = first_paint(workbench, "Search", 5, environment)
        ratio = f"the toolkit alone {bare:.2f} s: {ours / bare:.2f} x"
        print(f"  first screen, warm file cache                {ours:.2f} s; {ratio}")

        with Terminal([sys.executable, "-c", PEER], environment=environment) as terminal:
            terminal.wait_for("READY")
            terminal.settle(0.5)
            peer = told(
                "the toolkit's own list, cursor down", [latency(terminal, "\x1b[B") for _ in range(40)]
            )
        with Terminal(workbench, environment=environment) as terminal:
            terminal.wait_for("documents", 60)
            terminal.press("任务自动重试耗尽后怎么办\r")
            terminal.wait_for("RESULTS")
            for busy in (True, False):
                while not busy and "embedding" in terminal.rows[0] + terminal.rows[-2]:
                    terminal.settle(0.5, 1.0)
                when = "while it embeds" if busy and "embedding" in terminal.text else "at rest"
                told(f"cursor down, {when}", [latency(terminal, key) for key in "jjjjjjjjjjkkkkkkkkkk"], peer)
                turned = [latency(terminal, key) for key in "+-" * 30]
                told(f"a setting turned, ranks painted, {when}", turned, peer)
            for path in folder.iterdir():
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n后来添上的一行。\n")
            terminal.press("R")
            terminal.wait_for("indexing", 60)
            turned, moved = [], []
            for key in "+-" * 30:
                if "indexing" not in terminal.rows[0]:
                    break
                turned.append(latency(terminal, key))
                moved.append(latency(terminal, "jk"[len(moved) % 2]))
            when = f"while a sync indexes, {len(turned)} times"
            told("cursor down, while a sync indexes", moved, peer)
            told(f"a setting turned, {when}", turned, peer)


if __name__ == "__main__":
    main()
