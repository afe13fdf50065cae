"""A library whose vectors come from a server: dead, slow, changed and back again, nothing is lost and no wrong
vector takes part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.embedding.openai import OpenAIEmbedder
from engine.errors import Cancelled, EmbedderError
from engine.library import Library
from engine.settings import Embedding, Retrieval, Settings
from engine.trace import Trace
from tests.embedding.endpoint import SOON, asked, model
from tests.servers import HOLD, Reply, Server, serving

DOCUMENTS = {
    f"{name}.md": f"# {name}\n\nThe text about {name}.\n" for name in ("one", "two", "three", "four", "five")
}
QUESTION = "text about two"
VECTOR_ONLY = Retrieval(fulltext_weight=0, cjk_weight=0, graph_weight=0)


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    soon = replace(SOON, seconds=0.5, attempts=1)
    made = partial(OpenAIEmbedder, documents=soon, query=soon, loading=soon)
    monkeypatch.setattr("engine.embedding.OpenAIEmbedder", made)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(model()) as running:
        yield running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def settings(server: Server, **fields: Any) -> Settings:
    return Settings(embedding=Embedding(provider="openai", base_url=server.url, **{"model": "m1", **fields}))


async def opened(root: Path, server: Server, **fields: Any) -> Library:
    return await Library.open(root, settings=settings(server, **fields))


async def sync(library: Library, **options: bool) -> None:
    async for _ in library.sync(cancel=CancelToken(), **options):
        pass


async def synced(root: Path, server: Server, *, rebuild: bool = False, **fields: Any) -> None:
    async with await opened(root, server, **fields) as library:
        await sync(library, rebuild=rebuild)


async def asked_of(root: Path, server: Server, retrieval: Retrieval | None = None, **fields: Any) -> Trace:
    async with await opened(root, server, **fields) as library:
        return await library.retrieve(QUESTION, retrieval)


def told(trace: Trace) -> dict[str, str]:
    return {each.code: each.message for each in trace.degraded if each.channel == "vector"}


def sent(server: Server) -> int:
    return sum(map(len, asked(server)))


# --- serving --------------------------------------------------------------------------------------------------


async def test_the_server_s_vectors_are_searched(root: Path, server: Server) -> None:
    await synced(root, server)
    trace = await asked_of(root, server)
    assert trace.recall.channel("vector").listed == 5
    assert not told(trace)
    assert asked(server)[-1] == [QUESTION]


async def test_a_question_is_embedded_once(root: Path, server: Server) -> None:
    await synced(root, server)
    await asked_of(root, server)
    before = sent(server)
    await asked_of(root, server)
    assert sent(server) == before


async def test_a_muted_vector_channel_asks_no_server(root: Path, server: Server) -> None:
    """RF-02."""
    await synced(root, server)
    before = len(server.received)
    trace = await asked_of(root, server, Retrieval(vector_weight=0))
    assert len(server.received) == before
    assert trace.ranking.found


# --- failing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [HOLD, Reply(b"", 503), {"data": []}])
async def test_where_the_question_cannot_be_embedded_the_text_serves_visibly(
    root: Path, server: Server, answer: object
) -> None:
    """RF-05."""
    await synced(root, server)
    server.script = lambda _: answer
    trace = await asked_of(root, server)
    assert trace.ranking.found
    assert "query_embedding_failed" in told(trace)
    if answer is HOLD:
        assert "timeout" in told(trace)["query_embedding_failed"]
    with pytest.raises(EmbedderError):
        await asked_of(root, server, VECTOR_ONLY)


async def test_an_index_that_is_made_while_the_server_is_down_waits_for_it(
    root: Path, server: Server
) -> None:
    server.script = lambda _: Reply(b"", 503)
    async with await opened(root, server) as library:
        await sync(library)
        assert "503" in library.report.embedding_failed
    trace = await asked_of(root, server)
    assert trace.ranking.found
    assert trace.recall.channel("vector").waiting == 5
    server.script = model()
    await synced(root, server)
    assert (await asked_of(root, server)).recall.channel("vector").listed == 5


async def test_what_was_embedded_before_the_server_died_is_not_asked_again(
    root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.pipeline.attach.FIRST_BATCH", 2)
    monkeypatch.setattr("engine.pipeline.attach.LARGEST_BATCH", 2)

    def dies(received: Any) -> Any:
        return model()(received) if len(asked(server)) <= 2 else Reply(b"", 503)

    server.script = dies
    await synced(root, server)
    async with await opened(root, server) as library:
        assert (await library.status()).vectors_ready == 4
    server.script = model()
    server.received.clear()
    await synced(root, server)
    assert sent(server) == 1


async def test_a_cancelled_embedding_ends_its_request_and_goes_on_later(root: Path, server: Server) -> None:
    token = CancelToken()

    def cancels(_: object) -> object:
        token.cancel()
        return HOLD

    server.script = cancels
    async with await opened(root, server) as library:
        with pytest.raises(Cancelled):
            async for _ in library.sync(cancel=token):
                pass
        assert server.hung_up.wait(1.0)
        server.script = model()
        await sync(library)
        assert (await library.status()).vectors_ready == 5


async def test_a_key_is_in_nothing_that_is_shown_or_kept(
    root: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBED_KEY", "sk-geheim")
    await synced(root, server, api_key_env="EMBED_KEY")
    server.script = lambda received: Reply(received.headers["authorization"].encode(), 401)
    trace = await asked_of(root, server, api_key_env="EMBED_KEY")
    assert "[key]" in told(trace)["query_embedding_failed"]
    assert "sk-geheim" not in str(trace.to_json())
    kept = [file for file in (root / ".rankscope").rglob("*") if file.is_file()]
    assert kept
    assert not any(b"sk-geheim" in file.read_bytes() for file in kept)


# --- changing -------------------------------------------------------------------------------------------------


async def test_another_model_is_told_with_both_identities_and_its_vectors_wait_for_a_rebuild(
    root: Path, server: Server
) -> None:
    """EM-08."""
    await synced(root, server)
    for fields in ({"model": "m2"}, {"model": "m3", "dimensions": 4}):
        server.script = model(fields.get("dimensions", 3), seed=str(fields["model"]))  # type: ignore[call-overload]
        await synced(root, server, **fields)
        trace = await asked_of(root, server, **fields)
        assert trace.recall.channel("vector").listed == 0
        assert trace.ranking.found
        message = told(trace)["vector_incompatible"]
        assert "m1" in message
        assert str(fields["model"]) in message
        assert any("index --rebuild" in each.remedy for each in trace.degraded)
    await synced(root, server, rebuild=True, **fields)
    assert (await asked_of(root, server, **fields)).recall.channel("vector").listed == 5


async def test_going_back_to_the_former_model_asks_for_no_document_again(root: Path, server: Server) -> None:
    await synced(root, server)
    await synced(root, server, rebuild=True, model="m2")
    before = sent(server)
    await synced(root, server, rebuild=True)
    assert sent(server) == before


async def test_a_model_that_changed_behind_its_name_never_mixes(root: Path, server: Server) -> None:
    await synced(root, server)
    server.script = model(seed="other")
    (root / "six.md").write_text("# six\n\nThe text about six.\n")
    await synced(root, server)
    trace = await asked_of(root, server)
    assert "has changed" in told(trace)["vector_incompatible"]
    assert trace.ranking.found
    async with await opened(root, server) as library:
        status = await library.status()
        assert (status.vectors_ready, status.vectors_waiting) == (5, 1)
        assert "has changed" in await library.load_embedder()
    await synced(root, server, rebuild=True)
    trace = await asked_of(root, server)
    assert not told(trace)
    assert trace.recall.channel("vector").listed == 6


async def test_a_change_while_the_library_is_open_is_noticed_at_the_next_question(
    root: Path, server: Server
) -> None:
    async with await opened(root, server) as library:
        await sync(library)
        assert not told(await library.retrieve(QUESTION))
        server.script = model(dimensions=5)
        assert "vector_incompatible" in told(await library.retrieve("another question"))
        server.script = model()
        assert not told(await library.retrieve("a third question"))
