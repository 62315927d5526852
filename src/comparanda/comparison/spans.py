"""What sides say of the same stretch of text: their spans around a site, and what rules made of those at it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import TextColumn
from comparanda.comparison.rulers import MOST_WORDS, Extent, Piece, Ruler, Window, glued_in, window_at
from comparanda.site_values import linked_label
from comparanda.sites import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from comparanda.claims import Claims
    from comparanda.columns import Codes, Rows
    from comparanda.comparison.context import Context


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
            window.words,
            glued_in(texts, window),
            window.number(place),
            window.number(place + width - 1),
            window.words_before,
            window.words_after,
            self._lines(window, pieces, site) if window.words else (),
            tuple(sorted(items, key=lambda item: not item.positive)),
            int(self._sizes[site]) - len(here) + dropped,
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
                shown(linked_label(claims.names[int(claims.label[row])])),
                count,
                found or (Piece(window.number(place), window.number(last), 0, 0),),
                bool(count == claims.key[row]),
                self._is_at(number, site),
                found is None,
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
