"""Unchecked declarations of rule sets, shared by rule files and Python objects.

A rule file (TOML) and these dataclasses are two notations for the same content; `comparanda.rules.compiler`
turns either into a checked `RuleSet` that can be run. Conditions are strings in the project's
expression language; nothing is ever run as Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from comparanda.errors import UsageError, suggest_nearest

Pairing = Literal["one-to-one", "one-to-one:optimal", "many"]
PAIRINGS: tuple[Pairing, ...] = ("one-to-one", "one-to-one:optimal", "many")

Kind = Literal["text", "number", "truth", "row"]

LabelSource = Literal["own", "partner"]
LABEL_SOURCES: tuple[LabelSource, ...] = ("own", "partner")


@dataclass(frozen=True, slots=True)
class ColumnDeclaration:
    """A column that a rule set adds to a table.

    Args:
        kind: the type of its cells.
        values: for text, the permitted values; empty for any.
        table: for a row, the table it is a row of.
        given: whether it is read from the input, if it has such a field, instead of being set by rules.
        note: for a boolean that rules set, what is noted with the number of spans for which it is true.

    """

    kind: Kind = "text"
    values: tuple[str, ...] = ()
    table: str | None = None
    given: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDeclaration:
    """One rule.

    Args:
        name: its name in verdicts, traces and errors.
        group: the agenda group it belongs to.
        over: the tables it ranges over, by variable: `{"s": "system", "k": "key"}`.
        when: the condition.
        sets: the cells it sets: `{"s.result": "TP", "s.partner": "k"}`. A value is an expression; for a column with
            fixed values, the bare value.
        salience: among the rules of a group that have a match, those of the highest salience fire.
        pair: how rows of two tables are paired: "one-to-one" (best first), "one-to-one:optimal" or "many".
        best: numbers by which pairs are ordered, smallest first; ties are broken by content.
        lines: the line numbers of its parts in a file, for errors: the rule itself by "name", its parts by
            "when", "best.0", "set.s.result" …

    """

    name: str
    group: str
    over: Mapping[str, str]
    when: str
    sets: Mapping[str, str]
    salience: float = 0
    pair: Pairing | None = None
    best: Sequence[str] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDeclaration:
    """How outcomes are scored; a rule set may define several views of one run.

    Args:
        outcome: the column of both tables that holds the outcome.
        credit: the credit of each outcome, as a number or the name of a parameter; 0 for all others. Or the
            name of a numeric column.
        partner: the column with the row of the other table that a span was paired with.
        left_out: a column; spans for which it is not missing are not counted, with its value as the reason.
        weight: a numeric column with the weight of each span; None for weight 1.
        same: the columns by which spurious spans of two systems are identified as the same item.
        summary: a one-line description.
        flag: a text column; where it is not missing, it is shown in brackets after the outcome.
        sources: for outcomes that are errors, the component responsible: `{"wrong id": "resolver"}`.
        per_system: whether the spans of the key that count may depend on the system.
        right: outcomes without credit that are nevertheless correct, such as NIL for NIL.
        label: the label for which a system span without credit counts: its own, or that of the span of the key it was
            paired with.

    """

    outcome: str
    credit: Mapping[str, float | str] | str
    partner: str | None = None
    left_out: str | None = None
    weight: str | None = None
    same: tuple[str, ...] = ("doc", "begin", "end", "label")
    summary: str = ""
    flag: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    per_system: bool = False
    right: tuple[str, ...] = ()
    label: LabelSource = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSetDeclaration:
    """A whole rule set.

    Args:
        name: its name.
        title: a one-line description.
        groups: the agenda groups, in the order in which they run.
        tables: the columns it adds, by table.
        rules: the rules.
        views: how outcomes are scored; the first is the default.
        parameters: numbers by name, or, by name, numbers by label with one for "default".
        lists: lists of strings by name, or, by name, lists by label.
        hierarchy: the parents of labels.
        file: the file it was read from.

    """

    name: str
    groups: tuple[str, ...]
    tables: Mapping[str, Mapping[str, ColumnDeclaration]]
    rules: tuple[RuleDeclaration, ...]
    views: Mapping[str, ViewDeclaration] = field(default_factory=dict)
    title: str = ""
    parameters: Mapping[str, float | Mapping[str, float]] = field(default_factory=dict)
    lists: Mapping[str, Sequence[str] | Mapping[str, Sequence[str]]] = field(default_factory=dict)
    hierarchy: Mapping[str, Sequence[str]] = field(default_factory=dict)
    file: str | None = field(default=None, compare=False)


# Overriding the parameters of a rule set.


Parameters = Mapping[str, float | Mapping[str, float]]
"""Numbers by name, or, by name, numbers by label."""


def with_parameters(declared: RuleSetDeclaration, parameters: Parameters) -> RuleSetDeclaration:
    """Return a rule set with some parameters replaced; refuse unknown parameters."""
    known: dict[str, float | Mapping[str, float]] = dict(declared.parameters)
    for name, value in parameters.items():
        old = known.get(name)
        if old is None:
            what = f"the rule set {declared.name!r} has no parameter {name!r}{suggest_nearest(name, known)}"
            raise UsageError(what, hint=f"its parameters: {', '.join(known) or 'none'}")
        if isinstance(old, Mapping):
            if not isinstance(value, Mapping):
                what = f"the parameter {name!r} of {declared.name!r} has one value per label"
                raise UsageError(
                    what, hint=f"write {name}[LABEL]={value:g}, or {name}[default]={value:g} for all other labels"
                )
            known[name] = {**old, **value}
        elif isinstance(value, Mapping):
            what = f"the parameter {name!r} of {declared.name!r} has one value for all labels"
            raise UsageError(what, hint=f"write {name}={next(iter(value.values()), 0):g}")
        else:
            known[name] = value
    return replace(declared, parameters=known)
