"""Ids of entities as a span carries them: none, NIL, one, or several in the order of their rank.

In a column of spans they are one text with bars between them: `Q1`, `Q1|Q2`, `NIL`, `Q1|NIL`. A span that is not
linked has none; `NIL` says that the entity is in no knowledge base.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

NIL: Final = "NIL"
BAR: Final = "|"

_NIL_PATTERN = re.compile(r"<?NIL(?:[\W_]?\d+)?>?|--NME--|\*null\*|none|null", re.IGNORECASE)
_ESCAPED_BAR = "%7C"


def is_nil(id_: str) -> bool:
    """Whether a text says that the entity is in no knowledge base, as the formats of the field write it.

    >>> [is_nil(each) for each in ("NIL", "<NIL>", "NIL0012", "--NME--", "Q42", "Nile")]
    [True, True, True, True, False, False]
    """
    return _NIL_PATTERN.fullmatch(id_) is not None


def joined(ids: Iterable[str | None]) -> str | None:
    """Return ids as one text, the best first; None where there are none. A missing one is NIL, an empty one is none.

    >>> joined(["Q1", "<NIL>", "Q1", "", "Q2"]), joined([]), joined([None])
    ('Q1|NIL|Q2', None, 'NIL')
    """
    given = (each for each in ids if each != "")
    found = dict.fromkeys(NIL if each is None or is_nil(each) else each.replace(BAR, _ESCAPED_BAR) for each in given)
    return BAR.join(found) or None


def split(text: str) -> tuple[str, ...]:
    """Return the ids of a text, the best first.

    >>> split("Q1|NIL|Q2")
    ('Q1', 'NIL', 'Q2')
    """
    return tuple(text.split(BAR))
