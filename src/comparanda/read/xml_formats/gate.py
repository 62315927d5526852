"""GATE XML: the text with nodes in it, and sets of annotations from node to node.

Where a node stands in the text is where annotations begin and end. Its id is that offset in UTF-16 units, as Java
counts; it is checked, and noted if it is not so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError, nearest
from comparanda.places import Note, Source, first_places
from comparanda.read.file_names import file_names
from comparanda.read.request import Format, Request, choose
from comparanda.read.standoff import Draft
from comparanda.read.xml_formats.attributes import say, say_ids
from comparanda.read.xml_formats.events import without_line_ends
from comparanda.read.xml_formats.gate_documents import ROOT, Annotation, document

if TYPE_CHECKING:
    from comparanda.corpus import Corpus

SUFFIXES = (".xml",)
NO_SPANS = frozenset(
    {"Token", "SpaceToken", "DEFAULT_TOKEN", "Sentence", "Split", "Lookup", "paragraph", "Paragraph", "NounChunk", "VG"}
)
"""Types that a pipeline leaves on its way, and nobody asks for unless they name them."""

MARKUP = "Original markups"
"""The set in which GATE keeps the tags of the file that it read."""

IDS = ("inst", "URI", "uri", "kbid", "kb_id")
"""Features that hold ids of entities; the first that is there."""


def read(source: Source, request: Request) -> Corpus:
    """Read documents of GATE, one a file."""
    return _Reading(without_line_ends(source), request).corpus()


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.draft = Draft(source, request.side, lambda span, _: self.called[span])
        self.called: list[str] = []
        self.asked = frozenset(filter(None, request.options.get("types", "").split(",")))

    def corpus(self) -> Corpus:
        options = self.request.options
        by_number = choose(options, "names", ("file", "number")) == "number"
        nesting = self.request.limits.nesting
        documents = [document(self.source, number, self.fits, nesting) for number in range(len(self.source.parts))]
        wanted = self._wanted([each for found in documents for each in found.annotations])
        names: Iterable[str] = file_names(self.source, self.request, SUFFIXES)
        if by_number:
            names = map(str, range(1, 1 + len(documents)))
        for name, found in zip(names, documents, strict=True):
            said = {key: str(value) for key, value in found.features.items() if value != ""}
            self.draft.document(name, found.place, said)
            self.draft.texts.append(found.text)
            for annotation in found.annotations:
                if wanted(annotation):
                    self._span(annotation, found.nodes)
        strange = "nodes whose ids are not their places in UTF-16 units: where they stand holds"
        self._note(strange, [place for each in documents for place in each.strange_nodes])
        objects = "features that are Java objects, passed over"
        self._note(objects, [place for each in documents for place in each.objects])
        self._note("relations, passed over", [place for each in documents for place in each.relations])
        return self.draft.corpus(self.request, name="gate", judged="label", offsets="code-points")

    def _wanted(self, annotations: list[Annotation]) -> Callable[[Annotation], bool]:
        """Tell which annotations are spans: those of one set, and of the types asked for, or of all but a few."""
        if unmet := sorted(self.asked - {each.type for each in annotations}):
            what = f"types asked for that are not there: {', '.join(unmet)}"
            self.draft.notes.append(Note(self.request.side, what, len(unmet)))
        chosen = self._set(annotations)
        if not self.asked:
            passed = [each for each in annotations if each.set == chosen and each.type in NO_SPANS]
            self._note_passed("annotations of types that are not taken for spans", passed, lambda each: each.type)
        if "set" not in self.request.options:
            passed = [each for each in annotations if each.set != chosen]
            self._note_passed("annotations of other sets", passed, lambda each: _shown(each.set))
        return lambda each: each.set == chosen and self.fits(each.type)

    def fits(self, kind: str) -> bool:
        """Whether annotations of a type are spans."""
        return kind in self.asked if self.asked else kind not in NO_SPANS

    def _set(self, annotations: list[Annotation]) -> str:
        """Return the set that is asked for, or the only one with annotations that are spans."""
        asked = self.request.options.get("set")
        names = dict.fromkeys(each.set for each in annotations)
        if asked is not None:
            if asked and annotations and asked not in names:
                what = f"there is no annotation set {asked!r}{nearest(asked, names)}"
                hint = f"sets there: {', '.join(map(_shown, names))}"
                raise ReadError(what, where=self.source.parts[0].name, hint=hint)
            return asked
        often = Counter(each.set for each in annotations if each.set != MARKUP and self.fits(each.type))
        if len(often) > 1:
            first = next(iter(often))
            details = [f"{_shown(name)}: {count:,} annotation{'s'[: count != 1]}" for name, count in often.items()]
            hint = f"say which: ?set={first}" + (" is the one without a name" if not first else "")
            what = "there are several annotation sets with spans"
            raise ReadError(what, where=self.source.parts[0].name, details=details, hint=hint)
        return next(iter(often), "")

    def _span(self, annotation: Annotation, nodes: Mapping[str, int]) -> None:
        begin, end = (nodes[node] for node in annotation.nodes)
        span = self.draft.span([(begin, end)], annotation.type, annotation.place)
        self.called.append(f"annotation {annotation.id}" if annotation.id else "an annotation")
        ids = (self.request.options["id"],) if "id" in self.request.options else IDS
        linked = next((name for name in ids if annotation.features.get(name)), None)
        for name, value in annotation.features.items():
            if name == linked:
                say_ids(self.draft, span, str(value))
            else:
                say(self.draft, span, name, value)

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places[:3], np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))

    def _note_passed(self, what: str, passed: list[Annotation], by: Callable[[Annotation], str]) -> None:
        count = Counter(map(by, passed))
        shown = ", ".join(f"{name} ({number:,})" for name, number in sorted(count.items()))
        self._note(f"{what}, passed over: {shown}", [each.place for each in passed])


def _shown(name: str) -> str:
    return repr(name) if name else "the one without a name"


def sniff(lines: list[str]) -> bool:
    """Whether the first lines surely are a document of GATE: its outermost element begins there."""
    text = "\n".join(lines)
    return text.lstrip().startswith("<") and re.search(rf"<{ROOT}\b", text) is not None


FORMAT = Format(
    name="gate",
    summary="GATE XML: text with nodes, annotation sets, features",
    shapes=frozenset({"tokens"}),
    suffixes=SUFFIXES,
    options={
        "set": "the annotation set, nothing for the one without a name (default: the only one with spans)",
        "types": "the types that are spans, separated by commas (default: all but Token, Sentence, Lookup and such)",
        "id": "the feature that holds ids of entities (default: inst, URI, kbid)",
        "names": "what documents are called after: file, number",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)
