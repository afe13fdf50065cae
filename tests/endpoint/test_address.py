"""How a base address becomes a full one, whose it is, and by which proxy it is reached."""

from __future__ import annotations

import pytest

from engine.endpoint.address import completed, identity, is_loopback, proxy_for
from engine.errors import EndpointError

PROXIES = {"http": "http://proxy:1", "https": "http://proxy:2", "all": "http://proxy:3"}


@pytest.mark.parametrize(
    ("base", "full"),
    [
        ("http://h:1", "http://h:1/v1/embeddings"),
        ("http://h:1/", "http://h:1/v1/embeddings"),
        ("http://h:1/v1", "http://h:1/v1/embeddings"),
        ("http://h:1/v1/", "http://h:1/v1/embeddings"),
        ("http://h:1//v1//", "http://h:1/v1/embeddings"),
        ("http://h:1/v1/embeddings", "http://h:1/v1/embeddings"),
        ("http://h:1/v1/embeddings/", "http://h:1/v1/embeddings"),
        ("http://h:1/api/v3", "http://h:1/api/v3/embeddings"),
        ("http://h:1/v1?x=y", "http://h:1/v1/embeddings?x=y"),
        ("http://h:1?x=y", "http://h:1/v1/embeddings?x=y"),
        (" http://[::1]:1/v1#part ", "http://[::1]:1/v1/embeddings"),
    ],
)
def test_every_way_to_write_a_base_is_one_full_address(base: str, full: str):
    """EM-13."""
    assert completed(base, leaf="embeddings", version="/v1") == full


def test_a_protocol_without_a_version_has_none_in_its_address():
    assert completed("http://h", leaf="rerank", version="") == "http://h/rerank"


def test_an_identity_has_nothing_that_could_be_secret():
    assert identity("HTTPS://User:pass@Host:1/v1/embeddings?key=abc#x") == "https://host:1/v1/embeddings"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "localhost.", "a.localhost", "[::1]",
     "[::ffff:127.0.0.1]", "0.0.0.0"],
)  # fmt: skip
def test_no_proxy_serves_this_machine_s_own_addresses(host: str):
    """EM-14."""
    url = f"http://{host}:8080/v1"
    assert is_loopback(url)
    assert proxy_for(url, PROXIES) is None


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org", "10.0.0.1", "[2001:db8::1]", ""])
def test_other_addresses_are_not_this_machine_s(host: str):
    assert not is_loopback(f"http://{host}/")


@pytest.mark.parametrize("url", ["http://[::1", "http://h:99999/", "http://h:port/"])
def test_what_is_no_address_is_told(url: str):
    for asks in (
        lambda: completed(url, leaf="rerank", version=""),
        lambda: identity(url),
        lambda: proxy_for(url),
    ):
        with pytest.raises(EndpointError):
            asks()


def test_a_proxy_is_chosen_by_scheme_and_all_stands_in():
    assert proxy_for("http://h/", PROXIES) == "http://proxy:1"
    assert proxy_for("https://h/", PROXIES) == "http://proxy:2"
    assert proxy_for("https://h/", {"all": "http://proxy:3"}) == "http://proxy:3"
    assert proxy_for("https://h/", {}) is None
    assert proxy_for("https://h/", {"http": "http://proxy:1"}) is None


@pytest.mark.parametrize(
    ("host", "listed", "direct"),
    [
        ("api.example.org", "example.org", True),
        ("api.example.org", ".example.org", True),
        ("api.example.org", "*.example.org", True),
        ("example.org", "EXAMPLE.org:443", True),
        ("badexample.org", "example.org", False),
        ("h", "*", True),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("h", "10.0.0.0/8, , %%%, [::1", False),
        ("h", "", False),
    ],
)
def test_no_proxy_names_hosts_domains_and_networks_and_nothing_in_it_can_fail(host, listed, direct):
    assert (proxy_for(f"http://{host}/", {**PROXIES, "no": listed}) is None) is direct


def test_the_environment_s_proxies_are_read_when_they_are_needed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("https_proxy", "http://proxy:9")
    monkeypatch.setenv("no_proxy", "")
    assert proxy_for("https://example.org/") == "http://proxy:9"
