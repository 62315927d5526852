"""Prodigy: one accepted example a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from comparanda.write.json_lines import attributes, extent, json_lines, said
from comparanda.write.passages import Losses, Passage
from comparanda.write.writer import Writer

_OF_DOCUMENTS = frozenset({"id", "text", "answer"})
_TAKEN = frozenset({"start", "end", "label", "token_start", "token_end", "id", "kb_id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one example a line; each is answered by accept."""
    del options
    return json_lines(documents, lambda each: _example(each, losses))


def _example(passage: Passage, losses: Losses) -> dict[str, Any]:
    meta = attributes(passage, _OF_DOCUMENTS, losses)
    spans = [
        {
            **dict(zip(("start", "end"), extent(passage, mention, losses), strict=True)),
            "label": mention.label,
            **said(passage, mention, losses, _TAKEN),
        }
        for mention in passage.mentions
    ]
    head: dict[str, Any] = {"id": passage.name, "answer": "accept", **({"meta": meta} if meta else {})}
    return {**head, "text": passage.text, "spans": spans}  # long texts last: the head tells the format


WRITER = Writer("prodigy", ".jsonl", write)
