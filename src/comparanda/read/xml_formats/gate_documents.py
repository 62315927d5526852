"""Documents of GATE as objects: the text and where its nodes stand, annotations from node to node, features."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from comparanda.places import Source, refuse
from comparanda.read.xml_formats.events import Event, events

Value = str | float | bool

ROOT, TEXT = "GateDocument", "TextWithNodes"
OBJECT = "gate.corpora.ObjectWrapper"
_NUMBERS = {"java.lang.Integer": int, "java.lang.Long": int, "java.lang.Double": float, "java.lang.Float": float}
_SHAPE = 'annotations are written like this: <Annotation Id="1" Type="Person" StartNode="0" EndNode="4">'
_LONGEST = 30


@dataclass(slots=True)
class Annotation:
    """An annotation, from node to node."""

    set: str
    type: str
    id: str | None
    nodes: tuple[str, str]
    place: int
    features: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True)
class Document:
    """A file: its text, where its nodes stand, and its annotations.

    Behind them are the bytes of nodes whose ids are not where they stand, of features that are Java objects, and of
    relations.
    """

    place: int
    text: str = ""
    nodes: dict[str, int] = field(default_factory=dict)
    features: dict[str, Value] = field(default_factory=dict)
    annotations: list[Annotation] = field(default_factory=list)
    strange_nodes: list[int] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    relations: list[int] = field(default_factory=list)


def document(source: Source, number: int, keep: Callable[[str], bool], nesting: int) -> Document:
    """Read one file of a source; of annotations of types that are not to be kept, features are left out."""
    return _Parsing(source, number, keep).document(nesting)


class _Parsing:
    """One file on its way to a document."""

    def __init__(self, source: Source, number: int, keep: Callable[[str], bool]) -> None:
        self.source = source
        self.number = number
        self.keep = keep
        self.found = Document(self.source.parts[number].begin)
        self.set = ""
        self.ids: dict[tuple[str, str], int] = {}
        self.annotation: Annotation | None = None
        self.feature = ""

    def document(self, nesting: int) -> Document:
        """Go through the elements of the file."""
        stream = events(self.source, self.number, nesting)
        _, name, _, place = next(stream)
        if name != ROOT:
            what = f"the outermost element is <{name}>, and not <{ROOT}>"
            raise refuse(self.source, place, what, hint="is it GATE XML? GATE saves it as such by 'Save as… GATE XML'")
        text_seen = False
        for kind, value, attributes, place in stream:
            if kind == "start" and value in {"Name", "Value"}:
                text = "".join(each for of, each, _, _ in _inside(stream, value) if of == "text")
                self._feature(value, text, attributes.get("className"), place)
            elif kind == "start" and value == TEXT:
                self._text(stream)
                text_seen = True
            elif kind == "start":
                self._start(value, attributes, place)
            elif kind == "end" and value in {"Annotation", "Relation"}:
                self.annotation = None
        if not text_seen:
            raise refuse(self.source, self.found.place, f"there is no <{TEXT}> in this file")
        self._check_nodes()
        return self.found

    def _text(self, stream: Iterator[Event]) -> None:
        """Read the text, and where its nodes stand: in code points, and in UTF-16 units."""
        pieces, length, units = [], 0, 0
        for kind, value, attributes, place in _inside(stream, TEXT):
            if kind == "text":
                pieces.append(value)
                length += len(value)
                units += _utf16(value)
            elif kind == "start":
                self._node(value, attributes, place, length, units)
        self.found.text += "".join(pieces)

    def _node(self, name: str, attributes: dict[str, str], place: int, length: int, units: int) -> None:
        if name != "Node" or "id" not in attributes:
            what = f'there is a <{name}> in the text, where only <Node id="…"/> may stand'
            raise refuse(self.source, place, what)
        node = attributes["id"]
        if self.found.nodes.setdefault(node, length) != length:
            raise refuse(self.source, place, f"the node {node} is there a second time, at another place of the text")
        if node != str(units):
            self.found.strange_nodes.append(place)

    def _start(self, name: str, attributes: dict[str, str], place: int) -> None:
        if name == "AnnotationSet":
            self.set = attributes.get("Name", "")
        elif name == "Annotation":
            self.annotation = self._annotation(attributes, place)
            self.found.annotations.append(self.annotation)
        elif name == "Relation":
            self.annotation = Annotation("", "", None, ("", ""), place)  # takes its features, and is let go
            self.found.relations.append(place)

    def _annotation(self, attributes: dict[str, str], place: int) -> Annotation:
        lacking = [each for each in ("Type", "StartNode", "EndNode") if not attributes.get(each)]
        if lacking:
            raise refuse(self.source, place, f"the annotation has no {' and no '.join(lacking)}", hint=_SHAPE)
        id_ = attributes.get("Id")
        if id_ is not None and self.ids.setdefault((self.set, id_), place) != place:
            first = self.source.locate(self.ids[self.set, id_])
            what = f"the annotation {id_} is there a second time in its set"
            raise refuse(self.source, place, what, details=[f"the first stands at {first}"])
        return Annotation(self.set, attributes["Type"], id_, (attributes["StartNode"], attributes["EndNode"]), place)

    def _feature(self, name: str, text: str, kind: str | None, place: int) -> None:
        if name == "Name":
            self.feature = text
        elif self.annotation is not None and not self.keep(self.annotation.type):
            pass  # tokens are many, and nobody asks for what is said of them
        elif kind == OBJECT:
            self.found.objects.append(place)
        else:
            features = self.found.features if self.annotation is None else self.annotation.features
            features[self.feature] = _value(text, kind)

    def _check_nodes(self) -> None:
        """Refuse annotations from or to a node that is not there."""
        for annotation in self.found.annotations:
            for node, verb in zip(annotation.nodes, ("begins", "ends"), strict=True):
                if node not in self.found.nodes:
                    what = f"the annotation {annotation.id or annotation.type} {verb} at node {node}"
                    what += ", which is not in the text"
                    raise refuse(self.source, annotation.place, what)


def _inside(stream: Iterator[Event], name: str) -> Iterator[Event]:
    """Give the events up to the end of the element that has begun."""
    return takewhile(lambda event: event[0] != "end" or event[1] != name, stream)


def _utf16(text: str) -> int:
    """Return how many UTF-16 units a text has."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _value(text: str, kind: str | None) -> Value:
    """Return the value of a feature: a number or a truth where its class says so."""
    if kind == "java.lang.Boolean" and text in {"true", "false"}:
        return text == "true"
    try:
        return _NUMBERS[kind](text) if kind in _NUMBERS and len(text) < _LONGEST else text
    except ValueError:
        return text
