"""Killed at any moment of a sync, a rebuild, an edit, a change of the cut or of the embedder: what lies on disk is
sound, every edit that was told is there, and the index answers as before or as after."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from engine.library import Library
from tests.pipeline.killing import SETTINGS, errors, synced, verified
from tests.stress.kills import DOCUMENTS, KINDS, QUESTION, change, start, write


async def edits_and_answers(root: Path) -> tuple[set[int], int]:
    """The numbers of the steps that are kept, and how many chunks a question finds. Opens as a reader would."""
    async with await Library.open(root, settings=SETTINGS, create=False) as library:
        steps = {step.seq for step in await library.edits.history()}
        return steps, len((await library.retrieve(QUESTION)).recall.chunks)


async def killed(root: Path, moments: int, seed: int) -> None:
    chances = random.Random(seed)
    root.mkdir()
    for number in range(DOCUMENTS):
        write(root, number, 0)
    await synced(root)
    told: set[int] = set()
    for moment in range(moments):
        kind = chances.choice(KINDS)
        if kind == "sync":
            change(root, chances, moment + 1)
        with start(root, kind, chances.randrange(1_000)) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chances.uniform(0.0, 0.8))
            process.kill()
            told |= {int(line) for line in process.stdout.read().split() if line.isdecimal()}
        assert errors(root) == [], f"killed {kind} at moment {moment}"
        steps, found = await edits_and_answers(root)
        assert told <= steps, f"killed {kind} at moment {moment}"
        assert found > 0, f"killed {kind} at moment {moment}"
        assert errors(root) == [], f"opened after a killed {kind} at moment {moment}"
    await synced(root, rebuild=True)
    assert verified(root).clean


async def test_killed_at_a_few_random_moments(tmp_path: Path) -> None:
    await killed(tmp_path / "docs", moments=2, seed=23)


@pytest.mark.stress
async def test_killed_at_two_hundred_random_moments(tmp_path: Path, seed: int) -> None:
    await killed(tmp_path / "docs", moments=200, seed=seed)
