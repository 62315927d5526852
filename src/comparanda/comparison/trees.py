"""What sides say of the same words where they do not agree: the arcs of a sentence that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.sites import ABSENT, OWN_PLACE, shown

if TYPE_CHECKING:
    from comparanda.columns import Codes
    from comparanda.comparison.context import Context


@dataclass(frozen=True)
class Arc:
    """What one side says of one word: the head it hangs on, by which relation, and whether that is right.

    Words are the key's, numbered in their sentence from 1. A head of 0 is the root; None is a head that is no
    word of the sentence: the key cuts it otherwise, or has it in another sentence. A label of None says that the
    side has no such word: it cuts the text otherwise.
    """

    word: int
    head: int | None
    label: str | None
    right: bool


@dataclass(frozen=True)
class Tree:
    """The arcs of one side, the key or a run, for the words of a sentence on which the sides shown differ.

    The words are the same on every side, each once and in order, so that arcs can be read across.
    """

    side: str
    arcs: tuple[Arc, ...]


MOST_WORDS = 30
"""How many words of a sentence are drawn at most, those nearest to the site."""


def trees_of(
    context: Context, row: int, position: int, size: int, runs: tuple[int, ...], most: int = MOST_WORDS
) -> tuple[tuple[Tree, ...], int]:
    """Return the arcs of the key and of some runs, for the words of a site's sentence on which these differ.

    There may be too many such words; how many are left out is returned as well.

    Args:
        context: the ground.
        row: the site.
        position: its place in its sentence, from 0.
        size: how many words the sentence has.
        runs: the runs to show beside the key.
        most: of how many words arcs are returned at most, those nearest to the site.

    """
    pointer = next((name for name, aspect in context.sites.aspects.items() if aspect.points), None)
    if pointer is None:
        return (), 0
    sites = context.view.all_sites
    sentence = context.sites.sentence[row]
    first = int(context.sites.place[row]) - position
    begin, end = np.searchsorted(sites.sentence, [sentence, sentence + 1])
    here = sites.take(np.arange(begin, end))
    heads, labels = here.aspects[pointer], here.labels
    unlike = np.zeros(len(here), np.bool_)
    for run in runs:
        unlike |= (heads.values[run] != heads.key) | (labels.values[run] != labels.key)
    if not unlike.any():
        return (), 0
    rows = np.flatnonzero(unlike)
    away = np.abs(here.place[rows] - context.sites.place[row])
    nearest = np.sort(rows[np.argsort(away, kind="stable")[:most]])
    words = [(each, int(here.place[each]) - first + 1) for each in nearest.tolist()]

    def tree(side: str, head: Codes, label: Codes, value: Codes) -> Tree:
        arcs = [
            _arc(number, heads.names[head[each]], labels.names[label[each]], size, value[each] == here.key[each])
            for each, number in words
        ]
        return Tree(side, tuple(arcs))

    of_runs = (
        tree(context.verdicts.runs[run], heads.values[run], labels.values[run], here.values[run]) for run in runs
    )
    return (tree("key", heads.key, labels.key, here.key), *of_runs), len(rows) - len(nearest)


def _arc(word: int, head: str, label: str, size: int, right: np.bool_) -> Arc:
    """Make an arc of the names of a head, such as `+2`, and of a label, in a sentence of some size."""
    if head == ABSENT:
        return Arc(word, None, None, bool(right))
    if head in {OWN_PLACE, "0"}:
        return Arc(word, word if head == OWN_PLACE else 0, shown(label), bool(right))
    number = word + int(head) if head[0] in "+-" else None
    inside = number is not None and 1 <= number <= size
    return Arc(word, number if inside else None, shown(label), bool(right))
