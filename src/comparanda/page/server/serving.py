"""The server: on this machine alone, reading alone, every answer with the headers that keep it private."""

from __future__ import annotations

import os
import secrets
import socketserver
import sys
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from comparanda.page.server.answers import Answer, problem
from comparanda.page.server.guard import LOOPBACK, Guard

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    Answering = Callable[[str, Mapping[str, str]], Answer]

_MOST_FIELDS = 20
_MOST_AT_ONCE = 64
_SECONDS = 10

_PRIVATE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""What goes with every answer: nothing is kept, guessed, told to others, framed or lent to other sites."""


class Server(ThreadingHTTPServer):
    """Listens on loopback.

    Args:
        port: the port; 0 for any that is free.

    """

    answer: Answering
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # elsewhere it would let others take the port as well
    allow_reuse_port = False
    request_queue_size = _MOST_AT_ONCE

    def __init__(self, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(32)
        self._slots = BoundedSemaphore(_MOST_AT_ONCE)
        super().__init__((LOOPBACK, port), _Handler)

    @cached_property
    def guard(self) -> Guard:
        """What looks at every request."""
        return Guard(self.server_port, self.token)

    @property
    def address(self) -> str:
        """What to open in a browser; who has it can read all that is served."""
        return f"http://{LOOPBACK}:{self.server_port}/?token={self.token}"

    def answer_by(self, answer: Answering) -> None:
        """Answer requests until an exception, such as that of Ctrl-C, ends it; who came before has been waiting."""
        self.answer = answer
        self.serve_forever()

    def server_bind(self) -> None:
        """Bind without asking a name server what this machine is called, as the library would."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if not too many are at work."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:
        """Say nothing of browsers that go away in the middle of an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request: looked at by the guard, then answered. Nothing is logged, since addresses hold the token."""

    server: Server
    timeout = _SECONDS
    server_version = "comparanda"
    sys_version = ""

    def do_GET(self) -> None:
        self._send(self._answer())

    def do_HEAD(self) -> None:
        self._send(self._answer())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the library refuses: broken or endless requests, and all methods but two."""
        del message, explain  # they quote the request
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._send(problem(HTTPStatus.METHOD_NOT_ALLOWED, "this server is for reading: GET and HEAD alone"))
        else:
            status = HTTPStatus(code)
            self._send(problem(status, status.phrase.lower()))

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self) -> Answer:
        path, _, query = self.path.partition("?")
        fields = _fields(query)
        refusal = self.server.guard.refusal(self.headers, None if fields is None else fields.pop("token", None))
        if refusal is not None:
            return problem(HTTPStatus.FORBIDDEN, refusal)
        if fields is None:
            return problem(HTTPStatus.BAD_REQUEST, "the query cannot be read, or names something twice")
        return self.server.answer(path, fields)

    def _send(self, answer: Answer) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        if answer.status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        for name, value in (*_PRIVATE.items(), ("Content-Security-Policy", answer.policy)):
            self.send_header(name, value)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _fields(query: str) -> dict[str, str] | None:
    """Read a query; None if it can be read in several ways, or not at all."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None
    fields = dict(pairs)
    return fields if len(fields) == len(pairs) else None
