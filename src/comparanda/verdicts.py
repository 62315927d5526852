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

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    key: Codes
    values: tuple[Codes, ...]
    names: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...] | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict)

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
    def right_counts(self) -> tuple[NDArray[np.int64], ...]:
        """For each run, how many sites it has right by key value; wrong ones are few, so they are counted."""
        keys = self.disputed.key
        width = len(self.names)
        return tuple(self.key_counts - np.bincount(keys[~right], minlength=width) for right in self.disputed.right)

    @cached_property
    def key_counts(self) -> NDArray[np.int64]:
        """How many sites have each value in the key."""
        return np.bincount(self.key, minlength=len(self.names))

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

    def credit_of(self, run: int) -> NDArray[np.float64]:
        """Return what a run gets for each item: nothing for a negative one."""
        if self.credit is not None:
            return self.credit[run]
        return (self.claimed[run] & self.positive).astype(np.float64)


@dataclass(frozen=True, eq=False)
class View:
    """One way of judging a task, such as `upos`, `las` or `strict`.

    Args:
        name: its name.
        all_sites: every site, those left out by policy among them.
        measures: what is reported of this view; the first is the main measure.
        left_out: a reason for each site that does not count, "" for those that do; None where all count.
        given_items: the items, where they are not simply the sites' labels.
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
        """The items; where the judge gave none, each label of each site is one."""
        return self.given_items if self.given_items is not None else items_of_sites(self.sites)

    def narrowed(self, rows: Rows) -> View:
        """Return the view on some of its counted sites; the judge's own items and statistics are lost."""
        lost = {*self.lost, *self.statistics, *(ITEM_STATISTICS if self.given_items is not None else ())}
        return View(self.name, self.sites.take(rows), self.measures, lost=frozenset(lost))


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
    """Make the items of plain labels: each label of the key is positive, each wrong label claimed is negative."""
    labels, offsets, flat = _label_table(sites)
    pairs = _claims(sites.key, offsets, flat, len(labels))
    claims = [_claims(values, offsets, flat, len(labels)) for values in sites.values]
    table = np.union1d(pairs, np.concatenate(claims)) if claims else pairs
    site = table // len(labels)
    is_positive = np.zeros(len(table), dtype=np.bool_)
    is_positive[np.searchsorted(table, pairs)] = True
    claimed = []
    for claim in claims:
        mask = np.zeros(len(table), dtype=np.bool_)
        mask[np.searchsorted(table, claim)] = True
        claimed.append(mask)
    return Items(
        sites.document[site],
        sites.sentence[site],
        sites.place[site],
        (table % len(labels)).astype(code_type(len(labels))),
        labels,
        is_positive,
        tuple(claimed),
    )


def _label_table(sites: Sites) -> tuple[tuple[str, ...], Rows, Rows]:
    """Return the labels, and for each value code where its labels stand in a flat list of label codes."""
    parts = sites.parts or tuple(() if name == ABSENT else (name,) for name in sites.names)
    labels = tuple(sorted({label for part in parts for label in part}))
    code_of = {label: code for code, label in enumerate(labels)}
    offsets = np.cumsum([0, *(len(part) for part in parts)])
    flat = np.array([code_of[label] for part in parts for label in part], dtype=np.int64)
    return labels, offsets, flat


def _expand(rows: Rows, values: Codes, offsets: Rows, flat: Rows) -> tuple[Rows, Rows]:
    """Repeat each row once for every label of its value."""
    sizes = np.diff(offsets)[values]
    begin = np.repeat(offsets[:-1][values], sizes)
    within = np.arange(len(begin)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(rows, sizes), flat[begin + within]


def _claims(values: Codes, offsets: Rows, flat: Rows, labels: int) -> Rows:
    """Return the pairs (site, label) that one column of values stands for, as sorted integers."""
    site, label = _expand(np.arange(len(values)), values, offsets, flat)
    return site.astype(np.int64) * labels + label


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
