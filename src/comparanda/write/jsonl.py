"""Our own JSONL: one document a line, with everything that is known of its spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from comparanda.ids import BAR
from comparanda.write.json_lines import attributes, json_lines
from comparanda.write.mentions import without_words
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

_OWN = frozenset({"begin", "end", "start", "label", "fragments", "id", "text", "document"})
_OF_DOCUMENTS = frozenset({"id", "text", "spans"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line."""
    del options
    return json_lines(documents, lambda each: _document(each, losses))


def _document(passage: Passage, losses: Losses) -> dict[str, Any]:
    return {
        "id": passage.name,
        **attributes(passage, _OF_DOCUMENTS, losses),
        "text": passage.text,
        "spans": [_span(passage, mention, losses) for mention in without_words(passage, losses).mentions],
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


WRITER = Writer("jsonl", ".jsonl", write, layers=frozenset({"spans", "chains"}))
