"""PubTator: the title and abstract of an article, one line each, followed by one mention per line.

The format of the biomedical corpora of NCBI (www.ncbi.nlm.nih.gov/CBBresearch/Lu/Demo/tmTools/Format.html). Offsets
count the title, one separating character, and the abstract. Ends are exclusive, although some descriptions differ; this
is checked by the text of mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from comparanda.core.ids import BAR, NIL, join_ids
from comparanda.core.places import make_read_error
from comparanda.errors import WriteError
from comparanda.formats.contract import Format, Request
from comparanda.formats.document_writer import Losses, Mention, Passage, Writer
from comparanda.formats.entity_lines import OFFSET, add_note, lines_of, make_column_error, parse_offset, quote_line
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, requested_offsets

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.places import Source
    from comparanda.errors import ReadError


EXPECTED = "ID<TAB>START<TAB>END<TAB>MENTION<TAB>TYPE<TAB>IDENTIFIER"
BETWEEN = "\n"
"""Separates title and abstract."""

NOT_LINKED, NO_ENTITY = "-", "-1"

_TEXT_LINE = re.compile(r"(?P<id>[^|\t]+)\|(?P<part>[A-Za-z]+)\|")
_PARTS = {"t": "title", "a": "abstract"}
_SEPARATOR = re.compile(r"[;|,]")
_VARIANT = re.compile(r"(?:tmVar:)?[a-z]\|[A-Za-z]+\|.*")


@lru_cache(1 << 14)
def ids_of(written: str) -> str | None:
    """Parse the identifiers of a mention into one string, separated by bars; None if it is not linked.

    >>> ids_of("MESH:D1;MESH:D2"), ids_of("D1|D2"), ids_of("-1"), ids_of("-"), ids_of("c|SUB|G|12|A")
    ('MESH:D1|MESH:D2', 'D1|D2', 'NIL', None, 'c%7CSUB%7CG%7C12%7CA')
    """
    found: list[str] = []
    for part in written.split(";"):
        found += [part] if _VARIANT.fullmatch(part.strip()) else _SEPARATOR.split(part)
    ids = [each.strip() for each in found]
    return join_ids(NIL if each == NO_ENTITY else each for each in ids if each not in {"", NOT_LINKED})


def read(source: Source, request: Request) -> Corpus:
    """Read documents; each begins with its title."""
    check_line_lengths(source, 0, source.size, request.max_line)
    reading = _Reader(source, Draft(source=source, side=request.side, called=lambda _, number: f"mention {number + 1}"))
    for place, line in lines_of(source):
        if "\t" in line.strip() and not _TEXT_LINE.match(line):
            reading.annotation(place, line)
        elif line.strip():
            reading.text(place, line)
        else:
            reading.name = None
    add_note(reading.draft, "relations ignored", reading.ignored)
    offsets = requested_offsets(request.options)
    return reading.draft.corpus(request, name="pubtator", evaluated="type", offsets=offsets)


class _Reader:
    """Reads one input into a draft, with the state of the current document."""

    def __init__(self, source: Source, draft: Draft) -> None:
        self.source = source
        self.draft = draft
        self.name: str | None = None
        self.parts: dict[str, str] = {}
        self.ignored: list[int] = []

    def text(self, place: int, line: str) -> None:
        """Read a title, which starts a document, or an abstract."""
        found = _TEXT_LINE.match(line)
        if found is None or found["part"] not in _PARTS:
            what = "this line is neither title, abstract nor mention"
            hint = f"expected ID|t|TITLE, ID|a|ABSTRACT or {EXPECTED}"
            raise make_read_error(self.source, place, what, details=[quote_line(line)], hint=hint)
        name, part, text = found["id"].strip(), found["part"], line[found.end() :]
        if part == "t":
            self.draft.document(name, place)
            self.draft.texts.append(text)
            self.name, self.parts = name, {part: text}
            return
        if name != self.name:
            raise self._stray_error(place, line, name, "abstract")
        if part in self.parts:
            raise make_read_error(
                self.source, place, f"the document {name!r} has a second {_PARTS[part]}", details=[quote_line(line)]
            )
        self.parts[part] = text
        if text:
            self.draft.texts[-1] += BETWEEN + text

    def annotation(self, place: int, line: str) -> None:
        """Read a mention; count a relation as ignored."""
        fields = line.rstrip("\r").split("\t")
        name = fields[0].strip()
        if name != self.name:
            raise self._stray_error(place, line, name, "annotation")
        if len(fields) in {4, 5} and not OFFSET.fullmatch(fields[1]):
            self.ignored.append(place)
            return
        if not 5 <= len(fields) <= 7 or not fields[4].strip():
            raise make_column_error(self.source, place, line, EXPECTED)
        begin, end = (
            parse_offset(self.source, place, line, fields[1]),
            parse_offset(self.source, place, line, fields[2]),
        )
        span = self.draft.span([(begin, end)], fields[4].strip(), place)
        if fields[3]:
            self.draft.set_value(span, "text", fields[3])
        if len(fields) > 5 and (ids := ids_of(fields[5])) is not None:
            self.draft.set_value(span, "id", ids)
        if len(fields) > 6 and fields[6].strip():
            self.draft.set_value(span, "individual", fields[6])

    def _stray_error(self, place: int, line: str, name: str, what: str) -> ReadError:
        """Make the error for a line that does not belong to the current document."""
        where = f"is in document {self.name!r}" if self.name else "has no title before it"
        problem = f"this {what} of document {name!r} {where}"
        hint = "a document begins with its title, ID|t|TITLE, and ends at an empty line"
        return make_read_error(self.source, place, problem, details=[quote_line(line)], hint=hint)


def sniff(lines: list[str]) -> bool:
    """Whether the first line is a title, and the second an abstract of the same document."""
    rows = [line for line in lines if line.strip()][:2]
    found = [_TEXT_LINE.match(row) for row in rows]
    if not found or not all(found):
        return False
    headers = [(each["id"], each["part"]) for each in found if each]
    return [part for _, part in headers] == ["t", "a"] and len({name for name, _ in headers}) == 1


FORMAT = Format(
    name="pubtator",
    summary="PubTator: titles and abstracts with mentions, their types and identifiers",
    shapes=frozenset({"tokens"}),
    suffixes=(".pubtator",),
    options=OPTION,
    sniff=sniff,
    read=read,
    layers=frozenset({"spans"}),
)


# Writing PubTator: the first line of a text as title, the rest as abstract, and one mention per line.
#
# A text of one line has an empty abstract. Other line breaks are written as spaces, so that offsets remain valid.


INDIVIDUAL = "individual"

_LINE_BREAK = re.compile(r"[\n\r]")
_CONTROL_CHARACTER = re.compile(r"[\t\n\r\0]")
_ESCAPED_BAR = "%7C"


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write documents, separated by empty lines."""
    del options
    yield "", "\n".join("".join(_document(each, losses)) for each in documents)


def _document(passage: Passage, losses: Losses) -> Iterator[str]:
    name = passage.name
    if BAR in name or _CONTROL_CHARACTER.search(name) or name.strip() != name or not name:
        raise WriteError(
            f"the document name {name!r} cannot be written in PubTator", hint="rename it: no bars and no tabs"
        )
    if "\0" in passage.text:
        raise WriteError(f"the text of document {name!r} has a NUL byte, which a text file cannot contain")
    for attribute in passage.attributes:
        losses.lose(f"the attribute {attribute!r} of documents", name)
    title, between, abstract = passage.text.partition(BETWEEN)
    if between and not abstract:
        losses.lose("line breaks after a title without an abstract", name)
    if _LINE_BREAK.search(title) or _LINE_BREAK.search(abstract):
        losses.lose("line breaks in titles and abstracts: written as spaces", name)
    yield f"{name}|t|{_LINE_BREAK.sub(' ', title)}\n{name}|a|{_LINE_BREAK.sub(' ', abstract)}\n"
    for mention in passage.mentions:
        yield _mention_line(passage, mention, losses)


def _mention_line(passage: Passage, mention: Mention, losses: Losses) -> str:
    where = f"in document {passage.name!r}"
    if len(mention.pieces) > 1:
        called = f"the span {mention.label} {mention.begin}:{mention.end} {where}"
        what = f"{called} is in {len(mention.pieces)} pieces, but a line holds one"
        raise WriteError(what, hint="write jsonl or brat instead")
    if _CONTROL_CHARACTER.search(mention.label) or not mention.label.strip():
        raise WriteError(f"the label {mention.label!r} {where} cannot be written in a column", hint="rename it first")
    for name in mention.attributes:
        if name != INDIVIDUAL:
            losses.lose(f"{name!r} of spans", passage.name)
    text = _CONTROL_CHARACTER.sub(" ", passage.covered(mention))
    fields = [passage.name, str(mention.begin), str(mention.end), text, mention.label, _format_ids(mention, where)]
    individual = str(mention.attributes.get(INDIVIDUAL, ""))
    if _CONTROL_CHARACTER.search(individual):
        losses.lose(f"{INDIVIDUAL!r} of spans with tabs or line breaks", passage.name)
    elif individual:
        fields.append(individual)
    return "\t".join(fields) + "\n"


def _format_ids(mention: Mention, where: str) -> str:
    """Format ids; refuse those that would be split when read back."""
    if mention.ids is None:
        return NOT_LINKED
    written = ";".join(NO_ENTITY if id_ == NIL else id_.replace(_ESCAPED_BAR, BAR) for id_ in mention.ids)
    if ids_of(written) != BAR.join(mention.ids) or _CONTROL_CHARACTER.search(written):
        shown = BAR.join(mention.ids)
        raise WriteError(f"the id {shown!r} {where} cannot be written", hint="rename it: no commas, semicolons or tabs")
    return written


WRITER = Writer(name="pubtator", suffix=".pubtator", write=write)
