"""What chains may span: a document, or a topic of several documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import UsageError, nearest
from comparanda.verdicts import Units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.corpus import Documents

EVERYTHING = "all"
"""The topic of all documents together."""

UNTIL = "until:"
"""What stands before the sign up to which names of documents are those of topics: `until:_`."""


@dataclass(frozen=True, eq=False, slots=True)
class Topics:
    """The topic of each document; without topics each document is its own.

    Args:
        names: the names of the topics, in order of first appearance; None where chains end with their documents.
        of: the topic of each document of the key.
        sign: what ends the topic in the names of documents, if they are told by these.
        one: whether all documents are one topic.

    """

    names: tuple[str, ...] | None
    of: NDArray[np.int32]
    sign: str = ""
    one: bool = False

    @classmethod
    def named(cls, documents: Documents, across: str | None) -> Topics:
        """Find the topics: none, one of all documents, or those that an attribute of documents names."""
        count = len(documents)
        if across is None:
            return cls(None, np.arange(count, dtype=np.int32))
        if across == EVERYTHING:
            return cls((EVERYTHING,), np.zeros(count, np.int32), one=True)
        topics = _names(documents, across)
        place = {name: number for number, name in enumerate(dict.fromkeys(topics))}
        sign = across.removeprefix(UNTIL) if across.startswith(UNTIL) else ""
        return cls(tuple(place), np.array([place[name] for name in topics], np.int32), sign)

    def with_foreign(self, documents: Sequence[str]) -> Topics:
        """Return the topics of the key's documents and of some that it does not have.

        These are in the topic that their names say, or in that of all; else each is a topic of its own.
        """
        if self.names is None:
            more = np.arange(len(self.of), len(self.of) + len(documents), dtype=np.int32)
            return Topics(None, np.concatenate([self.of, more]), self.sign, self.one)
        place = {name: number for number, name in enumerate(self.names)}
        found = [place.setdefault(self._topic(name), len(place)) for name in documents]
        return Topics(tuple(place), np.concatenate([self.of, np.array(found, np.int32)]), self.sign, self.one)

    def _topic(self, document: str) -> str:
        """Return the topic of a document that the key does not have."""
        if self.sign:
            return document.partition(self.sign)[0]
        return EVERYTHING if self.one else f"{document} (not in the key)"

    def units(self, documents: int) -> Units:
        """Return what statistics resample."""
        if self.names is None:
            return Units("document", documents)
        return Units("topic", len(self.names), self.names, self.of)


def _names(documents: Documents, across: str) -> list[str]:
    """Return the topic of each document; one of which nothing is said is its own."""
    if across.startswith(UNTIL) and across != UNTIL:
        return [name.partition(across.removeprefix(UNTIL))[0] for name in documents.names]
    known = documents.attributes
    if across not in known:
        hint = f"'{EVERYTHING}' for one topic of all documents, '{UNTIL}_' for what stands before _ in their names"
        hint += f", or one of their attributes: {', '.join(known)}" if known else ""
        raise UsageError(f"documents have no attribute {across!r}{nearest(across, known)}", hint=hint)
    given = zip(documents.names, known[across].values(), strict=True)
    return [name if topic is None else topic for name, topic in given]
