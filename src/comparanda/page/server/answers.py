"""What goes back to the browser: a status, bytes, and what they may do there."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import msgspec

_NOTHING = "default-src 'none'; frame-ancestors 'none'"
"""What data may do in a browser."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer.

    Args:
        status: how it went.
        kind: the type of its content.
        body: the content.
        policy: what a browser may do with it.

    """

    status: HTTPStatus
    kind: str
    body: bytes
    policy: str = _NOTHING


def data(content: Any, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Answer with JSON."""
    return Answer(status, "application/json; charset=utf-8", msgspec.json.encode(content))


def problem(status: HTTPStatus, what: str) -> Answer:
    """Answer that it cannot be done, and why, in a line."""
    return data({"error": what}, status)


def document(html: str, policy: str) -> Answer:
    """Answer with a page, which nobody may put into a frame."""
    return Answer(HTTPStatus.OK, "text/html; charset=utf-8", html.encode(), f"{policy}; frame-ancestors 'none'")
