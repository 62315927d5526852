"""The view of labels: how good all systems are at each, and which of them one system takes for which."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.measures import can_be_told, measure
from comparanda.page.data import Choice, View
from comparanda.page.parts import finding_parts, table_part
from comparanda.show.cells import counted, visible
from comparanda.show.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.comparison.scores import Scores
    from comparanda.page.building import Choices
    from comparanda.page.data import Part, TablePart
    from comparanda.page.lists import Lists
    from comparanda.result import Result
    from comparanda.show.table import Table

_MEASURES = {"f1": "F1 of each label", "precision": "Precision of each label", "recall": "Recall of each label"}
_SCORED = 100
"""So many labels have scores, the most frequent of the key."""


def labels_view(result: Result, choices: Choices, lists: Lists) -> View | None:
    """Return the view, if there are sites to look at."""
    if not len(result.verdicts.view(choices.view).sites):
        return None
    parts: list[Part] = []
    if len(result.verdicts.runs) > 1:
        parts.append(_oracle(result, choices, lists))
    scores = scores_by_label(result, choices)
    if scores is not None:
        parts += [table_part(each, lists.number) for each in _score_tables(result, choices, scores)]
    return View(
        name="labels",
        title="Labels",
        parts=tuple(parts),
        choices=tuple(_choice(result, choices, lists, run) for run in result.verdicts.runs),
    )


def _choice(result: Result, choices: Choices, lists: Lists, run: str) -> Choice:
    found = result.confusion(run, view=choices.view)
    return Choice(title=visible(run), system=run, parts=finding_parts(found, lists.number))


def _oracle(result: Result, choices: Choices, lists: Lists) -> TablePart:
    """Return how much of each label every run has right, and what the best combination could have."""
    found = tables(result.combination(view=choices.view), 0)
    table = next(each for each in found if each.name == "oracle")
    called = result.verdicts.view(choices.view).kinds or "label"
    title = f"Right at the sites of each {called}, and the upper bound of any combination"
    return table_part(replace(table, title=title), lists.number)


def _score_tables(result: Result, choices: Choices, scores: Scores) -> Iterator[Table]:
    """Yield the tables of scores, and say in the first how many labels have none."""
    _, left = _scored_labels(result, choices)
    notes = (f"{counted(left, 'further label')} {'has' if left == 1 else 'have'} no scores here",) if left else ()
    for table in tables(scores, 0):
        yield replace(table, title=_MEASURES.get(table.name, table.title), notes=(*table.notes, *notes))
        notes = ()


def scores_by_label(result: Result, choices: Choices) -> Scores | None:
    """Return precision, recall and F1 of each label of the key, where items have labels.

    Tables of several systems show no intervals, so none are drawn for them.
    """
    view = result.verdicts.view(choices.view)
    names = [f"{name}[{label}]" for name in _MEASURES for label in _scored_labels(result, choices)[0]]
    told = all(
        can_be_told(result.verdicts, view, statistic) for name in names for statistic in measure(name).statistics
    )
    if view.kinds is not None or not names or not told:
        return None
    drawn = result if len(result.systems) == 1 else replace(result, resamples=0)
    return replace(drawn.scores(*names, view=choices.view), outcomes=())


def _scored_labels(result: Result, choices: Choices) -> tuple[list[str], int]:
    """Return the most frequent labels of the key's items, as far as measures can name them, and how many are left."""
    items = result.verdicts.view(choices.view).items
    counts = items.positives
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda code: (-int(counts[code]), code))
    names = [name for name in (items.names[code] for code in order) if name and "\n" not in name][:_SCORED]
    return names, len(order) - len(names)
