"""The entity ids of a linked span: none, NIL, one, or several in order of rank.

In a column of spans they are one string separated by bars: `Q1`, `Q1|Q2`, `NIL`, `Q1|NIL`. A span that is not
linked has none; `NIL` means that the entity is not in the knowledge base.
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
    """Whether a string marks an entity that is not in the knowledge base, in any of the spellings in common use.

    >>> [is_nil(each) for each in ("NIL", "<NIL>", "NIL0012", "--NME--", "Q42", "Nile")]
    [True, True, True, True, False, False]
    """
    return _NIL_PATTERN.fullmatch(id_) is not None


def join_ids(ids: Iterable[str | None]) -> str | None:
    """Join ids, best first, into one string; None if there are none. None is written as NIL; empty ids are dropped.

    >>> join_ids(["Q1", "<NIL>", "Q1", "", "Q2"]), join_ids([]), join_ids([None])
    ('Q1|NIL|Q2', None, 'NIL')
    """
    given = (each for each in ids if each != "")
    found = dict.fromkeys(NIL if each is None or is_nil(each) else each.replace(BAR, _ESCAPED_BAR) for each in given)
    return BAR.join(found) or None


def split_ids(text: str) -> tuple[str, ...]:
    """Split a string of joined ids, best first.

    >>> split_ids("Q1|NIL|Q2")
    ('Q1', 'NIL', 'Q2')
    """
    return tuple(text.split(BAR))
