"""What token classification pipelines of Hugging Face return, in an object a line with the document's name and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from comparanda.write.json_lines import attributes, extent, json_lines, said
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

_OF_DOCUMENTS = frozenset({"id", "text", "entities"})
_TAKEN = frozenset({"entity_group", "entity", "word", "start", "end", "index", "id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object a line, with aggregated entities."""
    del options
    return json_lines(documents, lambda each: _document(each, losses))


def _document(passage: Passage, losses: Losses) -> dict[str, Any]:
    return {
        "id": passage.name,
        **attributes(passage, _OF_DOCUMENTS, losses),
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
