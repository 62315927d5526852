"""Files that map ids or labels: equivalent ids (redirects, or ids in several knowledge bases), and label maps."""

from __future__ import annotations

from comparanda.core.ids import is_nil
from comparanda.errors import ReadError
from comparanda.formats.files import load


def read_same_ids(path: str) -> dict[str, str]:
    """Read lines of equivalent ids, separated by tabs or spaces; return the representative of each.

    It is the first id of an entity in alphabetical order, so the order of lines does not matter. `#` and a space begin
    a comment.
    """
    source = load(path, side="same ids")
    text = bytes(source.data[: source.size]).decode()
    sets = _DisjointSets()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("# "):
            continue
        ids = [each.strip() for each in (line.split("\t") if "\t" in line else line.split())]
        place = f"{source.parts[0].name}:{number}"
        if len(ids) < 2 or not all(ids):
            raise ReadError("expected two or more equivalent ids in a line", where=place)
        if any(map(is_nil, ids)):
            raise ReadError("NIL means no entity, so no id is equivalent to it", where=place)
        for other in ids[1:]:
            sets.union(ids[0], other)
    if not sets.parents:
        raise ReadError("there are no ids in this file", where=source.parts[0].name)
    return {each: sets.find_root(each) for each in sets.parents}


class _DisjointSets:
    """Disjoint sets (union-find); the smallest member represents each set."""

    def __init__(self) -> None:
        self.parents: dict[str, str] = {}

    def find_root(self, one: str) -> str:
        self.parents.setdefault(one, one)
        while self.parents[one] != one:
            self.parents[one] = self.parents[self.parents[one]]  # path halving
            one = self.parents[one]
        return one

    def union(self, one: str, other: str) -> None:
        low, high = sorted((self.find_root(one), self.find_root(other)))
        self.parents[high] = low


# Label maps: a text file with an old and a new label per line.


def read_label_map(path: str) -> dict[str, str]:
    """Read a label map; columns are separated by a tab or by spaces, `#` and a space begin a comment."""
    source = load(path, side="map")
    text = bytes(source.data[: source.size]).decode()
    table: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("# "):
            continue
        fields = line.split("\t") if "\t" in line else line.split()
        place = f"{source.parts[0].name}:{number}"
        if len(fields) != 2 or not all(field.strip() for field in fields):
            raise ReadError("expected two columns, the old and the new label", where=place)
        old, new = (field.strip() for field in fields)
        if table.get(old, new) != new:
            raise ReadError(f"the label {old!r} is mapped twice, to {table[old]!r} and to {new!r}", where=place)
        table[old] = new
    if not table:
        raise ReadError("the label map is empty", where=source.parts[0].name)
    return table
