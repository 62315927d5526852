"""doccano: one document a line, with spans as objects, as projects with relations have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from comparanda.read.request import choose
from comparanda.write.json_lines import attributes, extent, json_lines
from comparanda.write.passages import Losses, Passage
from comparanda.write.writer import Writer

_OWN = frozenset({"id", "text", "entities", "relations", "Comments", "label", "labels", "annotations"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line."""
    wide = choose(options, "offsets", ("code-points", "utf-16")) == "utf-16"
    numbers = count(1)
    return json_lines(documents, lambda each: _document(each, losses, numbers, wide))


def _document(passage: Passage, losses: Losses, numbers: Iterator[int], wide: bool) -> dict[str, Any]:
    entities = []
    for mention in passage.mentions:
        begin, end = extent(passage, mention, losses)
        if wide:
            begin, end = _units(passage.text, begin), _units(passage.text, end)
        entities.append({"id": next(numbers), "label": mention.label, "start_offset": begin, "end_offset": end})
        for name in ("id",) * (mention.ids is not None) + tuple(mention.said):
            losses.lose(f"{name!r} of spans", passage.name)
    return {
        "id": passage.name,
        "text": passage.text,
        **attributes(passage, _OWN, losses),
        "entities": entities,
        "relations": [],
        "Comments": [],
    }


def _units(text: str, place: int) -> int:
    """Return a place in UTF-16 units.

    >>> _units("a😀b", 2)
    3
    """
    return len(text[:place].encode("utf-16-le")) // 2


WRITER = Writer(
    "doccano",
    ".jsonl",
    write,
    options={"offsets": "what begin and end count: code-points, utf-16 (as some versions of doccano do)"},
)
