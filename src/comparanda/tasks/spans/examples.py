"""Which words around a site spans cover, and how much of them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.claims import linked_label
from comparanda.core.sites import shown
from comparanda.core.text_columns import TextColumn
from comparanda.render.cells import cell_len
from comparanda.tasks.trees.examples import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from comparanda.core.claims import Claims
    from comparanda.core.excerpts import Texts
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.findings.context import Context


MOST_WORDS = 40
"""How many words around a site are shown at most."""

_BESIDE = 5  # words before and behind a site that is too long to be shown


@dataclass(frozen=True)
class Piece:
    """A piece of a span: its first and its last word, by their numbers among the words shown, from 1.

    0 is a word before all that are shown, and one more than their number a word behind them. Spans that count
    characters may begin and end inside words: `before` says how many characters of the first word stand before it,
    `after` how many of the last one behind it. Below 0 they count white space that belongs to it.
    """

    begin: int
    end: int
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some rows of a document and their words, if it has any, and how many of their sentences are left out."""

    document: int
    first: int
    size: int
    words: tuple[str, ...] = ()
    words_before: int = 0
    words_after: int = 0

    @property
    def behind(self) -> int:
        """The row behind the last one."""
        return self.first + self.size

    def number(self, row: int) -> int:
        """Return the number of a row, from 1: 0 for all before the window, one more than its last for all behind."""
        return min(max(row - self.first + 1, 0), self.size + 1)


def window_at(texts: Texts, document: int, place: int, width: int) -> Window:
    """Return the words of the sentences that a site crosses; of many, those around its begin."""
    found = texts.sentence(document, place)
    if found is None or not any(found[0]):
        return Window(document=document, first=place, size=min(width, MOST_WORDS))
    words, position = list(found[0]), found[1]
    first = place - position
    while len(words) < position + width and (further := texts.sentence(document, first + len(words))) is not None:
        words += further[0]
    beside = (MOST_WORDS - min(width, MOST_WORDS - 2 * _BESIDE)) // 2
    low = max(min(position - beside, len(words) - MOST_WORDS), 0)
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
    """Where a span stands: its first and last word, by their places in a window, and the positions of its pieces.

    Places below 0, and from the number of words on, are outside of the window.
    """

    first: int
    last: int
    pieces: tuple[tuple[int, int], ...]

    @property
    def begin(self) -> int:
        """Where it begins."""
        return self.pieces[0][0]

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.pieces[-1][1]


class Ruler:
    """Measures which words of a window spans cover, and how much of them.

    Args:
        window: the words.
        places: where words begin, as spans count, by their places in the window; as far as that is known.
        sizes: how long each word is, as spans count.

    """

    def __init__(self, window: Window, places: Mapping[int, int], sizes: Sequence[int]) -> None:
        self._window, self._places, self._sizes = window, places, sizes

    @classmethod
    def of_words(cls, window: Window) -> Ruler:
        """Return the ruler for spans that count words."""
        return cls(window, {place: window.first + place for place in range(window.size)}, [1] * window.size)

    @classmethod
    def of_characters(cls, window: Window, spans: Iterable[tuple[Extent, str]]) -> Ruler:
        """Return the ruler for spans that count characters, given with the texts they cover: these tell the places."""
        letters, places = _Letters(window.words), dict[int, int]()
        for extent, text in spans:
            for place, position in letters.places(extent, text).items():
                places.setdefault(place, position)
        return cls(window, places, [len(word) for word in window.words])

    def pieces(self, extent: Extent) -> tuple[Piece, ...] | None:
        """Return what a span covers, or None if that cannot be told."""
        found = []
        for begin, end in extent.pieces:
            first, last = self._words(begin, end, extent)
            if any(0 <= place < len(self._sizes) and place not in self._places for place in (first, last)):
                return None
            before = begin - self._places[first] if first in self._places else 0
            after = self._places[last] + self._sizes[last] - end if last in self._places else 0
            row = self._window.first
            found.append(Piece(self._window.number(row + first), self._window.number(row + last), before, after))
        return tuple(found)

    def _words(self, begin: int, end: int, extent: Extent) -> tuple[int, int]:
        """Return the first and the last word of a piece; of words outside of the window only the side is known."""
        last = extent.last if end == extent.end else self._last_before(end, extent)
        if begin == extent.begin:
            return extent.first, max(extent.first, last)
        first = self._first_behind(begin, extent) if last >= 0 else last
        return first, max(first, last)

    def _first_behind(self, position: int, extent: Extent) -> int:
        """Return the first word of a span that ends behind a position."""
        words = range(max(extent.first, 0), min(extent.last + 1, len(self._sizes)))
        ends = (place for place in words if self._places.get(place, position) + self._sizes[place] > position)
        return next(ends, len(self._sizes))

    def _last_before(self, position: int, extent: Extent) -> int:
        """Return the last word of a span that begins before a position."""
        words = range(max(extent.first, 0), min(extent.last + 1, len(self._sizes)))
        begins = (place for place in reversed(words) if self._places.get(place, position - 1) < position)
        return next(begins, -1)


class _Letters:
    """The characters of words without white space, in which the texts of spans are looked for."""

    def __init__(self, words: Sequence[str]) -> None:
        found = [(place, at, letter) for place, word in enumerate(words) for at, letter in _solid(word)]
        self._text = "".join(letter for _, _, letter in found)
        self._at = [(place, at) for place, at, _ in found]
        self._ends = [0, *accumulate(len(_solid(word)) for word in words)]

    def places(self, extent: Extent, text: str) -> dict[int, int]:
        """Return where the words of a span begin in its document, if its text is found there once and no more."""
        solid = _solid(text)
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
        """Return where a text may begin that reaches from the first into the last word of a span."""
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


def _solid(text: str) -> list[tuple[int, str]]:
    """Return the characters of a text that are no white space, each with its place; a byte-order mark is some."""
    return [(place, letter) for place, letter in enumerate(text) if not letter.isspace() and letter != "\ufeff"]


def glued_in(texts: Texts, window: Window) -> tuple[int, ...]:
    """Return the numbers, from 1, of the words of a window that follow the one before without white space.

    That is known of running texts alone: tokens in files are a space apart.
    """
    if not window.words or not any(part.running for part in texts.parts):
        return ()
    line = texts.covered(window.document, window.first, window.size)
    return () if line is None else tuple(_glued(window.words, line))


def _glued(words: Sequence[str], line: str) -> Iterator[int]:
    """Return the numbers of the words that follow the one before without white space in a line of them."""
    stop = 0
    for number, word in enumerate(words, start=1):
        start = line.index(word, stop)
        if number > 1 and start == stop:
            yield number
        stop = start + len(word)


# What sides say of the same stretch of text: their spans around a site, and what rules made of those at it.


@dataclass(frozen=True, kw_only=True)
class Span:
    """A span of one side.

    Args:
        label: its label.
        count: how often the side has it.
        pieces: its words; more than one piece if it is discontinuous.
        right: whether the key has the very same span as often.
        here: whether it belongs to the site.
        loose: whether only its words are known, and not where in them it begins and ends.

    """

    label: str
    count: int
    pieces: tuple[Piece, ...]
    right: bool
    here: bool
    loose: bool


@dataclass(frozen=True)
class SpanLine:
    """The spans of one side, the key or a run, that stand in a stretch of text."""

    side: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class RunVerdict:
    """What rules made of an item in one run, and the rule that said so."""

    run: str
    verdict: str
    rule: str


@dataclass(frozen=True)
class ItemVerdict:
    """A span that counts for precision and recall: whether the key has it, and what rules made of it in each run.

    A span that the key does not have has a verdict in the runs alone that claim it.
    """

    label: str
    text: str
    positive: bool
    verdicts: tuple[RunVerdict, ...]


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """The words around an overlap site, with the spans that the key and the runs have there.

    Args:
        words: the words of the sentences that the site crosses; of many, those around the site's begin.
        glued: the numbers, from 1, of the words that follow the one before without white space.
        begin: the number of the site's first word; 0 if that is not shown.
        end: the number of its last word; one more than the last word's number if that is not shown.
        words_before: how many words of the sentence before them are left out.
        words_after: how many behind them.
        sides: the key's spans among these words, then each run's.
        items: the verdicts on the spans of the site, those of the key first.
        undrawn: how many further spans there are at the site, or more than can be shown among its words.

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
"""How many different spans are shown at most, those of the site first."""


class Stretches:
    """Makes the stretches around sites; what all sites of a view share is made once.

    Args:
        context: the ground.
        claims: the spans of its view.
        runs: the runs to show beside the key.

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
        """Return the stretch around one of the sites that count."""
        sites = self._view.sites
        width = 1 if sites.width is None else int(sites.width[row])
        return self._at(int(self._numbers[row]), int(sites.document[row]), int(sites.place[row]), width)

    def of_claim(self, row: int) -> Stretch:
        """Return the stretch around one of the spans: it begins and ends as that does, not as its site."""
        claims = self._claims
        return self._at(int(self._site[row]), int(claims.document[row]), int(claims.place[row]), int(claims.width[row]))

    def _at(self, site: int, document: int, place: int, width: int) -> Stretch:
        """Return the stretch around some rows of a site."""
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
        """The numbers of the sites that count among all."""
        left_out = self._view.left_out
        if left_out is None:
            return np.arange(len(self._view.all_sites))
        return np.flatnonzero(left_out.truths(lambda reason: not reason))

    def _chosen(self, window: Window, site: int) -> tuple[list[int], int]:
        """Return the spans that stand in a window, and how many of other sites are too many to be shown.

        Those that everybody has are numbered behind all others.
        """
        first, behind = window.document * self._room + window.first, window.document * self._room + window.behind
        found = np.arange(
            np.searchsorted(self._reach, first, side="right"), np.searchsorted(self._begins, behind, side="left")
        )
        reaching = self._begins[found] + self._claims.width[found] > first
        had = np.any([counts[found] > 0 for _, counts in self._sides], axis=0)
        agreed = () if self._claims.agreed is None else _standing_in(window, self._claims.agreed)
        every = [*found[reaching & had].tolist(), *(len(self._claims) + each for each in agreed)]
        ranked = sorted(every, key=lambda each: (not self._is_at(each, site), *self._position(each)))
        kept = ranked[:MOST_SPANS]
        dropped = sum(not self._is_at(each, site) for each in ranked[MOST_SPANS:])
        return sorted(kept, key=self._position), dropped

    def _table(self, number: int) -> tuple[Claims, int]:
        """Return the table that a span stands in, and its row there."""
        claims = self._claims
        if number < len(claims) or claims.agreed is None:
            return claims, number
        return claims.agreed, number - len(claims)

    def _position(self, number: int) -> tuple[int, int, int]:
        """Return where a span stands in its document, and its number: spans are drawn in this order."""
        claims, row = self._table(number)
        return int(claims.begin[row]), int(claims.end[row]), number

    def _is_at(self, number: int, site: int) -> bool:
        """Whether a span belongs to a site; those that everybody has are alone at theirs, which are not shown."""
        return number < len(self._claims) and bool(self._site[number] == site)

    def _ruler(self, window: Window, extents: Mapping[int, Extent]) -> Ruler:
        if not self._by_characters or not window.words:
            return Ruler.of_words(window)
        said = ((extent, self._text_of(number)) for number, extent in extents.items())
        return Ruler.of_characters(window, [(extent, text) for extent, text in said if text is not None])

    @property
    def _by_characters(self) -> bool:
        return self._verdicts.settings.get("positions") == "characters"

    @cached_property
    def _texts(self) -> TextColumn | None:
        """What each span covers, from its begin to its end."""
        return _texts(self._claims)

    @cached_property
    def _agreed_texts(self) -> TextColumn | None:
        """The same of those that everybody has."""
        return None if self._claims.agreed is None else _texts(self._claims.agreed)

    def _text_of(self, number: int) -> str | None:
        """Return what a span covers; None where that is not known."""
        claims, row = self._table(number)
        texts = self._texts if claims is self._claims else self._agreed_texts
        return None if texts is None else texts[row]

    def _extent(self, number: int, window: Window) -> Extent:
        """Return where a span stands, seen from a window."""
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
        """The pieces of discontinuous spans in the order of these, and these."""
        span = np.zeros(0, np.int64) if self._claims.fragments is None else self._claims.fragments.span
        order = np.argsort(span, kind="stable")
        return order, span[order]

    def _lines(self, window: Window, pieces: Mapping[int, tuple[Piece, ...] | None], site: int) -> tuple[SpanLine, ...]:
        def span(number: int, count: int) -> Span:
            claims, row = self._table(number)
            place, found = int(claims.place[row]), pieces[number]
            last = place + int(claims.width[row]) - 1
            return Span(
                label=shown(linked_label(claims.names[int(claims.label[row])])),
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
        """The items in the order of their spans, and these."""
        claim = self._view.items.claim
        if claim is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        order = np.argsort(claim, kind="stable")
        return order, claim[order]

    def _items_of(self, row: int, extent: Extent) -> list[ItemVerdict]:
        """Return the verdicts on the items that a span is: several, if the key or a run has it several times."""
        order, claim = self._by_claim
        items, found = self._view.items, []
        for item in order[slice(*np.searchsorted(claim, [row, row + 1]))].tolist():
            if verdicts := self.verdicts_on(item):
                label = shown(items.names[int(items.label[item])])
                found.append(ItemVerdict(label, self._text(row, extent), bool(items.positive[item]), verdicts))
        return found

    def verdicts_on(self, item: int) -> tuple[RunVerdict, ...]:
        """Return what rules made of an item in those runs in which they said something."""
        outcomes = self._view.items.outcomes
        if outcomes is None:
            return ()
        found = []
        for run in self._runs:
            verdict, rule = int(outcomes.verdict[run][item]), int(outcomes.rule[run][item])
            found.append(RunVerdict(self._verdicts.runs[run], outcomes.verdicts[verdict], outcomes.rules[rule]))
        return tuple(each for each in found if each.verdict)

    def _text(self, row: int, extent: Extent) -> str:
        """Return what a span covers, with one space for all white space, and `…` for gaps and where it is too long."""
        claims, width = self._claims, int(self._claims.width[row])
        if self._by_characters and self._texts is not None and width <= MOST_WORDS:
            whole = self._texts[row]
            covered = (whole[begin - extent.begin : end - extent.begin] for begin, end in extent.pieces)
            return " … ".join(re.sub(r"\s+", " ", piece) for piece in covered)
        document, place = int(claims.document[row]), int(claims.place[row])
        words = self._verdicts.texts.covered(document, place, min(width, MOST_WORDS))
        return "" if words is None else words + (" …" if width > MOST_WORDS else "")


def _texts(claims: Claims) -> TextColumn | None:
    text = claims.attributes.get("text")
    column = None if text is None else text.make()
    return column if isinstance(column, TextColumn) else None


def _standing_in(window: Window, agreed: Claims) -> Iterator[int]:
    """Yield the spans, none of which overlaps another, that reach into a window."""
    begin, end = np.searchsorted(agreed.document, [window.document, window.document + 1]).tolist()
    first, behind = np.searchsorted(agreed.place[begin:end], [window.first, window.behind]).tolist()
    for row in range(begin + first - 1, begin - 1, -1):
        if agreed.place[row] + agreed.width[row] <= window.first:
            break
        yield row
    yield from range(begin + first, begin + behind)


# Spans as text: the words of a sentence in a line, below it for each side its spans as brackets under their words.
#
# A span stands in brackets that reach from its first to its last letter, its label inside them, or right behind them
# where they are too short. Spans of one side that overlap, and labels that would run into the next span, take further
# lines. Long sentences are cut into blocks, one below the other, and with them the spans that stand there.


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


@dataclass(frozen=True, slots=True, kw_only=True)
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
            drawn += self._brackets(piece, width=end - begin, text=text if fits else "", first=first, last=last)
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

    def _brackets(self, piece: Piece, width: int, text: str, first: int, *, last: int) -> str:
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
