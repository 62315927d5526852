"""The tuples of one run that questions can be asked about, the conditions that select them, and the question units."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.joins import pack_columns
from comparanda.core.probabilities import EPSILON
from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import UsageError, suggest_nearest
from comparanda.expressions import Scope, quote_string, select
from comparanda.feedback.state import Ranges, blocks_of, is_uncertain, state_of, sum_parts
from comparanda.feedback.tally import Tally

if TYPE_CHECKING:
    from comparanda.core.candidates import Candidates
    from comparanda.core.claims import Claims
    from comparanda.core.probabilities import Decide, Floats
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.core.verdicts import Verdicts, View
    from comparanda.expressions import Type
    from comparanda.feedback.protocol import Kind, Plan
    from comparanda.feedback.state import State


@dataclass(frozen=True, eq=False)
class Field:
    """The tuples of one run, block by block.

    Args:
        candidates: the tuples.
        entities: the number of key entities in the scope; None without a key.
        scope: which tuples count and are asked about; the others still compete within their blocks.
        entity_spans: for each tuple, whether its span is in the key, with any label.

    """

    candidates: Candidates
    entities: int | None
    scope: Truths
    entity_spans: Truths

    def __len__(self) -> int:
        return len(self.candidates)

    @cached_property
    def start(self) -> State:
        """The probabilities before the first question; a run changes a copy of them."""
        run = self.candidates
        preference = np.empty(len(run), np.int64)
        preference[np.lexsort((run.label, run.begin, run.begin - run.end))] = np.arange(len(run))
        return state_of(run.beliefs, blocks_of(run.beliefs, preference))

    def sums(self, decide: Decide, min_weight: float) -> Floats:
        """Compute the sums that give the scores before the first question."""
        how = (decide, min_weight)
        if how not in self._sums_by_decision:
            self._sums_by_decision[how] = Tally(self, *how, self.start).sums
        return self._sums_by_decision[how]

    @cached_property
    def _sums_by_decision(self) -> dict[tuple[Decide, float], Floats]:
        return {}

    @cached_property
    def groups(self) -> Rows:
        """The number of each tuple's text, ignoring case, white space and Unicode composition (NFC)."""
        number: dict[str, int] = {}
        names = self.candidates.text.names
        codes = [number.setdefault(_normalise_text(name), len(number)) for name in names]
        found: Rows = np.array(codes, np.int64)[self.candidates.text.codes] if names else np.zeros(0, np.int64)
        return found

    @cached_property
    def pairs(self) -> Rows:
        """The number of each tuple's combination of text and label."""
        both = self.groups * max(1, len(self.candidates.names)) + self.candidates.label
        found: Rows = np.unique(both, return_inverse=True)[1].astype(np.int64)
        return found


def field_of(
    candidates: Candidates,
    entities: int | None = None,
    scope: Truths | None = None,
    entity_spans: Truths | None = None,
) -> Field:
    """Build a field from tuples; all of them are in the scope unless one is given.

    Args:
        candidates: the tuples.
        entities: the number of key entities in the scope; None without a key.
        scope: which tuples count.
        entity_spans: for each tuple, whether its span is in the key, with any label. By default, a span counts as in
            the key if some tuple of the span is correct.

    """
    if scope is None:
        scope = np.ones(len(candidates), np.bool_)
    if entity_spans is None:
        spans = np.unique(candidates.beliefs.alternative, return_inverse=True)[1]
        entity_spans = np.bincount(spans, candidates.correct, minlength=1)[spans] > 0
    return Field(candidates, entities, scope, entity_spans)


def _normalise_text(text: str) -> str:
    """Normalise a text for comparison."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


# Selecting tuples by a condition. Recall is computed over the key entities that match it.
#
# Conditions use attributes that tuples and key entities share: `label`, `text`, `document` and `length`.


NAMES: Mapping[str, Type] = {"label": "text", "text": "text", "document": "text", "length": "number"}
"""The attributes available to conditions; the length is in rows: words, or characters of untokenised text."""

ALL = "true"
"""The condition that always holds."""


def labels_condition(only: Iterable[str] = (), without: Iterable[str] = ()) -> str:
    """Write the condition that a label is among the wanted ones and not among the excluded ones.

    >>> labels_condition(["PER", "LOC"]), labels_condition([], ["MISC"]), labels_condition()
    ('(label == "PER" or label == "LOC")', 'label != "MISC"', 'true')
    """
    chosen = " or ".join(f"label == {quote_string(label)}" for label in only)
    parts = [f"({chosen})" if " or " in chosen else chosen] if chosen else []
    return " and ".join([*parts, *(f"label != {quote_string(label)}" for label in without)]) or ALL


def check_label(view: View, run: int, label: str) -> None:
    """Refuse a label that neither the key nor a run has."""
    candidates, claims = _candidates_and_claims(view, run)
    known = {*candidates.names, *claims.names}
    if label not in known:
        raise UsageError(f"the label {label!r} does not occur{suggest_nearest(label, known)}")


def condition_of(
    view: View, run: int, *, where: str | None = None, only: Iterable[str] = (), without: Iterable[str] = ()
) -> str:
    """Combine a condition and label filters into one condition; the labels must occur in the key or the run."""
    chosen, left_out = [*only], [*without]
    for label in (*chosen, *left_out):
        check_label(view, run, label)
    parts = [part for part in (labels_condition(chosen, left_out), where or ALL) if part != ALL]
    return " and ".join(f"({part})" for part in parts) if len(parts) > 1 else (parts or [ALL])[0]


def field_in(verdicts: Verdicts, view: View, run: int, where: str = ALL) -> Field:
    """Build the field of a run from all its tuples or from those that match a condition."""
    candidates, claims = _candidates_and_claims(view, run)
    inside = select(where, _condition_scope(candidates, lambda: candidates.text, verdicts))
    of_key = claims.take(np.flatnonzero(claims.key > 0))
    entities = int(select(where, _condition_scope(of_key, of_key.attributes["text"].make, verdicts)).sum())
    spans, known = pack_columns([[each.document, each.begin, each.end] for each in (candidates, of_key)])
    return field_of(candidates, entities, inside, np.isin(spans, known))


def refuse_nothing(field: Field, where: str) -> None:
    """Refuse a condition that matches nothing in the key or the output."""
    if where != ALL and not field.entities and not field.scope.any():
        raise UsageError(f"no key entities or output tuples match {where!r}")


def _candidates_and_claims(view: View, run: int) -> tuple[Candidates, Claims]:
    if view.candidates is None or view.claims is None:
        what = f"the view {view.name!r} has no tuples with probabilities"
        raise UsageError(what, hint="use the task prob")
    return view.candidates[run], view.claims


def _condition_scope(spans: Candidates | Claims, text: Callable[[], Column], verdicts: Verdicts) -> Scope:
    """Return the columns of spans that a condition can use."""
    columns: dict[str, Callable[[], Column]] = {
        "label": lambda: TextColumn(spans.label, spans.names),
        "text": text,
        "document": lambda: verdicts.document_column(spans.document),
        "length": lambda: spans.width,
    }
    return Scope(types=NAMES, column=lambda name: columns[name](), length=len(spans))


# The units of questions: a tuple, a span, a block, or a text with a label.


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Units:
    """Everything that can be asked about, in the order of its first tuple in the scope.

    Args:
        kind: the kind of question.
        first: the first tuple of each unit in the scope.
        unit: the unit of each tuple; -1 for tuples that are never asked about.
        row: the tuples of all units, unit by unit; for a text with a label, only those in the scope.
        ranges: the range of `row` that belongs to each unit.
        scope: which tuples count.

    """

    kind: Kind
    first: Rows
    unit: Rows
    row: Rows
    ranges: Ranges
    scope: Truths

    def __len__(self) -> int:
        return len(self.first)

    def rows(self, units: Rows) -> tuple[Rows, Rows]:
        """Return the tuples of some units, and for each the index of its unit among these."""
        if self.kind == "label":
            return self.first[units], np.arange(len(units))
        found, place = self.ranges.of(units)
        return self.row[found], place

    def touched(self, rows: Rows) -> Rows:
        """Return the distinct units of some tuples."""
        found = self.unit[rows]
        if self.kind != "label":
            found = np.unique(found)
        kept: Rows = found[found >= 0]
        return kept

    def open(self, state: State, units: Rows, plan: Plan, settled: Truths) -> Truths:
        """Determine for each of some units whether there is anything to ask about it.

        Args:
            state: the current probabilities.
            units: the units.
            plan: decides whether certain units are asked about.
            settled: the blocks whose truth an answer has established.

        """
        if self.kind == "span":
            first = self.first[units]
            entity = state.entity[state.blocks.span[first]]
            again = (entity > EPSILON) & ~settled[state.blocks.block[first]] & plan.ask_certain
            return is_uncertain(entity) | again
        rows, place = self.rows(units)
        weight = state.weight[rows]
        alive = is_uncertain(weight)
        if plan.ask_certain:
            alive |= (weight > EPSILON) & ~settled[state.blocks.block[rows]]
        if self.kind == "label":
            return alive
        found: Truths = sum_parts(place, alive & self.scope[rows], len(units)) > 0
        return found


def units_of(field: Field, kind: Kind) -> Units:
    """Build the units that questions of a kind can be about."""
    blocks = field.start.blocks
    within = np.flatnonzero(field.scope)
    if kind == "label":
        unit = np.full(len(field), -1, np.int64)
        unit[within] = np.arange(len(within))
        return Units(
            kind=kind, first=within, unit=unit, row=within, ranges=Ranges(np.arange(len(within) + 1)), scope=field.scope
        )
    own = {"span": blocks.span, "choice": blocks.block}[kind] if kind != "group" else field.pairs
    named, first = np.unique(own[within], return_index=True)
    order = np.argsort(first, kind="stable")
    number = np.full(int(own.max(initial=-1)) + 1, -1, np.int64)
    number[named[order]] = np.arange(len(named))
    unit = number[own]
    listed = np.flatnonzero((unit >= 0) & (field.scope if kind == "group" else True))
    listed = listed[np.argsort(unit[listed], kind="stable")]
    ranges = Ranges.counted(np.bincount(unit[listed], minlength=len(named)))
    return Units(kind=kind, first=within[first[order]], unit=unit, row=listed, ranges=ranges, scope=field.scope)
