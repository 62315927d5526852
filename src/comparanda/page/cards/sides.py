"""What the sides of a card say, and which runs say the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from comparanda.page.cards.texts import fitted, short_place
from comparanda.page.data import Side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.comparison.examples import Example
    from comparanda.page.cards.texts import Line
    from comparanda.page.data import ArcMark, ArcWord, Chain, Mark, Ruling

FEW_RUNS = 8
"""Up to so many runs a card shows what they say around a site; of more, what they say at the site alone."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    return Drawing(None, NOTHING_MORE, (NOTHING_MORE,) * runs)


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
