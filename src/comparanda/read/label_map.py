"""Label maps: a text file with an old and a new label a line."""

from __future__ import annotations

from comparanda.errors import ReadError
from comparanda.read.files import load


def read_label_map(path: str) -> dict[str, str]:
    """Read a map; columns are separated by a tab or by spaces, `#` and a space begin a comment."""
    source = load(path, side="map")
    text = bytes(source.data[: source.size]).decode()
    table: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("# "):
            continue
        fields = line.split("\t") if "\t" in line else line.split()
        place = f"{source.parts[0].name}:{number}"
        if len(fields) != 2 or not all(field.strip() for field in fields):
            raise ReadError("a label map has two columns, the old and the new label", where=place)
        old, new = (field.strip() for field in fields)
        if table.get(old, new) != new:
            raise ReadError(f"the label {old!r} is mapped twice, to {table[old]!r} and to {new!r}", where=place)
        table[old] = new
    if not table:
        raise ReadError("the label map is empty", where=source.parts[0].name)
    return table
