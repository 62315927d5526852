"""NIF 2 as compacted JSON-LD: a context for each document, a phrase for each span."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from comparanda.errors import WriteError
from comparanda.ids import BAR, NIL
from comparanda.read.json_formats.nif import ITSRDF, NOT_IN_WIKI, UNTYPED
from comparanda.read.json_formats.nif import NIF as NAMESPACE
from comparanda.write.iris import iri_of
from comparanda.write.passages import Losses, Mention, Passage
from comparanda.write.writer import Writer

_XSD = "http://www.w3.org/2001/XMLSchema#"
_CLASSES = "http://example.org/class/"
_CARRIED = frozenset({"probability", "class"})


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write one graph of all documents."""
    context = {"nif": NAMESPACE, "itsrdf": ITSRDF, "xsd": _XSD}
    if "base" in options:
        context["@base"] = options["base"]
    graph = [node for each in documents for node in _Document(each, losses, options).nodes()]
    whole = msgspec.json.encode({"@context": context, "@graph": graph})
    yield "", msgspec.json.format(whole, indent=1).decode() + "\n"


class _Document:
    """A document on its way to nodes."""

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
            yield self._phrase(mention, often.get(extent, 0))
            often[extent] = often.get(extent, 0) + 1

    def _phrase(self, mention: Mention, earlier: int) -> dict[str, Any]:
        """Return the node of a span; one of the same extent as earlier ones has a number in its IRI."""
        if len(mention.pieces) > 1:
            extent, name = f"{mention.begin}:{mention.end}", self.passage.name
            what = f"the span {extent} of document {name!r} is in {len(mention.pieces)} pieces"
            raise WriteError(what, hint="a phrase of NIF is in one piece: write web-annotation or jsonl, for example")
        for name in (each for each in mention.said if each not in _CARRIED):
            self.losses.lose(f"{name!r} of spans", self.passage.name)
        number = f"_{earlier}" if earlier else ""
        found: dict[str, Any] = {
            "@id": f"{self.iri}#offset_{mention.begin}_{mention.end}{number}",
            "@type": ["nif:Phrase", "nif:OffsetBasedString"],
            "nif:referenceContext": {"@id": self.context},
            **_extent(mention.begin, mention.end),
            "nif:anchorOf": self.passage.covered(mention),
        }
        if classes := self._classes(mention):
            found["itsrdf:taClassRef"] = [{"@id": each} for each in classes]
        if mention.ids is not None:
            found["itsrdf:taIdentRef"] = [{"@id": self._entity(each, mention)} for each in mention.ids]
        if (probability := mention.said.get("probability")) is not None:
            found["itsrdf:taConfidence"] = {"@type": "xsd:double", "@value": probability}
        return found

    def _classes(self, mention: Mention) -> list[str]:
        """Return the IRIs of the classes: those that are known, or some made of the label."""
        if "class" in mention.said:
            return str(mention.said["class"]).split(BAR)
        if mention.label == UNTYPED:
            return []
        return [self.classes + quote(each, safe="") for each in mention.label.split(BAR)]

    def _entity(self, id_: str, mention: Mention) -> str:
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
    "nif",
    ".jsonld",
    write,
    options={
        "classes": f"what the IRIs of classes begin with that are made of labels (default: {_CLASSES})",
        "entities": "what is put before ids that are no IRIs: http://www.wikidata.org/entity/, for example",
        "base": "what the names of documents are relative to, if they are no IRIs: http://example.org/, for example",
    },
)
