"""Select sites or items by a condition: the scope of `--where` and of the condition of every count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.sites import format_value, majority_of
from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import UsageError
from comparanda.expressions import BUILTINS, Function, Parameter, Scope, find_names, parse, quote_string, walk_tree
from comparanda.expressions.choice import Chooser
from comparanda.expressions.names import (
    AMONG,
    CHANGED_SUFFIX,
    CLAIMS,
    FREQUENCY,
    ITEM_NAMES,
    OF_ALL,
    OF_ITEMS,
    OF_RUNS,
    OF_SYSTEMS,
    PAIR_ITEM_NAMES,
    RIGHT_BY_RUN,
    RULE,
    SITE_NAMES,
    SOURCE_NAMES,
    VERDICT,
    WEIGHT,
    pair_names,
)
from comparanda.expressions.syntax import And, Call, Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.items import Items
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import System, Verdicts, View
    from comparanda.expressions import Type


def about_items(where: str, attributes: Collection[str] = ()) -> bool:
    """Whether a condition is about items; an attribute of sites may have the same name as one of items.

    >>> about_items('positive and not claims("crf")'), about_items('label == "PER"')
    (True, False)
    """
    if find_names(where) & ({*ITEM_NAMES, *PAIR_ITEM_NAMES} - {*attributes}):
        return True
    return any(isinstance(node, Call) and node.function in OF_ITEMS for node in walk_tree(parse(where).root))


def item_scope(verdicts: Verdicts, view: View, pair: tuple[int, int] | None = None) -> Scope:
    """Return the scope of conditions on the items of a view, and on one pair of runs."""
    items = view.items
    columns = _ItemColumns(verdicts, items, pair)
    types: dict[str, Type] = {"label": "text", "document": "text", **ITEM_NAMES}
    if pair is not None:
        types |= PAIR_ITEM_NAMES
    run, number = Parameter(name="run", literal=True, choices=verdicts.runs), verdicts.runs.index
    functions = {**BUILTINS, CLAIMS: Function((run,), "truth", lambda name: items.has(number(name)))}
    if (item_outcomes := items.outcomes) is not None:
        functions |= {
            VERDICT: Function(
                (run,),
                "text",
                lambda name: _outcome_column(item_outcomes.verdict[number(name)], item_outcomes.verdicts),
            ),
            RULE: Function(
                (run,), "text", lambda name: _outcome_column(item_outcomes.rule[number(name)], item_outcomes.rules)
            ),
        }
    if view.candidates is not None:
        functions[WEIGHT] = Function((run,), "number", lambda name: _item_weights(view, number(name)))
    return Scope(types=types, column=columns.column, length=items.rows, functions=functions)


def _outcome_column(codes: Codes, names: tuple[str, ...]) -> TextColumn:
    """Return the outcomes by rules as a column; missing where the run does not have the item."""
    return TextColumn(codes, names, names.index("") if "" in names else None)


def _item_weights(view: View, run: int) -> NDArray[np.float64]:
    """Return the weight of each item's tuple in a run; missing where the run has no such tuple among its candidates."""
    from comparanda.core.joins import pack_columns

    claims, mine = view.claims, view.items.claim
    assert view.candidates is not None
    assert claims is not None
    assert mine is not None
    tuples = view.candidates[run]
    code = {name: number for number, name in enumerate(claims.names)}
    label = np.array([code.get(name, -1) for name in tuples.names], np.int64)[tuples.label]
    asked, known = pack_columns(
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


class _ItemColumns:
    """The columns of a scope of items, each computed on request."""

    def __init__(self, verdicts: Verdicts, items: Items, pair: tuple[int, int] | None) -> None:
        self.verdicts, self.items, self.pair = verdicts, items, pair

    def column(self, name: str) -> Column:
        if name == "label":
            return TextColumn(self.items.label, tuple(map(format_value, self.items.names)))
        if name == "document":
            return self.verdicts.document_column(self.items.document)
        if name == "positive":
            return self._positive_column()
        if name == "negative":
            return ~self.items.positive
        if name == "claimed_by":
            return self._claimed_by_column()
        assert self.pair is not None
        return self.items.has(self.pair[0 if name == "base_claims" else 1])

    def _claimed_by_column(self) -> Rows:
        """Return the number of runs that have each item."""
        count = np.zeros(self.items.rows, np.int64)
        for run in range(len(self.verdicts.runs)):
            count += self.items.has(run)
        return count

    def _positive_column(self) -> Truths:
        """Whether the key has each item and it counts: for both runs of a pair, without a pair for any run."""
        runs = range(len(self.verdicts.runs)) if self.pair is None else self.pair
        counting = [self.items.counts(run) for run in runs]
        found: Truths = (np.logical_or if self.pair is None else np.logical_and).reduce(counting)
        return found


Kind = Literal["sites", "items"]
"""The rows a condition is about."""

_MAX_CACHED_ROWS = 12_000_000
"""The maximum number of rows cached over all pairs of runs; each takes about twenty bytes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection:
    """The sites, or items, that a condition selects.

    Args:
        where: the condition.
        rows: the sites or items, by their index in the view.
        view: the view they are in: the view of the pair alone, where sites depend on the runs compared.
        pairs: for each of them the runs of base and new it is about; None if no pair was given.
        runs: the runs compared; None for all.
        of: whether they are sites or items.
        folded: the number of further ones that are counted but not listed.

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


class SelectionCaches:
    """Caches shared by conditions on the same verdicts.

    One is enough for all counts of a report; conditions on the same pair should be evaluated consecutively.

    Args:
        verdicts: the verdicts.

    """

    def __init__(self, verdicts: Verdicts) -> None:
        self.verdicts = verdicts
        self._choosers: dict[tuple[View, tuple[int, int] | None, bool], Chooser] = {}

    def sites(self, where: str, view: View, pair: tuple[int, int] | None = None) -> Rows:
        """Return the sites of a view that match a condition, which may refer to one pair of runs."""
        return self._get_chooser((view, pair, False), lambda: make_scope(self.verdicts, view, pair)).rows(where)

    def items(self, where: str, view: View, pair: tuple[int, int] | None = None) -> Rows:
        """Return the items of a view that match a condition, which may refer to one pair of runs."""
        return self._get_chooser((view, pair, True), lambda: item_scope(self.verdicts, view, pair)).rows(where)

    def folded(self, where: str, view: View, pair: tuple[int, int] | None = None, of: Kind = "sites") -> int:
        """Return the number of matches of a condition among the sites or items that are only counted."""
        cells, folded = view.cells if of == "sites" else view.item_cells, view.folded
        if cells is None or folded is None:
            return 0
        rows = self._select_cells(
            where,
            cells=cells,
            pair=pair,
            of=of,
            lost=frozenset(view.sites.attributes) - frozenset(cells.sites.attributes),
        )
        kinds = rows if of == "sites" else cells.items.place[rows]
        return int(folded.count[kinds].sum())

    def _select_cells(
        self,
        where: str,
        cells: View,
        pair: tuple[int, int] | None,
        of: Kind,
        *,
        lost: Collection[str],
    ) -> Rows:
        """Return the kinds of sites that match a condition; attributes they lack must not affect the result."""
        choose = self.sites if of == "sites" else self.items
        unknown = find_names(where) & {*lost, FREQUENCY}
        if not unknown:
            return choose(where, cells, pair)
        root = parse(where).root
        for each in root.operands if isinstance(root, And) else ():
            operand = where[each.place.start : each.place.end]
            if not find_names(operand) & unknown and not len(choose(operand, cells, pair)):
                return np.zeros(0, np.int64)
        raise _folded_sites_error(where, unknown, len(self.verdicts.runs))

    def _get_chooser(self, of: tuple[View, tuple[int, int] | None, bool], visible: Callable[[], Scope]) -> Chooser:
        """Return the cached row selector of a scope; the least recently used ones are evicted."""
        found = self._choosers.pop(of, None) or Chooser(visible())
        self._choosers[of] = found
        while len(self._choosers) > 1 and sum(each.length for each in self._choosers.values()) > _MAX_CACHED_ROWS:
            del self._choosers[next(iter(self._choosers))]
        return found


def _folded_sites_error(where: str, unknown: Collection[str], runs: int) -> UsageError:
    """Make the error for a condition on attributes that are unknown for sites that are only counted.

    Word frequencies are then unknown for all sites, so excluding some of them does not help.
    """
    what = f"{', '.join(sorted(unknown))} of sites that all systems have right is unknown: these are only counted"
    hint = "compare with more --memory"
    if FREQUENCY not in unknown:
        hint = f"exclude them with `({where}) and solved_by < {runs}`, or {hint}"
    return UsageError(what, hint=hint)


def select_rows(
    verdicts: Verdicts,
    view: View,
    where: str,
    *,
    base: str | None = None,
    new: str | None = None,
    alone: bool = True,
    caches: SelectionCaches | None = None,
) -> Selection:
    """Return the sites that match a condition, or the items if it refers to items.

    With a pair of systems the condition may use `base`, `new`, `correction` and so on; a site then
    counts once for each pair of their runs. A condition that does not refer to the pair counts each site once.
    Overlap sites are those of the pair, unless the condition refers to all systems, or to neither all systems nor
    the pair, and the pair was not given explicitly (`alone` is false). With `flips` or `right_in` they are then those
    of the systems named there. `among` states explicitly whose sites they are. With `right_by_run` a site counts once
    for each run of the system that it names. Pass the same `caches` for many conditions.
    """
    caches = caches or SelectionCaches(verdicts)
    if about_items(where, view.sites.attributes):
        return _select_items(caches, view=view, where=where, base=base, new=new)
    paired = bool(find_names(where) & {*pair_names(view.sites), *SOURCE_NAMES})
    among = _runs_among(verdicts, where)
    named = [] if among else _named_systems(verdicts, where)
    if (
        base is not None
        and new is not None
        and (paired or (alone and not among and not _refers_to_several_systems(where)))
    ):
        named = [base, new]
    runs = (*among, *(run for name in named for run in verdicts.system(name).runs)) or None
    if runs is not None:
        view = view.among(runs)
    if base is None or new is None or not paired:
        turns = list(_expand_by_run(verdicts, where))
        rows = np.concatenate([caches.sites(each, view) for each in turns])
        return Selection(
            where=where,
            rows=rows,
            view=view,
            pairs=None,
            runs=runs,
            folded=sum(caches.folded(each, view) for each in turns),
        )
    if any(call.function == RIGHT_BY_RUN for call in _find_calls(where)):
        what = f"{RIGHT_BY_RUN}() cannot be combined with names that refer to a pair, such as 'correction'"
        raise UsageError(what, hint="write right(RUN) for a single run")
    both = verdicts.system(base), verdicts.system(new)
    found = _select_by_run_pair(where, view=view, systems=both, caches=caches, of="sites")
    return replace(found, runs=runs)


def sites_among_all(verdicts: Verdicts, view: View, where: str) -> Rows:
    """Return the sites of a view, as defined by all systems together, that match a condition."""
    if view.folded is not None:
        what = (
            "sites that all systems have right are only counted here, so the result cannot be restricted to some sites"
        )
        raise UsageError(what, hint="compare with more --memory, or give the condition when comparing")
    if any(call.function == AMONG for call in _find_calls(where)):
        what = f"{where!r} is about the sites of some runs, but a result can only be restricted to sites of all runs"
        raise UsageError(what, hint="remove `among`, or compare only these systems")
    return SelectionCaches(verdicts).sites(where, view)


def _select_items(caches: SelectionCaches, view: View, where: str, base: str | None, *, new: str | None) -> Selection:
    """Return the items that match a condition; items do not depend on which runs are compared."""
    if base is None or new is None or not find_names(where) & {*PAIR_ITEM_NAMES}:
        rows = caches.items(where, view)  # refuses names that items do not have
        return Selection(
            where=where, rows=rows, view=view, pairs=None, of="items", folded=caches.folded(where, view, of="items")
        )
    both = caches.verdicts.system(base), caches.verdicts.system(new)
    return _select_by_run_pair(where, view=view, systems=both, caches=caches, of="items")


def _select_by_run_pair(
    where: str,
    view: View,
    systems: tuple[System, System],
    caches: SelectionCaches,
    *,
    of: Kind,
) -> Selection:
    """Select rows once for each pair of runs of two systems."""
    choose = caches.sites if of == "sites" else caches.items
    found, pairs, folded = [], [], 0
    for pair in product(systems[0].runs, systems[1].runs):
        rows = choose(where, view, pair)
        found.append(rows)
        pairs += [pair] * len(rows)
        folded += caches.folded(where, view, pair, of)
    return Selection(where=where, rows=np.concatenate(found), view=view, pairs=tuple(pairs), of=of, folded=folded)


def _refers_to_several_systems(where: str) -> bool:
    """Whether a condition refers to all systems together, or to single runs by name."""
    called = {call.function for call in _find_calls(where)}
    return bool(called & {*OF_RUNS, RIGHT_BY_RUN} or find_names(where) & OF_ALL)


@lru_cache(maxsize=64)
def _find_calls(where: str) -> tuple[Call, ...]:
    return tuple(node for node in walk_tree(parse(where).root) if isinstance(node, Call))


def _literal_arguments(where: str, functions: Collection[str]) -> set[str]:
    """Return the names of runs or systems given to some functions as arguments."""
    asked = [each for call in _find_calls(where) if call.function in functions for each in call.arguments[:1]]
    return {each.value for each in asked if isinstance(each, Text)}


def _expand_by_run(verdicts: Verdicts, where: str) -> Iterator[str]:
    """Yield a condition once for each run of the systems in its `right_by_run`; most conditions have none."""
    systems = [verdicts.system(name) for name in sorted(_literal_arguments(where, {RIGHT_BY_RUN}))]
    for turn in product(*(system.runs for system in systems)):
        runs = {system.name: verdicts.runs[run] for system, run in zip(systems, turn, strict=True)}
        yield _substitute_runs(where, runs)


def _substitute_runs(where: str, runs: Mapping[str, str]) -> str:
    """Replace systems by single runs in a condition: `right("gpt#1")` for `right_by_run("gpt")`."""
    for call in sorted(_find_calls(where), key=lambda call: call.place, reverse=True):
        if call.function == RIGHT_BY_RUN and len(call.arguments) == 1 and isinstance(call.arguments[0], Text):
            run = f"right({quote_string(runs[call.arguments[0].value])})"
            where = where[: call.place.start] + run + where[call.place.end :]
    return where


def _named_systems(verdicts: Verdicts, where: str) -> list[str]:
    """Return the systems that a condition refers to as a whole, if it refers to no other runs."""
    if _refers_to_several_systems(where):
        return []
    named = _literal_arguments(where, OF_SYSTEMS)
    return [system.name for system in verdicts.systems if system.name in named]


def _runs_among(verdicts: Verdicts, where: str) -> tuple[int, ...]:
    """Return the runs whose sites a condition is restricted to by `among`; it cannot refer to other runs."""
    named_runs = _literal_arguments(where, {AMONG})
    if not named_runs:
        return ()
    others = (_literal_arguments(where, OF_RUNS) - named_runs) | (find_names(where) & OF_ALL)
    others |= {
        name for name in _literal_arguments(where, {*OF_SYSTEMS, RIGHT_BY_RUN}) if _runs_of(verdicts, name) - named_runs
    }
    if others:
        what = f"{where!r} is restricted to the sites of {', '.join(sorted(named_runs))}, but refers to others"
        raise UsageError(what, hint=f"not available there: {', '.join(sorted(others))}")
    return tuple(run for run, name in enumerate(verdicts.runs) if name in named_runs)


def _runs_of(verdicts: Verdicts, system: str) -> set[str]:
    return {verdicts.runs[run] for each in verdicts.systems if each.name == system for run in each.runs}


def make_scope(verdicts: Verdicts, view: View, pair: tuple[int, int] | None = None) -> Scope:
    """Return the scope of conditions on the sites of a view, and on one pair of runs."""
    sites = view.sites
    types: dict[str, Type] = {name: attribute.type for name, attribute in sites.attributes.items()}
    types |= {name: kind for name, kind in SITE_NAMES.items() if name != FREQUENCY or "word" in types}
    if pair is not None:
        types |= pair_names(sites)
    columns = _SiteColumns(verdicts, view, pair)
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
class _SiteColumns:
    """The columns of a scope of sites, each computed on request."""

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
            return self._pair_column(name, *self.pair)
        if name in self.sites.attributes and name not in SITE_NAMES:
            return self.sites.attributes[name].make()
        if name in {"majority", "majority_right", "agreement"}:
            return self._majority_column(name)
        return self._column_makers()[name]()

    def values(self, codes: Codes) -> TextColumn:
        return TextColumn(codes, _displayed_names(self.sites.names))

    def labels(self, codes: Codes) -> TextColumn:
        return TextColumn(codes, _displayed_names(self.sites.labels.names))

    def of_systems(self) -> dict[str, Function]:
        """Return the functions of all runs of a system: whether they differ, and how many are right."""
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
        """Return the functions of single aspects of values, such as the head and the label of an arc."""
        aspects, runs = self.sites.aspects, self.verdicts.runs
        which = Parameter(name="aspect", literal=True, choices=tuple(aspects))

        def text(name: str, aspect: str) -> TextColumn:
            return TextColumn(aspects[aspect].values[runs.index(name)], _displayed_names(aspects[aspect].names))

        def agrees(name: str, aspect: str) -> NDArray[np.bool_]:
            return np.equal(aspects[aspect].values[runs.index(name)], aspects[aspect].key)

        return {
            "aspect": Function((run, which), "text", text),
            "agrees": Function((run, which), "truth", agrees),
        }

    def _column_makers(self) -> dict[str, Callable[[], Column]]:
        sites = self.sites
        return {
            "key": lambda: self.values(sites.key),
            "label": lambda: self.labels(sites.labels.key),
            "document": lambda: self.verdicts.document_column(sites.document),
            "frequency": self._frequency_column,
            "solved_by": lambda: np.stack(sites.right).sum(axis=0, dtype=np.int64),
        }

    def _pair_column(self, name: str, base: int, new: int) -> Column:
        sites = self.sites
        if name in {"base", "new"}:
            return self.values(sites.values[base if name == "base" else new])
        if name in {"base_label", "new_label"}:
            return self.labels(sites.labels.values[base if name == "base_label" else new])
        if name.endswith(CHANGED_SUFFIX):
            aspect = sites.aspects[name.removesuffix(CHANGED_SUFFIX)]
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

    def _frequency_column(self) -> Column:
        """Return the number of occurrences of each site's word in this view, whose sites must all be listed."""
        if self.sites.folded is not None:
            raise _folded_sites_error("", {FREQUENCY}, len(self.sites.values))
        words = self.sites.attributes["word"].make()
        if not isinstance(words, TextColumn):
            raise TypeError("the attribute 'word' must be text")
        return np.bincount(words.codes, minlength=len(words.names))[words.codes]

    def _majority_column(self, name: str) -> Column:
        votes, winner = majority_of(list(self.sites.values))
        if name == "agreement":
            return votes.astype(np.int64)
        return self.values(winner) if name == "majority" else np.equal(winner, self.sites.key)


@cache
def _displayed_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(format_value, names))
