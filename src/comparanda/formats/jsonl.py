"""JSONL: one object per line (a row, a sentence of tokens or a document with spans), or an array of such objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.core.ids import BAR
from comparanda.core.places import Source
from comparanda.errors import UsageError
from comparanda.formats.contract import CHUNK_OPTIONS, Format, Request
from comparanda.formats.cuts import json_marks, sentence_a_line
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.json_objects import JsonObjects, document_attributes, json_lines, looks_like_json
from comparanda.formats.plain_tables import ABSENT, Table, has_tag_list, spans_in_tags, table_rows, table_tokens
from comparanda.formats.records import read_records
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION
from comparanda.formats.word_runs import without_words

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


def read(source: Source, request: Request) -> Corpus:
    """Read JSONL; the first object decides whether it holds rows, tokens or documents with spans."""
    check_line_lengths(source, 0, source.size, request.max_line)
    objects = JsonObjects(source)
    first = objects.first()
    chains = request.layer == "chains"
    if "chain" in request.options and not chains:
        raise UsageError(
            "the option 'chain' applies to chains, but this task does not evaluate chains", hint="remove it"
        )
    where = str(source.locate(int(objects.offset[0])))
    if chains or (request.layer == "spans" and not spans_in_tags(first, request, where)):
        return read_records(lambda: objects, objects.offset, source, request, name="jsonl")

    def fetch(names: Sequence[str]) -> dict[str, list[Any]]:
        """Decode only the wanted fields: the others are skipped without making objects."""
        fields = [(f"field{number}", Any, ABSENT) for number in range(len(names))]
        renamed = {field: name for (field, _, _), name in zip(fields, names, strict=True)}
        record = msgspec.defstruct("Record", fields, rename=renamed, gc=False)
        rows = objects.decoded(msgspec.json.Decoder(record))
        return {name: [getattr(row, field) for row in rows] for field, name in renamed.items()}

    table = Table(format="jsonl", source=source, offset=objects.offset, names=tuple(first), fetch=fetch, noun="field")
    tokens = request.layer == "spans" or _has_tokens(first, request)
    return table_tokens(table, request) if tokens else table_rows(table, request)


def _has_tokens(first: dict[str, Any], request: Request) -> bool:
    """Whether an object is a sentence of tokens, not a row."""
    options = request.options
    if {"tags", "tokens"} & set(options):
        return True
    return not {"id", "label", "split", "several"} & set(options) and has_tag_list(first, request)


FORMAT = Format(
    name="jsonl",
    summary="one JSON object per line: a row, a sentence with lists of tokens and tags, or a document with spans",
    shapes=frozenset({"rows", "tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "label": "rows and spans: the field of labels (default: 'label' and the like); for rows, a value or a list",
        "id": "rows: the field of ids (default: 'id' and the like); 'row' for the number of each row",
        "split": "rows: the separator of several labels in one string, for example ;",
        "several": "rows: 'rows' to merge rows with the same id into one with several labels",
        "classes": "rows: the names of classes, separated by commas, for labels that are numbers or lists of 0 and 1",
        "tags": "tokens: the field of tags (default: 'tags' and the like)",
        "tokens": "tokens: the field of tokens (default: 'tokens' and the like)",
        "document": "the field that names the document (default for tokens and spans: 'document' and the like)",
        "spans": "spans: the field of spans (default: 'spans' and the like)",
        "text": "spans: the field of the document's text (default: 'text')",
        "chain": "chains: the field of spans that names their chain (default: 'chain' and the like)",
        **OPTION,
        **CHUNK_OPTIONS,
    },
    sniff=looks_like_json,
    read=read,
    layers=frozenset({"values", "spans", "chains"}),
    general=True,
    marks=json_marks(read),
    sentences=sentence_a_line,
)


# Writing our own JSONL: one document per line, with all attributes of its spans.


_RESERVED_SPAN_FIELDS = frozenset({"begin", "end", "start", "label", "fragments", "id", "text", "document"})
_RESERVED_DOCUMENT_FIELDS = frozenset({"id", "text", "spans"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one object per line."""
    del options
    return json_lines(documents, lambda each: _document_record(each, losses))


def _document_record(passage: Passage, losses: Losses) -> dict[str, Any]:
    return {
        "id": passage.name,
        **document_attributes(passage, _RESERVED_DOCUMENT_FIELDS, losses),
        "text": passage.text,
        "spans": [_span_record(passage, mention, losses) for mention in without_words(passage, losses).mentions],
    }


def _span_record(passage: Passage, mention: Mention, losses: Losses) -> dict[str, Any]:
    found: dict[str, Any] = {"begin": mention.begin, "end": mention.end, "label": mention.label}
    found["text"] = passage.covered(mention)
    if len(mention.pieces) > 1:
        found["fragments"] = [list(piece) for piece in mention.pieces]
    if mention.ids is not None:
        found["id"] = BAR.join(mention.ids)
    for name, value in mention.attributes.items():
        if name in _RESERVED_SPAN_FIELDS:
            losses.lose(f"{name!r} of spans, whose name is reserved", passage.name)
        else:
            found[name] = value
    return found


WRITER = Writer(name="jsonl", suffix=".jsonl", write=write, layers=frozenset({"spans", "chains"}))
