"""The fake embedder keeps the protocol that every part's tests rely on."""

from __future__ import annotations

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.embedding import Embedder
from engine.embedding.fake import FakeEmbedder
from engine.errors import Cancelled, EmbedderError


def test_it_is_an_embedder_that_counts_words_and_remembers_what_it_was_given() -> None:
    fake = FakeEmbedder(8)
    embedder: Embedder = fake
    rows = embedder.embed(["b a", "a b", ""], cancel=CancelToken())
    assert rows[0].tobytes() == rows[1].tobytes()
    assert not rows[2].any()
    assert fake.given == ["b a", "a b", ""]
    assert embedder.loaded


def test_a_scripted_text_has_the_scripted_vector() -> None:
    fake = FakeEmbedder(2, vectors={"bad": [float("nan"), 0.0]})
    assert np.isnan(fake.embed(["bad"], cancel=CancelToken())[0, 0])


def test_it_fails_and_is_cancelled_on_demand() -> None:
    fake, cancel = FakeEmbedder(), CancelToken()
    fake.failing = EmbedderError("down")
    with pytest.raises(EmbedderError, match="down"):
        fake.embed_query("a", cancel=cancel)
    fake.before = cancel.cancel
    with pytest.raises(Cancelled):
        fake.embed_query("a", cancel=cancel)
    assert fake.given == []
