"""The embedder of an endpoint against real servers on the loopback that refuse, fail, lie and change."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.embedding.openai import OpenAIEmbedder, Patience
from engine.embedding.probe import PROBES
from engine.errors import Cancelled, EmbedderError, ModelChangedError
from engine.settings import Embedding
from tests.embedding.endpoint import SOON, Facts, answer, asked, embedder, model, packed, vector
from tests.servers import HOLD, Reply, refusing_port, serving

TEXTS = [f"text {number}" for number in range(25)]


def embed(made: OpenAIEmbedder, texts: Sequence[str]) -> np.ndarray:
    return made.embed(texts, cancel=CancelToken())


def query(made: OpenAIEmbedder, text: str = "what?") -> np.ndarray:
    return made.embed_query(text, cancel=CancelToken())


def expected(texts: Sequence[str], dimensions: int = 3, seed: str = "") -> Any:
    return pytest.approx(np.array([vector(text, dimensions, seed) for text in texts]), abs=1e-6)


# --- what is sent and understood ------------------------------------------------------------------------------


def test_each_text_has_its_unit_vector_in_order():
    with serving(model()) as server:
        made = embedder(server)
        rows = embed(made, TEXTS)
        assert rows.dtype == np.float32
        assert rows == expected(TEXTS)
        assert query(made) == pytest.approx(vector("what?"), abs=1e-6)
    assert made.dimensions == 3


def test_only_the_model_and_the_texts_are_sent():
    """EM-09, EM-10: a field that a server may not know is absent."""
    with serving(model()) as server:
        embed(embedder(server), ["a"])
    assert all(body.keys() == {"model", "input"} for body in server.bodies)
    assert {body["model"] for body in server.bodies} == {"m1"}
    assert set(server.paths) == {"/v1/embeddings"}


def test_prefixes_are_for_documents_and_queries_apart():
    with serving(model()) as server:
        made = embedder(server, document_prefix="passage: ", query_prefix="query: ")
        embed(made, ["a"])
        query(made, "b")
    assert asked(server) == [["passage: a"], ["query: b"]]


def test_base64_and_vectors_of_any_length_become_unit_vectors():
    def script(received: Any) -> Any:
        return answer(packed(np.array(vector(text)) * 7) for text in received.body["input"])

    with serving(script) as server:
        assert embed(embedder(server), TEXTS[:4]) == expected(TEXTS[:4])


def test_blank_texts_are_never_sent_and_have_no_vector():
    """EM-05."""

    def refuse(texts: Sequence[str]) -> Any:
        return (
            Reply("input must not be empty", 400)
            if not all(text.strip(" \u200b") for text in texts)
            else None
        )

    with serving(model(refuse=refuse)) as server:
        rows = embed(embedder(server, document_prefix="passage: "), ["a", "", "   ", "\u200b", "b"])
    assert asked(server) == [["passage: a", "passage: b"]]
    assert [row.any() for row in rows] == [True, False, False, False, True]


def test_only_blank_texts_are_rows_of_zeros_of_the_right_length():
    with serving(model()) as server:
        made = embedder(server)
        assert embed(made, ["", " "]).tolist() == [[0.0] * 3] * 2
        assert embed(made, []).shape == (0, 3)
        with pytest.raises(EmbedderError, match="nothing to embed"):
            query(made, " ")


def test_surrogates_and_nul_are_replaced():
    with serving(model()) as server:
        embed(embedder(server), ["a\0b\ud800"])
    assert asked(server) == [["a b\ufffd"]]


def test_a_key_is_sent_and_nowhere_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EMBED_KEY", "sk-geheim")

    def script(received: Any) -> Any:
        return Reply(f"wrong key {received.headers['authorization']}".encode(), 401)

    with serving(script) as server, pytest.raises(EmbedderError, match="EMBED_KEY") as caught:
        query(embedder(server, api_key_env="EMBED_KEY"))
    assert "sk-geheim" not in str(caught.value)
    assert "wrong key Bearer [key]" in str(caught.value)


# --- batches --------------------------------------------------------------------------------------------------


def test_a_limit_of_the_server_is_found_and_remembered():
    """EM-03."""

    def refuse(texts: Sequence[str]) -> Any:
        told = "batch size is invalid, it should not be larger than 10"
        return Reply({"error": {"message": told}}, 400) if len(texts) > 10 else None

    with serving(model(refuse=refuse)) as server:
        made = embedder(server)
        assert embed(made, TEXTS) == expected(TEXTS)
        before = len(server.received)
        assert embed(made, TEXTS) == expected(TEXTS)
        assert all(len(body["input"]) <= 10 for body in server.bodies[before:]), "and remembered"


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_server_that_takes_hardly_anything_is_served_too(limit: int):
    def refuse(texts: Sequence[str]) -> Any:
        return Reply("too many inputs", 422) if len(texts) > limit else None

    with serving(model(refuse=refuse)) as server:
        assert embed(embedder(server), TEXTS[:7]) == expected(TEXTS[:7])


def test_large_texts_go_in_smaller_requests():
    texts = [f"{number}" + "x" * 20_000 for number in range(7)]
    with serving(model()) as server:
        assert embed(embedder(server), texts) == expected(texts)
    assert [len(each) for each in asked(server)] == [2, 2, 2, 1]


def test_a_text_that_is_too_long_is_embedded_in_pieces_and_that_is_said():
    def refuse(texts: Sequence[str]) -> Any:
        return Reply("maximum context length is 512 tokens", 400) if max(map(len, texts)) > 500 else None

    long = "".join(f"word {number} " for number in range(120))
    with serving(model(refuse=refuse)) as server:
        made = embedder(server)
        rows = embed(made, ["a", long, "b"])
        assert rows[[0, 2]] == expected(["a", "b"])
        assert np.linalg.norm(rows[1]) == pytest.approx(1.0)
        assert "1 long text in pieces" in made.note
        embed(made, ["c", "d"])
    assert asked(server)[-1] == ["c", "d"], "one long text makes no request smaller for the others"
    pieces = [text for each in asked(server) for text in each if text in long and 5 < len(text) <= 500]
    assert "".join(pieces) == long


def test_a_text_that_a_server_calls_too_large_as_its_own_fault_is_cut_and_not_sent_again_as_it_is():
    """As llama.cpp does, with a 500."""

    def refuse(texts: Sequence[str]) -> Any:
        told = "input is too large to process. increase the physical batch size"
        return Reply({"error": {"message": told}}, 500) if max(map(len, texts)) > 500 else None

    with serving(model(refuse=refuse)) as server:
        embed(embedder(server), ["word " * 190])
    whole = [body for body in server.bodies if "word " * 190 in body["input"]]
    assert len(whole) == 2, "beside a probe, and alone"


def test_pieces_that_are_blank_are_not_sent():
    def refuse(texts: Sequence[str]) -> Any:
        if any(not text.strip() for text in texts):
            return Reply("empty input", 400)
        return Reply("too long", 413) if max(map(len, texts)) > 500 else None

    with serving(model(refuse=refuse)) as server:
        rows = embed(embedder(server), ["a" * 300 + " " * 3_000 + "b" * 300])
    assert np.linalg.norm(rows[0]) == pytest.approx(1.0)


def test_a_refusal_for_another_reason_is_an_error_with_what_the_server_said():
    def refuse(texts: Sequence[str]) -> Any:
        return Reply("poison", 400) if "text 7" in texts else None

    with serving(model(refuse=refuse)) as server:
        made = embedder(server)
        with pytest.raises(EmbedderError, match="poison"):
            embed(made, TEXTS)
        assert embed(made, TEXTS[8:]) == expected(TEXTS[8:])
    assert len(server.received) < 30


# --- dimensions -----------------------------------------------------------------------------------------------


def test_dimensions_that_the_model_does_not_take_are_told_by_their_setting():
    """EM-10."""

    def script(received: Any) -> Any:
        refused = Reply("unknown field: dimensions", 400)
        return refused if "dimensions" in received.body else model()(received)

    with serving(script) as server:
        assert embed(embedder(server), ["a"]) == expected(["a"])
        with pytest.raises(EmbedderError, match=r"embedding\.dimensions"):
            embed(embedder(server, dimensions=2), ["a"])


def test_dimensions_that_the_server_ignores_are_told():
    """EM-10."""
    with serving(model(dimensions=6)) as server:
        with pytest.raises(EmbedderError, match="asked 8, got 6"):
            embed(embedder(server, dimensions=8), ["a"])
        assert embedder(server, dimensions=8).dimensions == 8


# --- failures -------------------------------------------------------------------------------------------------


def test_what_may_pass_is_tried_again():
    replies: list[Any] = [Reply(b"", 503), Reply(b"", 429, {"retry-after": "0.01"}), Reply(b"{", declared=9)]

    def script(received: Any) -> Any:
        return replies.pop(0) if replies else model()(received)

    with serving(script) as server:
        assert embed(embedder(server), ["a"]) == expected(["a"])
    assert len(server.received) == 5


def test_attempts_are_bounded():
    with serving(lambda _: Reply(b"", 503)) as server, pytest.raises(EmbedderError, match="503"):
        embed(embedder(server), ["a"])
    assert len(server.received) == SOON.attempts


def test_what_cannot_pass_is_tried_once():
    with serving(lambda _: Reply(b"", 401)) as server, pytest.raises(EmbedderError, match="401"):
        embed(embedder(server), ["a"])
    assert len(server.received) == 1


def test_a_server_that_wants_to_be_left_alone_for_long_is():
    with serving(lambda _: Reply(b"", 429, {"retry-after": "3600"})) as server, pytest.raises(EmbedderError):
        embed(embedder(server), ["a"])
    assert len(server.received) == 1


def test_delays_double_at_random_and_end():
    patience = Patience(attempts=12, first_delay=1.0, longest_delay=8.0)
    for attempt, most in enumerate([1, 2, 4, 8, 8, 8]):
        for _ in range(20):
            delay = patience.delay(attempt, None)
            assert delay is not None
            assert most / 2 <= delay <= most
    assert patience.delay(0, 5.0) == 5.0
    assert patience.delay(0, 9.0) is None
    assert patience.delay(11, None) is None
    assert len({patience.delay(3, None) for _ in range(5)}) > 1


@pytest.mark.parametrize("answered", [Reply(b"<html>"), {"data": []}, {"error": "busy"}, Reply(b"", 204)])
def test_an_answer_without_vectors_is_an_error(answered: Any):
    with serving(lambda _: answered) as server, pytest.raises(EmbedderError):
        embed(embedder(server), ["a"])


def test_a_dead_server_and_one_that_never_answers_are_errors():
    """RF-05."""
    with pytest.raises(EmbedderError, match="cannot be reached"):
        query(embedder(f"http://127.0.0.1:{refusing_port()}"))
    hasty = Patience(seconds=0.1, attempts=1)
    with serving(lambda _: HOLD) as server, pytest.raises(EmbedderError, match="timeout"):
        query(embedder(server, patience=hasty))


@pytest.mark.parametrize("script", [lambda _: HOLD, lambda _: Reply(b"", 429, {"retry-after": "0.4"})])
def test_a_cancel_ends_a_request_and_a_wait(script: Any):
    token = CancelToken()
    with serving(script) as server:
        timer = threading.Timer(0.05, token.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            embedder(server).embed(["a"], cancel=token)
        timer.join()
    assert len(server.received) == 1


def test_a_thread_that_waits_for_another_s_probes_can_be_cancelled():
    started, token = threading.Event(), CancelToken()

    def script(_: Any) -> Any:
        started.set()
        return HOLD

    with serving(script) as server:
        made, first = embedder(server), CancelToken()

        def waits() -> None:
            with pytest.raises(Cancelled):
                made.embed(["a"], cancel=first)

        other = threading.Thread(target=waits)
        other.start()
        started.wait(5.0)
        token.cancel()
        with pytest.raises(Cancelled):
            made.embed(["b"], cancel=token)
        first.cancel()
        other.join()


def test_an_address_or_a_model_that_is_missing_is_told_by_its_setting():
    for fields in ({"base_url": "http://h"}, {"model": "m"}):
        with pytest.raises(EmbedderError, match=r"embedding\.base_url and embedding\.model"):
            OpenAIEmbedder(Embedding(provider="openai", **fields))


def test_an_address_that_is_none_is_told():
    for url in ("http://[::1", "http://h:port"):
        with pytest.raises(EmbedderError, match=r"embedding\.base_url"):
            embedder(url)


# --- identity -------------------------------------------------------------------------------------------------


def test_the_same_endpoint_however_it_is_written_is_one_identity():
    written = [
        "http://h:1",
        "http://h:1/v1",
        "http://H:1/v1/",
        "http://h:1/v1/embeddings",
        "http://h:1/v1?api-version=2",
    ]
    assert len({embedder(base).fingerprint for base in written}) == 1


def test_all_that_vectors_depend_on_is_in_the_identity():
    """EM-08."""
    changes: list[dict[str, Any]] = [
        {}, {"model": "m2"}, {"dimensions": 8}, {"document_prefix": "p"}, {"query_prefix": "p"},
        {"base_url": "http://h:2"}, {"base_url": "https://h:1"}, {"base_url": "http://h:1/v2"},
    ]  # fmt: skip
    made = [embedder("http://h:1", **change) for change in changes]
    assert len({each.fingerprint for each in made}) == len(changes)
    assert embedder("http://h:1", api_key_env="OTHER").fingerprint == made[0].fingerprint


def test_the_identity_is_known_before_any_server_is_asked_and_stays():
    with serving(model()) as server:
        made = embedder(server)
        before = made.fingerprint
        embed(made, ["a"])
        assert made.fingerprint == before


def test_another_model_behind_the_name_is_noticed_when_it_is_loaded():
    facts = Facts()
    with serving(model()) as server:
        embedder(server, memory=facts).load()
        embedder(server, memory=facts).load()
        for changed in (model(seed="other"), model(dimensions=4)):
            server.script = changed
            with pytest.raises(ModelChangedError, match=r"m1.*index --rebuild"):
                embedder(server, memory=facts).load()


def test_another_model_is_noticed_between_two_requests():
    with serving(model()) as server:
        made = embedder(server)
        embed(made, ["a"])
        server.script = model(seed="other")
        for _ in range(2):
            with pytest.raises(ModelChangedError):
                embed(made, ["b"])
            with pytest.raises(ModelChangedError):
                query(made)
        server.script = model()
        assert embed(made, ["b"]) == expected(["b"])


def test_another_model_is_noticed_where_requests_hold_one_text():
    def refuse(texts: Sequence[str]) -> Any:
        return Reply("too many inputs", 400) if len(texts) > 1 else None

    with serving(model(refuse=refuse)) as server:
        made = embedder(server)
        embed(made, ["a"])
        server.script = model(seed="other", refuse=refuse)
        with pytest.raises(ModelChangedError):
            embed(made, ["b"])


def test_an_adopted_model_has_an_identity_of_its_own_and_the_former_gets_its_own_back():
    facts = Facts()
    with serving(model()) as server:
        made = embedder(server, memory=facts)
        made.load()
        first = made.fingerprint
        server.script = model(seed="other")
        made.adopt(cancel=CancelToken())
        assert made.fingerprint != first
        assert embed(made, ["a"]) == expected(["a"], seed="other")
        assert embedder(server, memory=facts).fingerprint == made.fingerprint, "kept with the library"
        server.script = model()
        made.adopt(cancel=CancelToken())
        assert made.fingerprint == first


def test_a_request_carries_one_short_probe_and_no_more():
    with serving(model()) as server:
        made = embedder(server)
        query(made)
        query(made)
    assert [len(body["input"]) for body in server.bodies] == [len(PROBES), 2, 2]
