"""From a condition to the items it selects: what the key has and runs claim, one by one.

A condition that speaks of claims is about items; all others are about sites (`selection`). The names below are in no
scope of sites, so a condition tells by itself which table it is about.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Column, TextColumn
from comparanda.expressions import BUILTINS, Function, Parameter, Scope, names_used, parse, walk
from comparanda.expressions.syntax import Call
from comparanda.rules.joins import packed
from comparanda.sites import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows, Truths
    from comparanda.expressions import Type
    from comparanda.items import Items
    from comparanda.verdicts import Verdicts, View

ITEM_NAMES: Mapping[str, Type] = {"positive": "truth", "negative": "truth", "claimed_by": "number"}
"""What is said of items alone: whether the key has one and it counts, whether it has not, and how many runs do."""

PAIR_ITEM_NAMES: Mapping[str, Type] = {"base_claims": "truth", "new_claims": "truth"}
"""Whether the systems of a pair have an item."""

CLAIMS, VERDICT, RULE, WEIGHT = "claims", "verdict", "rule", "weight"
"""What is asked of an item and a run: whether it has it, what rules made of it and which rule did, what it weighs."""

OF_ITEMS = frozenset({CLAIMS, VERDICT, RULE, WEIGHT})
"""The functions that speak of items: `claims("crf")`, `verdict("crf") == "FN"`."""


def about_items(where: str, attributes: Collection[str] = ()) -> bool:
    """Whether a condition is about items; an attribute of sites may be called like one of their names.

    >>> about_items('positive and not claims("crf")'), about_items('label == "PER"')
    (True, False)
    """
    if names_used(where) & ({*ITEM_NAMES, *PAIR_ITEM_NAMES} - {*attributes}):
        return True
    return any(isinstance(node, Call) and node.function in OF_ITEMS for node in walk(parse(where).root))


def item_scope(verdicts: Verdicts, view: View, pair: tuple[int, int] | None = None) -> Scope:
    """Return what a condition can see of the items of a view, and of one pair of runs."""
    items = view.items
    columns = _Columns(verdicts, items, pair)
    types: dict[str, Type] = {"label": "text", "document": "text", **ITEM_NAMES}
    if pair is not None:
        types |= PAIR_ITEM_NAMES
    run, number = Parameter("run", literal=True, choices=verdicts.runs), verdicts.runs.index
    functions = {**BUILTINS, CLAIMS: Function((run,), "truth", lambda name: items.has(number(name)))}
    if (told := items.outcomes) is not None:
        functions |= {
            VERDICT: Function((run,), "text", lambda name: _text(told.verdict[number(name)], told.verdicts)),
            RULE: Function((run,), "text", lambda name: _text(told.rule[number(name)], told.rules)),
        }
    if view.candidates is not None:
        functions[WEIGHT] = Function((run,), "number", lambda name: _weights(view, number(name)))
    return Scope(types=types, column=columns.column, length=items.rows, functions=functions)


def _text(codes: Codes, names: tuple[str, ...]) -> TextColumn:
    """Return what rules said; missing where they had nothing to say, for the run does not have the item."""
    return TextColumn(codes, names, names.index("") if "" in names else None)


def _weights(view: View, run: int) -> NDArray[np.float64]:
    """Return what the tuple that is each item weighs in a run; missing where it holds no such tuple for possible."""
    claims, mine = view.claims, view.items.claim
    assert view.candidates is not None
    assert claims is not None
    assert mine is not None
    tuples = view.candidates[run]
    code = {name: number for number, name in enumerate(claims.names)}
    label = np.array([code.get(name, -1) for name in tuples.names], np.int64)[tuples.label]
    asked, known = packed(
        [
            [claims.document[mine], claims.begin[mine], claims.end[mine], claims.label[mine].astype(np.int64)],
            [tuples.document, tuples.begin, tuples.end, label],
        ]
    )
    found = np.full(len(mine), np.nan)
    if len(known):
        order = np.argsort(known, kind="stable")
        place = order[np.minimum(np.searchsorted(known, asked, sorter=order), len(known) - 1)]
        found = np.where(known[place] == asked, tuples.beliefs.weight[place], np.nan)
    return found


class _Columns:
    """Makes the columns of a scope, each when it is asked for."""

    def __init__(self, verdicts: Verdicts, items: Items, pair: tuple[int, int] | None) -> None:
        self.verdicts, self.items, self.pair = verdicts, items, pair

    def column(self, name: str) -> Column:
        if name == "label":
            return TextColumn(self.items.label, tuple(map(shown, self.items.names)))
        if name == "document":
            return TextColumn(self.items.document, self.verdicts.documents)
        if name == "positive":
            return self._positive()
        if name == "negative":
            return ~self.items.positive
        if name == "claimed_by":
            return self._claimed_by()
        assert self.pair is not None
        return self.items.has(self.pair[0 if name == "base_claims" else 1])

    def _claimed_by(self) -> Rows:
        """Return how many runs have each item."""
        count = np.zeros(self.items.rows, np.int64)
        for run in range(len(self.verdicts.runs)):
            count += self.items.has(run)
        return count

    def _positive(self) -> Truths:
        """Whether the key has each item and it counts: for both runs of a pair, or else for any run."""
        runs = range(len(self.verdicts.runs)) if self.pair is None else self.pair
        counting = [self.items.counts(run) for run in runs]
        found: Truths = (np.logical_or if self.pair is None else np.logical_and).reduce(counting)
        return found
