"""``rankscope edits``: out as TOML and in again, the history, and one step back."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from engine.library import Library
from engine.settings import Embedding, Settings
from engine.store.chunks import of_document
from tests.commands.conftest import Run

SETTINGS = Settings(embedding=Embedding(provider="hash"))


@pytest.fixture
def folder(tmp_path: Path, invoke: Run) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "retry.md").write_text("# 重试\n\n任务失败后最多自动重试三次。\n", encoding="utf-8")
    assert invoke("index", folder, "--set", "embedding.provider=hash").returncode == 0
    return folder


async def edit(folder: Path, text: str) -> None:
    async with await Library.open(folder, settings=SETTINGS) as library:
        with library.serving().reading() as connection:
            (chunk,) = of_document(connection, "retry.md")
        await library.edits.set_text(chunk.chunk_id, text)


def test_what_was_edited_goes_out_and_comes_in_again(folder: Path, tmp_path: Path, invoke: Run) -> None:
    assert "0 edits" in invoke("edits", folder).stdout
    asyncio.run(edit(folder, "改写\x1b[2J过的规则。"))
    listed = invoke("edits", folder, "list").stdout
    assert "text      retry.md  改写" in listed
    assert "\x1b" not in listed
    exported = invoke("edits", folder, "export").stdout
    file = tmp_path / "edits.toml"
    file.write_text(exported, encoding="utf-8")
    assert "undone (step 2)" in invoke("edits", folder, "undo").stdout
    assert "0 edits" in invoke("edits", folder).stdout
    assert "edits taken in" in invoke("edits", folder, "import", file).stdout
    assert invoke("edits", folder, "export").stdout == exported
    assert "nothing new" in invoke("edits", folder, "import", file).stdout
    history = json.loads(invoke("edits", folder, "history", "--json").stdout)["history"]
    assert [step["action"] for step in history] == ["import", "undo", "text"]
    assert [line.split()[0] for line in invoke("edits", folder, "history").stdout.splitlines()] == [
        "3",
        "2",
        "1",
    ]


def test_a_conflict_shows_the_three_texts(folder: Path, invoke: Run) -> None:
    asyncio.run(edit(folder, "改写过的规则。"))
    (folder / "retry.md").write_text("# 重试\n\n任务失败后最多自动重试九次。\n", encoding="utf-8")
    assert invoke("index", folder, "--set", "embedding.provider=hash").returncode == 0
    told = invoke("edits", folder, "conflicts").stdout
    assert "mine  改写过的规则。" in told
    assert "1 conflict\n" in told
    (found,) = json.loads(invoke("edits", folder, "conflicts", "--json").stdout)["conflicts"]
    assert "三次" in found["base"]
    assert "九次" in found["file"]
    settled = invoke("edits", folder, "resolve", found["id"], "mine")
    assert settled.stdout == "retry.md: conflict settled (step 2)\n"
    assert "0 conflicts" in invoke("edits", folder, "conflicts").stdout
    assert "改写过的规则。" in invoke("edits", folder).stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("undo",), "nothing to undo"),
        (("undo", "x"), "no step"),
        (("undo", "9"), "no step 9"),
        (("undo", "9" * 5_000), "no step"),
        (("undo", "1", "mine"), "takes no side"),
        (("resolve",), "name an edit and a side"),
        (("resolve", "x"), "name an edit and a side"),
        (("resolve", "x", "mine"), "no such edit"),
        (("resolve", "x", "theirs"), "theirs"),
        (("import",), "name what to import"),
        (("import", "nowhere.toml"), "cannot be read"),
        (("list", "more"), "takes nothing more"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    folder: Path, invoke: Run, arguments: tuple[str, ...], told: str
) -> None:
    done = invoke("edits", folder, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
