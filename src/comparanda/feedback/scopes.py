"""What is asked about: all tuples of a run, or those that fulfil a condition; recall is over the key's entities there.

A condition speaks of what tuples and entities of the key both have: `label`, `text`, `document` and `length`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from comparanda.columns import Column, TextColumn
from comparanda.errors import UsageError, nearest
from comparanda.expressions import Scope, quote, select
from comparanda.feedback.field import Field, field_of
from comparanda.rules.joins import packed

if TYPE_CHECKING:
    from comparanda.candidates import Candidates
    from comparanda.claims import Claims
    from comparanda.expressions import Type
    from comparanda.verdicts import Verdicts, View

NAMES: Mapping[str, Type] = {"label": "text", "text": "text", "document": "text", "length": "number"}
"""What a condition can speak of; the length is that in rows: words, or characters of a text without them."""

ALL = "true"
"""The condition that everything fulfils."""


def labels_condition(only: Iterable[str] = (), without: Iterable[str] = ()) -> str:
    """Write the condition that a label is one of some, and none of others.

    >>> labels_condition(["PER", "LOC"]), labels_condition([], ["MISC"]), labels_condition()
    ('(label == "PER" or label == "LOC")', 'label != "MISC"', 'true')
    """
    chosen = " or ".join(f"label == {quote(label)}" for label in only)
    parts = [f"({chosen})" if " or " in chosen else chosen] if chosen else []
    return " and ".join([*parts, *(f"label != {quote(label)}" for label in without)]) or ALL


def check_label(view: View, run: int, label: str) -> None:
    """Refuse a label that neither the key nor a run has."""
    candidates, claims = _sides(view, run)
    known = {*candidates.names, *claims.names}
    if label not in known:
        raise UsageError(f"the label {label!r} does not occur{nearest(label, known)}")


def condition_of(
    view: View, run: int, where: str | None = None, only: Iterable[str] = (), without: Iterable[str] = ()
) -> str:
    """Write one condition of what is asked for by a condition and by labels, which must occur."""
    chosen, left_out = [*only], [*without]
    for label in (*chosen, *left_out):
        check_label(view, run, label)
    parts = [part for part in (labels_condition(chosen, left_out), where or ALL) if part != ALL]
    return " and ".join(f"({part})" for part in parts) if len(parts) > 1 else (parts or [ALL])[0]


def field_in(verdicts: Verdicts, view: View, run: int, where: str = ALL) -> Field:
    """Return the field of a run, of all its tuples or of those that fulfil a condition."""
    candidates, claims = _sides(view, run)
    inside = select(where, _scope(candidates, lambda: candidates.text, verdicts.documents))
    of_key = claims.take(np.flatnonzero(claims.key > 0))
    entities = int(select(where, _scope(of_key, of_key.attributes["text"].make, verdicts.documents)).sum())
    spans, known = packed([[each.document, each.begin, each.end] for each in (candidates, of_key)])
    return field_of(candidates, entities, inside, np.isin(spans, known))


def refuse_nothing(field: Field, where: str) -> None:
    """Refuse a condition that neither the key nor the output has anything for."""
    if where != ALL and not field.entities and not field.scope.any():
        raise UsageError(f"nothing in the key or the output fulfils {where!r}")


def _sides(view: View, run: int) -> tuple[Candidates, Claims]:
    if view.candidates is None or view.claims is None:
        what = f"the view {view.name!r} has no tuples with probabilities"
        raise UsageError(what, hint="the task prob has them")
    return view.candidates[run], view.claims


def _scope(spans: Candidates | Claims, text: Callable[[], Column], documents: tuple[str, ...]) -> Scope:
    """Return what a condition can see of spans."""
    columns: dict[str, Callable[[], Column]] = {
        "label": lambda: TextColumn(spans.label, spans.names),
        "text": text,
        "document": lambda: TextColumn(spans.document, documents),
        "length": lambda: spans.width,
    }
    return Scope(types=NAMES, column=lambda name: columns[name](), length=len(spans))
