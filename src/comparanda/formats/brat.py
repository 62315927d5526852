"""brat: annotations in `.ann` files, the text in a `.txt` file beside each.

Read are the text-bound annotations (T), what notes (#), attributes (A, M) and normalisations (N) say of them, and
nothing else: relations, events and equivalences are passed over and counted. Where chains are asked for, relations (R)
and equivalences (*) that mean coreference tell which annotations are one entity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import NIL, joined, split
from comparanda.core.places import Note, Part, Source, first_places, refuse
from comparanda.core.remote import path_of
from comparanda.errors import ReadError, UsageError, WriteError
from comparanda.formats.contract import Format, Request, choose
from comparanda.formats.document_writer import CHAIN, Losses, Mention, Passage, Writer
from comparanda.formats.files import display, file_names, matching, text_of
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, agrees, asked_offsets, cleaned
from comparanda.formats.word_runs import chain_of, tell_shared_names, without_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.core.corpus import Corpus


# Chains in brat: annotations that relations or equivalences say to be one entity.
#
# An equivalence names all annotations of a chain (`*<TAB>Coreference T1 T4 T7`), or some of them; a relation joins two
# (`R1<TAB>Coref Arg1:T4 Arg2:T1`). Whatever is joined by any way is one chain.


CHAIN_OPTIONS: Mapping[str, str] = {
    "relations": "chains: the types of relations and equivalences that are coreference, with commas between them "
    "(default: Coref, Coreference, Identity, Anaphora, Equiv and the like), or none",
    "alone": "chains: what to do about annotations in no chain: keep (each is a mention alone), drop",
}

# fmt: off
USUAL = frozenset({
    "coref", "coreference", "coreferent", "coreferential", "corefers", "corefer", "corefersto", "coreferswith",
    "identity", "ident", "identical", "anaphora", "anaphor", "anaphoric", "equiv", "sameas",
})
# fmt: on
"""The types that mean coreference, in small letters, without hyphens and underscores."""

NO_TYPE = "none"
_KEEP_OR_DROP = ("keep", "drop")
_RELATION = re.compile(r"(?P<name>R\S*)\t(?P<type>\S+) \S+:(?P<first>[^\s:]++) \S+:(?P<second>[^\s:]++)\s*")
_EQUIVALENCE = re.compile(r"(?P<name>\*)\t(?P<type>\S+) (?P<members>.*)")
_EVENT = re.compile(r"(?P<name>E\S*)\t\S+:(?P<trigger>T\S+)(?:\s.*)?")


class Links:
    """What joins annotations, file by file.

    Args:
        source: the bytes.
        request: what was asked.

    """

    def __init__(self, source: Source, request: Request) -> None:
        self.source, self.side = source, request.side
        asked = request.options.get("relations")
        self.types = USUAL if asked is None else frozenset(filter(None, map(_plain, asked.split(","))))
        self.drop = choose(request.options, "alone", _KEEP_OR_DROP) == "drop"
        self._given: list[tuple[int, str, list[str]]] = []
        self._triggers: dict[str, str] = {}
        self._joined = 0
        self._short: list[int] = []
        self._others: Counter[str] = Counter()
        self._other_places: list[int] = []
        self._dropped: list[int] = []

    def take(self, line: str, place: int) -> bool:
        """Take a line that is a relation, an equivalence or an event; return whether it is one of them."""
        if event := _EVENT.fullmatch(line):
            self._triggers[event["name"]] = event["trigger"]
            return True
        relation, equivalence = _RELATION.fullmatch(line), _EQUIVALENCE.fullmatch(line)
        found = relation or equivalence
        if found is None:
            return False
        if _plain(found["type"]) not in self.types:
            self._others[found["type"]] += 1
            self._other_places.append(place)
        elif relation:
            self._given.append((place, relation["name"], [relation["first"], relation["second"]]))
        elif equivalence:
            self._given.append((place, "this line", equivalence["members"].split()))
        return True

    def chains(self, known: Collection[str], number: int) -> dict[str, str]:
        """Return the chain of each annotation of a file that was joined with another, and begin the next file.

        Args:
            known: the annotations of the file.
            number: that of the file: a name of a chain is that of no chain in another file.

        """
        groups = _Groups()
        for place, name, members in self._given:
            annotations = [self._annotation(member, known, name, place) for member in members]
            for other in annotations[1:]:
                groups.join(annotations[0], other)
            if len(annotations) < 2:
                self._short.append(place)
        self._joined += len(self._given)
        self._given, self._triggers = [], {}
        return {name: f"{number}.{groups.first(name)}" for name in known if name in groups}

    def _annotation(self, named: str, known: Collection[str], name: str, place: int) -> str:
        """Return the annotation that a line names: the trigger for an event."""
        found = self._triggers.get(named, named)
        if found not in known:
            what = f"{name} speaks of {named}, which is not in this file"
            raise refuse(self.source, place, what, hint="was the annotation deleted without what was said of it?")
        return found

    def keeps(self, place: int) -> bool:
        """Whether an annotation in no chain is a mention."""
        if self.drop:
            self._dropped.append(place)
        return not self.drop

    def finished(self) -> list[Note]:
        """Return what was met; refuse an input all of whose relations are of types that are not known."""
        if self._others and not self._joined and NO_TYPE not in self.types:
            types = [name for name, _ in self._others.most_common()]
            what = f"no relation is coreference: there are {', '.join(types[:5])}{' …' if len(types) > 5 else ''}"
            hint = f"say which types are: ?relations={types[0]}, or that none is: ?relations={NO_TYPE}"
            raise refuse(self.source, self._other_places[0], what, hint=hint)
        kinds = {
            f"relations of other types, passed over ({', '.join(sorted(self._others)[:5])})": self._other_places,
            "equivalences of fewer than two annotations, which join nothing": self._short,
            "annotations in no chain, left out": self._dropped,
        }
        notes = [
            Note(self.side, what, len(places), first_places(self.source, np.array(places, np.int64)))
            for what, places in kinds.items()
            if places
        ]
        if not self._joined:
            notes.append(Note(self.side, "inputs in which no relation is coreference: every mention is alone", 1))
        return notes


def _plain(name: str) -> str:
    """Return a type in the form in which types are compared.

    >>> _plain("Same_As"), _plain("COREF")
    ('sameas', 'coref')
    """
    return name.strip().casefold().replace("_", "").replace("-", "")


class _Groups:
    """Names in groups that grow together.

    >>> groups = _Groups()
    >>> groups.join("T3", "T1"); groups.join("T4", "T5"); groups.join("T5", "T3")
    >>> groups.first("T5"), groups.first("T1"), "T9" in groups
    ('T4', 'T4', False)
    """

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._above

    def join(self, one: str, other: str) -> None:
        """Make two groups one."""
        first, second = self.first(one), self.first(other)
        self._above[second] = first

    def first(self, name: str) -> str:
        """Return the name that a group is known by."""
        self._above.setdefault(name, name)
        while (above := self._above[name]) != name:
            self._above[name] = self._above[above]  # halve the way
            name = above
        return name


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


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Document:
    """The annotations of one file, and the text beside it."""

    name: str
    begin: int
    end: int
    text: str | None
    stands: int


@dataclass(frozen=True, slots=True, kw_only=True)
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
        draft = Draft(source=self._source(), side=self.request.side, called=lambda span, _: self.ids[span])
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
            yield _Document(name=name, begin=parts[number].begin, end=ends[number], text=text, stands=stands)

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
        return _Span(id=found["id"], label=found["label"], pieces=pieces, text=found["text"], place=place)

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


# brat: a `.ann` file with the spans of each document, and the text in a `.txt` file beside it.


_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_LINE_END = re.compile(r"[\r\n]")
_WRITE_WELL_KNOWN = frozenset({"id", "confidence", "probability"})
_LONGEST = 250

COREFERENCE = "Coreference"
"""What the lines of chains are called."""


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write two files a document, called after it."""
    given = [without_words(each, losses) for each in documents]
    tell_shared_names((each for each in given if each.chained), losses)
    for passage in given:
        _check_name(passage.name)
        for attribute in passage.attributes:
            losses.lose(f"the attribute {attribute!r} of documents", passage.name)
        yield passage.name + SUFFIX, "".join(f"{line}\n" for line in _lines(passage, losses, options.get("base")))
        yield passage.name + TEXT_SUFFIX, passage.text


def _check_name(name: str) -> None:
    """Refuse a name that no file can have, or that would not be read back."""
    reason = None
    if found := _NOT_IN_NAMES.search(name):
        reason = f"{found[0]!r} cannot stand in the name of a file"
    elif any(step in {"", ".", ".."} for step in name.split("/")):
        reason = "it is no way to a file in a folder"
    elif any(step.startswith(".") for step in name.split("/")):
        reason = "files whose name begins with a dot are hidden"
    elif any(step.endswith((SUFFIX, TEXT_SUFFIX)) for step in name.split("/")[:-1]):
        reason = f"a folder would end in {SUFFIX} or {TEXT_SUFFIX}"
    elif any(len(step.encode()) > _LONGEST for step in name.split("/")):
        reason = "it is too long for the name of a file"
    if reason:
        what = f"the document {name[:80]!r} cannot be written as a file of brat"
        raise WriteError(what, details=[reason], hint="rename the document, or choose a format that has one file")


def _lines(passage: Passage, losses: Losses, base: str | None) -> Iterator[str]:
    """Give the lines of a document: of each span its T line, then what is said of it; the chains last."""
    numbers = {"A": 0, "N": 0, "#": 0}
    for number, mention in enumerate(passage.mentions, 1):
        if re.search(r"\s", mention.label):
            what = f"the label {mention.label!r} has white space, which labels of brat cannot have"
            details = [f"document {passage.name!r}"]
            raise WriteError(what, details=details, hint="rename the label, or choose another format")
        pieces = ";".join(f"{begin} {end}" for begin, end in mention.pieces)
        yield f"T{number}\t{mention.label} {pieces}\t{_one_line(passage.covered(mention))}"
        for kind, content in _said(passage, mention=mention, target=f"T{number}", losses=losses, base=base):
            numbers[kind] += 1
            yield f"{kind}{numbers[kind]}\t{content}"
    if passage.chained:
        yield from _chains(passage)


def _chains(passage: Passage) -> Iterator[str]:
    """Give the lines that say which mentions are one entity; those that are alone need none."""
    found: dict[str, list[str]] = {}
    for number, mention in enumerate(passage.mentions, 1):
        if (name := chain_of(mention)) is not None:
            found.setdefault(name, []).append(f"T{number}")
    return (f"*\t{COREFERENCE} {' '.join(each)}" for each in found.values() if len(each) > 1)


def _said(
    passage: Passage, mention: Mention, target: str, losses: Losses, *, base: str | None
) -> Iterator[tuple[str, str]]:
    """Give the lines that speak of a span, each as its kind and what stands behind the tab.

    brat writes ids as BASE:ID. Others are attributes, which read back as they are, unless the user names the base.
    """
    for id_ in mention.ids or ():
        full = id_ if base is None or ":" in id_ or id_ == NIL else f"{base}:{id_}"
        if ":" in full and not re.search(r"\s", full):
            yield "N", f"Reference {target} {full}\t{_one_line(passage.covered(mention))}"
        elif _LINE_END.search(full):
            losses.lose("ids with line ends", passage.name)
        else:
            yield "A", f"id {target} {full}"
    for name, value in mention.said.items():
        if passage.chained and name == CHAIN:
            continue
        if re.search(r"\s", name) or (name.lower() in _WRITE_WELL_KNOWN and name not in _WRITE_WELL_KNOWN):
            losses.lose(f"{name!r} of spans, which is no name for an attribute of brat", passage.name)
        elif isinstance(value, str) and _LINE_END.search(value):
            losses.lose(f"{name!r} of spans with line ends", passage.name)
        elif name == "note":
            yield "#", f"AnnotatorNotes {target}\t{value}"
        elif not isinstance(value, bool):
            yield "A", f"{name} {target} {value}"
        elif value:  # what is not true is not said
            yield "A", f"{name} {target}"


def _one_line(text: str) -> str:
    r"""Return a text as it stands in a line: line ends and tabs are spaces there.

    >>> _one_line("New\r\nYork")
    'New  York'
    """
    return re.sub(r"[\t\r\n]", " ", text)


WRITER = Writer(
    name="brat",
    suffix=SUFFIX,
    write=write,
    many=True,
    layers=frozenset({"spans", "chains"}),
    options={"base": "the knowledge base of ids that name none: Wikidata writes Q60 as Wikidata:Q60"},
)
