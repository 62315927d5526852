"""Spans in the MISC column of CoNLL-U: brackets, and the text that tells where spaces are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from comparanda.core.limits import raising
from comparanda.core.places import refuse

if TYPE_CHECKING:
    from comparanda.core.places import Source
    from comparanda.errors import ReadError


# Spans written as brackets in cells of words: `(e1-person` opens one, `e1)` closes it, `(e2-place)` does both.
#
# So CorefUD and GUM write entities in the column MISC of CoNLL-U, and CoNLL-2012 chains in its last column. A cell may
# hold several brackets, there may be a bar between two, spans may nest and cross, and a discontinuous one is opened and
# closed once for each part: `(e5[1/2]-event` … `e5[1/2])`. What stands behind the bracket are fields between hyphens,
# which a header names: `eid-etype-head-other`. Characters that have a meaning here are written as `%2D` in fields.
#
# `mentions` knows nothing of columns and labels: it goes through the cells of one document once, whatever their depth.


CHAINS = ("eid", "GRP")
"""The fields that name the entity, the same for all its mentions."""

USUAL: tuple[str, ...] = ("eid", "etype", "head", "other")
"""What fields are where no header names them, and the first looks like an id."""

TYPED: tuple[str, ...] = ("etype", "eid", "other")
"""What fields are where the second looks like an id."""

AHEAD = 1_000_000
"""The number of an empty node that stands before the first word of its sentence is this much larger: that of 0.1 is
1000001. At the same place may stand one behind the last word of the sentence before, as 8.1."""

_BRACKET = re.compile(r"(?:(?<=.)\|)?(?:\((?P<opened>[^()|]+)(?P<closed>\))?|(?P<closing>[^()|]+)\))", re.DOTALL)
_OPENED = re.compile(r"\(([^()|]+)")
_PART = re.compile(r"(?P<name>.+)\[(?P<part>[0-9]{1,6})/(?P<parts>[0-9]{1,6})\]")
_ID = re.compile(r"e?[0-9]+(?:\[[0-9]+/[0-9]+\])?")
_HYPHEN = "&#45;"


class Cell(NamedTuple):
    """The brackets of one line.

    Args:
        text: the brackets.
        place: the byte at which they stand.
        first: the row at which what they open begins.
        behind: the row behind the one at which what they close ends; the same as `first` on a line without a word.
        node: the number of an empty node behind the dot of its id: 1 of 8.1, and see `AHEAD`; 0 for a word.

    """

    text: str
    place: int
    first: int
    behind: int
    node: int = 0


@dataclass(slots=True, kw_only=True)
class Bracketed:
    """A mention.

    Args:
        text: what stands behind its bracket.
        fields: the names of the fields of that.
        chain: the id of its entity, if one of the fields is that.
        place: the byte at which the cell of its first bracket stands.
        pieces: the rows of its parts that have any, first and behind the last; adjacent ones are one.
        zero: where its first empty node stands: the row behind it, and its number; None if it begins with a word.
        cells: the cells that open and close each part.

    """

    text: str
    fields: Sequence[str]
    chain: str | None
    place: int
    pieces: list[tuple[int, int]] = field(default_factory=list)
    zero: tuple[int, int] | None = None
    cells: list[tuple[Cell, Cell]] = field(default_factory=list)

    def values(self) -> Iterator[tuple[str, str]]:
        """Give the fields that are filled by name, as they are written; the last one may hold hyphens."""
        given = self.text.split("-", len(self.fields) - 1)
        return ((name, value) for name, value in zip(self.fields, given, strict=False) if value)


def plain(value: str) -> str:
    """Return a field without escapes.

    >>> plain("Tulsa_%28band%29"), plain("Aix%2Den%2DOthe"), plain("100%")
    ('Tulsa_(band)', 'Aix-en-Othe', '100%')
    """
    return unquote(value.replace(_HYPHEN, "-"))


def escaped(value: str, others: str = "") -> str:
    """Return a field with escapes for all characters that have a meaning in brackets, and for others if need be.

    >>> escaped("Aix-en-Othe (Aube), 100 %")
    'Aix%2Den%2DOthe%20%28Aube%29,%20100%20%25'
    """
    special = re.compile(rf"[\s%&()|\[\]{re.escape('-' + others)}]")
    return special.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), value)


def named_fields(declared: str) -> tuple[str, ...]:
    """Return the names of fields in a header.

    >>> named_fields("eid-etype-head-other")
    ('eid', 'etype', 'head', 'other')
    """
    return tuple(name.strip() for name in declared.split("-"))


def guessed_fields(cells: Iterable[str]) -> tuple[str, ...]:
    """Return the names of fields where no header gives them, by which field looks like an id: a number, or e1.

    >>> guessed_fields(["(e1-person", "e1)"]), guessed_fields(["(place-2", "(place-3)place-2)"])
    (('eid', 'etype', 'head', 'other'), ('etype', 'eid', 'other'))
    >>> guessed_fields(["(place)"])
    ('etype',)
    """
    second = False
    for cell in cells:
        for text in _OPENED.findall(cell):
            first, hyphen, rest = text.partition("-")
            if _ID.fullmatch(first):
                return USUAL
            second = second or (bool(hyphen) and _ID.fullmatch(rest.partition("-")[0]) is not None)
    return TYPED if second else ("etype",)


def chain_fields(cells: Iterable[str]) -> tuple[str, ...]:
    """Return the names of fields where no header gives them, and one of them must be the chain.

    Where not all brackets look alike, or none holds what looks like an id, all that stands behind one is the chain.

    >>> chain_fields(["(12", "12)"]), chain_fields(["(place-2", "(e-3)place-2)"])
    (('eid',), ('etype', 'eid', 'other'))
    >>> chain_fields(["(e1-place-1)"]), chain_fields(["(John-Smith)", "(place-2)"])
    (('eid', 'etype', 'head', 'other'), ('eid',))
    """
    texts = {text for cell in cells for text in _OPENED.findall(cell)}
    fields = [text.split("-") for text in texts if "-" in text]
    if fields and all(_ID.fullmatch(text.partition("-")[0]) for text in texts):
        return USUAL
    if len(fields) == len(texts) > 0 and all(_ID.fullmatch(each[1]) for each in fields):
        return TYPED
    return ("eid",)


def mentions(
    source: Source, cells: Iterable[tuple[Cell, Sequence[str]]], most: int, dropped: list[int] | None = None
) -> list[Bracketed]:
    """Return the mentions of one document, in the order of their first brackets.

    A bracket closes the last one opened of its name: that is the id of the entity, or all that stands behind the
    opening bracket. Whatever does not fit is refused, and so is what is not closed.

    Args:
        source: where the cells stand.
        cells: the cells in order, each with the names of its fields.
        most: how many may be open at once, or begin at one word.
        dropped: if given, brackets that are not closed or not opened are left out, and their places are put here.

    """
    reading = _Reading(source=source, most=most, dropped=dropped)
    for cell, fields in cells:
        reading.read(cell, fields)
    return reading.finished()


class _Open(NamedTuple):
    """A part of a mention that is not closed yet.

    Args:
        mention: the mention.
        names: what may stand before the bracket that closes it.
        cell: the cell that opens it.
        whole: the name that all parts have.
        part: the number of the part, from 1.
        parts: how many there are.

    """

    mention: Bracketed
    names: tuple[str, ...]
    cell: Cell
    whole: str
    part: int = 1
    parts: int = 1


@dataclass(slots=True, kw_only=True)
class _Reading:
    """The brackets of one document.

    Args:
        source: where they stand.
        most: how many may be open at once, or begin at one word.
        dropped: where the places of brackets without a counterpart go; None to refuse them.
        found: the mentions.
        open: what is open, by each of its names; what was closed under its other name is still there.
        opened: the brackets that are open, by number.
        waiting: mentions whose next part is to come, by id, part and number of parts.

    """

    source: Source
    most: int
    dropped: list[int] | None = None
    found: list[Bracketed] = field(default_factory=list)
    open: dict[str, list[int]] = field(default_factory=dict)
    opened: dict[int, _Open] = field(default_factory=dict)
    waiting: dict[tuple[str, int, int], list[Bracketed]] = field(default_factory=dict)
    count: int = 0

    def read(self, cell: Cell, fields: Sequence[str]) -> None:
        """Take the brackets of one cell."""
        end = 0
        if len(cell.text) > self.most and cell.text.count("(") > self.most:
            what = f"more than {self.most:,} spans begin at one word"
            raise refuse(self.source, cell.place, what, hint=raising("open"))
        while bracket := _BRACKET.match(cell.text, end):
            end = bracket.end()
            if bracket["closing"]:
                self._close(cell, bracket["closing"])
            elif bracket["closed"]:
                self._end(self._opening(cell, bracket["opened"], fields), cell)
            else:
                self._open(self._opening(cell, bracket["opened"], fields), cell)
        if end != len(cell.text) or not end:
            raise self._no_brackets(cell, end)

    def finished(self) -> list[Bracketed]:
        """Return the mentions; what is not closed, or lacks parts, is refused or left out."""
        if self.dropped is None:
            for each in self.opened.values():
                what = f"the span {_shown(f'({each.mention.text}')} is not closed"
                hint = f"its document ends without {_shown(f'{each.names[0]})')}"
                raise refuse(self.source, each.mention.place, what, hint=hint)
            for (name, part, parts), left in self.waiting.items():
                for mention in left:
                    what = f"the span {name!r} is in {parts} parts, but part {part} is not there"
                    raise refuse(self.source, mention.place, what)
            return self.found
        lacking = [each.mention for each in self.opened.values()]
        lacking += [mention for left in self.waiting.values() for mention in left]
        self.dropped += [mention.place for mention in lacking]
        gone = set(map(id, lacking))
        return [mention for mention in self.found if id(mention) not in gone]

    def _opening(self, cell: Cell, text: str, fields: Sequence[str]) -> _Open:
        """Begin a mention, or go on with one in parts."""
        given = text.split("-", len(fields) - 1)
        number = _chain_of(tuple(fields))
        number = number if number is not None and number < len(given) else None
        name = given[number or 0]
        names = (name, text) if name != text else (name,)
        if part := _PART.fullmatch(name):
            known = part["name"]
        elif part := _PART.fullmatch(text):
            text, known = part["name"], name
        else:
            return _Open(self._begun(text, fields, None if number is None else name, cell), names, cell, name)
        which, parts = int(part["part"]), int(part["parts"])
        if which == 1 <= parts:
            mention = self._begun(text, fields, None if number is None else known, cell)
        else:
            mention = self._continued(cell, part, which, parts)
        return _Open(mention=mention, names=names, cell=cell, whole=part["name"], part=which, parts=parts)

    def _begun(self, text: str, fields: Sequence[str], chain: str | None, cell: Cell) -> Bracketed:
        zero = (cell.first, cell.node) if cell.node else None
        self.found.append(Bracketed(text=text, fields=fields, chain=chain, place=cell.place, zero=zero))
        return self.found[-1]

    def _continued(self, cell: Cell, part: re.Match[str], which: int, parts: int) -> Bracketed:
        """Return the mention that a part behind the first belongs to."""
        if not 1 <= which <= parts:
            raise refuse(self.source, cell.place, f"{_shown(part[0])} is part {which} of {parts}")
        begun = self.waiting.get((part["name"], which, parts))
        if not begun and self.dropped is not None:
            self.dropped.append(cell.place)
            return Bracketed(text="", fields=(), chain=None, place=cell.place)
        if not begun:
            what = f"{_shown(part[0])} is part {which} of {parts}, but part {which - 1} is not closed before it"
            raise refuse(self.source, cell.place, what)
        return begun.pop()

    def _open(self, one: _Open, cell: Cell) -> None:
        self.count += 1
        self.opened[self.count] = one
        if len(self.opened) > self.most:
            raise refuse(
                self.source, cell.place, f"more than {self.most:,} spans are open at once", hint=raising("open")
            )
        for name in one.names:
            self.open.setdefault(name, []).append(self.count)

    def _close(self, cell: Cell, name: str) -> None:
        numbers = self.open.get(name, [])
        while numbers:
            one = self.opened.pop(numbers.pop(), None)
            if one is not None:
                self._end(one, cell)
                return
        if self.dropped is not None:
            self.dropped.append(cell.place)
            return
        details = []
        if self.opened:
            last = next(reversed(self.opened.values()))
            where = self.source.locate(last.mention.place)
            details = [f"the last one that is open is {_shown(f'({last.mention.text}')}, at {where}"]
        raise refuse(self.source, cell.place, f"{_shown(f'{name})')} closes a span that is not open", details=details)

    def _end(self, one: _Open, cell: Cell) -> None:
        """End a mention, or a part of it."""
        pieces, first, behind = one.mention.pieces, one.cell.first, cell.behind
        one.mention.cells.append((one.cell, cell))
        if behind > first:
            if pieces and pieces[-1][1] >= first:
                pieces[-1] = (pieces[-1][0], max(behind, pieces[-1][1]))
            else:
                pieces.append((first, behind))
        if one.part < one.parts:
            self.waiting.setdefault((one.whole, one.part + 1, one.parts), []).append(one.mention)

    def _no_brackets(self, cell: Cell, end: int) -> ReadError:
        what = f"{_shown(cell.text[end:])} is no bracket" if cell.text else "there are no brackets"
        hint = "a span is opened by (id-type and closed by id), or both at once: (id-type)"
        return refuse(self.source, cell.place, what, hint=hint)


@lru_cache(64)
def _chain_of(fields: tuple[str, ...]) -> int | None:
    """Return the number of the field that names the entity."""
    return next((number for number, name in enumerate(fields) if name in CHAINS), None)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:39]}…")
