"""Real HTTP servers on this machine's loopback, in threads, whose answers a test scripts.

A script is a function of the request that was received. What it returns is the answer: a ``Reply``, or plain
data for a good one in JSON. The server records every request, and whether its client hung up on it.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came: ``path`` with its query, headers by lower-case name, the body's JSON."""

    path: str
    headers: dict[str, str]
    body: Any
    number: int


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. ``body`` is JSON data, or bytes as they are; ``declared`` is a length that is claimed in
    place of the true one. ``after`` is called before anything is sent, ``drip`` bytes are sent each 10 ms.
    """

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    declared: int | None = None
    after: Callable[[], object] | None = None
    drip: int = 0


Script = Callable[[Received], Any]


class Server:
    """Answers POST by its script, which a test may replace; ``received`` lists what came."""

    def __init__(self, script: Script, host: str = "127.0.0.1") -> None:
        self.script = script
        self.received: list[Received] = []
        self.hung_up = threading.Event()
        self.stopping = threading.Event()
        family = _IPv6 if ":" in host else _IPv4
        self._server = family((host, 0), _handler(self))
        self.port = int(self._server.server_address[1])
        self.url = f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def paths(self) -> list[str]:
        return [each.path for each in self.received]

    @property
    def bodies(self) -> list[Any]:
        return [each.body for each in self.received]

    def wait(self, connection: socket.socket) -> None:
        """Hold an answer back until the client has hung up, or the test is over."""
        connection.settimeout(0.01)
        while not self.stopping.is_set():
            try:
                if not connection.recv(1, socket.MSG_PEEK):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            return
        self.hung_up.set()

    def stop(self) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _IPv4(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has hung up is what some tests are about, and no output."""


class _IPv6(_IPv4):
    address_family = socket.AF_INET6


@contextmanager
def serving(script: Script, host: str = "127.0.0.1") -> Iterator[Server]:
    """A server for the length of a test."""
    server = Server(script, host)
    try:
        yield server
    finally:
        server.stop()


HOLD = object()
"""An answer that never comes: the server waits until its client hangs up."""


def refusing_port() -> int:
    """A port of the loopback on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.path, headers, json.loads(raw), len(server.received) + 1)
            server.received.append(received)
            answer = server.script(received)
            if answer is HOLD:
                server.wait(self.connection)
                return
            self._send(answer if isinstance(answer, Reply) else Reply(answer))

        def _send(self, reply: Reply) -> None:
            if reply.after is not None:
                reply.after()
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            length = len(body) if reply.declared is None else reply.declared
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(length))
            self.end_headers()
            if not reply.drip:
                self.wfile.write(body)
            for start in range(0, len(body) if reply.drip else 0, reply.drip or 1):
                self.wfile.write(body[start : start + reply.drip])
                if server.stopping.wait(0.01):
                    return

        def log_message(self, *_: object) -> None:
            """Not a word of output."""

    return Handler
