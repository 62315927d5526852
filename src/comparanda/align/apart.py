"""Spans without a place, set apart from all that stand in the text.

A hallucinated item is a claim, and wrong. It must not overlap a span of the key, nor be the same as another item that
is hallucinated, unless it is: two systems that invent the same text make the same claim. So each such text gets a
stretch of its own behind the text of its document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.quotes import PLACING, QUOTE, without_place
from comparanda.align.spans import PlacedSpans, Placement
from comparanda.align.spans import place_spans as _place_spans
from comparanda.columns import TextColumn

if TYPE_CHECKING:
    from comparanda.align.maps import Aligned
    from comparanda.columns import Rows

Stretch = tuple[int, str]
"""A text that stands nowhere in a document, which is given by its index."""


@dataclass(frozen=True, eq=False)
class SetApart(Placement):
    """Spans of which some have no place in the text.

    Args:
        quoted: what these quote, by their document and where they begin behind its text.

    """

    quoted: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def texts(self, spans: PlacedSpans) -> TextColumn:
        """Return what each span covers of the key's text, or what it quotes."""
        column = super().texts(spans)
        where = zip(spans.document.tolist(), spans.begin.tolist(), column.values(), strict=True)
        return TextColumn.of([self.quoted.get((document, begin), text) for document, begin, text in where])


def place_spans(aligned: Aligned) -> Placement:
    """Bring the spans of all sides to positions in the key's documents; those without a place stand behind the text."""
    placement = _place_spans(aligned)
    rows = [_nowhere(side) for side in placement.sides]
    if not any(map(len, rows)):
        return placement
    begins = _begins(placement, rows)
    sides = tuple(_moved(side, each, begins) for side, each in zip(placement.sides, rows, strict=True))
    quoted = {(document, begin): quote for (document, quote), begin in begins.items()}
    given = {each.name: getattr(placement, each.name) for each in fields(Placement)}
    return SetApart(**{**given, "sides": sides}, quoted=quoted)


def _nowhere(side: PlacedSpans) -> Rows:
    """Return the spans of a side that have no place."""
    if QUOTE not in side.columns:
        return np.zeros(0, np.int64)
    return np.flatnonzero(without_place(side.columns.get(PLACING)) & (side.begin == side.end))


def _quoted(side: PlacedSpans, rows: Rows) -> list[Stretch]:
    quote = side.columns.get(QUOTE)
    if not isinstance(quote, TextColumn):
        return []
    return [(int(side.document[row]), " ".join(quote[row].split())) for row in rows.tolist()]


def _begins(placement: Placement, rows: list[Rows]) -> dict[Stretch, int]:
    """Give each text that stands nowhere a begin behind its document, in the order of the alphabet."""
    found = {each for side, some in zip(placement.sides, rows, strict=True) for each in _quoted(side, some)}
    texts = placement.ground.raw.documents
    begins: dict[Stretch, int] = {}
    behind: dict[int, int] = {}
    for document, quote in sorted(found):
        begin = behind.get(document, len(texts[document]) + 1)
        begins[document, quote] = begin
        behind[document] = begin + len(quote) + 1
    return begins


def _moved(side: PlacedSpans, rows: Rows, begins: Mapping[Stretch, int]) -> PlacedSpans:
    """Return a side whose spans without a place have their stretch; in order again."""
    if not len(rows):
        return side
    quoted = _quoted(side, rows)
    begin, end = side.begin.copy(), side.end.copy()
    begin[rows] = [begins[each] for each in quoted]
    end[rows] = [begins[each] + len(each[1]) for each in quoted]
    moved = replace(side, begin=begin, end=end)
    return moved.take(np.lexsort((side.label.sorted().codes, end, begin, side.document)))
