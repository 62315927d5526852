"""brat: annotations in `.ann` files, the text in a `.txt` file beside each.

Read are the text-bound annotations (T), what notes (#), attributes (A, M) and normalisations (N) say of them, and
nothing else: relations, events and equivalences are passed over and counted. Where chains are asked for, relations (R)
and equivalences (*) that mean coreference tell which annotations are one entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError, UsageError
from comparanda.ids import joined, split
from comparanda.places import Note, Part, Source, first_places, refuse
from comparanda.read.brat_chains import CHAIN_OPTIONS, Links
from comparanda.read.covering import agrees
from comparanda.read.file_names import file_names
from comparanda.read.files import display, matching, text_of
from comparanda.read.offsets import OPTION, asked_offsets
from comparanda.read.request import Format, Request
from comparanda.read.scan import check_line_lengths
from comparanda.read.standoff import Draft, cleaned
from comparanda.remote import path_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.corpus import Corpus

SUFFIX, TEXT_SUFFIX = ".ann", ".txt"

_PIECE = r"-?[0-9]{1,18} -?[0-9]{1,18}"
_TEXT_BOUND = re.compile(rf"(?P<id>T\S+)\t(?P<label>\S+) (?P<extent>{_PIECE}(?:;{_PIECE})*)(?:\t(?P<text>.*))?")
_ATTRIBUTE = re.compile(r"[AM]\S+\t(?P<name>\S+) (?P<target>\S+)(?: (?P<value>.*))?")
_NORMALISATION = re.compile(r"N\S+\t\S+ (?P<target>\S+) (?P<id>\S+)(?:\t.*)?")
_NOTE = re.compile(r"#\S*\t(?P<type>\S+) (?P<target>\S+)(?:\t(?P<text>.*))?")
_PASSED = re.compile(r"(?:R\S+\t\S+ \S+:[^\s:]++ \S+:[^\s:]++\s*|E\S+\t\S+:\S+.*|\*\t\S+ .*)")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
_WELL_KNOWN = ("id", "confidence", "probability")
_ANNOTATOR_NOTES = "AnnotatorNotes"

_FORMS = {
    "T": "T1<TAB>LABEL BEGIN END<TAB>TEXT, of a discontinuous one T1<TAB>LABEL BEGIN END;BEGIN END<TAB>TEXT",
    "A": "A1<TAB>NAME T1 VALUE",
    "M": "M1<TAB>NAME T1 VALUE",
    "N": "N1<TAB>Reference T1 BASE:ID<TAB>TEXT",
    "#": "#1<TAB>AnnotatorNotes T1<TAB>TEXT",
    "R": "R1<TAB>NAME Arg1:T1 Arg2:T2",
    "E": "E1<TAB>NAME:T1 Arg1:T2",
    "*": "*<TAB>NAME T1 T2",
}


def read(source: Source, request: Request) -> Corpus:
    """Read annotations, one file a document; it is called after the file, by its way from the folder that was given."""
    for option in request.options.keys() & CHAIN_OPTIONS.keys() if request.layer != "chains" else ():
        what = f"the option {option!r} says how chains are read, and this task judges none"
        raise UsageError(what, hint="leave it out, or choose the task coref")
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reading(source, request).corpus()


@dataclass(frozen=True, eq=False, slots=True)
class _Document:
    """The annotations of one file, and the text beside it."""

    name: str
    begin: int
    end: int
    text: str | None
    stands: int


@dataclass(frozen=True, slots=True)
class _Span:
    """A text-bound annotation."""

    id: str
    label: str
    pieces: list[tuple[int, int]]
    text: str | None
    place: int
    said: dict[str, list[str | bool]] = field(default_factory=dict)


class _Reading:
    """One input on its way to a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.ids: list[str] = []
        self.notes: list[Note] = []
        self.passed: list[int] = []
        self.links = Links(source, request) if request.layer == "chains" else None

    def corpus(self) -> Corpus:
        documents = list(self._documents())
        spans = [self._spans(document, number) for number, document in enumerate(documents)]
        texts = [document.text for document in documents if document.text is not None]
        self._check_texts(documents, len(texts))
        draft = Draft(self._source(), self.request.side, lambda span, _: self.ids[span])
        draft.texts = self._fitting(texts, spans) if texts else []
        draft.stands = [document.stands for document in documents] if texts else []
        for document, each in zip(documents, spans, strict=True):
            draft.document(document.name, document.begin)
            for span in each:
                self.ids.append(span.id)
                number = draft.span(span.pieces, span.label, span.place)
                for name, values in span.said.items():
                    if (value := _value(name, values)) is not None:
                        draft.say(number, name, value)
                if span.text:
                    draft.say(number, "text", span.text)
        what = "relations, events, equivalences and what is said of them"
        self._note(
            f"{what if self.links is None else 'what is said of relations and events'}, passed over", self.passed
        )
        self._note_lonely_texts()
        draft.notes += [*self.notes, *(() if self.links is None else self.links.finished())]
        offsets = asked_offsets(self.request.options)
        judged = "label" if self.links is None else "chains"
        return draft.corpus(self.request, name="brat", judged=judged, offsets=offsets)

    def _documents(self) -> Iterator[_Document]:
        """Tell the files of annotations from those of texts, which lie behind them."""
        parts = self.source.parts
        ends = [*(part.begin for part in parts[1:]), self.source.size]
        own = [number for number in range(len(parts)) if not _is_text(parts, number)]
        for number, name in zip(own, self._names(own), strict=True):
            text, stands = None, 0
            if number + 1 < len(parts) and _is_text(parts, number + 1):
                text, stands = self._text(parts[number + 1]), parts[number + 1].begin
            yield _Document(name, parts[number].begin, ends[number], text, stands)

    def _text(self, part: Part) -> str:
        text = text_of(part)
        if not self.source.data.startswith(cleaned(text).encode(), part.begin):
            raise ReadError("the file changed while it was being read", where=part.name, hint="run again")
        return text

    def _names(self, own: list[int]) -> list[str]:
        """Name documents by their files of annotations."""
        mine = replace(self.source, parts=tuple(self.source.parts[number] for number in own))
        return file_names(mine, self.request, (SUFFIX,))

    def _spans(self, document: _Document, number: int) -> list[_Span]:
        """Read the lines of one file; a line may speak of one that follows."""
        spans: dict[str, _Span] = {}
        others: list[tuple[int, str]] = []
        begin = document.begin
        for line in str(memoryview(self.source.data)[document.begin : document.end], "utf-8").split("\n"):
            if line.startswith("T"):
                span = self._text_bound(line, begin)
                if span.id in spans:
                    first = self.source.locate(spans[span.id].place)
                    what = f"the annotation {span.id} is there a second time"
                    raise refuse(self.source, begin, what, details=[f"the first stands at {first}"])
                spans[span.id] = span
            elif line.strip():
                others.append((begin, line))
            begin += len(line.encode()) + 1
        for place, line in others:
            self._other(line, place, spans)
        if self.links is None:
            return list(spans.values())
        chains = self.links.chains(spans, number + 1)
        for name, chain in chains.items():
            spans[name].said["chain"] = [chain]
        return [span for span in spans.values() if "chain" in span.said or self.links.keeps(span.place)]

    def _text_bound(self, line: str, place: int) -> _Span:
        found = _TEXT_BOUND.fullmatch(line)
        if not found:
            raise self._malformed(line, place)
        pairs = (piece.split(" ") for piece in found["extent"].split(";"))
        pieces = [(int(begin), int(end)) for begin, end in pairs]
        return _Span(found["id"], found["label"], pieces, found["text"], place)

    def _other(self, line: str, place: int, spans: dict[str, _Span]) -> None:
        """Take over what a line says of a text-bound annotation; pass over relations and the like."""
        kind = line[0]
        pattern = {"A": _ATTRIBUTE, "M": _ATTRIBUTE, "N": _NORMALISATION, "#": _NOTE}.get(kind, _PASSED)
        found = pattern.fullmatch(line)
        if not found:
            raise self._malformed(line, place)
        if pattern is _PASSED or not (target := found["target"]).startswith("T"):
            if self.links is None or not self.links.take(line, place):
                self.passed.append(place)
            return
        if target not in spans:
            what = f"{line.partition(chr(9))[0]} speaks of {target}, which is not in this file"
            raise refuse(self.source, place, what, hint="was the annotation deleted without what was said of it?")
        name: str
        value: str | bool
        if pattern is _ATTRIBUTE:
            name, value = found["name"], found["value"] or True
        elif pattern is _NORMALISATION:
            name, value = "id", found["id"]
        else:
            name, value = ("note" if found["type"] == _ANNOTATOR_NOTES else found["type"]), found["text"] or True
        name = name.lower() if name.lower() in _WELL_KNOWN else name
        spans[target].said.setdefault(name, []).append(value)

    def _malformed(self, line: str, place: int) -> ReadError:
        form = _FORMS.get(line[0])
        what = "this line is no annotation of brat" if form is None else f"this {line[0]} line is malformed"
        shown = line if len(line) <= 80 else line[:79] + "…"
        hint = f"it is written {form}" if form else f"lines begin with one of {' '.join(_FORMS)}"
        return refuse(self.source, place, what, details=[f"it reads {shown!r}"], hint=hint)

    def _check_texts(self, documents: list[_Document], texts: int) -> None:
        """Refuse texts beside some files and not beside others."""
        if not texts or texts == len(documents):
            return
        lacking = next(document for document in documents if document.text is None)
        there = next(document for document in documents if document.text is not None)
        what = f"there is no {TEXT_SUFFIX} file beside this one, but there is one beside that of {there.name!r}"
        where = self.source.parts[self.source.part_of(lacking.begin)].name
        raise ReadError(what, where=where, hint="put the texts beside all files, or beside none")

    def _source(self) -> Source:
        """Return the source without notes on the cleaning of texts: spans may count what was cleaned away."""
        texts = {part.name for number, part in enumerate(self.source.parts) if _is_text(self.source.parts, number)}
        notes = [note for note in self.source.notes if note.first[0].rpartition(":")[0] not in texts]
        return replace(self.source, notes=tuple(notes))

    def _fitting(self, texts: list[str], spans: list[list[_Span]]) -> list[str]:
        """Return the texts as the offsets count them: CRLF as two characters or as one, a byte-order mark or none.

        brat counts everything. Other programs read texts as if lines ended by LF, and annotate these.
        """
        ways: dict[str, Callable[[str], str]] = {"": lambda text: text}
        if any("\r\n" in text for text in texts):
            ways["CRLF"] = lambda text: text.replace("\r\n", "\n")
        if any(text.startswith("\ufeff") for text in texts):
            ways["mark"] = lambda text: text.removeprefix("\ufeff")
        if len(ways) == 3:
            ways["CRLF mark"] = lambda text: ways["mark"](ways["CRLF"](text))
        if len(ways) == 1:
            return texts
        variants = {way: list(map(change, texts)) for way, change in ways.items()}
        best = max(variants, key=lambda way: _agreeing(variants[way], spans))  # of equal ones the first
        if "CRLF" in ways:
            counted = "one character" if "CRLF" in best else "two characters"
            self._note_texts(f"line ends by CRLF in texts, counted as {counted} by the spans", texts, "\r\n")
        if "mark" in ways:
            counted = "not counted" if "mark" in best else "counted as a character"
            self._note_texts(f"byte-order marks in texts, {counted} by the spans", texts, "\ufeff")
        return variants[best]

    def _note_texts(self, what: str, texts: list[str], sought: str) -> None:
        count = sum(text.count(sought) for text in texts)
        own = [part for number, part in enumerate(self.source.parts) if _is_text(self.source.parts, number)]
        places = [part.name for part, text in zip(own, texts, strict=True) if sought in text]
        self.notes.append(Note(self.request.side, what, count, tuple(places[:3])))

    def _note(self, what: str, places: list[int]) -> None:
        if places:
            first = first_places(self.source, np.array(places, np.int64))
            self.notes.append(Note(self.request.side, what, len(places), first))

    def _note_lonely_texts(self) -> None:
        """Note texts without annotations beside them, which brat does not leave."""
        if self.request.folder is None or not self.source.opens:
            return
        read = set(self.source.files)
        lonely = [file for file in matching(path_of(self.request.folder), (TEXT_SUFFIX,)) if display(file) not in read]
        if lonely:
            what = f"{TEXT_SUFFIX} files without a {SUFFIX} file beside them, passed over"
            names = tuple(display(file) for file in lonely[:3])
            self.notes.append(Note(self.request.side, what, len(lonely), names))


def _is_text(parts: tuple[Part, ...], number: int) -> bool:
    """Whether a file is the text that lies beside the file before it."""
    if number == 0:
        return False
    before, name = (parts[each].name.removesuffix(".gz") for each in (number - 1, number))
    return before.removesuffix(SUFFIX) + TEXT_SUFFIX == name and before.endswith(SUFFIX)


def _agreeing(texts: list[str], spans: list[list[_Span]]) -> int:
    """Return how many spans cover the text that they name."""
    return sum(
        span.pieces[-1][1] <= len(text) and agrees([text[begin:end] for begin, end in span.pieces], span.text or "")
        for text, each in zip(texts, spans, strict=True)
        for span in each
    )


def _value(name: str, values: list[str | bool]) -> str | float | bool | None:
    """Return what lines say of a span as one value: of several the texts between bars, and a number where it is one."""
    if name == "id":  # an attribute of this name without a value names no entity
        return joined(each for value in values if isinstance(value, str) for each in split(value))
    if len(values) > 1:
        return "|".join(map(str, values))
    value = values[0]
    probable = name == "probability" and _NUMBER.fullmatch(str(value)) and isfinite(float(value))
    return float(value) if probable else value


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like annotations of brat: one is text-bound, and all begin as annotations do."""
    rows = [line for line in lines if line.strip()]
    return looks_like_brat(rows) and all(row[0] in _FORMS for row in rows)


def looks_like_brat(lines: list[str]) -> bool:
    """Whether one of some lines is a text-bound annotation of brat."""
    return any(_TEXT_BOUND.fullmatch(line) for line in lines)


FORMAT = Format(
    name="brat",
    summary="brat: .ann files with spans, fragments, attributes, ids and chains, the .txt file beside each",
    shapes=frozenset({"tokens"}),
    suffixes=(SUFFIX,),
    options={**OPTION, **CHAIN_OPTIONS},
    sniff=sniff,
    read=read,
    layers=frozenset({"spans", "chains"}),
    beside=(TEXT_SUFFIX,),
)
