"""A library whose settings name a reranking server: one facade for every face, and a search that never fails
for the server's sake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.library import Library
from engine.settings import Embedding, RerankEndpoint, Retrieval, Settings
from engine.trace import covers, settle
from tests.learned.build import by_text, texts_of
from tests.pipeline.killing import without_times
from tests.servers import HOLD, Reply, Server, serving

DOCUMENTS = {
    "a.md": "# Retry\n\nA task is retried three times.\n",
    "b.md": "# Queue\n\nA task waits in the queue.\n",
    "c.md": "# Secret\n\nA task of the board.\n",
}
LEARNED = Retrieval(rerank="learned", vector_weight=0)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(by_text(lambda text: 0.9 if "queue" in text else 0.3)) as running:
        yield running


@pytest.fixture
async def library(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RERANK_KEY", "sk-geheim")
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text)
    settings = Settings(
        embedding=Embedding(provider="hash"),
        rerank_endpoint=RerankEndpoint(base_url=server.url, model="m", api_key_env="RERANK_KEY", timeout=1),
        scopes=(("c.md", ("board",)),),
    )
    async with await Library.open(tmp_path, settings=settings) as opened:
        async for _ in opened.sync(cancel=CancelToken()):
            pass
        yield opened


async def test_the_server_s_order_is_the_result_s(library: Library, server: Server) -> None:
    trace = await library.retrieve("task", LEARNED)
    assert [result.chunk.path for result in trace.ranking.results()] == ["b.md", "a.md"]
    document = json.loads(json.dumps(trace.to_json()))
    told = {"model": "m", "served": True, "scale": "unit", "scored": 2}
    assert document["diagnostics"]["rerank"] == told
    assert document["diagnostics"]["channel_ms"]["rerank"] > 0
    assert document["results"][0]["features"]["learned"]["value"] == 0.9
    assert "sk-geheim" not in json.dumps(document)
    assert len(server.received) == 1


async def test_the_server_gets_only_what_the_principal_may_see(library: Library, server: Server) -> None:
    await library.retrieve("task", LEARNED)
    assert not any("board" in text for text in texts_of(server.received[0]))
    await library.retrieve("task", LEARNED, scopes=("board",))
    assert any("board" in text for text in texts_of(server.received[1]))


async def test_a_turned_setting_settles_again_without_a_request(library: Library, server: Server) -> None:
    recall = await library.recall("task", LEARNED)
    turned = replace(LEARNED, top_k=1, rrf_k=10, cjk_weight=0.5, minimum_relevance=0.5)
    assert covers(recall, turned)
    assert settle(recall, turned).ranking.passed == 1
    assert len(server.received) == 1


async def test_a_recall_that_asked_no_model_does_not_cover_settings_that_want_one(library: Library) -> None:
    recall = await library.recall("task", replace(LEARNED, rerank="local"))
    assert not covers(recall, LEARNED)
    scored = library.score(recall, LEARNED, cancel=CancelToken())
    assert covers(scored, LEARNED)
    assert covers(scored, replace(LEARNED, rerank="off"))


async def test_the_same_query_twice_is_the_same_trace(library: Library, server: Server) -> None:
    one, two = [without_times(await library.retrieve("task", LEARNED)) for _ in range(2)]
    assert one == two
    assert len(server.received) == 1


async def test_settings_that_want_no_model_ask_none(library: Library, server: Server) -> None:
    """RF-02."""
    for rerank in ("off", "local"):
        await library.retrieve("task", Retrieval(rerank=rerank))
    assert not server.received


@pytest.mark.parametrize("answer", [HOLD, Reply(b"", 503), {"error": "busy"}, Reply(b"[{", declared=99)])
async def test_a_server_that_fails_costs_the_order_alone(
    library: Library, server: Server, answer: object
) -> None:
    """RR-03, RR-07."""
    server.script = lambda _: answer
    trace = await library.retrieve("task", replace(LEARNED, minimum_relevance=0.9))
    local = await library.retrieve("task", replace(LEARNED, rerank="local"))
    assert list(trace.ranking.results()) == list(local.ranking.results())
    assert trace.ranking.passed == 2
    assert [each.code for each in trace.degraded if each.channel == "rerank"] == ["rerank_failed"]
    assert trace.to_json()["diagnostics"]["rerank"]["served"] is False  # type: ignore[index]
    assert len(server.received) == 1, "one attempt"


async def test_a_failure_covers_turned_settings_too(library: Library, server: Server) -> None:
    server.script = lambda _: Reply(b"", 503)
    recall = await library.recall("task", LEARNED)
    assert covers(recall, replace(LEARNED, top_k=3)), "no key press asks a dead server again"


async def test_a_cancelled_query_ends_its_request(library: Library, server: Server) -> None:
    token = CancelToken()

    def cancels(_: object) -> object:
        token.cancel()
        return HOLD

    server.script = cancels
    with pytest.raises(Cancelled):
        await library.recall("task", LEARNED, cancel=token)
    assert server.hung_up.wait(1.0)
