"""Our own JSONL: one document a line, with everything that is known of its spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comparanda.ids import BAR
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

_OWN = frozenset({"begin", "end", "start", "label", "fragments", "id", "text", "document"})
_OF_DOCUMENTS = frozenset({"id", "text", "spans"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line."""
    del options
    encode = msgspec.json.Encoder().encode
    yield "", "".join(f"{encode(_document(each, losses)).decode()}\n" for each in documents)


def _document(passage: Passage, losses: Losses) -> dict[str, Any]:
    for name in passage.attributes.keys() & _OF_DOCUMENTS:
        losses.lose(f"the attribute {name!r} of documents, whose name is taken", passage.name)
    return {
        "id": passage.name,
        **{name: value for name, value in passage.attributes.items() if name not in _OF_DOCUMENTS},
        "text": passage.text,
        "spans": [_span(passage, mention, losses) for mention in passage.mentions],
    }


def _span(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Any]:
    found: dict[str, Any] = {"begin": mention.begin, "end": mention.end, "label": mention.label}
    found["text"] = passage.covered(mention)
    if len(mention.pieces) > 1:
        found["fragments"] = [list(piece) for piece in mention.pieces]
    if mention.ids is not None:
        found["id"] = BAR.join(mention.ids)
    for name, value in mention.said.items():
        if name in _OWN:
            losses.lose(f"{name!r} of spans, whose name is taken", passage.name)
        else:
            found[name] = value
    return found


WRITER = Writer("jsonl", ".jsonl", write)
