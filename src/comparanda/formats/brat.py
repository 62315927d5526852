"""brat: standoff annotations in `.ann` files, each with its text in a `.txt` file of the same name.

Text-bound annotations (T) are read, with their notes (#), attributes (A, M) and normalisations (N). Relations, events
and equivalences are ignored and counted, except that for chains, the relations (R) and equivalences (*) that express
coreference determine which annotations corefer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.ids import NIL, join_ids, split_ids
from comparanda.core.places import Note, Part, Source, first_places, make_read_error
from comparanda.core.remote import path_of
from comparanda.errors import ReadError, UsageError, WriteError
from comparanda.formats.contract import Format, Request, choose_option
from comparanda.formats.document_writer import CHAIN, HEAD, ZERO, Losses, Mention, Passage, Writer, lose_type
from comparanda.formats.files import display_name, file_names, list_matching, text_of
from comparanda.formats.scanner import check_line_lengths
from comparanda.formats.standoff import OPTION, Draft, clean_text, covers_stated, requested_offsets
from comparanda.formats.word_runs import chain_of, report_shared_names, without_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from comparanda.core.corpus import Corpus


# Chains in brat: annotations linked by coreference relations or equivalences.
#
# An equivalence lists all annotations of a chain (`*<TAB>Coreference T1 T4 T7`), or some of them; a relation links two
# (`R1<TAB>Coref Arg1:T4 Arg2:T1`). The connected components are the chains.


CHAIN_OPTIONS: Mapping[str, str] = {
    "relations": "chains: the types of relations and equivalences that express coreference, separated by commas "
    "(default: Coref, Coreference, Identity, Anaphora, Equiv and the like), or none",
    "alone": "chains: how to handle annotations in no chain: keep (as singletons), drop",
}

# fmt: off
USUAL = frozenset({
    "coref", "coreference", "coreferent", "coreferential", "corefers", "corefer", "corefersto", "coreferswith",
    "identity", "ident", "identical", "anaphora", "anaphor", "anaphoric", "equiv", "sameas",
})
# fmt: on
"""The types that express coreference, in lower case, without hyphens and underscores."""

NO_TYPE = "none"
_SINGLETON_CHOICES = ("keep", "drop")
_RELATION = re.compile(r"(?P<name>R\S*)\t(?P<type>\S+) \S+:(?P<first>[^\s:]++) \S+:(?P<second>[^\s:]++)\s*")
_EQUIVALENCE = re.compile(r"(?P<name>\*)\t(?P<type>\S+) (?P<members>.*)")
_EVENT = re.compile(r"(?P<name>E\S*)\t\S+:(?P<trigger>T\S+)(?:\s.*)?")


class Links:
    """Collects the coreference links between annotations, file by file.

    Args:
        source: the bytes.
        request: the task's request.

    """

    def __init__(self, source: Source, request: Request) -> None:
        self.source, self.side = source, request.side
        asked = request.options.get("relations")
        self.types = USUAL if asked is None else frozenset(filter(None, map(_normalise_type, asked.split(","))))
        self.drop = choose_option(request.options, "alone", _SINGLETON_CHOICES) == "drop"
        self._links: list[tuple[int, str, list[str]]] = []
        self._triggers: dict[str, str] = {}
        self._link_count = 0
        self._short_places: list[int] = []
        self._other_types: Counter[str] = Counter()
        self._other_places: list[int] = []
        self._dropped_places: list[int] = []

    def add_line(self, line: str, place: int) -> bool:
        """Process a line if it is a relation, an equivalence or an event; return whether it is."""
        if event := _EVENT.fullmatch(line):
            self._triggers[event["name"]] = event["trigger"]
            return True
        relation, equivalence = _RELATION.fullmatch(line), _EQUIVALENCE.fullmatch(line)
        found = relation or equivalence
        if found is None:
            return False
        if _normalise_type(found["type"]) not in self.types:
            self._other_types[found["type"]] += 1
            self._other_places.append(place)
        elif relation:
            self._links.append((place, relation["name"], [relation["first"], relation["second"]]))
        elif equivalence:
            self._links.append((place, "this line", equivalence["members"].split()))
        return True

    def chains(self, known: Collection[str], number: int) -> dict[str, str]:
        """Return the chain of each annotation of a file that is linked to another, and start the next file.

        Args:
            known: the annotations of the file.
            number: the number of the file, which makes chain names unique across files.

        """
        groups = _UnionFind()
        for place, name, members in self._links:
            annotations = [self._resolve_annotation(member, known, name, place) for member in members]
            for other in annotations[1:]:
                groups.join(annotations[0], other)
            if len(annotations) < 2:
                self._short_places.append(place)
        self._link_count += len(self._links)
        self._links, self._triggers = [], {}
        return {name: f"{number}.{groups.first(name)}" for name in known if name in groups}

    def _resolve_annotation(self, named: str, known: Collection[str], name: str, place: int) -> str:
        """Return the annotation that a line refers to; for an event, its trigger."""
        found = self._triggers.get(named, named)
        if found not in known:
            what = f"{name} refers to {named}, which is not in this file"
            raise make_read_error(self.source, place, what, hint="remove this line, or restore the annotation")
        return found

    def keep_singleton(self, place: int) -> bool:
        """Return whether to keep an annotation in no chain as a mention; record it if not."""
        if self.drop:
            self._dropped_places.append(place)
        return not self.drop

    def finish(self) -> list[Note]:
        """Return the notes; refuse an input that has relations, but none of a known coreference type."""
        if self._other_types and not self._link_count and NO_TYPE not in self.types:
            types = [name for name, _ in self._other_types.most_common()]
            what = f"no relation has a coreference type; found: {', '.join(types[:5])}{' …' if len(types) > 5 else ''}"
            hint = f"set the types: ?relations={types[0]}, or ?relations={NO_TYPE} if none is coreference"
            raise make_read_error(self.source, self._other_places[0], what, hint=hint)
        kinds = {
            f"relations of other types ignored ({', '.join(sorted(self._other_types)[:5])})": self._other_places,
            "equivalences of fewer than two annotations ignored": self._short_places,
            "annotations in no chain dropped": self._dropped_places,
        }
        notes = [
            Note(self.side, what, len(places), first_places(self.source, np.array(places, np.int64)))
            for what, places in kinds.items()
            if places
        ]
        if not self._link_count:
            notes.append(Note(self.side, "inputs without coreference relations: every mention is a singleton", 1))
        return notes


def _normalise_type(name: str) -> str:
    """Normalise the name of a type for comparison.

    >>> _normalise_type("Same_As"), _normalise_type("COREF")
    ('sameas', 'coref')
    """
    return name.strip().casefold().replace("_", "").replace("-", "")


class _UnionFind:
    """Disjoint sets of names.

    >>> groups = _UnionFind()
    >>> groups.join("T3", "T1"); groups.join("T4", "T5"); groups.join("T5", "T3")
    >>> groups.first("T5"), groups.first("T1"), "T9" in groups
    ('T4', 'T4', False)
    """

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parents

    def join(self, one: str, other: str) -> None:
        """Merge the sets of two names."""
        first, second = self.first(one), self.first(other)
        self._parents[second] = first

    def first(self, name: str) -> str:
        """Return the name that represents the set of a name."""
        self._parents.setdefault(name, name)
        while (above := self._parents[name]) != name:
            self._parents[name] = self._parents[above]  # path halving
            name = above
        return name


SUFFIX, TEXT_SUFFIX = ".ann", ".txt"

_FRAGMENT = r"-?[0-9]{1,18} -?[0-9]{1,18}"
_TEXT_BOUND = re.compile(rf"(?P<id>T\S+)\t(?P<label>\S+) (?P<extent>{_FRAGMENT}(?:;{_FRAGMENT})*)(?:\t(?P<text>.*))?")
_ATTRIBUTE = re.compile(r"[AM]\S+\t(?P<name>\S+) (?P<target>\S+)(?: (?P<value>.*))?")
_NORMALISATION = re.compile(r"N\S+\t\S+ (?P<target>\S+) (?P<id>\S+)(?:\t.*)?")
_NOTE = re.compile(r"#\S*\t(?P<type>\S+) (?P<target>\S+)(?:\t(?P<text>.*))?")
_IGNORED = re.compile(r"(?:R\S+\t\S+ \S+:[^\s:]++ \S+:[^\s:]++\s*|E\S+\t\S+:\S+.*|\*\t\S+ .*)")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
_LOWERCASE_NAMES = ("id", "confidence", "probability")
_ANNOTATOR_NOTES = "AnnotatorNotes"

_LINE_FORMS = {
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
    """Read annotations, one document per file, named after its path relative to the given folder."""
    for option in request.options.keys() & CHAIN_OPTIONS.keys() if request.layer != "chains" else ():
        what = f"the option {option!r} applies to chains, which this task does not evaluate"
        raise UsageError(what, hint="leave it out, or use the task coref")
    check_line_lengths(source, 0, source.size, request.max_line)
    return _Reader(source, request).corpus()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class _Document:
    """One `.ann` file: its name, its byte range, and its text with the byte offset of that."""

    name: str
    begin: int
    end: int
    text: str | None
    text_offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A text-bound annotation."""

    id: str
    label: str
    pieces: list[tuple[int, int]]
    text: str | None
    place: int
    attributes: dict[str, list[str | bool]] = field(default_factory=dict)


class _Reader:
    """Reads one input into a corpus."""

    def __init__(self, source: Source, request: Request) -> None:
        self.source = source
        self.request = request
        self.ids: list[str] = []
        self.notes: list[Note] = []
        self.ignored: list[int] = []
        self.links = Links(source, request) if request.layer == "chains" else None

    def corpus(self) -> Corpus:
        documents = list(self._pair_files())
        spans = [self._read_spans(document, number) for number, document in enumerate(documents)]
        texts = [document.text for document in documents if document.text is not None]
        self._check_texts(documents, len(texts))
        draft = Draft(
            source=self._source_without_text_notes(), side=self.request.side, called=lambda span, _: self.ids[span]
        )
        draft.texts = self._choose_line_ends(texts, spans) if texts else []
        draft.text_offsets = [document.text_offset for document in documents] if texts else []
        for document, each in zip(documents, spans, strict=True):
            draft.document(document.name, document.begin)
            for span in each:
                self.ids.append(span.id)
                number = draft.span(span.pieces, span.label, span.place)
                for name, values in span.attributes.items():
                    if (value := _combine_values(name, values)) is not None:
                        counted = self.links is not None and name in {HEAD, ZERO} and str(value).isdecimal()
                        draft.set_value(number, name, int(value) if counted else value)
                if span.text:
                    draft.set_value(number, "text", span.text)
        what = "relations, events, equivalences and their attributes"
        self._note(f"{what if self.links is None else 'attributes of relations and events'} ignored", self.ignored)
        self._note_texts_without_annotations()
        draft.notes += [*self.notes, *(() if self.links is None else self.links.finish())]
        offsets = requested_offsets(self.request.options)
        evaluated = "label" if self.links is None else "chains"
        return draft.corpus(self.request, name="brat", evaluated=evaluated, offsets=offsets)

    def _pair_files(self) -> Iterator[_Document]:
        """Yield a document for each `.ann` file, with the text file that follows it in the source, if there is one."""
        parts = self.source.parts
        ends = [*(part.begin for part in parts[1:]), self.source.size]
        own = [number for number in range(len(parts)) if not _is_text(parts, number)]
        for number, name in zip(own, self._document_names(own), strict=True):
            text, text_offset = None, 0
            if number + 1 < len(parts) and _is_text(parts, number + 1):
                text, text_offset = self._read_text(parts[number + 1]), parts[number + 1].begin
            yield _Document(name=name, begin=parts[number].begin, end=ends[number], text=text, text_offset=text_offset)

    def _read_text(self, part: Part) -> str:
        text = text_of(part)
        if not self.source.data.startswith(clean_text(text).encode(), part.begin):
            raise ReadError("the file changed while it was being read", where=part.name, hint="run again")
        return text

    def _document_names(self, own: list[int]) -> list[str]:
        """Name documents after their `.ann` files."""
        mine = replace(self.source, parts=tuple(self.source.parts[number] for number in own))
        return file_names(mine, self.request, (SUFFIX,))

    def _read_spans(self, document: _Document, number: int) -> list[_Span]:
        """Read the lines of one file; a line may refer to a later one."""
        spans: dict[str, _Span] = {}
        others: list[tuple[int, str]] = []
        begin = document.begin
        for line in str(memoryview(self.source.data)[document.begin : document.end], "utf-8").split("\n"):
            if line.startswith("T"):
                span = self._parse_text_bound(line, begin)
                if span.id in spans:
                    first = self.source.locate(spans[span.id].place)
                    what = f"duplicate annotation {span.id}"
                    raise make_read_error(self.source, begin, what, details=[f"the first is at {first}"])
                spans[span.id] = span
            elif line.strip():
                others.append((begin, line))
            begin += len(line.encode()) + 1
        for place, line in others:
            self._read_other_line(line, place, spans)
        if self.links is None:
            return list(spans.values())
        chains = self.links.chains(spans, number + 1)
        for name, chain in chains.items():
            spans[name].attributes["chain"] = [chain]
        return [span for span in spans.values() if "chain" in span.attributes or self.links.keep_singleton(span.place)]

    def _parse_text_bound(self, line: str, place: int) -> _Span:
        found = _TEXT_BOUND.fullmatch(line)
        if not found:
            raise self._malformed_error(line, place)
        pairs = (piece.split(" ") for piece in found["extent"].split(";"))
        pieces = [(int(begin), int(end)) for begin, end in pairs]
        return _Span(id=found["id"], label=found["label"], pieces=pieces, text=found["text"], place=place)

    def _read_other_line(self, line: str, place: int, spans: dict[str, _Span]) -> None:
        """Read an attribute, normalisation or note of a text-bound annotation; count other lines as ignored."""
        kind = line[0]
        pattern = {"A": _ATTRIBUTE, "M": _ATTRIBUTE, "N": _NORMALISATION, "#": _NOTE}.get(kind, _IGNORED)
        found = pattern.fullmatch(line)
        if not found:
            raise self._malformed_error(line, place)
        if pattern is _IGNORED or not (target := found["target"]).startswith("T"):
            if self.links is None or not self.links.add_line(line, place):
                self.ignored.append(place)
            return
        if target not in spans:
            what = f"{line.partition(chr(9))[0]} refers to {target}, which is not in this file"
            raise make_read_error(self.source, place, what, hint="remove this line, or restore the annotation")
        name: str
        value: str | bool
        if pattern is _ATTRIBUTE:
            name, value = found["name"], found["value"] or True
        elif pattern is _NORMALISATION:
            name, value = "id", found["id"]
        else:
            name, value = ("note" if found["type"] == _ANNOTATOR_NOTES else found["type"]), found["text"] or True
        name = name.lower() if name.lower() in _LOWERCASE_NAMES else name
        spans[target].attributes.setdefault(name, []).append(value)

    def _malformed_error(self, line: str, place: int) -> ReadError:
        form = _LINE_FORMS.get(line[0])
        what = "this line is not a brat annotation" if form is None else f"this {line[0]} line is malformed"
        shown = line if len(line) <= 80 else line[:79] + "…"
        hint = f"expected {form}" if form else f"lines begin with one of {' '.join(_LINE_FORMS)}"
        return make_read_error(self.source, place, what, details=[f"it reads {shown!r}"], hint=hint)

    def _check_texts(self, documents: list[_Document], texts: int) -> None:
        """Refuse an input in which some `.ann` files have a text and others do not."""
        if not texts or texts == len(documents):
            return
        lacking = next(document for document in documents if document.text is None)
        there = next(document for document in documents if document.text is not None)
        what = f"there is no {TEXT_SUFFIX} file for this one, but there is one for {there.name!r}"
        where = self.source.parts[self.source.part_of(lacking.begin)].name
        raise ReadError(what, where=where, hint="provide the texts of all files, or of none")

    def _source_without_text_notes(self) -> Source:
        """Return the source without notes on cleaned texts: offsets may count the characters that were removed."""
        texts = {part.name for number, part in enumerate(self.source.parts) if _is_text(self.source.parts, number)}
        notes = [note for note in self.source.notes if note.first[0].rpartition(":")[0] not in texts]
        return replace(self.source, notes=tuple(notes))

    def _choose_line_ends(self, texts: list[str], spans: list[list[_Span]]) -> list[str]:
        """Return the texts as the offsets count them: CRLF as two characters or one, a byte-order mark as one or none.

        brat counts all characters. Other programs convert line ends to LF before annotating.
        """
        conversions: dict[str, Callable[[str], str]] = {"": lambda text: text}
        if any("\r\n" in text for text in texts):
            conversions["CRLF"] = lambda text: text.replace("\r\n", "\n")
        if any(text.startswith("\ufeff") for text in texts):
            conversions["mark"] = lambda text: text.removeprefix("\ufeff")
        if len(conversions) == 3:
            conversions["CRLF mark"] = lambda text: conversions["mark"](conversions["CRLF"](text))
        if len(conversions) == 1:
            return texts
        variants = {way: list(map(change, texts)) for way, change in conversions.items()}
        best = max(variants, key=lambda way: _count_agreeing(variants[way], spans))  # of equal ones the first
        if "CRLF" in conversions:
            counted = "one character" if "CRLF" in best else "two characters"
            self._note_texts(f"CRLF line ends in texts, counted as {counted} in offsets", texts, "\r\n")
        if "mark" in conversions:
            counted = "not counted" if "mark" in best else "counted as a character"
            self._note_texts(f"byte-order marks in texts, {counted} in offsets", texts, "\ufeff")
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

    def _note_texts_without_annotations(self) -> None:
        """Note `.txt` files without an `.ann` file; brat always writes both."""
        if self.request.folder is None or not self.source.opens:
            return
        read = set(self.source.files)
        unpaired = [
            file
            for file in list_matching(path_of(self.request.folder), (TEXT_SUFFIX,))
            if display_name(file) not in read
        ]
        if unpaired:
            what = f"{TEXT_SUFFIX} files without an {SUFFIX} file ignored"
            names = tuple(display_name(file) for file in unpaired[:3])
            self.notes.append(Note(self.request.side, what, len(unpaired), names))


def _is_text(parts: tuple[Part, ...], number: int) -> bool:
    """Whether a file is the text of the `.ann` file before it."""
    if number == 0:
        return False
    before, name = (parts[each].name.removesuffix(".gz") for each in (number - 1, number))
    return before.removesuffix(SUFFIX) + TEXT_SUFFIX == name and before.endswith(SUFFIX)


def _count_agreeing(texts: list[str], spans: list[list[_Span]]) -> int:
    """Count the spans that cover the text stated for them."""
    return sum(
        span.pieces[-1][1] <= len(text)
        and covers_stated([text[begin:end] for begin, end in span.pieces], span.text or "")
        for text, each in zip(texts, spans, strict=True)
        for span in each
    )


def _combine_values(name: str, values: list[str | bool]) -> str | float | bool | None:
    """Combine the values of an attribute into one: several are joined by bars, a probability is a number."""
    if name == "id":  # an attribute of this name without a value names no entity
        return join_ids(each for value in values if isinstance(value, str) for each in split_ids(value))
    if len(values) > 1:
        return "|".join(map(str, values))
    value = values[0]
    probable = name == "probability" and _NUMBER.fullmatch(str(value)) and isfinite(float(value))
    return float(value) if probable else value


def sniff(lines: list[str]) -> bool:
    """Whether the first lines look like brat annotations: all begin like one, and at least one is text-bound."""
    rows = [line for line in lines if line.strip()]
    return looks_like_brat(rows) and all(row[0] in _LINE_FORMS for row in rows)


def looks_like_brat(lines: list[str]) -> bool:
    """Whether any of the lines is a text-bound annotation of brat."""
    return any(_TEXT_BOUND.fullmatch(line) for line in lines)


FORMAT = Format(
    name="brat",
    summary="brat: .ann files with spans, fragments, attributes, ids and chains, each with its .txt file",
    shapes=frozenset({"tokens"}),
    suffixes=(SUFFIX,),
    options={**OPTION, **CHAIN_OPTIONS},
    sniff=sniff,
    read=read,
    layers=frozenset({"spans", "chains"}),
    companions=(TEXT_SUFFIX,),
)


# Writing brat: for each document an `.ann` file with the spans and a `.txt` file with the text.


_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_LINE_END = re.compile(r"[\r\n]")
_RESERVED_NAMES = frozenset({"id", "confidence", "probability"})
_MAX_NAME_BYTES = 250

COREFERENCE = "Coreference"
"""The type of the equivalences written for chains."""


def write(documents: Iterable[Passage], losses: Losses, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Write two files for each document, named after it."""
    given = [without_words(each, losses) for each in documents]
    report_shared_names((each for each in given if each.chained), losses)
    for passage in given:
        _check_name(passage.name)
        for attribute in passage.attributes:
            losses.lose(f"the attribute {attribute!r} of documents", passage.name)
        yield (
            passage.name + SUFFIX,
            "".join(f"{line}\n" for line in _annotation_lines(passage, losses, options.get("base"))),
        )
        yield passage.name + TEXT_SUFFIX, passage.text


def _check_name(name: str) -> None:
    """Refuse a document name that is not a valid file name, or that would not be read back."""
    reason = None
    if found := _NOT_IN_NAMES.search(name):
        reason = f"{found[0]!r} is not allowed in file names"
    elif any(step in {"", ".", ".."} for step in name.split("/")):
        reason = "it is not a valid path"
    elif any(step.startswith(".") for step in name.split("/")):
        reason = "files whose name begins with a dot are hidden"
    elif any(step.endswith((SUFFIX, TEXT_SUFFIX)) for step in name.split("/")[:-1]):
        reason = f"a folder would end in {SUFFIX} or {TEXT_SUFFIX}"
    elif any(len(step.encode()) > _MAX_NAME_BYTES for step in name.split("/")):
        reason = "it is too long for a file name"
    if reason:
        what = f"the document {name[:80]!r} cannot be written as a brat file"
        raise WriteError(what, details=[reason], hint="rename the document, or choose a format with a single file")


def _annotation_lines(passage: Passage, losses: Losses, base: str | None) -> Iterator[str]:
    """Yield the lines of a document: for each span its T line, then its attributes; the chains last."""
    numbers = {"A": 0, "N": 0, "#": 0}
    for number, mention in enumerate(passage.mentions, 1):
        if re.search(r"\s", mention.label):
            what = f"the label {mention.label!r} contains white space, which brat does not allow in labels"
            details = [f"document {passage.name!r}"]
            raise WriteError(what, details=details, hint="rename the label, or choose another format")
        pieces = ";".join(f"{begin} {end}" for begin, end in mention.pieces)
        yield f"T{number}\t{mention.label} {pieces}\t{_replace_line_ends(passage.covered(mention))}"
        for kind, content in _attribute_lines(passage, mention=mention, target=f"T{number}", losses=losses, base=base):
            numbers[kind] += 1
            yield f"{kind}{numbers[kind]}\t{content}"
    if passage.chained:
        yield from _chain_lines(passage)


def _chain_lines(passage: Passage) -> Iterator[str]:
    """Yield an equivalence for each chain; singletons need none."""
    found: dict[str, list[str]] = {}
    for number, mention in enumerate(passage.mentions, 1):
        if (name := chain_of(mention)) is not None:
            found.setdefault(name, []).append(f"T{number}")
    return (f"*\t{COREFERENCE} {' '.join(each)}" for each in found.values() if len(each) > 1)


def _attribute_lines(
    passage: Passage, mention: Mention, target: str, losses: Losses, *, base: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the lines that describe a span, each as its kind and the content after the tab.

    brat writes ids as BASE:ID. Ids without a base are written as attributes, which read back unchanged, unless the
    user names a base.
    """
    for id_ in mention.ids or ():
        full = id_ if base is None or ":" in id_ or id_ == NIL else f"{base}:{id_}"
        if ":" in full and not re.search(r"\s", full):
            yield "N", f"Reference {target} {full}\t{_replace_line_ends(passage.covered(mention))}"
        elif _LINE_END.search(full):
            losses.lose("ids with line ends", passage.name)
        else:
            yield "A", f"id {target} {full}"
    for name, value in mention.attributes.items():
        if passage.chained and name == CHAIN:
            continue
        if re.search(r"\s", name) or (name.lower() in _RESERVED_NAMES and name not in _RESERVED_NAMES):
            losses.lose(f"{name!r} of spans, which is not a valid brat attribute name", passage.name)
        elif isinstance(value, str) and _LINE_END.search(value):
            losses.lose(f"{name!r} of spans with line ends", passage.name)
        elif name == "note":
            yield "#", f"AnnotatorNotes {target}\t{value}"
        elif not isinstance(value, bool):
            if not passage.chained:  # of mentions, heads and zeros are numbers in any case
                lose_type(name, value, passage, losses)
            yield "A", f"{name} {target} {value}"
        elif value:  # a false attribute is not written
            yield "A", f"{name} {target}"


def _replace_line_ends(text: str) -> str:
    r"""Replace each line end and tab by a space.

    >>> _replace_line_ends("New\r\nYork")
    'New  York'
    """
    return re.sub(r"[\t\r\n]", " ", text)


WRITER = Writer(
    name="brat",
    suffix=SUFFIX,
    write=write,
    many=True,
    layers=frozenset({"spans", "chains"}),
    options={"base": "the knowledge base of ids without one: Wikidata writes Q60 as Wikidata:Q60"},
)
