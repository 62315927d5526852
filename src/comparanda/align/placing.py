"""Which occurrence of a quote an item of an answer is.

Items are taken in the order of the answer, and the text is read from begin to end:

- Where the answer says which occurrence it means, or holds the text around the item, that place is taken.
- A quote that is claimed as often as it stands in the text, or more often: the n-th item is the n-th occurrence. What
  is left over may say something else (another label) of an occurrence; if not, it is *repeated*.
- A quote that is claimed less often: each item takes the first free occurrence that does not stand before the item
  before it in the answer, and does not lie inside a longer item; if there is none, the first that is free. It could
  be another one, so these items are *ambiguous*.
- A quote that is found nowhere is *hallucinated*.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from comparanda.align.copies import Copied
from comparanda.align.occurrences import Occurrences, Place, cut

if TYPE_CHECKING:
    from comparanda.align.copies import Match
    from comparanda.align.occurrences import How, Searched

NORMALISED: Final = "normalised"
INSIDE: Final = "inside"
FUZZY: Final = "fuzzy"
AMBIGUOUS: Final = "ambiguous"
REPEATED: Final = "repeated"
HALLUCINATED: Final = "hallucinated"
PLAIN: Final = ""
"""How an item was placed: all but the plain ones, which stand in the text as they are."""

_ORDER: Final = ("exact", "normalised", "inside", "fuzzy")


@dataclass(frozen=True, slots=True)
class Claim:
    """An item of an answer.

    Args:
        quote: the text that it quotes.
        label: its label.
        id: the id of its entity; None where it has none.
        occurrence: which occurrence of the quote it means, from 1; 0 where it does not say.
        begin: where it stands in the answer's copy of the text; -1 where there is none.

    """

    quote: str
    label: str
    id: str | None = None
    occurrence: int = 0
    begin: int = -1


@dataclass(frozen=True, slots=True)
class Placed:
    """Where an item stands, and how it was placed; None for one without a place."""

    place: Place | None
    placing: str


@dataclass(eq=False, slots=True)
class _Group:
    """The items of one quote."""

    occurrences: Occurrences
    places: list[Place]
    claims: list[int]
    taken: set[Place] = field(default_factory=set)
    skips: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))

    @property
    def enough(self) -> bool:
        """Whether the quote is claimed for every occurrence."""
        return len(self.places) <= len(self.claims)


def place_claims(text: Searched, claims: Sequence[Claim], copy: Copied | None = None) -> list[Placed]:
    """Place the items of one answer.

    >>> from comparanda.align.occurrences import Searched
    >>> text = Searched("Anna met Bo. Anna left Bo and Bo.")
    >>> claims = [Claim(quote, "PER") for quote in ("Anna", "Bo", "Anna", "Anna", "Zed")]
    >>> for each in place_claims(text, claims):
    ...     print(each.place, each.placing or "as it is")
    (0, 4) as it is
    (9, 11) ambiguous
    (13, 17) as it is
    None repeated
    None hallucinated
    """
    return _Placing(text, claims).placed(copy)


class _Placing:
    """One answer on its way into the text."""

    def __init__(self, text: Searched, claims: Sequence[Claim]) -> None:
        self._text = text
        self._claims = claims
        self._found: dict[int, Placed] = {}
        self._used: set[tuple[Place, str]] = set()
        self._group: dict[int, _Group] = {}
        self._near: dict[int, Match] = {}

    def placed(self, copy: Copied | None) -> list[Placed]:
        if copy is not None:
            self._as_copied(copy)
        groups = self._groups()
        self._as_numbered(groups)
        for group in sorted(groups, key=lambda each: (_ORDER.index(each.occurrences.how), each.claims[0])):
            if group.enough:
                self._one_by_one(group)
        self._doubt(groups)
        self._in_order()
        return [self._found[number] for number in range(len(self._claims))]

    def _put(self, number: int, place: Place, how: How, *, doubtful: bool = False) -> None:
        """Give an item a place; if another item says the same of it, it is repeated."""
        claim = self._claims[number]
        if number in self._group:
            self._group[number].taken.add(place)
        if (place, claim.label) in self._used:
            self._found[number] = Placed(None, REPEATED)
            return
        self._used.add((place, claim.label))
        same = self._text.text[place[0] : place[1]] == claim.quote
        plain = how if how in {INSIDE, FUZZY} else PLAIN if same else NORMALISED
        self._found[number] = Placed(place, AMBIGUOUS if doubtful else plain)

    def _as_copied(self, copy: Copied) -> None:
        """Place items by the text around them, or at least remember where it puts them."""
        for number, claim in enumerate(self._claims):
            found = copy.match(claim.begin, claim.begin + len(claim.quote)) if claim.begin >= 0 else None
            if found is not None and found.certain:
                self._put(number, found.place, found.how)
            elif found is not None:
                self._near[number] = found

    def _groups(self) -> list[_Group]:
        """Look for each quote; those that differ in white space alone are one."""
        together: dict[tuple[str, ...], list[int]] = {}
        for number, claim in enumerate(self._claims):
            words = tuple(word[0] for word in cut(claim.quote)) or (claim.quote,)
            together.setdefault(words, []).append(number)
        groups = []
        for numbers in together.values():
            if all(number in self._found for number in numbers):
                continue
            wanted = max(len(numbers), *(self._claims[number].occurrence for number in numbers))
            found = self._text.occurrences(self._claims[numbers[0]].quote, wanted)
            if found is None:
                self._not_found(numbers)
                continue
            group = _Group(*found, numbers)
            group.taken |= {place for number in numbers if (place := self._place_of(number)) is not None}
            groups.append(group)
            self._group |= dict.fromkeys(numbers, group)
        return groups

    def _not_found(self, numbers: Iterable[int]) -> None:
        """Settle the items of a quote that is not in the text, unless a copy of it says what is meant."""
        for number in numbers:
            near = self._near.get(number)
            if number not in self._found and near is not None:
                self._put(number, near.place, near.how, doubtful=True)
            self._found.setdefault(number, Placed(None, HALLUCINATED))

    def _place_of(self, number: int) -> Place | None:
        return self._found[number].place if number in self._found else None

    def _as_numbered(self, groups: Iterable[_Group]) -> None:
        """Place items that say which occurrence they mean."""
        for group in groups:
            for number in group.claims:
                occurrence = self._claims[number].occurrence
                if number not in self._found and 0 < occurrence <= len(group.places):
                    self._put(number, group.places[occurrence - 1], group.occurrences.how)

    def _one_by_one(self, group: _Group) -> None:
        """Place as many items as there are occurrences, one after the other; then those that say something else."""
        free = [place for place in group.places if place not in group.taken]
        left = []
        for number in group.claims:
            if number in self._found:
                continue
            label = self._claims[number].label
            turn = next((turn for turn, place in enumerate(free) if (place, label) not in self._used), None)
            if turn is None:
                left.append(number)
            else:
                self._put(number, free.pop(turn), group.occurrences.how)
        start: dict[str, int] = {}
        for number in left:
            label = self._claims[number].label
            turn = start.get(label, 0)
            while turn < len(group.places) and (group.places[turn], label) in self._used:
                turn += 1
            start[label] = turn
            if turn == len(group.places):
                self._found[number] = Placed(None, REPEATED)
            else:
                self._put(number, group.places[turn], group.occurrences.how)

    def _doubt(self, groups: Iterable[_Group]) -> None:
        """Mark items of one quote that say different things, where their order does not tell which is which.

        It does not if the answer is not in the order of the text, or if there are more of them than occurrences.
        """
        begins = [place[0] for number in range(len(self._claims)) if (place := self._place_of(number)) is not None]
        in_order = all(one <= other for one, other in pairwise(begins))
        for group in groups:
            said = {(self._claims[number].label, self._claims[number].id) for number in group.claims}
            told = in_order and len(group.places) == len(group.claims)
            if not group.enough or len(group.places) < 2 or len(said) < 2 or told:
                continue
            for number in group.claims:
                claim, found = self._claims[number], self._found[number]
                if found.place is not None and claim.begin < 0 and not claim.occurrence:
                    self._found[number] = Placed(found.place, AMBIGUOUS)

    def _in_order(self) -> None:
        """Place the items of quotes that have more occurrences than items."""
        cover = _Cover([each.place for each in self._found.values() if each.place is not None])
        begin = 0
        for number in range(len(self._claims)):
            if number not in self._found:
                group, label = self._group[number], self._claims[number].label
                tries = ((begin, cover), (0, cover), (begin, None), (0, None))
                places = (self._free(group, label, start, inside) for start, inside in tries)
                place = self._as_near(number) or next((each for each in places if each is not None), None)
                if place is None:
                    self._found[number] = Placed(None, REPEATED)
                else:
                    self._put(number, place, group.occurrences.how, doubtful=True)
            begin = place[0] if (place := self._place_of(number)) is not None else begin

    def _as_near(self, number: int) -> Place | None:
        """Return where a copy of the text puts an item, if that place is free."""
        near, claim = self._near.get(number), self._claims[number]
        if near is None or near.place in self._group[number].taken or (near.place, claim.label) in self._used:
            return None
        return near.place

    def _free(self, group: _Group, label: str, begin: int, cover: _Cover | None) -> Place | None:
        """Return the first place behind a character that no item of the group has; inside no longer item, if asked."""
        skips = group.skips[cover is not None]
        passed: list[int] = []
        place = group.occurrences.behind(begin)
        while place is not None:
            if place[0] in skips:
                passed.append(place[0])
                begin = skips[place[0]]
            elif place in group.taken or (cover is not None and cover.holds(place)):
                passed.append(place[0])
                begin = place[0] + 1
            elif (place, label) in self._used:
                passed = []  # it is free for other labels, so nobody may skip it
                begin = place[0] + 1
            else:
                break
            place = group.occurrences.behind(begin)
        for each in passed:
            skips[each] = place[0] if place is not None else len(self._text.text) + 1
        return place


class _Cover:
    """The places of items, for telling whether an occurrence lies inside a longer one."""

    def __init__(self, places: Iterable[Place]) -> None:
        ordered = sorted(places)
        self._begins = [begin for begin, _ in ordered]
        self._reach = [0, *accumulate((end for _, end in ordered), max)]
        self._at = dict(ordered)  # the longest of those that begin there

    def holds(self, place: Place) -> bool:
        """Whether a place lies inside a longer one."""
        begin, end = place
        return self._reach[bisect_left(self._begins, begin)] >= end or self._at.get(begin, 0) > end
