"""Labels under words: at the site those of all sides, around it where a run differs from the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.comparison.neighbours import Contested
from comparanda.comparison.rulers import glued_in, window_at
from comparanda.page.cards.sides import FEW_RUNS, Drawing, Saying, bare
from comparanda.page.cards.texts import LONGEST_WORD, fitted, line_of
from comparanda.page.data import Mark
from comparanda.sites import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from comparanda.comparison.context import Context
    from comparanda.comparison.examples import Example
    from comparanda.comparison.rulers import Window


class Tags:
    """Draws the labels of words.

    Args:
        context: the ground.
        runs: the runs to show beside the key.
        around: whether sites around the one that is looked at are shown too.

    """

    def __init__(self, context: Context, runs: Sequence[int], *, around: bool) -> None:
        self._sites, self._texts, self._runs = context.sites, context.verdicts.texts, runs
        self._contested = Contested(context.sites) if around and len(runs) <= FEW_RUNS else None

    def draw(self, example: Example, document: int, place: int) -> Drawing:
        """Draw the site at a row of a document."""
        window = window_at(self._texts, document, place, 1)
        if not window.words:
            return bare(len(self._runs))
        line = line_of(window, glued_in(self._texts, window), place)
        here = line.site[0]
        found = self._around(window, place)
        key = {here: _tag(here, example.key)} | {word: _beside(word, tag) for word, (tag, _) in found.items()}
        sayings = []
        for answer, run in zip(example.answers, self._runs, strict=True):
            marks = {word: _beside(word, said[run], wrong=True) for word, (_, said) in found.items() if run in said}
            marks[here] = _tag(here, answer.value, wrong=not answer.right)
            sayings.append(Saying(_in_order(marks)))
        # What only others get wrong is no difference between the key and a run that says nothing of it.
        full = Saying(_in_order(key))
        same = Saying((key[here],))
        return Drawing(line, full, tuple(full if each == same else each for each in sayings))

    def _around(self, window: Window, place: int) -> Mapping[int, tuple[str, Mapping[int, str]]]:
        """Return the words around a site on which runs differ from the key: its label, and those of such runs."""
        sites = self._sites
        found: dict[int, tuple[str, Mapping[int, str]]] = {}
        if self._contested is None:
            return found
        for row in self._contested.between(window.document, window.first, window.behind):
            if (at := int(sites.place[row])) != place:
                key = int(sites.key[row])
                codes = {run: int(sites.values[run][row]) for run in self._runs}
                said = {run: shown(sites.names[code]) for run, code in codes.items() if code != key}
                found[at - window.first] = shown(sites.names[key]), said
        return found


def _tag(word: int, label: str, *, wrong: bool = False) -> Mark:
    return Mark(label=fitted(label, LONGEST_WORD), pieces=((word, word),), wrong=wrong)


def _beside(word: int, label: str, *, wrong: bool = False) -> Mark:
    return Mark(label=fitted(label, LONGEST_WORD), pieces=((word, word),), wrong=wrong, beside=True)


def _in_order(marks: Mapping[int, Mark]) -> tuple[Mark, ...]:
    return tuple(marks[word] for word in sorted(marks))
