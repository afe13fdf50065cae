"""What the Documents screen costs: a document of a megabyte opened, walked and cut anew, and a long list.

Run as a script in a checkout; ``--documents N`` sets how many documents of 50 chunks stand beside the long one
(2,000 if left out, some minutes to index). The peer in the same run is the toolkit's own text area on the same
document, read-only. Prints the figures, their ratio to the peer, and the machine; asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.bench_screen import SENTENCES, told
from tests.tui.terminal import Terminal

PEER = """
import sys
from textual.app import App
from textual.widgets import TextArea
class Peer(App):
    ENABLE_COMMAND_PALETTE = False
    def compose(self):
        yield TextArea(open(sys.argv[1], encoding="utf-8").read(), read_only=True, soft_wrap=True)
    def on_mount(self):
        self.query_one(TextArea).focus()
Peer().run(mouse=False)
"""
MEGABYTE = 1_000_000
PER_DOCUMENT = 50


def long_text(size: int) -> str:
    """A Markdown document of so many bytes, half of it Chinese, with headings, lists, tables and fences."""
    draw, parts, used = random.Random(5), ["# 长文\n\n"], 0
    while used < size:
        body = "".join(draw.choices(SENTENCES, k=8))
        block = draw.choice(
            (
                f"## 第 {used} 节\n\n{body}\n\n",
                f"{body}\n\n- {SENTENCES[0]}\n- {SENTENCES[3]}\n\n",
                "| 名称 | value |\n| --- | --- |\n" + "".join(f"| {n} | {used} |\n" for n in range(9)) + "\n",
                "```toml\n" + "".join(f"key_{n} = {used}\n" for n in range(12)) + "```\n\n",
            )
        )
        parts.append(block)
        used += len(block.encode("utf-8"))
    return "".join(parts)


def write_library(folder: Path, documents: int) -> None:
    draw = random.Random(3)
    (folder / "0-long.md").write_text(long_text(MEGABYTE), encoding="utf-8")
    (folder / "1-line.md").write_text("正文的一行 retry 文字。" * 270_000, encoding="utf-8")
    for number in range(documents):
        parts = [f"# 手册 {number}\n"]
        for section in range(PER_DOCUMENT):
            body = "".join(draw.choices(SENTENCES, k=4))
            parts.append(f"\n# 第 {section} 节 {draw.randrange(10_000)}\n\n{body}\n")
        place = folder / f"part{number // 100:03}"
        place.mkdir(exist_ok=True)
        (place / f"doc{number:05}.md").write_text("".join(parts), encoding="utf-8")


def until(terminal: Terminal, text: str, keys: str, seconds: float = 60) -> float:
    """Milliseconds from keys to a screen that shows a text."""
    began = time.perf_counter()
    os.write(terminal.master, keys.encode())
    terminal.wait_for(text, seconds)
    return (time.perf_counter() - began) * 1_000


def latency(terminal: Terminal, key: str, quiet: float = 0.04) -> tuple[float, int]:
    """Milliseconds from a key to the last byte that it caused, and how many came."""
    before = len(terminal.raw)
    began = last = time.perf_counter()
    os.write(terminal.master, key.encode())
    patience = 1.0
    while select.select([terminal.master], [], [], patience)[0]:
        terminal.read()
        last, patience = time.perf_counter(), quiet
    return (last - began) * 1_000, len(terminal.raw) - before


def peer_latency(path: Path, environment: dict[str, str]) -> float:
    with Terminal([sys.executable, "-c", PEER, str(path)], environment=environment) as terminal:
        terminal.wait_for("长文", 60)
        terminal.settle(0.5)
        return told("the toolkit's text area, cursor down", [latency(terminal, "\x1b[B") for _ in range(60)])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=2_000)
    documents = parser.parse_args().documents
    print(f"documents: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as scratch:
        folder, data = Path(scratch, "library"), Path(scratch, "data")
        folder.mkdir()
        write_library(folder, documents)
        environment = {"XDG_STATE_HOME": scratch, "XDG_CONFIG_HOME": scratch}
        own = ["--data", str(data), "--set", "embedding.provider=hash"]
        index = [sys.executable, "-m", "tui", "index", str(folder), "--no-wait", *own]
        subprocess.run(index, check=True, env={**os.environ, **environment})
        workbench = [sys.executable, "-m", "tui", str(folder), *own]
        peer = peer_latency(folder / "0-long.md", environment)
        with Terminal(workbench, environment=environment) as terminal:
            terminal.wait_for("documents", 60)
            terminal.press("\x1b")
            terminal.settle(0.5)
            took = until(terminal, "part000/", "2")
            print(f"  the list of {documents + 2:,} documents                    {took:6.0f} ms to be there")
            while "embedding" in terminal.rows[0]:
                terminal.settle(0.5, 1.0)
            told("cursor down in the list", [latency(terminal, "j") for _ in range(60)], peer)
            took = until(terminal, "DOCUMENT  0-long.md", "g\r")
            print(f"  a document of 1 MB                           {took:6.0f} ms to be there")
            told("cursor down", [latency(terminal, "j") for _ in range(120)], peer)
            told("next chunk", [latency(terminal, "l") for _ in range(60)], peer)
            told("a page down", [latency(terminal, "\x1b[6~") for _ in range(30)], peer)
            took = until(terminal, "PREVIEW of size 1,200", "<")
            print(f"  1 MB cut anew after a turned size            {took:6.0f} ms to be there")
            told(
                "cursor down while the library is cut anew", [latency(terminal, "j") for _ in range(40)], peer
            )
            terminal.press("\x1b")
            took = until(terminal, "DOCUMENT  1-line.md", "\x1b[Zgj\r", 90)
            print(f"  a line of 8 MB                               {took:6.0f} ms to be there")
            told("cursor down in one line", [latency(terminal, "j") for _ in range(40)], peer)
            told("to the end and back", [latency(terminal, key) for key in "GgGgGg"], peer)


if __name__ == "__main__":
    main()
