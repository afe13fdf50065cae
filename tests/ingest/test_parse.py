"""From bytes to documents: titles, kinds, revisions, and what is left out with its reason."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from engine.ingest.parse import PARSERS, Document, documents, parse
from engine.model import Skipped


def one(path: str, raw: bytes | str) -> Document:
    parsed = parse(path, raw.encode() if isinstance(raw, str) else raw)
    assert parsed.skipped == ()
    (document,) = parsed.documents
    return document


def reason(path: str, raw: bytes) -> str:
    parsed = parse(path, raw)
    assert parsed.documents == ()
    (skipped,) = parsed.skipped
    assert skipped.path == path
    return skipped.reason


def test_a_document_is_its_decoded_text_under_the_hash_of_its_bytes() -> None:
    raw = "\ufeff# 配置\r\n\r\n默认端口。\r\n".encode()
    assert one("docs/a.md", raw) == Document(
        path="docs/a.md",
        revision=hashlib.sha256(raw).hexdigest(),
        text="# 配置\r\n\r\n默认端口。\r\n",
        title="配置",
        kind="markdown",
        language="",
        parser=PARSERS["markdown"],
        encoding="utf-8-sig",
        doubtful=False,
    )


@pytest.mark.parametrize(
    ("path", "kind", "language", "title"),
    [
        ("a/notes.txt", "text", "", "notes"),
        ("README", "text", "", "README"),
        ("guide.rst", "text", "", "guide"),
        ("page.MD", "markdown", "", "page"),
        ("app.log", "log", "", "app.log"),
        ("app.log.1", "log", "", "app.log.1"),
        ("src/main.py", "code", "python", "main.py"),
        ("Makefile", "code", "makefile", "Makefile"),
        ("settings.toml", "code", "toml", "settings.toml"),
        ("CMakeLists.txt", "code", "cmake", "CMakeLists.txt"),
        (".gitignore", "text", "", ".gitignore"),
        ("data.unknown", "text", "", "data"),
    ],
)
def test_the_name_says_the_kind(path: str, kind: str, language: str, title: str) -> None:
    document = one(path, "plain words\n")
    assert (document.kind, document.language, document.title) == (kind, language, title)
    assert document.parser == PARSERS[document.kind]


def test_a_text_counts_its_lines() -> None:
    assert one("a.txt", "a\r\nb\rc\n").lines == 3
    assert one("a.txt", "").lines == 1


def test_sy10_a_binary_file_is_left_out_whatever_its_name() -> None:
    assert reason("x.md", b"\x89PNG\r\n\x1a\n\0\0\0\r") == "binary: PNG image"
    assert reason("z.txt", b"%PDF-1.4\n1 0 obj\n") == "binary: PDF document"


def test_a_private_key_is_left_out_whatever_its_name() -> None:
    for words in (b"RSA PRIVATE KEY", b"PRIVATE KEY", b"OPENSSH PRIVATE KEY", b"PGP PRIVATE KEY BLOCK"):
        assert reason("notes.txt", b"-----BEGIN " + words + b"-----\nMIIE\n") == "may hold a secret"


def test_an_evaluation_set_is_not_a_document() -> None:
    raw = b'version = 1\nname = "set"\n[[cases]]\nid = "a"\nquery = "q"\n'
    assert reason("eval.toml", raw) == "evaluation set"
    experiment = b'version = 1\ncommit = "c"\n[[configurations]]\nname = "a"\n[[queries]]\nid = "q"\n'
    assert reason("experiment.toml", experiment) == "evaluation set"
    assert one("other.toml", b'name = "x"\n[[cases]]\nid = "a"\n').kind == "code"
    assert one("broken.toml", b"version = 1\nname = 2\ncases = [\n").kind == "code"
    assert one("deep.toml", b"cases = " + b"[" * 5000).kind == "code"


# --- a corpus -----------------------------------------------------------------------------------------------


def test_each_line_of_a_corpus_is_a_document_with_a_revision_of_its_own() -> None:
    lines = [b'{"_id": "p1", "title": "T", "text": "one\\ntwo"}', b'{"_id": 7, "text": ""}']
    first, second = parse("set/corpus.jsonl", b"\r\n".join(lines) + b"\r\n\n").documents
    assert (first.path, first.title, first.text, first.kind) == (
        "set/corpus.jsonl#p1",
        "T",
        "one\ntwo",
        "text",
    )
    assert first.revision == hashlib.sha256(lines[0]).hexdigest()
    assert (second.path, second.title, second.text) == ("set/corpus.jsonl#7", "", "")
    moved = parse("set/corpus.jsonl", b"\xef\xbb\xbf" + lines[1] + b"\n" + lines[0]).documents
    assert {document.revision for document in moved} == {first.revision, second.revision}


def test_a_bad_line_is_named_and_stops_no_other() -> None:
    raw = b"\n".join(
        [
            b'{"_id": "a", "text": "one"}',
            b"{broken",
            b'"text"',
            b'{"text": "no id"}',
            b'{"_id": "", "text": "x"}',
            b'{"_id": true, "text": "x"}',
            b'{"_id": "b"}',
            b'{"_id": "c", "title": [], "text": "x"}',
            b'{"_id": "a", "text": "again"}',
            b'{"_id": "d", "text": "\xff"}',
            b"[" * 100_000,
            b'{"_id": "e", "title": null, "text": "last"}',
        ]
    )
    parsed = parse("corpus.jsonl", raw)
    assert [document.path for document in parsed.documents] == ["corpus.jsonl#a", "corpus.jsonl#e"]
    assert [skipped.reason for skipped in parsed.skipped] == [
        "line 2: not JSON",
        "line 3: not an object",
        "line 4: no _id",
        "line 5: no _id",
        "line 6: no _id",
        "line 7: no text",
        "line 8: a title that is no text",
        "line 9: the id a is that of line 1",
        "line 10: not UTF-8",
        "line 11: not JSON",
    ]
    assert {skipped.path for skipped in parsed.skipped} == {"corpus.jsonl"}


def test_ck12_a_lone_surrogate_becomes_a_replacement_character() -> None:
    raw = b'{"_id": "a\\ud83d", "title": "\\udc00", "text": "x\\ud83d y \\ud83d\\ude00"}'
    (document,) = parse("corpus.jsonl", raw).documents
    assert (document.path, document.title, document.text) == (
        "corpus.jsonl#a\ufffd",
        "\ufffd",
        "x\ufffd y 😀",
    )


def test_an_id_cannot_break_the_line_it_is_shown_on() -> None:
    (document,) = parse("corpus.jsonl", b'{"_id": "a\\n\\u001b[2J", "text": "x"}').documents
    assert document.path == "corpus.jsonl#a\\x0A\\x1B[2J"


def test_other_line_separators_do_not_cut_a_line() -> None:
    (document,) = parse("corpus.jsonl", '{"_id": "a", "text": "x\u2028y\x85z"}'.encode()).documents
    assert document.text == "x\u2028y\x85z"


def test_a_corpus_is_read_document_by_document() -> None:
    items = documents("corpus.jsonl", b'{"_id": "a", "text": "x"}\n' + b"{broken\n" * 100_000)
    assert isinstance(next(items), Document)
    assert next(items) == Skipped("corpus.jsonl", "line 2: not JSON")


@pytest.mark.parametrize("name", ["xquad-zh", "xquad-en"])
def test_a_real_corpus_is_read_whole(shared: Path, name: str) -> None:
    parsed = parse("corpus.jsonl", (shared / "data" / name / "corpus.jsonl").read_bytes())
    assert parsed.skipped == ()
    assert len({document.path for document in parsed.documents}) == 240
