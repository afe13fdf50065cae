"""A writer and readers in other processes: no error, and every answer is that of one state, never torn."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest

from tests.pipeline.killing import synced, verified
from tests.stress.crowd import DOCUMENTS, reader, write, write_until


async def crowded(root: Path, readers: int, seconds: float, seed: int) -> None:
    root.mkdir()
    for number in range(DOCUMENTS):
        write(root, number, 0)
    await synced(root)
    asking = [reader(root, seconds) for _ in range(readers)]
    known, changes = await write_until(root, time.monotonic() + seconds, seed)
    told = [await asyncio.to_thread(each.communicate) for each in asking]
    assert [each.returncode for each in asking] == [0] * readers, [error for _, error in told if error]
    found = [json.loads(output) for output, _ in told]
    answers = [(state, answer) for each in found for state, answer in each["answers"].items()]
    torn = [state for state, answer in answers if known.get(state, answer) != answer]
    assert torn == []
    assert sum(state in known for state, _ in answers) > len(answers) // 2, (
        "the writer saw most of the states"
    )
    assert changes > 2
    assert sum(each["count"] for each in found) > readers
    assert verified(root).clean


async def test_readers_beside_a_writer_get_whole_answers(tmp_path: Path) -> None:
    await crowded(tmp_path / "docs", readers=2, seconds=1.5, seed=5)


@pytest.mark.stress
async def test_ten_readers_beside_a_writer_for_a_minute(tmp_path: Path, seed: int) -> None:
    await crowded(tmp_path / "docs", readers=10, seconds=60, seed=seed)
