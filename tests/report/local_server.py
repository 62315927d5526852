"""A server for tests, and somebody who asks it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from typing import Any
from urllib.parse import urlencode

from comparanda.report.server import Answer, Server


@dataclass(frozen=True)
class Got:
    """An answer."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Client:
    """Asks a server, by default as the script of its page does; headers can be left out or given several times."""

    server: Server

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_port}"

    def ask(
        self,
        path: str,
        query: Mapping[str, object] | None = None,
        *,
        method: str = "GET",
        headers: Mapping[str, str | list[str] | None] | None = None,
    ) -> Got:
        sent = {"Host": self.host, "X-Comparanda-Token": self.server.token, **(headers or {})}
        connection = HTTPConnection("127.0.0.1", self.server.server_port, timeout=30)
        try:
            connection.putrequest(method, path + ("?" + urlencode(query) if query else ""), skip_host=True)
            for name, values in sent.items():
                for value in values if isinstance(values, list) else [values]:
                    if value is not None:
                        connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return Got(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def send(self, request: bytes) -> bytes:
        """Send bytes as they are, and return all that comes back."""
        with socket.create_connection(("127.0.0.1", self.server.server_port), timeout=30) as connection:
            connection.sendall(request)
            return b"".join(iter(lambda: connection.recv(65536), b""))


@contextmanager
def served(answer: Callable[[str, Mapping[str, str]], Answer]) -> Iterator[Client]:
    """Answer requests while a block is run."""
    with Server() as server:
        thread = threading.Thread(target=server.answer_by, args=(answer,))
        thread.start()
        try:
            yield Client(server)
        finally:
            server.shutdown()
            thread.join()
