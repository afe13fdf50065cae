"""The built-in embedder: the same bits everywhere, spelling compared sensibly."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.embedding import builtin
from engine.embedding.builtin import DIMENSIONS, HashEmbedder, fold
from engine.embedding.protocol import Vectors
from engine.errors import Cancelled, EmbedderError

EMBEDDER = HashEmbedder()
TEXTS = [
    "Der Straßenbahnhof, 1.200 m²",
    "使用Redis缓存，最多三次",
    "fn main() { max_retry_count += 1 }",
    "😀 …!",
]


def embed(*texts: str) -> Vectors:
    return EMBEDDER.embed(texts, cancel=CancelToken())


def similarity(one: str, other: str) -> float:
    first, second = embed(one, other)
    return float(first @ second)


def test_it_says_what_it_is() -> None:
    assert (EMBEDDER.name, EMBEDDER.dimensions, EMBEDDER.semantic) == ("hash", 1_024, False)
    assert EMBEDDER.note == "lexical, not semantic"
    assert EMBEDDER.loaded


def test_vectors_have_length_one() -> None:
    assert np.linalg.norm(embed(*TEXTS), axis=1) == pytest.approx([1] * len(TEXTS), abs=1e-6)


def test_the_bits_are_those_of_every_other_process_and_platform() -> None:
    digest = hashlib.sha256(embed(*TEXTS).astype("<f4").tobytes()).hexdigest()
    assert digest == PINNED


def test_another_process_with_another_hash_seed_gives_the_same_bits() -> None:
    program = (
        "import json, sys; from engine.embedding.builtin import HashEmbedder as Embedder;"
        "from engine.cancel import CancelToken;"
        "sys.stdout.write(Embedder().embed(json.load(sys.stdin), cancel=CancelToken()).tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(TEXTS),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
    )
    assert bytes.fromhex(done.stdout) == embed(*TEXTS).tobytes()


@settings(max_examples=60)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_a_vector_does_not_depend_on_what_else_is_in_the_call(texts: list[str]) -> None:
    together = embed(*texts)
    for text, row in zip(texts, together, strict=True):
        assert row.tobytes() == embed(text)[0].tobytes()


def test_a_vector_does_not_depend_on_the_size_of_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = embed(*TEXTS)
    monkeypatch.setattr(builtin, "BATCH", 1)
    assert embed(*TEXTS).tobytes() == whole.tobytes()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Redis Cluster", "redis cluster"),
        ("ＡＢＣ１２３", "abc123"),
        ("STRASSE", "straße"),
        ("使用Redis缓存", "使用 redis 缓存"),
        ("缓存，过期。", "缓存 过期"),
    ],
)
def test_case_width_and_punctuation_are_the_same_text(one: str, other: str) -> None:
    assert similarity(one, other) == pytest.approx(1.0, abs=1e-6)


def test_a_word_in_another_form_is_nearer_than_another_word() -> None:
    assert similarity("retry", "retries") > similarity("retry", "timeout") + 0.1
    assert similarity("重试次数", "重试的次数") > similarity("重试次数", "超时时间") + 0.3


def test_grammatical_words_hardly_count() -> None:
    assert similarity("what is the cache of the broker", "cache broker") > 0.9


def test_a_text_of_signs_alone_is_found_by_its_signs() -> None:
    assert similarity("😀😀 !!", "😀😀 !!") == pytest.approx(1.0, abs=1e-6)
    assert fold("+++") == " +++ "


def test_dense_and_spaced_scripts_share_no_gram() -> None:
    assert fold("使用Redis缓存v2") == " 使用 redis 缓存 v2 "
    assert fold("カタカナ・ひらがな 한국어") == " カタカナ ひらがな 한국어 "


def test_nothing_spans_two_texts_of_one_call() -> None:
    apart = embed("alpha", "beta")
    assert apart[0].tobytes() == embed("alpha", "gamma")[0].tobytes()


@pytest.mark.parametrize("blank", ["", " \n", "\0"])
def test_a_blank_text_is_a_row_of_zeros_and_as_a_question_an_error(blank: str) -> None:
    assert not embed(blank).any()
    with pytest.raises(EmbedderError):
        EMBEDDER.embed_query(blank, cancel=CancelToken())


def test_no_texts_give_no_rows() -> None:
    assert embed().shape == (0, DIMENSIONS)


def test_hostile_text_has_a_vector() -> None:
    rows = embed("\ud800\udfff", "a\0b", "\x1b[31m\u202e", "e\u0301" * 50, "﷽" * 100)
    assert np.isfinite(rows).all()


def test_a_cancelled_call_ends_before_its_next_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin, "BATCH", 1)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        EMBEDDER.embed(TEXTS, cancel=cancel)
    assert cancel.checks == 1


@pytest.mark.parametrize(("lang", "floor"), [("xquad-zh", 0.83), ("xquad-en", 0.86)])
def test_it_finds_the_paragraph_of_most_questions(shared: Path, lang: str, floor: float) -> None:
    folder = shared / "data" / lang
    paragraphs = [
        json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").split("\n") if line
    ]
    questions = [
        json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").split("\n") if line
    ]
    rows = [line.split("\t") for line in (folder / "qrels" / "test.tsv").read_text("utf-8").splitlines()[1:]]
    answer = {row[0]: row[1] for row in rows}
    scores = embed(*(each["text"] for each in questions)) @ embed(*(each["text"] for each in paragraphs)).T
    first = [paragraphs[place]["_id"] for place in scores.argmax(axis=1)]
    right = [found == answer[each["_id"]] for found, each in zip(first, questions, strict=True)]
    assert sum(right) / len(right) >= floor


PINNED = "469ce689afe73f60190946c84ea689dc346f97e848d88f2fddf8da4f634c2f08"
