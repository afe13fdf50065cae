"""``rankscope why``: a readable table, one JSON document, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Run

QUESTION = "任务失败后最多自动重试几次？"


@pytest.fixture
def folder(tmp_path: Path, invoke: Run) -> Path:
    folder = tmp_path / "docs"
    (folder / "internal").mkdir(parents=True)
    for number in range(1, 10):
        text = f"# 第 {number} 页\n\n任务失败后自动重试，先等 {number} 分钟。\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    (folder / "internal" / "plan.md").write_text("# 机密\n\n北辰计划。\n", encoding="utf-8")
    settings = tmp_path / "settings.toml"
    settings.write_text(
        '[embedding]\nprovider = "hash"\n[scopes]\n"internal/**" = ["ops"]\n', encoding="utf-8"
    )
    assert invoke("index", folder, "--settings", settings).returncode == 0
    return folder


def why(invoke: Run, folder: Path, *options: str, query: str = QUESTION):
    return invoke("why", folder, query, "--settings", folder.parent / "settings.toml", *options)


def test_the_table_tells_target_verdict_stages_and_changes(folder: Path, invoke: Run):
    done = why(invoke, folder, "--text", "先等 7 分钟", "--set", "top_k=1")
    assert done.returncode == 0
    rows = done.stdout.splitlines()
    assert rows[0] == QUESTION
    assert rows[1].startswith("7.md › 第 7 页 L1–3 #1")
    assert rows[2].startswith(("lost in fusion", "not recalled"))
    head = rows.index(next(row for row in rows if row.startswith("stage")))
    stages = [row.split("  ")[0].split()[0] for row in rows[head + 1 : head + 11]]
    assert stages == [
        "corpus",
        "fulltext",
        "cjk",
        "vector",
        "graph",
        "fused",
        "rerank",
        "gate",
        "top",
        "pack",
    ]
    assert "smallest change, each was run before it is shown" in rows
    assert any(row.startswith(" 1  top_k 1 →") for row in rows)


def test_a_change_from_the_json_works_through_set(folder: Path, invoke: Run):
    done = why(invoke, folder, "--text", "先等 7 分钟", "--set", "top_k=1", "--json")
    told = json.loads(done.stdout)
    assert list(told)[:7] == ["query", "target", "layer", "sentence", "ranks", "stages", "change"]
    assert set(told["target"]) >= {"text", "document", "start", "end", "chunk_ids"}
    assert set(told["ranks"]) == {"fulltext", "cjk", "vector", "graph"}
    assert told["change"]["verified"] is True
    sets = [f"--set={name}={value}" for name, value in told["change"]["settings"].items()]
    settings = folder.parent / "settings.toml"
    found = invoke("search", folder, QUESTION, "--settings", settings, "--set", "top_k=1", *sets, "--json")
    assert "先等 7 分钟" in json.loads(found.stdout)["context"]["text"]


def test_a_chunk_is_named_by_its_id(folder: Path, invoke: Run):
    settings = folder.parent / "settings.toml"
    found = json.loads(invoke("search", folder, QUESTION, "--settings", settings, "--json").stdout)
    chunk_id = found["results"][0]["chunk_id"]
    told = json.loads(why(invoke, folder, "--chunk", chunk_id, "--json").stdout)
    assert told["layer"] == "context"
    assert told["target"]["chunk_id"] == chunk_id


def test_a_restricted_text_reads_as_an_absent_one(folder: Path, invoke: Run):
    secret, nothing = (why(invoke, folder, "--text", text).stdout for text in ("北辰计划", "南极计划"))
    assert secret == nothing
    assert "outside the scopes" in why(invoke, folder, "--text", "北辰计划", "--owner").stdout


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--chunk", "a", "--text", "b"),
        ("--text", " "),
        ("--chunk", ""),
        ("--set", "topk=1", "--text", "x"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2(folder: Path, invoke: Run, options: tuple[str, ...]):
    done = why(invoke, folder, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("rankscope: ")


def test_a_folder_without_an_index_fails_with_exit_code_1(tmp_path: Path, invoke: Run):
    done = invoke("why", tmp_path, "x", "--text", "y")
    assert done.returncode == 1
