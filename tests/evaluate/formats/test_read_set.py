"""A path alone says which format it is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import SetError
from engine.evaluate.formats import read_set

CASE = {"id": "1", "query": "q", "answerable": False}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "x"}\n', encoding="utf-8")
    (folder / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}\n', encoding="utf-8")
    (folder / "answers.jsonl").write_text(
        '{"query-id": "q", "corpus-id": "a", "answers": [{"text": "x", "start": 0, "end": 1}]}\n',
        encoding="utf-8",
    )
    for split in ("test", "dev"):
        (folder / "qrels" / f"{split}.tsv").write_text(
            "query-id\tcorpus-id\tscore\nq\ta\t1\n", encoding="utf-8"
        )
    split = {"drop_docs": ["a"], "unanswerable_queries": ["q"], "excluded_queries": []}
    (folder / "noanswer-split.json").write_text(json.dumps(split), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("", "beir"),
        ("queries.jsonl", "beir"),
        ("qrels/test.tsv", "beir"),
        ("qrels/dev.tsv", "beir/dev"),
        ("answers.jsonl", "beir/answers"),
        ("noanswer-split.json", "beir without answers"),
    ],
)
def test_a_beir_folder_is_read_by_any_of_its_parts(beir: Path, path: str, name: str) -> None:
    assert read_set(beir / path).name == name


def test_toml_json_lines_and_squad_are_told_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(CASE), encoding="utf-8")
    (tmp_path / "evaluation.toml").write_text(
        '[[cases]]\nid = "1"\nquery = "q"\nanswerable = false\n', encoding="utf-8"
    )
    squad = {
        "data": [
            {"paragraphs": [{"context": "c", "qas": [{"id": "1", "question": "q", "is_impossible": True}]}]}
        ]
    }
    (tmp_path / "s.json").write_text(json.dumps(squad), encoding="utf-8")
    assert [read_set(tmp_path / name).name for name in ("a.jsonl", "s.json", "evaluation.toml", "")] == [
        "a",
        "s",
        "evaluation",
        "evaluation",
    ]


def test_trec_files_are_read_by_either_of_the_two_or_by_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "trec"
    folder.mkdir()
    (folder / "robust.qrels").write_text("1 0 a 1\n", encoding="utf-8")
    (folder / "topics.txt").write_text("1\tq\n", encoding="utf-8")
    (folder / "README").write_text("read me\n", encoding="utf-8")
    for path in (folder, folder / "robust.qrels", folder / "topics.txt"):
        assert [case.query for case in read_set(path).cases] == ["q"]


def test_judgements_without_topics_are_told(tmp_path: Path) -> None:
    (tmp_path / "robust.qrels").write_text("1 0 a 1\n", encoding="utf-8")
    with pytest.raises(SetError, match="has no topics beside it"):
        read_set(tmp_path / "robust.qrels")


@pytest.mark.parametrize(
    "name", ["", "none.toml", "none.jsonl", "none.json", "none", "a.json", "a.md", "empty.jsonl"]
)
def test_what_is_no_set_is_told_and_never_a_traceback(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.json").write_text("[]", encoding="utf-8")
    (tmp_path / "a.md").write_text("# Heading\n", encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(SetError):
        read_set(tmp_path / name)
