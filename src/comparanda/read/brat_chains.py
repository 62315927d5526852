"""Chains in brat: annotations that relations or equivalences say to be one entity.

An equivalence names all annotations of a chain (`*<TAB>Coreference T1 T4 T7`), or some of them; a relation joins two
(`R1<TAB>Coref Arg1:T4 Arg2:T1`). Whatever is joined by any way is one chain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from comparanda.places import Note, first_places, refuse
from comparanda.read.request import choose

if TYPE_CHECKING:
    from comparanda.places import Source
    from comparanda.read.request import Request

CHAIN_OPTIONS: Mapping[str, str] = {
    "relations": "chains: the types of relations and equivalences that are coreference, with commas between them "
    "(default: Coref, Coreference, Identity, Anaphora, Equiv and the like), or none",
    "alone": "chains: what to do about annotations in no chain: keep (each is a mention alone), drop",
}

# fmt: off
USUAL = frozenset({
    "coref", "coreference", "coreferent", "coreferential", "corefers", "corefer", "corefersto", "coreferswith",
    "identity", "ident", "identical", "anaphora", "anaphor", "anaphoric", "equiv", "sameas",
})
# fmt: on
"""The types that mean coreference, in small letters, without hyphens and underscores."""

NO_TYPE = "none"
_KEEP_OR_DROP = ("keep", "drop")
_RELATION = re.compile(r"(?P<name>R\S*)\t(?P<type>\S+) \S+:(?P<first>[^\s:]++) \S+:(?P<second>[^\s:]++)\s*")
_EQUIVALENCE = re.compile(r"(?P<name>\*)\t(?P<type>\S+) (?P<members>.*)")
_EVENT = re.compile(r"(?P<name>E\S*)\t\S+:(?P<trigger>T\S+)(?:\s.*)?")


class Links:
    """What joins annotations, file by file.

    Args:
        source: the bytes.
        request: what was asked.

    """

    def __init__(self, source: Source, request: Request) -> None:
        self.source, self.side = source, request.side
        asked = request.options.get("relations")
        self.types = USUAL if asked is None else frozenset(filter(None, map(_plain, asked.split(","))))
        self.drop = choose(request.options, "alone", _KEEP_OR_DROP) == "drop"
        self._given: list[tuple[int, str, list[str]]] = []
        self._triggers: dict[str, str] = {}
        self._joined = 0
        self._short: list[int] = []
        self._others: Counter[str] = Counter()
        self._other_places: list[int] = []
        self._dropped: list[int] = []

    def take(self, line: str, place: int) -> bool:
        """Take a line that is a relation, an equivalence or an event; return whether it is one of them."""
        if event := _EVENT.fullmatch(line):
            self._triggers[event["name"]] = event["trigger"]
            return True
        relation, equivalence = _RELATION.fullmatch(line), _EQUIVALENCE.fullmatch(line)
        found = relation or equivalence
        if found is None:
            return False
        if _plain(found["type"]) not in self.types:
            self._others[found["type"]] += 1
            self._other_places.append(place)
        elif relation:
            self._given.append((place, relation["name"], [relation["first"], relation["second"]]))
        elif equivalence:
            self._given.append((place, "this line", equivalence["members"].split()))
        return True

    def chains(self, known: Collection[str], number: int) -> dict[str, str]:
        """Return the chain of each annotation of a file that was joined with another, and begin the next file.

        Args:
            known: the annotations of the file.
            number: that of the file: a name of a chain is that of no chain in another file.

        """
        groups = _Groups()
        for place, name, members in self._given:
            annotations = [self._annotation(member, known, name, place) for member in members]
            for other in annotations[1:]:
                groups.join(annotations[0], other)
            if len(annotations) < 2:
                self._short.append(place)
        self._joined += len(self._given)
        self._given, self._triggers = [], {}
        return {name: f"{number}.{groups.first(name)}" for name in known if name in groups}

    def _annotation(self, named: str, known: Collection[str], name: str, place: int) -> str:
        """Return the annotation that a line names: the trigger for an event."""
        found = self._triggers.get(named, named)
        if found not in known:
            what = f"{name} speaks of {named}, which is not in this file"
            raise refuse(self.source, place, what, hint="was the annotation deleted without what was said of it?")
        return found

    def keeps(self, place: int) -> bool:
        """Whether an annotation in no chain is a mention."""
        if self.drop:
            self._dropped.append(place)
        return not self.drop

    def finished(self) -> list[Note]:
        """Return what was met; refuse an input all of whose relations are of types that are not known."""
        if self._others and not self._joined and NO_TYPE not in self.types:
            types = [name for name, _ in self._others.most_common()]
            what = f"no relation is coreference: there are {', '.join(types[:5])}{' …' if len(types) > 5 else ''}"
            hint = f"say which types are: ?relations={types[0]}, or that none is: ?relations={NO_TYPE}"
            raise refuse(self.source, self._other_places[0], what, hint=hint)
        kinds = {
            f"relations of other types, passed over ({', '.join(sorted(self._others)[:5])})": self._other_places,
            "equivalences of fewer than two annotations, which join nothing": self._short,
            "annotations in no chain, left out": self._dropped,
        }
        notes = [
            Note(self.side, what, len(places), first_places(self.source, np.array(places, np.int64)))
            for what, places in kinds.items()
            if places
        ]
        if not self._joined:
            notes.append(Note(self.side, "inputs in which no relation is coreference: every mention is alone", 1))
        return notes


def _plain(name: str) -> str:
    """Return a type in the form in which types are compared.

    >>> _plain("Same_As"), _plain("COREF")
    ('sameas', 'coref')
    """
    return name.strip().casefold().replace("_", "").replace("-", "")


class _Groups:
    """Names in groups that grow together.

    >>> groups = _Groups()
    >>> groups.join("T3", "T1"); groups.join("T4", "T5"); groups.join("T5", "T3")
    >>> groups.first("T5"), groups.first("T1"), "T9" in groups
    ('T4', 'T4', False)
    """

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._above

    def join(self, one: str, other: str) -> None:
        """Make two groups one."""
        first, second = self.first(one), self.first(other)
        self._above[second] = first

    def first(self, name: str) -> str:
        """Return the name that a group is known by."""
        self._above.setdefault(name, name)
        while (above := self._above[name]) != name:
            self._above[name] = self._above[above]  # halve the way
            name = above
        return name
