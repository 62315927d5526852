"""Who may ask: the browser that was given the token, on this machine, from the page itself."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from email.message import Message

LOOPBACK = "127.0.0.1"

TOKEN_HEADER = "X-Comparanda-Token"
"""Where the script of the page puts the token, so that it stands in no address but the first."""

_FROM_HERE = frozenset({"same-origin", "none"})
"""What a browser says of requests that the page itself makes, and of addresses that a person opens."""


class Guard:
    """Looks at every request before anything else does.

    A page of another site can make a browser send requests to this machine, and can give its own name this machine's
    address. It cannot know the token, cannot choose the Host that the browser names, and cannot hide where it stands.

    Args:
        port: the port of the server.
        token: what only those who saw the first address know.

    """

    def __init__(self, port: int, token: str) -> None:
        self._hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
        self._token = token.encode()

    def refusal(self, headers: Message, asked: str | None) -> str | None:
        """Say why a request is refused, or None; `asked` is the token in its address."""
        hosts = headers.get_all("Host", [])
        host = hosts[0].strip().lower() if len(hosts) == 1 else ""
        if host not in self._hosts:
            return "this server answers to its own address alone"
        if any(origin != f"http://{host}" for origin in headers.get_all("Origin", [])):
            return "another site asks"
        if any(site not in _FROM_HERE for site in headers.get_all("Sec-Fetch-Site", [])):
            return "another site leads here; open the address by hand"
        if not self._knows(headers.get(TOKEN_HEADER, asked)):
            return "the token is missing or wrong; open the address that 'comparanda serve' printed"
        return None

    def _knows(self, token: str | None) -> bool:
        return token is not None and hmac.compare_digest(token.encode("utf-8", "replace"), self._token)
