"""The mentions of all documents, and what is said of them, on their way to spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.corpus import Fragments, Spans
from comparanda.errors import nearest
from comparanda.ids import joined
from comparanda.places import Note, Source, first_places, refuse
from comparanda.read.conllu_entities.brackets import CHAINS, Bracketed, plain
from comparanda.read.gather import MENDS, mended
from comparanda.read.scan import offset_type
from comparanda.read.standoff import RESERVED
from comparanda.read.values import unwritable

if TYPE_CHECKING:
    from comparanda.columns import Column
    from comparanda.read.conllu_entities.heads import Heads

NO_LABEL = "ENTITY"
"""The label of spans that have none."""

ZERO, HEAD = "zero", "head"
"""What is said of mentions by a number: the empty node that one is, and which of its words is its head, from 1."""

_LABELS = ("etype", "entity")
_IDS = ("identity",)
_BETWEEN_IDS = re.compile(",(?!_)")  # titles of Wikipedia have a comma and an underscore: Tulsa,_Oklahoma


class Gathered:
    """The spans of all documents, and what is said of them.

    Args:
        source: where they stand.
        label: the field that the user wants for the label.
        heads: tells heads of mentions, where these are mentions of chains: then the column `head` has numbers, and
            mentions of empty nodes alone are kept, as spans without length whose column `zero` is the node's number.

    """

    def __init__(self, source: Source, label: str | None, heads: Heads | None = None) -> None:
        self.source = source
        self.asked = label
        self.heads = heads
        self.judged = label or _LABELS[0]
        self.headless: list[int] = []
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
            number, pieces = len(self._labels), mention.pieces
            if not pieces and (mention.zero is None or self.heads is None):
                self.empty.append(mention.place)
                continue
            if not pieces and mention.zero is not None:
                row, node = mention.zero
                pieces = [(row, row)]
                self._said.setdefault(ZERO, {})[number] = str(node)
            self._documents.append(document)
            self._pieces.append([(begin - base, end - base) for begin, end in pieces])
            self._places.append(mention.place)
            self._labels.append(NO_LABEL)
            if mention.chain is not None:
                self._said.setdefault("chain", {})[number] = plain(mention.chain)
            for name, value in mention.values():
                if name == HEAD and self.heads is not None:
                    self._head(number, mention, value)
                else:
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

    def _head(self, number: int, mention: Bracketed, value: str) -> None:
        """Say which of a mention's words is its head; an empty node is none."""
        assert self.heads is not None
        found = self.heads.word(mention, value)
        if found is None:
            self.headless.append(mention.place)
        elif found:
            self._said.setdefault(HEAD, {})[number] = str(found)

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
            {name: self._column(name, list(map(values.get, range(count)))) for name, values in self._said.items()},
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

    def _column(self, name: str, values: list[str | None]) -> Column:
        """Return what is said of spans: texts; probabilities and heads of mentions are numbers, if they are."""
        if self.heads is not None and name in {ZERO, HEAD}:
            return np.array([np.nan if value is None else float(value) for value in values])
        if name == "probability":
            try:
                return np.array([np.nan if value is None else float(value) for value in values])
            except ValueError:
                pass
        return TextColumn.of(values)
