"""BioC, as XML and as JSON: documents with passages at offsets, and annotations at locations.

The text of a document is assembled from its passages, each at its offset. Offsets count code points in practice, but
bytes in the specification: the convention is detected from the text that annotations cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.core.ids import BAR, NIL, join_ids, split_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.errors import ReadError, WriteError
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.document_writer import Losses, Mention, Value, Writer, lose_type
from comparanda.formats.document_writer import Passage as WriterPassage
from comparanda.formats.json_keys import check_all_keys, check_outer_keys
from comparanda.formats.pubtator import NO_ENTITY, ids_of
from comparanda.formats.standoff import FARTHEST, MEANING, Draft, Offsets, covers_stated
from comparanda.formats.xml import (
    HEAD,
    Event,
    describe_mention,
    escape_content,
    format_attribute,
    format_plain,
    read_events,
    set_value,
    without_line_ends,
)

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


# Entity ids in infons of annotations.


IDENTIFIER = "identifier"
DATABASES = frozenset(
    {"ncbigene", "ncbigeneidentifier", "geneid", "mesh", "meshid", "omim", "ncbitaxonomy", "taxonomy", "chebi", "cui"}
    | {"umls", "umlscui", "dbsnp", "cellosaurus", "conceptid", "kbid"}
)
"""Infons that hold ids if there is no `identifier`; case, spaces and underscores are ignored."""


@cache
def _normalise_key(key: str) -> str:
    """Normalise the name of an infon: lower case, without spaces and underscores.

    >>> _normalise_key("NCBI_Gene"), _normalise_key("NCBI Gene")
    ('ncbigene', 'ncbigene')
    """
    return re.sub(r"[\W_]", "", key.lower())


def holds_ids(key: str) -> bool:
    """Whether an infon is known to hold entity ids."""
    return _normalise_key(key) == IDENTIFIER or _normalise_key(key) in DATABASES


def id_keys(keys: Sequence[str]) -> list[str]:
    """Select the infons that hold ids: the identifier, else those of databases.

    >>> id_keys(["type", "MESH", "OMIM"]), id_keys(["type", "MESH", "Identifier"])
    (['MESH', 'OMIM'], ['Identifier'])
    """
    return [key for key in keys if _normalise_key(key) == IDENTIFIER] or list(filter(holds_ids, keys))


def ids_in(infons: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """Parse the ids in the given infons, which are written as in PubTator; None if there are none.

    >>> ids_in({"MESH": "D001, D002", "OMIM": "-1"}, ["MESH", "OMIM"]), ids_in({"identifier": "-"}, ["identifier"])
    ('D001|D002|NIL', None)
    """
    found = [ids_of(str(infons[key])) for key in keys]
    return join_ids(id_ for ids in found if ids is not None for id_ in split_ids(ids))


# The documents of BioC files as objects, read from XML or JSON.


COLLECTIONS = ("documents", "PubTator3")
"""JSON fields that hold documents: in collections, and in responses of the PubTator 3 service."""

_PARENTS: dict[str, frozenset[str]] = {
    "document": frozenset({"collection"}),
    "passage": frozenset({"document"}),
    "sentence": frozenset({"passage"}),
    "annotation": frozenset({"document", "passage", "sentence"}),
    "relation": frozenset({"document", "passage", "sentence"}),
    "location": frozenset({"annotation"}),
    "node": frozenset({"relation"}),
    "id": frozenset({"document"}),
    "offset": frozenset({"passage", "sentence"}),
    "text": frozenset({"passage", "sentence", "annotation"}),
    "infon": frozenset({"collection", "document", "passage", "sentence", "annotation", "relation"}),
    "source": frozenset({"collection"}),
    "date": frozenset({"collection"}),
    "key": frozenset({"collection"}),
}
"""The elements of BioC, and their permitted parents."""

_NUMBER = re.compile(r"\s*-?[0-9]{1,18}\s*")
_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`(?: - at `\$\.?([^`]*)`)?")
_MISSING = re.compile(r"Object missing required field `([^`]+)`(?: - at `\$\.?([^`]*)`)?")
_TYPE_NAMES = {
    "int": "integer",
    "str": "string",
    "array": "list",
    "float": "number",
    "bool": "boolean",
    "null": "null",
}
_SHAPE = 'BioC JSON is an object with "documents", each with "id" and "passages"; or such documents, one per line'


class Location(msgspec.Struct):
    """The position of a piece of an annotation in its document."""

    offset: int
    length: int


class Annotation(msgspec.Struct, kw_only=True):
    """An annotation; `place` is its byte offset, -1 if unknown."""

    id: str | int | None = None
    infons: dict[str, Any] = {}
    text: str | None = None
    locations: list[Location] = []
    place: int = -1


class Sentence(msgspec.Struct, kw_only=True):
    """A sentence of a passage, with its own text if the passage has none."""

    offset: int
    text: str | None = None
    infons: dict[str, Any] = {}
    annotations: list[Annotation] = []
    relations: list[msgspec.Raw] = []
    place: int = -1


class Passage(Sentence, kw_only=True):
    """A passage of a document."""

    sentences: list[Sentence] = []


class Document(msgspec.Struct, kw_only=True):
    """A document."""

    id: str | int | None = None
    infons: dict[str, Any] = {}
    passages: list[Passage] = []
    annotations: list[Annotation] = []
    relations: list[msgspec.Raw] = []
    place: int = -1


_DOCUMENT_DECODER = msgspec.json.Decoder(Document)
_FIELDS_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST_DECODER = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(eq=False)
class BiocDocuments:
    """Iterates over the documents of a source.

    `strange` collects the byte offsets of XML elements that BioC does not have. `nesting` is the maximum depth of
    elements.
    """

    source: Source
    nesting: int
    strange: list[int] = field(default_factory=list)

    def __iter__(self) -> Iterator[Document]:
        ends = [*(part.begin for part in self.source.parts[1:]), self.source.size]
        for number, (part, end) in enumerate(zip(self.source.parts, ends, strict=True)):
            data = bytes(memoryview(self.source.data)[part.begin : end])
            if data.lstrip()[:1] in {b"{", b"["}:
                yield from _JsonReader(self.source).documents(data, part.begin)
            elif data.strip():
                yield from self._read_xml(read_events(self.source, number, self.nesting))

    def _read_xml(self, stream: Iterator[Event]) -> Iterator[Document]:
        """Read the elements of one file; elements that BioC does not have are ignored with their content."""
        open_: list[tuple[str, Any]] = []
        for kind, name, attributes, place in stream:
            if kind == "start":
                built = self._build_object(name, attributes, place, open_)
                open_.append((name, built))
                if name in {"id", "offset", "text", "infon"}:
                    text = _read_content(stream, self.source)
                    open_.pop()
                    self._set_content(open_[-1][1], name=name, text=text, attributes=attributes, place=place)
            elif kind == "end":
                _, built = open_.pop()
                if isinstance(built, Sentence) and built.offset < 0:
                    raise make_read_error(self.source, built.place, f"this {name} has no offset")
                if isinstance(built, Document):
                    yield built

    def _build_object(self, name: str, attributes: dict[str, str], place: int, open_: list[tuple[str, Any]]) -> Any:
        """Build the object of an element, and add it to that of its parent."""
        if not open_:
            if name == "collection":
                return None
            what = f"expected the root element <collection>, got <{name}>"
            raise make_read_error(self.source, place, what, hint="check that the file is BioC")
        outer, owner = open_[-1]
        if name not in _PARENTS:
            self.strange.append(place)
            return None
        if outer not in _PARENTS[name]:
            raise make_read_error(self.source, place, f"BioC does not allow <{name}> in <{outer}>")
        if name == "document":
            return Document(place=place)
        if name in {"passage", "sentence"}:
            built = (Passage if name == "passage" else Sentence)(offset=-1, place=place)
            (owner.passages if name == "passage" else owner.sentences).append(built)
            return built
        if name == "annotation":
            found = Annotation(id=attributes.get("id"), place=place)
            owner.annotations.append(found)
            return found
        if name == "relation":
            owner.relations.append(msgspec.Raw(b""))
        elif name == "location":
            values = [self._parse_number(attributes.get(each), f"the {each}", place) for each in ("offset", "length")]
            owner.locations.append(Location(*values))
        return None

    def _set_content(self, owner: Any, name: str, text: str, attributes: dict[str, str], *, place: int) -> None:
        """Store the content of a simple element in the object of its parent, if that has one."""
        if owner is None:
            return
        if name == "infon":
            owner.infons[attributes.get("key", "")] = text
        elif name == "offset":
            owner.offset = self._parse_number(text, "the offset", place)
        elif name == "id":
            owner.id = text.strip()
        else:
            owner.text = text

    def _parse_number(self, text: str | None, what: str, place: int) -> int:
        if text is None or not _NUMBER.fullmatch(text):
            shown = "is missing" if text is None else f"is {text[:40]!r}, which is not an integer"
            raise make_read_error(self.source, place, f"{what} {shown}")
        number = int(text)
        if number < 0:
            raise make_read_error(self.source, place, f"{what} is {number}, but must not be negative")
        return number


def _read_content(stream: Iterator[Event], source: Source) -> str:
    """Read the text up to the end of the current element."""
    pieces = []
    for kind, value, _, place in stream:
        if kind == "end":
            break
        if kind == "start":
            raise make_read_error(source, place, f"expected only text, got <{value}>")
        pieces.append(value)
    return "".join(pieces)


class _JsonReader:
    """Reads documents from JSON: a collection, a list of collections or documents, or one per line."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def documents(self, data: bytes, begin: int) -> Iterator[Document]:
        for piece, place in self._outermost_objects(data, begin):
            fields = self._decode(_FIELDS_DECODER, piece, place)
            check_outer_keys(self.source, place, piece, fields)
            name = next((each for each in COLLECTIONS if each in fields), None)
            if name is not None:
                for each, where in self._array_elements(bytes(fields[name]), place, piece):
                    yield self._decode_document(each, where)
            elif "passages" in fields:
                yield self._decode_document(piece, place)
            else:
                shown = ", ".join(list(fields)[:6]) or "none"
                what = "the object has neither documents nor passages"
                raise make_read_error(self.source, place, what, details=[f"its fields: {shown}"], hint=_SHAPE)

    def _outermost_objects(self, data: bytes, begin: int) -> Iterator[tuple[bytes, int]]:
        """Yield the outermost objects: the elements of an array, a single object, or one per line."""
        inner = data.lstrip()
        if inner[:1] == b"[":
            yield from self._array_elements(inner, begin + len(data) - len(inner), inner)
            return
        first, _, rest = inner.partition(b"\n")
        if not rest.strip() or not first.rstrip().endswith(b"}") or rest.lstrip()[:1] != b"{":
            yield data, begin
            return
        for line in data.split(b"\n"):
            if line.strip():
                yield line, begin
            begin += len(line) + 1

    def _array_elements(self, data: bytes, begin: int, around: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield the elements of an array with their byte offsets; each is searched for after the previous one."""
        place, end = begin + around.find(data), 0
        for raw in self._decode(_LIST_DECODER, data, place):
            piece = bytes(raw)
            end = data.index(piece, end)
            yield piece, place + end
            end += len(piece)

    def _decode_document(self, data: bytes, place: int) -> Document:
        found: Document = self._decode(_DOCUMENT_DECODER, data, place)
        check_all_keys(self.source, [place], [data])
        found.place = place
        return found

    def _decode(self, decoder: msgspec.json.Decoder[Any], data: bytes, place: int) -> Any:
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, RecursionError) as problem:
            raise self._decode_error(problem, place) from None

    def _decode_error(self, problem: Exception, place: int) -> ReadError:
        text = str(problem)
        if isinstance(problem, RecursionError):
            return make_read_error(self.source, place, "the JSON is nested too deeply")
        if found := _MISSING.match(text):
            return make_read_error(self.source, place, f"{found[2] or 'the object'} has no {found[1]!r}", hint=_SHAPE)
        if found := _EXPECTED.match(text):
            wanted = " or ".join(_TYPE_NAMES.get(each, each) for each in found[1].split(" | "))
            what = f"{found[3] or 'this'} is of type {_TYPE_NAMES.get(found[2], found[2])}, not {wanted}"
            return make_read_error(self.source, place, what, hint=_SHAPE)
        if "truncated" in text:
            return make_read_error(self.source, place, "the JSON is cut off", hint="is the file complete?")
        return make_read_error(self.source, place, f"not JSON: {text.removeprefix('JSON is malformed: ')}", hint=_SHAPE)


LABEL, UNLABELLED = "type", "ENTITY"
WIDEST = 1 << 26
"""The maximum number of characters inserted between passages, in all documents together."""

_OFFSET_CHOICES: tuple[Offsets, ...] = ("code-points", "bytes", "utf-16")


def read(source: Source, request: Request) -> Corpus:
    """Read collections of BioC."""
    return _Reader(without_line_ends(source), request).corpus()


@dataclass(slots=True)
class _Layout:
    """The passages of a document, or their sentences, in the order of their offsets."""

    document: Document
    pieces: list[tuple[int, str, int]]

    def find_overlap(self, unit: Offsets) -> tuple[int, int, int] | None:
        """Return the offset of the first passage that overlaps the one before, the end of that, and its place."""
        end = 0
        for offset, text, place in self.pieces:
            if offset < end:
                return offset, end, place
            end = offset + _size(text, unit)
        return None

    def text(self, unit: Offsets) -> str:
        """Place non-overlapping passages at their offsets; fill gaps with a line end and blanks."""
        found: list[str] = []
        end = 0
        for offset, text, _ in self.pieces:
            found += ["\n" + " " * (offset - end - 1) if offset > end and found else " " * (offset - end), text]
            end = offset + _size(text, unit)
        return "".join(found)

    def count_agreeing(self, unit: Offsets) -> int | None:
        """Count the annotations that cover their stated text; None if passages overlap."""
        if self.find_overlap(unit) is not None:
            return None
        text = self.text(unit)
        data, width = _encode(text, unit)
        return sum(
            covers_stated([_covered_text(data, width, each) for each in annotation.locations], stated)
            for annotation in _all_annotations(self.document)
            if (stated := annotation.text) and annotation.locations
        )


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.draft = Draft(source=source, side=request.side, called=lambda span, _: self.called[span])
        self.called: list[str] = []
        self.unplaced: list[int] = []
        self.unlabelled: list[int] = []

    def corpus(self) -> Corpus:
        found = BiocDocuments(self.source, self.request.limits.nesting)
        layouts = [self._build_layout(document) for document in found]
        if not layouts:
            raise ReadError("there are no documents in this file", where=self.source.parts[0].name)
        unit = self._choose_offsets(layouts)
        texts = any(text for layout in layouts for _, text, _ in layout.pieces)
        relations: list[int] = []
        for layout in layouts:
            document = layout.document
            self.draft.document(self._required_id(document), document.place, _document_attributes(document.infons))
            if texts:
                self.draft.texts.append(self._build_text(layout, unit))
            for annotation in _all_annotations(document):
                self._add_span(annotation, document)
            relations += [document.place] * _count_relations(document)
        self._note("annotations without a location ignored", self.unplaced)
        self._note(f"annotations without the infon {self._label!r}, labelled {UNLABELLED}", self.unlabelled)
        self._note("relations ignored", relations)
        self._note("elements that BioC does not have ignored", found.strange)
        return self.draft.corpus(self.request, name="bioc", evaluated="label", offsets=unit if texts else None)

    @property
    def _label(self) -> str:
        return self.request.options.get("label", LABEL)

    def _build_layout(self, document: Document) -> _Layout:
        pieces = []
        for passage in document.passages:
            texts: list[Sentence] = [passage] if passage.text else list(passage.sentences) or [passage]
            pieces += [(each.offset, each.text or "", max(each.place, document.place)) for each in texts]
        for offset, _, place in pieces:
            if offset < 0:
                raise make_read_error(self.source, place, f"a passage begins at {offset}, before the text")
        return _Layout(document, sorted(pieces, key=lambda piece: piece[0]))

    def _choose_offsets(self, layouts: list[_Layout]) -> Offsets:
        """Return the offset convention: the requested one, else the best fit to the annotations, else code points."""
        self._check_gaps(layouts)
        if "offsets" in self.request.options:
            return choose_option(self.request.options, "offsets", _OFFSET_CHOICES)
        named = sum(
            bool(each.text and each.locations) for layout in layouts for each in _all_annotations(layout.document)
        )
        best, most = _OFFSET_CHOICES[0], -1
        for unit in _OFFSET_CHOICES:
            found = [layout.count_agreeing(unit) for layout in layouts]
            count = -1 if None in found else sum(filter(None, found))
            if count > most:
                best, most = unit, count
            if most == named:
                break
        if best != _OFFSET_CHOICES[0]:
            spans = sum(len(list(_all_annotations(layout.document))) for layout in layouts)
            what = f"spans whose offsets {MEANING[best].rstrip(',')}, as the texts of annotations show"
            self.draft.notes.append(Note(self.request.side, what, spans))
        return best

    def _check_gaps(self, layouts: list[_Layout]) -> None:
        """Refuse offsets with gaps that would fill memory with blanks."""
        room = WIDEST
        for layout in layouts:
            end = 0
            for offset, text, place in layout.pieces:
                room -= max(offset - end, 0)
                if room < 0:
                    what = f"the passage begins at {offset:,}, but the text before it has {end:,} characters"
                    raise make_read_error(self.source, place, what, hint="check the offset")
                end = offset + len(text)

    def _build_text(self, layout: _Layout, unit: Offsets) -> str:
        if found := layout.find_overlap(unit):
            offset, end, place = found
            what = f"the passage begins at {offset}, but the one before ends at {end}"
            raise make_read_error(
                self.source, place, what, hint="count offsets of passages from the beginning of the document"
            )
        return layout.text(unit)

    def _required_id(self, document: Document) -> str:
        if document.id is None or document.id == "":
            raise make_read_error(self.source, document.place, "the document has no id")
        return str(document.id)

    def _add_span(self, annotation: Annotation, document: Document) -> None:
        place = max(annotation.place, document.place)
        if not annotation.locations:
            self.unplaced.append(place)
            return
        label = annotation.infons.get(self._label)
        if label in {None, ""}:
            self.unlabelled.append(place)
            label = UNLABELLED
        pieces = [(each.offset, each.offset + each.length) for each in annotation.locations]
        if any(abs(number) > FARTHEST for piece in pieces for number in piece):
            raise make_read_error(self.source, place, "an annotation ends beyond the end of any text")
        span = self.draft.span(pieces, str(label), place)
        self.called.append("an annotation" if annotation.id in {None, ""} else f"annotation {annotation.id}")
        if annotation.text:
            self.draft.set_value(span, "text", annotation.text)
        keys = self._id_keys(annotation.infons)
        if ids := ids_in(annotation.infons, keys):
            self.draft.set_value(span, "id", ids)
        for key, value in annotation.infons.items():
            if key not in keys and key != self._label and isinstance(value, str | int | float):
                set_value(self.draft, span, key, value)

    def _id_keys(self, infons: dict[str, Any]) -> list[str]:
        """Return the infons that hold ids: the requested one, else the identifier, else those of databases."""
        asked = self.request.options.get("id")
        there = [key for key, value in infons.items() if value is not None and value != "" and key != self._label]
        if asked is not None:
            return [key for key in there if key == asked]
        return id_keys(there)

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places[:3], np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))


def _all_annotations(document: Document) -> Iterator[Annotation]:
    """Yield all annotations of a document, those of its passages and sentences first."""
    for passage in document.passages:
        yield from passage.annotations
        for sentence in passage.sentences:
            yield from sentence.annotations
    yield from document.annotations


def _count_relations(document: Document) -> int:
    passages = document.passages
    inner = sum(len(each.relations) + sum(len(one.relations) for one in each.sentences) for each in passages)
    return len(document.relations) + inner


def _document_attributes(infons: dict[str, Any]) -> dict[str, str | None]:
    return {key: str(value) for key, value in infons.items() if isinstance(value, str | int | float) and value != ""}


def _size(text: str, unit: Offsets) -> int:
    """Return the length of a text in the units of an offset convention."""
    data, width = _encode(text, unit)
    return len(data) // width


def _encode(text: str, unit: Offsets) -> tuple[str | bytes, int]:
    """Encode a text so that units have a fixed size; return it with that size."""
    if text.isascii() or unit == "code-points":
        return text, 1
    return (text.encode(), 1) if unit == "bytes" else (text.encode("utf-16-le"), 2)


def _covered_text(data: str | bytes, width: int, place: Location) -> str:
    """Return the part of an encoded text that a location covers."""
    found = data[width * place.offset : width * (place.offset + place.length)]
    return found if isinstance(found, str) else found.decode("utf-8" if width == 1 else "utf-16-le", "replace")


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are certainly BioC: a collection, or documents with passages as JSON."""
    text = "\n".join(lines)
    start = text.lstrip()[:1]
    if start == "<":
        return re.search(r"<collection\b[^<>]*>\s*<(?:source|infon|date|key|document)\b", text) is not None
    return start in {"{", "["} and (
        re.search(r'"bioctype"\s*:\s*"BioC|"PubTator3"\s*:\s*\[', text) is not None
        or (re.search(r'"passages"\s*:\s*\[', text) is not None and '"infons"' in text)
        or (re.search(r'"documents"\s*:\s*\[', text) is not None and '"passages"' in text)
    )


FORMAT = Format(
    name="bioc",
    summary="BioC, XML or JSON: passages, annotations with infons and locations",
    shapes=frozenset({"tokens"}),
    suffixes=(".xml", ".json"),
    options={
        "label": "the infon that holds the label (default: type)",
        "id": "the infon that holds entity ids (default: identifier, else NCBI Gene, MESH and the like)",
        "offsets": "what offsets and lengths count: code-points, bytes, utf-16; detected from the texts by default",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing BioC: one collection, each document a single passage with all its annotations; XML by default, or JSON.


_SOURCE = "comparanda"
_SYNTAXES = ("xml", "json")


def write(documents: Iterable[WriterPassage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents as one collection."""
    kind = choose_option(options, "as", _SYNTAXES)
    if kind == "json":
        built = [_json_document(passage, losses) for passage in documents]
        collection = {"source": _SOURCE, "date": "", "key": "", "version": "1.0", "infons": {}, "documents": built}
        yield "", msgspec.json.format(msgspec.json.encode(collection), indent=1).decode() + "\n"
        return
    inner = "".join(_xml_document(passage, losses) for passage in documents)
    head = f'{HEAD}<!DOCTYPE collection SYSTEM "BioC.dtd">\n<collection><source>{_SOURCE}</source><date/><key/>\n'
    yield "", f"{head}{inner}</collection>\n"


def _xml_document(passage: WriterPassage, losses: Losses) -> str:
    def leaf(name: str, text: str, attributes: str = "") -> str:
        return f"<{name}{attributes}>{escape_content(text, passage.name)}</{name}>"

    def infons(given: Mapping[str, Value]) -> str:
        return "".join(
            leaf("infon", format_plain(value), format_attribute("key", key, passage.name))
            for key, value in given.items()
        )

    annotations = []
    for number, mention in enumerate(passage.mentions, start=1):
        for name, value in mention.attributes.items():
            lose_type(name, value, passage, losses)
        places = "".join(f'<location offset="{begin}" length="{end - begin}"/>' for begin, end in mention.pieces)
        infon_elements = infons(_mention_infons(passage, mention, losses))
        annotations.append(
            f'<annotation id="{number}">{infon_elements}{places}{leaf("text", passage.covered(mention))}</annotation>\n'
        )
    of_document = infons(passage.attributes)
    return (
        f"<document>{leaf('id', _document_id(passage))}{of_document}<passage><offset>0</offset>"
        f"{leaf('text', passage.text)}\n{''.join(annotations)}</passage></document>\n"
    )


def _json_document(passage: WriterPassage, losses: Losses) -> dict[str, Any]:
    annotations = [
        {
            "id": str(number),
            "infons": _mention_infons(passage, mention, losses),
            "text": passage.covered(mention),
            "locations": [{"offset": begin, "length": end - begin} for begin, end in mention.pieces],
        }
        for number, mention in enumerate(passage.mentions, start=1)
    ]
    whole = {"offset": 0, "infons": {}, "text": passage.text, "sentences": []}
    return {
        "id": _document_id(passage),
        "infons": dict(passage.attributes),
        "passages": [whole | {"annotations": annotations, "relations": []}],
        "annotations": [],
        "relations": [],
    }


def _document_id(passage: WriterPassage) -> str:
    if passage.name.strip() != passage.name or not passage.name:
        raise WriteError(f"the document name {passage.name!r} is not a valid BioC id", hint="rename it first")
    return passage.name


def _mention_infons(passage: WriterPassage, mention: Mention, losses: Losses) -> dict[str, Value]:
    found: dict[str, Value] = {LABEL: mention.label}
    for name, value in mention.attributes.items():
        if name == LABEL or holds_ids(name):
            losses.lose(f"{name!r} of spans, which is a reserved infon name", passage.name)
        else:
            found[name] = value
    if mention.ids is not None:
        found[IDENTIFIER] = _format_ids(passage, mention, mention.ids)
    return found


def _format_ids(passage: WriterPassage, mention: Mention, ids: tuple[str, ...]) -> str:
    """Format ids so that they read back unchanged; refuse those that cannot."""
    text = ",".join(NO_ENTITY if id_ == NIL else id_ for id_ in ids)
    for candidate in (text.replace("%7C", BAR), text):
        if ids_of(candidate) == BAR.join(ids):
            return candidate
    what = f"{describe_mention(passage, mention)} has ids that BioC cannot hold: {', '.join(map(repr, ids))}"
    raise WriteError(what, hint="rename them: commas and semicolons separate ids in BioC, and - means no id")


WRITER = Writer(name="bioc", suffix=".xml", write=write, options={"as": f"the syntax: {', '.join(_SYNTAXES)}"})
