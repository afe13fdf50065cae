"""A name says what is read, as what, and what is left out."""

from __future__ import annotations

import pytest

from engine.ingest.formats import format_of, refusal


@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        ".ENV",
        "id_rsa",
        "id_ed25519",
        "server.pem",
        "tls.key",
        "store.p12",
        ".netrc",
        ".pgpass",
    ],
)
def test_what_may_hold_a_secret_is_not_read(name: str) -> None:
    assert refusal(name) == "may hold a secret"


@pytest.mark.parametrize(
    "name", [".env.example", "environment.md", "id_rsa.pub", "keys.md", "README", ".gitignore"]
)
def test_what_only_speaks_of_secrets_is_read(name: str) -> None:
    assert refusal(name) == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("page.HTML", "kind not read yet"),
        ("paper.pdf", "kind not read yet"),
        ("rows.csv", "kind not read yet"),
        ("logo.png", "binary"),
        ("archive.tar.gz", "binary"),
        ("rows.jsonl", "JSON Lines, not a corpus.jsonl"),
        ("corpus.jsonl", ""),
        ("corpus.jsonl#1", ""),
        ("package.json", ""),
    ],
)
def test_a_kind_that_is_not_read_is_named(name: str, reason: str) -> None:
    assert refusal(name) == reason


@pytest.mark.parametrize("name", ["queries.jsonl", "answers.jsonl", "split.json", "test.tsv"])
def test_beside_a_corpus_lies_evaluation_data(name: str) -> None:
    assert refusal(name, beside_corpus=True) == "evaluation data beside a corpus"


def test_no_file_can_take_the_path_of_a_corpus_document() -> None:
    assert refusal("corpus.jsonl#1", beside_corpus=True) == "a name kept for the documents of corpus.jsonl"
    assert refusal("corpus.jsonl", beside_corpus=True) == ""


@pytest.mark.parametrize(
    ("name", "kind", "language"),
    [
        ("a.tar.md", "markdown", ""),
        (".md", "text", ""),
        ("x.LOG", "log", ""),
        ("x.log.2024-05-01", "log", ""),
        ("catalog", "text", ""),
        ("a.PY", "code", "python"),
        ("dockerfile", "code", "dockerfile"),
        ("any.jsonl", "jsonl", ""),
    ],
)
def test_kind_and_language_come_from_the_name(name: str, kind: str, language: str) -> None:
    form = format_of(name)
    assert (form.kind, form.language) == (kind, language)
