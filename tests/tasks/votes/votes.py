"""Votes from the definitions alone, with loops and dictionaries; and runs made by hand or by chance."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from comparanda.align import Aligned
from comparanda.core.corpus import Corpus
from comparanda.pipeline import Setup, prepare_systems
from comparanda.tasks.vote_methods import Trust

Span = tuple[Any, ...]


def aligned(key: Any, runs: Sequence[Any], task: str = "span", **settings: Any) -> Aligned:
    """Read a key and its runs, and lay these over it."""
    return prepare_systems(
        key, {f"s{number}": run for number, run in enumerate(runs)}, Setup(task=task, **settings)
    ).aligned


def spans_of(corpus: Corpus) -> list[Span]:
    """Return the spans of a corpus in plain values: document, begin, end, label."""
    spans = corpus.spans
    assert spans is not None
    columns = (spans.document.tolist(), spans.begin.tolist(), spans.end.tolist(), spans.label.values())
    return list(zip(*columns, strict=True))


def values_of(corpus: Corpus) -> list[str | None]:
    return corpus.columns["value"].values()


def trust_of(rows: int, scores: Sequence[int], by_label: Mapping[str, Sequence[int]] | None = None) -> Trust:
    """Trust runs by scores, and by their F1 of labels."""
    table = by_label or {}
    known = np.array([list(each) for each in table.values()], np.int64).reshape(1, len(table), len(scores))
    names = tuple(f"s{number}" for number in range(len(scores)))
    return Trust(
        runs=names,
        fold=np.zeros(rows, np.int64),
        score=np.array([scores], np.int64),
        labels=tuple(table),
        by_label=known,
    )


def alike(rows: int, runs: int) -> Trust:
    """Trust all runs alike."""
    return Trust.equal(rows, [f"s{number}" for number in range(runs)])


def kept_items(runs: Sequence[set[Span]], weights: Sequence[int], least: int) -> set[Span]:
    """Keep what enough runs have."""
    items = set().union(*runs)
    return {item for item in items if sum(w for run, w in zip(runs, weights, strict=True) if item in run) >= least}


def winner(values: Sequence[Any], weights: Sequence[int], scores: Sequence[int]) -> Any:
    """Return the value with most votes, then that of the better run, then the first in order; None does not vote."""
    best, chosen = None, None
    for value in sorted({value for value in values if value is not None}):
        mine = [run for run, other in enumerate(values) if other == value]
        merit = sum(weights[run] for run in mine), max(scores[run] for run in mine)
        if best is None or merit > best:
            best, chosen = merit, value
    return chosen


def tagged(spans: set[Span], sizes: Sequence[int]) -> list[list[str]]:
    """Write flat spans as BIO tags."""
    tags = [["O"] * size for size in sizes]
    for document, begin, end, label in spans:
        tags[document][begin:end] = [f"B-{label}", *[f"I-{label}"] * (end - begin - 1)]
    return tags


def spans_in(tags: Sequence[Sequence[str]]) -> set[Span]:
    """Read BIO tags as conlleval does: an inside that goes on with nothing begins a span."""
    found: set[Span] = set()
    for number, sentence in enumerate(tags):
        begin = None
        for place, tag in enumerate([*sentence, "O"]):
            letter, _, label = tag.partition("-")
            if begin is not None and (letter != "I" or label != sentence[begin][2:]):
                found.add((number, begin, place, sentence[begin][2:]))
                begin = None
            if begin is None and letter != "O":
                begin = place
    return found


def flat_spans(chance: random.Random, sizes: Sequence[int], labels: str = "AB") -> set[Span]:
    """Return spans that do not overlap."""
    found: set[Span] = set()
    for number, size in enumerate(sizes):
        place = 0
        while place < size:
            length = chance.choice([0, 0, 1, 1, 2])
            end = min(size, place + length)
            if length:
                found.add((number, place, end, chance.choice(labels)))
            place = max(end, place + 1)
    return found


def is_tree(heads: Sequence[int]) -> bool:
    """Whether heads, counted from 1 and 0 for the root, make a tree with one root."""
    if sum(head == 0 for head in heads) != 1:
        return False
    return all(_reaches_the_root(word, heads) for word in range(1, len(heads) + 1))


def _reaches_the_root(word: int, heads: Sequence[int]) -> bool:
    for _ in heads:
        word = heads[word - 1] if word else 0
    return word == 0


def trees_of(size: int) -> list[tuple[int, ...]]:
    """Return all trees with one root."""
    return [heads for heads in product(range(size + 1), repeat=size) if is_tree(heads)]
