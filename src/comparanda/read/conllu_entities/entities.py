"""Brackets in MISC read as spans of words, as CorefUD and GUM write entities in CoNLL-U."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Fragments, Spans
from comparanda.errors import ReadError, UsageError, nearest
from comparanda.ids import joined
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.conllu_entities.brackets import (
    CHAINS,
    Bracketed,
    Cell,
    guessed_fields,
    mentions,
    named_fields,
    plain,
)
from comparanda.read.conllu_entities.misc import Misc, misc_values
from comparanda.read.gather import MENDS, mended
from comparanda.read.scan import offset_type
from comparanda.read.standoff import RESERVED
from comparanda.read.values import unwritable

if TYPE_CHECKING:
    from comparanda.columns import Column
    from comparanda.corpus import Corpus
    from comparanda.read.request import Request

BRACKET_OPTIONS: Mapping[str, str] = {
    "entities": "spans: the key in MISC whose brackets are spans (Entity, if the file has it and no column is named), "
    "or none",
    "fields": "spans: the fields of brackets, for a file that does not name them: eid-etype-head-other",
    "label": "spans: the field of brackets that is the label (etype)",
}

KEY = "Entity"
NO_BRACKETS = "none"
NO_LABEL = "ENTITY"
"""The label of spans that have none."""

_LABELS = ("etype", "entity")
_IDS = ("identity",)
_BETWEEN_IDS = re.compile(",(?!_)")  # titles of Wikipedia have a comma and an underscore: Tulsa,_Oklahoma


def chosen_key(source: Source, request: Request) -> str | None:
    """Return the key in MISC whose brackets are the spans; None if a column of tags holds them."""
    asked = request.options.get("entities")
    if "column" in request.options and request.options.keys() & BRACKET_OPTIONS.keys():
        raise UsageError("?column= names chunk tags, so there are no brackets to be read", hint="leave one of them out")
    if asked is not None:
        return None if asked == NO_BRACKETS else asked
    if request.options.keys() & BRACKET_OPTIONS.keys():
        return KEY
    if "column" in request.options or request.value is not None:
        return None
    there = re.compile(rb"^(?:[0-9][^\n]*[\t|]|# ?global\.)%b *=" % KEY.encode(), re.MULTILINE)
    return KEY if there.search(source.data, 0, source.size) else None


def with_entities(corpus: Corpus, request: Request, key: str) -> Corpus:
    """Return a corpus with the spans that the brackets of a key stand for, counted in rows."""
    source = corpus.source
    sections = _Sections(source, request, key)
    cells = [each for each in misc_values(corpus, key) if each.value != "_"]
    if not cells and not sections.headers:
        hint = f"name the key that has them: ::conllu?entities=KEY; {KEY} is usual"
        raise ReadError(f"no line has {key!r} in MISC", where=source.parts[0].name, hint=hint)
    fields = sections.fields(cells)
    gathered = _Gathered(source, request.options.get("label"))
    for document, some in _by_document(corpus, zip(cells, fields, strict=True)):
        found = mentions(
            source, ((Cell(each.value, each.place, each.first, each.behind), names) for each, names in some)
        )
        gathered.add(document, int(corpus.row_documents[document]), found)
    notes = [*corpus.notes, *sections.notes]
    ranges = [each.place for each in cells if each.behind > each.first + 1]
    if ranges:
        what = "brackets on lines of ranges, read as those of all their words"
        notes.append(Note(request.side, what, len(ranges), first_places(source, np.array(ranges[:3]))))
    if gathered.empty:
        what = "spans of empty nodes alone, which cover no word, left out"
        notes.append(Note(request.side, what, len(gathered.empty), first_places(source, np.array(gathered.empty[:3]))))
    spans, mends = gathered.spans(request.side)
    return replace(corpus, spans=spans, judged=gathered.judged, notes=(*notes, *mends))


def _by_document(
    corpus: Corpus, cells: Iterator[tuple[Misc, Sequence[str]]]
) -> Iterator[tuple[int, Iterator[tuple[Misc, Sequence[str]]]]]:
    """Give the cells of each document."""
    given = list(cells)
    near = np.array([each.near for each, _ in given], np.int64)
    numbers = iter((np.searchsorted(corpus.row_documents, near, side="right") - 1).tolist())
    yield from groupby(given, key=lambda _: next(numbers))


class _Sections:
    """What headers say of the fields: each holds from its line on, up to the next one or the end of its file."""

    def __init__(self, source: Source, request: Request, key: str) -> None:
        self.source = source
        self.request = request
        self.key = key
        self.notes: list[Note] = []
        header = re.compile(rb"^# ?global\.%b *= *([^\n]*?) *$" % re.escape(key.encode()), re.MULTILINE)
        self.headers = [
            (each.start(), named_fields(str(each[1], "utf-8"))) for each in header.finditer(source.data, 0, source.size)
        ]

    def fields(self, cells: Sequence[Misc]) -> list[Sequence[str]]:
        """Return the names of the fields of each cell."""
        if asked := self.request.options.get("fields"):
            return [named_fields(asked)] * len(cells)
        files: list[tuple[int, Sequence[str]]] = [(part.begin, ()) for part in self.source.parts]
        sections = sorted([*files, *self.headers])  # a header in the first line stands behind the file's begin
        places = [place for place, _ in sections]
        found = [sections[bisect_right(places, each.place) - 1][1] for each in cells]
        if all(found):
            return found
        bare = [each for each, names in zip(cells, found, strict=True) if not names]
        guessed = guessed_fields(each.value for each in bare)
        what = f"brackets without a line '# global.{self.key}' before them, read as {'-'.join(guessed)}"
        first = first_places(self.source, np.array([each.place for each in bare[:3]]))
        self.notes.append(Note(self.request.side, what, len(bare), first))
        return [names or guessed for names in found]


class _Gathered:
    """The spans of all documents, and what is said of them.

    Args:
        source: where they stand.
        label: the field that the user wants for the label.

    """

    def __init__(self, source: Source, label: str | None) -> None:
        self.source = source
        self.asked = label
        self.judged = label or _LABELS[0]
        self.empty: list[int] = []
        self._documents: list[int] = []
        self._pieces: list[list[tuple[int, int]]] = []
        self._places: list[int] = []
        self._labels: list[str] = []
        self._said: dict[str, dict[int, str]] = {}

    def add(self, document: int, base: int, found: Sequence[Bracketed]) -> None:
        """Take the mentions of a document, whose rows begin at `base`."""
        names: Sequence[str] | None = None
        for mention in found:
            if mention.fields is not names:
                names = mention.fields
                column_of = self._columns(mention)
            if not mention.pieces:
                self.empty.append(mention.place)
                continue
            number = len(self._labels)
            self._documents.append(document)
            self._pieces.append([(begin - base, end - base) for begin, end in mention.pieces])
            self._places.append(mention.place)
            self._labels.append(NO_LABEL)
            if mention.chain is not None:
                self._said.setdefault("chain", {})[number] = plain(mention.chain)
            for name, value in mention.values():
                self._say(number, column_of[name], value)

    def _columns(self, mention: Bracketed) -> dict[str, str]:
        """Return what each field is: the label, the id, a column of its name, or nothing more than the chain."""
        fields = mention.fields
        if self.asked is not None and self.asked not in fields:
            raise refuse(
                self.source,
                mention.place,
                f"the brackets have no field {self.asked!r}{nearest(self.asked, fields)}",
                hint=f"their fields: {', '.join(fields)}",
            )
        label = self.asked or next((name for name in _LABELS if name in fields), "")
        columns = {name: f"entity_{name}" if name in RESERVED else name for name in fields}
        return {
            **columns,
            **dict.fromkeys(_IDS, "id"),
            **dict.fromkeys((name for name in CHAINS if name in fields), ""),
            label: "label",
        }

    def _say(self, number: int, column: str, value: str) -> None:
        if column == "id":
            ids = joined(map(plain, _BETWEEN_IDS.split(value)))
            if ids is not None:
                self._said.setdefault("id", {})[number] = ids
            return
        if "%" in value or "&" in value:
            value = plain(value)
            if problem := unwritable(value):
                raise refuse(self.source, self._places[number], f"{problem[0]} in {value!r}", hint=problem[1])
        if column == "label":
            self._labels[number] = value if value.strip() else NO_LABEL
        elif column:
            self._said.setdefault(column, {})[number] = value

    def spans(self, side: str) -> tuple[Spans, list[Note]]:
        """Return the spans, and what was mended in their labels."""
        count, place = len(self._labels), np.array(self._places, np.int64)
        label, notes = TextColumn.of(self._labels), []
        for what, mend in MENDS.items():
            label, rows = mended(label, mend)
            if rows.size:
                notes.append(Note(side, f"labels {what}", len(rows), first_places(self.source, place[rows[:3]])))
        spans = Spans(
            "tokens",
            np.array(self._documents, np.int64),
            np.array([pieces[0][0] for pieces in self._pieces], np.int64),
            np.array([pieces[-1][1] for pieces in self._pieces], np.int64),
            label.sorted(),
            place.astype(offset_type(self.source)),
            self._fragments(),
            {name: _column(name, list(map(values.get, range(count)))) for name, values in self._said.items()},
        )
        return spans, notes

    def _fragments(self) -> Fragments | None:
        several = [
            (number, begin, end)
            for number, pieces in enumerate(self._pieces)
            if len(pieces) > 1
            for begin, end in pieces
        ]
        return Fragments(*np.array(several, np.int64).T) if several else None


def _column(name: str, values: list[str | None]) -> Column:
    """Return what is said of spans as texts; probabilities are numbers, if they are."""
    if name == "probability":
        try:
            return np.array([np.nan if value is None else float(value) for value in values])
        except ValueError:
            pass
    return TextColumn.of(values)
