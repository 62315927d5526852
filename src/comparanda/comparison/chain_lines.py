"""Where the mentions of a chain stand in the words around the one that is looked at, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.chains import NO_CHAIN
from comparanda.comparison.mentions import SideChains, pieces_of
from comparanda.comparison.rulers import Piece, glued_in, window_at
from comparanda.comparison.spans import Span, SpanLine, Stretch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.chains import Chains
    from comparanda.columns import Rows
    from comparanda.comparison.context import Context
    from comparanda.comparison.rulers import Window


class ChainLines:
    """Makes the stretches around mentions; what all mentions of a view share is made once.

    Args:
        context: the ground.
        chains: the mentions of its view.
        mention: which of them each site is.
        runs: the runs to show beside the key.

    """

    def __init__(self, context: Context, chains: Chains, mention: Rows, runs: Sequence[int]) -> None:
        self._texts, self._chains, self._mention = context.verdicts.texts, chains, mention
        self._sides = [
            SideChains("key", chains.key),
            *(SideChains(context.verdicts.runs[run], chains.runs[run]) for run in runs),
        ]

    def of(self, site: int) -> Stretch | None:
        """Return the words around a mention, and the mentions there of its chain on each side.

        A mention is called by its number in the chain, and right if it is in the key's chain. None where the mention
        has no word, or the key not its document.
        """
        chains, mention = self._chains, int(self._mention[site])
        if any(begin == end for begin, end in pieces_of(chains, mention)):
            return None
        place, width = int(chains.place[mention]), int(chains.width[mention])
        window = window_at(self._texts, int(chains.document[mention]), place, width)
        if not window.words:
            return None
        return Stretch(
            window.words,
            glued_in(self._texts, window),
            window.number(place),
            window.number(place + width - 1),
            window.words_before,
            window.words_after,
            tuple(SpanLine(side.name, self._spans(side, mention, window)) for side in self._sides),
            (),
            0,
        )

    def _spans(self, side: SideChains, mention: int, window: Window) -> tuple[Span, ...]:
        """Return the mentions of one side's chain that stand in a window; those without a word stand nowhere."""
        chains = self._chains
        members, own = side.members(mention), chains.key[mention]
        in_key = (chains.key[members] == own) & (own != NO_CHAIN)
        right = in_key if side is not self._sides[0] else np.ones_like(in_key)
        begins = chains.place[members]
        there = (chains.document[members] == window.document) & (begins < window.behind)
        there &= begins + chains.width[members] > window.first
        found = []
        for number in np.flatnonzero(there).tolist():
            row = int(members[number])
            pieces = pieces_of(chains, row) or [(int(chains.place[row]), int(chains.place[row] + chains.width[row]))]
            if all(begin < end for begin, end in pieces):
                placed = tuple(Piece(window.number(begin), window.number(end - 1), 0, 0) for begin, end in pieces)
                found.append(Span(str(number + 1), 1, placed, bool(right[number]), row == mention, loose=False))
        return tuple(found)
