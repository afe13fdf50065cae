"""An OpenAI-compatible embedding server around the packaged model, in a process of its own: to be killed and changed.

``python -m tests.faults.embedding_server PORT KIND DELAY`` answers with the model as it is (``same``), with another
model under the same name (``other``: its dimensions in another order) or with shorter vectors (``short``), after so
many seconds. Each request's number of texts goes to standard output.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from engine.cancel import CancelToken
from engine.embedding.packaged import DIMENSIONS, PackagedEmbedder

SHORT = 256


def vectors(texts: list[str], kind: str, embedder: PackagedEmbedder) -> np.ndarray:
    """``(n, dim) float32`` as this kind of model makes them."""
    rows = embedder.embed(texts, cancel=CancelToken())
    if kind == "other":
        return rows[:, np.random.default_rng(7).permutation(DIMENSIONS)]
    return rows[:, :SHORT] if kind == "short" else rows


def _serve(port: int, kind: str, delay: float) -> None:
    embedder = PackagedEmbedder()
    embedder.load()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            time.sleep(delay)
            data = [
                {"object": "embedding", "index": place, "embedding": row.tolist()}
                for place, row in enumerate(vectors(texts, kind, embedder))
            ]
            body = json.dumps({"object": "list", "data": data, "model": "use"}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            print(len(texts), flush=True)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print("ready", flush=True)
    server.serve_forever()


@contextmanager
def serving(port: int, kind: str = "same", delay: float = 0.0) -> Iterator[subprocess.Popen[str]]:
    """A server that answers already, killed at the end."""
    command = [sys.executable, "-m", "tests.faults.embedding_server", str(port), kind, str(delay)]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


if __name__ == "__main__":
    _serve(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
