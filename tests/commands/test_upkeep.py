"""Syncs, rebuilds held and compared, rollbacks and their record, from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

from tests.commands.conftest import Run

HASH = ("--set", "embedding.provider=hash")
WIDE = (*HASH, "--set", "target_characters=1600", "--set", "overlap_characters=0")
NARROW = (*HASH, "--set", "target_characters=400", "--set", "overlap_characters=0")
RULE = "同一任务最多自动重试三次，间隔依次为一、五、二十五分钟，第三次仍失败时进入死信队列，等待人工重放。"
LONG = "\n\n".join(f"第 {number} 条：{RULE}" for number in range(20))
SET = """version = 1
name = "own"

[[cases]]
id = "q1"
query = "第 7 条"
evidence = [{file = "rules.md", text = "第 7 条：同一任务最多自动重试三次"}]
"""


@pytest.fixture
def indexed(invoke: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "rules.md").write_text(f"# 规则\n\n{LONG}\n")
    (folder / "short.md").write_text("# 缓存\n\n缓存缺失时读取回到数据库。\n")
    (folder / "evaluation.toml").write_text(SET)
    assert invoke("index", folder, *WIDE).returncode == 0
    return folder


def chunks(invoke: Run, folder: Path, *settings: str) -> int:
    return int(json.loads(invoke("sync", folder, "--json", *settings).stdout)["chunks"])


def test_a_sync_takes_in_what_changed_and_needs_an_index(invoke: Run, indexed: Path, tmp_path: Path) -> None:
    (indexed / "short.md").write_text("# 缓存\n\n改过的一页。\n")
    answer = invoke("sync", indexed, *WIDE)
    assert answer.returncode == 0
    assert "0 added  1 changed  0 renamed  0 deleted  1 unchanged" in answer.stdout
    again = json.loads(invoke("sync", indexed, "--reread", "--json", *WIDE).stdout)
    assert again["report"]["unchanged"] == 2
    (tmp_path / "bare").mkdir()
    none = invoke("sync", tmp_path / "bare", *HASH)
    assert none.returncode == 1
    assert "has no index yet" in none.stderr


def test_what_could_not_be_read_is_named_and_in_the_exit_code(
    invoke: Run, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.ingest.read import Unreadable
    from engine.pipeline import index

    def refusing(root: Path, path: str, **options: object) -> object:
        raise Unreadable(path, "no permission")

    (indexed / "short.md").write_text("# 缓存\n\n改过的一页。\n")
    monkeypatch.setattr(index, "read", refusing)
    for command in ("sync", "index"):
        answer = invoke(command, indexed, *WIDE)
        assert answer.returncode == 1
        assert "1 failed\n  short.md  no permission" in answer.stdout
        assert "2 documents" in answer.stdout


def test_a_held_rebuild_shows_what_would_change_then_serves_and_goes_back(invoke: Run, indexed: Path) -> None:
    wide = chunks(invoke, indexed, *WIDE)
    held = invoke("rebuild", indexed, "--hold", *NARROW)
    assert held.returncode == 0, held.stderr
    assert "structure 1,600 / 0 serves, structure 400 / 0 lies aside" in held.stdout
    assert "evidence whole" in held.stdout
    assert "of 1 cases" in held.stdout
    assert chunks(invoke, indexed, *WIDE) == wide
    told = json.loads(invoke("rebuild", indexed, "--difference", "--json", *WIDE).stdout)
    assert told["now"]["chunks"] == wide
    assert told["then"]["chunks"] > wide
    listed = invoke("tasks", indexed, *WIDE)
    assert "aside: " in listed.stdout
    assert "whole" in listed.stdout
    served = invoke("rebuild", indexed, "--resume", "--json", *WIDE)
    assert json.loads(served.stdout)["chunks"] == told["then"]["chunks"]
    back = invoke("rollback", indexed, "--json", *WIDE)
    assert json.loads(back.stdout)["chunks"] == wide
    tasks = json.loads(invoke("tasks", indexed, "--json", *WIDE).stdout)
    assert [task["kind"] for task in tasks["tasks"][:3]] == ["rollback", "rebuild", "sync"]
    assert {task["state"] for task in tasks["tasks"]} == {"done"}
    assert tasks["before"]
    assert tasks["aside"] is None


def test_what_lies_aside_is_dropped_or_taken_over(invoke: Run, indexed: Path) -> None:
    wide = chunks(invoke, indexed, *WIDE)
    invoke("rebuild", indexed, "--hold", *NARROW)
    dropped = invoke("rebuild", indexed, "--drop", *WIDE)
    assert dropped.returncode == 0
    assert dropped.stdout.startswith("dropped g")
    assert invoke("rebuild", indexed, "--drop", *WIDE).returncode == 2
    invoke("rebuild", indexed, "--hold", *NARROW)
    taken = json.loads(invoke("rebuild", indexed, "--take-over", "--json", *WIDE).stdout)
    assert taken["chunks"] > wide


def test_wrong_use_is_one_sentence(invoke: Run, indexed: Path) -> None:
    both = invoke("rebuild", indexed, "--hold", "--drop", *WIDE)
    assert (both.returncode, both.stdout) == (2, "")
    assert "--hold and --drop cannot both be asked for" in both.stderr
    for options in (("--resume",), ("--take-over",), ("--difference",)):
        none = invoke("rebuild", indexed, *options, *WIDE)
        assert none.returncode == 2
        assert "no rebuild lies aside" in none.stderr
    assert "no generation is kept" in invoke("rollback", indexed, *WIDE).stderr


def test_a_watched_folder_is_synced_when_it_changes(indexed: Path) -> None:
    pytest.importorskip("watchfiles")
    command = [sys.executable, "-m", "tui", "sync", os.fspath(indexed), "--watch", *WIDE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert until(process.stdout, "documents").startswith("2 documents")
        assert until(process.stderr, "watching")
        (indexed / "new.md").write_text("# 新\n\n后来才写的一页。\n")
        assert until(process.stdout, "documents").startswith("3 documents")
        assert until(process.stdout, "added").startswith("1 added")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) in (0, 130)


def until(stream: TextIO, told: str) -> str:
    """The next line that tells this."""
    return next(line for line in stream if told in line)
