"""Examples of spans: the words around a site and the spans of all sides there, as data and as text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.claims import linked_label
from comparanda.core.sites import format_value
from comparanda.core.text_columns import TextColumn
from comparanda.render.text_width import cell_len
from comparanda.tasks.trees.examples import clip_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from comparanda.core.claims import Claims
    from comparanda.core.excerpts import Texts
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.findings.context import Context


MOST_WORDS = 40
"""The number of words around a site to show at most."""

_MARGIN_WORDS = 5  # words to show before and after a site that is too long


@dataclass(frozen=True)
class Piece:
    """A piece of a span: its first and its last word, by their numbers among the words shown, from 1.

    0 is a word before all that are shown, and one more than their number a word after them. Spans with character
    offsets may begin and end inside words: `before` is the number of characters of the first word before the piece,
    `after` the number of characters of the last word after it. Negative numbers count white space inside the piece.
    """

    begin: int
    end: int
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some rows of a document, their words, if it has any, and the number of words omitted from their sentences."""

    document: int
    first: int
    size: int
    words: tuple[str, ...] = ()
    words_before: int = 0
    words_after: int = 0

    @property
    def stop(self) -> int:
        """The row after the last one."""
        return self.first + self.size

    def number(self, row: int) -> int:
        """Convert a row to its number from 1: 0 for all before the window, one more than the last for all after it."""
        return min(max(row - self.first + 1, 0), self.size + 1)


def window_at(texts: Texts, document: int, place: int, width: int) -> Window:
    """Select the words of the sentences that a site spans; of too many, those around its begin."""
    found = texts.sentence(document, place)
    if found is None or not any(found[0]):
        return Window(document=document, first=place, size=min(width, MOST_WORDS))
    words, position = list(found[0]), found[1]
    first = place - position
    while len(words) < position + width and (further := texts.sentence(document, first + len(words))) is not None:
        words += further[0]
    margin = (MOST_WORDS - min(width, MOST_WORDS - 2 * _MARGIN_WORDS)) // 2
    low = max(min(position - margin, len(words) - MOST_WORDS), 0)
    kept = tuple(words[low : low + MOST_WORDS])
    return Window(
        document=document,
        first=first + low,
        size=len(kept),
        words=kept,
        words_before=low,
        words_after=len(words) - low - len(kept),
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a span: its first and last word, by their places in a window, and the positions of its pieces.

    Places below 0, and from the number of words on, are outside of the window.
    """

    first: int
    last: int
    pieces: tuple[tuple[int, int], ...]

    @property
    def begin(self) -> int:
        """The position of its begin."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """The position of its end."""
        return self.pieces[-1][1]


class Ruler:
    """Determines which words of a window spans cover, and how much of them.

    Args:
        window: the words.
        places: the positions of words in units of spans, by their places in the window, as far as known.
        sizes: the length of each word in units of spans.

    """

    def __init__(self, window: Window, places: Mapping[int, int], sizes: Sequence[int]) -> None:
        self._window, self._places, self._sizes = window, places, sizes

    @classmethod
    def of_words(cls, window: Window) -> Ruler:
        """Build the ruler for spans with token offsets."""
        return cls(window, {place: window.first + place for place in range(window.size)}, [1] * window.size)

    @classmethod
    def of_characters(cls, window: Window, spans: Iterable[tuple[Extent, str]]) -> Ruler:
        """Build the ruler for spans with character offsets, from the texts they cover, which locate the words."""
        letters, places = _SolidText(window.words), dict[int, int]()
        for extent, text in spans:
            for place, position in letters.places(extent, text).items():
                places.setdefault(place, position)
        return cls(window, places, [len(word) for word in window.words])

    def pieces(self, extent: Extent) -> tuple[Piece, ...] | None:
        """Compute the pieces of a span; None where they are unknown."""
        found = []
        for begin, end in extent.pieces:
            first, last = self._end_words(begin, end, extent)
            if any(0 <= place < len(self._sizes) and place not in self._places for place in (first, last)):
                return None
            before = begin - self._places[first] if first in self._places else 0
            after = self._places[last] + self._sizes[last] - end if last in self._places else 0
            row = self._window.first
            found.append(Piece(self._window.number(row + first), self._window.number(row + last), before, after))
        return tuple(found)

    def _end_words(self, begin: int, end: int, extent: Extent) -> tuple[int, int]:
        """Find the first and the last word of a piece; for words outside of the window only the side is known."""
        last = extent.last if end == extent.end else self._last_before(end, extent)
        if begin == extent.begin:
            return extent.first, max(extent.first, last)
        first = self._first_after(begin, extent) if last >= 0 else last
        return first, max(first, last)

    def _first_after(self, position: int, extent: Extent) -> int:
        """Find the first word of a span that ends after a position."""
        words = range(max(extent.first, 0), min(extent.last + 1, len(self._sizes)))
        ends = (place for place in words if self._places.get(place, position) + self._sizes[place] > position)
        return next(ends, len(self._sizes))

    def _last_before(self, position: int, extent: Extent) -> int:
        """Find the last word of a span that begins before a position."""
        words = range(max(extent.first, 0), min(extent.last + 1, len(self._sizes)))
        begins = (place for place in reversed(words) if self._places.get(place, position - 1) < position)
        return next(begins, -1)


class _SolidText:
    """The characters of words without white space, in which the texts of spans are searched."""

    def __init__(self, words: Sequence[str]) -> None:
        found = [(place, at, letter) for place, word in enumerate(words) for at, letter in _solid_characters(word)]
        self._text = "".join(letter for _, _, letter in found)
        self._at = [(place, at) for place, at, _ in found]
        self._ends = [0, *accumulate(len(_solid_characters(word)) for word in words)]

    def places(self, extent: Extent, text: str) -> dict[int, int]:
        """Locate the words of a span in its document; empty unless its text occurs exactly once in the window."""
        solid = _solid_characters(text)
        starts = list(self._starts(extent, "".join(letter for _, letter in solid)))
        if len(starts) != 1:
            return {}
        places: dict[int, int] = {}
        for number, (offset, _) in enumerate(solid, start=starts[0]):
            if 0 <= number < len(self._at):
                place, at = self._at[number]
                places.setdefault(place, extent.begin + offset - at)
        return places

    def _starts(self, extent: Extent, sought: str) -> Iterator[int]:
        """Yield the possible starts of a text that reaches from the first into the last word of a span."""
        size = len(self._ends) - 1
        first, last = max(extent.first, 0), min(extent.last, size - 1)
        low, high = self._ends[first], self._ends[last + 1]
        if not sought:
            return
        if extent.first >= 0:
            for start in range(low, self._ends[first + 1]):
                end = start + len(sought)
                inside = self._ends[last] < end <= high if extent.last < size else end > high
                if inside and sought.startswith(self._text[start : min(end, high)]):
                    yield start
        elif extent.last < size:
            for end in range(self._ends[last] + 1, high + 1):
                if sought.endswith(self._text[low:end]):
                    yield end - len(sought)
        else:
            yield from (-match.start() for match in re.finditer(f"(?={re.escape(self._text)})", sought))


def _solid_characters(text: str) -> list[tuple[int, str]]:
    """List the characters of a text other than white space and byte-order marks, each with its place."""
    return [(place, letter) for place, letter in enumerate(text) if not letter.isspace() and letter != "\ufeff"]


def glued_in(texts: Texts, window: Window) -> tuple[int, ...]:
    """Find the words of a window that follow the previous one without white space, by their numbers from 1.

    This is known only for running text: tokens in files are separated by spaces.
    """
    if not window.words or not any(part.running for part in texts.parts):
        return ()
    line = texts.covered(window.document, window.first, window.size)
    return () if line is None else tuple(_find_glued(window.words, line))


def _find_glued(words: Sequence[str], line: str) -> Iterator[int]:
    """Yield the numbers of the words that follow the previous one without white space in a line."""
    stop = 0
    for number, word in enumerate(words, start=1):
        start = line.index(word, stop)
        if number > 1 and start == stop:
            yield number
        stop = start + len(word)


# The spans of all sides around a site, and the verdicts on those at the site.


@dataclass(frozen=True, kw_only=True)
class Span:
    """A span of one side.

    Args:
        label: its label.
        count: the number of times that the side has it.
        pieces: its words; more than one piece if it is discontinuous.
        right: whether the key has the same span the same number of times.
        here: whether it belongs to the site.
        loose: whether only its words are known, not its begin and end within them.

    """

    label: str
    count: int
    pieces: tuple[Piece, ...]
    right: bool
    here: bool
    loose: bool


@dataclass(frozen=True)
class SpanLine:
    """The spans of one side, the key or a run, in a stretch of text."""

    side: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class RunVerdict:
    """The verdict of the rules on an item in one run, and the rule that set it."""

    run: str
    verdict: str
    rule: str


@dataclass(frozen=True)
class ItemVerdict:
    """A span that counts for precision and recall: whether the key has it, and its verdict in each run.

    A span that the key does not have has a verdict only in the runs that claim it.
    """

    label: str
    text: str
    positive: bool
    verdicts: tuple[RunVerdict, ...]


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """The words around an overlap site, with the spans that the key and the runs have there.

    Args:
        words: the words of the sentences that the site spans; of too many, those around the site's begin.
        glued: the numbers, from 1, of the words that follow the previous one without white space.
        begin: the number of the site's first word; 0 if that is not shown.
        end: the number of its last word; one more than the last word's number if that is not shown.
        words_before: the number of words of the sentence omitted before them.
        words_after: the number of words omitted after them.
        sides: the key's spans among these words, then each run's.
        items: the verdicts on the spans of the site, those of the key first.
        undrawn: the number of further spans at the site, or beyond those that can be shown among its words.

    """

    words: tuple[str, ...]
    glued: tuple[int, ...]
    begin: int
    end: int
    words_before: int
    words_after: int
    sides: tuple[SpanLine, ...]
    items: tuple[ItemVerdict, ...]
    undrawn: int


MOST_SPANS = 100
"""The number of different spans to show at most, those of the site first."""


class Stretches:
    """Builds the stretches around sites; data common to all sites of a view is computed once.

    Args:
        context: the context.
        claims: the spans of its view.
        runs: the runs to show in addition to the key.

    """

    def __init__(self, context: Context, claims: Claims, runs: Sequence[int]) -> None:
        self._verdicts, self._view, self._claims = context.verdicts, context.view, claims
        self._sides = [("key", claims.key), *((context.verdicts.runs[run], claims.runs[run]) for run in runs)]
        self._runs = runs
        self._site = claims.site
        self._sizes = np.bincount(self._site)
        self._room = int((claims.place + claims.width).max(initial=0)) + MOST_WORDS + 1
        self._begins = claims.document.astype(np.int64) * self._room + claims.place
        self._reach = np.maximum.accumulate(self._begins + claims.width)

    def of(self, row: int) -> Stretch:
        """Build the stretch around one of the sites that count."""
        sites = self._view.sites
        width = 1 if sites.width is None else int(sites.width[row])
        return self._at(int(self._numbers[row]), int(sites.document[row]), int(sites.place[row]), width)

    def of_claim(self, row: int) -> Stretch:
        """Build the stretch around one of the spans, with the begin and end of the span, not of its site."""
        claims = self._claims
        return self._at(int(self._site[row]), int(claims.document[row]), int(claims.place[row]), int(claims.width[row]))

    def _at(self, site: int, document: int, place: int, width: int) -> Stretch:
        """Build the stretch around some rows of a site."""
        texts = self._verdicts.texts
        window = window_at(texts, document, place, width)
        rows, dropped = self._chosen(window, site)
        extents = {each: self._extent(each, window) for each in rows}
        ruler = self._ruler(window, extents)
        pieces = {each: ruler.pieces(extent) for each, extent in extents.items()}
        here = [each for each in rows if self._is_at(each, site)]
        items = [item for each in here for item in self._items_of(each, extents[each])]
        return Stretch(
            words=window.words,
            glued=glued_in(texts, window),
            begin=window.number(place),
            end=window.number(place + width - 1),
            words_before=window.words_before,
            words_after=window.words_after,
            sides=self._lines(window, pieces, site) if window.words else (),
            items=tuple(sorted(items, key=lambda item: not item.positive)),
            undrawn=int(self._sizes[site]) - len(here) + dropped,
        )

    @cached_property
    def _numbers(self) -> Rows:
        """The sites that count, by their numbers among all."""
        left_out = self._view.left_out
        if left_out is None:
            return np.arange(len(self._view.all_sites))
        return np.flatnonzero(left_out.truths(lambda reason: not reason))

    def _chosen(self, window: Window, site: int) -> tuple[list[int], int]:
        """Select the spans in a window to show, and count those of other sites that are dropped.

        Spans that all sides have are numbered after all others.
        """
        first, stop = window.document * self._room + window.first, window.document * self._room + window.stop
        found = np.arange(
            np.searchsorted(self._reach, first, side="right"), np.searchsorted(self._begins, stop, side="left")
        )
        reaching = self._begins[found] + self._claims.width[found] > first
        had = np.any([counts[found] > 0 for _, counts in self._sides], axis=0)
        agreed = () if self._claims.agreed is None else _agreed_in_window(window, self._claims.agreed)
        every = [*found[reaching & had].tolist(), *(len(self._claims) + each for each in agreed)]
        ranked = sorted(every, key=lambda each: (not self._is_at(each, site), *self._position(each)))
        kept = ranked[:MOST_SPANS]
        dropped = sum(not self._is_at(each, site) for each in ranked[MOST_SPANS:])
        return sorted(kept, key=self._position), dropped

    def _table(self, number: int) -> tuple[Claims, int]:
        """Find the table that holds a span, and its row there."""
        claims = self._claims
        if number < len(claims) or claims.agreed is None:
            return claims, number
        return claims.agreed, number - len(claims)

    def _position(self, number: int) -> tuple[int, int, int]:
        """Return the position of a span in its document, and its number: spans are drawn in this order."""
        claims, row = self._table(number)
        return int(claims.begin[row]), int(claims.end[row]), number

    def _is_at(self, number: int, site: int) -> bool:
        """Whether a span belongs to a site; the sites of spans that all sides have are not shown."""
        return number < len(self._claims) and bool(self._site[number] == site)

    def _ruler(self, window: Window, extents: Mapping[int, Extent]) -> Ruler:
        if not self._by_characters or not window.words:
            return Ruler.of_words(window)
        substitutes = ((extent, self._text_of(number)) for number, extent in extents.items())
        return Ruler.of_characters(window, [(extent, text) for extent, text in substitutes if text is not None])

    @property
    def _by_characters(self) -> bool:
        return self._verdicts.settings.get("positions") == "characters"

    @cached_property
    def _span_texts(self) -> TextColumn | None:
        """The text of each span, from its begin to its end."""
        return _claim_texts(self._claims)

    @cached_property
    def _agreed_texts(self) -> TextColumn | None:
        """The texts of the spans that all sides have."""
        return None if self._claims.agreed is None else _claim_texts(self._claims.agreed)

    def _text_of(self, number: int) -> str | None:
        """Return the text of a span; None where it is unknown."""
        claims, row = self._table(number)
        texts = self._span_texts if claims is self._claims else self._agreed_texts
        return None if texts is None else texts[row]

    def _extent(self, number: int, window: Window) -> Extent:
        """Compute the extent of a span relative to a window."""
        claims, row = self._table(number)
        first = int(claims.place[row]) - window.first
        pieces: tuple[tuple[int, int], ...] = ((int(claims.begin[row]), int(claims.end[row])),)
        if claims.fragments is not None and claims.pieces[row]:
            order, span = self._fragments
            mine = order[slice(*np.searchsorted(span, [row, row + 1]))]
            begins, ends = claims.fragments.begin[mine].tolist(), claims.fragments.end[mine].tolist()
            pieces = tuple(sorted(zip(begins, ends, strict=True)))
        return Extent(first, first + int(claims.width[row]) - 1, pieces)

    @cached_property
    def _fragments(self) -> tuple[Rows, Rows]:
        """The order of pieces by discontinuous span, and the span of each piece in this order."""
        span = np.zeros(0, np.int64) if self._claims.fragments is None else self._claims.fragments.span
        order = np.argsort(span, kind="stable")
        return order, span[order]

    def _lines(self, window: Window, pieces: Mapping[int, tuple[Piece, ...] | None], site: int) -> tuple[SpanLine, ...]:
        def span(number: int, count: int) -> Span:
            claims, row = self._table(number)
            place, found = int(claims.place[row]), pieces[number]
            last = place + int(claims.width[row]) - 1
            return Span(
                label=format_value(linked_label(claims.names[int(claims.label[row])])),
                count=count,
                pieces=found or (Piece(window.number(place), window.number(last), 0, 0),),
                right=bool(count == claims.key[row]),
                here=self._is_at(number, site),
                loose=found is None,
            )

        def line(counts: Codes) -> Iterator[Span]:
            had = ((number, int(counts[number]) if number < len(counts) else 1) for number in pieces)
            return (span(number, count) for number, count in had if count > 0)

        return tuple(SpanLine(side, tuple(line(counts))) for side, counts in self._sides)

    @cached_property
    def _by_claim(self) -> tuple[Rows, Rows]:
        """The order of items by span, and the span of each item in this order."""
        claim = self._view.items.claim
        if claim is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        order = np.argsort(claim, kind="stable")
        return order, claim[order]

    def _items_of(self, row: int, extent: Extent) -> list[ItemVerdict]:
        """Collect the verdicts on the items of a span: several if the key or a run has it several times."""
        order, claim = self._by_claim
        items, found = self._view.items, []
        for item in order[slice(*np.searchsorted(claim, [row, row + 1]))].tolist():
            if verdicts := self.verdicts_on(item):
                label = format_value(items.names[int(items.label[item])])
                found.append(ItemVerdict(label, self._text(row, extent), bool(items.positive[item]), verdicts))
        return found

    def verdicts_on(self, item: int) -> tuple[RunVerdict, ...]:
        """Collect the verdicts of the rules on an item in the runs that have one."""
        outcomes = self._view.items.outcomes
        if outcomes is None:
            return ()
        found = []
        for run in self._runs:
            verdict, rule = int(outcomes.verdict[run][item]), int(outcomes.rule[run][item])
            found.append(RunVerdict(self._verdicts.runs[run], outcomes.verdicts[verdict], outcomes.rules[rule]))
        return tuple(each for each in found if each.verdict)

    def _text(self, row: int, extent: Extent) -> str:
        """Return the text of a span with normalised white space, and `…` for gaps and for the rest of a long text."""
        claims, width = self._claims, int(self._claims.width[row])
        if self._by_characters and self._span_texts is not None and width <= MOST_WORDS:
            whole = self._span_texts[row]
            covered = (whole[begin - extent.begin : end - extent.begin] for begin, end in extent.pieces)
            return " … ".join(re.sub(r"\s+", " ", piece) for piece in covered)
        document, place = int(claims.document[row]), int(claims.place[row])
        words = self._verdicts.texts.covered(document, place, min(width, MOST_WORDS))
        return "" if words is None else words + (" …" if width > MOST_WORDS else "")


def _claim_texts(claims: Claims) -> TextColumn | None:
    text = claims.attributes.get("text")
    column = None if text is None else text.make()
    return column if isinstance(column, TextColumn) else None


def _agreed_in_window(window: Window, agreed: Claims) -> Iterator[int]:
    """Yield the spans that reach into a window; no two of them overlap."""
    begin, end = np.searchsorted(agreed.document, [window.document, window.document + 1]).tolist()
    first, stop = np.searchsorted(agreed.place[begin:end], [window.first, window.stop]).tolist()
    for row in range(begin + first - 1, begin - 1, -1):
        if agreed.place[row] + agreed.width[row] <= window.first:
            break
        yield row
    yield from range(begin + first, begin + stop)


# Spans as text: the words of a sentence in a line, and below it the spans of each side as brackets under their words.
#
# The brackets of a span reach from its first to its last letter, with its label inside, or directly after them where
# they are too short. Overlapping spans of one side, and labels that would run into the next span, take further lines.
# Long sentences are split into blocks, one below the other, together with their spans.


LEGEND = "[──] span, ^ one character wide, | empty; ·· gap, < > continues, ×2 twice, ≈ may end inside words; ✗ wrong"
NO_SPANS = "(none)"

_COLUMN_GAP = 2  # between the names of sides and the words
_NAME_WIDTH = 20
_WORD_WIDTH = 30
_LABEL_WIDTH = 32
_LEAST_WIDTH = 12  # less would leave no room for words and labels
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
LEFT_TO_RIGHT = "\u200e"
"""Precedes each word, so that a terminal with bidirectional text support does not reorder the words."""


def draw(stretch: Stretch, width: int) -> list[str]:
    r"""Draw the spans of all sides under their words.

    The words of the site are in brackets. A side with the same spans as one above it refers to that. `LEGEND`
    explains the symbols to readers.

    >>> from comparanda.tasks.spans.examples import Piece

    >>> from comparanda.tasks.spans.examples import Span, SpanLine, Stretch
    >>> anna = Span(label="PER", count=1, pieces=(Piece(2, 3, 0, 0),), right=True, here=True, loose=False)
    >>> smith = Span(label="ORG", count=1, pieces=(Piece(3, 3, 0, 0),), right=False, here=True, loose=False)
    >>> sides = (SpanLine("key", (anna,)), SpanLine("crf", (smith,)), SpanLine("bert", (anna,)))
    >>> words = ("Yesterday", "Anna", "Smith", "left", ".")
    >>> stretch = Stretch(
    ...     words=words, glued=(5,), begin=2, end=3, words_before=0, words_after=0, sides=sides, items=(), undrawn=0
    ... )
    >>> print(*draw(stretch, 80), sep="\n")
          Yesterday [Anna Smith] left.
    key              [PER─────]
    crf                   [───]ORG ✗
    bert  = key
    """
    if not stretch.words:
        return []
    names = [clip_text(line.side, min(max(width // 4, _LEAST_WIDTH // 2), _NAME_WIDTH)) for line in stretch.sides]
    column = max(map(cell_len, names), default=0) + _COLUMN_GAP
    room = max(width - column, _LEAST_WIDTH)
    substitutes = _substitute_lines(stretch.sides, names)
    drawn = [span for line, each in zip(stretch.sides, substitutes, strict=True) if not each for span in line.spans]
    lines: list[str] = []
    for block in _split_blocks(_layout_words(stretch, room), drawn, room):
        first = not lines
        lines += [] if first else [""]
        lines += prefix_lines("", [block.text], column)
        for name, line, instead in zip(names, stretch.sides, substitutes, strict=True):
            below = _stack_marks(block.marks(line.spans)) if not instead else [instead] if first else []
            lines += prefix_lines(name, below, column)
    return lines


def prefix_lines(name: str, lines: Iterable[str], column: int) -> Iterator[str]:
    """Prefix the first of some lines with a name, and indent the others by the same width."""
    for line in lines:
        yield f"{name}{' ' * (column - cell_len(name))}{line}".rstrip()
        name = ""


def _substitute_lines(sides: Sequence[SpanLine], names: Sequence[str]) -> list[str]:
    """Build the line that replaces the spans of each side, if it has none or those of another; else an empty one."""
    substitutes: list[str] = []
    for number, line in enumerate(sides):
        twin = next(
            (name for other, name in zip(sides[:number], names, strict=False) if _have_same_spans(other, line)), None
        )
        substitutes.append(f"= {twin}" if twin is not None else "" if line.spans else NO_SPANS)
    return substitutes


def _have_same_spans(one: SpanLine, other: SpanLine) -> bool:
    """Whether two sides have the same spans; false where wrong loose ones leave that unknown."""
    alike = [(span.label, span.count, span.pieces, span.loose) for span in one.spans]
    if alike != [(span.label, span.count, span.pieces, span.loose) for span in other.spans]:
        return False
    return all(span.right or not span.loose for line in (one, other) for span in line.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """A word, or a remark on omitted words.

    Args:
        number: its number, from 1; 0 for a remark.
        given: the original word.
        shown: the word as drawn.
        cells: its width in columns.
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
        """The characters before it."""
        return ("" if self.glued else " ") + ("[" if self.opens else "")


def _layout_words(stretch: Stretch, room: int) -> list[_Word]:
    """Lay out the words to draw, with the number of omitted words before and after them."""
    widest, glued = min(room // 2, _WORD_WIDTH), frozenset(stretch.glued)

    def word(number: int, given: str) -> _Word:
        shown = clip_text(given, widest) or " "
        opens, closes = 0 < number == stretch.begin, 0 < number == stretch.end
        return _Word(
            number=number,
            given=given,
            shown=shown,
            cells=max(cell_len(shown), 1),
            glued=number in glued,
            opens=opens,
            closes=closes,
        )

    before, after = stretch.words_before, stretch.words_after
    return [
        *([word(0, f"({before:,} more …)")] if before else []),
        *(word(number, given) for number, given in enumerate(stretch.words, start=1)),
        *([word(0, f"(… {after:,} more)")] if after else []),
    ]


def _split_blocks(words: Sequence[_Word], spans: Sequence[Span], room: int) -> Iterator[_Block]:
    """Split words into lines: as many as fit together with the labels of their spans, at least one."""
    begin = 0
    while begin < len(words):
        block = _longest_block(words[begin:], spans, room)
        yield block
        begin += block.size


def _longest_block(words: Sequence[_Word], spans: Sequence[Span], room: int) -> _Block:
    """Build the longest block of first words that fits, if possible up to white space."""
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
    """The drawing of a span in a block: its columns, the end of its brackets and of its text, and the text."""

    left: int
    right: int
    end: int
    text: str

    @property
    def free(self) -> int:
        """The first column for the next span on the same line."""
        return self.end if self.end == self.right else self.end + 1


class _Block:
    """Some words in a line, and their columns."""

    def __init__(self, words: Sequence[_Word], room: int) -> None:
        self._label = min(room // 2 - 2, _LABEL_WIDTH)
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
        """Draw spans, from left to right, longer ones first."""
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
            drawn += self._brackets(piece, width=end - begin, text=text if fits else "", first=first, last=last)
            inside, cursor = inside or fits, end
        if here[-1] is not span.pieces[-1]:
            drawn += "·" * (self._columns[last][1] - cursor)
            cursor = max(cursor, self._columns[last][1])
        return _Mark(left, cursor, cursor if inside else cursor + cell_len(text), drawn + ("" if inside else text))

    def _text(self, span: Span) -> str:
        """Format the text of a span: its label, its count, and whether it is wrong."""
        sign = ("≈" if span.loose else "") + ("" if span.right else " ✗")
        count = f"×{span.count}" if span.count > 1 else ""
        return clip_text(span.label + count, max(self._label - cell_len(sign), 1)) + sign

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
        """Compute the width of the first characters of a word, in columns."""
        left, right = self._columns[number]
        return cell_len(clip_text(self._words[number].given[:characters], right - left)) if characters > 0 else 0

    def _brackets(self, piece: Piece, width: int, text: str, first: int, *, last: int) -> str:
        """Draw the brackets of a piece, with a text inside."""
        from_before, goes_on = piece.begin < first, piece.end > last
        if width > 1:
            line = text + "─" * (width - 2 - cell_len(text))
            return f"{'<' if from_before else '['}{line}{'>' if goes_on else ']'}"
        if from_before or goes_on:
            return "─" if from_before and goes_on else "<" if from_before else ">"
        empty = piece.begin == piece.end and piece.before + piece.after == len(self._words[piece.begin].given)
        return "|" if empty else "^"


def _stack_marks(marks: Iterable[_Mark]) -> list[str]:
    """Place each mark on the first line with room for it."""
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
    """Whether a text has right-to-left characters."""
    return not text.isascii() and any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text)
