"""The texts of a card: escaped, shortened, and split into parts where marks begin or end."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.expressions.selection import item_scope, make_scope
from comparanda.render.table import make_visible
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
"""The number of characters displayed of a text."""

LONGEST_WORD = 80
"""The number of characters displayed of a word, a label or a name."""

SPACE = "␣"
"""The sign for white space that belongs to a span."""


def fit_text(text: str, most: int = LONGEST) -> str:
    r"""Escape a text for display and shorten a long one in the middle.

    >>> fit_text("a\x1b[31mb"), fit_text("x" * 500, 6)
    ('a\\x1b[31mb', 'xxx … (494 more characters) … xxx')
    """
    return make_visible(text if len(text) <= most else cut_middle(text, most))


def cut_middle(text: str, most: int = LONGEST) -> str:
    """Keep the beginning and the end of a long text, and note how many characters are left out."""
    left = len(text) - most
    if left <= 0:
        return text
    half = most // 2
    return f"{text[:half]} … ({left:,} more characters) … {text[-half:]}"


def cut_begin(text: str) -> str:
    """Shorten a long text at its beginning."""
    left = len(text) - LONGEST
    return text if left <= 0 else f"({left:,} more characters) … {text[-LONGEST:]}"


def cut_end(text: str) -> str:
    """Shorten a long text at its end.

    >>> cut_end("x" * 500)[395:]
    'xxxxx … (100 more characters)'
    """
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]} … ({left:,} more characters)"


def fitted_word(word: str) -> str:
    """Escape and shorten a word or a part of one; a leading combining mark gets a dotted circle."""
    shown = fit_text(word, LONGEST_WORD)
    combines = not shown.isascii() and unicodedata.category(shown[0]).startswith("M")
    return f"◌{shown}" if combines else shown


def short_place(place: str | None) -> str | None:
    """Return file and line without folders, which are specific to the machine that wrote the page.

    >>> short_place("data/key.conllu:12")
    'key.conllu:12'
    """
    return None if place is None else fit_text(place.replace("\\", "/").rpartition("/")[2], LONGEST_WORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The words displayed on a card.

    Args:
        words: the words, escaped.
        site: the first and the last word of the site.
        glued: the numbers of the words without preceding white space.
        before: the number of words of the sentence left out before them.
        after: the number of words left out after them.
        leftward: whether they are written from right to left.

    """

    words: tuple[str, ...]
    site: tuple[int, int]
    glued: tuple[int, ...] = ()
    before: int = 0
    after: int = 0
    leftward: bool = False


def line_of(window: Window, glued: Sequence[int], place: int, width: int = 1) -> Line:
    """Return the words of a window, with the site at the given rows of its document."""
    words = window.words
    first = min(max(place - window.first, 0), len(words) - 1)
    last = min(max(place + width - 1 - window.first, first), len(words) - 1)
    return Line(
        words=tuple(map(fitted_word, words)),
        site=(first, last),
        glued=tuple(number - 1 for number in glued),
        before=window.words_before,
        after=window.words_after,
        leftward=is_right_to_left(words),
    )


def is_right_to_left(words: Sequence[str]) -> bool:
    """Whether most words are written from right to left."""
    running = sum(runs_leftward(word[:LONGEST_WORD]) for word in words)
    return running > 0 and 2 * running > sum(word[:1].isalpha() for word in words)


class Cutting:
    """Words split where pieces of spans begin or end inside them, and the parts that each piece covers.

    White space that belongs to a span, and an empty span, are separate parts. A position is the number of a word,
    from 1, and an offset in it; the offset -1 is before the white space that precedes the word.

    Args:
        words: the words, unchanged.
        glued: the numbers of the words without preceding white space.
        pieces: all pieces of spans in these words.

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
                self._split_word(
                    number, word, sorted({0, len(word), *cuts.get(number, ())}), points, tight=number in tight
                )

    @property
    def size(self) -> int:
        """The number of words before splitting."""
        return len(self._words)

    def place(self, piece: Piece) -> tuple[int, int]:
        """Return the first and the last part of a piece, as far as its words are displayed."""
        begin, end = self._bounds(piece)
        first = bisect_left(self._begins, begin) if piece.begin >= 1 else 0
        last = bisect_right(self._ends, end) - 1 if piece.end <= len(self._words) else len(self.parts) - 1
        return first, max(first, last)

    def word(self, number: int) -> tuple[int, int]:
        """Return the first and the last part of a word, or of the nearest displayed one."""
        shown = min(max(number, 1), len(self._words))
        first = bisect_left(self._begins, (shown, 0))
        return first, max(bisect_left(self._begins, (shown + 1, -1)) - 1, first)

    def _bounds(self, piece: Piece) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the positions of a piece, limited to the characters that its words have."""
        begin = piece.begin, max(min(piece.before, self._length(piece.begin)), -1)
        if piece.after < 0:
            return begin, (piece.end + 1, 0)
        return begin, (piece.end, max(self._length(piece.end) - piece.after, 0))

    def _length(self, number: int) -> int:
        return len(self._words[number - 1]) if 1 <= number <= len(self._words) else 0

    def _split_word(self, number: int, word: str, at: list[int], points: set[tuple[int, int]], *, tight: bool) -> None:
        """Append the parts of a word between the given offsets."""
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


# The sides of a card, with identical runs merged.


FEW_RUNS = 8
"""The maximal number of runs whose annotations around a site are displayed; of more, only those at the site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideDrawing:
    """What is drawn for one side besides its value; `alone` is the number of a side not comparable with others."""

    marks: tuple[Mark, ...] = ()
    arcs: tuple[ArcMark, ...] = ()
    chain: Chain | None = None
    verdict: str = ""
    alone: int | None = None

    def is_same(self, key: SideDrawing) -> bool:
        """Whether it equals the key's."""
        return (self.marks, self.arcs, self.chain) == (key.marks, key.arcs, key.chain)


NOTHING_MORE = SideDrawing()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What a card displays besides the values: the words, the annotations of each side, and verdicts of rules.

    Args:
        line: the words; None if there are none.
        key: the annotations of the key.
        runs: the annotations of each run, in their order.
        ends: the words at which arcs begin and end.
        rulings: the verdicts of rules on items.
        undrawn: a description of what is left out.

    """

    line: Line | None
    key: SideDrawing
    runs: tuple[SideDrawing, ...]
    ends: tuple[ArcWord, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    undrawn: str = ""

    def with_verdicts(self, verdicts: Sequence[str]) -> Drawing:
        """Return the same with the verdict of rules on an item in each run."""
        runs = tuple(replace(each, verdict=verdict) for each, verdict in zip(self.runs, verdicts, strict=True))
        return replace(self, runs=runs)


def draw_values_only(runs: int) -> Drawing:
    """Return the drawing of a site that is displayed with values only."""
    return Drawing(line=None, key=NOTHING_MORE, runs=(NOTHING_MORE,) * runs)


def sides_of(example: Example, runs: Sequence[int], drawing: Drawing) -> tuple[Side, ...]:
    """Return the side of the key, then the sides of runs, identical ones merged, in the order of their first runs."""
    together: dict[tuple[str, bool, SideDrawing], list[int]] = {}
    for number, (answer, side) in enumerate(zip(example.answers, drawing.runs, strict=True)):
        together.setdefault((answer.value, answer.right, side), []).append(number)
    key = _build_side(example.key, drawing.key)
    return key, *(
        _build_side(
            value,
            side,
            tuple(runs[number] for number in mine),
            right,
            same=right and side.is_same(drawing.key),
            places=tuple(short_place(example.answers[number].place) or "" for number in mine),
        )
        for (value, right, side), mine in together.items()
    )


def _build_side(
    value: str,
    side: SideDrawing,
    runs: tuple[int, ...] = (),
    right: bool | None = None,
    *,
    same: bool = False,
    places: tuple[str, ...] = (),
) -> Side:
    return Side(
        value=fit_text(value),
        runs=runs,
        right=right,
        same=same,
        places=places if any(places) else (),
        verdict=side.verdict,
        marks=() if same else side.marks,
        arcs=() if same else side.arcs,
        chain=None if same else side.chain,
    )


# Attributes of rows as displayed on cards, by which examples are sliced.


OF_WORDS = frozenset({"word", "text", "lemma", "form"})
"""The attributes that contain words of the corpus."""

MISSING = "(none)"


class Attributes:
    """Formats the attributes of rows of a selection; "" for attributes that its rows do not have.

    Args:
        verdicts: the verdicts of the evaluation.
        selection: the rows.
        names: the attributes, in order.
        text: whether attributes with words of the corpus are included.

    """

    def __init__(self, verdicts: Verdicts, selection: Selection, names: Sequence[str], *, text: bool) -> None:
        view = selection.view
        scope = item_scope(verdicts, view) if selection.of == "items" else make_scope(verdicts, view)
        self._writers = [
            _choose_writer(scope.column(name))
            if name in scope.types and (text or name not in OF_WORDS)
            else _write_nothing
            for name in names
        ]

    def of(self, row: int) -> tuple[str, ...]:
        """Return the attributes of a row."""
        return tuple(write(row) for write in self._writers)


def _write_nothing(row: int) -> str:
    del row
    return ""


def _choose_writer(column: Column) -> Callable[[int], str]:
    """Return the formatter for the values of a column, the same as in tables of slices."""
    if isinstance(column, TextColumn):
        return lambda row: MISSING if column.is_missing(row) else fit_text(column[row], LONGEST_WORD)
    if column.dtype == np.bool_:
        return lambda row: "yes" if column[row] else "no"
    return lambda row: MISSING if np.isnan(column[row]) else format_exact(float(column[row]))


def format_exact(number: float) -> str:
    """Format a number in its shortest exact form.

    >>> format_exact(3.0), format_exact(0.25)
    ('3', '0.25')
    """
    return str(int(number)) if number.is_integer() else repr(number)
