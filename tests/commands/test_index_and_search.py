"""The main job without a screen, through real processes: index a folder, ask it, and be told what went wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands.conftest import Run

BUILT_IN = ("--set", "embedding.provider=hash")
PAGES = {
    "retry.md": "# 重试\n\n## 重试与隔离\n\n同一任务最多自动重试三次，第三次仍失败时进入死信队列。\n",
    "ops/oncall.md": "# On call\n\n## Replay\n\nAsk the owner of the queue before replaying a dead letter.\n",
    "hr/pay.md": "# Pay\n\nThe dead letter of salaries.\n",
    "logo.png": "\x89PNG",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    for name, text in PAGES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def indexed(invoke: Run, folder: Path) -> Path:
    assert invoke("index", folder, *BUILT_IN).returncode == 0
    return folder


def without_times(answer: str) -> object:
    def strip(value: object) -> object:
        if isinstance(value, dict):
            return {key: strip(each) for key, each in value.items() if not key.endswith("_ms")}
        return [strip(each) for each in value] if isinstance(value, list) else value

    return strip(json.loads(answer))


def test_index_tells_what_serves_and_what_was_left_out(run: Run, folder: Path):
    answer = run("index", folder, *BUILT_IN)
    assert answer.returncode == 0
    assert answer.stderr == "", "progress is for a terminal"
    assert answer.stdout.startswith("3 documents, 3 chunks, vectors 3 of 3, ")
    assert "3 added  0 changed" in answer.stdout
    assert "  logo.png  binary" in answer.stdout


def test_a_second_index_finds_nothing_to_do(invoke: Run, indexed: Path):
    report = json.loads(invoke("index", indexed, *BUILT_IN, "--json").stdout)["report"]
    assert (report["added"], report["changed"], report["unchanged"]) == (0, 0, 3)


def test_a_folder_without_documents_gets_no_index(invoke: Run, folder: Path, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = invoke("index", empty, *BUILT_IN)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.endswith("empty holds no document that can be read: it is empty\n")
    assert not list(empty.iterdir())
    answer = invoke("index", folder, "--include", "*.nothing", *BUILT_IN)
    assert answer.returncode == 1
    assert answer.stderr.endswith("holds no document that can be read: nothing in it matches *.nothing\n")
    assert not (folder / ".rankscope").exists()


def test_what_is_included_is_remembered(invoke: Run, folder: Path):
    only = invoke("index", folder, "--include", "*.md", "--include", "!hr/**", *BUILT_IN)
    assert only.stdout.startswith("2 documents, ")
    assert invoke("index", folder, *BUILT_IN).stdout.startswith("2 documents, ")
    assert invoke("index", folder, "--include", "*", *BUILT_IN).stdout.startswith("3 documents, ")


def test_search_answers_with_ranks_by_channel_and_the_context(invoke: Run, indexed: Path):
    answer = invoke("search", indexed, "重试三次以后怎么办", *BUILT_IN)
    assert answer.returncode == 0
    rows = answer.stdout.splitlines()
    head = next(number for number, row in enumerate(rows) if row.startswith("rank"))
    assert rows[head].split()[:7] == ["rank", "rel.", "fused", "text", "cjk", "vec", "graph"]
    assert "retry.md › 重试与隔离" in rows[head + 1]
    assert any(row.startswith("[1] 1  retry.md") for row in rows)
    assert "    同一任务最多自动重试三次，第三次仍失败时进入死信队列。" in rows


def test_search_json_is_one_document_with_the_parts_of_every_score(invoke: Run, indexed: Path):
    found = json.loads(invoke("search", indexed, "dead letter", "--json", "--top-k", "1", *BUILT_IN).stdout)
    assert list(found)[:2] == ["query", "corpus_version"]
    assert found["settings"]["top_k"] == 1
    (result,) = found["results"]
    assert abs(sum(hit["part"] for hit in result["channels"].values()) - result["fused_score"]) < 1e-12
    assert found["context"]["character_count"] <= found["context"]["limit"]


def test_the_same_question_twice_gives_the_same_bytes_timings_aside(run: Run, indexed: Path):
    first, second = (run("search", indexed, "dead letter 重试", "--json", *BUILT_IN).stdout for _ in range(2))
    assert json.dumps(without_times(first)) == json.dumps(without_times(second))


def test_labels_hide_a_document_from_whoever_does_not_hold_them(invoke: Run, folder: Path):
    scoped = (*BUILT_IN, "--set", 'scopes={"hr/**" = ["hr"]}')
    invoke("index", folder, *scoped)

    def documents(*scopes: str) -> set[str]:
        found = json.loads(invoke("search", folder, "dead letter", "--json", *scoped, *scopes).stdout)
        return {result["document"] for result in found["results"]}

    assert "hr/pay.md" not in documents()
    assert "hr/pay.md" in documents("--scope", "hr") & documents("--scope", "*")


def test_the_index_lies_where_the_user_says(invoke: Run, folder: Path, tmp_path: Path):
    invoke("index", folder, "--data", tmp_path / "index", *BUILT_IN)
    assert not (folder / ".rankscope").exists()
    assert invoke("search", folder, "letter", "--data", tmp_path / "index", *BUILT_IN).returncode == 0
    assert invoke("search", folder, "letter", *BUILT_IN).returncode == 1


def test_a_mode_waits_for_a_rebuild_and_then_stays_with_the_library(invoke: Run, indexed: Path):
    waiting = invoke("index", indexed, "--mode", "fixed", *BUILT_IN)
    assert "`--rebuild` applies it" in waiting.stderr
    rebuilt = invoke("index", indexed, "--mode", "fixed", "--rebuild", *BUILT_IN)
    assert "saved for this library: chunking.mode" in rebuilt.stderr
    after = json.loads(invoke("index", indexed, "--json", *BUILT_IN).stdout)
    assert (after["chunking"]["mode"], after["chunking_pending"]) == ("fixed", None)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("search", "{folder}", ""), 2, "the question is empty"),
        (("search", "{folder}", " \t\n"), 2, "the question is empty"),
        (("search", "{folder}", "x" * 5000), 2, "the question has 5,000 characters, and 4,000 is the most"),
        (("search", "{folder}", "x", "--top-k", "21"), 2, "retrieval.top_k is 21: it must be 1 to 20"),
        (("search", "{folder}", "x", "--top-k", "six"), 2, "retrieval.top_k is six"),
        (("search", "{folder}", "x", "--set", "vector_wieght=1"), 2, "did you mean vector_weight"),
        (("search", "{folder}", "x", "--scope", ""), 2, "is no scope"),
        (("search", "{folder}"), 2, "missing argument 'QUERY'"),
        (("search", "{folder}/none", "x"), 2, "does not exist"),
        (("search", "{folder}/retry.md", "x"), 2, "is not a folder"),
        (("index", "{folder}/none"), 2, "does not exist"),
        (("index", "{folder}", "--mode", "square"), 2, "'square' is not one of"),
    ],
)
def test_bad_input_is_one_sentence(
    invoke: Run, folder: Path, arguments: tuple[str, ...], code: int, said: str
):
    answer = invoke(*(each.replace("{folder}", str(folder)) for each in arguments))
    assert (answer.returncode, answer.stdout) == (code, "")
    assert said in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_folder_never_indexed_says_how_to(invoke: Run, folder: Path):
    answer = invoke("search", folder, "x")
    assert answer.returncode == 1
    assert "has no index yet: make one with `rankscope index " in answer.stderr
    assert not (folder / ".rankscope").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_an_unreadable_folder_says_so(invoke: Run, tmp_path: Path):
    place = tmp_path / "closed"
    place.mkdir(mode=0)
    assert "cannot be read" in invoke("index", place).stderr


def test_hostile_names_and_texts_print_nothing_that_steers(invoke: Run, tmp_path: Path):
    place = tmp_path / "hostile"
    place.mkdir()
    (place / "a\x1b]52;c;QUJD\x07b\u202e.md").write_text(
        "# \x1b[2J\u202eletter\n\nletter \x9b\x00\x08 here\n"
    )
    for answer in (
        invoke("index", place, *BUILT_IN),
        invoke("search", place, "letter", *BUILT_IN),
        invoke("search", place, "letter", "--json", *BUILT_IN),
    ):
        assert answer.returncode in (0, 1)
        assert not {*"\x1b\x07\x9b\x00\x08\u202e"} & {*answer.stdout, *answer.stderr}


def test_a_reader_that_stops_early_is_no_error(indexed: Path):
    command = [sys.executable, "-m", "tui", "search", str(indexed), "letter", *BUILT_IN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_an_interrupted_index_ends_and_goes_on_where_it_stopped(invoke: Run, tmp_path: Path):
    """UI-08: an interrupt ends the work at its next check, and what was finished is kept."""
    place = tmp_path / "many"
    place.mkdir()
    for page in range(400):
        (place / f"{page}.md").write_text(f"# Page {page}\n\n" + f"word{page} 重试 " * 200)
    command = [sys.executable, "-m", "tui", "index", str(place), *BUILT_IN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (place / ".rankscope" / "library.sqlite").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err in ("", "rankscope: interrupted; what was finished is kept\n")
    for page in range(20, 400):
        (place / f"{page}.md").unlink()
    assert invoke("index", place, *BUILT_IN).stdout.startswith("20 documents, ")
