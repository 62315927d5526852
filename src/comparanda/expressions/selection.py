"""From a condition to the sites or items it selects: the scope of `--where` and of every count's own condition."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.sites import majority_of, shown
from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import UsageError
from comparanda.expressions import BUILTINS, Function, Parameter, Scope, names_used, parse, quote, walk
from comparanda.expressions.choice import Chooser
from comparanda.expressions.syntax import And, Call, Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.items import Items
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import System, Verdicts, View
    from comparanda.expressions import Type


# From a condition to the items it selects: what the key has and runs claim, one by one.
#
# A condition that speaks of claims is about items; all others are about sites (`selection`). The names below are in no
# scope of sites, so a condition tells by itself which table it is about.


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
    run, number = Parameter(name="run", literal=True, choices=verdicts.runs), verdicts.runs.index
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
    from comparanda.core.joins import packed

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


PAIR_NAMES: Mapping[str, Type] = {
    "base": "text",
    "new": "text",
    "base_label": "text",
    "new_label": "text",
    "base_right": "truth",
    "new_right": "truth",
    "differs": "truth",
    "correction": "truth",
    "new_error": "truth",
    "changed_error": "truth",
    "same_right": "truth",
    "same_error": "truth",
}
SITE_NAMES: Mapping[str, Type] = {
    "key": "text",
    "label": "text",
    "document": "text",
    "frequency": "number",
    "solved_by": "number",
    "agreement": "number",
    "majority": "text",
    "majority_right": "truth",
}

FREQUENCY = "frequency"
"""The name that speaks of how often a word is there."""

OF_ALL = frozenset({"solved_by", "agreement", "majority", "majority_right"})
"""The names that speak of all systems together."""

OF_RUNS = frozenset({"right", "value", "aspect", "agrees", "source"})
"""The functions that speak of single runs by their names."""

OF_SYSTEMS = frozenset({"flips", "right_in"})
"""The functions that speak of all runs of a system by its name."""

RIGHT_BY_RUN = "right_by_run"
"""The function that speaks of the runs of a system one after the other: whether each is right, by `right`."""

AMONG = "among"
"""The function that says whose sites are meant: those of the key and the runs that it names. It is true everywhere."""

_CHANGED = "_changed"

Kind = Literal["sites", "items"]
"""What a condition is about."""

_KEPT = 12_000_000
"""How many rows are kept of all pairs of runs together; each takes some twenty bytes."""

SOURCE_NAMES = ("base_source", "new_source")
"""Whose errors those of a pair are, where rules tell."""


def pair_names(sites: Sites) -> dict[str, Type]:
    """Return the names that speak of a pair of systems, such as `correction`, `base_label` or `head_changed`."""
    return {**PAIR_NAMES, **dict.fromkeys((f"{aspect}{_CHANGED}" for aspect in sites.aspects), "truth")}


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection:
    """The sites, or items, that a condition selects.

    Args:
        where: the condition.
        rows: the sites or items, by their index in the view.
        view: the view they are in: that of the pair alone, where sites depend on who is looked at.
        pairs: for each of them the runs of base and new it is about; None where no pair was named.
        runs: the runs that are looked at; None for all.
        of: whether they are sites or items.
        folded: how many more there are that are only counted.

    """

    where: str
    rows: Rows
    view: View
    pairs: tuple[tuple[int, int], ...] | None
    of: Kind = "sites"
    runs: tuple[int, ...] | None = None
    folded: int = 0

    def __len__(self) -> int:
        return len(self.rows) + self.folded


class Ground:
    """What conditions on the same verdicts share: all that was worked out of them.

    One is enough for all counts of a report; those that are about the same pair should come one after the other.

    Args:
        verdicts: the verdicts.

    """

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self._choosers: dict[tuple[View, tuple[int, int] | None, bool], Chooser] = {}

    def sites(self, where: str, view: View, pair: tuple[int, int] | None = None) -> Rows:
        """Return the sites of a view that fulfil a condition, which may be about one pair of runs."""
        return self._chooser((view, pair, False), lambda: scope(self.verdicts, view, pair)).rows(where)

    def items(self, where: str, view: View, pair: tuple[int, int] | None = None) -> Rows:
        """Return the items of a view that fulfil a condition, which may be about one pair of runs."""
        return self._chooser((view, pair, True), lambda: item_scope(self.verdicts, view, pair)).rows(where)

    def folded(self, where: str, view: View, pair: tuple[int, int] | None = None, of: Kind = "sites") -> int:
        """Return how many of the sites or items that are only counted fulfil a condition."""
        cells, folded = view.cells if of == "sites" else view.item_cells, view.folded
        if cells is None or folded is None:
            return 0
        rows = self._cells(
            where,
            cells=cells,
            pair=pair,
            of=of,
            lost=frozenset(view.sites.attributes) - frozenset(cells.sites.attributes),
        )
        kinds = rows if of == "sites" else cells.items.place[rows]
        return int(folded.count[kinds].sum())

    def _cells(
        self,
        where: str,
        cells: View,
        pair: tuple[int, int] | None,
        of: Kind,
        *,
        lost: Collection[str],
    ) -> Rows:
        """Return the kinds of sites that fulfil a condition; they lack some attributes, which must not matter."""
        choose = self.sites if of == "sites" else self.items
        unknown = names_used(where) & {*lost, FREQUENCY}
        if not unknown:
            return choose(where, cells, pair)
        root = parse(where).root
        for each in root.operands if isinstance(root, And) else ():
            told = where[each.place.start : each.place.end]
            if not names_used(told) & unknown and not len(choose(told, cells, pair)):
                return np.zeros(0, np.int64)
        raise _only_counted(where, unknown, len(self.verdicts.runs))

    def _chooser(self, of: tuple[View, tuple[int, int] | None, bool], visible: Callable[[], Scope]) -> Chooser:
        """Return what chooses rows; those that were not asked for a long time are forgotten."""
        found = self._choosers.pop(of, None) or Chooser(visible())
        self._choosers[of] = found
        while len(self._choosers) > 1 and sum(each.length for each in self._choosers.values()) > _KEPT:
            del self._choosers[next(iter(self._choosers))]
        return found


def _only_counted(where: str, unknown: Collection[str], runs: int) -> UsageError:
    """Make the error for a condition on what is not known of sites that are only counted.

    How frequent words are is not known of any site then, so that leaving some out is no help.
    """
    what = f"{', '.join(sorted(unknown))} of sites that all systems have right is not known: these are only counted"
    hint = "compare with more --memory"
    if FREQUENCY not in unknown:
        hint = f"to leave these out write `({where}) and solved_by < {runs}`, or {hint}"
    return UsageError(what, hint=hint)


def selected(
    verdicts: Verdicts,
    view: View,
    where: str,
    *,
    base: str | None = None,
    new: str | None = None,
    alone: bool = True,
    ground: Ground | None = None,
) -> Selection:
    """Return the sites that fulfil a condition, or the items where it speaks of those.

    With a pair of systems the condition may use `base`, `new`, `correction` and so on; a site then
    counts once for each pair of their runs. A condition that does not speak of the pair counts each site once.
    Overlap sites are those of the pair, unless the condition speaks of all systems, or neither of them nor of the
    pair and the pair was not named (`alone` is false). With `flips` or `right_in` they are then those of the systems
    that these name. `among` says whose they are, and leaves nothing to guess. With `right_by_run` a site counts once
    for each run of the system that it names. Who asks for many shares a `ground` between them.
    """
    ground = ground or Ground(verdicts)
    if about_items(where, view.sites.attributes):
        return _selected_items(ground, view=view, where=where, base=base, new=new)
    paired = bool(names_used(where) & {*pair_names(view.sites), *SOURCE_NAMES})
    among = _runs_among(verdicts, where)
    named = [] if among else _systems_named(verdicts, where)
    if base is not None and new is not None and (paired or (alone and not among and not _of_all(where))):
        named = [base, new]
    runs = (*among, *(run for name in named for run in verdicts.system(name).runs)) or None
    if runs is not None:
        view = view.among(runs)
    if base is None or new is None or not paired:
        turns = list(_run_by_run(verdicts, where))
        rows = np.concatenate([ground.sites(each, view) for each in turns])
        return Selection(
            where=where,
            rows=rows,
            view=view,
            pairs=None,
            runs=runs,
            folded=sum(ground.folded(each, view) for each in turns),
        )
    both = verdicts.system(base), verdicts.system(new)
    found = _of_runs(where, view=view, systems=both, ground=ground, of="sites")
    return replace(found, runs=runs)


def sites_among_all(verdicts: Verdicts, view: View, where: str) -> Rows:
    """Return the sites of a view, as all systems together make them, that fulfil a condition."""
    if view.folded is not None:
        what = "sites that all systems have right are only counted here, so a result cannot be cut to some sites"
        raise UsageError(what, hint="compare with more --memory, or give the condition when comparing")
    if any(call.function == AMONG for call in _calls(where)):
        what = f"{where!r} is about the sites of some runs, and a result is cut to those of all"
        raise UsageError(what, hint="leave `among` out, or compare these systems alone")
    return Ground(verdicts).sites(where, view)


def _selected_items(ground: Ground, view: View, where: str, base: str | None, *, new: str | None) -> Selection:
    """Return the items that fulfil a condition; what the key and the runs have does not depend on who is looked at."""
    if base is None or new is None or not names_used(where) & {*PAIR_ITEM_NAMES}:
        rows = ground.items(where, view)  # which refuses names that are not of items
        return Selection(
            where=where, rows=rows, view=view, pairs=None, of="items", folded=ground.folded(where, view, of="items")
        )
    both = ground.verdicts.system(base), ground.verdicts.system(new)
    return _of_runs(where, view=view, systems=both, ground=ground, of="items")


def _of_runs(
    where: str,
    view: View,
    systems: tuple[System, System],
    ground: Ground,
    *,
    of: Kind,
) -> Selection:
    """Select rows once for each pair of runs of two systems."""
    choose = ground.sites if of == "sites" else ground.items
    found, pairs, folded = [], [], 0
    for pair in product(systems[0].runs, systems[1].runs):
        rows = choose(where, view, pair)
        found.append(rows)
        pairs += [pair] * len(rows)
        folded += ground.folded(where, view, pair, of)
    return Selection(where=where, rows=np.concatenate(found), view=view, pairs=tuple(pairs), of=of, folded=folded)


def _of_all(where: str) -> bool:
    """Whether a condition speaks of what all systems say together, or of single ones by name."""
    called = {call.function for call in _calls(where)}
    return bool(called & {*OF_RUNS, RIGHT_BY_RUN} or names_used(where) & OF_ALL)


@lru_cache(maxsize=64)
def _calls(where: str) -> tuple[Call, ...]:
    return tuple(node for node in walk(parse(where).root) if isinstance(node, Call))


def _named_in(where: str, functions: Collection[str]) -> set[str]:
    """Return the names of runs or systems that some functions are asked about."""
    asked = [each for call in _calls(where) if call.function in functions for each in call.arguments[:1]]
    return {each.value for each in asked if isinstance(each, Text)}


def _run_by_run(verdicts: Verdicts, where: str) -> Iterator[str]:
    """Yield a condition once for each run of the systems that it speaks of run by run; most speak of none so."""
    systems = [verdicts.system(name) for name in sorted(_named_in(where, {RIGHT_BY_RUN}))]
    for turn in product(*(system.runs for system in systems)):
        runs = {system.name: verdicts.runs[run] for system, run in zip(systems, turn, strict=True)}
        yield _with_runs(where, runs)


def _with_runs(where: str, runs: Mapping[str, str]) -> str:
    """Write a condition of single runs in place of systems: `right("gpt#1")` for `right_by_run("gpt")`."""
    for call in sorted(_calls(where), key=lambda call: call.place, reverse=True):
        if call.function == RIGHT_BY_RUN and len(call.arguments) == 1 and isinstance(call.arguments[0], Text):
            run = f"right({quote(runs[call.arguments[0].value])})"
            where = where[: call.place.start] + run + where[call.place.end :]
    return where


def _systems_named(verdicts: Verdicts, where: str) -> list[str]:
    """Return the systems that a condition speaks of as a whole, if it speaks of them alone."""
    if _of_all(where):
        return []
    said = _named_in(where, OF_SYSTEMS)
    return [system.name for system in verdicts.systems if system.name in said]


def _runs_among(verdicts: Verdicts, where: str) -> tuple[int, ...]:
    """Return the runs whose sites a condition says it is about; it can speak of no others there."""
    said = _named_in(where, {AMONG})
    if not said:
        return ()
    others = (_named_in(where, OF_RUNS) - said) | (names_used(where) & OF_ALL)
    others |= {name for name in _named_in(where, {*OF_SYSTEMS, RIGHT_BY_RUN}) if _runs_of(verdicts, name) - said}
    if others:
        what = f"{where!r} is about the sites of {', '.join(sorted(said))} alone, and speaks of more"
        raise UsageError(what, hint=f"these are not known there: {', '.join(sorted(others))}")
    return tuple(run for run, name in enumerate(verdicts.runs) if name in said)


def _runs_of(verdicts: Verdicts, system: str) -> set[str]:
    return {verdicts.runs[run] for each in verdicts.systems if each.name == system for run in each.runs}


def scope(verdicts: Verdicts, view: View, pair: tuple[int, int] | None = None) -> Scope:
    """Return what a condition can see of a view, and of one pair of runs."""
    sites = view.sites
    types: dict[str, Type] = {name: attribute.type for name, attribute in sites.attributes.items()}
    types |= {name: kind for name, kind in SITE_NAMES.items() if name != FREQUENCY or "word" in types}
    if pair is not None:
        types |= pair_names(sites)
    columns = _SelectionColumns(verdicts, view, pair)
    run = Parameter(name="run", literal=True, choices=verdicts.runs)
    if pair is not None and view.error_sources is not None:
        types |= dict.fromkeys(SOURCE_NAMES, "text")
    functions = dict(BUILTINS) | {
        "right": Function((run,), "truth", lambda name: sites.right[verdicts.runs.index(name)]),
        "value": Function((run,), "text", lambda name: columns.values(sites.values[verdicts.runs.index(name)])),
        AMONG: Function((run,), "truth", lambda _: np.ones(sites.rows, np.bool_)),
    }
    functions |= columns.of_systems()
    if sites.aspects:
        functions |= columns.of_aspects(run)
    if view.error_sources is not None:
        functions["source"] = Function((run,), "text", lambda name: columns.source(verdicts.runs.index(name)))
    return Scope(types=types, column=columns.column, length=sites.rows, functions=functions)


@dataclass(frozen=True, eq=False)
class _SelectionColumns:
    """Makes the columns of a scope, each when it is asked for."""

    verdicts: Verdicts
    view: View
    pair: tuple[int, int] | None

    @property
    def sites(self) -> Sites:
        return self.view.sites

    def source(self, run: int) -> TextColumn:
        found = self.view.error_sources
        assert found is not None
        return TextColumn(found.runs[run], found.names)

    def column(self, name: str) -> Column:
        if self.pair is not None and name in SOURCE_NAMES:
            return self.source(self.pair[SOURCE_NAMES.index(name)])
        if self.pair is not None and name in pair_names(self.sites):
            return self._of_pair(name, *self.pair)
        if name in self.sites.attributes and name not in SITE_NAMES:
            return self.sites.attributes[name].make()
        if name in {"majority", "majority_right", "agreement"}:
            return self._majority(name)
        return self._makers()[name]()

    def values(self, codes: Codes) -> TextColumn:
        return TextColumn(codes, _shown(self.sites.names))

    def labels(self, codes: Codes) -> TextColumn:
        return TextColumn(codes, _shown(self.sites.labels.names))

    def of_systems(self) -> dict[str, Function]:
        """Return the functions that look at all runs of a system: whether they differ, and how many are right."""
        sites, runs = self.sites, {system.name: system.runs for system in self.verdicts.systems}
        system = Parameter(name="system", literal=True, choices=tuple(runs))

        def flips(name: str) -> NDArray[np.bool_]:
            first, found = sites.values[runs[name][0]], np.zeros(sites.rows, np.bool_)
            for run in runs[name][1:]:
                found |= sites.values[run] != first
            return found

        def right_in(name: str) -> NDArray[np.int64]:
            found: NDArray[np.int64] = np.stack([sites.right[run] for run in runs[name]]).sum(axis=0, dtype=np.int64)
            return found

        return {"flips": Function((system,), "truth", flips), "right_in": Function((system,), "number", right_in)}

    def of_aspects(self, run: Parameter) -> dict[str, Function]:
        """Return the functions that look at single aspects of values, such as the head and the label of an arc."""
        aspects, runs = self.sites.aspects, self.verdicts.runs
        which = Parameter(name="aspect", literal=True, choices=tuple(aspects))

        def text(name: str, aspect: str) -> TextColumn:
            return TextColumn(aspects[aspect].values[runs.index(name)], _shown(aspects[aspect].names))

        def agrees(name: str, aspect: str) -> NDArray[np.bool_]:
            return np.equal(aspects[aspect].values[runs.index(name)], aspects[aspect].key)

        return {
            "aspect": Function((run, which), "text", text),
            "agrees": Function((run, which), "truth", agrees),
        }

    def _makers(self) -> dict[str, Callable[[], Column]]:
        sites = self.sites
        return {
            "key": lambda: self.values(sites.key),
            "label": lambda: self.labels(sites.labels.key),
            "document": lambda: TextColumn(sites.document, self.verdicts.documents),
            "frequency": self._frequency,
            "solved_by": lambda: np.stack(sites.right).sum(axis=0, dtype=np.int64),
        }

    def _of_pair(self, name: str, base: int, new: int) -> Column:
        sites = self.sites
        if name in {"base", "new"}:
            return self.values(sites.values[base if name == "base" else new])
        if name in {"base_label", "new_label"}:
            return self.labels(sites.labels.values[base if name == "base_label" else new])
        if name.endswith(_CHANGED):
            aspect = sites.aspects[name.removesuffix(_CHANGED)]
            return np.not_equal(aspect.values[base], aspect.values[new])
        old, fresh = sites.right[base], sites.right[new]
        differs = sites.values[base] != sites.values[new]
        columns: dict[str, NDArray[np.bool_]] = {
            "base_right": old,
            "new_right": fresh,
            "differs": differs,
            "correction": ~old & fresh,
            "new_error": old & ~fresh,
            "changed_error": ~old & ~fresh & differs,
            "same_right": old & fresh,
            "same_error": ~old & ~fresh & ~differs,
        }
        return columns[name]

    def _frequency(self) -> Column:
        """How often the word of each site occurs at the sites of this view, which must all be there."""
        if self.sites.folded is not None:
            raise _only_counted("", {FREQUENCY}, len(self.sites.values))
        words = self.sites.attributes["word"].make()
        if not isinstance(words, TextColumn):
            raise TypeError("the attribute 'word' must be text")
        return np.bincount(words.codes, minlength=len(words.names))[words.codes]

    def _majority(self, name: str) -> Column:
        votes, winner = majority_of(list(self.sites.values))
        if name == "agreement":
            return votes.astype(np.int64)
        return self.values(winner) if name == "majority" else np.equal(winner, self.sites.key)


@cache
def _shown(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(shown, names))
