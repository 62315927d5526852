"""Spans under the words they cover, those that overlap on different lines, and what rules made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from comparanda.page.cards.sides import FEW_RUNS, Drawing, Saying
from comparanda.page.cards.texts import LONGEST_WORD, Cutting, Line, fitted, fitted_word, leftward
from comparanda.page.data import Mark, Ruling
from comparanda.show.cells import counted
from comparanda.show.example_tables import verdict_and_rule
from comparanda.sites import NOTHING, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from comparanda.comparison.spans import ItemVerdict, Span, Stretch

MOST_RULINGS = 12
"""How many verdicts of rules a card shows."""


def draw_spans(stretch: Stretch, run_of: Mapping[str, int], *, nothing: str = shown(NOTHING)) -> Drawing:
    """Draw a stretch of text with words.

    Args:
        stretch: the words, and the spans of all sides.
        run_of: the numbers of runs by their names.
        nothing: what stands where a side has no span of the site.

    """
    around = len(stretch.sides) <= FEW_RUNS + 1
    sides = [line.spans if around else tuple(span for span in line.spans if span.here) for line in stretch.sides]
    pieces = (piece for spans in sides for span in spans for piece in span.pieces)
    cutting = Cutting(stretch.words, stretch.glued, pieces)
    site = cutting.word(stretch.begin)[0], cutting.word(stretch.end)[1]
    line = Line(
        tuple(cutting.parts),
        site,
        tuple(cutting.glued),
        stretch.words_before,
        stretch.words_after,
        leftward(stretch.words),
    )
    empty = Mark(label=nothing, pieces=(site,), empty=True)
    key, *runs = (Saying(_marks(spans, cutting, empty), alone=_alone(at, spans)) for at, spans in enumerate(sides))
    left = stretch.undrawn
    return Drawing(
        line,
        key,
        tuple(runs),
        rulings=rulings_of(stretch.items, run_of),
        undrawn=f"{counted(left, 'more span')} at this site" if left else "",
    )


def _alone(number: int, spans: Sequence[Span]) -> int | None:
    """Return the side's number if it has a wrong span whose bounds are not known: nobody can tell who has the same."""
    return number if any(span.loose and not span.right for span in spans) else None


def _marks(spans: Sequence[Span], cutting: Cutting, empty: Mark) -> tuple[Mark, ...]:
    """Return the spans of one side from left to right, the longer first, each on the first line with room for it."""
    marks = [mark for span in spans if (mark := _mark(span, cutting)).pieces]
    if not any(span.here for span in spans):
        marks.append(empty)
    marks.sort(key=lambda mark: (mark.pieces[0][0], -mark.pieces[-1][1], mark.label))
    free: list[int] = []
    placed = []
    for mark in marks:
        first, last = mark.pieces[0][0], mark.pieces[-1][1]
        level = next((level for level, begin in enumerate(free) if begin <= first), len(free))
        free[level : level + 1] = [last + 1]
        placed.append(msgspec.structs.replace(mark, level=level) if level else mark)
    return tuple(placed)


def _mark(span: Span, cutting: Cutting) -> Mark:
    """Return the mark of a span, with those of its pieces that stand in the words that are shown."""
    shown_pieces = (piece for piece in span.pieces if piece.begin <= cutting.size and piece.end >= 1)
    return Mark(
        label=fitted(span.label, LONGEST_WORD),
        pieces=tuple(map(cutting.place, shown_pieces)),
        wrong=not span.right,
        beside=not span.here,
        count=span.count,
        loose=span.loose,
        cut=_cut(span, cutting.size),
    )


def _cut(span: Span, size: int) -> Literal["before", "after", "both"] | None:
    """Tell where a span goes on beyond the words that are shown."""
    before, after = span.pieces[0].begin < 1, span.pieces[-1].end > size
    return "both" if before and after else "before" if before else "after" if after else None


def rulings_of(items: Sequence[ItemVerdict], run_of: Mapping[str, int]) -> tuple[Ruling, ...]:
    """Return what rules made of items, those of the key first."""
    found = []
    for item in items[:MOST_RULINGS]:
        runs: dict[str, list[int]] = {}
        for each in item.verdicts:
            runs.setdefault(fitted(verdict_and_rule(each), LONGEST_WORD), []).append(run_of[each.run])
        found.append(
            Ruling(
                label=fitted(item.label, LONGEST_WORD),
                text=fitted_word(item.text),
                positive=item.positive,
                verdicts=tuple((verdict, tuple(mine)) for verdict, mine in runs.items()),
            )
        )
    return tuple(found)
