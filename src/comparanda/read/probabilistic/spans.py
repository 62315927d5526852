"""Spans of records laid end to end: where they stand, how probable they are, and which labels they may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from comparanda.read.probabilistic.shapes import BEGINS, ENDS, LABELS, Label, Span, column, first_of

if TYPE_CHECKING:
    from comparanda.beliefs.model import Floats
    from comparanda.columns import Rows
    from comparanda.read.probabilistic.records import Records

Shares = Mapping[str, float | None]
"""The labels of a span, each with its probability, if it has one."""


@dataclass(frozen=True, eq=False, slots=True)
class Flat:
    """The spans of some records, and their labels.

    Args:
        record: the record of each span.
        begin: where it begins.
        end: where it ends.
        entity: how probable it is.
        span: the span of each label, not descending.
        label: the labels.
        share: how probable each is, given that the span is there.
        text: the text that a span says it covers; None where it says nothing.
        way: gives the way to a span, for messages.

    """

    record: Rows
    begin: Rows
    end: Rows
    entity: Floats
    span: Rows
    label: list[str]
    share: Floats
    text: list[str | None]
    way: Callable[[int], str]

    def texts(self) -> dict[int, str]:
        """Return the text that each tuple says it covers, for those that do."""
        if self.text.count(None) == len(self.text):
            return {}
        return {row: text for row, span in enumerate(self.span.tolist()) if (text := self.text[span]) is not None}


def flattened(records: Records, spans: Sequence[Span], record: Rows, way: Callable[[int], str]) -> Flat:
    """Lay spans end to end.

    Args:
        records: where they come from.
        spans: the spans, in order.
        record: the record of each, by number.
        way: gives the way to one, for messages.

    """
    begin, end = column(spans, BEGINS), column(spans, ENDS)
    for places, name in ((begin, BEGINS[0]), (end, ENDS[0])):
        if None in places:
            number = places.index(None)
            raise records.refuse(int(record[number]), f"{way(number)!r} has no {name!r}", hint=_SHAPE)
    scores = records.scored(spans, record, way)
    entity = records.probabilities(scores, record, lambda span: f"{way(span)}.{records.score_in(spans[span])}")
    shares = _shares(records, spans, record, way)
    span = np.repeat(np.arange(len(spans)), np.fromiter(map(len, shares), np.int64, len(shares)))
    label = list(chain.from_iterable(shares))
    values = [value for each in shares for value in each.values()]
    _check_labels(records, label, span, record, way)
    if None in values:
        _refuse_several(records, shares, record, way)

    def place(row: int) -> str:
        return f"{way(int(span[row]))}.labels.{label[row]}"

    return Flat(
        record,
        np.array(begin, np.int64),
        np.array(end, np.int64),
        entity,
        span,
        label,
        records.probabilities(values, record[span], place),
        list(map(attrgetter("text"), spans)),
        way,
    )


_SHAPE = 'a span is written like this: {"start": 0, "end": 4, "label": "PER", "score": 0.9}'


def _shares(records: Records, spans: Sequence[Span], record: Rows, way: Callable[[int], str]) -> list[Shares]:
    """Return the labels of each span."""
    given = list(map(attrgetter("labels"), spans))
    if set(map(type, given)) == {dict}:
        several = list(map(attrgetter("label"), spans))
        if several.count(None) == len(several):
            return given
    return [_labels_of(records, span, int(record[number]), way(number)) for number, span in enumerate(spans)]


def _labels_of(records: Records, span: Span, record: int, way: str) -> Shares:
    """Return the labels of one span, however they are written."""
    alone = first_of(span, LABELS)
    if alone is not None and span.labels is not None:
        raise records.refuse(record, f"{way!r} has both a label and 'labels'", hint="give one of them")
    if alone is not None:
        return {alone: None}
    if span.labels is None:
        raise records.refuse(record, f"{way!r} has no label", hint=_SHAPE)
    if isinstance(span.labels, dict):
        return span.labels
    found: dict[str, float | None] = {}
    for number, each in enumerate(span.labels):
        here = f"{way}.labels[{number}]"
        name = each if isinstance(each, str) else first_of(each, ("value", "label", "name"))
        if name is None:
            raise records.refuse(
                record, f"{here!r} has no 'value'", hint='a label is {"value": "PER", "confidence": 0.9}'
            )
        if name in found:
            raise records.refuse(record, f"{here!r} is {name!r} once more", hint="give each label once")
        found[name] = _score(records, each, record, here)
    return found


def _score(records: Records, label: str | Label, record: int, way: str) -> float | None:
    return None if isinstance(label, str) else records.scored([label], np.array([record]), lambda _: way)[0]


def _check_labels(records: Records, label: list[str], span: Rows, record: Rows, way: Callable[[int], str]) -> None:
    """Refuse labels that are empty."""
    empty = {each for each in set(label) if not each.strip()}
    if empty:
        number = int(span[next(row for row, each in enumerate(label) if each in empty)])
        raise records.refuse(int(record[number]), f"{way(number)!r} has an empty label", hint=_SHAPE)


def _refuse_several(records: Records, shares: Sequence[Shares], record: Rows, way: Callable[[int], str]) -> None:
    """Refuse several labels some of which have no probability."""
    for number, each in enumerate(shares):
        if len(each) > 1 and None in each.values():
            what = f"{way(number)!r} has {len(each)} labels, and {_unsaid(each)!r} has no probability"
            hint = 'give each label its probability: "labels": {"PER": 0.7, "LOC": 0.3}'
            raise records.refuse(int(record[number]), what, hint=hint)


def _unsaid(shares: Shares) -> str:
    return next(name for name, value in shares.items() if value is None)
