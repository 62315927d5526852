"""What token classification pipelines of Hugging Face return, in an object a line with the document's name and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.prodigy import extent, said
from comparanda.write.writer import Writer

_OF_DOCUMENTS = frozenset({"id", "text", "entities"})
_TAKEN = frozenset({"entity_group", "entity", "word", "start", "end", "index", "id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line, with aggregated entities."""
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
        "entities": [_entity(passage, mention, losses) for mention in passage.mentions],
    }


def _entity(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Any]:
    begin, end = extent(passage, mention, losses)
    return {
        "entity_group": mention.label,
        **said(passage, mention, losses, _TAKEN),
        "word": passage.text[begin:end],
        "start": begin,
        "end": end,
    }


WRITER = Writer("hugging-face", ".jsonl", write)
