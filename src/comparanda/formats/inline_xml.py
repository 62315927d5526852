"""Text with tags in it: TimeML and MUC documents, or plain text with `<PER>Anna</PER>`.

A file with elements around its text is a document, or several. Any other is plain text, and all its elements are spans.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import BAR
from comparanda.core.places import Note, Source, first_places, refuse
from comparanda.errors import UsageError, WriteError
from comparanda.formats.contract import Format, Request, choose
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.files import file_names
from comparanda.formats.standoff import Draft
from comparanda.formats.xml import (
    HEAD,
    Event,
    attribute,
    called,
    content,
    events,
    file_name,
    is_name,
    lose_type,
    refuse_pieces,
    say,
    say_ids,
    too_deep,
    without_line_ends,
    written,
)

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.errors import ReadError


# Elements as places of a text: all text of a file laid end to end, and where each element stands in it.


@dataclass(slots=True, kw_only=True)
class Element:
    """An element: what its tag says, what it is in, where its text begins and ends, and the number of the next one."""

    name: str
    attributes: dict[str, str]
    place: int
    around: Element | None
    begin: int
    end: int = 0
    after: int = 0


@dataclass(slots=True)
class Gathered:
    """All text of a file or line, and all elements in the order of their start tags."""

    text: str
    elements: list[Element]
    roots: list[int]

    def outside(self) -> str:
        """Return the text outside of all elements."""
        ends = [0, *(self.elements[root].end for root in self.roots)]
        begins = [*(self.elements[root].begin for root in self.roots), len(self.text)]
        return "".join(self.text[end:begin] for end, begin in zip(ends, begins, strict=True))


def gathered(found: Iterable[Event]) -> Gathered:
    """Lay all text end to end, and say where each element stands in it."""
    pieces: list[str] = []
    elements: list[Element] = []
    roots: list[int] = []
    open_: list[Element] = []
    length = 0
    for kind, value, attributes, place in found:
        if kind == "text":
            pieces.append(value)
            length += len(value)
        elif kind == "start":
            if not open_:
                roots.append(len(elements))
            open_.append(
                Element(
                    name=value, attributes=attributes, place=place, around=open_[-1] if open_ else None, begin=length
                )
            )
            elements.append(open_[-1])
        else:
            element = open_.pop()
            element.end, element.after = length, len(elements)
    return Gathered("".join(pieces), elements, roots)


def around_of(element: Element) -> list[Element]:
    """Return an element and all that it lies in, the outermost first."""
    found = [element]
    while found[-1].around is not None:
        found.append(found[-1].around)
    return found[::-1]


# Tags in running text, where no XML parser could read it: several elements side by side, or text that is not escaped.
#
# Gives the same events as `xml_events`, for a stretch of the source: a file, or a line of it.


_NAME = r"[^\W\d][\w.:-]*+"
_TAG = re.compile(
    rf"<(?:/(?P<ended>{_NAME})\s*+"
    rf"|(?P<name>{_NAME})(?P<attributes>(?:\s++{_NAME}\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=/]++))*+)\s*+(?P<empty>/)?"
    r"|!--(?P<comment>[^<>]*+)(?<=--))>"
)
_ATTRIBUTE = re.compile(rf"\s({_NAME})\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_ENTITY = re.compile(r"&(?:#(?P<number>[0-9]{1,7})|#x(?P<hex>[0-9A-Fa-f]{1,6})|(?P<name>lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_UNESCAPED = "write &lt; and &amp; in the text, or say ?escaped=no if the file escapes nothing"


@dataclass(frozen=True, slots=True)
class Tags:
    """How tags are told from text.

    Args:
        source: the bytes.
        nesting: how many elements may stand in each other.
        escaped: whether a < or & of the text is written `&lt;` or `&amp;`; if not, what looks like no tag is text.
        names: the elements that there are, where nothing is escaped; None for all that look so.

    """

    source: Source
    nesting: int
    escaped: bool = True
    names: Set[str] | None = None

    def events(self, begin: int, end: int) -> Iterator[Event]:
        """Give the starts and ends of elements, and the text between them."""
        text = str(memoryview(self.source.data)[begin:end], "utf-8")
        open_: list[tuple[str, int]] = []
        last, place = 0, begin
        for tag in _TAG.finditer(text):
            name = tag["name"] or tag["ended"]
            if name and self.names is not None and name not in self.names:
                continue
            if tag.start() > last:
                between = text[last : tag.start()]
                yield "text", self._unescaped(between, place), {}, 0
                place += len(between.encode())
            if tag["ended"]:
                self._close(open_, name, place)
                yield "end", name, {}, place
            elif name:
                open_.append((name, place))
                if len(open_) > self.nesting:
                    raise too_deep(self.source, place, self.nesting)
                yield "start", name, self._attributes(tag["attributes"], place), place
                if tag["empty"]:
                    open_.pop()
                    yield "end", name, {}, place
            last = tag.end()
            place += len(tag[0].encode())
        if last < len(text):
            yield "text", self._unescaped(text[last:], place), {}, 0
        if open_:
            name, opened = open_[-1]
            raise refuse(self.source, opened, f"<{name}> is not closed", hint=self._hint("</" + name + "> is missing"))

    def _close(self, open_: list[tuple[str, int]], name: str, place: int) -> None:
        if not open_:
            raise refuse(self.source, place, f"</{name}> closes nothing", hint=self._hint(f"<{name}> is missing"))
        if open_[-1][0] != name:
            other, opened = open_[-1]
            details = [f"<{other}> of {self.source.locate(opened)} is open"]
            hint = self._hint("elements may lie in each other, but not cross")
            what = f"</{name}> closes another element than the last"
            raise refuse(self.source, place, what, details=details, hint=hint)
        open_.pop()

    def _hint(self, otherwise: str) -> str:
        """Say what to do about a tag, which may be text if nothing is escaped."""
        if self.escaped or self.names is not None:
            return otherwise
        return f"{otherwise}; if it is text, name the elements: ?elements=PER,LOC"

    def _attributes(self, written: str, place: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(written):
            if name in found:
                raise refuse(self.source, place, f"the attribute {name!r} is there twice in this tag")
            found[name] = self._unescaped("".join(values), place)
        return found

    def _unescaped(self, text: str, begin: int) -> str:
        if not self.escaped or ("&" not in text and "<" not in text):
            return text
        pieces, last = [], 0
        for sign in re.finditer("[<&]", text):
            place = begin + len(text[: sign.start()].encode())
            if sign[0] == "<":
                raise refuse(self.source, place, "this < begins no tag", hint=_UNESCAPED)
            entity = _ENTITY.match(text, sign.start())
            if entity is None:
                raise refuse(self.source, place, "this & begins no entity", hint=_UNESCAPED)
            pieces += [text[last : sign.start()], self._character(entity, place)]
            last = entity.end()
        return "".join([*pieces, text[last:]])

    def _character(self, entity: re.Match[str], place: int) -> str:
        if entity["name"]:
            return _NAMED[entity["name"]]
        code = int(entity["number"]) if entity["number"] else int(entity["hex"], 16)
        if 0 < code < 0xD800 or 0xDFFF < code < 0x110000:
            return chr(code)
        raise self._no_character(entity[0], place)

    def _no_character(self, entity: str, place: int) -> ReadError:
        return refuse(self.source, place, f"{entity} stands for no character")


SUFFIXES = (".tml", ".xml", ".sgml", ".sgm")
KNOWN = ("TIMEX3", "TIMEX2", "TIMEX", "ENAMEX", "NUMEX")
"""Elements that are spans wherever they are; if there are any, the others are not."""

GENERIC = frozenset({"entity", "Entity", "ENTITY", "ne", "NE", "mention", "Mention", "annotation", "span", "name"})
"""Elements that say by an attribute what they are."""

ROOTS = frozenset(
    {"TimeML", "DOC", "doc", "document", "DOCUMENT", "corpus", "CORPUS", "root", "ROOT", "TEXT", "text", "Text"}
)
STRUCTURE = frozenset(
    {"p", "s", "para", "paragraph", "sent", "sentence", "head", "headline", "title", "section", "body", "div", "br"}
    | {"P", "S", "HL", "SLUG", "BODY", "TXT", "DOCID", "DOCNO", "DCT"}
)
"""Elements of documents that are no spans."""

TEXTS = frozenset({"TEXT", "text", "Text"})
LABELS = ("type", "TYPE", "Type", "label", "LABEL", "class", "category")
"""Attributes that hold the label of a known or generic element; the first that is there."""

IDS = ("ref", "kb_id", "wikidata", "uri")
"""Attributes that hold ids of entities; the first that is there."""

_NAMES = frozenset({"DOCID", "DOCNO"})
_NAME_ATTRIBUTES = ("docid", "id", "name")
_PROLOG = re.compile(rb"\s*<(?:\?xml\b|!DOCTYPE\b)")


def read(source: Source, request: Request) -> Corpus:
    """Read documents of text with tags."""
    return _Reading(source, request).corpus()


@dataclass(slots=True, kw_only=True)
class _Document:
    """A document: its text, and the elements in it."""

    place: int
    text: str
    begin: int
    elements: list[Element]
    name: str | None = None
    attributes: dict[str, str | None] = field(default_factory=dict)
    root: str | None = None


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        options = request.options
        self.source = source = without_line_ends(source)
        self.request = request
        self.by_line = choose(options, "documents", ("file", "line")) == "line"
        self.names = choose(options, "names", ("file", "docid", "number"))
        self.asked = frozenset(filter(None, options.get("elements", "").split(","))) or None
        escaped = choose(options, "escaped", ("yes", "no")) == "yes"
        text = {options["text"]} if "text" in options else set()
        names = None if escaped or self.asked is None else self.asked | ROOTS | STRUCTURE | text
        self.tags = Tags(source, request.limits.nesting, escaped, names)
        self.text = text
        self.draft = Draft(source=source, side=request.side, called=lambda span, _: self.called[span])
        self.called: list[str] = []
        self.outside: list[Element] = []
        if self.by_line and self.text:
            raise UsageError("text= names an element of documents, and documents=line are plain text")

    def corpus(self) -> Corpus:
        ends = [*(part.begin for part in self.source.parts[1:]), self.source.size]
        documents = [
            list(self._lines(part.begin, end) if self.by_line else self._file(number, part.begin, end))
            for number, (part, end) in enumerate(zip(self.source.parts, ends, strict=True))
        ]
        taken = self._taken([document for each in documents for document in each])
        names = self._named(documents)
        empty: list[int] = []
        unlabelled: list[int] = []
        for document, name in zip((document for each in documents for document in each), names, strict=True):
            self.draft.document(name, document.place, document.attributes)
            self.draft.texts.append(document.text)
            for element in document.elements:
                if element.name in taken and element.begin == element.end:
                    empty.append(element.place)
                elif element.name in taken and not self._span(element, document.begin):
                    unlabelled.append(element.place)
        self._note("elements that cover no text, passed over", empty)
        label = self.request.options.get("label")
        self._note(f"elements without the attribute {label!r}, labelled by their name", unlabelled)
        return self.draft.corpus(self.request, name="inline-xml", judged="label")

    def _lines(self, begin: int, end: int) -> Iterator[_Document]:
        """Give each line that is not blank as a document; it is called by its number."""
        for number, line in enumerate(bytes(self.source.data[begin:end]).split(b"\n"), start=1):
            if line.strip():
                found = gathered(self.tags.events(begin, begin + len(line)))
                yield _Document(place=begin, text=found.text, begin=0, elements=found.elements, name=str(number))
            begin += len(line) + 1

    def _file(self, number: int, begin: int, end: int) -> Iterator[_Document]:
        """Give the documents of a file."""
        prolog = _PROLOG.match(self.source.data, begin, end)
        nesting = self.request.limits.nesting
        found = gathered(events(self.source, number, nesting) if prolog else self.tags.events(begin, end))
        roots = [found.elements[root] for root in found.roots]
        alone = len(roots) == 1 and (prolog or roots[0].after > 1) and not found.outside().strip()
        if alone or self.text or (roots and roots[0].name in ROOTS):
            yield from self._documents(found, begin)
        else:
            yield _Document(place=begin, text=found.text.rstrip("\n"), begin=0, elements=found.elements)

    def _documents(self, found: Gathered, begin: int) -> Iterator[_Document]:
        """Give what stands in elements for texts, or in the outermost elements if there are none."""
        elements = found.elements
        texts = [number for number, each in enumerate(elements) if each.name in (self.text or TEXTS)]
        if self.text and not texts:
            what = f"there is no element <{''.join(self.text)}> in this file"
            raise refuse(self.source, begin, what, hint="?text=NAME names the element that holds the text")
        if not texts and found.outside().strip():
            what = "there is text outside of the elements of documents"
            raise refuse(
                self.source, elements[found.roots[0]].place, what, hint="name the element of texts: ?text=NAME"
            )
        behind = 0
        for number in texts or found.roots:
            if number < behind and texts:
                continue  # a text within a text
            own = elements[number]
            around, before = around_of(own), elements[behind:number]
            self.outside += [each for each in before if each.name in KNOWN and not _in_head(each)]
            name, attributes = _described(around, before, found.text)
            inside = elements[number + 1 : own.after]
            text = found.text[own.begin : own.end]
            yield _Document(
                place=own.place,
                text=text,
                begin=own.begin,
                elements=inside,
                name=name,
                attributes=attributes,
                root=around[0].name,
            )
            behind = own.after

    def _taken(self, documents: list[_Document]) -> frozenset[str]:
        """Return which elements are spans: those asked for, else well-known ones, else all that are no structure."""
        count = Counter(element.name for document in documents for element in document.elements)
        if self.asked is not None:
            if unmet := sorted(self.asked - count.keys()):
                what = f"elements asked for that are not there: {', '.join(unmet)}"
                self.draft.notes.append(Note(self.request.side, what, len(unmet)))
            return self.asked
        known = frozenset(KNOWN) & count.keys()
        strange = [each for each in documents if each.root is not None and each.root not in ROOTS]
        if strange and not known:
            raise self._no_spans(strange[0], count)
        plain = all(document.root is None for document in documents)
        taken = known or frozenset(count if plain else count.keys() - STRUCTURE - ROOTS)
        if passed := {name: number for name, number in count.items() if name not in taken}:
            shown = ", ".join(f"{name} ({number:,})" for name, number in sorted(passed.items()))
            places = [each.place for document in documents for each in document.elements if each.name in passed]
            self._note(f"elements that are not taken for spans, passed over: {shown}", places)
        self._note("elements outside of the text, passed over", [each.place for each in self.outside])
        return taken

    def _no_spans(self, document: _Document, count: Counter[str]) -> ReadError:
        shown = [f"{name} ({number:,})" for name, number in count.most_common(8)]
        what = f"no element in <{document.root}> is known to be a span"
        details = [f"elements there: {', '.join(shown)}{' …' if len(count) > len(shown) else ''}"] if shown else []
        hint = "say which are: ?elements=NAME,NAME; and where the text is, if not in all of it: &text=NAME"
        return refuse(self.source, document.place, what, details=details, hint=hint)

    def _named(self, documents: list[list[_Document]]) -> Iterable[str]:
        """Name documents by their files; where a file has several, by what it calls them, else by their number."""
        if self.names == "number":
            return map(str, range(1, 1 + sum(map(len, documents))))
        if self.by_line and len(documents) == 1:
            return [str(each.name) for each in documents[0]]
        files = file_names(self.source, self.request, (*SUFFIXES, ".txt"))
        found = []
        for file, some in zip(files, documents, strict=True):
            for number, document in enumerate(some, start=1):
                if self.names == "docid" and document.name is None:
                    raise refuse(self.source, document.place, "the document has no DOCID", hint="say ?names=file")
                if self.by_line:
                    found.append(f"{file}:{document.name}")
                elif len(some) == 1 and self.names == "file":
                    found.append(file)
                else:
                    found.append(document.name or f"{file}:{number}")
        return found

    def _span(self, element: Element, begin: int) -> bool:
        """Make a span; return whether it has the attribute that was asked for as its label."""
        options, attributes = self.request.options, element.attributes
        given = element.name in GENERIC or element.name in KNOWN
        labels = (options["label"],) if "label" in options else LABELS if given else ()
        by = next((name for name in labels if attributes.get(name)), None)
        ids = (options["id"],) if "id" in options else IDS
        linked = next((name for name in ids if attributes.get(name)), None)
        label = element.name if by is None else attributes[by]
        span = self.draft.span([(element.begin - begin, element.end - begin)], label, element.place)
        self.called.append(f"<{element.name}>")
        for name, value in attributes.items():
            if name == linked:
                say_ids(self.draft, span, value)
            elif name != by:
                say(self.draft, span, name, value)
        return by is not None or "label" not in options

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places[:3], np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))


def _in_head(element: Element) -> bool:
    """Whether an element stands in the one for the time at which a document was made, which is no part of its text."""
    return any(each.name == "DCT" for each in around_of(element))


def _described(around: list[Element], before: list[Element], text: str) -> tuple[str | None, dict[str, str | None]]:
    """Return what a file calls a document, and what else it says of it."""
    attributes = {
        name: value
        for element in around
        for name, value in element.attributes.items()
        if ":" not in name and not name.startswith("xmlns")
    }
    name = next((attributes[each] for each in _NAME_ATTRIBUTES if attributes.get(each)), None)
    said: dict[str, str | None] = {key: value for key, value in attributes.items() if key != "id"}
    for element in before:
        written = text[element.begin : element.end].strip()
        if element.name in _NAMES and written:
            name = written
        if element.name == "DCT" and written:
            said["dct"] = written
    return name, said


def sniff(lines: list[str]) -> bool:
    """Whether the first lines surely are text with tags: TimeML, well-known elements, or labels in capitals as tags."""
    text = "\n".join(lines)
    if text.lstrip()[:1] in {"{", "["} or re.search(r"<(?:GateDocument|collection|TEI|PubmedArticle)\b", text):
        return False
    if re.search(rf"<TimeML\b|<document\b[^<>]*><text\b|<(?:{'|'.join(KNOWN)})\s[^<>]*>[^<>]*</", text):
        return True
    tags = re.findall(r"</?([^\s<>/!]++)[^<>]*>", text)
    labels = re.search(r"<([A-Z][A-Z_-]*)(?:\s[^<>]*)?>[^<>]+</\1>", text)
    return bool(labels) and "\t" not in text and all(re.fullmatch("[A-Z][A-Z_-]*", tag) for tag in tags)


FORMAT = Format(
    name="inline-xml",
    summary="text with tags in it: TimeML, ENAMEX, or plain text with <PER>…</PER>",
    shapes=frozenset({"tokens"}),
    suffixes=SUFFIXES,
    options={
        "elements": "the elements that are spans, separated by commas (default: TIMEX3, ENAMEX and the like, else all)",
        "label": "the attribute of labels (default: type, of TIMEX3, ENAMEX, entity and such; else the element's name)",
        "id": "the attribute of ids of entities (default: ref, kb_id, wikidata, uri)",
        "text": "the element that holds the text of a document (default: TEXT or text, else the outermost)",
        "documents": "of plain text: whether each file or each line is a document: file, line",
        "names": "what documents are called after: file, docid (what the file calls them), number",
        "escaped": "whether < and & in the text are written &lt; and &amp;: yes, no (what looks like no tag is text)",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Text with tags in it: one XML file a document, each span an element that is called like its label.


SUFFIX = ".xml"
LINK, LABEL = IDS[0], LABELS[0]

_TAKEN = GENERIC | ROOTS | STRUCTURE | frozenset(KNOWN)


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one file each."""
    element = options.get("element")
    if element is not None and element not in GENERIC:
        what = f"element={element!r} is not possible"
        raise UsageError(what, hint=f"elements whose label is an attribute: {', '.join(sorted(GENERIC))}")
    for passage in documents:
        yield file_name(passage.name, SUFFIX), _document(passage, losses, element)


def _document(passage: Passage, losses: Losses, element: str | None) -> str:
    said = "".join(
        attribute(name, value, passage.name)
        for name, value in passage.attributes.items()
        if _fits_document(name, passage, losses)
    )
    return f"{HEAD}<document{said}><text>{_text(passage, losses, element)}</text></document>\n"


def _fits_document(name: str, passage: Passage, losses: Losses) -> bool:
    if is_name(name) and name != "id":
        return True
    losses.lose(f"the attribute {name!r} of documents, whose name cannot be one of XML", passage.name)
    return False


def _text(passage: Passage, losses: Losses, element: str | None) -> str:
    """Put tags into the text: of spans at the same place the longer is outside, of equal ones the first."""
    mentions = []
    for mention in passage.mentions:
        refuse_pieces(passage, mention, "an element is in one")
        if mention.begin == mention.end:
            losses.lose("spans that cover no text", passage.name)
        else:
            mentions.append(mention)
    pieces: list[str] = []
    open_: list[tuple[Mention, str]] = []
    place = 0

    def close(until: int) -> None:
        """Close the elements that end up to a place."""
        nonlocal place
        while open_ and open_[-1][0].end <= until:
            mention, name = open_.pop()
            pieces.append(content(passage.text[place : mention.end], passage.name) + f"</{name}>")
            place = mention.end

    for mention in sorted(mentions, key=lambda each: (each.begin, -each.end)):
        close(mention.begin)
        if open_ and open_[-1][0].end < mention.end:
            details = [called(passage, open_[-1][0]), called(passage, mention)]
            hint = "elements may lie in each other, but not cross; formats that can: jsonl, brat, gate, bioc"
            raise WriteError("two spans cross", details=details, hint=hint)
        name = element or _element(passage, mention)
        pieces.append(content(passage.text[place : mention.begin], passage.name))
        pieces.append(f"<{name}{_attributes(passage, mention, losses, element)}>")
        open_.append((mention, name))
        place = mention.begin
    close(len(passage.text))
    return "".join([*pieces, content(passage.text[place:], passage.name)])


def _element(passage: Passage, mention: Mention) -> str:
    hint = "say ?element=entity: the label is then the attribute 'type' of an element <entity>"
    if not is_name(mention.label):
        what = f"the label {mention.label!r} in document {passage.name!r} cannot be the name of an element"
        raise WriteError(what, hint=hint)
    if mention.label in _TAKEN:
        what = f"the label {mention.label!r} in document {passage.name!r} is an element with a meaning of its own"
        raise WriteError(what, hint=hint)
    return mention.label


def _attributes(passage: Passage, mention: Mention, losses: Losses, element: str | None) -> str:
    found = {} if element is None else {LABEL: mention.label}
    taken = {*IDS, "id", *(LABELS if element else ())}
    for name, value in mention.said.items():
        if name in taken or not is_name(name):
            losses.lose(f"{name!r} of spans, which cannot be an attribute of that name", passage.name)
        else:
            lose_type(name, value, passage, losses)
            found[name] = written(value)
    if mention.ids is not None:
        found[LINK] = BAR.join(mention.ids)
    return "".join(attribute(name, value, passage.name) for name, value in found.items())


WRITER = Writer(
    name="inline-xml",
    suffix=SUFFIX,
    write=write,
    many=True,
    options={"element": "the element of all spans, whose label is then its attribute 'type': entity, mention …"},
)
