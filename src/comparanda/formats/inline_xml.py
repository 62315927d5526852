"""Inline XML: TimeML and MUC documents, or plain text with tags such as `<PER>Anna</PER>`.

A file whose text is enclosed by elements is one document or several. Any other file is plain text, and all its elements
are spans.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import BAR
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.errors import UsageError, WriteError
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer, lose_type
from comparanda.formats.files import file_names
from comparanda.formats.standoff import Draft
from comparanda.formats.xml import (
    HEAD,
    Event,
    describe_mention,
    escape_content,
    file_name,
    format_attribute,
    format_plain,
    is_name,
    read_events,
    refuse_pieces,
    set_ids,
    set_value,
    too_deep,
    without_line_ends,
)

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.errors import ReadError


# Elements as extents of a text: the concatenated text of a file, and the offsets of each element in it.


@dataclass(slots=True, kw_only=True)
class Element:
    """An element: its tag, its parent, the offsets of its text, and the index of the first element after it."""

    name: str
    attributes: dict[str, str]
    place: int
    around: Element | None
    begin: int
    end: int = 0
    after: int = 0


@dataclass(slots=True)
class Gathered:
    """The text of a file or line, and its elements in the order of their start tags."""

    text: str
    elements: list[Element]
    roots: list[int]

    def outside(self) -> str:
        """Return the text outside of all elements."""
        ends = [0, *(self.elements[root].end for root in self.roots)]
        begins = [*(self.elements[root].begin for root in self.roots), len(self.text)]
        return "".join(self.text[end:begin] for end, begin in zip(ends, begins, strict=True))


def concatenate_text(found: Iterable[Event]) -> Gathered:
    """Concatenate the text, and record the extent of each element in it."""
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
    """Return an element and its ancestors, the outermost first."""
    found = [element]
    while found[-1].around is not None:
        found.append(found[-1].around)
    return found[::-1]


# Tags in text that an XML parser could not read: several outermost elements, or unescaped text.
#
# Yields the same events as `xml.read_events`, for a range of the source: a file, or a line of it.


_TAG_NAME = r"[^\W\d][\w.:-]*+"
_TAG = re.compile(
    rf"<(?:/(?P<ended>{_TAG_NAME})\s*+"
    rf"|(?P<name>{_TAG_NAME})(?P<attributes>(?:\s++{_TAG_NAME}\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=/]++))*+)\s*+(?P<empty>/)?"
    r"|!--(?P<comment>[^<>]*+)(?<=--))>"
)
_ATTRIBUTE = re.compile(rf"\s({_TAG_NAME})\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_ENTITY = re.compile(r"&(?:#(?P<number>[0-9]{1,7})|#x(?P<hex>[0-9A-Fa-f]{1,6})|(?P<name>lt|gt|amp|quot|apos));")
_NAMED_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ESCAPE_HINT = "write &lt; and &amp; in the text, or set ?escaped=no if the text is not escaped"


@dataclass(frozen=True, slots=True)
class Tags:
    """Distinguishes tags from text.

    Args:
        source: the bytes.
        nesting: the maximum depth of elements.
        escaped: whether < and & in the text are written `&lt;` and `&amp;`; if not, anything that is not a tag is text.
        names: the element names, if the text is not escaped; None to accept any name.

    """

    source: Source
    nesting: int
    escaped: bool = True
    names: Set[str] | None = None

    def events(self, begin: int, end: int) -> Iterator[Event]:
        """Yield the starts and ends of elements, and the text between them."""
        text = str(memoryview(self.source.data)[begin:end], "utf-8")
        open_: list[tuple[str, int]] = []
        last, place = 0, begin
        for tag in _TAG.finditer(text):
            name = tag["name"] or tag["ended"]
            if name and self.names is not None and name not in self.names:
                continue
            if tag.start() > last:
                between = text[last : tag.start()]
                yield "text", self._unescape(between, place), {}, 0
                place += len(between.encode())
            if tag["ended"]:
                self._close_element(open_, name, place)
                yield "end", name, {}, place
            elif name:
                open_.append((name, place))
                if len(open_) > self.nesting:
                    raise too_deep(self.source, place, self.nesting)
                yield "start", name, self._parse_attributes(tag["attributes"], place), place
                if tag["empty"]:
                    open_.pop()
                    yield "end", name, {}, place
            last = tag.end()
            place += len(tag[0].encode())
        if last < len(text):
            yield "text", self._unescape(text[last:], place), {}, 0
        if open_:
            name, opened = open_[-1]
            raise make_read_error(
                self.source, opened, f"<{name}> is not closed", hint=self._tag_hint("</" + name + "> is missing")
            )

    def _close_element(self, open_: list[tuple[str, int]], name: str, place: int) -> None:
        if not open_:
            raise make_read_error(
                self.source, place, f"</{name}> has no start tag", hint=self._tag_hint(f"<{name}> is missing")
            )
        if open_[-1][0] != name:
            other, opened = open_[-1]
            details = [f"<{other}> at {self.source.locate(opened)} is open"]
            hint = self._tag_hint("elements may be nested, but not cross")
            what = f"</{name}> does not match the open element"
            raise make_read_error(self.source, place, what, details=details, hint=hint)
        open_.pop()

    def _tag_hint(self, usual: str) -> str:
        """Return a hint about a faulty tag, which may be text if the file is not escaped."""
        if self.escaped or self.names is not None:
            return usual
        return f"{usual}; if it is text, name the elements: ?elements=PER,LOC"

    def _parse_attributes(self, written: str, place: int) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(written):
            if name in found:
                raise make_read_error(self.source, place, f"duplicate attribute {name!r} in this tag")
            found[name] = self._unescape("".join(values), place)
        return found

    def _unescape(self, text: str, begin: int) -> str:
        if not self.escaped or ("&" not in text and "<" not in text):
            return text
        pieces, last = [], 0
        for sign in re.finditer("[<&]", text):
            place = begin + len(text[: sign.start()].encode())
            if sign[0] == "<":
                raise make_read_error(self.source, place, "this < does not begin a tag", hint=_ESCAPE_HINT)
            entity = _ENTITY.match(text, sign.start())
            if entity is None:
                raise make_read_error(self.source, place, "this & does not begin an entity", hint=_ESCAPE_HINT)
            pieces += [text[last : sign.start()], self._decode_entity(entity, place)]
            last = entity.end()
        return "".join([*pieces, text[last:]])

    def _decode_entity(self, entity: re.Match[str], place: int) -> str:
        if entity["name"]:
            return _NAMED_ENTITIES[entity["name"]]
        code = int(entity["number"]) if entity["number"] else int(entity["hex"], 16)
        if 0 < code < 0xD800 or 0xDFFF < code < 0x110000:
            return chr(code)
        raise self._entity_error(entity[0], place)

    def _entity_error(self, entity: str, place: int) -> ReadError:
        return make_read_error(self.source, place, f"{entity} is not a character")


SUFFIXES = (".tml", ".xml", ".sgml", ".sgm")
KNOWN = ("TIMEX3", "TIMEX2", "TIMEX", "ENAMEX", "NUMEX")
"""Elements that are spans in any file; if there are any, no others are."""

GENERIC = frozenset({"entity", "Entity", "ENTITY", "ne", "NE", "mention", "Mention", "annotation", "span", "name"})
"""Elements whose label is in an attribute."""

ROOTS = frozenset(
    {"TimeML", "DOC", "doc", "document", "DOCUMENT", "corpus", "CORPUS", "root", "ROOT", "TEXT", "text", "Text"}
)
STRUCTURE = frozenset(
    {"p", "s", "para", "paragraph", "sent", "sentence", "head", "headline", "title", "section", "body", "div", "br"}
    | {"P", "S", "HL", "SLUG", "BODY", "TXT", "DOCID", "DOCNO", "DCT"}
)
"""Elements of the document structure, which are not spans."""

TEXTS = frozenset({"TEXT", "text", "Text"})
LABELS = ("type", "TYPE", "Type", "label", "LABEL", "class", "category")
"""Attributes that hold the label of a known or generic element, in order of preference."""

IDS = ("ref", "kb_id", "wikidata", "uri")
"""Attributes that hold entity ids, in order of preference."""

_NAME_ELEMENTS = frozenset({"DOCID", "DOCNO"})
_NAME_ATTRIBUTES = ("docid", "id", "name")
_PROLOG = re.compile(rb"\s*<(?:\?xml\b|!DOCTYPE\b)")


def read(source: Source, request: Request) -> Corpus:
    """Read documents with inline tags."""
    return _Reader(source, request).corpus()


@dataclass(slots=True, kw_only=True)
class _Document:
    """A document: its text, the offset of that in the file, and the elements in it."""

    place: int
    text: str
    begin: int
    elements: list[Element]
    name: str | None = None
    attributes: dict[str, str | None] = field(default_factory=dict)
    root: str | None = None


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        options = request.options
        self.source = source = without_line_ends(source)
        self.request = request
        self.by_line = choose_option(options, "documents", ("file", "line")) == "line"
        self.names = choose_option(options, "names", ("file", "docid", "number"))
        self.asked = frozenset(filter(None, options.get("elements", "").split(","))) or None
        escaped = choose_option(options, "escaped", ("yes", "no")) == "yes"
        text = {options["text"]} if "text" in options else set()
        names = None if escaped or self.asked is None else self.asked | ROOTS | STRUCTURE | text
        self.tags = Tags(source, request.limits.nesting, escaped, names)
        self.text = text
        self.draft = Draft(source=source, side=request.side, called=lambda span, _: self.called[span])
        self.called: list[str] = []
        self.outside: list[Element] = []
        if self.by_line and self.text:
            raise UsageError("text= names an element of documents, but documents=line reads plain text")

    def corpus(self) -> Corpus:
        ends = [*(part.begin for part in self.source.parts[1:]), self.source.size]
        documents = [
            list(self._read_lines(part.begin, end) if self.by_line else self._read_file(number, part.begin, end))
            for number, (part, end) in enumerate(zip(self.source.parts, ends, strict=True))
        ]
        span_elements = self._choose_span_elements([document for each in documents for document in each])
        names = self._document_names(documents)
        empty: list[int] = []
        unlabelled: list[int] = []
        for document, name in zip((document for each in documents for document in each), names, strict=True):
            self.draft.document(name, document.place, document.attributes)
            self.draft.texts.append(document.text)
            for element in document.elements:
                if element.name in span_elements and element.begin == element.end:
                    empty.append(element.place)
                elif element.name in span_elements and not self._add_span(element, document.begin):
                    unlabelled.append(element.place)
        self._note("elements that cover no text ignored", empty)
        label = self.request.options.get("label")
        self._note(f"elements without the attribute {label!r}, labelled by their name", unlabelled)
        return self.draft.corpus(self.request, name="inline-xml", evaluated="label")

    def _read_lines(self, begin: int, end: int) -> Iterator[_Document]:
        """Yield each non-blank line as a document, named by its number."""
        for number, line in enumerate(bytes(self.source.data[begin:end]).split(b"\n"), start=1):
            if line.strip():
                found = concatenate_text(self.tags.events(begin, begin + len(line)))
                yield _Document(place=begin, text=found.text, begin=0, elements=found.elements, name=str(number))
            begin += len(line) + 1

    def _read_file(self, number: int, begin: int, end: int) -> Iterator[_Document]:
        """Yield the documents of a file."""
        prolog = _PROLOG.match(self.source.data, begin, end)
        nesting = self.request.limits.nesting
        found = concatenate_text(read_events(self.source, number, nesting) if prolog else self.tags.events(begin, end))
        roots = [found.elements[root] for root in found.roots]
        alone = len(roots) == 1 and (prolog or roots[0].after > 1) and not found.outside().strip()
        if alone or self.text or (roots and roots[0].name in ROOTS):
            yield from self._read_documents(found, begin)
        else:
            yield _Document(place=begin, text=found.text.rstrip("\n"), begin=0, elements=found.elements)

    def _read_documents(self, found: Gathered, begin: int) -> Iterator[_Document]:
        """Yield the content of each text element, or of the outermost elements if there are no text elements."""
        elements = found.elements
        texts = [number for number, each in enumerate(elements) if each.name in (self.text or TEXTS)]
        if self.text and not texts:
            what = f"there is no element <{''.join(self.text)}> in this file"
            raise make_read_error(self.source, begin, what, hint="set the element that holds the text: ?text=NAME")
        if not texts and found.outside().strip():
            what = "there is text outside the document elements"
            raise make_read_error(
                self.source,
                elements[found.roots[0]].place,
                what,
                hint="set the element that holds the text: ?text=NAME",
            )
        stop = 0
        for number in texts or found.roots:
            if number < stop and texts:
                continue  # nested in another text element
            own = elements[number]
            around, before = around_of(own), elements[stop:number]
            self.outside += [each for each in before if each.name in KNOWN and not _is_in_creation_time(each)]
            name, attributes = _describe_document(around, before, found.text)
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
            stop = own.after

    def _choose_span_elements(self, documents: list[_Document]) -> frozenset[str]:
        """Return the names of span elements: those requested, else the known ones, else all that are not structural."""
        count = Counter(element.name for document in documents for element in document.elements)
        if self.asked is not None:
            if missing := sorted(self.asked - count.keys()):
                what = f"requested elements not found: {', '.join(missing)}"
                self.draft.notes.append(Note(self.request.side, what, len(missing)))
            return self.asked
        known = frozenset(KNOWN) & count.keys()
        strange = [each for each in documents if each.root is not None and each.root not in ROOTS]
        if strange and not known:
            raise self._no_spans_error(strange[0], count)
        plain = all(document.root is None for document in documents)
        span_elements = known or frozenset(count if plain else count.keys() - STRUCTURE - ROOTS)
        if passed := {name: number for name, number in count.items() if name not in span_elements}:
            shown = ", ".join(f"{name} ({number:,})" for name, number in sorted(passed.items()))
            places = [each.place for document in documents for each in document.elements if each.name in passed]
            self._note(f"elements that are not spans ignored: {shown}", places)
        self._note("elements outside the text ignored", [each.place for each in self.outside])
        return span_elements

    def _no_spans_error(self, document: _Document, count: Counter[str]) -> ReadError:
        shown = [f"{name} ({number:,})" for name, number in count.most_common(8)]
        what = f"no known span element in <{document.root}>"
        details = [f"elements found: {', '.join(shown)}{' …' if len(count) > len(shown) else ''}"] if shown else []
        hint = "set the span elements: ?elements=NAME,NAME; and that of the text, if not the root: &text=NAME"
        return make_read_error(self.source, document.place, what, details=details, hint=hint)

    def _document_names(self, documents: list[list[_Document]]) -> Iterable[str]:
        """Name documents after their files; several in one file after their ids in it, else by their number."""
        if self.names == "number":
            return map(str, range(1, 1 + sum(map(len, documents))))
        if self.by_line and len(documents) == 1:
            return [str(each.name) for each in documents[0]]
        files = file_names(self.source, self.request, (*SUFFIXES, ".txt"))
        found = []
        for file, some in zip(files, documents, strict=True):
            for number, document in enumerate(some, start=1):
                if self.names == "docid" and document.name is None:
                    raise make_read_error(
                        self.source, document.place, "the document has no DOCID", hint="set ?names=file"
                    )
                if self.by_line:
                    found.append(f"{file}:{document.name}")
                elif len(some) == 1 and self.names == "file":
                    found.append(file)
                else:
                    found.append(document.name or f"{file}:{number}")
        return found

    def _add_span(self, element: Element, begin: int) -> bool:
        """Add a span; return whether it has the attribute requested as its label."""
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
                set_ids(self.draft, span, value)
            elif name != by:
                set_value(self.draft, span, name, value)
        return by is not None or "label" not in options

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places[:3], np.int64))
            self.draft.notes.append(Note(self.request.side, what, len(places), first))


def _is_in_creation_time(element: Element) -> bool:
    """Whether an element is inside a DCT, the document creation time, which is not part of the text."""
    return any(each.name == "DCT" for each in around_of(element))


def _describe_document(
    around: list[Element], before: list[Element], text: str
) -> tuple[str | None, dict[str, str | None]]:
    """Return the name that a file gives to a document, and its attributes."""
    attributes = {
        name: value
        for element in around
        for name, value in element.attributes.items()
        if ":" not in name and not name.startswith("xmlns")
    }
    name = next((attributes[each] for each in _NAME_ATTRIBUTES if attributes.get(each)), None)
    described: dict[str, str | None] = {key: value for key, value in attributes.items() if key != "id"}
    for element in before:
        written = text[element.begin : element.end].strip()
        if element.name in _NAME_ELEMENTS and written:
            name = written
        if element.name == "DCT" and written:
            described["dct"] = written
    return name, described


def sniff(lines: list[str]) -> bool:
    """Whether the first lines are certainly inline XML: TimeML, known elements, or tags named in capitals."""
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
    summary="text with inline tags: TimeML, ENAMEX, or plain text with <PER>…</PER>",
    shapes=frozenset({"tokens"}),
    suffixes=SUFFIXES,
    options={
        "elements": "the elements that are spans, separated by commas (default: TIMEX3, ENAMEX and the like, else all)",
        "label": "the attribute that holds the label (default: type for TIMEX3, ENAMEX, entity …, else the name)",
        "id": "the attribute that holds entity ids (default: ref, kb_id, wikidata, uri)",
        "text": "the element that holds the text of a document (default: TEXT or text, else the outermost)",
        "documents": "for plain text, what is a document: file, line",
        "names": "what documents are named after: file, docid (the name in the file), number",
        "escaped": "whether < and & in the text are written &lt; and &amp;: yes, no (whatever is not a tag is text)",
    },
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing inline XML: one file per document, each span an element named after its label.


SUFFIX = ".xml"
LINK, LABEL = IDS[0], LABELS[0]

_RESERVED_ELEMENTS = GENERIC | ROOTS | STRUCTURE | frozenset(KNOWN)


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, one file each."""
    element = options.get("element")
    if element is not None and element not in GENERIC:
        what = f"element={element!r} is not allowed"
        raise UsageError(what, hint=f"choose one of: {', '.join(sorted(GENERIC))}")
    for passage in documents:
        yield file_name(passage.name, SUFFIX), _document(passage, losses, element)


def _document(passage: Passage, losses: Losses, element: str | None) -> str:
    root_attributes = "".join(
        format_attribute(name, value, passage.name)
        for name, value in passage.attributes.items()
        if _is_document_attribute(name, passage, losses)
    )
    return f"{HEAD}<document{root_attributes}><text>{_tagged_text(passage, losses, element)}</text></document>\n"


def _is_document_attribute(name: str, passage: Passage, losses: Losses) -> bool:
    if is_name(name) and name != "id":
        return True
    losses.lose(f"the attribute {name!r} of documents, whose name is not valid in XML", passage.name)
    return False


def _tagged_text(passage: Passage, losses: Losses, element: str | None) -> str:
    """Insert tags into the text: of spans that begin together the longer is outside, of equal ones the first."""
    mentions = []
    for mention in passage.mentions:
        refuse_pieces(passage, mention, "an element is in one piece")
        if mention.begin == mention.end:
            losses.lose("spans that cover no text", passage.name)
        else:
            mentions.append(mention)
    pieces: list[str] = []
    open_: list[tuple[Mention, str]] = []
    place = 0

    def close(until: int) -> None:
        """Close the elements that end at or before an offset."""
        nonlocal place
        while open_ and open_[-1][0].end <= until:
            mention, name = open_.pop()
            pieces.append(escape_content(passage.text[place : mention.end], passage.name) + f"</{name}>")
            place = mention.end

    for mention in sorted(mentions, key=lambda each: (each.begin, -each.end)):
        close(mention.begin)
        if open_ and open_[-1][0].end < mention.end:
            details = [describe_mention(passage, open_[-1][0]), describe_mention(passage, mention)]
            hint = "write jsonl, brat, gate or bioc: elements may be nested, but not cross"
            raise WriteError("two spans cross", details=details, hint=hint)
        name = element or _element_name(passage, mention)
        pieces.append(escape_content(passage.text[place : mention.begin], passage.name))
        pieces.append(f"<{name}{_format_attributes(passage, mention, losses, element)}>")
        open_.append((mention, name))
        place = mention.begin
    close(len(passage.text))
    return "".join([*pieces, escape_content(passage.text[place:], passage.name)])


def _element_name(passage: Passage, mention: Mention) -> str:
    hint = "set ?element=entity: the label is then the attribute 'type' of an element <entity>"
    if not is_name(mention.label):
        what = f"the label {mention.label!r} in document {passage.name!r} is not a valid element name"
        raise WriteError(what, hint=hint)
    if mention.label in _RESERVED_ELEMENTS:
        what = f"the label {mention.label!r} in document {passage.name!r} is a reserved element name"
        raise WriteError(what, hint=hint)
    return mention.label


def _format_attributes(passage: Passage, mention: Mention, losses: Losses, element: str | None) -> str:
    found = {} if element is None else {LABEL: mention.label}
    reserved = {*IDS, "id", *(LABELS if element else ())}
    for name, value in mention.attributes.items():
        if name in reserved or not is_name(name):
            losses.lose(f"{name!r} of spans, which is a reserved or invalid attribute name", passage.name)
        else:
            lose_type(name, value, passage, losses)
            found[name] = format_plain(value)
    if mention.ids is not None:
        found[LINK] = BAR.join(mention.ids)
    return "".join(format_attribute(name, value, passage.name) for name, value in found.items())


WRITER = Writer(
    name="inline-xml",
    suffix=SUFFIX,
    write=write,
    many=True,
    options={"element": "one element for all spans, with the label in its attribute 'type': entity, mention …"},
)
