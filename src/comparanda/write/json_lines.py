"""What formats with one JSON object a line share: lines, attributes of documents, and what is said of spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from comparanda.ids import BAR
from comparanda.write.passages import GAPS, Losses, Mention, Passage


def json_lines(documents: Iterable[Passage], made: Callable[[Passage], dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Give the one file of some documents, an object a line."""
    encode = msgspec.json.Encoder().encode
    yield "", "".join(f"{encode(made(each)).decode()}\n" for each in documents)


def attributes(passage: Passage, taken: frozenset[str], losses: Losses) -> dict[str, str]:
    """Return the attributes of a document, without those whose names the format needs for something else."""
    for name in (each for each in passage.attributes if each in taken):
        losses.lose(f"the attribute {name!r} of documents, whose name is taken", passage.name)
    return {name: value for name, value in passage.attributes.items() if name not in taken}


def extent(passage: Passage, mention: Mention, losses: Losses) -> tuple[int, int]:
    """Return where a span begins and ends; formats without discontinuous spans lose the gaps of those."""
    if len(mention.pieces) > 1:
        losses.lose(GAPS, passage.name)
    return mention.begin, mention.end


def said(passage: Passage, mention: Mention, losses: Losses, taken: frozenset[str]) -> dict[str, Any]:
    """Return what else is known of a span as fields of it: its ids, its probability as `score`, and all columns."""
    found: dict[str, Any] = {} if mention.ids is None else {"id": BAR.join(mention.ids)}
    if "probability" in mention.said:
        found["score"] = mention.said["probability"]
    for name, value in mention.said.items():
        if name in taken or (name == "score" and "score" in found):
            losses.lose(f"{name!r} of spans, whose name is taken", passage.name)
        elif name != "probability":
            found[name] = value
    return found
