"""Brackets in MISC read as spans of words, as CorefUD and GUM write entities in CoNLL-U."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from comparanda.errors import ReadError, UsageError
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.conllu_entities.brackets import (
    CHAINS,
    Cell,
    chain_fields,
    guessed_fields,
    mentions,
    named_fields,
)
from comparanda.read.conllu_entities.gathered import Gathered
from comparanda.read.conllu_entities.heads import Heads
from comparanda.read.conllu_entities.misc import Misc, misc_values
from comparanda.read.cuts import UncuttableError
from comparanda.read.request import choose

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.read.request import Request

BRACKET_OPTIONS: Mapping[str, str] = {
    "entities": "spans, chains: the key in MISC whose brackets are spans (Entity, if the file has it and no column is "
    "named), or none",
    "fields": "spans, chains: the fields of brackets, for a file that does not name them: eid-etype-head-other",
    "label": "spans, chains: the field of brackets that is the label (etype)",
    "broken": "spans, chains: what to do about brackets that are not closed or not opened: refuse, drop",
}

BROKEN = ("refuse", "drop")
BROKEN_DROPPED = "brackets that are not closed, or not opened, left out"

KEY = "Entity"
NO_BRACKETS = "none"


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
    found = there.search(source.data, 0, source.size)
    if found is None and source.whole is not None:  # which may have some
        raise UncuttableError(f"a part of {source.parts[0].name} has no {KEY!r} in MISC")
    return None if found is None else KEY


def key_of_chains(request: Request) -> str:
    """Return the key in MISC whose brackets are mentions of chains."""
    asked = request.options.get("entities", KEY)
    if asked == NO_BRACKETS or "column" in request.options:
        option = "entities=none" if asked == NO_BRACKETS else "column"
        raise UsageError(f"chains are read from brackets in MISC, so ?{option} leaves none", hint="leave it out")
    return asked


def with_entities(corpus: Corpus, request: Request, key: str) -> Corpus:
    """Return a corpus with the spans, or mentions of chains, that the brackets of a key stand for, counted in rows."""
    source, chains = corpus.source, request.layer == "chains"
    sections = _Sections(source, request, key)
    cells = [each for each in misc_values(corpus, key) if each.value != "_"]
    if not cells and not sections.headers:
        if source.whole is not None:
            raise UncuttableError(f"a part of {source.parts[0].name} has no {key!r} in MISC")
        hint = f"name the key that has them: ::conllu?entities=KEY; {KEY} is usual"
        raise ReadError(f"no line has {key!r} in MISC", where=source.parts[0].name, hint=hint)
    fields = sections.fields(cells)
    broken: list[int] | None = [] if choose(request.options, "broken", BROKEN) == "drop" else None
    gathered = Gathered(source, request.options.get("label"), Heads.of(corpus) if chains else None)
    for document, some in _by_document(corpus, zip(cells, fields, strict=True)):
        brackets = ((Cell(each.value, each.place, each.first, each.behind, each.node), names) for each, names in some)
        found = mentions(source, brackets, request.limits.open, broken)
        gathered.add(document, int(corpus.row_documents[document]), found)
    ranges = [each.place for each in cells if each.behind > each.first + 1]
    kinds = {
        "brackets on lines of ranges, read as those of all their words": ranges,
        BROKEN_DROPPED: sorted(broken or ()),
        "spans of empty nodes alone, which cover no word, left out": gathered.empty,
        "heads that are the number of no word of their mention, left out": gathered.headless,
    }
    notes = [
        Note(request.side, what, len(places), first_places(source, np.array(places[:3])))
        for what, places in kinds.items()
        if places
    ]
    spans, mends = gathered.spans(request.side)
    judged = "chains" if chains else gathered.judged
    return replace(corpus, spans=spans, judged=judged, notes=(*corpus.notes, *sections.notes, *notes, *mends))


def _by_document(
    corpus: Corpus, cells: Iterator[tuple[Misc, Sequence[str]]]
) -> Iterator[tuple[int, Iterator[tuple[Misc, Sequence[str]]]]]:
    """Give the cells of each document."""
    given = list(cells)
    near = np.minimum(np.array([each.near for each, _ in given], np.int64), len(corpus) - 1)
    numbers = iter((np.searchsorted(corpus.row_documents, near, side="right") - 1).tolist())
    yield from groupby(given, key=lambda _: next(numbers))


class _Sections:
    """What headers say of the fields: each holds from its line on, up to the next one or the end of its file."""

    def __init__(self, source: Source, request: Request, key: str) -> None:
        self.source = source
        self.request = request
        self.key = key
        self.notes: list[Note] = []
        header = re.compile(rb"^# ?global\.%b *=([^\n]*)" % re.escape(key.encode(errors="surrogatepass")), re.MULTILINE)
        self.headers = [
            (each.start(), named_fields(str(each[1].strip(b" "), "utf-8")))
            for each in header.finditer(source.data, 0, source.size)
        ]

    def fields(self, cells: Sequence[Misc]) -> list[Sequence[str]]:
        """Return the names of the fields of each cell."""
        found = self._fields(cells)
        if self.request.layer == "chains":
            for each, names in zip(cells, found, strict=True):
                if not {*CHAINS} & {*names}:
                    what = f"the brackets have no field that names the chain: {'-'.join(names)}"
                    raise refuse(self.source, each.place, what, hint="say which it is: ?fields=etype-eid-other")
        return found

    def _fields(self, cells: Sequence[Misc]) -> list[Sequence[str]]:
        if asked := self.request.options.get("fields"):
            return [named_fields(asked)] * len(cells)
        files: list[tuple[int, Sequence[str]]] = [(part.begin, ()) for part in self.source.parts]
        sections = sorted([*files, *self.headers])  # a header in the first line stands behind the file's begin
        places = [place for place, _ in sections]
        found = [sections[bisect_right(places, each.place) - 1][1] for each in cells]
        if all(found):
            return found
        bare = [each for each, names in zip(cells, found, strict=True) if not names]
        guess = chain_fields if self.request.layer == "chains" else guessed_fields
        guessed = guess(each.value for each in bare)
        what = f"brackets without a line '# global.{self.key}' before them, read as {'-'.join(guessed)}"
        first = first_places(self.source, np.array([each.place for each in bare[:3]]))
        self.notes.append(Note(self.request.side, what, len(bare), first))
        return [names or guessed for names in found]
