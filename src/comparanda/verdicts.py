"""What a judge says: sites with a value per run, items with an outcome per run, statistics per unit.

A *site* is a place where every run has decided something; an *item* is a thing that counts for
precision and recall (DEFINITIONS 1). `compare` sees these tables and nothing else, so a task that
fills them gets every finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.columns import Column, TextColumn, code_type
from comparanda.errors import UsageError, nearest
from comparanda.excerpts import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows, Truths
    from comparanda.places import Note


ABSENT = "\0absent"
"""The value of a run that has no row here. Input cannot contain it: NUL bytes are refused."""

NIL = "\0nil"
"""The value of a link that leads nowhere on purpose."""

OWN_PLACE = "self"
"""Where an aspect that points somewhere points to its own site."""

_SPELLED_SPECIAL = re.compile(r"\\*\((absent|nil)\)")

UnitKind = Literal["document", "sentence", "row"]

ITEM_STATISTICS = ("credit", "claimed", "positives")
"""The statistics that are counted from items; all others come from sites or from the judge."""

_FIRST_PLACES = 3


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named column of sites, made when first asked for; its type is known before."""

    type: Literal["truth", "number", "text"]
    make: Callable[[], Column]

    def taken(self, rows: Rows) -> Attribute:
        """Return the attribute of some of the sites."""

        def make() -> Column:
            whole = self.make()
            return whole.take(rows) if isinstance(whole, TextColumn) else whole[rows]

        return Attribute(self.type, make)


def shown(value: str) -> str:
    r"""Return a value as people see it: the special ones in brackets, labels spelled like them with a backslash.

    >>> shown(ABSENT), shown("NN"), shown("(absent)")
    ('(absent)', 'NN', '\\(absent)')
    """
    if value.startswith("\0"):
        return f"({value[1:]})"
    return f"\\{value}" if _SPELLED_SPECIAL.fullmatch(value) else value


@dataclass(frozen=True, slots=True)
class System:
    """A system: its name, and the columns that hold its runs. One run is the ordinary case."""

    name: str
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Units:
    """What statistics resample: documents, or sentences or rows where the key marks no documents."""

    kind: UnitKind
    count: int


@dataclass(frozen=True, eq=False, slots=True)
class Aspect:
    """One side of values that have several, such as the head and the label of an arc.

    Args:
        key: the key's, as a code.
        values: for each run its own, as a code.
        names: the texts by code, sorted.
        points: whether the texts are places: `+2` two rows ahead, `-1` one back, `self` the site itself, `0`
            nowhere (the root); anything else is a place that the key does not have.

    """

    key: Codes
    values: tuple[Codes, ...]
    names: tuple[str, ...]
    points: bool = False

    def take(self, rows: Rows) -> Aspect:
        """Return the aspect of some of the sites."""
        return Aspect(self.key[rows], tuple(values[rows] for values in self.values), self.names, self.points)


@dataclass(frozen=True, eq=False)
class Sites:
    """Places with a key value and one value per run; equal code, equal value.

    Args:
        document: the index of each site's document.
        sentence: the index of each site's sentence.
        place: where the site stands in its document, counted in rows; with the document it names the site.
        key: the key's value, as a code.
        values: for each run its value, as a code. A value judged right has the key's code.
        names: the values by code, sorted, so that codes depend on the set of values alone.
        parts: for values that are sets of labels, the labels of each code; None where a value is one label.
        attributes: further columns for slices and conditions, made when first asked for.
        aspects: what the values consist of, by name, where they consist of several things. The one called
            `label` is what tables are keyed by; values that differ in another alone have the same label.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    key: Codes
    values: tuple[Codes, ...]
    names: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...] | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    aspects: Mapping[str, Aspect] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def right(self) -> tuple[Truths, ...]:
        """For each run, where its value is the key's."""
        return tuple(np.equal(values, self.key) for values in self.values)

    @cached_property
    def contested(self) -> Rows:
        """The sites at which at least one run is wrong; everywhere else all agree with the key."""
        wrong = np.zeros(len(self), dtype=np.bool_)
        for right in self.right:
            wrong |= ~right
        return np.flatnonzero(wrong)

    @cached_property
    def disputed(self) -> Sites:
        """The contested sites as a table of their own."""
        return self.take(self.contested)

    @cached_property
    def labels(self) -> Aspect:
        """What tables are keyed by: the aspect `label`, or the values themselves."""
        return self.aspects.get("label") or Aspect(self.key, self.values, self.names)

    @cached_property
    def right_counts(self) -> tuple[NDArray[np.int64], ...]:
        """For each run, how many sites it has right by key label; wrong ones are few, so they are counted."""
        keys = self.disputed.labels.key
        width = len(self.labels.names)
        return tuple(self.key_counts - np.bincount(keys[~right], minlength=width) for right in self.disputed.right)

    @cached_property
    def key_counts(self) -> NDArray[np.int64]:
        """How many sites have each label in the key."""
        return np.bincount(self.labels.key, minlength=len(self.labels.names))

    def take(self, rows: Rows) -> Sites:
        """Return a table of the given sites only."""
        return Sites(
            self.document[rows],
            self.sentence[rows],
            self.place[rows],
            self.key[rows],
            tuple(values[rows] for values in self.values),
            self.names,
            self.parts,
            {name: attribute.taken(rows) for name, attribute in self.attributes.items()},
            {name: aspect.take(rows) for name, aspect in self.aspects.items()},
        )


@dataclass(frozen=True, eq=False)
class Items:
    """Things that count for precision and recall.

    Args:
        document: the index of each item's document.
        sentence: the index of each item's sentence.
        place: where it stands in its document, counted in rows.
        label: its label, as a code.
        names: the labels by code, each once.
        positive: whether the key has it; if not, at least one run claims it.
        claimed: for each run, whether it claims the item.
        credit: for each run, how much of a positive item it gets, in [0, 1]; None where a claim is all.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    label: Codes
    names: tuple[str, ...]
    positive: Truths
    claimed: tuple[Truths, ...]
    credit: tuple[NDArray[np.float64], ...] | None = None

    def __len__(self) -> int:
        return len(self.label)

    def beside(self, sites: Sites) -> Items:
        """Return the items that stand at the places of some sites."""
        rows = np.flatnonzero(at_places(self, sites))
        return Items(
            self.document[rows],
            self.sentence[rows],
            self.place[rows],
            self.label[rows],
            self.names,
            self.positive[rows],
            tuple(claimed[rows] for claimed in self.claimed),
            None if self.credit is None else tuple(credit[rows] for credit in self.credit),
        )

    def credit_of(self, run: int) -> NDArray[np.float64]:
        """Return what a run gets for each item: nothing for a negative one."""
        if self.credit is not None:
            return self.credit[run]
        return (self.claimed[run] & self.positive).astype(np.float64)


def at_places(table: Sites | Items, sites: Sites) -> Truths:
    """Whether each row of a table stands at the place of one of some sites."""
    mine, theirs = (each.document.astype(np.int64) << 32 | each.place for each in (table, sites))
    return np.isin(mine, theirs)


@dataclass(frozen=True, eq=False)
class View:
    """One way of judging a task, such as `upos`, `las` or `strict`.

    Args:
        name: its name.
        all_sites: every site, those left out by policy among them.
        measures: what is reported of this view; the first is the main measure.
        left_out: a reason for each site that does not count, "" for those that do; None where all count.
        given_items: the items, where they are not simply the sites' labels.
        surplus: negative items of what runs have beside the sites, such as words that the key cuts otherwise.
            Each stands at the place of a site, and counts where that does.
        statistics: further statistics of each unit and run, by name: arrays of (units, runs).
        lost: statistics that the judge gave for all sites and that cannot be told for these alone.

    """

    name: str
    all_sites: Sites
    measures: tuple[str, ...]
    left_out: TextColumn | None = None
    given_items: Items | None = None
    statistics: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    surplus: Items | None = None

    @cached_property
    def sites(self) -> Sites:
        """The sites that count."""
        if self.left_out is None:
            return self.all_sites
        keep = np.array([name == "" for name in self.left_out.names])
        return self.all_sites.take(np.flatnonzero(keep[self.left_out.codes]))

    @cached_property
    def left_out_counts(self) -> dict[str, int]:
        """How many sites were left out, by reason."""
        if self.left_out is None:
            return {}
        counts = np.bincount(self.left_out.codes, minlength=len(self.left_out.names))
        pairs = sorted(zip(self.left_out.names, counts.tolist(), strict=True))
        return {name: count for name, count in pairs if name and count}

    @cached_property
    def items(self) -> Items:
        """The items; where the judge gave none, each label of each site is one, and what is beside them."""
        if self.given_items is not None:
            return self.given_items
        found = items_of_sites(self.sites)
        return found if self.surplus is None else joined_items([found, self.surplus.beside(self.sites)])

    def narrowed(self, rows: Rows) -> View:
        """Return the view on some of its counted sites; the judge's own items and statistics are lost."""
        lost = {*self.lost, *self.statistics, *(ITEM_STATISTICS if self.given_items is not None else ())}
        return View(self.name, self.sites.take(rows), self.measures, lost=frozenset(lost), surplus=self.surplus)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Everything the comparisons need to know.

    Args:
        task: the name of the task.
        systems: the systems, in the order given, with their runs.
        runs: one name a run.
        documents: one name a document.
        units: what statistics resample.
        views: the views by name; the first is the default.
        settings: how the verdicts were made, for the signature.
        notes: what was met while reading and aligning, by side and kind.
        texts: the words around each site, for excerpts.

    """

    task: str
    systems: tuple[System, ...]
    runs: tuple[str, ...]
    documents: tuple[str, ...]
    units: Units
    views: Mapping[str, View]
    settings: Mapping[str, str]
    notes: tuple[Note, ...] = ()
    texts: Texts = field(default_factory=Texts)

    def __post_init__(self) -> None:
        sides = ["key", *self.runs, *(system.name for system in self.systems)]
        object.__setattr__(self, "notes", gathered(self.notes, sides))

    def system(self, name: str) -> System:
        """Return a system by its name."""
        for system in self.systems:
            if system.name == name:
                return system
        names = [system.name for system in self.systems]
        raise UsageError(f"no system is called {name!r}{nearest(name, names)}", hint=f"systems: {', '.join(names)}")

    def view(self, name: str | None = None) -> View:
        """Return a view by its name, the first by default."""
        if name is None:
            return next(iter(self.views.values()))
        if name not in self.views:
            raise UsageError(f"there is no view {name!r}{nearest(name, self.views)}", hint=", ".join(self.views))
        return self.views[name]

    def unit_of(self, table: Sites | Items) -> NDArray[np.int32]:
        """Return the index of the unit that each row of a table belongs to."""
        return table.document if self.units.kind == "document" else table.sentence


def gathered(notes: Iterable[Note], sides: Sequence[str]) -> tuple[Note, ...]:
    """Add up notes of one side and kind, and put them in an order that does not depend on who met what first."""
    rank = {side: place for place, side in reversed(list(enumerate(sides)))}
    groups: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        groups.setdefault((note.side, note.what), []).append(note)
    order = sorted(groups, key=lambda group: (rank.get(group[0], len(sides)), *group))
    return tuple(groups[group][0] if len(groups[group]) == 1 else _added(groups[group]) for group in order)


def _added(notes: list[Note]) -> Note:
    places = [place for note in notes for place in note.first]
    return replace(notes[0], count=sum(note.count for note in notes), first=tuple(places[:_FIRST_PLACES]))


def majority_of(columns: Sequence[Codes]) -> tuple[NDArray[np.int64], Codes]:
    """Return the size and the code of the largest group of equal values in each row; of equal ones the first code."""
    table = np.sort(np.stack(columns), axis=0)
    size = np.ones(table.shape[1], dtype=np.int64)
    best, winner = size.copy(), table[0].copy()
    for place in range(1, len(table)):
        same = table[place] == table[place - 1]
        size = np.where(same, size + 1, 1)
        better = size > best
        best = np.where(better, size, best)
        winner = np.where(better, table[place], winner)
    return best, winner


def items_of_sites(sites: Sites) -> Items:
    """Make the items of plain values: each label of the key is positive, each wrong label claimed is negative.

    Where values have labels of their own, an item is a site with a value, called by the value's label.
    """
    coded = _coded_labels(sites) if sites.parts is not None else _coded_values(sites)
    table = np.unique(np.concatenate([pairs for pairs, _ in coded.claims]))
    label = np.zeros(len(table), code_type(len(coded.names)))
    columns = []
    for pairs, labels in reversed(coded.claims):  # the key comes last: what it calls an item holds
        mask = np.zeros(len(table), dtype=np.bool_)
        places = np.searchsorted(table, pairs)
        mask[places], label[places] = True, labels
        columns.append(mask)
    *claimed, positive = columns
    site = table // coded.width
    return Items(
        sites.document[site],
        sites.sentence[site],
        sites.place[site],
        label,
        coded.names,
        positive,
        tuple(reversed(claimed)),
    )


@dataclass(frozen=True, slots=True)
class _Coded:
    """What the key and each run claim: pairs (site, value or label) as sorted integers, and the label of each.

    Args:
        names: the labels by code.
        width: how many values or labels there are, so that a pair is `site * width + code`.
        claims: the key's, then each run's.

    """

    names: tuple[str, ...]
    width: int
    claims: list[tuple[Rows, Codes]]


def _coded_values(sites: Sites) -> _Coded:
    """Each value of a site is one item; an absent one is none."""
    labels, width = sites.labels, max(len(sites.names), 1)
    absent = sites.names.index(ABSENT) if ABSENT in sites.names else -1
    names = tuple(name for name in labels.names if name != ABSENT)
    code = np.cumsum([name != ABSENT for name in labels.names]) - 1  # under codes without it
    claims = []
    for values, called in zip([sites.key, *sites.values], [labels.key, *labels.values], strict=True):
        rows = np.flatnonzero(values != absent) if absent >= 0 else np.arange(len(values))
        claims.append((rows * width + values[rows], code[called[rows]]))
    return _Coded(names, width, claims)


def _coded_labels(sites: Sites) -> _Coded:
    """Each label of a set of labels is an item."""
    parts = sites.parts or ()
    labels = tuple(sorted({label for part in parts for label in part}))
    code_of = {label: code for code, label in enumerate(labels)}
    offsets = np.cumsum([0, *(len(part) for part in parts)])
    flat = np.array([code_of[label] for part in parts for label in part], dtype=np.int64)
    claims: list[tuple[Rows, Codes]] = []
    for values in (sites.key, *sites.values):
        site, label = _expand(np.arange(len(values)), values, offsets, flat)
        claims.append((site * max(len(labels), 1) + label, label))
    return _Coded(labels, max(len(labels), 1), claims)


def _expand(rows: Rows, values: Codes, offsets: Rows, flat: Rows) -> tuple[Rows, Rows]:
    """Repeat each row once for every label of its value."""
    sizes = np.diff(offsets)[values]
    begin = np.repeat(offsets[:-1][values], sizes)
    within = np.arange(len(begin)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(rows, sizes), flat[begin + within]


def joined_items(tables: Sequence[Items]) -> Items:
    """Lay tables of items end to end."""
    names, labels = canonical([TextColumn(table.label, table.names) for table in tables])
    runs = range(len(tables[0].claimed))
    credit = None
    if any(table.credit is not None for table in tables):
        credit = tuple(np.concatenate([table.credit_of(run) for table in tables]) for run in runs)
    return Items(
        np.concatenate([table.document for table in tables]),
        np.concatenate([table.sentence for table in tables]),
        np.concatenate([table.place for table in tables]),
        np.concatenate(labels),
        names,
        np.concatenate([table.positive for table in tables]),
        tuple(np.concatenate([table.claimed[run] for table in tables]) for run in runs),
        credit,
    )


def special_last(name: str) -> tuple[bool, str]:
    """Sort *absent* and *nil* behind all labels, so that they win no tie."""
    return name.startswith("\0"), name


def canonical(columns: Sequence[TextColumn]) -> tuple[tuple[str, ...], list[Codes]]:
    """Bring several columns to one sorted table of names; returns the names and each column's codes in it."""
    names = tuple(sorted({name for column in columns for name in column.names}, key=special_last))
    code_of = {name: code for code, name in enumerate(names)}
    kind: type[np.unsignedinteger[Any]] = code_type(len(names))
    recoded: list[Codes] = []
    for column in columns:
        table = np.array([code_of[name] for name in column.names], dtype=kind)
        recoded.append(table[column.codes])
    return names, recoded
