"""An index is verified and mended from the command line: what is wrong, how to mend it, and an exit code."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.commands.conftest import Run

BUILT_IN = ("--set", "embedding.provider=hash")


@pytest.fixture
def indexed(invoke: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe retry limit of {name} is three.\n")
    assert invoke("index", folder, *BUILT_IN).returncode == 0
    return folder


def damage(folder: Path, statement: str) -> None:
    (path,) = (folder / ".rankscope" / "generations").glob("*/index.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_sound_index_is_said_to_be_clean(invoke: Run, indexed: Path) -> None:
    answer = invoke("verify", indexed, *BUILT_IN)
    assert answer.returncode == 0
    assert answer.stdout.startswith("2 documents, 2 chunks, 2 vectors, 2 files: clean  ")


def test_what_is_wrong_is_told_with_how_to_mend_it_and_mended(invoke: Run, indexed: Path) -> None:
    damage(indexed, "UPDATE chunk SET text = 'The retry limit is nine.'")
    (indexed / "c.md").write_text("new\n")
    answer = invoke("verify", indexed, *BUILT_IN)
    rows = answer.stdout.splitlines()
    assert answer.returncode == 1
    assert "files: 2 errors, 1 warning  " in rows[0]
    assert rows[1].startswith("error   a.md: chunk 1 (")
    assert (
        rows[3] == "        → `rankscope verify PATH --repair` takes the document in anew, from the archive"
    )
    assert rows[4:] == [
        "warning c.md: it is not indexed yet",
        "        → `rankscope index PATH` brings it up to date",
    ]
    mended = invoke("verify", indexed, "--repair", *BUILT_IN)
    assert mended.returncode == 1, "what the folder has and the index has not is left to a sync"
    assert mended.stdout.splitlines()[0] == "mended: 2 documents were taken in anew from the archive"
    invoke("index", indexed, *BUILT_IN)
    assert invoke("verify", indexed, *BUILT_IN).returncode == 0


def test_json_is_one_document_with_every_finding(invoke: Run, indexed: Path) -> None:
    damage(indexed, "UPDATE label_set SET documents = 9")
    answer = invoke("verify", indexed, "--json", *BUILT_IN)
    found = json.loads(answer.stdout)
    assert (answer.returncode, found["clean"], found["documents"], found["mended"]) == (1, False, 2, [])
    (finding,) = found["findings"]
    assert list(finding) == ["code", "severity", "where", "what", "derived", "remedy"]
    assert (finding["code"], finding["derived"]) == ("counts_differ", True)


def test_a_library_file_that_cannot_be_opened_is_verified_all_the_same(invoke: Run, indexed: Path) -> None:
    (indexed / ".rankscope" / "library.sqlite").write_bytes(b"no database" * 1000)
    answer = invoke("verify", indexed, "--repair", *BUILT_IN)
    assert answer.returncode == 1
    assert answer.stderr.startswith("rankscope: nothing was mended: ")
    assert "restore it from a backup" in answer.stdout


def test_a_folder_without_an_index_is_told(invoke: Run, tmp_path: Path) -> None:
    answer = invoke("verify", tmp_path, *BUILT_IN)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "has no index yet" in answer.stderr
    assert not list(tmp_path.glob(".rankscope"))
