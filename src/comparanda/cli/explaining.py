"""What `rules explain` does: run the rules, find the spans that are meant, and say why they are what they are."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import click

from comparanda.cli.inputs import inputs, key_of
from comparanda.cli.output import print_notes, say_settings
from comparanda.cli.run import settings_of
from comparanda.cli.spans import Choice, Run
from comparanda.errors import UsageError, nearest
from comparanda.judge.spans import run_rules
from comparanda.road import Setup, columns_of, prepare, refuse_notes
from comparanda.rules.explain.data import ExplainedSpan, Explanation, WhyNot
from comparanda.rules.explain.firings import why_of
from comparanda.rules.explain.refusals import why_not_of
from comparanda.saved import is_result_folder
from comparanda.show.console import progress
from comparanda.show.rules import explanation_text, rules_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST = 10
"""How many spans are explained at once."""

_OF_OTHERS = (
    "train",
    "punctuation",
    "labels",
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
"""Options that only other commands have."""


def explain_spans(context: click.Context, options: Mapping[str, Any]) -> None:
    """Print why some spans have their verdicts, and why rules have not fired for them."""
    say_settings(context, options)
    if is_result_folder(key_of(context, options)):
        raise UsageError("a result folder does not keep what each rule did", hint="give the files themselves")
    choice = Choice.of(options)
    key, systems = inputs(context, options)
    names = [name for name, _ in columns_of(systems)[1]]
    _check_side(options["side"], ["key", *names])
    setup = _setup(options, systems)
    with progress(sys.stderr, quiet=options["quiet"]) as say:
        prepared = prepare(key, systems, replace(setup, progress=say))
        ruled = run_rules(prepared.aligned, prepared.systems, prepared.options)
    notes = (*prepared.aligned.notes, *ruled.notes)
    refuse_notes(setup, notes)
    print_notes(notes, options)
    runs = [Run(prepared.aligned, ruled, number, name) for number, name in enumerate(names)]
    spans, more = _explained(runs, choice, options)
    found = Explanation(ruled.engine.rule_set.name, ruled.placement.unit, spans, more)
    text = rules_document(found, tuple(map(str, notes))) if options["as_json"] else explanation_text(found)
    click.echo(text.rstrip("\n"))


def _check_side(side: str | None, sides: Sequence[str]) -> None:
    if side is not None and side not in sides:
        raise UsageError(f"no side is called {side!r}{nearest(side, sides)}", hint=f"sides: {', '.join(sides)}")


def _setup(options: Mapping[str, Any], systems: Mapping[str, Any]) -> Setup:
    missing = dict.fromkeys(_OF_OTHERS)
    settings = settings_of({**options, **missing, "task": "span"}, systems)
    known = {field.name for field in fields(Setup)}
    return Setup(**{name: value for name, value in settings.items() if name in known})


def _explained(
    runs: Sequence[Run], choice: Choice, options: Mapping[str, Any]
) -> tuple[tuple[ExplainedSpan, ...], int]:
    """Explain the spans that are meant, the first of them by system and by place; and say how many more there are."""
    side: str | None = options["side"]
    table = "key" if side == "key" else "system"
    chosen = [run for run in runs if side in {None, "key", run.name}]
    rows = [(run, row) for run in chosen for row in choice.rows(run, table)]
    if not rows:
        raise _nothing(chosen, choice, table)
    spans = [
        ExplainedSpan(
            run.name,
            why_of(run.account, table, row),
            tuple(_why_not(run, rule, table, row, choice) for rule in options["rule"]),
        )
        for run, row in rows[:MOST]
    ]
    return tuple(spans), len(rows) - len(spans)


def _why_not(run: Run, name: str, table: str, row: int, choice: Choice) -> WhyNot:
    """Say why a rule has not fired for a span: with those that come nearest, or with those that are named."""
    _, rule = run.account.rule(name)
    found = [why_not_of(run.account, name, table, row, other) for other in choice.partners(run, rule, table)]
    return replace(found[0], attempts=tuple(attempt for each in found for attempt in each.attempts))


def _nothing(runs: Sequence[Run], choice: Choice, table: str) -> UsageError:
    """Say that no span is meant, and whether the other side has one."""
    who = "the key" if table == "key" else " or ".join(repr(run.name) for run in runs)
    other = "system" if table == "key" else "key"
    hint = None
    with suppress(UsageError):  # a condition may speak of columns that only one side has
        there = [(run, row) for run in runs for row in choice.rows(run, other)]
        if there:
            row = there[0][0].account.row(other, there[0][1])
            hint = f"there is {row}: --side {row.side}"
    return UsageError(f"no span of {who} is {choice.said()}", hint=hint)
