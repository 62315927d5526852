"""JSONL: one object a line, a row, a sentence of tokens or a document with spans; or one array of such objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.errors import UsageError
from comparanda.places import Source
from comparanda.read.json_objects import JsonObjects, looks_like_json
from comparanda.read.offsets import OPTION
from comparanda.read.record_cuts import json_marks, sentence_a_line
from comparanda.read.records import read_records
from comparanda.read.request import CHUNK_OPTIONS, Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.tables import ABSENT, Table, has_tag_list, spans_in_tags, table_rows, table_tokens

if TYPE_CHECKING:
    from comparanda.corpus import Corpus


def read(source: Source, request: Request) -> Corpus:
    """Read JSONL; the first object decides whether it holds rows, tokens or documents with spans."""
    check_line_lengths(source, 0, source.size, request.max_line)
    objects = JsonObjects(source)
    first = objects.first()
    chains = request.layer == "chains"
    if "chain" in request.options and not chains:
        raise UsageError("the option 'chain' says how chains are read, and this task judges none", hint="leave it out")
    where = str(source.locate(int(objects.offset[0])))
    if chains or (request.layer == "spans" and not spans_in_tags(first, request, where)):
        return read_records(lambda: objects, objects.offset, source, request, name="jsonl")

    def fetch(names: Sequence[str]) -> dict[str, list[Any]]:
        """Decode the wanted fields alone: the others are skipped over, no object is made of them."""
        fields = [(f"field{number}", Any, ABSENT) for number in range(len(names))]
        renamed = {field: name for (field, _, _), name in zip(fields, names, strict=True)}
        record = msgspec.defstruct("Record", fields, rename=renamed, gc=False)
        rows = objects.decoded(msgspec.json.Decoder(record))
        return {name: [getattr(row, field) for row in rows] for field, name in renamed.items()}

    table = Table("jsonl", source, objects.offset, tuple(first), fetch, noun="field")
    tokens = request.layer == "spans" or _has_tokens(first, request)
    return table_tokens(table, request) if tokens else table_rows(table, request)


def _has_tokens(first: dict[str, Any], request: Request) -> bool:
    """Whether an object is a sentence of tokens, and no row."""
    options = request.options
    if {"tags", "tokens"} & set(options):
        return True
    return not {"id", "label", "split", "several"} & set(options) and has_tag_list(first, request)


FORMAT = Format(
    name="jsonl",
    summary="one JSON object a line: a row, a sentence with lists of tokens and tags, or a document with spans",
    shapes=frozenset({"rows", "tokens"}),
    suffixes=(".jsonl", ".ndjson", ".json"),
    options={
        "label": "rows and spans: the field of labels (default: 'label' and the like); of rows, a value or a list",
        "id": "rows: the field of ids (default: 'id' and the like); 'row' for the number of each row",
        "split": "rows: the separator of several labels in one text, for example ;",
        "several": "rows: 'rows' if rows of one id are one row with several labels",
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
