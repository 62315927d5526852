"""Parsing and writing shared by all XML formats: a stream of events, attributes of spans, escaping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Literal
from xml.parsers import expat

from comparanda.core.ids import BAR, join_ids
from comparanda.core.limits import limit_hint
from comparanda.core.places import make_read_error
from comparanda.errors import WriteError
from comparanda.formats.document_writer import Mention, Passage, Value
from comparanda.formats.standoff import FARTHEST, RESERVED

if TYPE_CHECKING:
    from comparanda.core.places import Source
    from comparanda.errors import ReadError
    from comparanda.formats.standoff import Draft


# XML as a stream of events with byte offsets; malformed or dangerous XML is refused with its position.
#
# Nothing outside the file is ever fetched, entity declarations are refused, and the depth of elements is limited.


Kind = Literal["start", "end", "text"]
Event = tuple[Kind, str, dict[str, str], int]
"""The kind; the name of the element, or the text; the attributes of a start; and the byte offset in the source."""

_CHUNK = 1 << 20
_NO_ATTRIBUTES: dict[str, str] = {}
_EXTERNAL_DTD = re.compile(
    rb"(?>(?:\s+|<\?(?>.*?\?>)|<!--(?>.*?-->))*+)"
    rb"<!DOCTYPE\s+[^\s\[>]+(?P<id>\s+(?:SYSTEM|PUBLIC)(?:\s+(?:\"[^\"]*\"|'[^']*'))+)",
    re.DOTALL,
)
_NAME = re.compile(rb"[^\s<>/]{1,60}")
_PARAMETER = re.compile(rb"%[^\s;%<>\"']{1,60};")
_ENTITY = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);|#)[^\s;<&\"']{0,60};?")

_ESCAPE_HINT = "write < and & in the text as &lt; and &amp;"
_MESSAGES: dict[str, tuple[str, str | None]] = {
    expat.errors.XML_ERROR_INVALID_TOKEN: ("this is not valid XML", _ESCAPE_HINT),
    expat.errors.XML_ERROR_SYNTAX: ("this is not valid XML", "an XML file has a single root element"),
    expat.errors.XML_ERROR_NO_ELEMENTS: ("there is no element in this file", None),
    expat.errors.XML_ERROR_UNCLOSED_TOKEN: ("the XML ends within a tag", "is the file truncated?"),
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION: ("the XML ends within a CDATA section", "is the file truncated?"),
    expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE: ("duplicate attribute in this tag", None),
    expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: (
        "there is content after the end of the root element",
        "an XML file has a single root element",
    ),
    expat.errors.XML_ERROR_BAD_CHAR_REF: ("this number is not a character of XML", None),
}


def read_events(source: Source, number: int, nesting: int) -> Iterator[Event]:
    """Yield the events of one file of a source: starts and ends of elements, and the text between them.

    A text may be split into several events. Comments and processing instructions are skipped.

    Args:
        source: the bytes, which are UTF-8 whatever encoding the file declares.
        number: the number of the file in the source.
        nesting: the maximum depth of elements.

    """
    begin = source.parts[number].begin
    end = source.parts[number + 1].begin if number + 1 < len(source.parts) else source.size
    return _Parser(source, begin, nesting).events(end)


def too_deep(source: Source, place: int, nesting: int) -> ReadError:
    """Make the error for elements that are nested too deeply."""
    what = f"elements are nested more than {nesting:,} deep"
    return make_read_error(source, place, what, hint=f"is an end tag missing? {limit_hint('nesting')}")


def without_line_ends(source: Source) -> Source:
    """Drop the notes on line ends from a source: the XML specification requires that all are read as LF."""
    return replace(source, notes=tuple(note for note in source.notes if not note.what.startswith("CRLF line ends")))


class _Parser:
    """Parses one file into events."""

    def __init__(self, source: Source, begin: int, nesting: int) -> None:
        self.source = source
        self.begin = begin
        self.nesting = nesting
        self.found: list[Event] = []
        self.open: list[tuple[str, int]] = []
        self.expat = expat.ParserCreate("utf-8", intern={})
        self.expat.buffer_text = True
        self.expat.buffer_size = 1 << 16
        self.expat.StartElementHandler = self._start_element
        self.expat.EndElementHandler = self._end_element
        self.expat.CharacterDataHandler = self._add_text
        self.expat.EntityDeclHandler = self._refuse_entity
        self.expat.EndDoctypeDeclHandler = self._refuse_parameter_entities

    def events(self, end: int) -> Iterator[Event]:
        place, size = self.begin, _CHUNK
        for head in self._mask_external_dtd():
            yield from self._parse_chunk(head)
            place += len(head)
        while place < end:
            chunk = bytes(memoryview(self.source.data)[place : min(place + size, end)])
            yield from self._parse_chunk(chunk)
            place += len(chunk)
            size = _CHUNK if self.found else 2 * size  # expat rescans an incomplete token for each chunk
        yield from self._parse_chunk(b"", final=True)

    def _mask_external_dtd(self) -> list[bytes]:
        """Return the beginning of the file with the address of an external DTD blanked out; nothing if there is none.

        The DTD is never read; but if the parser saw the address, it would assume that it defines undefined entities.
        """
        found = _EXTERNAL_DTD.match(self.source.data, self.begin)
        if not found:
            return []
        first, last = found.span("id")
        return [bytes(self.source.data[self.begin : first]), b" " * (last - first)]

    def _parse_chunk(self, data: bytes, *, final: bool = False) -> list[Event]:
        self.found = []
        try:
            self.expat.Parse(data, final)
        except expat.ExpatError as problem:
            raise self._syntax_error(expat.ErrorString(problem.code)) from None
        return self.found

    def _start_element(self, name: str, attributes: dict[str, str]) -> None:
        place = self.begin + self.expat.CurrentByteIndex
        self.open.append((name, place))
        if len(self.open) > self.nesting:
            raise too_deep(self.source, place, self.nesting)
        self.found.append(("start", name, attributes, place))

    def _end_element(self, name: str) -> None:
        self.open.pop()
        self.found.append(("end", name, _NO_ATTRIBUTES, self.begin + self.expat.CurrentByteIndex))

    def _add_text(self, text: str) -> None:
        self.found.append(("text", text, _NO_ATTRIBUTES, 0))

    def _refuse_entity(self, name: str, *_: object) -> None:
        what = f"the DOCTYPE declares the entity {name!r}"
        hint = "replace entities by their content: they are not read, as they could be made to exhaust the memory"
        raise make_read_error(self.source, self.begin + self.expat.CurrentByteIndex, what, hint=hint)

    def _refuse_parameter_entities(self) -> None:
        """Refuse parameter entities: after one, the parser would silently drop undefined entities."""
        end = self.begin + self.expat.CurrentByteIndex
        if found := _PARAMETER.search(self.source.data, self.begin, end):
            what = f"the DOCTYPE refers to the entity {found[0].decode(errors='replace')}"
            raise make_read_error(self.source, found.start(), what, hint="remove the reference: entities are not read")

    def _undefined_error(self, entity: str, index: int) -> ReadError:
        hint = "use &amp; &lt; &gt; &quot; &apos; or a number such as &#233;: no others are defined without a DTD"
        return make_read_error(self.source, self.begin + index, f"the entity {entity} is not defined", hint=hint)

    def _syntax_error(self, message: str) -> ReadError:
        """Make the error for a problem that the parser reports."""
        index = self.expat.ErrorByteIndex
        place = min(self.begin + index, self.source.size - 1)
        if message == expat.errors.XML_ERROR_UNDEFINED_ENTITY:
            found = _ENTITY.search(self.source.data, place)  # for an attribute, the position is that of the tag
            return self._undefined_error(found[0].decode(errors="replace") if found else "of this tag", index)
        details = [f"<{self.open[-1][0]}> at {self.source.locate(self.open[-1][1])} is open"] if self.open else []
        if message == expat.errors.XML_ERROR_TAG_MISMATCH:
            tag = _NAME.match(self.source.data, place)
            closing = "an end tag" if tag is None else f"</{tag[0].decode(errors='replace')}>"
            return make_read_error(self.source, place, f"{closing} does not match the open element", details=details)
        if message == expat.errors.XML_ERROR_NO_ELEMENTS and self.open:
            return make_read_error(
                self.source, place, "the XML ends too early", details=details, hint="is the file truncated?"
            )
        what, hint = _MESSAGES.get(message, (f"this is not valid XML: {message}", None))
        return make_read_error(self.source, place, what, details=details, hint=hint)


# XML attributes, features and the like as columns of spans, renamed where they clash with built-in fields.


OWN = "element_"
"""Prefix for names with a different meaning here: the id of an element is not the id of an entity."""

_CLASHING_NAMES = RESERVED | {"id", "text"}
_PROBABILITY_NAMES = frozenset({"probability", "score"})
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")


def set_value(draft: Draft, span: int, name: str, value: str | int | float | bool) -> None:
    """Set a column value of a span; rename clashing names, and store a `probability` or `score` as a number."""
    plain = name.lower()
    if plain in _PROBABILITY_NAMES and _NUMBER.fullmatch(str(value)) and isfinite(float(value)):
        draft.set_value(span, "probability", float(value))
    elif plain == "confidence":
        draft.set_value(span, plain, value)
    elif value != "":
        far = type(value) is int and abs(value) > FARTHEST
        draft.set_value(span, OWN + name if name in _CLASHING_NAMES else name, str(value) if far else value)


def set_ids(draft: Draft, span: int, value: str) -> None:
    """Set the entity ids of a span: one id, or several separated by bars."""
    if value:
        draft.set_value(span, "id", join_ids(value.split(BAR)))


# Shared by writers of XML: escaping of texts and attributes, checks of what XML cannot hold, file names.


HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

_UNWRITABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_XML_TEXT_NAME = re.compile(r"[^\W\d][\w.-]*")


def escape_content(text: str, document: str) -> str:
    r"""Escape a text for XML; refuse characters that XML cannot contain.

    >>> escape_content("R&D\r\n", "d")
    'R&amp;D&#13;\n'
    """
    if found := _UNWRITABLE.search(text):
        what = f"the character U+{ord(found[0]):04X} in document {document!r} is not allowed in XML"
        raise WriteError(what, hint="remove it first, or write jsonl")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def format_attribute(name: str, text: str, document: str) -> str:
    r"""Format an attribute and its value, with a leading space.

    >>> format_attribute("a", 'x"\ny', "d")
    ' a="x&quot;&#10;y"'
    """
    value = escape_content(text, document).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")
    return f' {name}="{value}"'


def is_name(text: str) -> bool:
    """Whether a text is a valid name of an element or attribute, without a namespace prefix.

    >>> [is_name(each) for each in ("PER", "Zeit/Ort", "a:b", "7", "Größe", "x²")]
    [True, False, False, False, True, False]
    """
    if not _XML_TEXT_NAME.fullmatch(text):
        return False
    if text.isascii():
        return True
    try:  # the letters of XML names differ from those of Python
        expat.ParserCreate().Parse(f"<{text}/>".encode(), True)
    except expat.ExpatError:
        return False
    return True


def format_plain(value: Value) -> str:
    """Format a value as text: booleans in lower case, as in XML.

    >>> format_plain(True), format_plain(0.25), format_plain(3), format_plain("x")
    ('true', '0.25', '3', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def describe_mention(passage: Passage, mention: Mention) -> str:
    """Describe a span for an error message."""
    shown = passage.covered(mention)
    shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
    return f"the span {shown!r} ({mention.label}, {mention.begin}:{mention.end}) of document {passage.name!r}"


def refuse_pieces(passage: Passage, mention: Mention, because: str) -> None:
    """Refuse a discontinuous span."""
    if len(mention.pieces) > 1:
        what = f"{describe_mention(passage, mention)} is in {len(mention.pieces)} pieces, but {because}"
        raise WriteError(what, hint="write jsonl, brat or bioc instead")


def file_name(document: str, suffix: str) -> str:
    """Return the file name of a document, which may include folders; refuse names that are not valid.

    >>> file_name("2020/may/7", ".xml")
    '2020/may/7.xml'
    """
    steps = document.split("/")
    if any(not step.strip() or step.startswith(".") or _UNWRITABLE.search(step) for step in steps):
        what = f"the document name {document!r} is not a valid file name"
        raise WriteError(what, hint="rename it first: each document is written to a file of its own")
    return document + suffix
