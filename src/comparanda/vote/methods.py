"""The ways of combining the outputs of several runs: their names, and what each of them can combine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from comparanda.errors import UsageError, nearest

Ground = Literal["spans", "links", "values", "sets", "trees"]
"""What is voted on: typed spans, typed spans with an id, one value a row, a set of labels a row, trees."""

Needs = Literal["nothing", "ranks", "weights", "labels"]
"""What a vote must know of the runs: nothing, which is better, how good each is, how good at each label."""

UNION = "union"
INTERSECTION = "intersection"
MAJORITY = "majority"
WEIGHTED = "weighted"
PER_LABEL = "per-label"
AT_LEAST = "at-least"
TAG_VOTE = "tag-vote"
TREE_VOTE = "tree-vote"
WEIGHTED_TREE_VOTE = "weighted-tree-vote"

DEFAULTS: dict[Ground, tuple[str, ...]] = {
    "spans": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL, TAG_VOTE),
    "links": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL),
    "values": (MAJORITY, WEIGHTED, PER_LABEL),
    "sets": (UNION, MAJORITY, INTERSECTION, WEIGHTED, PER_LABEL),
    "trees": (TREE_VOTE, WEIGHTED_TREE_VOTE),
}
"""The methods that are tried where none is named."""

NAMES = (UNION, INTERSECTION, f"{AT_LEAST}-K", MAJORITY, WEIGHTED, PER_LABEL, TAG_VOTE, TREE_VOTE, WEIGHTED_TREE_VOTE)

_VOTES: dict[Ground, str] = {
    "spans": "span vote",
    "links": "link vote",
    "values": "value vote",
    "sets": "label vote",
    "trees": "tree vote",
}
_NEEDS: dict[str, Needs] = {
    WEIGHTED: "weights",
    PER_LABEL: "labels",
    TAG_VOTE: "ranks",
    TREE_VOTE: "ranks",
    WEIGHTED_TREE_VOTE: "weights",
}
_WRITTEN = re.compile(rf"{AT_LEAST}-([0-9]+)")


@dataclass(frozen=True, slots=True)
class Method:
    """A way of combining, by its name, such as `union`, `at-least-2` or `weighted`.

    >>> Method.parse("at-least-2")
    Method(kind='at-least', least=2)

    """

    kind: str
    least: int | None = None

    @classmethod
    def parse(cls, written: str) -> Method:
        """Read a name as people write it."""
        name = written.strip().lower()
        if found := _WRITTEN.fullmatch(name):
            if int(found[1]) < 1:
                raise UsageError(f"{written!r}: at least one run must have what is kept", hint=f"{AT_LEAST}-2, say")
            return cls(AT_LEAST, int(found[1]))
        if name not in NAMES or name == f"{AT_LEAST}-K":
            raise UsageError(
                f"no way of combining is called {written!r}{nearest(name, NAMES)}", hint=f"methods: {', '.join(NAMES)}"
            )
        return cls(name)

    def __str__(self) -> str:
        return self.kind if self.least is None else f"{self.kind}-{self.least}"

    def needs(self, ground: Ground) -> Needs:
        """Return what must be known of the runs; where one value is to be found, ties go to the better run."""
        return _NEEDS.get(self.kind, "ranks" if ground == "values" else "nothing")

    def vote(self, ground: Ground) -> str:
        """Return what is voted on, in words: a vote on spans and one on their tags differ."""
        return "tag vote" if self.kind == TAG_VOTE else _VOTES[ground]

    def check(self, ground: Ground, runs: int) -> None:
        """Refuse what cannot be combined so."""
        if self.least is not None and self.least > runs:
            raise UsageError(f"{self}: there are only {runs} runs", hint=f"{AT_LEAST}-{runs} is what all of them have")
        reason = self._misfit(ground)
        if reason is not None:
            raise UsageError(f"{self}: {reason}", hint=f"methods here: {', '.join(DEFAULTS[ground])}")

    def _misfit(self, ground: Ground) -> str | None:
        of_trees = self.kind in {TREE_VOTE, WEIGHTED_TREE_VOTE}
        if ground == "trees":
            return None if of_trees else "heads that are voted on one by one need not make a tree"
        if of_trees:
            return "there are no trees to vote on"
        if ground == "values" and self.kind in {UNION, INTERSECTION}:
            return f"a word or a row has one value, so there is no {self.kind} of several"
        if self.kind == TAG_VOTE and ground == "links":
            return "tags of words carry no ids, so links cannot be voted on by tags"
        if self.kind == TAG_VOTE and ground != "spans":
            return "it is for spans, whose words have chunk tags"
        return None
