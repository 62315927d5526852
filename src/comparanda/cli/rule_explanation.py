"""The command `rules explain`: select spans and explain their verdicts."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from comparanda.cli.input_names import key_of, parse_inputs
from comparanda.cli.output import print_notes, print_settings_note
from comparanda.cli.requests import settings_of
from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import ExpressionError, UsageError, suggest_nearest
from comparanda.expressions import Scope, select
from comparanda.pipeline import Setup, columns_of, prepare_systems, refuse_notes
from comparanda.render.console import show_progress
from comparanda.render.rule_text import explanation_text, rules_document
from comparanda.rules.explanation import Account, Naming
from comparanda.rules.explanation.account import why_of
from comparanda.rules.explanation.data import ExplainedSpan, Explanation, WhyNot
from comparanda.rules.explanation.refusals import NEAREST, why_not_of
from comparanda.rules.facts import normalise_text
from comparanda.storage.manifest import is_result_folder
from comparanda.tasks.spans.evaluation import run_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from comparanda.align import Aligned
    from comparanda.core.text_columns import Truths
    from comparanda.rules.ruleset import Rule
    from comparanda.tasks.spans.evaluation import Ruled


_PLACE = re.compile(r"(?:(?P<document>.*):)?(?P<begin>\d{1,18})(?:-(?:[\d,-]*-)?(?P<end>\d{1,18}))?", re.DOTALL)
_LISTED_DOCUMENTS = 5


class Run(Naming):
    """The outcome of the rules for one system; names rows by documents, texts, files and lines.

    Args:
        aligned: the key and the aligned outputs.
        ruled: the outcome of the rules for all outputs.
        number: the index of the output.
        name: the name of the system.

    """

    def __init__(self, aligned: Aligned, ruled: Ruled, number: int, name: str) -> None:
        self.name, self.documents = name, aligned.key.documents.names
        self.account = Account(ruled.outcomes[number], ruled.engine, self)
        self._placement = ruled.placement
        self._sides = {
            "key": (ruled.placement.sides[0], aligned.key),
            "system": (ruled.placement.sides[number + 1], aligned.responses[number]),
        }

    def side(self, table: str) -> str:
        """Return `key` or the name of the system."""
        return self.name if table == "system" else table

    def document(self, number: int) -> str:
        """Return the name of a document of the key."""
        return self.documents[number]

    def text(self, table: str, row: int) -> str | None:
        """Return the text of the key that a span covers; None if there is none."""
        spans, _ = self._sides[table]
        texts = self._placement.texts(spans.take(np.array([self._original_row(table, row)])))
        return None if texts.missing is not None else texts[0]

    def place(self, table: str, row: int) -> str | None:
        """Return the file and line of a span."""
        spans, corpus = self._sides[table]
        assert corpus.spans is not None
        return str(corpus.source.locate(int(corpus.spans.offset[spans.given[self._original_row(table, row)]])))

    def texts(self, table: str) -> TextColumn:
        """Return the texts of all spans of a table, in the order of its rows."""
        order = self.account.outcome.state.tables[table].order
        texts = self._placement.texts(self._sides[table][0])
        return texts if order is None else texts.take(order)

    def _original_row(self, table: str, row: int) -> int:
        order = self.account.outcome.state.tables[table].order
        return row if order is None else int(order[row])


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: a position or a range of positions.

    >>> Place.parse("d3:12-14"), Place.parse("7")
    (Place(document='d3', begin=12, end=14), Place(document=None, begin=7, end=None))
    >>> Place.parse("a:b:3-4,6-9")
    Place(document='a:b', begin=3, end=9)

    """

    document: str | None
    begin: int
    end: int | None

    @classmethod
    def parse(cls, written: str) -> Place:
        """Parse `[DOC:]BEGIN-END` or `[DOC:]BEGIN`; fragments give the range from the first to the last."""
        found = _PLACE.fullmatch(written.strip())
        if found is None:
            raise UsageError(f"expected a place as DOC:BEGIN-END or DOC:BEGIN, got {written!r}")
        end = None if found["end"] is None else int(found["end"])
        if end is not None and end < int(found["begin"]):
            raise UsageError(f"the place {written!r} ends before it begins")
        return cls(found["document"], int(found["begin"]), end)

    def rows(self, run: Run, table: str) -> Truths:
        """Select the spans with exactly these boundaries or, if there are none, those that overlap the place."""
        columns = run.account.outcome.state.tables[table].columns
        here = columns["doc"] == self._document_number(run.documents)
        begin, end = columns["begin"], columns["end"]
        if self.end is not None:
            exact: Truths = here & (begin == self.begin) & (end == self.end)
            if exact.any():
                return exact
        until = self.begin + 1 if self.end is None else max(self.end, self.begin + 1)
        empty = (begin == end) & (begin >= self.begin) & (begin < until)
        found: Truths = here & (((begin < until) & (end > self.begin)) | empty)
        return found

    def _document_number(self, documents: tuple[str, ...]) -> int:
        if self.document is None:
            if len(documents) > 1:
                shown = ", ".join(documents[:_LISTED_DOCUMENTS])
                shown += " …" if len(documents) > _LISTED_DOCUMENTS else ""
                raise UsageError(
                    f"position {self.begin} needs a document: there are several",
                    hint=f"write DOC:{self.begin}; documents: {shown}",
                )
            return 0
        if self.document not in documents:
            what = f"the key has no document {self.document!r}{suggest_nearest(self.document, documents)}"
            raise UsageError(what, hint="give a place as DOC:BEGIN-END")
        return documents.index(self.document)


@dataclass(frozen=True, slots=True)
class Choice:
    """A selection of spans, which must match all given criteria.

    Args:
        at: the place of the spans.
        text: the text of the spans, without regard to case and white space.
        where: a condition on the spans.
        partner: the place of spans that a rule might have paired with them.

    """

    at: Place | None
    text: str | None
    where: str | None
    partner: Place | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Choice:
        """Build a selection from command-line options; at least one criterion is required."""
        at, text, where, partner = (options[name] for name in ("at", "text", "span", "partner"))
        if at is None and text is None and where is None:
            hint = "add --at DOC:BEGIN-END, --text TEXT, or --span CONDITION, such as 'label == \"PER\"'"
            raise UsageError("no span selected", hint=hint)
        places = [None if each is None else Place.parse(each) for each in (at, partner)]
        return cls(places[0], text, where, places[1])

    def rows(self, run: Run, table: str) -> list[int]:
        """Return the selected rows of a table, in order of content."""
        meant = np.ones(run.account.outcome.state.tables[table].size, np.bool_)
        if self.at is not None:
            meant &= self.at.rows(run, table)
        if self.text is not None and meant.any():
            wanted = normalise_text(self.text)
            meant &= run.texts(table).truths(lambda text: normalise_text(text) == wanted)
        if self.where is not None:
            meant &= _select_rows(run, table, self.where)
        return [int(row) for row in np.flatnonzero(meant)]

    def partners(self, run: Run, rule: Rule, table: str) -> Sequence[int | None]:
        """Return the rows of the rule's other table that `partner` selects; only None without `partner`."""
        if self.partner is None:
            return [None]
        tables = list(rule.over.values())
        if len(tables) < 2:
            raise UsageError(f"the rule {rule.name!r} matches single rows, so there is nothing to pair with")
        other = tables[1] if tables[0] == table else tables[0]
        found = np.flatnonzero(self.partner.rows(run, other)).tolist()[:NEAREST]
        if not found:
            raise UsageError(f"--with: no span of {run.side(other)!r} at this place")
        return list(map(int, found))

    def describe(self) -> str:
        """Describe the selection for messages."""
        parts = []
        if self.at is not None:
            where = f"{self.at.document}:" if self.at.document is not None else ""
            parts.append(f"at {where}{self.at.begin}" + (f"-{self.at.end}" if self.at.end is not None else ""))
        if self.text is not None:
            parts.append(f"with the text {self.text!r}")
        if self.where is not None:
            parts.append(f"matching {self.where}")
        return " and ".join(parts)


def _select_rows(run: Run, table: str, where: str) -> Truths:
    """Select the rows that match a condition on columns (except those of type row) and document names."""
    types = run.account.rule_set.tables[table]
    state = run.account.outcome.state
    names = {name: each.kind for name, each in types.items() if each.kind != "row"}

    def column(name: str) -> Column:
        if name in {"doc", "document"}:
            numbers = state.tables[table].columns["doc"]
            return TextColumn(numbers, run.documents)
        if name in {"text", "norm"}:
            texts = run.texts(table)
            return texts if name == "text" else TextColumn.of(normalise_text(texts[row]) for row in range(len(texts)))
        values = state.tables[table].columns[name]
        return state.pool.column(values) if names[name] == "text" else values

    scope = Scope(
        types={**names, "doc": "text", "document": "text"},
        column=column,
        length=state.tables[table].size,
    )
    try:
        return select(where, scope)
    except ExpressionError as problem:
        raise UsageError(f"--span: {problem.what}", details=problem.details, hint=problem.hint) from None


# Run the rules, find the selected spans, and explain their verdicts.


MOST = 10
"""The maximum number of spans to explain."""

_UNAVAILABLE_OPTIONS = (
    "train",
    "punctuation",
    "labels",
    "conll18",
    "where",
    "singletons",
    "repeated",
    "matching",
    "nouns",
    "across",
    "beliefs",
    "decide",
    "min_weight",
)
"""Options that this command does not have."""


def explain_spans(context: click.Context, options: Mapping[str, Any]) -> None:
    """Print why the selected spans have their verdicts, and why rules did not fire for them."""
    print_settings_note(context, options)
    if is_result_folder(key_of(context, options)):
        raise UsageError("a result folder does not contain what each rule did", hint="give the files instead")
    choice = Choice.of(options)
    key, systems = parse_inputs(context, options)
    names = [name for name, _ in columns_of(systems)[1]]
    _check_side(options["side"], ["key", *names])
    setup = _build_setup(options, systems)
    with show_progress(sys.stderr, quiet=options["quiet"]) as progress:
        prepared = prepare_systems(key, systems, replace(setup, progress=progress))
        ruled = run_rules(prepared.aligned, prepared.systems, prepared.options)
    notes = (*prepared.aligned.notes, *ruled.notes)
    refuse_notes(setup, notes)
    print_notes(notes, options)
    runs = [Run(prepared.aligned, ruled, number, name) for number, name in enumerate(names)]
    spans, more = _explain_selected(runs, choice, options)
    found = Explanation(ruled.engine.rule_set.name, ruled.placement.unit, spans, more)
    text = rules_document(found, tuple(map(str, notes))) if options["as_json"] else explanation_text(found)
    click.echo(text.rstrip("\n"))


def _check_side(side: str | None, sides: Sequence[str]) -> None:
    if side is not None and side not in sides:
        raise UsageError(f"unknown side {side!r}{suggest_nearest(side, sides)}", hint=f"sides: {', '.join(sides)}")


def _build_setup(options: Mapping[str, Any], systems: Mapping[str, Any]) -> Setup:
    missing = dict.fromkeys(_UNAVAILABLE_OPTIONS)
    settings = settings_of({**options, **missing, "task": options["task"] or "span"}, systems)
    known = {field.name for field in fields(Setup)}
    return Setup(**{name: value for name, value in settings.items() if name in known})


def _explain_selected(
    runs: Sequence[Run], choice: Choice, options: Mapping[str, Any]
) -> tuple[tuple[ExplainedSpan, ...], int]:
    """Explain the first selected spans, by system and place; also return the number of the others."""
    side: str | None = options["side"]
    table = "key" if side == "key" else "system"
    chosen = [run for run in runs if side in {None, "key", run.name}]
    rows = [(run, row) for run in chosen for row in choice.rows(run, table)]
    if not rows:
        raise _no_match_error(chosen, choice, table)
    spans = [
        ExplainedSpan(
            run.name,
            why_of(run.account, table, row),
            tuple(_explain_refusal(run, name=rule, table=table, row=row, choice=choice) for rule in options["rule"]),
        )
        for run, row in rows[:MOST]
    ]
    return tuple(spans), len(rows) - len(spans)


def _explain_refusal(run: Run, name: str, table: str, row: int, *, choice: Choice) -> WhyNot:
    """Explain why a rule did not fire for a span: with the nearest partners, or with the named ones."""
    _, rule = run.account.rule(name)
    found = [
        why_not_of(run.account, name=name, table=table, row=row, other=other)
        for other in choice.partners(run, rule, table)
    ]
    return replace(found[0], attempts=tuple(attempt for each in found for attempt in each.attempts))


def _no_match_error(runs: Sequence[Run], choice: Choice, table: str) -> UsageError:
    """Make the error for an empty selection; the hint names a match on the other side."""
    who = "the key" if table == "key" else " or ".join(repr(run.name) for run in runs)
    other = "system" if table == "key" else "key"
    hint = None
    with suppress(UsageError):  # a condition may refer to columns that only one side has
        there = [(run, row) for run in runs for row in choice.rows(run, other)]
        if there:
            row = there[0][0].account.row(other, there[0][1])
            hint = f"add --side {row.side}, where there is {row}"
    return UsageError(f"no span of {who} {choice.describe()}", hint=hint)
