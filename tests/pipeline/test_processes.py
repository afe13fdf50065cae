"""Several processes on one library: no locked error, and every answer wholly of one state."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from engine.cancel import CancelToken
from engine.library import Library
from tests.pipeline.killing import SETTINGS, synced

QUESTIONS = 25
ASK = f"""
import asyncio, sys
from pathlib import Path
from engine.library import Library
from engine.settings import Retrieval
from tests.pipeline.killing import SETTINGS

async def main():
    async with await Library.open(Path(sys.argv[1]), settings=SETTINGS, create=False) as library:
        for _ in range({QUESTIONS}):
            trace = await library.retrieve("版本 重试规则", Retrieval(top_k=20))
            found = {{chunk.text.split("版本 ")[1].split(" ")[0] for chunk in trace.recall.chunks}}
            revisions = {{chunk.revision for chunk in trace.recall.chunks}}
            assert len(found) == len(revisions) == 1, (found, revisions)
            assert len(trace.recall.chunks) == trace.recall.state.chunks, "an answer of two states"
asyncio.run(main())
"""


async def test_readers_in_other_processes_see_whole_states_while_one_writes(tmp_path: Path) -> None:
    def write(version: int) -> None:
        sections = (f"# 第 {n} 节\n\n版本 {version} 的重试规则，第 {n} 节。\n\n" for n in range(6))
        (tmp_path / "rules.md").write_text("".join(sections))

    write(0)
    await synced(tmp_path)
    command = [sys.executable, "-c", ASK, str(tmp_path)]
    readers = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        for _ in range(3)
    ]
    async with await Library.open(tmp_path, settings=SETTINGS) as library:
        version = 0
        while any(reader.poll() is None for reader in readers):
            version += 1
            write(version)
            async for _ in library.sync(rebuild=version % 3 == 0, cancel=CancelToken()):
                pass
    told = [(await asyncio.to_thread(reader.communicate))[1] for reader in readers]
    assert [reader.returncode for reader in readers] == [0, 0, 0], told
    assert version > 3
