"""JSONL: one object a line, a row, a sentence of tokens or a document with spans; or one array of such objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.errors import ReadError
from comparanda.places import Source, refuse
from comparanda.read.offsets import OPTION
from comparanda.read.records import read_records
from comparanda.read.request import CHUNK_OPTIONS, Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.tables import ABSENT, Table, has_tag_list, spans_in_tags, table_rows, table_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.corpus import Corpus

_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT = msgspec.json.Decoder(dict[str, Any])
_ONE_A_LINE = "JSONL has one complete object a line"


def read(source: Source, request: Request) -> Corpus:
    """Read JSONL; the first object decides whether it holds rows, tokens or documents with spans."""
    check_line_lengths(source, 0, source.size, request.max_line)
    pieces, offset = _pieces(source)
    if not pieces:
        raise ReadError("there are no objects in this file", where=source.parts[0].name)
    first: dict[str, Any] = _decoded(source, pieces[:1], offset, _OBJECT)[0]
    if request.layer == "spans" and not spans_in_tags(first, request, str(source.locate(int(offset[0])))):

        def records() -> Iterator[dict[str, Any]]:
            for number in range(len(pieces)):
                yield from _decoded(source, pieces[number : number + 1], offset[number:], _OBJECT)

        return read_records(records, offset, source, request, name="jsonl")

    def fetch(names: Sequence[str]) -> dict[str, list[Any]]:
        """Decode the wanted fields alone: the others are skipped over, no object is made of them."""
        fields = [(f"field{number}", Any, ABSENT) for number in range(len(names))]
        renamed = {field: name for (field, _, _), name in zip(fields, names, strict=True)}
        record = msgspec.defstruct("Record", fields, rename=renamed, gc=False)
        rows = _decoded(source, pieces, offset, msgspec.json.Decoder(record))
        return {name: [getattr(row, field) for row in rows] for field, name in renamed.items()}

    table = Table("jsonl", source, offset, tuple(first), fetch, noun="field")
    tokens = request.layer == "spans" or _has_tokens(first, request)
    return table_tokens(table, request) if tokens else table_rows(table, request)


def _has_tokens(first: dict[str, Any], request: Request) -> bool:
    """Whether an object is a sentence of tokens, and no row."""
    options = request.options
    if {"tags", "tokens"} & set(options):
        return True
    return not {"id", "label", "split", "several"} & set(options) and has_tag_list(first, request)


def _pieces(source: Source) -> tuple[list[bytes], NDArray[np.int64]]:
    """Cut a source into the bytes of its objects, each with its offset."""
    pieces: list[bytes] = []
    offsets: list[NDArray[np.int64]] = []
    stops = [*(part.begin for part in source.parts[1:]), source.size]
    for part, stop in zip(source.parts, stops, strict=True):
        data = bytes(source.data[part.begin : stop])
        found, begins = _array(source, data, part.begin) if data.lstrip()[:1] == b"[" else _lines(data)
        pieces += found
        offsets.append(begins + part.begin)
    return pieces, np.concatenate(offsets)


def _lines(data: bytes) -> tuple[list[bytes], NDArray[np.int64]]:
    lines = data.split(b"\n")
    sizes = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)) + 1
    begins = np.cumsum(sizes) - sizes
    filled = np.array([not (line == b"" or line.isspace()) for line in lines], dtype=np.bool_)
    return [line for line, kept in zip(lines, filled.tolist(), strict=True) if kept], begins[filled]


def _array(source: Source, data: bytes, begin: int) -> tuple[list[bytes], NDArray[np.int64]]:
    """Cut one array into its elements; each is looked for behind the one before, so it is found where it stands."""
    try:
        pieces = [bytes(raw) for raw in _ARRAY.decode(data)]
    except (msgspec.DecodeError, RecursionError) as problem:
        byte = re.search(r"\(byte (\d+)\)", str(problem))
        offset = min(int(byte[1]), len(data) - 1) if byte else len(data.rstrip()) - 1
        hint = f"{_ONE_A_LINE}; a whole file may also be one array of objects"
        raise refuse(source, begin + offset, _problem(problem, "array"), hint=hint) from None
    begins, end = [], 0
    for piece in pieces:
        begins.append(data.index(piece, end))
        end = begins[-1] + len(piece)
    return pieces, np.array(begins, dtype=np.int64)


def _decoded(
    source: Source, pieces: list[bytes], offset: NDArray[np.int64], decoder: msgspec.json.Decoder[Any]
) -> list[Any]:
    rows: list[Any] = []
    decode, keep = decoder.decode, rows.append
    try:
        for piece in pieces:
            keep(decode(piece))
    except (msgspec.DecodeError, RecursionError) as problem:
        raise refuse(source, int(offset[len(rows)]), _problem(problem, "object"), hint=_ONE_A_LINE) from None
    return rows


def _problem(problem: Exception, kind: str) -> str:
    text = str(problem)
    if isinstance(problem, RecursionError):
        return "the JSON is nested too deeply"
    if "truncated" in text:
        return f"the JSON {kind} is cut off"
    if got := re.match(r"Expected `\w+`, got `(\w+)`$", text):
        return f"not a JSON {kind}, but of type {got[1]}"
    return f"not JSON: {text.removeprefix('JSON is malformed: ')}"


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like JSON: the first character opens an object or an array of them."""
    text = "\n".join(lines).lstrip()
    return text.startswith("{") or re.match(r"\[\s*(\{|$)", text) is not None


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
        **OPTION,
        **CHUNK_OPTIONS,
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"values", "spans"}),
)
