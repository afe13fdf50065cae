"""A small real library with an evaluation set beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.library import Library
from engine.settings import Chunking, Embedding, Settings

RULES = [f"第 {n} 条规则写在这里，足够长到成为一句话。" for n in range(60)]
GUIDE = "# 指南\n\n" + "".join(RULES) + "\n"
LONG = "".join(RULES[5:40])
"""More than a chunk of 400 characters holds."""

NOTES = "---\ntitle: notes\n---\n# Notes\n\nA short note.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
SET = f"""
version = 1
name = "own"

[[cases]]
id = "q1"
query = "第 20 条"
evidence = [{{ file = "guide.md", text = "{LONG}" }}]

[[cases]]
id = "q2"
query = "note"
evidence = [{{ file = "notes.md", text = "A short note." }}]

[[cases]]
id = "gone"
query = "gone"
evidence = [{{ file = "guide.md", text = "nothing like it" }}]
"""


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    (folder / "notes.md").write_text(NOTES, encoding="utf-8")
    (folder / "secret.md").write_text("# 内部\n\n只给运维。\n", encoding="utf-8")
    (folder / "evaluation.toml").write_text(SET, encoding="utf-8")
    settings = Settings(
        chunking=Chunking(target_characters=400, overlap_characters=0),
        embedding=Embedding(provider="hash"),
        scopes=(("secret.md", ("ops",)),),
    )
    async with await Library.open(folder, settings=settings, data=tmp_path / "data") as opened:
        async for _ in opened.sync(embed=False, cancel=CancelToken()):
            pass
        yield opened
