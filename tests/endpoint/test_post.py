"""One request against real servers on the loopback: bounded in time and size, cancellable, and silent about the
key."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate

import pytest

from engine.cancel import CancelToken
from engine.endpoint import Endpoint, post
from engine.errors import Cancelled, EndpointError
from tests.servers import HOLD, Reply, Script, Server, refusing_port, serving

KEY = 'sk-"se/cret'


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda received: {"got": received.body}) as running:
        yield running


def ask(url: str, variable: str = "", *, seconds: float = 5.0, limit: int = 10_000) -> object:
    return post(
        Endpoint(url, variable, "embedding"),
        {"text": "中"},
        seconds=seconds,
        limit=limit,
        cancel=CancelToken(),
    )


def refused(script: Script, variable: str = "SOME_KEY", **options: float) -> EndpointError:
    with serving(script) as running, pytest.raises(EndpointError) as caught:
        ask(f"{running.url}/v1", variable, **options)  # type: ignore[arg-type]
    assert len(running.received) <= 1, "one attempt"
    for shown in (str(caught.value), caught.value.told, repr(caught.value)):
        assert KEY not in shown
        assert "se/cret" not in shown
    return caught.value


def test_what_is_sent_and_answered_is_json(server: Server):
    assert ask(f"{server.url}/v1?x=y", "SOME_KEY") == {"got": {"text": "中"}}
    (received,) = server.received
    assert received.path == "/v1?x=y"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["content-type"] == "application/json"


async def test_a_caller_on_an_event_loop_is_served_too(server: Server):
    assert ask(server.url) == {"got": {"text": "中"}}


def test_without_a_named_key_no_credential_is_sent(server: Server, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("NETRC", str(netrc))
    ask(server.url)
    assert "authorization" not in server.received[0].headers


def test_a_login_in_an_address_is_neither_sent_nor_shown(server: Server):
    ask(server.url.replace("//", "//user:geheim@"))
    assert "authorization" not in server.received[0].headers
    with pytest.raises(EndpointError) as caught:
        ask(f"http://user:geheim@127.0.0.1:{refusing_port()}/v1")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("value", [None, "", "  ", "two words", "line\nend", "schlüssel", "a\x1b[0m"])
def test_a_variable_without_a_usable_key_is_told_by_name_and_nothing_is_sent(server, monkeypatch, value):
    if value is None:
        monkeypatch.delenv("SOME_KEY")
    else:
        monkeypatch.setenv("SOME_KEY", value)
    with pytest.raises(EndpointError, match="SOME_KEY") as caught:
        ask(server.url, "SOME_KEY")
    assert not value or not value.strip() or value not in str(caught.value)
    assert not server.received


def test_lone_surrogates_are_replaced(server: Server):
    answer = post(
        Endpoint(server.url, "", "s"), {"text": "a\ud800"}, seconds=5, limit=1_000, cancel=CancelToken()
    )
    assert answer == {"got": {"text": "a?"}}


# --- proxies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5h://x", "%%%"])
def test_requests_to_this_machine_pass_every_proxy_by(monkeypatch: pytest.MonkeyPatch, host: str, proxy: str):
    """EM-14."""
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, proxy)
    monkeypatch.setenv("NO_PROXY", "10.0.0.0/8")
    try:
        running = Server(lambda _: {}, "::1" if host == "::1" else "127.0.0.1")
    except OSError:
        pytest.skip("this machine has no such address")
    try:
        assert ask(running.url.replace("127.0.0.1", host)) == {}
    finally:
        running.stop()


def test_other_hosts_are_asked_through_the_proxy(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "10.0.0.0/8")
    ask("http://far.example/v1")
    assert server.paths == ["http://far.example/v1"]


@pytest.mark.parametrize("proxy", ["socks5h://user:geheim@x", "%%%", "ftp://x", "http://[::1"])
def test_a_proxy_that_cannot_be_used_is_told_without_its_value(monkeypatch: pytest.MonkeyPatch, proxy: str):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(EndpointError, match="proxy") as caught:
        ask("http://far.example/v1")
    assert "geheim" not in str(caught.value)


# --- what goes wrong ------------------------------------------------------------------------------------------


def test_a_refused_connection():
    with pytest.raises(EndpointError, match="cannot be reached") as caught:
        ask(f"http://127.0.0.1:{refusing_port()}/v1")
    assert caught.value.passing


def test_no_answer_is_a_timeout():
    error = refused(lambda _: HOLD, seconds=0.1)
    assert "timeout" in str(error)
    assert error.passing


def test_the_deadline_is_for_the_whole_answer_not_for_each_piece_of_it():
    error = refused(lambda _: Reply(b" " * 5_000, drip=10), seconds=0.2)
    assert "timeout" in str(error)


def test_a_body_that_is_cut():
    error = refused(lambda _: Reply(b'{"a": [1, 2', declared=1_000))
    assert "broke off" in str(error)


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"\xff\xfe", b"[" * 9_000, b"9" * 9_000])
def test_an_answer_that_is_not_json(body: bytes):
    assert "not JSON" in str(refused(lambda _: Reply(body)))


def test_an_answer_beyond_the_bound():
    assert "more than 10,000 bytes" in str(refused(lambda _: Reply(b" " * 20_000)))


def test_a_compressed_answer_that_nobody_asked_for_is_not_unpacked():
    bomb = gzip.compress(b" " * 10_000_000)
    error = refused(lambda _: Reply(bomb, headers={"content-encoding": "gzip"}), limit=100_000)
    assert "compressed" in str(error)


def test_a_good_status_with_an_error_in_its_body_is_an_error():
    """RR-07."""
    assert "busy" in str(refused(lambda _: {"error": "busy"}))
    with serving(lambda _: {"error": None, "data": []}) as running:
        assert ask(running.url) == {"error": None, "data": []}


@pytest.mark.parametrize(
    ("status", "passing"), [(400, False), (401, False), (404, False), (429, True), (503, True)]
)
def test_a_bad_status_says_what_the_server_said_and_whether_it_may_pass(status: int, passing: bool):
    error = refused(lambda _: Reply({"detail": "so\x1b[31mred"}, status))
    assert (error.status, error.passing) == (status, passing)
    assert "so" in error.told
    assert error.told.isprintable()


def test_not_found_names_the_whole_address_that_was_tried():
    """EM-13."""
    with serving(lambda _: Reply(b"", 404)) as running, pytest.raises(EndpointError) as caught:
        ask(f"{running.url}/v1/embeddings?x=y")
    assert f"{running.url}/v1/embeddings?x=y" in str(caught.value)


def test_of_an_error_at_most_four_kibibytes_are_shown():
    """EM-05."""
    error = refused(lambda _: Reply("中".encode() * 10_000, 400))
    assert 4_000 < len(error.told.encode()) <= 4_096


@pytest.mark.parametrize("offset", range(4_080, 4_100, 3))
def test_a_key_that_the_server_repeats_is_taken_out_even_across_the_cut(offset: int):
    for written in (KEY, KEY.replace('"', '\\"'), KEY.replace('"', '\\"').replace("/", "\\/")):
        error = refused(
            lambda _, written=written: Reply(b"x" * offset + written.encode() + b" is wrong", 401)
        )
        assert "sk-" not in error.told
        assert "SOME_KEY" in error.remedy


def test_a_redirect_is_not_followed():
    with serving(lambda _: {}) as elsewhere:
        error = refused(lambda _: Reply(b"", 307, {"location": elsewhere.url}))
    assert error.status == 307
    assert not elsewhere.received


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("inf", None), ("nan", None), ("soon", None), ("", None)],
)
def test_when_to_come_back_is_read_from_seconds(value: str, seconds: float | None):
    assert refused(lambda _: Reply(b"", 429, {"retry-after": value})).retry_after == seconds


def test_when_to_come_back_is_read_from_a_date():
    told = refused(lambda _: Reply(b"", 429, {"retry-after": formatdate(time.time() + 100, usegmt=True)}))
    assert told.retry_after is not None
    assert 90 < told.retry_after <= 100


@pytest.mark.parametrize(
    "url", ["http://a b/", "http://[::1/", "http://ü..x/", "http://h:99999/", "ftp://h/"]
)
def test_an_address_that_is_none(url: str):
    with pytest.raises(EndpointError):
        ask(url)


# --- cancelling -----------------------------------------------------------------------------------------------


def test_a_cancel_reaches_the_server_at_once():
    """The server sees its client hang up; the caller is told within two polls."""
    token = CancelToken()
    with serving(lambda _: HOLD) as running:
        timer = threading.Timer(0.05, token.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            post(Endpoint(running.url, "", "s"), {}, seconds=30, limit=100, cancel=token)
        assert running.hung_up.wait(1.0)
        timer.join()


def test_what_is_cancelled_already_is_not_sent(server: Server):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        post(Endpoint(server.url, "", "s"), {}, seconds=1, limit=100, cancel=token)
    assert not server.received


def test_the_token_is_looked_at_all_the_while():
    token = CancelToken()
    with serving(lambda _: HOLD) as running, pytest.raises(EndpointError):
        post(Endpoint(running.url, "", "s"), {}, seconds=0.4, limit=100, cancel=token)
    assert token.checks >= 6, "every 50 ms at least"
