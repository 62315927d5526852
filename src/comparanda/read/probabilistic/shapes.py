"""The records of probabilistic entities as they are decoded: what is there, under the names that tools give it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Annotated, Any, Literal

import msgspec

from comparanda.read.standoff import FARTHEST

Place = Annotated[int, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]
Content = Literal["blocks", "entities", "nbest", "tokens"]

CONTENTS: tuple[Content, ...] = ("blocks", "entities", "nbest", "tokens")
"""The fields of which a record has exactly one."""

BEGINS = ("start", "begin", "start_pos", "start_char", "start_offset")
ENDS = ("end", "stop", "end_pos", "end_char", "end_offset")
SCORES = ("p", "probability", "prob", "score", "confidence")
LABELS = ("label", "type", "tag", "entity_group")
NAMES = ("doc", "id", "doc_id", "document", "document_id", "doc_key", "name")
WORDS = ("text", "word", "token", "form")
LOGS = ("logp", "logprob", "log_prob")


class Scored(msgspec.Struct, gc=False):
    """Something with a probability, under one of its names."""

    p: float | None = None
    probability: float | None = None
    prob: float | None = None
    score: float | None = None
    confidence: float | None = None


class Placed(Scored, gc=False):
    """Something with a place, under one of its names."""

    start: Place | None = None
    begin: Place | None = None
    start_pos: Place | None = None
    start_char: Place | None = None
    start_offset: Place | None = None
    end: Place | None = None
    stop: Place | None = None
    end_pos: Place | None = None
    end_char: Place | None = None
    end_offset: Place | None = None


class Label(Scored, gc=False):
    """A label of a span with its probability, as an object."""

    value: str | None = None
    label: str | None = None
    name: str | None = None


class Span(Placed, gc=False):
    """A span that may be there: an alternative of a block, an entity with a score, or a part of an analysis."""

    labels: dict[str, float | None] | list[str | Label] | None = None
    label: str | None = None
    type: str | None = None
    tag: str | None = None
    entity_group: str | None = None
    text: str | None = None


class Block(msgspec.Struct, gc=False):
    """Spans that exclude each other."""

    alternatives: list[Span]


class Analysis(Scored, gc=False):
    """One of the n best analyses of a text: the spans that are there if it is right, or the tag of each word."""

    logp: float | None = None
    logprob: float | None = None
    log_prob: float | None = None
    spans: list[tuple[Place, Place, str] | Span] | None = None
    tags: list[str] | None = None


class Token(Placed, gc=False):
    """A token with the probabilities of its tags, or without, where it is only there to be counted."""

    text: str | None = None
    word: str | None = None
    token: str | None = None
    form: str | None = None
    probs: dict[str, float] | None = None
    dist: dict[str, float] | None = None


class Document(msgspec.Struct, gc=False):
    """A record: a document, or a sentence."""

    doc: str | int | None = None
    id: str | int | None = None
    doc_id: str | int | None = None
    document: str | int | None = None
    document_id: str | int | None = None
    doc_key: str | int | None = None
    name: str | int | None = None
    text: str | None = None
    unit: str | None = None
    scale: str | None = None
    overlap: str | None = None
    label_semantics: str | None = None
    semantics: str | None = None
    residual: str | None = None
    aggregate: str | None = None
    floor: float | None = None
    coverage: float | None = None
    blocks: list[Block] | None = None
    entities: list[Span] | None = None
    nbest: list[Analysis] | None = None
    tokens: list[str | Token] | None = None
    words: list[str] | None = None
    dist: list[dict[str, float]] | None = None
    probs: list[dict[str, float]] | None = None


Record = Document | list[Span]
"""A line: an object, or the bare list of a text's entities, as tools return it."""


def first_of(thing: Any, names: Sequence[str]) -> Any:
    """Return the first of some fields that a thing has; None if it has none of them.

    >>> first_of(Span(begin=3), BEGINS)
    3
    """
    return next((value for name in names if (value := getattr(thing, name)) is not None), None)


def column(things: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """Return the same for many things at once."""
    found = list(map(attrgetter(names[0]), things))
    for name in names[1:]:
        if None not in found:
            break
        found = [getattr(thing, name) if value is None else value for thing, value in zip(things, found, strict=True)]
    return found
