"""A small library that was indexed once, and a copy of it for each test to damage."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from tests.pipeline.killing import synced
from tests.verify.damage import Damaged


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of seven documents with its index."""
    root = tmp_path_factory.mktemp("indexed") / "docs"
    root.mkdir()
    for n in range(6):
        (root / f"{n}.md").write_text(
            f"# Queue {n}\n\n任务最多重试 {n} 次。\n\n## Limits\n\nThe retry limit of queue {n} is {n * 3}.\n"
            * 3
        )
    (root / "corpus.jsonl").write_text('{"_id": "one", "title": "One", "text": "a line of a corpus"}\n')
    asyncio.run(synced(root))
    return root


@pytest.fixture
def damaged(indexed: Path, tmp_path: Path) -> Damaged:
    """A copy that may be damaged."""
    shutil.copytree(indexed, tmp_path / "docs")
    return Damaged(tmp_path / "docs")
