"""NIF 2 as JSON-LD, compacted or expanded: contexts with texts, phrases with offsets, classes and entities.

No other RDF is read: no Turtle, and no JSON-LD contexts that would have to be fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
import numpy as np

from comparanda.core.ids import BAR, NIL, join_ids
from comparanda.core.places import Note, Source, first_places
from comparanda.errors import ReadError, WriteError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.field_values import find_unwritable
from comparanda.formats.json_objects import Node, looks_like_json, read_nodes
from comparanda.formats.linked_data import base_of, document_name, iri_of, list_plain_values, local_name, make_expander
from comparanda.formats.standoff import FARTHEST, OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus


NIF = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
ITSRDF = "http://www.w3.org/2005/11/its/rdf#"
NOT_IN_WIKI = "http://aksw.org/notInWiki/"
"""Prefix of the IRIs of entities that are not in a knowledge base, as in the data sets of GERBIL."""

UNTYPED = "ENTITY"

_KNOWN = {"nif": NIF, "itsrdf": ITSRDF} | {
    name: space + name
    for space, names in {
        NIF: ("isString", "anchorOf", "beginIndex", "endIndex", "referenceContext", "annotationUnit"),
        ITSRDF: ("taIdentRef", "taClassRef", "taMsClassRef", "taConfidence"),
    }.items()
    for name in names
}
_EXTENT_SUFFIX = re.compile(r"[#?&](?:char=\d+,\d*|offset_\d+_\d+(?:_\d+)?)$")
_NO_ENTITY = re.compile(r"/notInWiki/|[/#]NIL$")
_MENTION_TYPES = frozenset({"Phrase", "EntityOccurrence", "TermOccurrence"})
_INTEGER = re.compile(r"-?[0-9]{1,18}")


def read(source: Source, request: Request) -> Corpus:
    """Read the contexts and phrases of a graph; each context is a document, named by its IRI without the extent."""
    return _Reader(source, request).corpus()


@dataclass(frozen=True, slots=True)
class _Context:
    """A context: its IRI, its text, its byte offset, and its phrases."""

    iri: str
    text: str | None
    place: int
    phrases: list[_Phrase] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrase:
    """A phrase, with its properties under their local names: `taIdentRef`."""

    iri: str
    context: str | None
    extent: tuple[int, int]
    properties: dict[str, list[Any]]
    place: int


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.texts: dict[str, _Context] = {}
        self.phrases: list[_Phrase] = []
        self.places: dict[str, int] = {}
        self.ignored: list[int] = []
        self.units: list[int] = []
        self.called: list[str] = []
        self.base = ""
        self.iri: Callable[[str], str] = make_expander(None, _KNOWN)
        self.context: Any = None

    def corpus(self) -> Corpus:
        offsets = requested_offsets(self.request.options)
        for node in read_nodes(self.source, ("@graph",)):
            if node.context is not self.context:
                self.context, self.iri = node.context, make_expander(node.context, _KNOWN)
                self.base = base_of(node.context) or self.base
            self._read_node(node)
        if not self.texts and not self.phrases:
            raise ReadError(
                "there is neither a nif:Context nor a nif:Phrase in this graph",
                where=self.source.parts[0].name,
                hint=f"the namespace of NIF is {NIF}",
            )
        self._assign_phrases()
        draft = Draft(source=self.source, side=self.request.side, called=lambda span, _: self.called[span])
        self._fill_draft(draft)
        self._note(draft, "strings that are not mentions (words, sentences and the like) ignored", self.ignored)
        self._note(draft, "annotation units of NIF 2.1 ignored", self.units)
        return draft.corpus(self.request, name="nif", evaluated="taClassRef", offsets=offsets)

    def _note(self, draft: Draft, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places, np.int64))
            draft.notes.append(Note(self.request.side, what, len(places), first))

    def _read_node(self, node: Node) -> None:
        """Read a node: a context, a phrase, or anything else."""
        properties: dict[str, list[Any]] = {}
        iri, types = "", set()
        for key, value in node.fields.given.items():
            if key in {"@id", "id"}:
                iri = node.fields.text(key)
            elif key in {"@type", "type"}:
                types = {local_name(self.iri(str(each))) for each in list_plain_values(value)}
            elif (full := self.iri(key)).startswith((NIF, ITSRDF)):
                properties[local_name(full)] = list_plain_values(value)
        place = node.fields.place
        if not (properties or "Context" in types):
            return
        if iri:
            self._check_unique(node, iri)
        whole = "isString" in properties or "Context" in types
        if whole:
            self.texts[iri] = _Context(iri, self._single_text(node, properties, "isString"), place)
        if types & _MENTION_TYPES or {"taIdentRef", "taClassRef", "taMsClassRef"} & properties.keys():
            extent = (
                self._single_integer(node, properties, "beginIndex"),
                self._single_integer(node, properties, "endIndex"),
            )
            context = (
                iri if whole else self._single_text(node, properties, "referenceContext")
            )  # a mention may cover a whole text
            self.phrases.append(_Phrase(iri=iri, context=context, extent=extent, properties=properties, place=place))
            self.units += [place] * len(properties.get("annotationUnit", ()))
        elif not whole and "beginIndex" in properties:
            self.ignored.append(place)

    def _check_unique(self, node: Node, iri: str) -> None:
        if iri in self.places:
            first = self.source.locate(self.places[iri])
            what = f"duplicate node {iri!r}"
            hint = "flatten the graph, so that each node is one object with all its properties"
            raise node.fields.refuse(what, details=[f"the first is at {first}"], hint=hint)
        self.places[iri] = node.fields.place

    def _single_text(self, node: Node, properties: Mapping[str, list[Any]], name: str) -> str | None:
        found = properties.get(name, [])
        if len(found) > 1 or not all(isinstance(each, str) for each in found):
            raise node.fields.refuse(f"{name!r} is not a single string, but {str(found)[:60]}")
        if found and (problem := find_unwritable(found[0])):
            raise node.fields.refuse(f"{problem[0]} in {name!r}", hint=problem[1])
        return found[0] if found else None

    def _single_integer(self, node: Node, properties: Mapping[str, list[Any]], name: str) -> int:
        found = properties.get(name, [])
        if len(found) == 1 and type(found[0]) is not bool and _INTEGER.fullmatch(str(found[0])):
            whole = int(found[0])
            if abs(whole) <= FARTHEST:
                return whole
        shown = f"is not a single integer, but {str(found)[:60]}" if found else "is missing"
        raise node.fields.refuse(
            f"{name!r} of a phrase {shown}", hint="give each phrase a nif:beginIndex and a nif:endIndex"
        )

    def _assign_phrases(self) -> None:
        """Assign the phrases to their contexts."""
        whole = any(each.text is not None for each in self.texts.values())
        for phrase in self.phrases:
            iri = phrase.context
            if iri is None and len(self.texts) == 1:
                iri = next(iter(self.texts))
            if iri is None or (whole and iri not in self.texts):
                what = "has no context" if iri is None else f"is in {iri!r}, which is not in the graph"
                where = str(self.source.locate(phrase.place))
                hint = "give each phrase a nif:referenceContext, and that a nif:isString"
                raise ReadError(f"the phrase {phrase.iri or phrase.extent!r} {what}", where=where, hint=hint)
            self.texts.setdefault(iri, _Context(iri, None, phrase.place)).phrases.append(phrase)

    def _fill_draft(self, draft: Draft) -> None:
        short = {iri: _EXTENT_SUFFIX.sub("", iri) for iri in self.texts}
        if len({*short.values()}) < len(short):  # contexts that are parts of one text
            short = {iri: iri for iri in self.texts}
        whole = any(each.text is not None for each in self.texts.values())
        for each in self.texts.values():
            draft.document(document_name(short[each.iri], self.base), each.place)
            if whole and each.text is None:
                where = str(self.source.locate(each.place))
                hint = "give all contexts their nif:isString, or none"
                raise ReadError(f"the context {each.iri!r} has no text, but others do", where=where, hint=hint)
            if each.text is not None:
                draft.texts.append(each.text)
            for phrase in each.phrases:
                self._add_span(draft, phrase)

    def _add_span(self, draft: Draft, phrase: _Phrase) -> None:
        classes = [self.iri(str(each)) for each in phrase.properties.get("taClassRef", ())]
        narrow = [self.iri(str(each)) for each in phrase.properties.get("taMsClassRef", ())]
        number = draft.span([phrase.extent], _label_of(narrow or classes), phrase.place)
        self.called.append(f"the phrase {phrase.iri!r}" if phrase.iri else "a phrase")
        entities = [self.iri(str(each)) for each in phrase.properties.get("taIdentRef", ())]
        if entities:
            ids = join_ids(None if _NO_ENTITY.search(each) else document_name(each) for each in entities)
            draft.set_value(number, "id", ids)
        if classes or narrow:
            draft.set_value(number, "class", BAR.join(dict.fromkeys([*narrow, *classes])))
        if anchor := phrase.properties.get("anchorOf"):
            draft.set_value(number, "text", str(anchor[0]))
        for value in phrase.properties.get("taConfidence", ())[:1]:
            draft.set_value(number, "probability", _parse_confidence(value))


def _label_of(classes: Iterable[str]) -> str:
    """Return the label of a span with some classes, which have no order."""
    return BAR.join(sorted({_class_label(each) for each in classes})) or UNTYPED


def _class_label(iri: str) -> str:
    """Return the label for a class; bars, which separate labels, are escaped."""
    return local_name(iri).replace(BAR, "%7C") or UNTYPED


def _parse_confidence(value: Any) -> float | str:
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are JSON and contain the namespace of NIF."""
    text = "\n".join(lines)
    return looks_like_json(lines) and f'"{NIF}' in text


FORMAT = Format(
    name="nif",
    summary="NIF 2 as JSON-LD: contexts and phrases with classes and entities, as GERBIL and pynif write them",
    shapes=frozenset({"tokens"}),
    suffixes=(".jsonld",),
    options=OPTION,
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing NIF 2 as compacted JSON-LD: a context for each document, a phrase for each span.


_XSD = "http://www.w3.org/2001/XMLSchema#"
_CLASSES = "http://example.org/class/"
_WRITTEN_FIELDS = frozenset({"probability", "class"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write all documents as one graph."""
    context = {"nif": NIF, "itsrdf": ITSRDF, "xsd": _XSD}
    if "base" in options:
        context["@base"] = options["base"]
    graph = [node for each in documents for node in _DocumentWriter(each, losses, options).nodes()]
    whole = msgspec.json.encode({"@context": context, "@graph": graph})
    yield "", msgspec.json.format(whole, indent=1).decode() + "\n"


class _DocumentWriter:
    """Converts a document to nodes."""

    def __init__(self, passage: Passage, losses: Losses, options: Mapping[str, str]) -> None:
        self.passage = passage
        self.losses = losses
        self.classes = options.get("classes", _CLASSES)
        self.entities = options.get("entities", "")
        self.iri = iri_of(passage.name)
        self.context = f"{self.iri}#offset_0_{len(passage.text)}"

    def nodes(self) -> Iterator[dict[str, Any]]:
        for attribute in self.passage.attributes:
            self.losses.lose(f"the attribute {attribute!r} of documents", self.passage.name)
        yield {
            "@id": self.context,
            "@type": ["nif:Context", "nif:OffsetBasedString"],
            **_extent(0, len(self.passage.text)),
            "nif:isString": self.passage.text,
        }
        often = {(0, len(self.passage.text)): 1}  # the context
        for mention in self.passage.mentions:
            extent = mention.begin, mention.end
            yield self._phrase_node(mention, often.get(extent, 0))
            often[extent] = often.get(extent, 0) + 1

    def _phrase_node(self, mention: Mention, earlier: int) -> dict[str, Any]:
        """Return the node of a span; if it has the extent of earlier ones, its IRI ends in a number."""
        if len(mention.pieces) > 1:
            extent, name = f"{mention.begin}:{mention.end}", self.passage.name
            what = f"the span {extent} of document {name!r} is in {len(mention.pieces)} pieces"
            raise WriteError(what, hint="write web-annotation or jsonl, for example: a phrase of NIF is in one piece")
        for name in (each for each in mention.attributes if each not in _WRITTEN_FIELDS):
            self.losses.lose(f"{name!r} of spans", self.passage.name)
        number = f"_{earlier}" if earlier else ""
        found: dict[str, Any] = {
            "@id": f"{self.iri}#offset_{mention.begin}_{mention.end}{number}",
            "@type": ["nif:Phrase", "nif:OffsetBasedString"],
            "nif:referenceContext": {"@id": self.context},
            **_extent(mention.begin, mention.end),
            "nif:anchorOf": self.passage.covered(mention),
        }
        if classes := self._class_iris(mention):
            found["itsrdf:taClassRef"] = [{"@id": each} for each in classes]
        if (label := _label_of(classes)) != mention.label:
            counted = "1 class, which is" if len(classes) == 1 else f"{len(classes)} classes, which are"
            what = f"the label {mention.label!r}: it is written as {counted} read back as {label!r}"
            self.losses.lose(what, self.passage.name)
        if mention.ids is not None:
            found["itsrdf:taIdentRef"] = [{"@id": self._entity_iri(each, mention)} for each in mention.ids]
        if (probability := mention.attributes.get("probability")) is not None:
            found["itsrdf:taConfidence"] = {"@type": "xsd:double", "@value": probability}
        return found

    def _class_iris(self, mention: Mention) -> list[str]:
        """Return the IRIs of the classes: those in `class`, else one built from each label."""
        if "class" in mention.attributes:
            return str(mention.attributes["class"]).split(BAR)
        if mention.label == UNTYPED:
            return []
        return [self.classes + quote(each, safe="") for each in mention.label.split(BAR)]

    def _entity_iri(self, id_: str, mention: Mention) -> str:
        if id_ == NIL:
            return NOT_IN_WIKI + quote(self.passage.covered(mention), safe="")
        found = iri_of(id_)
        return found if ":" in found else self.entities + found


def _extent(begin: int, end: int) -> dict[str, Any]:
    return {
        name: {"@type": "xsd:nonNegativeInteger", "@value": str(value)}
        for name, value in {"nif:beginIndex": begin, "nif:endIndex": end}.items()
    }


WRITER = Writer(
    name="nif",
    suffix=".jsonld",
    write=write,
    options={
        "classes": f"the prefix of class IRIs that are made of labels (default: {_CLASSES})",
        "entities": "the prefix of ids that are not IRIs, for example http://www.wikidata.org/entity/",
        "base": "the base of document names that are not IRIs, for example http://example.org/",
    },
)
