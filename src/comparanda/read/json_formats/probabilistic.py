"""Probabilistic entities: blocks of alternatives with probabilities, one document a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from comparanda.beliefs.model import Beliefs
from comparanda.read.json_objects import JsonObjects, looks_like_json
from comparanda.read.request import BELIEF_OPTIONS, Format, Request
from comparanda.read.standoff import Draft

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.places import Source


class Alternative(msgspec.Struct):
    """A span that may be there: one of several that exclude each other."""

    start: int
    end: int
    p: float = 1.0
    labels: dict[str, float] = {}


class Block(msgspec.Struct):
    """Spans that exclude each other."""

    alternatives: list[Alternative]


class Document(msgspec.Struct):
    """One line."""

    doc: str
    text: str | None = None
    blocks: list[Block] = []


_DOCUMENTS = msgspec.json.Decoder(Document)


def read(source: Source, request: Request) -> Corpus:
    """Read documents with blocks."""
    objects = JsonObjects(source)
    draft = Draft(source, request.side, lambda _, number: f"tuple {number + 1}")
    weight: list[float] = []
    entity: list[float] = []
    alternative: list[int] = []
    block: list[int] = []
    nothing: list[float] = []
    spans = 0
    for place, document in zip(objects.offset.tolist(), objects.decoded(_DOCUMENTS), strict=True):
        draft.document(document.doc, place)
        if document.text is not None:
            draft.texts.append(document.text)
        for each in document.blocks:
            left = 1.0
            for one in each.alternatives:
                for label, p in one.labels.items():
                    draft.span([(one.start, one.end)], label, place)
                    weight.append(one.p * p)
                    entity.append(one.p)
                    alternative.append(spans)
                    block.append(len(nothing))
                spans += 1
                left -= one.p
            nothing.append(max(left, 0.0))
    corpus = draft.corpus(request, name=FORMAT.name, judged="label")
    weights, entities, left_over = (np.array(each, np.float64) for each in (weight, entity, nothing))
    beliefs = Beliefs(weights, entities, np.array(alternative, np.int64), np.array(block, np.int64), left_over)
    return replace(corpus, beliefs=beliefs)


def sniff(lines: list[str]) -> bool:
    """Whether the first object has a field that only probabilistic entities have."""
    return looks_like_json(lines) and re.search(r'"blocks"\s*:\s*\[', "\n".join(lines)) is not None


_OPTIONS: Mapping[str, str] = BELIEF_OPTIONS

FORMAT = Format(
    name="probabilistic",
    summary="JSONL of probabilistic entities: blocks, entities with scores, n-best lists, token marginals",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".json"),
    options=_OPTIONS,
    sniff=sniff,
    read=read,
    layers=frozenset({"beliefs"}),
)
