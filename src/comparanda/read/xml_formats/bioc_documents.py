"""The documents of BioC files as objects, whether they are written as XML or as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from comparanda.places import Source, refuse
from comparanda.read.xml_formats.events import Event, events

if TYPE_CHECKING:
    from comparanda.errors import ReadError

COLLECTIONS = ("documents", "PubTator3")
"""Fields under which JSON holds documents: of collections, and of what the PubTator 3 service answers."""

_OUTER: dict[str, frozenset[str]] = {
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
"""The elements of BioC, and in which others they stand."""

_NUMBER = re.compile(r"\s*-?[0-9]{1,18}\s*")
_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`(?: - at `\$\.?([^`]*)`)?")
_MISSING = re.compile(r"Object missing required field `([^`]+)`(?: - at `\$\.?([^`]*)`)?")
_KINDS = {"int": "whole number", "str": "text", "array": "list", "float": "number", "bool": "truth", "null": "null"}
_SHAPE = 'BioC JSON is an object with "documents", each with "id" and "passages"; or such documents, one a line'


class Location(msgspec.Struct):
    """Where a piece of an annotation stands in its document."""

    offset: int
    length: int


class Annotation(msgspec.Struct):
    """An annotation; `place` is the byte at which it stands, where that is known."""

    id: str | int | None = None
    infons: dict[str, Any] = {}
    text: str | None = None
    locations: list[Location] = []
    place: int = -1


class Sentence(msgspec.Struct):
    """A sentence of a passage, with a text of its own where the passage has none."""

    offset: int
    text: str | None = None
    infons: dict[str, Any] = {}
    annotations: list[Annotation] = []
    relations: list[msgspec.Raw] = []
    place: int = -1


class Passage(Sentence):
    """A passage of a document."""

    sentences: list[Sentence] = []


class Document(msgspec.Struct):
    """A document."""

    id: str | int | None = None
    infons: dict[str, Any] = {}
    passages: list[Passage] = []
    annotations: list[Annotation] = []
    relations: list[msgspec.Raw] = []
    place: int = -1


_DOCUMENT = msgspec.json.Decoder(Document)
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(eq=False)
class BiocDocuments:
    """The documents of a source, one by one; `strange` collects elements of XML that are none of BioC.

    `nesting` says how many elements may stand in each other.
    """

    source: Source
    nesting: int
    strange: list[int] = field(default_factory=list)

    def __iter__(self) -> Iterator[Document]:
        ends = [*(part.begin for part in self.source.parts[1:]), self.source.size]
        for number, (part, end) in enumerate(zip(self.source.parts, ends, strict=True)):
            data = bytes(memoryview(self.source.data)[part.begin : end])
            if data.lstrip()[:1] in {b"{", b"["}:
                yield from _Json(self.source).documents(data, part.begin)
            elif data.strip():
                yield from self._xml(events(self.source, number, self.nesting))

    def _xml(self, stream: Iterator[Event]) -> Iterator[Document]:
        """Read the elements of one file; what stands in one that BioC does not have is passed over with it."""
        open_: list[tuple[str, Any]] = []
        for kind, name, attributes, place in stream:
            if kind == "start":
                made = self._made(name, attributes, place, open_)
                open_.append((name, made))
                if name in {"id", "offset", "text", "infon"}:
                    text = _content(stream, self.source)
                    open_.pop()
                    self._assign(open_[-1][1], name, text, attributes, place)
            elif kind == "end":
                _, made = open_.pop()
                if isinstance(made, Sentence) and made.offset < 0:
                    raise refuse(self.source, made.place, f"this {name} has no offset")
                if isinstance(made, Document):
                    yield made

    def _made(self, name: str, attributes: dict[str, str], place: int, open_: list[tuple[str, Any]]) -> Any:
        """Make the object of an element, and put it where it belongs."""
        if not open_:
            if name == "collection":
                return None
            what = f"the outermost element is <{name}>, and not <collection>"
            raise refuse(self.source, place, what, hint="is it BioC?")
        outer, owner = open_[-1]
        if name not in _OUTER:
            self.strange.append(place)
            return None
        if outer not in _OUTER[name]:
            raise refuse(self.source, place, f"there is a <{name}> in <{outer}>, where BioC has none")
        if name == "document":
            return Document(place=place)
        if name in {"passage", "sentence"}:
            made = (Passage if name == "passage" else Sentence)(-1, place=place)
            (owner.passages if name == "passage" else owner.sentences).append(made)
            return made
        if name == "annotation":
            found = Annotation(attributes.get("id"), place=place)
            owner.annotations.append(found)
            return found
        if name == "relation":
            owner.relations.append(msgspec.Raw(b""))
        elif name == "location":
            values = [self._number(attributes.get(each), f"the {each}", place) for each in ("offset", "length")]
            owner.locations.append(Location(*values))
        return None

    def _assign(self, owner: Any, name: str, text: str, attributes: dict[str, str], place: int) -> None:
        """Give an object what a simple element says of it; of collections and relations nothing is kept."""
        if owner is None:
            return
        if name == "infon":
            owner.infons[attributes.get("key", "")] = text
        elif name == "offset":
            owner.offset = self._number(text, "the offset", place)
        elif name == "id":
            owner.id = text.strip()
        else:
            owner.text = text

    def _number(self, text: str | None, what: str, place: int) -> int:
        if text is None or not _NUMBER.fullmatch(text):
            shown = "is missing" if text is None else f"is {text[:40]!r}, which is no whole number"
            raise refuse(self.source, place, f"{what} {shown}")
        number = int(text)
        if number < 0:
            raise refuse(self.source, place, f"{what} is {number}, and may not be negative")
        return number


def _content(stream: Iterator[Event], source: Source) -> str:
    """Return the text up to the end of the element that has begun."""
    pieces = []
    for kind, value, _, place in stream:
        if kind == "end":
            break
        if kind == "start":
            raise refuse(source, place, f"there is a <{value}> where BioC has only text")
        pieces.append(value)
    return "".join(pieces)


class _Json:
    """JSON on its way to documents: a collection, a list of collections or documents, or one a line."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def documents(self, data: bytes, begin: int) -> Iterator[Document]:
        for piece, place in self._objects(data, begin):
            fields = self._decoded(_FIELDS, piece, place)
            name = next((each for each in COLLECTIONS if each in fields), None)
            if name is not None:
                for each, where in self._elements(bytes(fields[name]), place, piece):
                    yield self._document(each, where)
            elif "passages" in fields:
                yield self._document(piece, place)
            else:
                shown = ", ".join(list(fields)[:6]) or "none"
                what = "the object has neither documents nor passages"
                raise refuse(self.source, place, what, details=[f"its fields: {shown}"], hint=_SHAPE)

    def _objects(self, data: bytes, begin: int) -> Iterator[tuple[bytes, int]]:
        """Give the outermost objects: the elements of an array, one whole object, or one a line."""
        inner = data.lstrip()
        if inner[:1] == b"[":
            yield from self._elements(inner, begin + len(data) - len(inner), inner)
            return
        first, _, rest = inner.partition(b"\n")
        if not rest.strip() or not first.rstrip().endswith(b"}") or rest.lstrip()[:1] != b"{":
            yield data, begin
            return
        for line in data.split(b"\n"):
            if line.strip():
                yield line, begin
            begin += len(line) + 1

    def _elements(self, data: bytes, begin: int, around: bytes) -> Iterator[tuple[bytes, int]]:
        """Give the elements of an array, each with its place; it is found behind the one before."""
        place, end = begin + around.find(data), 0
        for raw in self._decoded(_LIST, data, place):
            piece = bytes(raw)
            end = data.index(piece, end)
            yield piece, place + end
            end += len(piece)

    def _document(self, data: bytes, place: int) -> Document:
        found: Document = self._decoded(_DOCUMENT, data, place)
        found.place = place
        return found

    def _decoded(self, decoder: msgspec.json.Decoder[Any], data: bytes, place: int) -> Any:
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, RecursionError) as problem:
            raise self._problem(problem, place) from None

    def _problem(self, problem: Exception, place: int) -> ReadError:
        text = str(problem)
        if isinstance(problem, RecursionError):
            return refuse(self.source, place, "the JSON is nested too deeply")
        if found := _MISSING.match(text):
            return refuse(self.source, place, f"{found[2] or 'the object'} has no {found[1]!r}", hint=_SHAPE)
        if found := _EXPECTED.match(text):
            wanted = " or ".join(_KINDS.get(each, each) for each in found[1].split(" | "))
            what = f"{found[3] or 'this'} is of type {_KINDS.get(found[2], found[2])}, not {wanted}"
            return refuse(self.source, place, what, hint=_SHAPE)
        if "truncated" in text:
            return refuse(self.source, place, "the JSON is cut off", hint="is the file complete?")
        return refuse(self.source, place, f"not JSON: {text.removeprefix('JSON is malformed: ')}", hint=_SHAPE)
