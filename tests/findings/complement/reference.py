"""Complementarity once more, slowly and obviously: sets, dictionaries, loops and fractions, from DEFINITIONS 1 to 3.

Nothing of comparanda is used here. A system is what it did: which positive items it found, which negative items it
claimed, and at which sites it is wrong. Everything else is counted from these sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tests.reference import Value, Values, labels_of, ratio

Item = Any  # whatever tells one item from another
Number = int | Fraction


@dataclass(frozen=True, kw_only=True)
class Done:
    """What one run did.

    Args:
        found: the positive items that it has.
        spurious: the negative items that it claims.
        wrong: the sites at which it errs; None where Comp is over items.
        called: what the negative items are called: labels by item.
        ruled_out: positive items that do not count for this run.

    """

    found: frozenset[Item]
    spurious: frozenset[Item]
    wrong: frozenset[Item] | None = None
    called: Mapping[Item, str] = field(default_factory=dict)
    ruled_out: frozenset[Item] = frozenset()


@dataclass(frozen=True)
class Judged:
    """A key and what the runs of systems did.

    Args:
        positives: the items of the key, with their labels.
        sites: the sites, with their labels; None where Comp is over items.
        systems: the runs of each system.
        sets: whether the value of a site is a set of labels; then each label is compared by its items.

    """

    positives: Mapping[Item, str]
    sites: Mapping[Item, str] | None
    systems: Mapping[str, Sequence[Done]]
    sets: bool = False


# From plain data to what a run did


def numbered(things: Iterable[Item]) -> set[Item]:
    """Tell repeated things apart: the second of two is another item."""
    met: Counter[Item] = Counter()
    found = set()
    for thing in things:
        found.add((thing, met[thing]))
        met[thing] += 1
    return found


def of_values(
    key: Values, systems: Mapping[str, Sequence[Values]], surplus: Mapping[str, Sequence[Sequence[Any]]] | None = None
) -> Judged:
    """Judge tags and labels: a site each, and an item for each value or each label of a set.

    `surplus` holds for each run what it has beside the sites: words of its own as (place, value), which are negative.
    """
    positives = {(site, label): label for site, value in enumerate(key) for label in labels_of(value)}
    sites = {site: written(value) for site, value in enumerate(key)}
    done = {
        name: [_valued(key, values, list(surplus[name][run]) if surplus else []) for run, values in enumerate(runs)]
        for name, runs in systems.items()
    }
    return Judged(positives, sites, done, any(isinstance(value, frozenset) for value in key))


def _valued(key: Values, values: Values, surplus: list[Any]) -> Done:
    found, spurious, wrong = set[Item](), set[Item](), set[Item]()
    called: dict[Item, str] = {}
    for site, (wanted, given) in enumerate(zip(key, values, strict=True)):
        if wanted != given:
            wrong.add(site)
        for label in labels_of(given):
            if label in labels_of(wanted):
                found.add((site, label))
            else:
                spurious.add((site, label))
                called[site, label] = label
    for place, value in surplus:
        spurious.add(("beside", place, value))
        called["beside", place, value] = value
    return Done(found=frozenset(found), spurious=frozenset(spurious), wrong=frozenset(wrong), called=called)


def written(value: Value) -> str:
    return "|".join(sorted(value)) if isinstance(value, frozenset) else str(value)


Arc = tuple[Any, str]
"""The head of a word, as a word of the key, and its label."""


def of_trees(
    key: Sequence[Arc],
    systems: Mapping[str, Sequence[Sequence[Arc | None]]],
    view: str,
    surplus: Mapping[str, Sequence[Sequence[Any]]] | None = None,
) -> Judged:
    """Judge trees: a word is right if its head and label are (las), or its head is (uas).

    The item of a word and its arc is called by the label of the arc. A head alone has no label: it is called by what
    the word is in the key, and that of a word beside the key by what the key's word there is.
    """

    def valued(arc: Arc) -> Any:
        return arc if view == "las" else arc[0]

    def done(arcs: Sequence[Arc | None], beside: Sequence[Any]) -> Done:
        found, spurious, wrong = set[Item](), set[Item](), set[Item]()
        called: dict[Item, str] = {}
        for word, (wanted, given) in enumerate(zip(key, arcs, strict=True)):
            if given is not None and valued(given) == valued(wanted):
                found.add((word, valued(wanted)))
                continue
            wrong.add(word)
            if given is not None:
                spurious.add((word, valued(given)))
                called[word, valued(given)] = given[1] if view == "las" else wanted[1]
        for place, near, arc in beside:
            spurious.add(("beside", place, valued(arc)))
            called["beside", place, valued(arc)] = arc[1] if view == "las" else key[near][1]
        return Done(found=frozenset(found), spurious=frozenset(spurious), wrong=frozenset(wrong), called=called)

    positives = {(word, valued(arc)): arc[1] for word, arc in enumerate(key)}
    sites = {word: arc[1] for word, arc in enumerate(key)}
    return Judged(
        positives,
        sites,
        {
            name: [done(arcs, surplus[name][run] if surplus else ()) for run, arcs in enumerate(runs)]
            for name, runs in systems.items()
        },
    )


Span = tuple[Hashable, ...]
"""Document, extent, label: anything that two sides write alike; the last is the label."""


def of_spans(key: Sequence[Span], systems: Mapping[str, Sequence[Sequence[Span]]]) -> Judged:
    """Judge typed spans exactly: a span of the key is used once, and what is left over is spurious."""
    gold = numbered(key)

    def done(spans: Sequence[Span]) -> Done:
        mine = numbered(spans)
        called = {item: str(item[0][-1]) for item in mine - gold}
        return Done(found=frozenset(mine & gold), spurious=frozenset(mine - gold), wrong=None, called=called)

    positives = {item: str(item[0][-1]) for item in gold}
    return Judged(positives, None, {name: [done(each) for each in runs] for name, runs in systems.items()})


# The six integers, and what follows from them


@dataclass(frozen=True)
class Errors:
    """A's errors of one kind, B's, and the common ones."""

    a: int
    b: int
    c: int

    @property
    def forth(self) -> Fraction | None:
        """The share of A's errors that B does not make."""
        if self.b == 0:
            return Fraction(1)
        if self.a == 0:
            return None
        return 1 - Fraction(self.c, self.a)

    @property
    def back(self) -> Fraction | None:
        return Errors(self.b, self.a, self.c).forth


def harmonic(precision: Fraction | None, recall: Fraction | None, beta: Number = 1) -> Fraction | None:
    """FβComp: undefined if either is, 0 if both are."""
    if precision is None or recall is None:
        return None
    if precision == 0 and recall == 0:
        return Fraction(0)
    square = Fraction(beta) ** 2
    return (1 + square) * precision * recall / (square * precision + recall)


@dataclass(frozen=True)
class Scores:
    """What a set of claims is worth."""

    true: int
    false: int
    positives: int

    @property
    def precision(self) -> Fraction | None:
        return ratio(self.true, self.true + self.false)

    @property
    def recall(self) -> Fraction | None:
        return ratio(self.true, self.positives)

    @property
    def f1(self) -> Fraction | None:
        return ratio(2 * self.true, 2 * self.true + self.false + self.positives - self.true)


NUMBERS = (
    *("found_both", "found_first", "found_second", "found_neither"),
    *("claimed_both", "claimed_first", "claimed_second", "wrong_both", "wrong_first", "wrong_second"),
)
"""The counts of a pair."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """What is counted of two systems, over all pairs of their runs."""

    over_sites: bool

    found_both: int = 0
    found_first: int = 0
    found_second: int = 0
    found_neither: int = 0
    claimed_both: int = 0
    claimed_first: int = 0
    claimed_second: int = 0
    wrong_both: int = 0
    wrong_first: int = 0
    wrong_second: int = 0

    def __add__(self, other: Pair) -> Pair:
        return self._with(one + two for one, two in zip(self.numbers, other.numbers, strict=True))

    def times(self, weight: int) -> Pair:
        return self._with(weight * number for number in self.numbers)

    def _with(self, numbers: Iterable[int]) -> Pair:
        return Pair(over_sites=self.over_sites, **dict(zip(NUMBERS, numbers, strict=True)))

    @property
    def numbers(self) -> tuple[int, ...]:
        return tuple(getattr(self, name) for name in NUMBERS)

    @property
    def positives_by(self) -> tuple[int, int, int, int]:
        return self.found_both, self.found_first, self.found_second, self.found_neither

    @property
    def negatives_by(self) -> tuple[int, int, int]:
        return self.claimed_both, self.claimed_first, self.claimed_second

    @property
    def positives(self) -> int:
        return sum(self.positives_by)

    @property
    def missed(self) -> Errors:
        neither = self.found_neither
        return Errors(self.found_second + neither, self.found_first + neither, neither)

    @property
    def spurious(self) -> Errors:
        both = self.claimed_both
        return Errors(both + self.claimed_first, both + self.claimed_second, both)

    @property
    def all(self) -> Errors:
        """Errors over sites where there are any, else over items."""
        if self.over_sites:
            both = self.wrong_both
            return Errors(both + self.wrong_first, both + self.wrong_second, both)
        one, two = self.missed, self.spurious
        return Errors(one.a + two.a, one.b + two.b, one.c + two.c)

    def f_forth(self, beta: Number = 1) -> Fraction | None:
        return harmonic(self.spurious.forth, self.missed.forth, beta)

    def f_back(self, beta: Number = 1) -> Fraction | None:
        return harmonic(self.spurious.back, self.missed.back, beta)

    @property
    def union(self) -> Scores:
        """Everything that either claims."""
        return Scores(self.found_both + self.found_first + self.found_second, sum(self.negatives_by), self.positives)

    @property
    def intersection(self) -> Scores:
        """Everything that both claim."""
        return Scores(self.found_both, self.claimed_both, self.positives)


def count(judged: Judged, first: str, second: str) -> Pair:
    """Count a pair of systems: each pair of their runs, added up."""
    total = Pair(over_sites=judged.sites is not None)
    for one in judged.systems[first]:
        for two in judged.systems[second]:
            total += _counted(judged.positives, one, two)
    return total


def _counted(positives: Iterable[Item], one: Done, two: Done) -> Pair:
    wanted = set(positives) - one.ruled_out - two.ruled_out
    mine, theirs = wanted & one.found, wanted & two.found
    wrong, also = one.wrong or frozenset(), two.wrong or frozenset()
    return Pair(
        over_sites=one.wrong is not None,
        found_both=len(mine & theirs),
        found_first=len(mine - theirs),
        found_second=len(theirs - mine),
        found_neither=len(wanted - mine - theirs),
        claimed_both=len(one.spurious & two.spurious),
        claimed_first=len(one.spurious - two.spurious),
        claimed_second=len(two.spurious - one.spurious),
        wrong_both=len(wrong & also),
        wrong_first=len(wrong - also),
        wrong_second=len(also - wrong),
    )


def only_label(judged: Judged, label: str) -> Judged:
    """Return what is called by one label: items by their own, sites by that of the key."""
    if judged.sets:
        bare = {name: [replace(done, wrong=None) for done in runs] for name, runs in judged.systems.items()}
        judged = replace(judged, sites=None, systems=bare, sets=False)

    def kept(done: Done) -> Done:
        return Done(
            found=frozenset(item for item in done.found if judged.positives[item] == label),
            spurious=frozenset(item for item in done.spurious if done.called[item] == label),
            wrong=None
            if done.wrong is None or judged.sites is None
            else frozenset(site for site in done.wrong if judged.sites[site] == label),
            called=done.called,
            ruled_out=done.ruled_out,
        )

    return Judged(
        {item: name for item, name in judged.positives.items() if name == label},
        None if judged.sites is None else {site: name for site, name in judged.sites.items() if name == label},
        {system: [kept(done) for done in runs] for system, runs in judged.systems.items()},
    )


def labels_used(judged: Judged, *systems: str) -> set[str]:
    """Return what anything is called that the key or some systems have."""
    called = {name for system in systems for done in judged.systems[system] for name in done.called.values()}
    return {*judged.positives.values(), *called}
