"""Arcs of a sentence: those of words on which sides differ, and the words at both of their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from comparanda.page.cards.sides import FEW_RUNS, Drawing, Saying
from comparanda.page.cards.texts import LONGEST_WORD, fitted
from comparanda.page.data import ArcMark, ArcWord
from comparanda.show.arcs import clipped
from comparanda.show.cells import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.comparison.examples import Example
    from comparanda.comparison.trees import Arc
    from comparanda.page.cards.texts import Line

MOST_WORDS = 8
"""How many words on which sides differ are shown, those nearest to the site."""

_WORD = 16  # columns of a word in a drawing


def most_arcs(runs: int) -> int:
    """Return of how many words arcs are shown: of many runs, those of one word alone."""
    return MOST_WORDS if runs <= FEW_RUNS else 1


def draw_trees(example: Example, line: Line) -> Drawing:
    """Draw the arcs of a sentence."""
    key, *runs = (tuple(map(_arc, tree.arcs)) for tree in example.trees)
    known, said = frozenset(key), Saying(arcs=key)
    ends = {end for tree in example.trees for arc in tree.arcs for end in (arc.word, arc.head) if end}
    left = example.undrawn
    return Drawing(
        line,
        said,
        tuple(_unlike(arcs, known, said) for arcs in runs),
        ends=tuple(_end(number, example.words[number - 1]) for number in sorted(ends)),
        undrawn=f"they differ on {counted(left, 'more word')} of this sentence" if left else "",
    )


def _unlike(arcs: Iterable[ArcMark], known: frozenset[ArcMark], key: Saying) -> Saying:
    """Return what a run says: the arcs that are not the key's, or the very same where all are."""
    found = tuple(arc for arc in arcs if arc not in known)
    return Saying(arcs=found) if found else key


def _arc(arc: Arc) -> ArcMark:
    label = None if arc.label is None else fitted(arc.label, LONGEST_WORD)
    return ArcMark(word=arc.word, head=arc.head, label=label, wrong=not arc.right)


def _end(number: int, word: str) -> ArcWord:
    text = clipped(word, _WORD) or " "
    return ArcWord(number=number, text=text, cells=max(cell_len(text), 1))
