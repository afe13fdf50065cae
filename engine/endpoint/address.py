"""Addresses of endpoints: how a base becomes a full one, which are this machine's own, and which proxy serves
the others. What is no address at all raises ``EndpointError`` in each.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from engine.errors import EndpointError


def completed(base: str, *, leaf: str, version: str) -> str:
    """The address that ``base`` stands for: the path that it has and ``leaf``, once.

    A base without a path gets ``version`` (``/v1``) before the leaf; a query stays where it belongs. So
    ``http://h``, ``http://h/v1``, ``http://h/v1/`` and ``http://h/v1/embeddings`` are one address.
    """
    parts = _parts(base.strip())
    segments = [segment for segment in parts.path.split("/") if segment]
    if not segments:
        segments = [segment for segment in version.split("/") if segment]
    if segments[-1:] != [leaf]:
        segments.append(leaf)
    return urlunsplit((parts.scheme, parts.netloc, "/" + "/".join(segments), parts.query, ""))


def identity(url: str) -> str:
    """What of an address tells one service from another: scheme, host, port and path, nothing secret."""
    parts = _parts(url)
    return urlunsplit((parts.scheme.lower(), parts.netloc.rpartition("@")[2].lower(), parts.path, "", ""))


def without_login(url: str) -> str:
    """The address without the user and password that it should not have: what is asked, and what is shown."""
    parts = _parts(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))


def is_loopback(url: str) -> bool:
    """Whether the address is this machine's own: by name, or by any loopback or unspecified number."""
    host = (_parts(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_loopback or inner.is_unspecified)


def proxy_for(url: str, proxies: Mapping[str, str] | None = None) -> str | None:
    """The proxy of the environment for this address; none for this machine's own, whatever it says.

    ``proxies`` maps ``http``, ``https``, ``all`` and ``no`` as ``urllib`` reads them from ``HTTP_PROXY`` and
    its like. ``NO_PROXY`` may hold names, suffixes and networks (``10.0.0.0/8``); what is neither is ignored.
    """
    if is_loopback(url):
        return None
    if proxies is None:
        from urllib.request import getproxies_environment  # 15 ms at a start that may ask no server

        proxies = getproxies_environment()
    parts = _parts(url)
    if any(_covers(entry.strip(), parts.hostname or "") for entry in proxies.get("no", "").split(",")):
        return None
    return proxies.get(parts.scheme) or proxies.get("all") or None


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # read late, and refused only then
    except ValueError:
        raise EndpointError("the address of an endpoint is none", "correct its base_url") from None
    return parts


def _covers(entry: str, host: str) -> bool:
    """Whether an entry of ``NO_PROXY`` names the host: ``*``, a domain and all below it, a number, a
    network."""
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        name = entry.lower().removeprefix("*").lstrip(".").partition(":")[0]
        return bool(name) and (host == name or host.endswith(f".{name}"))
