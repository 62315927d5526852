"""Sites: places with a key value and one value per run, and their attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.text_columns import Column, TextColumn, code_type, take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, Truths


ABSENT = "\0absent"
"""The value of a run that has no row here. Inputs cannot contain it, because NUL bytes are refused."""

NOTHING = "\0none"
"""The value of a side that has no span at an overlap site."""

NIL = "\0nil"
"""The value of a link to an entity that is not in the knowledge base."""

OWN_PLACE = "self"
"""The value of a pointing aspect that points to its own site."""

_LIKE_SPECIAL = re.compile(r"\\*\((absent|nil|none)\)")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column of sites that is computed on first use; its type is known before."""

    type: Literal["truth", "number", "text"]
    make: Callable[[], Column]

    def taken(self, rows: Rows) -> Attribute:
        """Select the attribute of some of the sites."""

        def make() -> Column:
            return take_rows(self.make(), rows)

        return Attribute(self.type, make)


def format_value(value: str) -> str:
    r"""Format a value for display: special values in brackets, labels of the same form escaped by a backslash.

    >>> format_value(ABSENT), format_value("NN"), format_value("(absent)")
    ('(absent)', 'NN', '\\(absent)')
    """
    if value.startswith("\0"):
        return f"({value[1:]})"
    return f"\\{value}" if _LIKE_SPECIAL.fullmatch(value) else value


@dataclass(frozen=True, eq=False, slots=True)
class Aspect:
    """One component of values that have several, such as the head and the label of an arc.

    Args:
        key: the codes of the key.
        values: the codes of each run.
        names: the strings by code, sorted.
        points: whether the strings are places: `+2` two rows ahead, `-1` one back, `self` the site itself, `0`
            none (the root); anything else is a place that the key does not have.

    """

    key: Codes
    values: tuple[Codes, ...]
    names: tuple[str, ...]
    points: bool = False

    def take(self, rows: Rows) -> Aspect:
        """Select the aspect of some of the sites."""
        return Aspect(self.key[rows], tuple(values[rows] for values in self.values), self.names, self.points)


@dataclass(frozen=True, eq=False, kw_only=True)
class Sites:
    """Places with a key value and one value per run; equal codes mean equal values.

    Args:
        document: the index of each site's document.
        sentence: the index of each site's sentence.
        place: the row of the site in its document; document and place identify the site.
        key: the key's value, as a code.
        values: for each run its value, as a code. A value evaluated as correct has the key's code.
        names: the values by code, sorted, so that codes depend on the set of values alone.
        parts: for values that are sets of labels, the labels of each code; None where a value is one label.
        attributes: further columns for slices and conditions, computed on first use.
        aspects: the components of values that have several, by name. Tables are keyed by the one called `label`;
            values that differ only in another aspect have the same label.
        width: the number of rows that each site covers, from its place on; None for one each.
        folded: further sites at which every run is right, stored as counts; None where there are none. They have
            no rows here, but are included in the length of the table.

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
    width: NDArray[np.int32] | None = None
    folded: Folded | None = None

    def __len__(self) -> int:
        return self.rows + (0 if self.folded is None else self.folded.total)

    @property
    def rows(self) -> int:
        """The number of sites that are stored as rows."""
        return len(self.key)

    @cached_property
    def right(self) -> tuple[Truths, ...]:
        """For each run, whether its value is the key's."""
        return tuple(np.equal(values, self.key) for values in self.values)

    @cached_property
    def contested(self) -> Rows:
        """The sites at which at least one run is wrong; at all others, every run agrees with the key."""
        wrong = np.zeros(self.rows, dtype=np.bool_)
        for right in self.right:
            wrong |= ~right
        return np.flatnonzero(wrong)

    @cached_property
    def disputed(self) -> Sites:
        """The contested sites as a table of their own."""
        return self.take(self.contested)

    @cached_property
    def labels(self) -> Aspect:
        """The labels by which tables are keyed: the aspect `label`, or the values themselves."""
        return self.aspects.get("label") or Aspect(self.key, self.values, self.names)

    @cached_property
    def key_counts(self) -> NDArray[np.int64]:
        """The number of sites with each label in the key."""
        found = np.bincount(self.labels.key, minlength=len(self.labels.names))
        return found if self.folded is None else found + self.folded.by_label

    def take(self, rows: Rows) -> Sites:
        """Select sites by row."""
        return Sites(
            document=self.document[rows],
            sentence=self.sentence[rows],
            place=self.place[rows],
            key=self.key[rows],
            values=tuple(values[rows] for values in self.values),
            names=self.names,
            parts=self.parts,
            attributes={name: attribute.taken(rows) for name, attribute in self.attributes.items()},
            aspects={name: aspect.take(rows) for name, aspect in self.aspects.items()},
            width=None if self.width is None else self.width[rows],
        )


@dataclass(frozen=True, eq=False)
class Folded:
    """Sites at which every run is right, stored as counts by document, or unit, and label.

    Args:
        sites: one site of each kind. Only its document, its label and its attributes apply to all sites of the kind.
        count: the number of sites of each kind.

    """

    sites: Sites
    count: NDArray[np.int64]

    def take(self, kinds: Rows) -> Folded:
        """Select some of the kinds."""
        return Folded(self.sites.take(kinds), taken_counts(self.count, kinds))

    @cached_property
    def total(self) -> int:
        """The number of sites."""
        return int(self.count.sum())

    @cached_property
    def by_label(self) -> NDArray[np.int64]:
        """The number of sites with each label in the key."""
        return sum_by_code(self.sites.labels.key, self.count, len(self.sites.labels.names))


def taken_counts(count: NDArray[np.int64], kinds: Rows) -> NDArray[np.int64]:
    """Select the counts of some kinds; a constant array stays one without using memory."""
    return np.broadcast_to(count[0], len(kinds)) if len(count) and count.strides == (0,) else count[kinds]


def sum_by_code(codes: Codes, count: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Sum counts by code; NumPy sums them as floating-point numbers, which are exact up to 2**53 sites."""
    if len(count) and count.strides == (0,):  # a constant array, for example where each kind is one site
        found: NDArray[np.int64] = np.bincount(codes, minlength=size) * count[0]
        return found
    return np.bincount(codes, count, size).astype(np.int64)


def majority_of(columns: Sequence[Codes]) -> tuple[Codes, Codes]:
    """Find the largest group of equal values in each row; return its size and its code, the first code on ties.

    Sizes are numbers of columns, in the smallest integer type for these.
    """
    table = np.stack(columns)
    table.sort(axis=0)
    size = np.ones(table.shape[1], dtype=code_type(len(columns) + 1))
    best, winner = size.copy(), table[0].copy()
    for place in range(1, len(table)):
        same = table[place] == table[place - 1]
        size = np.where(same, size + 1, 1)
        better = size > best
        best = np.where(better, size, best)
        winner = np.where(better, table[place], winner)
    return best, winner


def special_last(name: str) -> tuple[bool, str]:
    """Sort key that puts special values such as *absent* and *nil* after all labels, so that they do not win ties."""
    return name.startswith("\0"), name


def recode(codes: Codes, names: Sequence[str], wanted: Sequence[str]) -> Codes:
    """Convert codes from one table of names to another one that contains these names."""
    return _recode_by(codes, names, {name: code for code, name in enumerate(wanted)})


def _recode_by(codes: Codes, names: Sequence[str], code_of: Mapping[str, int]) -> Codes:
    table = np.array([code_of[name] for name in names], dtype=code_type(len(code_of)))
    return table[codes]


def recode_canonically(columns: Sequence[TextColumn]) -> tuple[tuple[str, ...], list[Codes]]:
    """Recode several columns to one sorted table of names; return the names and each column's codes."""
    names = tuple(sorted({name for column in columns for name in column.names}, key=special_last))
    code_of = {
        name: code for code, name in enumerate(names)
    }  # built once, because there may be many columns with many names
    return names, [_recode_by(column.codes, column.names, code_of) for column in columns]
