"""Spans written as brackets in the cells of words: `(e1-person` opens one, `e1)` closes it, `(e2-place)` does both.

CorefUD and GUM write entities like this in the MISC column of CoNLL-U, and CoNLL-2012 writes chains in its last column.
A cell may hold several brackets, with or without a bar between them. Spans may nest and cross. A discontinuous one is
opened and closed once for each part: `(e5[1/2]-event` … `e5[1/2])`. The opening bracket is followed by fields separated
by hyphens, which a header names: `eid-etype-head-other`. Special characters in fields are escaped: `%2D`.

`read_mentions` does not depend on columns or labels: it reads the cells of a document in a single pass, at any depth
of nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from comparanda.core.limits import limit_hint
from comparanda.core.places import make_read_error

if TYPE_CHECKING:
    from comparanda.core.places import Source
    from comparanda.errors import ReadError


CHAINS = ("eid", "GRP")
"""The fields that identify the entity: the same value for all its mentions."""

USUAL: tuple[str, ...] = ("eid", "etype", "head", "other")
"""The fields if no header names them and the first looks like an id."""

TYPED: tuple[str, ...] = ("etype", "eid", "other")
"""The fields if no header names them and the second looks like an id."""

NO_LABEL = "ENTITY"
"""The label of spans that have none."""

AHEAD = 1_000_000
"""Added to the number of an empty node before the first word of its sentence: that of 0.1 is 1000001. An empty node
after the last word of the previous sentence, such as 8.1, has the same row."""

_BRACKET = re.compile(r"(?:(?<=.)\|)?(?:\((?P<opened>[^()|]+)(?P<closed>\))?|(?P<closing>[^()|]+)\))", re.DOTALL)
_OPENING_TEXT = re.compile(r"\(([^()|]+)")
_PART = re.compile(r"(?P<name>.+)\[(?P<part>[0-9]{1,6})/(?P<parts>[0-9]{1,6})\]")
_ID = re.compile(r"e?[0-9]+(?:\[[0-9]+/[0-9]+\])?")
_HYPHEN = "&#45;"


class Cell(NamedTuple):
    """The brackets of one line.

    Args:
        text: the brackets.
        place: their byte offset.
        first: the row at which opened spans begin.
        stop: the row after the last one of closed spans; equal to `first` on a line without a word.
        node: for an empty node the number after the dot of its id (1 in 8.1), see also `AHEAD`; 0 for a word.

    """

    text: str
    place: int
    first: int
    stop: int
    node: int = 0


@dataclass(slots=True, kw_only=True)
class Bracketed:
    """A mention.

    Args:
        text: the text after its opening bracket.
        fields: the names of the fields in that text.
        chain: the id of its entity, if there is a field for it.
        place: the byte offset of the cell with its first bracket.
        pieces: the rows of its parts, half-open; parts without rows are omitted, adjacent ones merged.
        zero: the position of its first empty node (next row, number of the node); None if it begins with a word.
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
        """Yield the non-empty fields with their names, still escaped; the last one may contain hyphens."""
        given = self.text.split("-", len(self.fields) - 1)
        return ((name, value) for name, value in zip(self.fields, given, strict=False) if value)


def unescape(value: str) -> str:
    """Unescape a field.

    >>> unescape("Tulsa_%28band%29"), unescape("Aix%2Den%2DOthe"), unescape("100%")
    ('Tulsa_(band)', 'Aix-en-Othe', '100%')
    """
    return unquote(value.replace(_HYPHEN, "-"))


def escape(value: str, others: str = "") -> str:
    """Escape all characters of a field that are special in brackets, and any others given.

    >>> escape("Aix-en-Othe (Aube), 100 %")
    'Aix%2Den%2DOthe%20%28Aube%29,%20100%20%25'
    """
    special = re.compile(rf"[\s%&()|\[\]{re.escape('-' + others)}]")
    return special.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), value)


def named_fields(declared: str) -> tuple[str, ...]:
    """Return the field names declared in a header.

    >>> named_fields("eid-etype-head-other")
    ('eid', 'etype', 'head', 'other')
    """
    return tuple(name.strip() for name in declared.split("-"))


def guessed_fields(cells: Iterable[str]) -> tuple[str, ...]:
    """Return the field names if no header declares them, guessed from which field looks like an id: a number, or e1.

    >>> guessed_fields(["(e1-person", "e1)"]), guessed_fields(["(place-2", "(place-3)place-2)"])
    (('eid', 'etype', 'head', 'other'), ('etype', 'eid', 'other'))
    >>> guessed_fields(["(place)"])
    ('etype',)
    """
    second = False
    for cell in cells:
        for text in _OPENING_TEXT.findall(cell):
            first, hyphen, rest = text.partition("-")
            if _ID.fullmatch(first):
                return USUAL
            second = second or (bool(hyphen) and _ID.fullmatch(rest.partition("-")[0]) is not None)
    return TYPED if second else ("etype",)


def chain_fields(cells: Iterable[str]) -> tuple[str, ...]:
    """Return the field names if no header declares them and one of them must be the chain.

    If the brackets differ in form, or none contains what looks like an id, the whole text of a bracket is the chain.

    >>> chain_fields(["(12", "12)"]), chain_fields(["(place-2", "(e-3)place-2)"])
    (('eid',), ('etype', 'eid', 'other'))
    >>> chain_fields(["(e1-place-1)"]), chain_fields(["(John-Smith)", "(place-2)"])
    (('eid', 'etype', 'head', 'other'), ('eid',))
    """
    texts = {text for cell in cells for text in _OPENING_TEXT.findall(cell)}
    fields = [text.split("-") for text in texts if "-" in text]
    if fields and all(_ID.fullmatch(text.partition("-")[0]) for text in texts):
        return USUAL
    if len(fields) == len(texts) > 0 and all(_ID.fullmatch(each[1]) for each in fields):
        return TYPED
    return ("eid",)


def read_mentions(
    source: Source, cells: Iterable[tuple[Cell, Sequence[str]]], most: int, dropped: list[int] | None = None
) -> list[Bracketed]:
    """Return the mentions of one document, in the order of their first brackets.

    A bracket closes the most recently opened span of its name, which is the id of the entity or the whole text after
    the opening bracket. Malformed, unopened and unclosed brackets are refused.

    Args:
        source: the bytes.
        cells: the cells in order, each with the names of its fields.
        most: the maximum number of spans that may be open at once, or begin at one word.
        dropped: if given, unopened and unclosed brackets are left out, and their byte offsets appended here.

    """
    reading = _Parser(source=source, most=most, dropped=dropped)
    for cell, fields in cells:
        reading.read(cell, fields)
    return reading.finish()


class _OpenPart(NamedTuple):
    """A part of a mention that is not closed yet.

    Args:
        mention: the mention.
        names: the names by which a bracket may close it.
        cell: the cell that opens it.
        base_name: the name common to all parts.
        part: the number of the part, from 1.
        parts: the number of parts.

    """

    mention: Bracketed
    names: tuple[str, ...]
    cell: Cell
    base_name: str
    part: int = 1
    parts: int = 1


@dataclass(slots=True, kw_only=True)
class _Parser:
    """Parses the brackets of one document.

    Args:
        source: the bytes.
        most: the maximum number of spans that may be open at once, or begin at one word.
        dropped: collects the byte offsets of brackets without a counterpart; None to refuse them.
        found: the mentions.
        open: the numbers of open parts by name; may still list parts that were closed under their other name.
        opened: the open parts by number.
        waiting: mentions whose next part is still expected, by id, part and number of parts.

    """

    source: Source
    most: int
    dropped: list[int] | None = None
    found: list[Bracketed] = field(default_factory=list)
    open: dict[str, list[int]] = field(default_factory=dict)
    opened: dict[int, _OpenPart] = field(default_factory=dict)
    waiting: dict[tuple[str, int, int], list[Bracketed]] = field(default_factory=dict)
    count: int = 0

    def read(self, cell: Cell, fields: Sequence[str]) -> None:
        """Process the brackets of one cell."""
        end = 0
        if len(cell.text) > self.most and cell.text.count("(") > self.most:
            what = f"more than {self.most:,} spans begin at one word"
            raise make_read_error(self.source, cell.place, what, hint=limit_hint("open"))
        while bracket := _BRACKET.match(cell.text, end):
            end = bracket.end()
            if bracket["closing"]:
                self._pop(cell, bracket["closing"])
            elif bracket["closed"]:
                self._finish_part(self._make_part(cell, bracket["opened"], fields), cell)
            else:
                self._push(self._make_part(cell, bracket["opened"], fields), cell)
        if end != len(cell.text) or not end:
            raise self._malformed_error(cell, end)

    def finish(self) -> list[Bracketed]:
        """Return the mentions; those not closed, or without all their parts, are refused or left out."""
        if self.dropped is None:
            for each in self.opened.values():
                what = f"the span {_quote(f'({each.mention.text}')} is not closed"
                hint = f"its document ends without {_quote(f'{each.names[0]})')}"
                raise make_read_error(self.source, each.mention.place, what, hint=hint)
            for (name, part, parts), left in self.waiting.items():
                for mention in left:
                    what = f"the span {name!r} has {parts} parts, but part {part} is missing"
                    raise make_read_error(self.source, mention.place, what)
            return self.found
        lacking = [each.mention for each in self.opened.values()]
        lacking += [mention for left in self.waiting.values() for mention in left]
        self.dropped += [mention.place for mention in lacking]
        gone = set(map(id, lacking))
        return [mention for mention in self.found if id(mention) not in gone]

    def _make_part(self, cell: Cell, text: str, fields: Sequence[str]) -> _OpenPart:
        """Start a mention, or the next part of one."""
        given = text.split("-", len(fields) - 1)
        number = _chain_index(tuple(fields))
        number = number if number is not None and number < len(given) else None
        name = given[number or 0]
        names = (name, text) if name != text else (name,)
        if part := _PART.fullmatch(name):
            known = part["name"]
        elif part := _PART.fullmatch(text):
            text, known = part["name"], name
        else:
            return _OpenPart(
                self._start_mention(text, fields, None if number is None else name, cell), names, cell, name
            )
        which, parts = int(part["part"]), int(part["parts"])
        if which == 1 <= parts:
            mention = self._start_mention(text, fields, None if number is None else known, cell)
        else:
            mention = self._continue_mention(cell, part, which, parts)
        return _OpenPart(mention=mention, names=names, cell=cell, base_name=part["name"], part=which, parts=parts)

    def _start_mention(self, text: str, fields: Sequence[str], chain: str | None, cell: Cell) -> Bracketed:
        zero = (cell.first, cell.node) if cell.node else None
        self.found.append(Bracketed(text=text, fields=fields, chain=chain, place=cell.place, zero=zero))
        return self.found[-1]

    def _continue_mention(self, cell: Cell, part: re.Match[str], which: int, parts: int) -> Bracketed:
        """Return the mention to which a part other than the first belongs."""
        if not 1 <= which <= parts:
            raise make_read_error(self.source, cell.place, f"{_quote(part[0])} is part {which} of {parts}")
        begun = self.waiting.get((part["name"], which, parts))
        if not begun and self.dropped is not None:
            self.dropped.append(cell.place)
            return Bracketed(text="", fields=(), chain=None, place=cell.place)
        if not begun:
            what = f"{_quote(part[0])} is part {which} of {parts}, but part {which - 1} is not closed before it"
            raise make_read_error(self.source, cell.place, what)
        return begun.pop()

    def _push(self, one: _OpenPart, cell: Cell) -> None:
        self.count += 1
        self.opened[self.count] = one
        if len(self.opened) > self.most:
            raise make_read_error(
                self.source, cell.place, f"more than {self.most:,} spans are open at once", hint=limit_hint("open")
            )
        for name in one.names:
            self.open.setdefault(name, []).append(self.count)

    def _pop(self, cell: Cell, name: str) -> None:
        numbers = self.open.get(name, [])
        while numbers:
            one = self.opened.pop(numbers.pop(), None)
            if one is not None:
                self._finish_part(one, cell)
                return
        if self.dropped is not None:
            self.dropped.append(cell.place)
            return
        details = []
        if self.opened:
            last = next(reversed(self.opened.values()))
            where = self.source.locate(last.mention.place)
            details = [f"the span opened last is {_quote(f'({last.mention.text}')}, at {where}"]
        raise make_read_error(
            self.source, cell.place, f"{_quote(f'{name})')} closes a span that is not open", details=details
        )

    def _finish_part(self, one: _OpenPart, cell: Cell) -> None:
        """Add the rows of a part that was closed to its mention."""
        pieces, first, stop = one.mention.pieces, one.cell.first, cell.stop
        one.mention.cells.append((one.cell, cell))
        if stop > first:
            if pieces and pieces[-1][1] >= first:
                pieces[-1] = (pieces[-1][0], max(stop, pieces[-1][1]))
            else:
                pieces.append((first, stop))
        if one.part < one.parts:
            self.waiting.setdefault((one.base_name, one.part + 1, one.parts), []).append(one.mention)

    def _malformed_error(self, cell: Cell, end: int) -> ReadError:
        what = f"{_quote(cell.text[end:])} is not a bracket" if cell.text else "there are no brackets"
        hint = "write (id-type to open a span, id) to close it, (id-type) to do both"
        return make_read_error(self.source, cell.place, what, hint=hint)


@lru_cache(64)
def _chain_index(fields: tuple[str, ...]) -> int | None:
    """Return the index of the field that identifies the entity."""
    return next((number for number, name in enumerate(fields) if name in CHAINS), None)


def _quote(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:39]}…")
