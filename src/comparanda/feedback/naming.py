"""The ids of questions, made of what they are about: they are the same whenever the output is."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.feedback.plan import KINDS
from comparanda.feedback.question import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.columns import Rows
    from comparanda.feedback.field import Field

NONE = "none"
"""The answer that none of the options is right."""


class Names:
    """What questions and their options are called.

    Args:
        field: the tuples.
        documents: the names of the documents.

    """

    def __init__(self, field: Field, documents: Sequence[str]) -> None:
        self._each = field.candidates
        self._documents = documents
        beliefs = field.candidates.beliefs
        of_kind = {"span": beliefs.alternative, "choice": beliefs.block, "group": field.pairs}
        self._first = {"label": np.arange(len(field)), **{kind: _first_of(number) for kind, number in of_kind.items()}}

    def leading(self, question: Question) -> Question:
        """Return the same question by the first tuple that it is about."""
        return Question(question.kind, int(self._first[question.kind][question.tuple_row]))

    def rows(self, question: Question) -> Rows:
        """Return the tuples that a question is about."""
        first = self._first[question.kind]
        return np.flatnonzero(first == first[question.tuple_row])

    def id(self, question: Question) -> str:
        """Return the id of a question: document, begin and end, label, kind."""
        return f"{self._tuple(self.leading(question).tuple_row)}:{question.kind}"

    def question(self, id_: str) -> Question | None:
        """Return the question that has an id, by any tuple that it is about; None if nothing there is meant."""
        name, _, ending = id_.rpartition(":")
        kind = next((each for each in KINDS if each == ending), None)
        row = self._rows.get(name)
        return None if kind is None or row is None else self.leading(Question(kind, row))

    def label(self, row: int) -> str:
        """Return the label of a tuple."""
        return self._each.names[int(self._each.label[row])]

    def options(self, row: int) -> dict[str, int]:
        """Return what the tuples of a block are called: by their labels if they are of one span, else by more.

        No answer changes these names.
        """
        rows = self.rows(Question("choice", row)).tolist()
        spans = {int(self._each.beliefs.alternative[each]) for each in rows}
        names = [self._names(each)[len(spans) > 1 :] for each in rows]
        used = [Counter(level) for level in zip(*names, strict=True)]
        found: dict[str, int] = {}
        for number, (each, levels) in enumerate(zip(rows, names, strict=True), start=1):
            single = (name for name, level in zip(levels, used, strict=True) if level[name] == 1 and name != NONE)
            found[next(single, f"{levels[-1]} #{number}")] = each
        return found

    def _names(self, row: int) -> tuple[str, str, str]:
        """Return what a tuple could be called: by its label, with its text, with its place."""
        label, each = self.label(row), self._each
        longer = f"{label} ‘{each.text[row]}’"
        return label, longer, f"{longer} {each.begin[row]}-{each.end[row]}"

    def _tuple(self, row: int) -> str:
        each, turn = self._each, int(self._turn[row])
        extent = f"{each.begin[row]}-{each.end[row]}{f'#{turn + 1}' if turn else ''}"
        return f"{self._documents[int(each.document[row])]}:{extent}:{self.label(row)}"

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {self._tuple(row): row for row in range(len(self._each))}

    @cached_property
    def _turn(self) -> Rows:
        """How many tuples before each have its ends and its label: discontinuous ones may."""
        columns = (self._each.label, self._each.end, self._each.begin, self._each.document)
        order = np.lexsort(columns)
        new = np.ones(len(order), np.bool_)
        new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
        firsts = np.flatnonzero(new)
        turn = np.empty(len(order), np.int64)
        turn[order] = np.arange(len(order)) - np.repeat(firsts, np.diff(np.append(firsts, len(order))))
        return turn


def _first_of(number: Rows) -> Rows:
    """Return for each row the first with the same number.

    >>> _first_of(np.array([7, 3, 7])).tolist()
    [0, 1, 0]
    """
    _, first, which = np.unique(number, return_index=True, return_inverse=True)
    found: Rows = first[which.reshape(-1)]
    return found
