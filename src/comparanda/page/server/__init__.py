"""The report of a result folder from a server on this machine, which the page asks for examples.

`guard` says who may ask, `serving` how requests come and go, `routes` what they are about; `listing` and `searching`
find the entries of a list.
"""

from comparanda.page.server.routes import Routes
from comparanda.page.server.serving import Server

__all__ = ["Routes", "Server"]
