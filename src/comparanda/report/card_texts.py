"""The texts of a card: made safe, cut to a length that can be read, and cut wherever a mark begins or ends."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.expressions.selection import item_scope, scope
from comparanda.render.table import visible
from comparanda.report.page_data import Side
from comparanda.tasks.spans.examples import runs_leftward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from comparanda.core.text_columns import Column
    from comparanda.core.verdicts import Verdicts
    from comparanda.expressions.selection import Selection
    from comparanda.findings.examples import Example
    from comparanda.report.page_data import ArcMark, ArcWord, Chain, Mark, Ruling
    from comparanda.tasks.spans.examples import Piece, Window


LONGEST = 400
"""How many characters of a text are shown."""

LONGEST_WORD = 80
"""How many characters of a word, a label or a name are shown."""

SPACE = "␣"
"""Stands for white space that belongs to a span."""


def fitted(text: str, most: int = LONGEST) -> str:
    r"""Make a text safe to show; of a long one keep begin and end.

    >>> fitted("a\x1b[31mb"), fitted("x" * 500, 6)
    ('a\\x1b[31mb', 'xxx … (494 more characters) … xxx')
    """
    return visible(text if len(text) <= most else cut_middle(text, most))


def cut_middle(text: str, most: int = LONGEST) -> str:
    """Keep begin and end of a long text, and say how much is left out."""
    left = len(text) - most
    if left <= 0:
        return text
    half = most // 2
    return f"{text[:half]} … ({left:,} more characters) … {text[-half:]}"


def cut_begin(text: str) -> str:
    """Keep the end of a long text."""
    left = len(text) - LONGEST
    return text if left <= 0 else f"({left:,} more characters) … {text[-LONGEST:]}"


def cut_end(text: str) -> str:
    """Keep the begin of a long text.

    >>> cut_end("x" * 500)[395:]
    'xxxxx … (100 more characters)'
    """
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]} … ({left:,} more characters)"


def fitted_word(word: str) -> str:
    """Make a word, or a part of one, safe to show; a mark that would combine with what stands before gets a circle."""
    shown = fitted(word, LONGEST_WORD)
    combines = not shown.isascii() and unicodedata.category(shown[0]).startswith("M")
    return f"◌{shown}" if combines else shown


def short_place(place: str | None) -> str | None:
    """Return file and line without the folders, which are those of the machine that wrote the page.

    >>> short_place("data/key.conllu:12")
    'key.conllu:12'
    """
    return None if place is None else fitted(place.replace("\\", "/").rpartition("/")[2], LONGEST_WORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The words that a card shows.

    Args:
        words: the words, safe to show.
        site: the first and the last word of the site.
        glued: the numbers of those without white space before them.
        before: how many words of the sentence are left out before them.
        after: how many behind them.
        leftward: whether they run from right to left.

    """

    words: tuple[str, ...]
    site: tuple[int, int]
    glued: tuple[int, ...] = ()
    before: int = 0
    after: int = 0
    leftward: bool = False


def line_of(window: Window, glued: Sequence[int], place: int, width: int = 1) -> Line:
    """Return the words of a window as they are, with the site at some rows of its document."""
    words = window.words
    first = min(max(place - window.first, 0), len(words) - 1)
    last = min(max(place + width - 1 - window.first, first), len(words) - 1)
    return Line(
        words=tuple(map(fitted_word, words)),
        site=(first, last),
        glued=tuple(number - 1 for number in glued),
        before=window.words_before,
        after=window.words_after,
        leftward=leftward(words),
    )


def leftward(words: Sequence[str]) -> bool:
    """Whether most words run from right to left."""
    running = sum(runs_leftward(word[:LONGEST_WORD]) for word in words)
    return running > 0 and 2 * running > sum(word[:1].isalpha() for word in words)


class Cutting:
    """Words cut wherever a piece of a span begins or ends inside of one, and which parts pieces then cover.

    White space that belongs to a span, and a span without any character, are parts of their own. A position is the
    number of a word, from 1, and a place in it; -1 is before the white space that it follows.

    Args:
        words: the words, as they are.
        glued: the numbers of those without white space before them.
        pieces: all pieces of spans among them.

    """

    def __init__(self, words: Sequence[str], glued: Iterable[int], pieces: Iterable[Piece]) -> None:
        self._words = words
        self.parts: list[str] = []
        self.glued: list[int] = []
        self._begins: list[tuple[int, int]] = []
        self._ends: list[tuple[int, int]] = []
        cuts: dict[int, set[int]] = {}
        points: set[tuple[int, int]] = set()
        spaced: set[int] = set()
        for piece in pieces:
            begin, end = self._bounds(piece)
            points |= {begin} if begin == end else set()
            spaced |= {begin[0]} if begin[1] < 0 else set()
            spaced |= {end[0]} if piece.after < 0 else set()
            for number, offset in (begin, end):
                cuts.setdefault(number, set()).add(max(offset, 0))
        tight = {*glued, *spaced}
        for number, word in enumerate([*words, ""], start=1):
            if number in spaced:
                self._append(SPACE, (number, -1), (number, 0), tight=True)
            if number <= len(words):
                self._cut(number, word, sorted({0, len(word), *cuts.get(number, ())}), points, tight=number in tight)

    @property
    def size(self) -> int:
        """How many words there were."""
        return len(self._words)

    def place(self, piece: Piece) -> tuple[int, int]:
        """Return the first and the last part of a piece, as far as its words are shown."""
        begin, end = self._bounds(piece)
        first = bisect_left(self._begins, begin) if piece.begin >= 1 else 0
        last = bisect_right(self._ends, end) - 1 if piece.end <= len(self._words) else len(self.parts) - 1
        return first, max(first, last)

    def word(self, number: int) -> tuple[int, int]:
        """Return the first and the last part of a word; of one that is not shown, those of the nearest."""
        shown = min(max(number, 1), len(self._words))
        first = bisect_left(self._begins, (shown, 0))
        return first, max(bisect_left(self._begins, (shown + 1, -1)) - 1, first)

    def _bounds(self, piece: Piece) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the positions of a piece; what its words do not have is not cut off them."""
        begin = piece.begin, max(min(piece.before, self._length(piece.begin)), -1)
        if piece.after < 0:
            return begin, (piece.end + 1, 0)
        return begin, (piece.end, max(self._length(piece.end) - piece.after, 0))

    def _length(self, number: int) -> int:
        return len(self._words[number - 1]) if 1 <= number <= len(self._words) else 0

    def _cut(self, number: int, word: str, at: list[int], points: set[tuple[int, int]], *, tight: bool) -> None:
        """Add the parts of a word between some places in it."""
        if not word:
            self._append(" ", (number, 0), (number, 0), tight=tight)
            return
        for begin, end in pairwise([*at, len(word)]):
            if (number, begin) in points:
                self._append("", (number, begin), (number, begin), tight=tight or begin > 0)
                tight = True
            if begin < end:
                self._append(fitted_word(word[begin:end]), (number, begin), (number, end), tight=tight or begin > 0)

    def _append(self, part: str, begin: tuple[int, int], end: tuple[int, int], *, tight: bool) -> None:
        if tight:
            self.glued.append(len(self.parts))
        self.parts.append(part)
        self._begins.append(begin)
        self._ends.append(end)


# What the sides of a card say, and which runs say the same.


FEW_RUNS = 8
"""Up to so many runs a card shows what they say around a site; of more, what they say at the site alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What is shown of one side, beside its value; `alone` tells one that cannot be compared with others."""

    marks: tuple[Mark, ...] = ()
    arcs: tuple[ArcMark, ...] = ()
    chain: Chain | None = None
    verdict: str = ""
    alone: int | None = None

    def is_same(self, key: Saying) -> bool:
        """Whether nothing of it is unlike the key's."""
        return (self.marks, self.arcs, self.chain) == (key.marks, key.arcs, key.chain)


NOTHING_MORE = Saying()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What a card shows beside the values: the words, what each side says of them, and what rules said.

    Args:
        line: the words; None where there are none.
        key: what the key says.
        runs: what each run says, in their order.
        ends: the words at which arcs begin and end.
        rulings: what rules made of items.
        undrawn: what else is there, in words.

    """

    line: Line | None
    key: Saying
    runs: tuple[Saying, ...]
    ends: tuple[ArcWord, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    undrawn: str = ""

    def with_verdicts(self, verdicts: Sequence[str]) -> Drawing:
        """Return the same with what rules made of an item in each run."""
        said = tuple(replace(each, verdict=verdict) for each, verdict in zip(self.runs, verdicts, strict=True))
        return replace(self, runs=said)


def bare(runs: int) -> Drawing:
    """Return the drawing of a site of which nothing is shown but values."""
    return Drawing(line=None, key=NOTHING_MORE, runs=(NOTHING_MORE,) * runs)


def sides_of(example: Example, runs: Sequence[int], drawing: Drawing) -> tuple[Side, ...]:
    """Return the key's side, then those of the runs, in the order of the first run of each."""
    together: dict[tuple[str, bool, Saying], list[int]] = {}
    for number, (answer, saying) in enumerate(zip(example.answers, drawing.runs, strict=True)):
        together.setdefault((answer.value, answer.right, saying), []).append(number)
    key = _side(example.key, drawing.key)
    return key, *(
        _side(
            value,
            saying,
            tuple(runs[number] for number in mine),
            right,
            same=right and saying.is_same(drawing.key),
            places=tuple(short_place(example.answers[number].place) or "" for number in mine),
        )
        for (value, right, saying), mine in together.items()
    )


def _side(
    value: str,
    saying: Saying,
    runs: tuple[int, ...] = (),
    right: bool | None = None,
    *,
    same: bool = False,
    places: tuple[str, ...] = (),
) -> Side:
    return Side(
        value=fitted(value),
        runs=runs,
        right=right,
        same=same,
        places=places if any(places) else (),
        verdict=saying.verdict,
        marks=() if same else saying.marks,
        arcs=() if same else saying.arcs,
        chain=None if same else saying.chain,
    )


# What slices are made by, as it stands on cards: one text for each attribute of a row.


OF_WORDS = frozenset({"word", "text", "lemma", "form"})
"""The attributes that hold words of the corpus."""

MISSING = "(none)"


class Attributes:
    """Writes the attributes of rows of a selection; "" for those that its rows do not have.

    Args:
        verdicts: the judge's work.
        selection: the rows.
        names: the attributes, in order.
        text: whether words of the corpus may be among them.

    """

    def __init__(self, verdicts: Verdicts, selection: Selection, names: Sequence[str], *, text: bool) -> None:
        view = selection.view
        ground = item_scope(verdicts, view) if selection.of == "items" else scope(verdicts, view)
        self._writers = [
            _writer(ground.column(name)) if name in ground.types and (text or name not in OF_WORDS) else _nothing
            for name in names
        ]

    def of(self, row: int) -> tuple[str, ...]:
        """Return what a row has."""
        return tuple(write(row) for write in self._writers)


def _nothing(row: int) -> str:
    del row
    return ""


def _writer(column: Column) -> Callable[[int], str]:
    """Return what writes the values of a column, as tables of slices write them."""
    if isinstance(column, TextColumn):
        return lambda row: MISSING if column.is_missing(row) else fitted(column[row], LONGEST_WORD)
    if column.dtype == np.bool_:
        return lambda row: "yes" if column[row] else "no"
    return lambda row: MISSING if np.isnan(column[row]) else written(float(column[row]))


def written(number: float) -> str:
    """Write a number as short as it can be read back.

    >>> written(3.0), written(0.25)
    ('3', '0.25')
    """
    return str(int(number)) if number.is_integer() else repr(number)
