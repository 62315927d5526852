"""What the examples of a page can be sliced by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, nearest
from comparanda.render.table import counted, visible
from comparanda.report.card_texts import OF_WORDS
from comparanda.report.keyless import KeylessViews
from comparanda.report.lists import Held, Lists
from comparanda.report.page_data import Page
from comparanda.report.page_data import View as DataView
from comparanda.report.views import (
    curves_view,
    labels_view,
    notes_of,
    overview,
    pair_view,
    pairing,
    suspects_view,
    together_view,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.core.text_columns import Column
    from comparanda.core.verdicts import View
    from comparanda.findings.agreement import Agreements
    from comparanda.result import Result


_MOST_VALUES = 40
"""An attribute with more values than this is no help to those who look for a slice."""


def slice_names(view: View, by: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes that are asked for, or proposed by the task, then all others that have few values."""
    first = view.cuts if by is None else by
    others = [name for name in view.sites.attributes if name not in {*first, *OF_WORDS}]
    return (*first, *(name for name in others if 1 < _values(view.sites.attributes[name].make()) <= _MOST_VALUES))


def _values(column: Column) -> int:
    """Return how many values a column has."""
    return len(column.names) if isinstance(column, TextColumn) else len(np.unique(column))


# From a result to the data of a page, view by view.


EXAMPLES = 20_000
"""How many examples a page holds at most; so many open in a second, and the file can still be mailed."""

WhichPairs = Literal["some", "all"]
WHICH_PAIRS: tuple[WhichPairs, ...] = get_args(WhichPairs)

_NAMED = 6
"""So many systems are named in a title, more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a page is to hold.

    Args:
        view: the view of the task it is about; None for the first.
        title: its title; None for one that says what was compared.
        text: whether it holds words of the corpus.
        by: the attributes to cut sites by; None for those that the task proposes.
        examples: how many examples it holds at most, of all numbers together; if there are more, a sample of each.
        base: the base of the pair that is shown first; the first system by default.
        new: the other system of it; the best of the others by default.
        pairs: whether to hold "all" pairs, or of many systems "some": those that people ask for first.
        served: whether a server is asked for what lists hold.

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
            raise UsageError(f"pairs={self.pairs!r}{nearest(self.pairs, WHICH_PAIRS)}", hint=", ".join(WHICH_PAIRS))
        for name in () if self.text else self.by or ():
            if name in OF_WORDS:
                what = f"slices by {name!r} show words of the corpus, and the page is to hold none"
                raise UsageError(what, hint="cut by something else, or let it hold words")


MakeView = Callable[["Result", Choices, Lists], DataView | None]
Say = Callable[[str], None]


def _views(result: Result, choices: Choices) -> Mapping[str, MakeView]:
    """Return the views in the order in which the page shows them, by what people are told while they wait."""
    pairs = pairing(result, choices)
    return {
        "overview": overview,
        "pairs": partial(pair_view, pairing=pairs),
        "all together": partial(together_view, pairing=pairs),
        "labels": labels_view,
        "suspects": suspects_view,
        "curves": curves_view,
    }


def build(result: Result, choices: Choices | None = None, say: Say | None = None) -> Page:
    """Return all that a page shows; `say` is told what is being done."""
    chosen = choices or Choices()
    return _built(result, chosen, _views(result, chosen), say)


def build_without_key(
    found: Agreements, result: Result, choices: Choices | None = None, say: Say | None = None
) -> Page:
    """Return all that a page shows of outputs without a key.

    Args:
        found: how far they agree.
        result: all of them compared with the ground, which stands where the key stands.
        choices: what the page is to hold.
        say: told what is being done.

    """
    views = KeylessViews(found)
    return _built(
        result,
        choices=choices or Choices(),
        views={"overview": views.overview, "pairs": views.pairs},
        say=say,
        ground=found.ground,
    )


def _built(
    result: Result, choices: Choices, views: Mapping[str, MakeView], say: Say | None, *, ground: str | None = None
) -> Page:
    lists, made = Lists(result), []
    for name, make in views.items():
        if say is not None:
            say(f"the page: {name}")
        made.append(make(result, choices, lists))
    if say is not None:
        say("the page: examples")
    verdicts = result.verdicts
    attributes = slice_names(verdicts.view(choices.view), choices.by)
    if choices.served:
        held = Held(lists.unfilled())
    else:
        held = lists.held(choices.examples, text=choices.text, attributes=attributes)
    return Page(
        title=visible(choices.title or _title(result, ground)),
        task=verdicts.task,
        systems={system.name: tuple(verdicts.runs[run] for run in system.runs) for system in verdicts.systems},
        runs=verdicts.runs,
        ground=ground,
        signature=visible(result.signature),
        notes=tuple(visible(str(note)) for note in notes_of(result, choices)),
        embedded=held.said(text=choices.text, seed=result.seed),
        views=tuple(view for view in made if view is not None),
        lists=held.lists,
        cards=held.cards,
        seed=result.seed,
        attributes=attributes,
        served=choices.served,
    )


def _title(result: Result, ground: str | None) -> str:
    """Say what was compared, in a line; the task with its column, as `--task` takes it."""
    verdicts = result.verdicts
    column = verdicts.settings.get("column", "")
    task = f"{verdicts.task}:{column}" if column.isidentifier() and column != verdicts.task else verdicts.task
    names = [*([] if ground is None else [ground]), *result.systems]
    listed = ", ".join(names) if len(names) <= _NAMED else counted(len(names), "system" if ground is None else "output")
    return f"{task}: {listed}{'' if ground is None else ', without a key'}"
