"""A server of embeddings whose model is a hash of the text: any seed is another model."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.embedding.openai import OpenAIEmbedder, Patience
from engine.embedding.probe import PROBES
from engine.settings import Embedding
from tests.servers import Received, Server

SOON = Patience(seconds=5.0, attempts=4, first_delay=0.001, longest_delay=0.5)


def vector(text: str, dimensions: int = 3, seed: str = "") -> list[float]:
    """A unit vector that only this text has."""
    raw = hashlib.shake_256(f"{seed}\0{text}".encode()).digest(dimensions * 2)
    row = np.frombuffer(raw, dtype="<i2").astype(np.float64)
    return (row / np.sqrt((row * row).sum())).tolist()


def model(
    dimensions: int = 3, seed: str = "", refuse: Callable[[Sequence[str]], Any] = lambda _: None
) -> Callable[[Received], Any]:
    """Answers each input by ``vector``; ``refuse`` may return another answer for the inputs it sees."""

    def script(received: Received) -> Any:
        texts = received.body["input"]
        return refuse(texts) or answer(vector(text, dimensions, seed) for text in texts)

    return script


def answer(rows: Any) -> dict[str, Any]:
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": "m"}


def packed(row: Sequence[float]) -> str:
    return base64.b64encode(np.array(row, dtype="<f4").tobytes()).decode()


def embedder(server: Server | str, **fields: Any) -> OpenAIEmbedder:
    """An embedder of this server, without patience; ``memory`` is what it remembers by."""
    url = server if isinstance(server, str) else server.url
    memory = fields.pop("memory", None)
    patience = fields.pop("patience", SOON)
    settings = replace(Embedding(provider="openai", base_url=url, model="m1"), **fields)
    return OpenAIEmbedder(settings, memory=memory, documents=patience, query=patience, loading=patience)


def asked(server: Server) -> list[list[str]]:
    """The inputs of every request, the probes left out."""
    found = [[text for text in body["input"] if text not in PROBES] for body in server.bodies]
    return [texts for texts in found if texts]


class Facts(dict[str, str]):
    """A library's memory for a test."""

    def value(self, key: str) -> str | None:
        return self.get(key)

    def remember(self, key: str, value: str) -> None:
        self[key] = value
