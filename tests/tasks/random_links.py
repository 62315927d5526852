"""Random documents with linked mentions, and what DEFINITIONS 7 makes of them, in plain loops.

Nothing here knows the program: mentions are tuples, a document is a list of them, and a verdict is found by going
through the sentences of the definition one by one.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

NIL = "NIL"
SYSTEMS = ("one", "two", "three")
VIEWS = ("end_to_end", "linking", "end_to_end_fuzzy", "linking_fuzzy", "certain", "hit")

Record = dict[str, Any]


class Mention(NamedTuple):
    """A mention with its ids, the best first: none, NIL, one or several."""

    begin: int
    end: int
    label: str
    ids: tuple[str, ...] = ()
    confidence: str | None = None

    @property
    def first(self) -> str | None:
        """The id that decides; None for NIL."""
        return self.ids[0] if self.ids and self.ids[0] != NIL else None

    @property
    def known(self) -> frozenset[str]:
        """All its ids of a knowledge base."""
        return frozenset(self.ids) - {NIL}

    @property
    def extent(self) -> tuple[int, int]:
        return self.begin, self.end

    @property
    def content(self) -> tuple[Any, ...]:
        """What decides where nothing else does: extent, label, ids, confidence; what is missing comes first."""
        ids = tuple("" if each == NIL else each for each in self.ids)
        return self.begin, self.end, self.label, ids, self.confidence or ""

    def record(self) -> Record:
        """Return it as it is handed over."""
        found: Record = {"begin": self.begin, "end": self.end, "label": self.label}
        found |= {"id": "|".join(self.ids)} if self.ids else {}
        return found | ({"confidence": self.confidence} if self.confidence else {})


Documents = dict[str, list[Mention]]


@dataclass(frozen=True)
class Links:
    """Documents as the key and three systems have them."""

    sides: dict[str, Documents]

    def given(self, side: str, order: random.Random | None = None) -> list[Record]:
        """Return a side as records; its documents and mentions in another order if asked for."""
        names = list(self.sides["key"])
        if order is not None and side != "key":
            order.shuffle(names)
        return [
            {"id": name, "text": "x" * WIDTH, "spans": mixed([each.record() for each in self.sides[side][name]], order)}
            for name in names
        ]

    def changed(self, change: Callable[[str, Mention], Mention]) -> Links:
        """Return the same with another mention in place of each."""
        return Links(
            {
                side: {name: [change(side, each) for each in found] for name, found in documents.items()}
                for side, documents in self.sides.items()
            }
        )

    def chosen(self, fits: Callable[[str], bool]) -> Links:
        """Return the documents that fit, by their names."""
        return Links(
            {
                side: {name: found for name, found in documents.items() if fits(name)}
                for side, documents in self.sides.items()
            }
        )


def mixed(spans: list[Record], order: random.Random | None) -> list[Record]:
    return spans if order is None else order.sample(spans, len(spans))


# Inputs

WIDTH = 9


def links(seed: int, documents: int = 20, *, several: bool = True, twice: bool = True, later: bool = False) -> Links:
    """Make crowded documents: few extents, few labels, few ids, much of the key taken over by the systems.

    Args:
        seed: another one makes others.
        documents: how many.
        several: whether systems give several ids.
        twice: whether a side may have two mentions of one extent and label.
        later: whether two mentions may differ in later ids alone.

    """
    draw = random.Random(seed)
    sides: dict[str, Documents] = {side: {} for side in ("key", *SYSTEMS)}
    for number in range(documents):
        drawer, careful = _Drawer(draw, several), draw.random() < 0.3
        gold = [drawer.mention(key=True) for _ in range(draw.randint(0, 4))]
        gold = gold if later else alike(gold)
        pool = [drawer.mention(key=False) for _ in range(2)]
        sides["key"][f"d{number}"] = gold if twice else distinct(gold)
        for side in SYSTEMS:
            found = [drawer.answer(each, careful=careful) for each in gold if careful or draw.random() < 0.8]
            found += [each for each in pool if not careful and draw.random() < 0.4]
            found = [each for each in found for _ in range(1 if careful else draw.choice((1, 1, 1, 1, 2)))]
            found = found if later else alike(found)
            sides[side][f"d{number}"] = found if twice else distinct(found)
    return Links(sides)


def distinct(found: Iterable[Mention]) -> list[Mention]:
    return list({(each.extent, each.label): each for each in found}.values())


def alike(found: Sequence[Mention]) -> list[Mention]:
    """Give mentions of one extent, label and first id the same ids."""
    known = {(each.extent, each.label, each.first): each.ids for each in reversed(found)}
    return [each._replace(ids=known[each.extent, each.label, each.first]) for each in found]


class _Drawer:
    """Draws the mentions of one document."""

    def __init__(self, draw: random.Random, several: bool) -> None:
        self.draw, self.several = draw, several
        self.labels = draw.choice((("LOC",), ("LOC", "PER"), ("LOC", "PER")))
        reach = draw.choice((3, 5, 8))
        self.extents = [self.extent(reach) for _ in range(draw.randint(1, 4))]
        self.nothing = draw.choice(((), (NIL,)))

    def extent(self, reach: int) -> tuple[int, int]:
        begin = self.draw.randrange(reach)
        return begin, min(WIDTH, begin + self.draw.choice((0, 1, 1, 2, 3)))

    def mention(self, *, key: bool) -> Mention:
        ids = self.accepted() if key else self.said(())
        low = self.draw.choice((None, None, "low", "high")) if key else None
        begin, end = self.draw.choice(self.extents)
        return Mention(begin=begin, end=end, label=self.draw.choice(self.labels), ids=ids, confidence=low)

    def moved(self, wanted: Mention) -> tuple[int, int]:
        """Draw an extent near that of a mention."""
        begin, end = (max(0, min(WIDTH, place + self.draw.choice((-1, 0, 1)))) for place in wanted.extent)
        return begin, max(begin, end)

    def accepted(self) -> tuple[str, ...]:
        """Draw the ids of a key mention: none, one, or several of which each is as good."""
        if self.draw.random() < 0.25:
            return self.nothing
        return tuple(self.draw.sample(("Q1", "Q2", "Q3"), self.draw.choice((1, 1, 2, 3))))

    def said(self, accepted: Sequence[str]) -> tuple[str, ...]:
        """Draw the ids of a system, often one of those that the key accepts."""
        known = [each for each in accepted if each != NIL]
        if self.draw.random() < 0.2:
            first = self.nothing
        else:
            first = (self.draw.choice(known) if known and self.draw.random() < 0.6 else self.draw.choice(IDS),)
        if not self.several or self.draw.random() < 0.6:
            return first
        more = self.draw.sample((*IDS, NIL), self.draw.randint(1, 4))
        return tuple(dict.fromkeys([*(first or (NIL,)), *more]))

    def answer(self, wanted: Mention, *, careful: bool) -> Mention:
        """Draw what a system makes of a key mention: the same extent and label, or others."""
        if careful:
            known = sorted(wanted.known)
            ids = (self.draw.choice(known),) if known and self.draw.random() < 0.8 else self.said(wanted.ids)
            return Mention(*wanted.extent, wanted.label, ids)
        extent = self.draw.choice((wanted.extent, wanted.extent, self.moved(wanted), self.draw.choice(self.extents)))
        label = wanted.label if self.draw.random() < 0.8 else self.draw.choice(("LOC", "PER"))
        return Mention(*extent, label, self.said(wanted.ids))


IDS = ("Q1", "Q2", "Q3", "Q4")


# Who belongs to whom

Kind = Literal["exact", "wrong type", "fuzzy"]


def overlap(one: Mention, other: Mention) -> bool:
    """Half-open; a mention without length overlaps what strictly contains or equals it."""
    return one.extent == other.extent or (one.begin < other.end and other.begin < one.end)


class Pair(NamedTuple):
    """A system mention and a key mention that belong together, by number."""

    system: int
    key: int
    kind: Kind


def aligned(system: Sequence[Mention], key: Sequence[Mention], *, types: bool = True) -> list[Pair]:
    """Pair mentions in content order one to one: same extent and type, then wrong type, then overlaps."""
    found: list[Pair] = []

    def accepted(one: Mention, other: Mention) -> int:
        return int(one.first in other.known)

    def distance(one: Mention, other: Mention) -> int:
        return abs(one.begin - other.begin) + abs(one.end - other.end)

    def pair(
        kind: Kind, fits: Callable[[Mention, Mention], bool], cost: Callable[[Mention, Mention], tuple[int, ...]]
    ) -> None:
        free = [
            (*cost(one, other), mine, theirs)
            for mine, one in enumerate(system)
            for theirs, other in enumerate(key)
            if fits(one, other)
        ]
        for *_, mine, theirs in sorted(free):
            if all(mine != each.system and theirs != each.key for each in found):
                found.append(Pair(mine, theirs, kind))

    def same_extent(one: Mention, other: Mention) -> bool:
        return one.extent == other.extent

    def best_id(one: Mention, other: Mention) -> tuple[int, ...]:
        return (-accepted(one, other),)

    def closest(one: Mention, other: Mention) -> tuple[int, ...]:
        return distance(one, other), -accepted(one, other)

    pair("exact", lambda one, other: same_extent(one, other) and one.label == other.label, best_id)
    if types:
        pair("wrong type", same_extent, lambda *_: ())
    else:
        pair("exact", same_extent, best_id)
    pair("fuzzy", lambda one, other: overlap(one, other) and one.label == other.label, closest)
    if not types:
        pair("fuzzy", overlap, closest)
    return found


# What becomes of them


@dataclass(kw_only=True)
class Fate:
    """What one mention is.

    Args:
        mention: the mention.
        kind: how it is aligned; None for not at all.
        partner: the mention of the other side.
        resolved: what the ids of the pair make of it.
        hit: whether one of the first ids of the system is right.
        n: how many ids of a system are looked at for that.

    """

    mention: Mention
    missing: str
    kind: Kind | None = None
    partner: Mention | None = None
    resolved: str = ""
    hit: bool = False
    n: int = 5

    def outcome(self, view: str) -> str:
        """Return its class in a view."""
        if view == "hit":
            return "hit" if self.hit else "miss"
        if self.kind == "exact" or (self.kind == "fuzzy" and view.endswith("fuzzy")):
            return self.resolved
        if self.mention.first is None:
            return "NIL"
        return "wrong type" if self.kind == "wrong type" else self.missing

    def flag(self, view: str) -> str:
        """Return what an uncertain key id or a fuzzy pair adds to the class."""
        if view in {"certain", "hit"}:
            return ""
        key = self.partner if self.missing == "spurious" else self.mention
        low = key is not None and key.confidence == "low"
        flags = [*(["fuzzy"] if self.kind == "fuzzy" else []), *(["low confidence"] if low else [])]
        return f" ({', '.join(flags)})" if flags else ""

    def left_out(self, view: str) -> str:
        """Return why it does not count in a view; "" if it does."""
        ours = self.missing == "spurious"
        seen = self.mention.known & set(self.mention.ids[: self.n]) if view == "hit" and ours else self.mention.first
        if not seen:
            return "no id"
        if view in {"linking", "hit"} and self.kind != "exact":
            return "tagger"
        if view == "linking_fuzzy" and self.kind in {None, "wrong type"}:
            return "tagger"
        key = self.partner if ours else self.mention
        low = key is not None and key.confidence == "low"
        return "low confidence" if view == "certain" and low else ""

    def written(self, view: str) -> str:
        reason = self.left_out(view)
        return self.outcome(view) + self.flag(view) + (f", left out: {reason}" if reason else "")

    def right(self, view: str) -> bool:
        return self.outcome(view) in {"TP", "conditional TP", "hit"} and not self.left_out(view)

    @property
    def source(self) -> str:
        """Whose error it is end to end; "" for none."""
        outcome = self.outcome("end_to_end")
        if outcome in {"missed", "spurious", "wrong type"}:
            return "tagger"
        wrong = {"wrong id", "NIL for id"} | ({"id for NIL"} if self.missing == "spurious" else set())
        return "resolver" if outcome in wrong else ""


class Judged(NamedTuple):
    """The mentions of a document, a system's and the key's, in content order."""

    system: list[Fate]
    key: list[Fate]

    def counts(self, view: str) -> tuple[int, int, int]:
        """Return TP, FP and FN."""
        right = sum(each.right(view) for each in self.key)
        assert right == sum(each.right(view) for each in self.system)
        wrong, missed = (
            sum(not each.right(view) and not each.left_out(view) for each in side) for side in (self.system, self.key)
        )
        return right, wrong, missed

    def outcomes(self, view: str) -> Counter[tuple[bool, str]]:
        """Count how key mentions are called, and what the system has beside what is right of them."""
        found = Counter((True, each.written(view)) for each in self.key)
        return found + Counter((False, each.written(view)) for each in self.system if not each.right(view))


def judged(system: Iterable[Mention], key: Iterable[Mention], *, types: bool = True, n: int = 5) -> Judged:
    """Go through the sentences of DEFINITIONS 7."""
    mine = [Fate(mention=each, missing="spurious", n=n) for each in sorted(system, key=lambda each: each.content)]
    theirs = [Fate(mention=each, missing="missed") for each in sorted(key, key=lambda each: each.content)]
    for ours, other, kind in aligned([each.mention for each in mine], [each.mention for each in theirs], types=types):
        one, wanted = mine[ours], theirs[other]
        one.kind = wanted.kind = kind
        one.partner, wanted.partner = wanted.mention, one.mention
        one.resolved, wanted.resolved = resolved(one.mention.first, wanted.mention)
        one.hit = wanted.hit = kind == "exact" and bool(wanted.mention.known & set(one.mention.ids[:n]))
    return Judged(mine, theirs)


def resolved(said: str | None, wanted: Mention) -> tuple[str, str]:
    """Return what the id of a system and those of the key make of an aligned pair, for each side."""
    if said is None and wanted.first is None:
        return "TN", "TN"
    if wanted.first is None:
        return "id for NIL", "TN"
    if said is None:
        return "NIL for id", "NIL for id"
    if said in wanted.known:
        return ("TP", "TP") if len(wanted.known) == 1 else ("conditional TP", "conditional TP")
    return "wrong id", "wrong id"


# Sites

Value = Counter[tuple[tuple[int, int], str, tuple[str, ...]]]
"""Extents with their labels and ids."""


class Site(NamedTuple):
    """A connected component of overlapping mentions: values of key and systems, and whose errors these make."""

    key: Value
    values: tuple[Value, ...]
    sources: tuple[str, ...]


def sites_of(key: Sequence[Mention], systems: Sequence[Sequence[Mention]], *, types: bool = True) -> list[Site]:
    """Walk from mention to overlapping mention, in the universe of the key and some systems."""
    fates = [judged(each, key, types=types) for each in systems]
    left = {*key, *(each for system in systems for each in system)}
    found = []
    while left:
        component, edge = set[Mention](), [left.pop()]
        while edge:
            one = edge.pop()
            component.add(one)
            near = {other for other in left if overlap(one, other)}
            left -= near
            edge += near
        here = [Judged(*([fate for fate in side if fate.mention in component] for side in each)) for each in fates]
        wanted: Value = Counter((each.extent, each.label, spelled(each)) for each in key if each in component)
        found.append(Site(wanted, tuple(map(value_of, here)), tuple(map(sources_of, here))))
    return found


def spelled(wanted: Mention) -> tuple[str, ...]:
    return tuple(sorted(wanted.known))


def value_of(here: Judged) -> Value:
    """Return what a system has at a site: what is right is written as in the key, wrong values as they are."""
    value: Value = Counter()
    for fate in here.system:
        one, wanted = fate.mention, fate.partner
        if fate.kind == "exact" and wanted is not None and fate.resolved in {"TP", "conditional TP", "TN"}:
            value[wanted.extent, wanted.label, spelled(wanted)] += 1
        else:
            value[one.extent, one.label, () if one.first is None else (one.first,)] += 1
    return value


def sources_of(here: Judged) -> str:
    found = {fate.source for side in here for fate in side}
    return " and ".join(sorted(found - {""})) or "none"
