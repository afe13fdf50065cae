"""A recall and a real server: what is sent, what is kept, and what is said where the server does not serve."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.learned.reranker import TEXT_LIMIT, Reranker, sent
from engine.model import LearnedScores, Recall
from engine.settings import RerankEndpoint, Retrieval
from tests.learned.build import by_text, texts_of
from tests.rank.build import chunk, own_documents, recall
from tests.servers import HOLD, Reply, Script, refusing_port, serving

LEARNED = Retrieval(rerank="learned", top_k=20, candidate_multiplier=10)


def reranker(url: str, **fields: object) -> Reranker:
    return Reranker(replace(RerankEndpoint(base_url=url, model="m", timeout=5), **fields))  # type: ignore[arg-type]


def scored(made: Reranker, found: Recall, retrieval: Retrieval = LEARNED) -> LearnedScores:
    learned = made.scored(found, retrieval, cancel=CancelToken()).learned
    assert learned is not None
    return learned


def by_id(found: Recall, learned: LearnedScores) -> dict[str, float]:
    return {each.chunk_id: learned.raw[row] for row, each in enumerate(found.chunks)}


# --- what is sent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cohere", "cohere-v1", "jina", "voyage", "tei"])
def test_each_kind_is_asked_and_understood(kind: str):
    found = recall({"fulltext": "abc"}, query="which?")
    with serving(by_text({"text of a": 0.1, "text of b": 0.9, "text of c": 0.5})) as server:
        learned = scored(reranker(server.url, kind=kind), found)
    assert by_id(found, learned) == {"a": 0.1, "b": 0.9, "c": 0.5}
    assert learned.relevance.tolist() == learned.raw.tolist()
    assert (learned.model, learned.scale, learned.failed) == ("m", "unit", None)
    assert server.bodies[0]["query"] == "which?"


def test_at_most_a_hundred_candidates_are_sent_best_fused_first():
    names = [f"{number:03}" for number in range(150)]
    found = recall({"fulltext": names})
    with serving(by_text(lambda text: 0.5)) as server:
        learned = scored(reranker(server.url), found)
    (received,) = server.received
    assert texts_of(received) == [f"text of {name}" for name in names[:100]]
    assert np.isnan(learned.raw).sum() == 50


def test_a_protocol_with_small_requests_gets_several():
    found = recall({"fulltext": [f"{number:03}" for number in range(70)]})
    with serving(by_text(lambda text: float(text[-2:]) / 100)) as server:
        learned = scored(reranker(server.url, kind="tei"), found)
    assert [len(texts_of(each)) for each in server.received] == [32, 32, 6]
    assert learned.raw.tolist() == [number / 100 for number in range(70)]


def test_a_candidate_is_sent_with_its_headings_and_cut_at_the_limit():
    long = chunk("a", title="Title", heading_path=("One", "Two"), text="x" * 20_000)
    assert sent(long).startswith("Title\nOne › Two\n\nxxx")
    assert len(sent(long)) == TEXT_LIMIT == 8_000
    assert sent(chunk("b", text="plain")) == "plain"


def test_equal_texts_are_sent_once_and_each_chunk_has_the_score():
    """RR-06."""
    chunks = [
        chunk("a", path="a.md", text="x"),
        chunk("b", path="b.md", text="x"),
        chunk("c", path="c.md", text="y"),
    ]
    found = recall({"fulltext": ["a", "b", "c"]}, chunks)
    with serving(by_text({"x": 0.2, "y": 0.8})) as server:
        learned = scored(reranker(server.url), found)
    assert texts_of(server.received[0]) == ["x", "y"]
    assert by_id(found, learned) == {"a": 0.2, "b": 0.2, "c": 0.8}


def test_a_chunk_without_a_visible_character_is_not_sent():
    chunks = [chunk("a", path="a.md", text=" \u200b"), chunk("b", path="b.md", text="y")]
    found = recall({"fulltext": ["a", "b"]}, chunks)
    with serving(by_text({"y": 0.8})) as server:
        learned = scored(reranker(server.url), found)
    assert np.isnan(by_id(found, learned)["a"])


def test_nothing_found_asks_nothing():
    with serving(by_text({})) as server:
        assert scored(reranker(server.url), recall({"fulltext": []}, ())).failed is None
    assert not server.received


def test_an_echo_never_becomes_text():
    found = recall({"fulltext": "ab"})
    lie = {"results": [{"index": 0, "relevance_score": 0.5, "document": {"text": "LIE"}}]}
    with serving(lambda _: lie) as server:
        after = reranker(server.url).scored(found, LEARNED, cancel=CancelToken())
    assert after.chunks == found.chunks


# --- what is kept ---------------------------------------------------------------------------------------------


def test_a_query_s_scores_are_fetched_once():
    found = recall({"fulltext": "abc"})
    with serving(by_text(lambda text: 0.5)) as server:
        made = reranker(server.url)
        once, again = scored(made, found), scored(made, found)
        assert once.raw.tobytes() == again.raw.tobytes()
        assert len(server.received) == 1
        scored(made, replace(found, query="another"))
        assert len(server.received) == 2


def test_only_what_has_no_score_yet_is_sent():
    few, more = recall({"fulltext": "ab"}), recall({"fulltext": "abc"})
    with serving(by_text({f"text of {name}": ord(name) / 200 for name in "abc"})) as server:
        made = reranker(server.url)
        scored(made, few)
        assert not np.isnan(scored(made, more).raw).any()
    assert [texts_of(each) for each in server.received] == [["text of a", "text of b"], ["text of c"]]


def test_what_the_endpoint_did_not_list_is_not_asked_again():
    found = recall({"fulltext": "ab"})
    with serving(lambda _: [{"index": 1, "score": 0.5}]) as server:
        made = reranker(server.url)
        for _ in range(2):
            assert np.isnan(by_id(found, scored(made, found))["a"])
    assert len(server.received) == 1


def test_the_number_kept_is_bounded():
    with serving(by_text(lambda text: 0.5)) as server:
        made = Reranker(RerankEndpoint(base_url=server.url), kept=4)
        for number in range(6):
            scored(made, recall({"fulltext": "ab"}, query=f"q{number}"))
        assert len(made._known) == 4
        scored(made, recall({"fulltext": "ab"}, query="q0"))
    assert len(server.received) == 7


def test_a_failure_is_not_kept():
    found = recall({"fulltext": "a"})
    answers: list[object] = [Reply(b"", 503), [{"index": 0, "score": 0.5}]]
    with serving(lambda _: answers.pop(0)) as server:
        made = reranker(server.url)
        assert scored(made, found).failed is not None
        assert scored(made, found).failed is None


# --- what goes wrong ------------------------------------------------------------------------------------------

WRONG: dict[str, Script] = {
    "503": lambda _: Reply(b"", 503),
    "busy": lambda _: {"error": "busy"},
    "cut": lambda _: Reply(b'[{"index": 0', declared=99),
    "huge": lambda _: Reply(b" " * (17 << 20)),
    "empty": lambda _: {"results": []},
    "out of range": lambda _: [{"index": 9, "score": 0.5}],
    "twice": lambda _: [{"index": 0, "score": 0.5}, {"index": 0, "score": 0.5}],
    "no index": lambda _: [{"score": 0.5}],
    "NaN": lambda _: Reply(b'[{"index": 0, "score": NaN}]'),
    "html": lambda _: Reply(b"<html>"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_server_that_is_wrong_is_asked_once_and_told(wrong: str):
    """RR-03, RR-07."""
    found = recall({"fulltext": "ab"})
    with serving(WRONG[wrong]) as server:
        learned = scored(reranker(server.url), found)
    assert learned.failed is not None
    assert learned.failed.code == "rerank_failed"
    assert learned.failed.remedy
    assert np.isnan(learned.raw).all()
    assert len(server.received) == 1


def test_a_slow_server_is_a_timeout_and_a_dead_one_is_told():
    """RR-03."""
    found = recall({"fulltext": "ab"})
    with serving(lambda _: HOLD) as server:
        slow = scored(reranker(server.url, timeout=0.1), found).failed
    assert slow is not None
    assert "timeout" in slow.message
    dead = scored(reranker(f"http://127.0.0.1:{refusing_port()}"), found).failed
    assert dead is not None
    assert "cannot be reached" in dead.message


def test_the_timeout_is_for_all_requests_of_a_query_together():
    found = recall({"fulltext": [f"{number:03}" for number in range(40)]})
    answer = by_text(lambda text: 0.5)
    with serving(lambda received: answer(received) if received.number == 1 else HOLD) as server:
        learned = scored(reranker(server.url, kind="tei", timeout=0.3), found)
    assert learned.failed is not None
    assert np.isnan(learned.raw).all(), "half a list would be an order of its own"


def test_no_endpoint_is_told_with_the_setting_to_make():
    told = scored(reranker(""), recall({"fulltext": "ab"})).failed
    assert told is not None
    assert "rerank_endpoint.base_url" in told.remedy


def test_an_address_that_is_none_is_told():
    for url in ("http://[::1", "http://h:port"):
        assert scored(reranker(url, model=""), recall({"fulltext": "ab"})).failed is not None


def test_a_key_is_sent_and_nowhere_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RERANK_KEY", "sk-geheim")
    found = recall({"fulltext": "ab"})
    with serving(lambda received: Reply(received.headers["authorization"].encode(), 401)) as server:
        learned = scored(reranker(server.url, api_key_env="RERANK_KEY"), found)
    assert server.received[0].headers["authorization"] == "Bearer sk-geheim"
    assert "sk-geheim" not in repr(learned)
    assert learned.failed is not None
    assert "Bearer [key]" in learned.failed.message


def test_a_cancel_ends_the_request():
    token = CancelToken()
    with serving(lambda _: HOLD) as server:
        timer = threading.Timer(0.05, token.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            reranker(server.url).scored(recall({"fulltext": "ab"}), LEARNED, cancel=token)
        assert server.hung_up.wait(1.0)
        timer.join()


def test_own_documents_are_left_as_they_were():
    found = recall({"fulltext": "ab"}, own_documents("ab"))
    with serving(by_text(lambda text: 0.5)) as server:
        after = reranker(server.url).scored(found, LEARNED, cancel=CancelToken())
    assert after.milliseconds > found.milliseconds
    assert replace(after, learned=None, milliseconds=0.0).chunks is found.chunks
