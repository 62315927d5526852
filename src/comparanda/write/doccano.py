"""doccano: one document a line, with spans as objects, as projects with relations have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from comparanda.read.offsets import places_in
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
    places = places_in(passage.text, "utf-16" if wide else "code-points")
    entities = []
    for mention in passage.mentions:
        begin, end = (int(places[place]) for place in extent(passage, mention, losses))
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


WRITER = Writer(
    "doccano",
    ".jsonl",
    write,
    options={"offsets": "what begin and end count: code-points, utf-16 (as some versions of doccano do)"},
)
