"""Files of ids that mean the same: redirects, or the names of one entity in several knowledge bases."""

from __future__ import annotations

from comparanda.errors import ReadError
from comparanda.ids import is_nil
from comparanda.read.files import load


def read_same_ids(path: str) -> dict[str, str]:
    """Read lines of ids that mean the same, with tabs or spaces between them; return one name for each.

    Of the ids of an entity the first in alphabetical order stands for all, so the order of lines does not matter.
    `#` and a space begin a comment.
    """
    source = load(path, side="same ids")
    text = bytes(source.data[: source.size]).decode()
    sets = _Sets()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("# "):
            continue
        ids = [each.strip() for each in (line.split("\t") if "\t" in line else line.split())]
        place = f"{source.parts[0].name}:{number}"
        if len(ids) < 2 or not all(ids):
            raise ReadError("a line has two ids that mean the same, or more", where=place)
        if any(map(is_nil, ids)):
            raise ReadError("NIL means no entity, so it is the same as no id", where=place)
        for other in ids[1:]:
            sets.join(ids[0], other)
    if not sets.above:
        raise ReadError("there are no ids in this file", where=source.parts[0].name)
    return {each: sets.top(each) for each in sets.above}


class _Sets:
    """Sets that grow together; the smallest member stands for each."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}

    def top(self, one: str) -> str:
        self.above.setdefault(one, one)
        while self.above[one] != one:
            self.above[one] = self.above[self.above[one]]  # halves the way for the next one
            one = self.above[one]
        return one

    def join(self, one: str, other: str) -> None:
        low, high = sorted((self.top(one), self.top(other)))
        self.above[high] = low
