"""What chains may span: a document, or a topic of several documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import UsageError, nearest
from comparanda.verdicts import Units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.corpus import Documents

EVERYTHING = "all"
"""The topic of all documents together."""


@dataclass(frozen=True, eq=False, slots=True)
class Topics:
    """The topic of each document; without topics each document is its own.

    Args:
        names: the names of the topics, in order of first appearance; None where chains end with their documents.
        of: the topic of each document of the key.

    """

    names: tuple[str, ...] | None
    of: NDArray[np.int32]

    @classmethod
    def named(cls, documents: Documents, across: str | None) -> Topics:
        """Find the topics: none, one of all documents, or those that an attribute of documents names."""
        count = len(documents)
        if across is None:
            return cls(None, np.arange(count, dtype=np.int32))
        if across == EVERYTHING:
            return cls((EVERYTHING,), np.zeros(count, np.int32))
        known = documents.attributes
        if across not in known:
            hint = f"'{EVERYTHING}' for one topic of all documents"
            hint += f", or one of their attributes: {', '.join(known)}" if known else "; the key says nothing of them"
            raise UsageError(f"documents have no attribute {across!r}{nearest(across, known)}", hint=hint)
        values = [f"\0{number}" if text is None else text for number, text in enumerate(known[across].values())]
        place = {name: number for number, name in enumerate(dict.fromkeys(values))}
        names = tuple(documents.names[int(name[1:])] if name.startswith("\0") else name for name in place)
        return cls(names, np.array([place[name] for name in values], np.int32))

    def with_foreign(self, count: int) -> Topics:
        """Return the topics of the key's documents and of some that it does not have: each is a topic of its own.

        In one topic of all documents, they are in it too.
        """
        if self.names == (EVERYTHING,):
            return Topics(self.names, np.zeros(len(self.of) + count, np.int32))
        known = len(self.of) if self.names is None else len(self.names)
        names = None if self.names is None else (*self.names, *(f"foreign {number + 1}" for number in range(count)))
        return Topics(names, np.concatenate([self.of, np.arange(known, known + count, dtype=np.int32)]))

    def units(self, documents: int) -> Units:
        """Return what statistics resample."""
        if self.names is None:
            return Units("document", documents)
        return Units("topic", len(self.names), self.names, self.of)
