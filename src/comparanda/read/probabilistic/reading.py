"""Probabilistic entities: JSONL with a document or a sentence a line, or what tools return for texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.beliefs.joining import side_by_side
from comparanda.places import Source, refuse
from comparanda.read.json_formats.fields import key_paths
from comparanda.read.json_formats.hugging_face import values
from comparanda.read.json_objects import JsonObjects, looks_like_json
from comparanda.read.offsets import OPTION
from comparanda.read.probabilistic.alternatives import blocks
from comparanda.read.probabilistic.analyses import nbest
from comparanda.read.probabilistic.distributions import tokens
from comparanda.read.probabilistic.entities import entities
from comparanda.read.probabilistic.grounds import FORMAT_NAME, on_ground
from comparanda.read.probabilistic.problems import misshapen, undecodable
from comparanda.read.probabilistic.records import Records, Tuples
from comparanda.read.probabilistic.shapes import BEGINS, CONTENTS, SCORES, Content, Document, Record, Span
from comparanda.read.record_cuts import json_marks, sentence_a_line
from comparanda.read.request import BELIEF_OPTIONS, CERTAIN, Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.values import is_collection, listed

if TYPE_CHECKING:
    from comparanda.beliefs.policies import Policies
    from comparanda.corpus import Corpus

_DECODER = msgspec.json.Decoder(Record)
_ANY = msgspec.json.Decoder(Any)
_OWN = re.compile(r'"(?:blocks|nbest)"\s*:\s*\[|"(?:dist|probs)"\s*:\s*(?:\[\s*)?\{|"label_semantics"\s*:')
_LABELLED = ("label", "type", "tag", "labels", "labels[].value")
_READERS: Mapping[Content, Callable[[Records, Sequence[int], Policies], Tuples]] = {
    "blocks": blocks,
    "entities": entities,
    "nbest": nbest,
    "tokens": tokens,
}


def read(source: Source, request: Request) -> Corpus:
    """Read records, one a line or all in one array."""
    check_line_lengths(source, 0, source.size, request.max_line)
    if re.match(rb"\s*\[", source.data):
        given = list(values(source))
        return read_documents([each for _, each in given], [place for place, _ in given], source, request)
    objects = JsonObjects(source)
    found: list[Document | list[Span]] = []
    decode, keep = _DECODER.decode, found.append
    try:
        for piece in objects.pieces:
            keep(decode(piece))
    except (msgspec.DecodeError, RecursionError) as problem:
        place, piece = int(objects.offset[len(found)]), objects.pieces[len(found)]
        if (known := undecodable(source, place, piece, problem)) is not None:
            raise known from None
        objects.decoded(_ANY)  # says what is no JSON
        raise refuse(source, place, f"not JSON: {problem}") from None
    return _corpus(found, objects.offset.tolist(), source, request)


def read_documents(given: Sequence[Any], places: Sequence[int], source: Source, request: Request) -> Corpus:
    """Read records that are plain values already.

    Args:
        given: dictionaries, or lists of entities; a list of entities alone is one text.
        places: the byte at which each stands in the source.
        source: the bytes.
        request: what was asked.

    """
    if all(map(_is_entity, given)):
        given, places = [list(given)], places[:1]
    found = []
    for each, place in zip(given, places, strict=True):
        try:
            found.append(msgspec.convert(each, Record))
        except msgspec.ValidationError as problem:
            raise misshapen(source, place, problem) from None
    return _corpus(found, list(places), source, request)


def is_probable(records: Iterable[Any]) -> bool:
    """Whether Python data are records of this format: the first that has entities or the like tells.

    >>> is_probable([{"doc": "d1", "blocks": []}]), is_probable([{"id": "d1", "spans": []}])
    (True, False)
    """
    for each in records:
        if not isinstance(each, Mapping):
            return False
        if {"blocks", "nbest", "dist"} & each.keys():
            return True
        lists = (each[name] for name in ("entities", "tokens") if is_collection(each.get(name)) and len(each[name]))
        first = next((listed(values)[0] for values in lists), None)
        if isinstance(first, Mapping):
            return bool({*SCORES, "probs", "labels"} & first.keys() or {"overlap", "label_semantics"} & each.keys())
    return False


def _is_entity(given: Any) -> bool:
    """Whether a value is an entity, and no record."""
    return isinstance(given, dict) and not {*BEGINS}.isdisjoint(given) and {*CONTENTS}.isdisjoint(given)


def _corpus(found: list[Document | list[Span]], places: list[int], source: Source, request: Request) -> Corpus:
    documents = [each if isinstance(each, Document) else Document(entities=each) for each in found]
    records = Records(source, request, documents, places)
    if request.options.get("score") == CERTAIN:
        return _certain(records)
    parts = []
    for content, reader in _READERS.items():
        for policies, numbers in records.by_policies(records.having(content)):
            parts.append(reader(records, numbers, policies))
    return on_ground(records, _in_order(parts))


def _certain(records: Records) -> Corpus:
    """Read entities whose scores do not count."""
    for number, content in enumerate(records.contents):
        if content != "entities":
            hint = "if the tags of words are to be read, name their format: ::jsonl?tags=FIELD"
            raise records.refuse(number, f"score=none says that spans are certain, but these are {content}", hint=hint)
    every = list(range(len(records)))
    tuples = entities(records, every, replace(records.policies[0], overlap="independent"))
    return replace(on_ground(records, tuples), beliefs=None)


def _in_order(parts: Sequence[Tuples]) -> Tuples:
    """Put tuples of several kinds of records together, in the order of these."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(part.record) for part in parts]
    record = np.concatenate([part.record for part in parts])
    order = np.argsort(record, kind="stable")
    owner = np.repeat(np.arange(len(parts)), sizes)[order].tolist()
    inner = np.concatenate([np.arange(size) for size in sizes])[order].tolist()
    return Tuples(
        record[order],
        np.concatenate([part.begin for part in parts])[order],
        np.concatenate([part.end for part in parts])[order],
        [parts[part].label[row] for part, row in zip(owner, inner, strict=True)],
        side_by_side([part.beliefs for part in parts]).take(order),
        {
            number: parts[part].text[row]
            for number, (part, row) in enumerate(zip(owner, inner, strict=True))
            if row in parts[part].text
        },
        lambda row: parts[owner[row]].called(inner[row]),
    )


def sniff(lines: list[str]) -> bool:
    """Whether the first lines have what only probabilistic entities have, or entities with places and scores."""
    if not (looks_like_json(lines) or "\n".join(lines).lstrip().startswith("[[")):
        return False
    if _OWN.search("\n".join(lines)):
        return True
    found = key_paths(lines)
    for prefix in ("entities[].", "[].entities[].", "[][].", "[]."):
        here = {path.removeprefix(prefix) for path in found if path.startswith(prefix)}
        scored = {*SCORES, "labels[].confidence", "labels[].score"} & here
        if scored and {*BEGINS} & here and {*_LABELLED} & here and not {"entity_group", "entity", "spans"} & here:
            return True
    return False


FORMAT = Format(
    name=FORMAT_NAME,
    summary="JSONL of probabilistic entities: blocks, entities with scores, n-best lists, token marginals",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={**BELIEF_OPTIONS, **OPTION},
    sniff=sniff,
    read=read,
    layers=frozenset({"beliefs"}),
    marks=json_marks(read),
    sentences=sentence_a_line,
)
