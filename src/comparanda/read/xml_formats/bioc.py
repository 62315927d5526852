"""BioC, as XML and as JSON: documents with passages at offsets, and annotations at locations.

The text of a document is that of its passages, each put at its offset, which counts code points, or bytes as the
specification has it: what the annotations cover tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import ReadError
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.covering import agrees
from comparanda.read.offsets import MEANING, Offsets
from comparanda.read.request import Format, Request, choose
from comparanda.read.standoff import FARTHEST, Draft
from comparanda.read.xml_formats.attributes import say
from comparanda.read.xml_formats.bioc_documents import Annotation, BiocDocuments, Document, Location, Sentence
from comparanda.read.xml_formats.bioc_ids import id_keys, ids_in
from comparanda.read.xml_formats.events import without_line_ends

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

LABEL, UNLABELLED = "type", "ENTITY"
WIDEST = 1 << 26
"""No more characters than this are put between passages, in all documents together."""

_UNITS: tuple[Offsets, ...] = ("code-points", "bytes", "utf-16")


def read(source: Source, request: Request) -> Corpus:
    """Read collections of BioC."""
    return _Reading(without_line_ends(source), request).corpus()


@dataclass(slots=True)
class _Layout:
    """The passages of a document, or their sentences, in the order of their offsets."""

    document: Document
    pieces: list[tuple[int, str, int]]

    def overlap(self, unit: Offsets) -> tuple[int, int, int] | None:
        """Return where the first passage begins that overlaps the one before, where that ends, and its place."""
        end = 0
        for offset, text, place in self.pieces:
            if offset < end:
                return offset, end, place
            end = offset + _size(text, unit)
        return None

    def text(self, unit: Offsets) -> str:
        """Lay passages that do not overlap at their offsets, a line end and blanks between them."""
        found: list[str] = []
        end = 0
        for offset, text, _ in self.pieces:
            found += ["\n" + " " * (offset - end - 1) if offset > end and found else " " * (offset - end), text]
            end = offset + _size(text, unit)
        return "".join(found)

    def agreeing(self, unit: Offsets) -> int | None:
        """Return how many annotations cover the text that they name; None if passages overlap."""
        if self.overlap(unit) is not None:
            return None
        text = self.text(unit)
        data, width = _encoded(text, unit)
        return sum(
            agrees([_covered(data, width, each) for each in annotation.locations], said)
            for annotation in _annotations(self.document)
            if (said := annotation.text) and annotation.locations
        )


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.draft = Draft(source, request.side, lambda span, _: self.called[span])
        self.called: list[str] = []
        self.unplaced: list[int] = []
        self.unlabelled: list[int] = []

    def corpus(self) -> Corpus:
        found = BiocDocuments(self.source, self.request.limits.nesting)
        layouts = [self._layout(document) for document in found]
        if not layouts:
            raise ReadError("there are no documents in this file", where=self.source.parts[0].name)
        unit = self._unit(layouts)
        texts = any(text for layout in layouts for _, text, _ in layout.pieces)
        relations: list[int] = []
        for layout in layouts:
            document = layout.document
            self.draft.document(self._name(document), document.place, _texts_of(document.infons))
            if texts:
                self.draft.texts.append(self._text(layout, unit))
            for annotation in _annotations(document):
                self._span(annotation, document)
            relations += [document.place] * _relations(document)
        self._note("annotations without a location, passed over", self.unplaced)
        self._note(f"annotations without the infon {self._label!r}, labelled {UNLABELLED}", self.unlabelled)
        self._note("relations, passed over", relations)
        self._note("elements that BioC does not have, passed over", found.strange)
        return self.draft.corpus(self.request, name="bioc", judged="label", offsets=unit if texts else None)

    @property
    def _label(self) -> str:
        return self.request.options.get("label", LABEL)

    def _layout(self, document: Document) -> _Layout:
        pieces = []
        for passage in document.passages:
            texts: list[Sentence] = [passage] if passage.text else list(passage.sentences) or [passage]
            pieces += [(each.offset, each.text or "", max(each.place, document.place)) for each in texts]
        for offset, _, place in pieces:
            if offset < 0:
                raise refuse(self.source, place, f"a passage begins at {offset}, before the text")
        return _Layout(document, sorted(pieces, key=lambda piece: piece[0]))

    def _unit(self, layouts: list[_Layout]) -> Offsets:
        """Return what offsets count: as asked, else what fits most annotations, else code points."""
        self._check_width(layouts)
        if "offsets" in self.request.options:
            return choose(self.request.options, "offsets", _UNITS)
        named = sum(bool(each.text and each.locations) for layout in layouts for each in _annotations(layout.document))
        best, most = _UNITS[0], -1
        for unit in _UNITS:
            found = [layout.agreeing(unit) for layout in layouts]
            count = -1 if None in found else sum(filter(None, found))
            if count > most:
                best, most = unit, count
            if most == named:
                break
        if best != _UNITS[0]:
            spans = sum(len(list(_annotations(layout.document))) for layout in layouts)
            what = f"spans whose offsets {MEANING[best].rstrip(',')}, which the texts and passages tell"
            self.draft.notes.append(Note(self.request.side, what, spans))
        return best

    def _check_width(self, layouts: list[_Layout]) -> None:
        """Refuse offsets that would fill memory with blanks."""
        room = WIDEST
        for layout in layouts:
            end = 0
            for offset, text, place in layout.pieces:
                room -= max(offset - end, 0)
                if room < 0:
                    what = f"the passage begins at {offset:,}, but the text before it has {end:,} characters"
                    raise refuse(self.source, place, what, hint="is the offset right?")
                end = offset + len(text)

    def _text(self, layout: _Layout, unit: Offsets) -> str:
        if found := layout.overlap(unit):
            offset, end, place = found
            what = f"the passage begins at {offset}, but the one before ends at {end}"
            raise refuse(self.source, place, what, hint="offsets of passages count from the begin of the document")
        return layout.text(unit)

    def _name(self, document: Document) -> str:
        if document.id is None or document.id == "":
            raise refuse(self.source, document.place, "the document has no id")
        return str(document.id)

    def _span(self, annotation: Annotation, document: Document) -> None:
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
            raise refuse(self.source, place, "an annotation ends farther away than any text is long")
        span = self.draft.span(pieces, str(label), place)
        self.called.append("an annotation" if annotation.id in {None, ""} else f"annotation {annotation.id}")
        if annotation.text:
            self.draft.say(span, "text", annotation.text)
        keys = self._id_keys(annotation.infons)
        if ids := ids_in(annotation.infons, keys):
            self.draft.say(span, "id", ids)
        for key, value in annotation.infons.items():
            if key not in keys and key != self._label and isinstance(value, str | int | float):
                say(self.draft, span, key, value)

    def _id_keys(self, infons: dict[str, Any]) -> list[str]:
        """Return the infons that hold ids: the one asked for, else the identifier, else those of databases."""
        asked = self.request.options.get("id")
        there = [key for key, value in infons.items() if value is not None and value != "" and key != self._label]
        if asked is not None:
            return [key for key in there if key == asked]
        return id_keys(there)

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places[:3], np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))


def _annotations(document: Document) -> Iterator[Annotation]:
    """Give all annotations of a document, those of its passages and sentences first."""
    for passage in document.passages:
        yield from passage.annotations
        for sentence in passage.sentences:
            yield from sentence.annotations
    yield from document.annotations


def _relations(document: Document) -> int:
    passages = document.passages
    inner = sum(len(each.relations) + sum(len(one.relations) for one in each.sentences) for each in passages)
    return len(document.relations) + inner


def _texts_of(infons: dict[str, Any]) -> dict[str, str | None]:
    return {key: str(value) for key, value in infons.items() if isinstance(value, str | int | float) and value != ""}


def _size(text: str, unit: Offsets) -> int:
    """Return how long a text is, in units."""
    data, width = _encoded(text, unit)
    return len(data) // width


def _encoded(text: str, unit: Offsets) -> tuple[str | bytes, int]:
    """Return a text as its units count it, and how many elements of that a unit has."""
    if text.isascii() or unit == "code-points":
        return text, 1
    return (text.encode(), 1) if unit == "bytes" else (text.encode("utf-16-le"), 2)


def _covered(data: str | bytes, width: int, place: Location) -> str:
    """Return what a location covers of a text as its units count it."""
    found = data[width * place.offset : width * (place.offset + place.length)]
    return found if isinstance(found, str) else found.decode("utf-8" if width == 1 else "utf-16-le", "replace")


def sniff(lines: list[str]) -> bool:
    """Whether the first lines surely are BioC: a collection, or documents with passages as JSON."""
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
        "label": "the infon of labels (default: type)",
        "id": "the infon of ids of entities (default: identifier, else NCBI Gene, MESH and the like)",
        "offsets": "what offsets and lengths count: code-points, bytes, utf-16; told by the texts, if it is left out",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
