"""Prodigy: one accepted example a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comparanda.ids import BAR
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

_TAKEN = frozenset({"start", "end", "label", "token_start", "token_end", "id", "kb_id", "text"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one example a line; each is answered by accept."""
    del options
    encode = msgspec.json.Encoder().encode
    yield "", "".join(f"{encode(_example(each, losses)).decode()}\n" for each in documents)


def _example(passage: Passage, losses: Losses) -> dict[str, Any]:
    meta = {name: value for name, value in passage.attributes.items() if name not in {"id", "text", "answer"}}
    for name in passage.attributes.keys() - meta.keys():
        losses.lose(f"the attribute {name!r} of documents, whose name is taken", passage.name)
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


def extent(passage: Passage, mention: Mention, losses: Losses) -> tuple[int, int]:
    """Return where a span begins and ends; formats without discontinuous spans lose the gaps of those."""
    if len(mention.pieces) > 1:
        losses.lose("the gaps of discontinuous spans: they are written as a whole", passage.name)
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


WRITER = Writer("prodigy", ".jsonl", write)
