"""Sites: places with a key value and one value per run, and what is known of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.text_columns import Column, TextColumn, code_type, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, Truths


ABSENT = "\0absent"
"""The value of a run that has no row here. Input cannot contain it: NUL bytes are refused."""

NOTHING = "\0none"
"""The value of a side that has no span at an overlap site."""

NIL = "\0nil"
"""The value of a link that leads nowhere on purpose."""

OWN_PLACE = "self"
"""Where an aspect that points somewhere points to its own site."""

_LIKE_SPECIAL = re.compile(r"\\*\((absent|nil|none)\)")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named column of sites, made when first asked for; its type is known before."""

    type: Literal["truth", "number", "text"]
    make: Callable[[], Column]

    def taken(self, rows: Rows) -> Attribute:
        """Return the attribute of some of the sites."""

        def make() -> Column:
            return taken(self.make(), rows)

        return Attribute(self.type, make)


def shown(value: str) -> str:
    r"""Return a value as people see it: the special ones in brackets, labels spelled like them with a backslash.

    >>> shown(ABSENT), shown("NN"), shown("(absent)")
    ('(absent)', 'NN', '\\(absent)')
    """
    if value.startswith("\0"):
        return f"({value[1:]})"
    return f"\\{value}" if _LIKE_SPECIAL.fullmatch(value) else value


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


@dataclass(frozen=True, eq=False, kw_only=True)
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
        width: how many rows each site covers, from its place on; None for one each.
        folded: further sites that every run has right and that are only counted; None where there are none. They have
            no rows here, but they are sites, and the length of the table counts them.

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
        """The number of sites that are kept as rows."""
        return len(self.key)

    @cached_property
    def right(self) -> tuple[Truths, ...]:
        """For each run, where its value is the key's."""
        return tuple(np.equal(values, self.key) for values in self.values)

    @cached_property
    def contested(self) -> Rows:
        """The sites at which at least one run is wrong; everywhere else all agree with the key."""
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
        """What tables are keyed by: the aspect `label`, or the values themselves."""
        return self.aspects.get("label") or Aspect(self.key, self.values, self.names)

    @cached_property
    def key_counts(self) -> NDArray[np.int64]:
        """How many sites have each label in the key."""
        found = np.bincount(self.labels.key, minlength=len(self.labels.names))
        return found if self.folded is None else found + self.folded.by_label

    def take(self, rows: Rows) -> Sites:
        """Return a table of the given rows only."""
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
    """Sites that every run has right, counted in place of being kept: by document, or unit, and label.

    Args:
        sites: one site of each kind. It stands for all of them in its document and its label alone, and in those
            attributes that it has.
        count: how many there are of each kind.

    """

    sites: Sites
    count: NDArray[np.int64]

    def take(self, kinds: Rows) -> Folded:
        """Return some of the kinds."""
        return Folded(self.sites.take(kinds), taken_counts(self.count, kinds))

    @cached_property
    def total(self) -> int:
        """How many sites there are."""
        return int(self.count.sum())

    @cached_property
    def by_label(self) -> NDArray[np.int64]:
        """How many sites have each label in the key."""
        return counted(self.sites.labels.key, self.count, len(self.sites.labels.names))


def taken_counts(count: NDArray[np.int64], kinds: Rows) -> NDArray[np.int64]:
    """Return the counts of some kinds; one number for all of them stays one."""
    return np.broadcast_to(count[0], len(kinds)) if len(count) and count.strides == (0,) else count[kinds]


def counted(codes: Codes, count: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Add up counts by code; NumPy does so with fractions, which are exact for more sites than there ever are."""
    if len(count) and count.strides == (0,):  # one number for all, as where each kind is one site
        found: NDArray[np.int64] = np.bincount(codes, minlength=size) * count[0]
        return found
    return np.bincount(codes, count, size).astype(np.int64)


def majority_of(columns: Sequence[Codes]) -> tuple[Codes, Codes]:
    """Return the size and the code of the largest group of equal values in each row; of equal ones the first code.

    Sizes are numbers of columns, and as small in memory as these allow.
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
    """Sort *absent* and *nil* behind all labels, so that they win no tie."""
    return name.startswith("\0"), name


def recoded(codes: Codes, names: Sequence[str], wanted: Sequence[str]) -> Codes:
    """Return codes of some names as those of other names, which these are among."""
    return _recode_by(codes, names, {name: code for code, name in enumerate(wanted)})


def _recode_by(codes: Codes, names: Sequence[str], code_of: Mapping[str, int]) -> Codes:
    table = np.array([code_of[name] for name in names], dtype=code_type(len(code_of)))
    return table[codes]


def canonical(columns: Sequence[TextColumn]) -> tuple[tuple[str, ...], list[Codes]]:
    """Bring several columns to one sorted table of names; returns the names and each column's codes in it."""
    names = tuple(sorted({name for column in columns for name in column.names}, key=special_last))
    code_of = {name: code for code, name in enumerate(names)}  # once: there may be many columns of many names
    return names, [_recode_by(column.codes, column.names, code_of) for column in columns]
