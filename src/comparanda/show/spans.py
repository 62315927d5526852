"""Spans as text: the words of a sentence in a line, below it for each side its spans as brackets under their words.

A span stands in brackets that reach from its first to its last letter, its label inside them, or right behind them
where they are too short. Spans of one side that overlap, and labels that would run into the next span, take further
lines. Long sentences are cut into blocks, one below the other, and with them the spans that stand there.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.cells import cell_len

from comparanda.show.arcs import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from comparanda.comparison.rulers import Piece
    from comparanda.comparison.spans import Span, SpanLine, Stretch

LEGEND = "[──] span, ^ one letter wide, | empty; ·· gap, < > goes on, ×2 twice, ≈ may end inside words; ✗ wrong"
NO_SPANS = "(none)"

_GAP = 2  # between the names of sides and the words
_NAME = 20
_WORD = 30
_LABEL = 32
_NARROWEST = 12  # less would leave nothing of words and labels
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
LEFT_TO_RIGHT = "\u200e"
"""Put before each word, so that a terminal that knows better does not change their order."""


def draw(stretch: Stretch, width: int) -> list[str]:
    r"""Draw the spans of all sides under the words they stand in.

    The words of the site are in brackets. A side with the same spans as one above it says just that. `LEGEND`
    explains the signs to readers.

    >>> from comparanda.comparison.rulers import Piece

    >>> from comparanda.comparison.spans import Span, SpanLine, Stretch
    >>> anna = Span("PER", 1, (Piece(2, 3, 0, 0),), right=True, here=True, loose=False)
    >>> smith = Span("ORG", 1, (Piece(3, 3, 0, 0),), right=False, here=True, loose=False)
    >>> sides = (SpanLine("key", (anna,)), SpanLine("crf", (smith,)), SpanLine("bert", (anna,)))
    >>> words = ("Yesterday", "Anna", "Smith", "left", ".")
    >>> print(*draw(Stretch(words, (5,), 2, 3, 0, 0, sides, (), 0), 80), sep="\n")
          Yesterday [Anna Smith] left.
    key              [PER─────]
    crf                   [───]ORG ✗
    bert  = key
    """
    if not stretch.words:
        return []
    names = [clipped(line.side, min(max(width // 4, _NARROWEST // 2), _NAME)) for line in stretch.sides]
    column = max(map(cell_len, names), default=0) + _GAP
    room = max(width - column, _NARROWEST)
    said = _said(stretch.sides, names)
    drawn = [span for line, each in zip(stretch.sides, said, strict=True) if not each for span in line.spans]
    lines: list[str] = []
    for block in _blocks(_words(stretch, room), drawn, room):
        first = not lines
        lines += [] if first else [""]
        lines += beside("", [block.text], column)
        for name, line, instead in zip(names, stretch.sides, said, strict=True):
            below = _levels(block.marks(line.spans)) if not instead else [instead] if first else []
            lines += beside(name, below, column)
    return lines


def beside(name: str, lines: Iterable[str], column: int) -> Iterator[str]:
    """Put a name before the first of some lines, and as much space before the others."""
    for line in lines:
        yield f"{name}{' ' * (column - cell_len(name))}{line}".rstrip()
        name = ""


def _said(sides: Sequence[SpanLine], names: Sequence[str]) -> list[str]:
    """Return for each side what stands instead of its spans: nothing, or that it has none, or has those of another."""
    said: list[str] = []
    for number, line in enumerate(sides):
        twin = next((name for other, name in zip(sides[:number], names, strict=False) if _equal(other, line)), None)
        said.append(f"= {twin}" if twin is not None else "" if line.spans else NO_SPANS)
    return said


def _equal(one: SpanLine, other: SpanLine) -> bool:
    """Whether two sides have the same spans; of loose ones that are wrong one cannot tell."""
    alike = [(span.label, span.count, span.pieces, span.loose) for span in one.spans]
    if alike != [(span.label, span.count, span.pieces, span.loose) for span in other.spans]:
        return False
    return all(span.right or not span.loose for line in (one, other) for span in line.spans)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word, or a remark on words that are left out.

    Args:
        number: its number, from 1; 0 for a remark.
        given: the word as it is.
        shown: the word as it is drawn.
        cells: how many columns that takes.
        glued: whether there is no white space before it.
        opens: whether the site begins with it.
        closes: whether the site ends with it.

    """

    number: int
    given: str
    shown: str
    cells: int
    glued: bool = False
    opens: bool = False
    closes: bool = False

    @property
    def before(self) -> str:
        """What stands before it."""
        return ("" if self.glued else " ") + ("[" if self.opens else "")


def _words(stretch: Stretch, room: int) -> list[_Word]:
    """Return the words as they are drawn, and before and behind them how many are left out."""
    widest, glued = min(room // 2, _WORD), frozenset(stretch.glued)

    def word(number: int, given: str) -> _Word:
        shown = clipped(given, widest) or " "
        site = number == stretch.begin, number == stretch.end
        return _Word(number, given, shown, max(cell_len(shown), 1), number in glued, *(site if number else ()))

    before, after = stretch.words_before, stretch.words_after
    return [
        *([word(0, f"({before:,} more …)")] if before else []),
        *(word(number, given) for number, given in enumerate(stretch.words, start=1)),
        *([word(0, f"(… {after:,} more)")] if after else []),
    ]


def _blocks(words: Sequence[_Word], spans: Sequence[Span], room: int) -> Iterator[_Block]:
    """Cut words into lines: as many as there is room for, with the labels of their spans; at least one."""
    begin = 0
    while begin < len(words):
        block = _longest(words[begin:], spans, room)
        yield block
        begin += block.size


def _longest(words: Sequence[_Word], spans: Sequence[Span], room: int) -> _Block:
    """Return as many of the first words as there is room for, if possible up to white space."""
    widths = accumulate(len(word.before) + word.cells + word.closes for word in words)
    most = max(sum(width <= room + 1 for width in widths), 1)  # the first needs no space before it
    fitting = None
    for size in range(most, 0, -1):
        block = _Block(words[:size], room)
        if block.width <= room and all(mark.end <= room for mark in block.marks(spans)):
            if size == len(words) or not words[size].glued:
                return block
            fitting = fitting or block
    return fitting or _Block(words[:1], room)


@dataclass(frozen=True, slots=True)
class _Mark:
    """What is drawn of a span in a block: where, how far its brackets and its text reach, and the text itself."""

    left: int
    right: int
    end: int
    text: str

    @property
    def free(self) -> int:
        """Where the next span on the same line may begin."""
        return self.end if self.end == self.right else self.end + 1


class _Block:
    """Some words in a line, and the columns they stand in."""

    def __init__(self, words: Sequence[_Word], room: int) -> None:
        self._label = min(room // 2 - 2, _LABEL)
        self._words = {word.number: word for word in words if word.number}
        self._columns: dict[int, tuple[int, int]] = {}
        self.size, self.text, self.width = len(words), "", 0
        isolated = LEFT_TO_RIGHT if any(runs_leftward(word.shown) for word in words) else ""
        for word in words:
            before = word.before if self.text else word.before.lstrip()
            left = self.width + len(before)
            self._columns[word.number] = left, left + word.cells
            self.text += f"{before}{isolated}{word.shown}{']' if word.closes else ''}"
            self.width = left + word.cells + word.closes

    def marks(self, spans: Iterable[Span]) -> list[_Mark]:
        """Return what is to be drawn of spans, from left to right, the longer first."""
        marks = [mark for span in spans if (mark := self._mark(span)) is not None]
        return sorted(marks, key=lambda mark: (mark.left, -mark.right))

    def _mark(self, span: Span) -> _Mark | None:
        text, inside = self._text(span), False
        first, last = min(self._words, default=0), max(self._words, default=-1)
        here = [piece for piece in span.pieces if piece.begin <= last and piece.end >= first]
        if not here:
            return None
        left = cursor = self._columns[first][0] if here[0] is not span.pieces[0] else self._left(here[0], first)
        drawn = ""
        for piece in here:
            begin = max(self._left(piece, first), cursor)
            end = max(self._right(piece, last), begin + 1)
            fits = not inside and end - begin >= cell_len(text) + 2
            drawn += "·" * (begin - cursor)
            drawn += self._brackets(piece, end - begin, text if fits else "", first, last)
            inside, cursor = inside or fits, end
        if here[-1] is not span.pieces[-1]:
            drawn += "·" * (self._columns[last][1] - cursor)
            cursor = max(cursor, self._columns[last][1])
        return _Mark(left, cursor, cursor if inside else cursor + cell_len(text), drawn + ("" if inside else text))

    def _text(self, span: Span) -> str:
        """Write what is said of a span: its label, how often it is there, and whether it is wrong."""
        sign = ("≈" if span.loose else "") + ("" if span.right else " ✗")
        count = f"×{span.count}" if span.count > 1 else ""
        return clipped(span.label + count, max(self._label - cell_len(sign), 1)) + sign

    def _left(self, piece: Piece, first: int) -> int:
        if piece.begin < first:
            return self._columns[first][0]
        left, right = self._columns[piece.begin]
        if piece.before < 0:
            return left - (piece.begin > first and not self._words[piece.begin].glued)
        return min(left + self._reach(piece.begin, piece.before), right - 1)

    def _right(self, piece: Piece, last: int) -> int:
        if piece.end > last:
            return self._columns[last][1]
        left, right = self._columns[piece.end]
        if piece.after <= 0:
            return right + (piece.after < 0 and piece.end < last and not self._words[piece.end + 1].glued)
        return left + self._reach(piece.end, len(self._words[piece.end].given) - piece.after)

    def _reach(self, number: int, characters: int) -> int:
        """Return how many columns the first characters of a word take."""
        left, right = self._columns[number]
        return cell_len(clipped(self._words[number].given[:characters], right - left)) if characters > 0 else 0

    def _brackets(self, piece: Piece, width: int, text: str, first: int, last: int) -> str:
        """Draw a piece of a span, with a text inside."""
        from_before, goes_on = piece.begin < first, piece.end > last
        if width > 1:
            line = text + "─" * (width - 2 - cell_len(text))
            return f"{'<' if from_before else '['}{line}{'>' if goes_on else ']'}"
        if from_before or goes_on:
            return "─" if from_before and goes_on else "<" if from_before else ">"
        empty = piece.begin == piece.end and piece.before + piece.after == len(self._words[piece.begin].given)
        return "|" if empty else "^"


def _levels(marks: Iterable[_Mark]) -> list[str]:
    """Lay marks side by side, each on the first line where it has room."""
    lines: list[str] = []
    ends: list[int] = []
    free: list[int] = []
    for mark in marks:
        level = next((level for level, begin in enumerate(free) if begin <= mark.left), len(free))
        if level == len(free):
            lines, ends, free = [*lines, ""], [*ends, 0], [*free, 0]
        lines[level] += " " * (mark.left - ends[level]) + mark.text
        ends[level], free[level] = mark.end, mark.free
    return lines


def runs_leftward(text: str) -> bool:
    """Whether a text has letters that run from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
