"""A web server for tests: the files of a folder, whole or in ranges, and what was asked of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO


@dataclass(kw_only=True)
class Web:
    """A server that is running.

    Args:
        folder: the files.
        url: where they are.
        ranges: whether parts of files can be had.
        sizes: whether it says how large files are.
        tag: what it says of the state of all files; empty to say when they were written.
        asked: the way and the range of everything that was asked for.

    """

    folder: Path
    url: str = ""
    ranges: bool = True
    sizes: bool = True
    tag: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    def next_tag(self) -> str:
        return self.tag


class _Handler(SimpleHTTPRequestHandler):
    web: Web

    def log_message(self, format: str, *args: object) -> None:
        pass

    def end_headers(self) -> None:
        if tag := self.web.next_tag():
            self.send_header("ETag", tag)
        super().end_headers()

    def send_header(self, keyword: str, value: str) -> None:
        if self.web.sizes or keyword != "Content-Length":
            super().send_header(keyword, value)

    def send_head(self) -> BytesIO | BinaryIO | None:
        wanted = self.headers.get("Range", "") if self.command == "GET" else ""
        if self.command == "GET":
            self.web.asked.append((self.path, wanted))
        if self.path.startswith("/secret"):
            self.send_error(403)
            return None
        file = Path(self.translate_path(self.path))
        if not (wanted and self.web.ranges and file.is_file()):
            return super().send_head()
        start, stop = map(int, wanted.removeprefix("bytes=").split("-"))
        data = file.read_bytes()[start : stop + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        return BytesIO(data)


@contextmanager
def serving(web: Web) -> Iterator[Web]:
    """Serve the files of a folder on this machine."""
    handler = type("Handler", (_Handler,), {"web": web})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(web.folder))) as server:
        web.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield web
        finally:
            server.shutdown()
            thread.join()
