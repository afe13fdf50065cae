"""An identifier is found whole and in its parts; prose is just words."""

from __future__ import annotations

import pytest

from engine.recall.words import TERM_LIMIT, Word, unaccented, words


def outline(tree: Word) -> object:
    return (tree.term, [outline(part) for part in tree.parts]) if tree.parts else tree.term


@pytest.mark.parametrize(
    ("run", "trees"),
    [
        ("word", ["word"]),
        ("(Word),", ["word"]),
        ("WORDS", ["words"]),
        ("C++", [("c++", ["c"])]),
        ("C#,", [("c#", ["c"])]),
        ("node.js.", [("node.js", ["node", "js"])]),
        ("max_retry_count", [("max_retry_count", ["max", "retry", "count"])]),
        ("maxRetryCount", [("maxretrycount", ["max", "retry", "count"])]),
        ("HTTPServer", [("httpserver", ["http", "server"])]),
        ("URLs", ["urls"]),
        ("GPT4", [("gpt4", ["gpt", "4"])]),
        ("E1234", [("e1234", ["e", "1234"])]),
        ("v1.1.6", [("v1.1.6", [("v1", ["v", "1"]), "1", "6"])]),
        ("/etc/hosts", [("/etc/hosts", ["etc", "hosts"])]),
        ("src/app/main.py", [("src/app/main.py", ["src", "app", ("main.py", ["main", "py"])])]),
        ("pane_pid=3", [("pane_pid=3", [("pane_pid", ["pane", "pid"]), "3"])]),
        ("state-of-the-art", [("state-of-the-art", ["state", "of", "the", "art"])]),
        ("--force", [("--force", ["force"])]),
        (".env", [(".env", ["env"])]),
        ("@nasa", [("@nasa", ["nasa"])]),
        ("50%", [("50%", ["50"])]),
        ("1,234.5", [("1,234.5", ["1", ("234.5", ["234", "5"])])]),
        ("<br>", [("<br>", ["br"])]),
        ("{x}", [("{x}", ["x"])]),
        ("a[i]", ["a", ("[i]", ["i"])]),
        ("__init__", [("__init__", ["init"])]),
        ("don’t", [("don't", ["don", "t"])]),
        ("“quoted”—and", ["quoted", "and"]),
        ("*bold*", ["bold"]),
        ("...", []),
        ("___", []),
        ("é", [("é", ["e"])]),
        ("हिन्दी", ["हिन्दी"]),
    ],
)  # fmt: skip
def test_how_a_run_divides(run: str, trees: list[object]) -> None:
    assert [outline(tree) for tree in words(run)] == trees


@pytest.mark.parametrize("run", ["da39a3ee5e6b4b0d3255bfef95601890afd80709", "aGVsbG8gd29ybGQhIQzT4x9Kq"])
def test_a_hash_or_encoded_bytes_are_one_word(run: str) -> None:
    assert [outline(tree) for tree in words(run)] == [run.lower()]


def test_what_is_too_long_to_be_named_is_known_by_its_parts() -> None:
    path = "/".join(["segment"] * 40)
    assert [tree.term for tree in words(path)] == ["segment"] * 40
    (word,) = words("x" * 10_000)
    assert (len(word.term), word.end) == (TERM_LIMIT, 10_000)


def test_diacritics_fold_and_indic_vowels_stay() -> None:
    assert [unaccented(word) for word in ("café", "łódź", "naïve", "i̇stanbul", "हिन्दी")] == [
        "cafe", "lodz", "naive", "istanbul", "हिन्दी",
    ]  # fmt: skip


def test_case_folds_beyond_ascii() -> None:
    assert [tree.term for tree in words("STRASSE")] == [tree.term for tree in words("straße")] == ["strasse"]
