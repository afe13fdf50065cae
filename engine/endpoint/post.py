"""One POST of JSON to an endpoint and its JSON answer: one attempt, with a deadline, a bound and a cancel.

The caller's thread runs a short event loop of its own: a blocking socket could neither be cancelled within
``POLL_SECONDS`` nor be held to a deadline for the whole answer, only for each piece of it.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from engine import __version__
from engine.endpoint.address import proxy_for, without_login
from engine.endpoint.secret import excerpt, secret
from engine.errors import EndpointError

if TYPE_CHECKING:
    import ssl

    import httpx

    from engine.cancel import CancelToken

T = TypeVar("T")

POLL_SECONDS = 0.02
"""How often the cancel token is looked at while a server is waited for."""

ERROR_BYTES = 65_536
"""How much of an error's body is read: enough that no key is cut before it is taken out."""

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go: the full address, and the name of the environment variable that holds the key.

    ``settings`` is the section that names them, for a remedy.
    """

    url: str
    key_variable: str
    settings: str


def post(
    endpoint: Endpoint, body: Mapping[str, object], *, seconds: float, limit: int, cancel: CancelToken
) -> object:
    """The answer to one request: what its JSON says, of ``limit`` bytes at most, within ``seconds`` in all.

    Blocks; called on an event loop, it blocks that too. Proxies of the environment do not serve this machine's
    own addresses, redirects are not followed, and no credential but the named key is ever sent. Raises
    ``EndpointError`` and ``Cancelled``.
    """
    cancel.check()
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    url = without_login(endpoint.url)
    request = _Request(endpoint, url, content, secret(endpoint.key_variable), seconds, limit)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(request, cancel)
    with ThreadPoolExecutor(1) as beside:  # a thread runs one loop at a time
        return beside.submit(_run, request, cancel).result()


def _run(request: _Request, cancel: CancelToken) -> object:
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_watched(_sent(request), cancel))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()  # not asyncio.run, which would wait for a name that is still being looked up


@dataclass(frozen=True, slots=True)
class _Request:
    endpoint: Endpoint
    url: str
    content: bytes
    key: str
    seconds: float
    limit: int

    @property
    def headers(self) -> dict[str, str]:
        """Not compressed: a bound on what comes over the wire must bound what it becomes."""
        plain = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": f"rankscope/{__version__}",
        }
        return {**plain, "authorization": f"Bearer {self.key}"} if self.key else plain


async def _watched(work: Coroutine[Any, Any, T], cancel: CancelToken) -> T:
    """What the work returns; cancelled, it is stopped and its connection closed before ``Cancelled`` is
    raised."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=POLL_SECONDS))[0]:
            cancel.check()
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=1.0)


async def _sent(request: _Request) -> object:
    """Send, read and judge; every way in which that fails becomes an ``EndpointError``."""
    import httpx  # here, for it costs every start 60 ms that only those who named an endpoint should pay

    try:
        async with (
            asyncio.timeout(request.seconds),
            _client(request) as client,
            client.stream("POST", request.url, content=request.content, headers=request.headers) as response,
        ):
            body = await _read(response, request)
    except (TimeoutError, httpx.TimeoutException):
        raise _failed(
            request, f"did not answer within {request.seconds:g} s (timeout)", passing=True
        ) from None
    except httpx.ConnectError as error:
        why = excerpt(str(error).encode(), request.key)
        raise _failed(request, f"cannot be reached ({why or 'no connection'})", passing=True) from None
    except (httpx.HTTPError, OSError):
        raise _failed(request, "broke off its answer", passing=True) from None
    except (httpx.InvalidURL, UnicodeError):
        raise _failed(request, "is no address that a request can go to") from None
    return _json(body, request)


def _client(request: _Request) -> httpx.AsyncClient:
    """A client for one request. What the environment would add by itself (netrc, proxies) stays out."""
    import httpx

    # Without https no certificate is ever looked at, and reading those of the system takes 20 ms.
    verify = _authorities() if request.url.startswith("https:") else False
    try:
        return httpx.AsyncClient(
            trust_env=False, verify=verify, timeout=None, proxy=proxy_for(request.url), follow_redirects=False
        )
    except (ValueError, ImportError, httpx.InvalidURL):
        raise EndpointError(
            f"the proxy that the environment names for {request.url} cannot be used",
            "correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, or add the host to NO_PROXY",
        ) from None


@lru_cache(maxsize=1)
def _authorities() -> ssl.SSLContext:
    """The certificates that are trusted, ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` included; read once."""
    import httpx

    return httpx.create_ssl_context()


async def _read(response: httpx.Response, request: _Request) -> bytes:
    """The body of a good answer. Raises ``EndpointError`` for any other, and for one beyond the limit."""
    if not response.is_success:
        raise _refused(response, await _beginning(response, ERROR_BYTES), request)
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise _failed(request, "compressed its answer, though it was asked not to")
    body = await _beginning(response, request.limit + 1)
    if len(body) > request.limit:
        raise _failed(request, f"answered with more than {request.limit:,} bytes")
    return body


async def _beginning(response: httpx.Response, size: int) -> bytes:
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) >= size:
            break
    return bytes(body[:size])


def _json(body: bytes, request: _Request) -> object:
    try:
        answer: object = json.loads(body)
    except (ValueError, RecursionError):
        told = excerpt(body, request.key)
        raise _failed(request, "answered with something that is not JSON", told=told) from None
    if isinstance(answer, dict) and answer.get("error"):
        raise _failed(request, "answered with an error", told=excerpt(body, request.key))
    return answer


# --- what went wrong ----------------------------------------------------------------------------------------


def _failed(request: _Request, what: str, *, told: str = "", passing: bool = False) -> EndpointError:
    section = request.endpoint.settings
    return EndpointError(
        f"{request.url} {what}{f': {told}' if told else ''}",
        f"look at the server, or at {section} in the settings",
        told=told,
        passing=passing,
    )


def _refused(response: httpx.Response, body: bytes, request: _Request) -> EndpointError:
    status, told = response.status_code, excerpt(body, request.key)
    section, variable = request.endpoint.settings, request.endpoint.key_variable
    remedies = {
        401: f"check the key in {variable}"
        if variable
        else f"name the key's variable in {section}.api_key_env",
        403: f"check what the key in {variable or f'{section}.api_key_env'} may do",
        404: f"check {section}.base_url and {section}.model",
    }
    if response.is_redirect:
        remedies[status] = f"set {section}.base_url to where it redirects, if you trust that"
    return EndpointError(
        f"{request.url} answered {status}{f': {told}' if told else ''}",
        remedies.get(status, f"look at the server, or at {section} in the settings"),
        status=status,
        told=told,
        passing=status in PASSING,
        retry_after=_retry_after(response.headers.get("retry-after", "")),
    )


def _retry_after(value: str) -> float | None:
    """Seconds to wait, from seconds or a date (RFC 9110, 10.2.3); None where it is neither."""
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
