"""From a column of chunk tags to spans, for all rows at once.

Whatever the scheme, a row goes on with the span of the row before if both stand in one sentence and have one label,
and if the first is B or I and the second I or E. So conlleval counts, and seqeval by default. What a scheme adds is
only which letters may stand at the two ends of such a run: so a run has at most two defects, and they are at its ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from comparanda.columns import TextColumn, code_type
from comparanda.read.schemes.tags import CONTINUED, COVERED, OPEN, STRAY, Scheme, Spelling, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.columns import Codes, Rows, Truths

Repair = Literal["conlleval", "discard", "refuse"]
REPAIRS: tuple[Repair, ...] = get_args(Repair)

KINDS = (
    "not a tag of the scheme",
    "inside without a beginning",
    "another label inside",
    "B- that divides nothing",
    "not closed",
)
"""What can be wrong with a tag."""

Bytes = NDArray[np.uint8]
_STRAY, _UNBEGUN, _RELABELLED, _NEEDLESS, _UNCLOSED, _NOTHING = range(len(KINDS) + 1)


@dataclass(frozen=True, eq=False, slots=True)
class Defects:
    """The tags that break a scheme, in the order of their rows; one that breaks it twice is there twice.

    Args:
        row: the row of each.
        kind: what is wrong with it, one of `KINDS`.

    """

    row: Rows
    kind: TextColumn

    def __len__(self) -> int:
        return len(self.row)

    def by_kind(self) -> Iterator[tuple[str, Rows]]:
        """Yield each kind that there is, with its rows."""
        for code, kind in enumerate(self.kind.names):
            rows = self.row[self.kind.codes == code]
            if rows.size:
                yield kind, rows


@dataclass(frozen=True, eq=False, slots=True)
class Decoded:
    """The spans of a column of tags, in the order of their rows; no two overlap.

    Args:
        begin: the first row of each.
        end: the row behind its last one.
        label: its label; the names are sorted.
        defects: the tags that break the scheme, whatever the repair.

    """

    begin: Rows
    end: Rows
    label: TextColumn
    defects: Defects

    def __len__(self) -> int:
        return len(self.begin)


def decode(tags: TextColumn, sentences: Rows, scheme: Scheme, repair: Repair) -> Decoded:
    """Return the spans that tags of a scheme stand for, and every tag that breaks the scheme.

    `conlleval` takes every run for a span: an inside without a beginning, or with another label, begins one, and what
    is not closed ends where its run does. `discard` leaves out the spans with a defect. `refuse` repairs nothing: the
    caller raises if there are defects. Tags that the scheme does not have are outside of spans, and no span goes over
    the end of a sentence.

    >>> tags = TextColumn.of("B-PER I-PER O B-PER I-LOC".split())
    >>> spans = decode(tags, np.array([0, 5]), "bio", "conlleval")
    >>> spans.begin.tolist(), spans.end.tolist(), spans.label.values()
    ([0, 3, 4], [2, 4, 5], ['PER', 'PER', 'LOC'])
    >>> [(kind, rows.tolist()) for kind, rows in spans.defects.by_kind()]
    [('another label inside', [4])]
    """
    runs = Runs.of(tags, sentences, scheme)
    first, last = runs.first_defects(scheme), runs.last_defects(scheme)
    begin, end = runs.begin, runs.last + 1
    if repair == "discard":
        sound = (first == _NOTHING) & (last == _NOTHING)
        begin, end = begin[sound], end[sound]
    strays = np.full(len(runs.strays), _STRAY, np.uint8)
    defects = _in_order((runs.begin, first), (runs.last, last), (runs.strays, strays))
    return Decoded(begin, end, TextColumn(runs.labels[begin], runs.names), defects)


@dataclass(frozen=True, eq=False, slots=True)
class Runs:
    """Rows that go on with each other, as far as letters and labels tell.

    Args:
        roles: the role of each row.
        labels: the code of each row's label, where it has one.
        names: the labels, sorted.
        begin: the first row of each run.
        last: its last row.
        before: the role of the row before it in its sentence; 0 where there is none.
        strays: the rows whose tag is none of the scheme.

    """

    roles: Bytes
    labels: Codes
    names: tuple[str, ...]
    begin: Rows
    last: Rows
    before: Bytes
    strays: Rows

    @classmethod
    def of(cls, tags: TextColumn, sentences: Rows, scheme: Scheme) -> Runs:
        """Find the runs."""
        roles, labels, names = _split(tags, scheme)
        follows = np.ones(len(tags) + 1, np.bool_)
        follows[sentences] = False
        goes_on = np.zeros(len(tags) + 1, np.bool_)  # and behind the last row, nothing does
        goes_on[1:-1] = _has(roles[:-1], OPEN) & _has(roles[1:], CONTINUED) & (labels[:-1] == labels[1:])
        goes_on &= follows
        covered = _has(roles, COVERED)
        begin, last = np.flatnonzero(covered & ~goes_on[:-1]), np.flatnonzero(covered & ~goes_on[1:])
        before = np.where(follows[begin], roles[begin - 1], np.uint8(0))
        return cls(roles, labels, names, begin, last, before, np.flatnonzero(_has(roles, STRAY)))

    def first_defects(self, scheme: Scheme) -> Bytes:
        """Return the kind of defect at the first row of each run."""
        kind = np.full(len(self.begin), _NOTHING, np.uint8)
        begun = ~_has(self.roles[self.begin], CONTINUED)
        if scheme in {"bio", "bioes"}:
            kind[~begun] = _UNBEGUN
            kind[~begun & _has(self.before, OPEN)] = _RELABELLED
        elif scheme == "iob1":
            same = _has(self.before, COVERED) & (self.labels[self.begin] == self.labels[self.begin - 1])
            kind[begun & ~same] = _NEEDLESS
        return kind

    def last_defects(self, scheme: Scheme) -> Bytes:
        """Return the kind of defect at the last row of each run."""
        kind = np.full(len(self.last), _NOTHING, np.uint8)
        if scheme in {"bioes", "ioe2"}:
            kind[_has(self.roles[self.last], OPEN)] = _UNCLOSED
        return kind

    def broken(self, scheme: Scheme) -> int:
        """Return how many defects there are, strays aside."""
        ends = self.first_defects(scheme), self.last_defects(scheme)
        return sum(int(np.count_nonzero(kind != _NOTHING)) for kind in ends)


def _split(tags: TextColumn, scheme: Scheme) -> tuple[Bytes, Codes, tuple[str, ...]]:
    """Return the role of each row and the code of its label, and the labels."""
    spelling = Spelling.of(tags.names)
    parts = [spelling.split(name, scheme) for name in tags.names]
    if tags.missing is not None:
        parts[tags.missing] = Tag(0)
    names = tuple(sorted({part.label for part in parts if part.role & COVERED}))
    code_of = {name: code for code, name in enumerate(names)}
    roles = np.array([part.role for part in parts], np.uint8)
    labels = np.array([code_of.get(part.label, 0) for part in parts], code_type(len(names)))
    return roles.take(tags.codes), labels.take(tags.codes), names


def _has(roles: Bytes, bit: int) -> Truths:
    has: Truths = (roles & np.uint8(bit)) != 0
    return has


def _in_order(*found: tuple[Rows, Bytes]) -> Defects:
    """Lay rows and their kinds of defect together."""
    row = np.concatenate([rows[kinds != _NOTHING] for rows, kinds in found])
    kind = np.concatenate([kinds[kinds != _NOTHING] for _, kinds in found])
    order = np.lexsort((kind, row))
    return Defects(row[order], TextColumn(kind[order], KINDS))
