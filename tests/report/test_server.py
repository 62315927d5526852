"""The server, asked over HTTP: who is answered and who is refused, and what every answer carries."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

import pytest

import comparanda as cp
from comparanda.demo import demo_files
from comparanda.report import Choices, server
from comparanda.report import server as module
from comparanda.report.server import Routes, Server, answer_problem
from tests.report.local_server import Client, served

EVERYTHING = {"where": "true"}
HOSTILE = "</script><script>alert(1)</script>\u2028"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    key = ["A", HOSTILE, "B", "A"] * 30
    systems = {"one": ["A", "A", "B", "B"] * 30, HOSTILE: ["A", HOSTILE, "A", "A"] * 30, "three": ["B"] * 120}
    result = cp.compare(key, systems, task="tag", resamples=0)
    with served(Routes(result, Choices(served=True)).answer) as found:
        yield found


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not stop a search."""
    monkeypatch.setattr(server, "PATIENCE", 600.0)


# The page.


def test_the_address_opens_the_page(client: Client) -> None:
    address = client.server.address
    assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/\?token=[A-Za-z0-9_-]{43}", address)
    got = client.ask(address.removeprefix(f"http://{client.host}"), headers={"X-Comparanda-Token": None})
    assert got.status == 200
    assert got.headers["Content-Type"] == "text/html; charset=utf-8"
    assert got.body.startswith(b"<!doctype html>")
    assert client.server.token.encode() not in got.body


def test_two_servers_have_two_tokens(client: Client) -> None:
    with Server() as other:
        assert other.token != client.server.token
        assert other.server_port != client.server.server_port


def test_the_policy_is_that_of_the_page_and_forbids_frames(client: Client) -> None:
    got = client.ask("/")
    inside = re.search(rb'http-equiv="Content-Security-Policy" content="([^"]+)"', got.body)
    assert inside is not None
    policy = inside[1].decode().replace("&#x27;", "'")
    assert got.headers["Content-Security-Policy"] == f"{policy}; frame-ancestors 'none'"
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy


PRIVATE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.parametrize(
    ("path", "query", "headers", "status"),
    [
        ("/", {}, {}, 200),
        ("/api/items", {"where": "true"}, {}, 200),
        ("/api/items", {"where": "("}, {}, 400),
        ("/", {}, {"X-Comparanda-Token": None}, 403),
        ("/nothing", {}, {}, 404),
    ],
)
def test_every_answer_is_private(
    client: Client, path: str, query: dict[str, str], headers: dict[str, str | None], *, status: int
) -> None:
    got = client.ask(path, query, headers=headers)
    assert got.status == status
    assert {name: got.headers[name] for name in PRIVATE} == PRIVATE
    assert "frame-ancestors 'none'" in got.headers["Content-Security-Policy"]
    assert not [name for name in got.headers if name.lower().startswith("access-control-") or name == "Set-Cookie"]
    assert got.headers["Content-Length"] == str(len(got.body))


# Who is refused.


@pytest.mark.parametrize("path", ["/", "/api/items", "/api/pair", "/nothing"])
@pytest.mark.parametrize("token", [None, "", "x", "\xe9", "TOKEN", " "])
def test_without_the_token_nothing_is_answered(client: Client, path: str, token: str | None) -> None:
    given = None if token is None else token.replace("TOKEN", client.server.token[:-1])
    got = client.ask(path, EVERYTHING, headers={"X-Comparanda-Token": given})
    assert got.status == 403
    assert set(got.json) == {"error"}
    assert client.server.token not in got.body.decode()


def test_the_token_may_stand_in_the_query_too(client: Client) -> None:
    without = {"X-Comparanda-Token": None}
    assert client.ask("/api/items", {**EVERYTHING, "token": client.server.token}, headers=without).status == 200
    assert client.ask("/api/items", {**EVERYTHING, "token": client.server.token[::-1]}, headers=without).status == 403
    wrong = {"X-Comparanda-Token": "wrong"}
    assert client.ask("/api/items", {**EVERYTHING, "token": client.server.token}, headers=wrong).status == 403


@pytest.mark.parametrize(
    "host",
    [
        None, "", "evil.example", "evil.example:PORT", "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1.evil:PORT",
        "127.0.0.1:PORT.evil", "0.0.0.0:PORT", "[::1]:PORT", "user@127.0.0.1:PORT", "127.0.0.1:PORT:PORT",
    ],
)  # fmt: skip
def test_another_host_is_refused(client: Client, host: str | None) -> None:
    named = None if host is None else host.replace("PORT", str(client.server.server_port))
    assert client.ask("/", headers={"Host": named}).status == 403


def test_several_hosts_are_refused(client: Client) -> None:
    assert client.ask("/", headers={"Host": [client.host, client.host]}).status == 403
    assert client.ask("/", headers={"Host": [client.host, "evil.example"]}).status == 403


def test_localhost_is_this_machine(client: Client) -> None:
    assert client.ask("/", headers={"Host": f"LocalHost:{client.server.server_port}"}).status == 200


def test_another_origin_is_refused(client: Client) -> None:
    port = client.server.server_port
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", "http://127.0.0.1", ""):
        assert client.ask("/api/items", EVERYTHING, headers={"Origin": origin}).status == 403
    assert client.ask("/api/items", EVERYTHING, headers={"Origin": f"http://localhost:{port}"}).status == 403
    assert client.ask("/api/items", EVERYTHING, headers={"Origin": f"http://127.0.0.1:{port}"}).status == 200


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("", 403), ("same-origin", 200), ("none", 200)]
)
def test_a_request_that_another_site_makes_is_refused(client: Client, site: str, status: int) -> None:
    assert client.ask("/", headers={"Sec-Fetch-Site": site}).status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "X"])
def test_only_reading_is_possible(client: Client, method: str) -> None:
    got = client.ask("/", method=method)
    assert (got.status, got.headers["Allow"]) == (405, "GET, HEAD")
    assert "DOCTYPE" not in got.body.decode().upper()


def test_head_is_get_without_the_content(client: Client) -> None:
    for target in ("/", "/api/items?where=true", "/nothing"):
        got = client.ask(target)
        head = f"HEAD {target} HTTP/1.1\r\nHost: {client.host}\r\nX-Comparanda-Token: {client.server.token}\r\n\r\n"
        said = client.send(head.encode()).decode()
        assert said.split()[1] == str(got.status)
        assert f"\r\nContent-Length: {len(got.body)}\r\n" in said
        assert said.endswith("\r\n\r\n")
        assert said.count("\r\n\r\n") == 1


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/api/../../etc/passwd", "/api", "/api/", "/api/items/",
        "/index.html", "//etc/passwd", "/.", "/%00", "/manifest.json", "/favicon.ico", "/assets/main.js", "/%2e%2e/",
        "/api%2fitems", "/API/ITEMS",
    ],
)  # fmt: skip
def test_there_are_no_files(client: Client, path: str) -> None:
    got = client.ask(path)
    assert (got.status, got.json) == (404, {"error": "nothing at this address"})


def test_another_address_as_target_is_refused(client: Client) -> None:
    head = f"\r\nHost: {client.host}\r\nX-Comparanda-Token: {client.server.token}\r\n\r\n".encode()
    for target in (b"http://evil.example/", b"*", b"api/items"):
        assert b" 404 " in client.send(b"GET " + target + b" HTTP/1.1" + head).split(b"\r\n")[0]


def test_an_endless_address_is_refused(client: Client) -> None:
    assert client.ask("/api/items", {"where": "x" * 100_000}).status == 414
    got = client.ask("/api/items", {"where": "x" * 20_000})
    assert (got.status, got.json["error"]) == (400, "the expression has 20,000 characters; at most 10,000 are allowed")


def test_endless_headers_are_refused(client: Client) -> None:
    assert client.ask("/", headers={"X-Long": "x" * 100_000}).status == 431
    assert client.ask("/", headers={"X-Many": ["x"] * 200}).status == 431


@pytest.mark.parametrize(
    "request_line", [b"", b"GET", b"GET / HTTP/9.9", b"GET / x HTTP/1.1", b"\x00\xff\xfe", b"GET /"]
)
def test_broken_requests_say_nothing(client: Client, request_line: bytes) -> None:
    """What the library makes of such requests quotes them; this server's own answer does not."""
    said = client.send(request_line + b"\r\n\r\n")
    assert b"<" not in said
    assert b"Traceback" not in said
    assert client.ask("/").status == 200


def test_who_says_nothing_is_left_alone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert module._Handler.timeout in range(1, 31)  # seconds; None would be for ever
    monkeypatch.setattr(module._Handler, "timeout", 0.05)
    assert client.send(b"GET / HTTP/1.1\r\n") == b""


def test_nobody_can_take_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_REQUESTS", 1)
    with served(lambda path, given: answer_problem(HTTPStatus.OK, f"{path} {given}")) as client:
        with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=30) as first:
            first.sendall(b"GET / HTTP/1.1\r\n")
            assert client.send(f"GET / HTTP/1.1\r\nHost: {client.host}\r\n\r\n".encode()) == b""
            first.sendall(b"\r\n")
            assert b" 403 " in first.recv(65536)
        while not (got := client.send(b"GET / HTTP/1.1\r\n\r\n")):  # until the first one's thread has ended
            pass
        assert b" 403 " in got


# Bad questions.


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, "Object missing required field `where`"),
        ({"where": "label =="}, "expected an expression after '=='"),
        ({"where": HOSTILE}, "expected an expression before '<'"),
        ({"where": "(" * 500}, "the expression is nested more than 100 levels deep"),
        ({"where": "__import__('os')"}, "unknown function '__import__'"),
        ({"where": "label == 1"}, "'==' cannot compare a string with a number"),
        ({"where": "label"}, "expected a condition, got a string"),
        ({"where": "correction"}, "unknown name 'correction'"),
        ({"where": "correction", "base": "one", "new": "nobody"}, "unknown system 'nobody'"),
        ({"where": "true", "view": "nothing"}, "unknown view 'nothing'"),
        ({"where": "true", "limit": "201"}, "Expected `int` <= 200 - at `$.limit`"),
        ({"where": "true", "limit": "0"}, "Expected `int` >= 1 - at `$.limit`"),
        ({"where": "true", "limit": "many"}, "Expected `int`, got `str` - at `$.limit`"),
        ({"where": "true", "offset": "-1"}, "Expected `int` >= 0 - at `$.offset`"),
        ({"where": "true", "offset": "9" * 5000}, "Integer value out of range - at `$.offset`"),
        ({"where": "true", "offset": "9" * 18}, "Expected `int` <= 9007199254740992 - at `$.offset`"),
        ({"where": "true", "file": "/etc/passwd"}, "Object contains unknown field `file`"),
    ],
)
def test_a_bad_question_gets_one_line(client: Client, query: dict[str, str], said: str) -> None:
    got = client.ask("/api/items", query)
    assert got.status == 400
    assert got.headers["Content-Type"] == "application/json; charset=utf-8"
    assert set(got.json) == {"error"}
    assert got.json["error"].startswith(said)
    assert len(got.json["error"].splitlines()) == 1


@pytest.mark.parametrize("query", ["where=true&where=false", "where=%ff", "&".join(f"x{n}=1" for n in range(50))])
def test_a_query_that_can_be_read_in_two_ways_is_refused(client: Client, query: str) -> None:
    assert client.ask(f"/api/items?{query}").status == 400


@pytest.mark.parametrize(
    "query", [{}, {"base": "one"}, {"base": "one", "new": "one"}, {"base": "one", "new": "nobody"}]
)
def test_a_bad_pair_gets_one_line(client: Client, query: dict[str, str]) -> None:
    got = client.ask("/api/pair", query)
    assert got.status == 400
    assert len(got.json["error"].splitlines()) == 1


def test_a_defect_is_told_without_its_insides(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret \x1b[31m")

    monkeypatch.setattr(Routes, "_answer_items", broken)
    got = client.ask("/api/items", EVERYTHING)
    assert (got.status, got.json) == (500, {"error": "internal error: RuntimeError"})
    assert capsys.readouterr().err == "comparanda: internal error at /api/items: RuntimeError('secret \\x1b[31m')\n"


# Many at once.


def test_fifty_requests_at_once_get_what_each_would_get_alone(client: Client) -> None:
    pair = {"base": "one", "new": HOSTILE}
    asked = [
        {"where": where, **pair, "offset": offset, "limit": 20, "text": text}
        for where in ("true", "correction", "new_error", "differs", "positive")
        for offset in (0, 7, 20, 60, 500)
        for text in ("", "script")
    ]
    assert len(asked) == 50
    alone = [client.ask("/api/items", query) for query in asked]
    assert {got.status for got in alone} == {200}
    assert len({got.body for got in alone}) > 20
    with ThreadPoolExecutor(len(asked)) as pool:
        together = list(pool.map(lambda query: client.ask("/api/items", query), asked))
    assert [got.body for got in together] == [got.body for got in alone]


@pytest.mark.slow
def test_fifty_who_come_first_at_once_get_equal_answers() -> None:
    key, systems = demo_files("span")
    routes = Routes(cp.compare(key, systems, task="span", resamples=0), Choices(served=True))
    base, new, *_ = systems
    query = {"where": "differs", "base": base, "new": new}
    with served(routes.answer) as client, ThreadPoolExecutor(50) as pool:
        asked = [pool.submit(client.ask, "/api/items", query) for _ in range(50)]
        bodies = {each.result().body for each in asked}
    assert len(bodies) == 1
    assert json.loads(bodies.pop())["count"] > 10
