"""The data of a page, built from a result view by view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, suggest_nearest
from comparanda.render.table import format_count, make_visible
from comparanda.report.card_texts import OF_WORDS
from comparanda.report.keyless import KeylessViews
from comparanda.report.lists import Lists, PageLists
from comparanda.report.page_data import Page
from comparanda.report.page_data import View as DataView
from comparanda.report.views import (
    build_overview,
    choose_pairs,
    curves_view,
    labels_view,
    notes_of,
    pair_view,
    suspects_view,
    together_view,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.core.text_columns import Column
    from comparanda.core.verdicts import View
    from comparanda.findings.agreement import Agreements
    from comparanda.result import Result


_MAX_VALUES = 40
"""Attributes with more values than this are too fine-grained for slices."""


def slice_names(view: View, by: Sequence[str] | None) -> tuple[str, ...]:
    """Return the requested attributes, or those proposed by the task, then all others with few values."""
    first = view.cuts if by is None else by
    others = [name for name in view.sites.attributes if name not in {*first, *OF_WORDS}]
    return (*first, *(name for name in others if 1 < _count_values(view.sites.attributes[name].make()) <= _MAX_VALUES))


def _count_values(column: Column) -> int:
    """Return the number of distinct values of a column."""
    return len(column.names) if isinstance(column, TextColumn) else len(np.unique(column))


# Building the page.


EXAMPLES = 20_000
"""The maximal number of examples in a page, which opens within a second and is small enough for e-mail."""

WhichPairs = Literal["some", "all"]
WHICH_PAIRS: tuple[WhichPairs, ...] = get_args(WhichPairs)

_MAX_NAMED = 6
"""The maximal number of systems named in a title; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Options for the contents of a page.

    Args:
        view: the view of the task; None for the first.
        title: its title; None to name the systems compared.
        text: whether it contains words of the corpus.
        by: the attributes for slices; None for those that the task proposes.
        examples: the maximal number of examples, over all numbers; if there are more, a sample for each number.
        base: the base of the pair displayed first; the first system by default.
        new: the other system of that pair; the best of the others by default.
        pairs: whether to include "all" pairs, or, with many systems, "some": the most interesting ones.
        served: whether the page requests the contents of lists from a server.

    """

    view: str | None = None
    title: str | None = None
    text: bool = True
    by: tuple[str, ...] | None = None
    examples: int = EXAMPLES
    base: str | None = None
    new: str | None = None
    pairs: WhichPairs = "some"
    served: bool = False

    def __post_init__(self) -> None:
        if self.pairs not in WHICH_PAIRS:
            raise UsageError(
                f"pairs={self.pairs!r}{suggest_nearest(self.pairs, WHICH_PAIRS)}", hint=", ".join(WHICH_PAIRS)
            )
        for name in () if self.text else self.by or ():
            if name in OF_WORDS:
                what = f"slices by {name!r} show words of the corpus, which the page excludes"
                raise UsageError(what, hint="choose another attribute, or omit --no-text")


MakeView = Callable[["Result", Choices, Lists], DataView | None]
Progress = Callable[[str], None]


def _view_builders(result: Result, choices: Choices) -> Mapping[str, MakeView]:
    """Return the builders of the views in display order, by the names in progress messages."""
    pairs = choose_pairs(result, choices)
    return {
        "overview": build_overview,
        "pairs": partial(pair_view, pairing=pairs),
        "all together": partial(together_view, pairing=pairs),
        "labels": labels_view,
        "suspects": suspects_view,
        "curves": curves_view,
    }


def build_page(result: Result, choices: Choices | None = None, progress: Progress | None = None) -> Page:
    """Build the data of a page; `progress` receives progress messages."""
    chosen = choices or Choices()
    return _build_page(result, chosen, _view_builders(result, chosen), progress)


def build_without_key(
    found: Agreements, result: Result, choices: Choices | None = None, progress: Progress | None = None
) -> Page:
    """Build the data of a page about outputs without a key.

    Args:
        found: their agreement.
        result: the comparison of all of them with the reference output, which takes the place of the key.
        choices: the options of the page.
        progress: receives progress messages.

    """
    views = KeylessViews(found)
    return _build_page(
        result,
        choices=choices or Choices(),
        views={"overview": views.overview, "pairs": views.pairs},
        progress=progress,
        reference=found.reference,
    )


def _build_page(
    result: Result,
    choices: Choices,
    views: Mapping[str, MakeView],
    progress: Progress | None,
    *,
    reference: str | None = None,
) -> Page:
    lists, made = Lists(result), []
    for name, make in views.items():
        if progress is not None:
            progress(f"the page: {name}")
        made.append(make(result, choices, lists))
    if progress is not None:
        progress("the page: examples")
    verdicts = result.verdicts
    attributes = slice_names(verdicts.view(choices.view), choices.by)
    if choices.served:
        held = PageLists(lists.unfilled())
    else:
        held = lists.held(choices.examples, text=choices.text, attributes=attributes)
    return Page(
        title=make_visible(choices.title or _default_title(result, reference)),
        task=verdicts.task,
        systems={system.name: tuple(verdicts.runs[run] for run in system.runs) for system in verdicts.systems},
        runs=verdicts.runs,
        reference=reference,
        signature=make_visible(result.signature),
        notes=tuple(make_visible(str(note)) for note in notes_of(result, choices)),
        embedded=held.describe(text=choices.text, seed=result.seed),
        views=tuple(view for view in made if view is not None),
        lists=held.lists,
        cards=held.cards,
        seed=result.seed,
        attributes=attributes,
        served=choices.served,
    )


def _default_title(result: Result, reference: str | None) -> str:
    """Return a title that names the task, with its column as in `--task`, and the systems."""
    verdicts = result.verdicts
    column = verdicts.settings.get("column", "")
    task = f"{verdicts.task}:{column}" if column.isidentifier() and column != verdicts.task else verdicts.task
    names = [*([] if reference is None else [reference]), *result.systems]
    listed = (
        ", ".join(names)
        if len(names) <= _MAX_NAMED
        else format_count(len(names), "system" if reference is None else "output")
    )
    return f"{task}: {listed}{'' if reference is None else ', without a key'}"
