"""Documents with spans as plain objects, one per document: `{"id": …, "text": …, "spans": [{"begin": …}]}`.

From JSONL and from Python. The first document determines the roles of document fields, the first span those of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.ids import join_ids, split_ids
from comparanda.core.places import Note, Source, first_places, make_read_error, noted_once
from comparanda.errors import ReadError, suggest_nearest
from comparanda.formats.contract import Request
from comparanda.formats.field_values import find_unwritable, is_collection, is_missing, list_values
from comparanda.formats.json_objects import UNLABELLED
from comparanda.formats.standoff import FARTHEST, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes

Record = Mapping[str, Any]

DOCUMENT_NAMES = ("id", "doc_id", "document", "doc", "name")
SPANS_NAMES = ("spans", "entities", "ents", "timexes")
BEGIN_NAMES = ("begin", "start", "start_offset")
END_NAMES = ("end", "stop", "end_offset")
LABEL_NAMES = ("label", "type", "tag")
CHAIN_NAMES = ("chain", "chain_id", "cluster", "cluster_id", "coref", "coref_id")
TEXT, FRAGMENTS = "text", "fragments"

_SHAPE = 'write a span like this: {"begin": 0, "end": 5, "label": "PER"}'


def holds_spans(record: Record) -> bool:
    """Whether a document seems to have a field with spans.

    >>> holds_spans({"text": "Anna", "people": [{"start": 0, "end": 4, "type": "PER"}]})
    True
    """
    return bool(_known_span_fields(record) or _likely_span_fields(record))


def _known_span_fields(record: Record) -> list[str]:
    """Return the fields that have a usual name and hold a list, which may be empty."""
    return [name for name in SPANS_NAMES if is_collection(record.get(name))]


def _likely_span_fields(record: Record) -> list[str]:
    """Return the fields that hold a non-empty list of objects with a begin and an end."""
    lists = [name for name, value in record.items() if is_collection(value) and len(value)]
    return [name for name in lists if all(_has_extent(each) for each in record[name])]


def _has_extent(span: Any) -> bool:
    return isinstance(span, Mapping) and bool(_find_field(BEGIN_NAMES, span) and _find_field(END_NAMES, span))


def _find_field(names: Sequence[str], span: Record) -> str | None:
    """Return the first of some fields that a span has; None if it has none."""
    return next((name for name in names if name in span), None)


@dataclass(frozen=True, slots=True)
class _Roles:
    """The fields of a document, by role."""

    document: str | None
    text: str
    spans: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _SpanRoles:
    """The fields of a span, by role; all but those in `own` become columns. Only mentions have chains."""

    begin: str
    end: str
    label: str
    own: frozenset[str]
    chains: tuple[str, ...] = ()


def read_records(
    records: Callable[[], Iterable[Record]], place: Codes, source: Source, request: Request, *, name: str
) -> Corpus:
    """Read documents with spans into a corpus.

    Args:
        records: returns the documents; it is called twice.
        place: the byte offset of each document in the source.
        source: the bytes.
        request: what was asked.
        name: the format's name.

    """
    return _Reader(source, request, place).read(records, name)


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request, place: Codes) -> None:
        self.source = source
        self.request = request
        self.place = place
        self.numbers = source.numbers(place)
        self.spans_field = ""
        self.draft = Draft(source=source, side=request.side, called=lambda _, number: f"{self.spans_field}[{number}]")
        self.roles: _SpanRoles | None = None
        self.chained = request.layer == "chains"
        self.in_chains = 0

    def read(self, records: Callable[[], Iterable[Record]], name: str) -> Corpus:
        offsets = requested_offsets(self.request.options)
        roles = self._find_roles(records())
        self.spans_field = roles.spans
        first_text: bool | None = None
        for number, record in enumerate(records()):
            place = int(self.place[number])
            called = self._add_document(record, roles, number, place)
            text = record.get(roles.text)
            first_text = self._add_text(text, called, place, first=first_text)
            spans = record.get(roles.spans)
            if not is_collection(spans):
                raise self._no_list_error(record, roles.spans, called, place)
            for index, span in enumerate(list_values(spans)):
                self._add_span(span, f"{roles.spans}[{index}]", called, place)
        evaluated = self.roles.label if self.roles else LABEL_NAMES[0]
        if self.chained:
            evaluated = "chains"
            self._check_chains()
        if roles.document is None:
            what = "no field is known to hold the names of documents; they are numbered instead"
            self.draft.notes += noted_once(self.source, self.request.side, what, int(self.place[0]))
        return self.draft.corpus(self.request, name=name, evaluated=evaluated, offsets=offsets)

    def _check_chains(self) -> None:
        """Note that no mention is in a chain; the file probably holds something else."""
        if self.roles is None or self.in_chains:
            return
        asked = self.request.options.get("chain")
        if asked is not None:
            raise ReadError(
                f"no span has a {asked!r}", where=self.source.parts[0].name, hint="name another: ?chain=FIELD"
            )
        what = f"inputs in which no span has a {CHAIN_NAMES[0]!r}: every mention is a singleton"
        places = first_places(self.source, self.place[:1])
        self.draft.notes.append(Note(self.request.side, what, 1, places))

    def _find_roles(self, records: Iterable[Record]) -> _Roles:
        """Determine the roles of fields: by the options, else by usual names, else by their values."""
        options = self.request.options
        several: Iterator[Record] = iter(records)
        first = next(several)
        document = options.get("document") or options.get("id") or _find_field(DOCUMENT_NAMES, first)
        for asked in (document, options.get("text"), options.get("spans")):
            if asked is not None and asked not in first:
                self._refuse_unknown_field(asked, first)
        spans = options.get("spans")
        if spans is None:
            found = _known_span_fields(first) or _likely_span_fields(first)
            while not found and (other := next(several, None)) is not None:
                found = _likely_span_fields(other)
            spans = self._choose_spans_field(found, first)
        return _Roles(document, options.get("text", TEXT), spans)

    def _refuse_unknown_field(self, asked: str, first: Record) -> None:
        where = str(self.source.locate(int(self.place[0])))
        names = list(map(str, first))
        hint = f"fields: {', '.join(names)}"
        raise ReadError(f"there is no field {asked!r}{suggest_nearest(asked, names)}", where=where, hint=hint)

    def _choose_spans_field(self, found: list[str], first: Record) -> str:
        """Return the one field that holds spans; `spans` takes precedence over all others."""
        if len(found) == 1 or found[:1] == [SPANS_NAMES[0]]:
            return found[0]
        where = str(self.source.locate(int(self.place[0])))
        if found:
            what = f"the spans could be in the field {' or '.join(map(repr, found))}"
            raise ReadError(what, where=where, hint=f"choose one: ?spans={found[0]}")
        hint = f"name it: ?spans=FIELD; {_SHAPE}"
        if self.source.parts[0].path is not None and not any(map(is_collection, first.values())):
            hint += f"; answers of a language model: {self.source.parts[0].name}::llm?answer=FIELD"
        details = [f"fields: {', '.join(map(str, first))}"]
        raise ReadError("cannot determine which field holds the spans", where=where, details=details, hint=hint)

    def _add_document(self, record: Record, roles: _Roles, number: int, place: int) -> str:
        """Add a document; return its name."""
        if roles.document is None:
            name = f"document {self.numbers[number]}"
        else:
            value = record.get(roles.document)
            if is_missing(value) or value == "":
                hint = "give every document a unique name"
                raise make_read_error(self.source, place, f"the document has no {roles.document!r}", hint=hint)
            if is_collection(value) or isinstance(value, Mapping):
                what = f"{roles.document!r} is of type {type(value).__name__}, which is not a document name"
                raise make_read_error(self.source, place, what, hint="name the field that holds it: ?document=FIELD")
            name = self._check_writable(str(value), place)
        own = {roles.document, roles.text, roles.spans}
        attributes = {str(field): _to_scalar(value) for field, value in record.items() if field not in own}
        self.draft.document(
            name,
            place,
            {
                field: self._check_writable(str(value), place)
                for field, value in attributes.items()
                if value is not None
            },
        )
        return name

    def _add_text(self, text: Any, name: str, place: int, *, first: bool | None) -> bool:
        """Add the text of a document; return whether documents have texts."""
        there = not is_missing(text)
        if first is not None and there != first:
            here, first_has = ("a text", "none") if there else ("no text", "one")
            what = f"the document {name!r} has {here}, but the first has {first_has}"
            raise make_read_error(self.source, place, what, hint="give all documents their text, or none")
        if there:
            if not isinstance(text, str):
                what = f"the text of document {name!r} is of type {type(text).__name__}"
                raise make_read_error(self.source, place, what, hint="name the field that holds the text: ?text=FIELD")
            self.draft.texts.append(self._check_writable(text, place))
        return there

    def _check_writable(self, text: str, place: int) -> str:
        if problem := find_unwritable(text):
            raise make_read_error(self.source, place, f"{problem[0]} in {text[:40]!r}", hint=problem[1])
        return text

    def _no_list_error(self, record: Record, field: str, name: str, place: int) -> ReadError:
        details = [f"document {name!r}"]
        if field not in record:
            hint = "give every document the fields of the first; use an empty list if there are no spans"
            return make_read_error(self.source, place, f"there is no field {field!r}", details=details, hint=hint)
        value = record[field]
        what = f"{field!r} has no value" if is_missing(value) else f"{field!r} is of type {type(value).__name__}"
        hint = f"give a list, empty if there are no spans; {_SHAPE}"
        return make_read_error(self.source, place, what, details=details, hint=hint)

    def _add_span(self, span: Any, called: str, document: str, place: int) -> None:
        """Add one span."""
        if type(span) is not dict and not isinstance(span, Mapping):
            what = f"{called} is of type {type(span).__name__}, not an object"
            raise self._error(what, document, place, _SHAPE)
        if self.roles is None:
            self.roles = self._find_span_roles(span)
        roles = self.roles
        pieces = self._read_pieces(span, roles=roles, called=called, document=document, place=place)
        label = _to_scalar(span.get(roles.label))
        if label is None and self.chained:
            label = UNLABELLED
        if label is None or (text := str(label)).isspace():
            empty = "is missing" if is_missing(span.get(roles.label)) else "is empty"
            hint = "give every span a label, or name the field that holds it: ?label=FIELD"
            raise self._error(f"the label ({roles.label!r}) of {called} {empty}", document, place, hint)
        number = self.draft.span(pieces, text, place)
        for field, given in span.items():
            value = _join_ids(given) if field == "id" else _to_scalar(given)
            if field not in roles.own and value is not None:
                self.draft.set_value(number, str(field), value)
        self.draft.check_scores(number, span, self.request.scores)
        if self.chained:
            self._add_to_chain(number, span=span, called=called, document=document, place=place)

    def _add_to_chain(self, number: int, span: Record, called: str, document: str, *, place: int) -> None:
        """Add a span to its chain, if any; the name may be a string or a number."""
        assert self.roles is not None
        field = _find_field(self.roles.chains, span)
        given = None if field is None else span[field]
        if is_collection(given) or isinstance(given, Mapping):
            what = f"{called}.{field} is of type {type(given).__name__}, which is not a chain name"
            raise self._error(what, document, place, "put a mention into one chain, named by a string or a number")
        if (name := _to_scalar(given)) is not None:
            self.draft.set_value(number, CHAIN_NAMES[0], str(name))
            self.in_chains += 1

    def _find_span_roles(self, span: Record) -> _SpanRoles:
        wanted = self.request.options.get("label")
        if wanted is None and self.request.value in span:
            wanted = self.request.value
        begin, end = _find_field(BEGIN_NAMES, span) or BEGIN_NAMES[0], _find_field(END_NAMES, span) or END_NAMES[0]
        label = wanted or _find_field(LABEL_NAMES, span) or LABEL_NAMES[0]
        own = frozenset({begin, end, label, FRAGMENTS})
        if not self.chained:
            return _SpanRoles(begin=begin, end=end, label=label, own=own)
        asked = self.request.options.get("chain")
        chains = CHAIN_NAMES if asked is None else (asked,)
        return _SpanRoles(begin=begin, end=end, label=label, own=own | {*chains, CHAIN_NAMES[0]}, chains=chains)

    def _read_pieces(
        self, span: Record, roles: _SpanRoles, called: str, document: str, *, place: int
    ) -> list[tuple[int, int]]:
        """Return the begin and end of a span, or of each of its fragments."""
        pieces = []
        if not is_missing(fragments := span.get(FRAGMENTS)):
            pieces = self._read_fragments(fragments, called, document, place)
        if pieces and roles.begin not in span and roles.end not in span:
            return pieces
        begin = self._read_integer(span, field=roles.begin, called=called, document=document, place=place)
        end = self._read_integer(span, field=roles.end, called=called, document=document, place=place)
        if not pieces:
            return [(begin, end)]
        whole = min(piece[0] for piece in pieces), max(piece[1] for piece in pieces)
        if whole != (begin, end):
            what = f"{called} is {begin} to {end}, but its fragments are {whole[0]} to {whole[1]}"
            raise self._error(
                what, document, place, "make the first fragment begin, and the last end, where the span does"
            )
        return pieces

    def _read_fragments(self, fragments: Any, called: str, document: str, place: int) -> list[tuple[int, int]]:
        shape = 'write fragments like this: "fragments": [[0, 3], [7, 9]]'
        if not is_collection(fragments):
            what = f"{called}.{FRAGMENTS} is of type {type(fragments).__name__}, not a list"
            raise self._error(what, document, place, shape)
        pieces = []
        for number, piece in enumerate(list_values(fragments)):
            here = f"{called}.{FRAGMENTS}[{number}]"
            pair: Record
            if isinstance(piece, Mapping):
                pair = {
                    "begin": piece.get(_find_field(BEGIN_NAMES, piece) or ""),
                    "end": piece.get(_find_field(END_NAMES, piece) or ""),
                }
            elif is_collection(piece) and len(piece) == 2:
                pair = dict(zip(("begin", "end"), list_values(piece), strict=True))
            else:
                raise self._error(f"{here} is not a pair of a begin and an end", document, place, shape)
            begin = self._read_integer(pair, field="begin", called=here, document=document, place=place)
            pieces.append((begin, self._read_integer(pair, field="end", called=here, document=document, place=place)))
        return pieces

    def _read_integer(self, span: Record, field: str, called: str, document: str, *, place: int) -> int:
        value = span.get(field)
        if type(value) is not int:
            if is_missing(value):
                raise self._error(f"{called} has no {field!r}", document, place, _SHAPE)
            if type(value) is bool or not isinstance(value, Integral | np.integer):
                what = f"{called}.{field} is {value!r}, which is not an integer"
                raise self._error(what, document, place, "give offsets as integers: code points of the text, from 0")
            value = int(value)
        if abs(value) > FARTHEST:
            raise self._error(f"{called}.{field} is {value}, which is too large for an offset", document, place, None)
        return value

    def _error(self, what: str, document: str, place: int, hint: str | None) -> ReadError:
        return make_read_error(self.source, place, what, details=[f"document {document!r}"], hint=hint)


def _join_ids(value: Any) -> str | None:
    """Join the ids of a span: one, several separated by bars, or a list; a null in a list is NIL."""
    if is_collection(value):
        return join_ids(None if is_missing(each) else str(each) for each in list_values(value))
    return None if (plain := _to_scalar(value)) is None else join_ids(split_ids(str(plain)))


def _to_scalar(value: Any) -> str | int | float | bool | None:
    """Convert a scalar to one of the four types of columns; None for missing values, lists and objects."""
    kind = type(value)
    if kind is str:
        return value or None
    if kind is int or kind is bool or (kind is float and value == value):  # noqa: PLR0124 - NaN differs from itself
        return value  # type: ignore[no-any-return]
    if is_missing(value) or is_collection(value) or isinstance(value, Mapping):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, bool | int | float) else str(value)
