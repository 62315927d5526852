"""Votes on the values of rows: tags of words, labels of rows, label sets."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import values_on_key
from comparanda.core.places import Note, first_places
from comparanda.core.sites import ABSENT, recode_canonically
from comparanda.core.text_columns import TextColumn, join_labels, split_labels
from comparanda.tasks.vote_methods import elect, weights_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.align import Aligned
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Codes, Rows
    from comparanda.tasks.vote_methods import Method, Trust, Weights

NO_VALUE = "_"
"""The value of a row for which no run has a value."""


def voted_values(aligned: Aligned, method: Method, trust: Trust) -> Corpus:
    """Combine runs with one value per row by electing the value with the most votes in each row of the key.

    `at-least-K` elects a value that K runs have; where there is none, it takes that of the best run.
    """
    column, empty = elected_column(aligned, "value", method, trust)
    return replace(aligned.key, columns={"value": column}, arcs=None, notes=_note_missing_values(aligned.key, empty))


def elected_column(aligned: Aligned, name: str, method: Method, trust: Trust) -> tuple[TextColumn, Rows]:
    """Elect the value of each row of a column; also return the rows for which no run has a value."""
    names, values = _values_on_key(aligned, name)
    absent = names.index(ABSENT)
    weights = weights_of(method, trust, names)
    return _name_elected(names, elect(values, absent, trust.fold, weights, least=method.least), absent)


def _values_on_key(aligned: Aligned, name: str) -> tuple[tuple[str, ...], list[Codes]]:
    """Map the values of all runs onto the rows of the key, with common codes."""
    nothing = TextColumn(np.zeros(0, np.uint8), (ABSENT,))
    names, codes = recode_canonically([*(corpus.columns[name] for corpus in aligned.responses), nothing])
    absent = names.index(ABSENT)
    pairs = zip(codes[:-1], aligned.maps, strict=True)
    return names, [values_on_key(column, row_map, absent) for column, row_map in pairs]


def _name_elected(names: tuple[str, ...], codes: Codes, absent: int) -> tuple[TextColumn, Rows]:
    """Convert elected codes to a column, with `NO_VALUE` in rows without a value, and list these rows."""
    empty = np.flatnonzero(codes == absent)
    used = np.unique(codes)
    written = [NO_VALUE if code == absent else names[code] for code in used.tolist()]
    distinct = sorted(set(written))
    table = np.array([distinct.index(name) for name in written], np.int64)
    return TextColumn(table[np.searchsorted(used, codes)] if len(table) else codes, tuple(distinct)), empty


def _note_missing_values(key: Corpus, rows: Rows) -> tuple[Note, ...]:
    if not len(rows):
        return ()
    what = f"rows for which no run has a value, written as {NO_VALUE}"
    return (Note("key", what, len(rows), first_places(key.source, key.offset[rows[:3]])),)


def voted_sets(aligned: Aligned, method: Method, trust: Trust) -> Corpus:
    """Combine runs with label sets by voting on each label of a row separately."""
    responses = (as_sets(corpus) for corpus in aligned.responses)
    names, values = _values_on_key(replace(aligned, responses=tuple(responses)), "value")
    labels = tuple(sorted({label for name in names if name != ABSENT for label in split_labels(name)}))
    place = {label: number for number, label in enumerate(labels)}
    sets = [[] if name == ABSENT else [place[label] for label in split_labels(name)] for name in names]
    weights = weights_of(method, trust, labels)
    kept = _retained_labels(sets, values=values, fold=trust.fold, weights=weights, width=len(labels))
    column = TextColumn.of(_format_sets(kept, labels, len(aligned.key)))
    return replace(aligned.key, columns={"value": column}, arcs=None, several=True, notes=())


def as_sets(corpus: Corpus) -> Corpus:
    """Convert single labels to sets of one."""
    if corpus.several:
        return corpus
    column = corpus.columns["value"]
    names = tuple(join_labels([name]) for name in column.names)
    sets = TextColumn(column.codes, names, column.missing)
    return replace(corpus, columns={**corpus.columns, "value": sets}, several=True)


def _retained_labels(sets: list[list[int]], values: list[Codes], fold: Rows, weights: Weights, *, width: int) -> Rows:
    """Find the labels with enough votes, as row times the number of labels plus label, in order."""
    sizes, flat = np.array([len(each) for each in sets]), np.array([label for each in sets for label in each], np.int64)
    begins = np.cumsum(sizes) - sizes
    claims = []
    for value in values:
        size = sizes[value]
        row = np.repeat(np.arange(len(value)), size)
        within = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
        claims.append(row * width + flat[np.repeat(begins[value], size) + within])
    items = np.unique(np.concatenate(claims))
    row, label = np.divmod(items, max(width, 1))
    claimed = [np.isin(items, mine) for mine in claims]
    kept: Rows = items[weights.totals(fold[row], label, claimed) >= weights.least[fold[row]]]
    return kept


def _format_sets(kept: Rows, labels: tuple[str, ...], rows: int) -> Iterable[str]:
    """Format the label set of each row."""
    row, label = np.divmod(kept, max(len(labels), 1))
    bounds, codes = np.searchsorted(row, np.arange(rows + 1)).tolist(), label.tolist()
    written: dict[tuple[int, ...], str] = {}
    for begin, end in pairwise(bounds):
        chosen = tuple(codes[begin:end])
        if chosen not in written:
            written[chosen] = join_labels(labels[code] for code in chosen)
        yield written[chosen]
