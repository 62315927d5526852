"""IRIs for names: as they are where they are IRIs, else relative ones."""

from __future__ import annotations

import re
from urllib.parse import quote

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_SAFE = "/!$&'()*+,;=@~"


def iri_of(name: str) -> str:
    """Return an IRI that readers of JSON-LD here call by the name again.

    >>> iri_of("http://x/a%20b"), iri_of("news/a b"), iri_of("a:b c")
    ('http://x/a%20b', 'news/a%20b', 'a%3Ab%20c')
    """
    return name if _IRI.fullmatch(name) else quote(name, safe=_SAFE)
