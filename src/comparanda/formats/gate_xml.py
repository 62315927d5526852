"""GATE XML: documents whose text contains nodes, with annotations from node to node in annotation sets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import BAR
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.errors import ReadError, suggest_nearest
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.document_writer import Losses, Passage, Writer
from comparanda.formats.document_writer import Value as WriterValue
from comparanda.formats.files import file_names
from comparanda.formats.standoff import Draft, places_in
from comparanda.formats.xml import (
    HEAD,
    Event,
    escape_content,
    file_name,
    format_attribute,
    format_plain,
    read_events,
    refuse_pieces,
    set_ids,
    set_value,
    without_line_ends,
)

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


Value = str | float | bool

ROOT, TEXT = "GateDocument", "TextWithNodes"
OBJECT = "gate.corpora.ObjectWrapper"
_NUMBERS = {"java.lang.Integer": int, "java.lang.Long": int, "java.lang.Double": float, "java.lang.Float": float}
_SHAPE = 'annotations are written like this: <Annotation Id="1" Type="Person" StartNode="0" EndNode="4">'
_MAX_NUMBER_LENGTH = 30


@dataclass(slots=True, kw_only=True)
class Annotation:
    """An annotation, from node to node."""

    set: str
    type: str
    id: str | None
    nodes: tuple[str, str]
    place: int
    features: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Document:
    """A file: its text, the offsets of its nodes, and its annotations.

    `strange_nodes`, `objects` and `relations` are the byte offsets of nodes whose ids differ from their offsets, of
    features that are Java objects, and of relations.
    """

    place: int
    text: str = ""
    nodes: dict[str, int] = field(default_factory=dict)
    features: dict[str, Value] = field(default_factory=dict)
    annotations: list[Annotation] = field(default_factory=list)
    strange_nodes: list[int] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    relations: list[int] = field(default_factory=list)


def read_document(source: Source, number: int, keep: Callable[[str], bool], nesting: int) -> Document:
    """Read one file of a source, without the features of annotations whose type is not kept."""
    return _Parser(source, number, keep).document(nesting)


class _Parser:
    """Parses one file into a document."""

    def __init__(self, source: Source, number: int, keep: Callable[[str], bool]) -> None:
        self.source = source
        self.number = number
        self.keep = keep
        self.found = Document(place=self.source.parts[number].begin)
        self.set = ""
        self.ids: dict[tuple[str, str], int] = {}
        self.annotation: Annotation | None = None
        self.feature = ""

    def document(self, nesting: int) -> Document:
        """Process the elements of the file."""
        stream = read_events(self.source, self.number, nesting)
        _, name, _, place = next(stream)
        if name != ROOT:
            what = f"expected the root element <{ROOT}>, got <{name}>"
            raise make_read_error(self.source, place, what, hint="save the document from GATE with 'Save as… GATE XML'")
        text_seen = False
        for kind, value, attributes, place in stream:
            if kind == "start" and value in {"Name", "Value"}:
                text = "".join(each for of, each, _, _ in _until_end(stream, value) if of == "text")
                self._read_feature(value, text, attributes.get("className"), place)
            elif kind == "start" and value == TEXT:
                self._read_text(stream)
                text_seen = True
            elif kind == "start":
                self._start_element(value, attributes, place)
            elif kind == "end" and value in {"Annotation", "Relation"}:
                self.annotation = None
        if not text_seen:
            raise make_read_error(self.source, self.found.place, f"there is no <{TEXT}> in this file")
        self._check_nodes()
        return self.found

    def _read_text(self, stream: Iterator[Event]) -> None:
        """Read the text and the offsets of its nodes, in code points and in UTF-16 units."""
        pieces, length, units = [], 0, 0
        for kind, value, attributes, place in _until_end(stream, TEXT):
            if kind == "text":
                pieces.append(value)
                length += len(value)
                units += _utf16_length(value)
            elif kind == "start":
                self._read_node(value, attributes=attributes, place=place, length=length, units=units)
        self.found.text += "".join(pieces)

    def _read_node(self, name: str, attributes: dict[str, str], place: int, length: int, *, units: int) -> None:
        if name != "Node" or "id" not in attributes:
            what = f'expected only <Node id="…"/> in the text, got <{name}>'
            raise make_read_error(self.source, place, what)
        node = attributes["id"]
        if self.found.nodes.setdefault(node, length) != length:
            raise make_read_error(self.source, place, f"duplicate node {node} at a different position in the text")
        if node != str(units):
            self.found.strange_nodes.append(place)

    def _start_element(self, name: str, attributes: dict[str, str], place: int) -> None:
        if name == "AnnotationSet":
            self.set = attributes.get("Name", "")
        elif name == "Annotation":
            self.annotation = self._parse_annotation(attributes, place)
            self.found.annotations.append(self.annotation)
        elif name == "Relation":
            self.annotation = Annotation(
                set="", type="", id=None, nodes=("", ""), place=place
            )  # collects its features, and is discarded
            self.found.relations.append(place)

    def _parse_annotation(self, attributes: dict[str, str], place: int) -> Annotation:
        lacking = [each for each in ("Type", "StartNode", "EndNode") if not attributes.get(each)]
        if lacking:
            raise make_read_error(self.source, place, f"the annotation has no {' and no '.join(lacking)}", hint=_SHAPE)
        id_ = attributes.get("Id")
        if id_ is not None and self.ids.setdefault((self.set, id_), place) != place:
            first = self.source.locate(self.ids[self.set, id_])
            what = f"duplicate annotation {id_} in its set"
            raise make_read_error(self.source, place, what, details=[f"the first is at {first}"])
        return Annotation(
            set=self.set,
            type=attributes["Type"],
            id=id_,
            nodes=(attributes["StartNode"], attributes["EndNode"]),
            place=place,
        )

    def _read_feature(self, name: str, text: str, kind: str | None, place: int) -> None:
        if name == "Name":
            self.feature = text
        elif self.annotation is not None and not self.keep(self.annotation.type):
            pass  # there are many tokens, and their features are not needed
        elif kind == OBJECT:
            self.found.objects.append(place)
        else:
            features = self.found.features if self.annotation is None else self.annotation.features
            features[self.feature] = _parse_value(text, kind)

    def _check_nodes(self) -> None:
        """Refuse annotations from or to a node that does not exist."""
        for annotation in self.found.annotations:
            for node, verb in zip(annotation.nodes, ("begins", "ends"), strict=True):
                if node not in self.found.nodes:
                    what = f"the annotation {annotation.id or annotation.type} {verb} at node {node}"
                    what += ", which is not in the text"
                    raise make_read_error(self.source, annotation.place, what)


def _until_end(stream: Iterator[Event], name: str) -> Iterator[Event]:
    """Yield the events up to the end of the current element."""
    return takewhile(lambda event: event[0] != "end" or event[1] != name, stream)


def _utf16_length(text: str) -> int:
    """Return the number of UTF-16 units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _parse_value(text: str, kind: str | None) -> Value:
    """Return the value of a feature: a number or a boolean if its Java class is one."""
    if kind == "java.lang.Boolean" and text in {"true", "false"}:
        return text == "true"
    try:
        return _NUMBERS[kind](text) if kind in _NUMBERS and len(text) < _MAX_NUMBER_LENGTH else text
    except ValueError:
        return text


# Documents of GATE converted to a corpus.
#
# Annotations begin and end at the positions of nodes in the text. The id of a node is its offset in UTF-16 units, as in
# Java; differences are noted.


SUFFIXES = (".xml",)
NO_SPANS = frozenset(
    {"Token", "SpaceToken", "DEFAULT_TOKEN", "Sentence", "Split", "Lookup", "paragraph", "Paragraph", "NounChunk", "VG"}
)
"""Types of intermediate results of a pipeline, which are spans only on request."""

MARKUP = "Original markups"
"""The set in which GATE keeps the markup of the original file."""

IDS = ("inst", "URI", "uri", "kbid", "kb_id")
"""Features that hold entity ids, in order of preference."""


def read(source: Source, request: Request) -> Corpus:
    """Read documents of GATE, one per file."""
    return _Reader(without_line_ends(source), request).corpus()


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.draft = Draft(source=source, side=request.side, called=lambda span, _: self.called[span])
        self.called: list[str] = []
        self.asked = frozenset(filter(None, request.options.get("types", "").split(",")))

    def corpus(self) -> Corpus:
        options = self.request.options
        by_number = choose_option(options, "names", ("file", "number")) == "number"
        nesting = self.request.limits.nesting
        documents = [
            read_document(self.source, number, self.is_span_type, nesting) for number in range(len(self.source.parts))
        ]
        wanted = self._choose_annotations([each for found in documents for each in found.annotations])
        names: Iterable[str] = file_names(self.source, self.request, SUFFIXES)
        if by_number:
            names = map(str, range(1, 1 + len(documents)))
        for name, found in zip(names, documents, strict=True):
            attributes = {key: str(value) for key, value in found.features.items() if value != ""}
            self.draft.document(name, found.place, attributes)
            self.draft.texts.append(found.text)
            for annotation in found.annotations:
                if wanted(annotation):
                    self._add_span(annotation, found.nodes)
        strange = "nodes whose ids are not their positions in UTF-16 units (positions are used)"
        self._note(strange, [place for each in documents for place in each.strange_nodes])
        objects = "features that are Java objects ignored"
        self._note(objects, [place for each in documents for place in each.objects])
        self._note("relations ignored", [place for each in documents for place in each.relations])
        return self.draft.corpus(self.request, name="gate", evaluated="label", offsets="code-points")

    def _choose_annotations(self, annotations: list[Annotation]) -> Callable[[Annotation], bool]:
        """Return a test for spans: annotations of one set, of the requested types or of all but `NO_SPANS`."""
        if missing := sorted(self.asked - {each.type for each in annotations}):
            what = f"requested types not found: {', '.join(missing)}"
            self.draft.notes.append(Note(self.request.side, what, len(missing)))
        chosen = self._choose_set(annotations)
        if not self.asked:
            ignored = [each for each in annotations if each.set == chosen and each.type in NO_SPANS]
            self._note_ignored("annotations of types that are not spans", ignored, lambda each: each.type)
        if "set" not in self.request.options:
            ignored = [each for each in annotations if each.set != chosen]
            self._note_ignored("annotations of other sets", ignored, lambda each: _quote_set(each.set))
        return lambda each: each.set == chosen and self.is_span_type(each.type)

    def is_span_type(self, kind: str) -> bool:
        """Whether annotations of a type are spans."""
        return kind in self.asked if self.asked else kind not in NO_SPANS

    def _choose_set(self, annotations: list[Annotation]) -> str:
        """Return the requested set, or the only one with annotations that are spans."""
        asked = self.request.options.get("set")
        names = dict.fromkeys(each.set for each in annotations)
        if asked is not None:
            if asked and annotations and asked not in names:
                what = f"there is no annotation set {asked!r}{suggest_nearest(asked, names)}"
                hint = f"sets found: {', '.join(map(_quote_set, names))}"
                raise ReadError(what, where=self.source.parts[0].name, hint=hint)
            return asked
        often = Counter(each.set for each in annotations if each.set != MARKUP and self.is_span_type(each.type))
        if len(often) > 1:
            first = next(iter(often))
            details = [f"{_quote_set(name)}: {count:,} annotation{'s'[: count != 1]}" for name, count in often.items()]
            hint = f"choose one: ?set={first}" + (" selects the unnamed set" if not first else "")
            what = "there are several annotation sets with spans"
            raise ReadError(what, where=self.source.parts[0].name, details=details, hint=hint)
        return next(iter(often), "")

    def _add_span(self, annotation: Annotation, nodes: Mapping[str, int]) -> None:
        begin, end = (nodes[node] for node in annotation.nodes)
        span = self.draft.span([(begin, end)], annotation.type, annotation.place)
        self.called.append(f"annotation {annotation.id}" if annotation.id else "an annotation")
        ids = (self.request.options["id"],) if "id" in self.request.options else IDS
        linked = next((name for name in ids if annotation.features.get(name)), None)
        for name, value in annotation.features.items():
            if name == linked:
                set_ids(self.draft, span, str(value))
            else:
                set_value(self.draft, span, name, value)

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places[:3], np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))

    def _note_ignored(self, what: str, ignored: list[Annotation], by: Callable[[Annotation], str]) -> None:
        count = Counter(map(by, ignored))
        shown = ", ".join(f"{name} ({number:,})" for name, number in sorted(count.items()))
        self._note(f"{what} ignored: {shown}", [each.place for each in ignored])


def _quote_set(name: str) -> str:
    return repr(name) if name else "the unnamed set"


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are certainly GATE XML: the root element begins there."""
    text = "\n".join(lines)
    return text.lstrip().startswith("<") and re.search(rf"<{ROOT}\b", text) is not None


FORMAT = Format(
    name="gate",
    summary="GATE XML: text with nodes, annotation sets, features",
    shapes=frozenset({"tokens"}),
    suffixes=SUFFIXES,
    options={
        "set": "the annotation set, empty for the unnamed one (default: the only one with spans)",
        "types": "the types that are spans, separated by commas (default: all but Token, Sentence, Lookup …)",
        "id": "the feature that holds entity ids (default: inst, URI, kbid)",
        "names": "what documents are named after: file, number",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing GATE XML: one file per document, nodes where spans begin and end, and one annotation set.


SUFFIX = ".xml"
LINK = IDS[0]

_STRING = "java.lang.String"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one file each."""
    for passage in documents:
        yield file_name(passage.name, SUFFIX), _document(passage, losses, options.get("set", ""))


def _document(passage: Passage, losses: Losses, name: str) -> str:
    places = {0, len(passage.text)}
    for mention in passage.mentions:
        refuse_pieces(passage, mention, "an annotation is in one piece")
        places |= {mention.begin, mention.end}
    node = _node_ids(passage.text, sorted(places))
    features = "".join(_format_feature(key, value, passage.name) for key, value in passage.attributes.items())
    annotations = "".join(_format_annotations(passage, losses, node))
    named = format_attribute("Name", name, passage.name) if name else ""
    return (
        f'{HEAD}<{ROOT} version="3">\n<GateDocumentFeatures>\n{features}</GateDocumentFeatures>\n'
        f"<{TEXT}>{_text_with_nodes(passage, node)}</{TEXT}>\n"
        f"<AnnotationSet{named}>\n{annotations}</AnnotationSet>\n</{ROOT}>\n"
    )


def _node_ids(text: str, places: list[int]) -> dict[int, int]:
    """Return the id of the node at each place: its offset in UTF-16 units."""
    units = places_in(text, "utf-16")
    return {place: int(units[place]) for place in places}


def _text_with_nodes(passage: Passage, node: Mapping[int, int]) -> str:
    """Insert nodes into the text."""
    pieces, last = [], 0
    for place, id_ in node.items():
        pieces.append(f'{escape_content(passage.text[last:place], passage.name)}<Node id="{id_}"/>')
        last = place
    return "".join(pieces)


def _format_annotations(passage: Passage, losses: Losses, node: Mapping[int, int]) -> Iterator[str]:
    for number, mention in enumerate(passage.mentions, start=1):
        kind = format_attribute("Type", mention.label, passage.name)
        yield f'<Annotation Id="{number}"{kind} StartNode="{node[mention.begin]}" EndNode="{node[mention.end]}">\n'
        for name, value in mention.attributes.items():
            if name in IDS:
                losses.lose(f"{name!r} of spans, which is a reserved feature name", passage.name)
            else:
                if name == "score":
                    losses.lose("the name 'score' of spans: it is read back as 'probability'", passage.name)
                yield _format_feature(name, value, passage.name)
        if mention.ids is not None:
            yield _format_feature(LINK, BAR.join(mention.ids), passage.name)
        yield "</Annotation>\n"


def _format_feature(name: str, value: WriterValue, document: str) -> str:
    of_value = escape_content(format_plain(value), document)
    return (
        f'<Feature><Name className="{_STRING}">{escape_content(name, document)}</Name>'
        f'<Value className="{_java_class(value)}">{of_value}</Value></Feature>\n'
    )


def _java_class(value: WriterValue) -> str:
    """Return the Java class of a value."""
    if isinstance(value, bool):
        return "java.lang.Boolean"
    if isinstance(value, int):
        return "java.lang.Integer" if abs(value) < 1 << 31 else "java.lang.Long"
    return "java.lang.Double" if isinstance(value, float) else _STRING


WRITER = Writer(
    name="gate",
    suffix=SUFFIX,
    write=write,
    many=True,
    options={"set": "the name of the annotation set (default: unnamed)"},
)
