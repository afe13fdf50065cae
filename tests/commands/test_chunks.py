"""``rankscope chunks``: the very cut of a rebuild, under any settings, without an index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.chunking import chunk, chunker_fingerprint
from engine.settings import MODES, Chunking
from tests.commands.conftest import Run

PAGE = (
    "# 重试\n\n"
    + "同一任务最多自动重试三次。" * 60
    + "\n\n## 超时\n\n"
    + "A job times out after ten minutes. " * 40
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "retry.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.mark.parametrize("mode", MODES)
def test_json_holds_every_span_with_its_text_in_every_mode(invoke: Run, page: Path, mode: str):
    answer = invoke("chunks", page, "--mode", mode, "--json")
    found = json.loads(answer.stdout)
    chunking = Chunking(mode=mode)  # type: ignore[arg-type]
    assert list(found) == ["file", "chunker_fingerprint", "chunks"]
    assert found["chunker_fingerprint"] == chunker_fingerprint(chunking)
    assert [(each["role"], each["ordinal"], each["start"], each["end"]) for each in found["chunks"]] == [
        (span.role, span.ordinal, span.start, span.end) for span in chunk(PAGE, "markdown", chunking)
    ]
    for each in found["chunks"]:
        assert each["text"] == PAGE[each["start"] : each["end"]]


def test_settings_change_the_cut(invoke: Run, page: Path):
    answer = invoke(
        "chunks",
        page,
        "--set",
        "mode=fixed",
        "--set",
        "target_characters=400",
        "--set",
        "overlap_characters=80",
    )
    assert answer.stdout.startswith("retry.md  fixed, 400 overlap 80: ")
    assert "shares" in answer.stdout


def test_nothing_is_written_beside_the_file(invoke: Run, page: Path):
    invoke("chunks", page)
    assert [each.name for each in page.parent.iterdir() if each.name != "home"] == ["retry.md"]


def test_a_corpus_names_the_document_of_each_chunk(invoke: Run, tmp_path: Path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "a", "text": "one"}\n{"_id": "b", "text": "two"}\n')
    found = json.loads(invoke("chunks", corpus, "--json").stdout)
    assert [(each["document"], each["text"]) for each in found["chunks"]] == [
        ("corpus.jsonl#a", "one"),
        ("corpus.jsonl#b", "two"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("none.md", None, 2, "there is no file"),
        (".", None, 2, "is not a file"),
        ("a.png", b"\x89PNG\r\n\x1a\n", 1, "binary"),
        ("a.bin.md", b"\x00\x01\x02\x03" * 100, 1, "was not read"),
        ("id_rsa", b"x", 1, "may hold a secret"),
    ],
)
def test_what_cannot_be_cut_is_one_sentence(
    invoke: Run, tmp_path: Path, name: str, content, code: int, said: str
):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    answer = invoke("chunks", tmp_path / name)
    assert (answer.returncode, answer.stdout) == (code, "")
    assert said in answer.stderr
    assert answer.stderr.count("\n") == 1
