"""What a rule set says, before anything is checked: the form that rule files and Python objects share.

A rule file (TOML) and these dataclasses are two ways to write the same thing; `comparanda.rules.compiler`
turns either into a `RuleSet` that has been checked and can be run. Conditions are texts in the project's
expression language; nothing is ever run as Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from comparanda.errors import UsageError, nearest

Pairing = Literal["one-to-one", "one-to-one:optimal", "many"]
PAIRINGS: tuple[Pairing, ...] = ("one-to-one", "one-to-one:optimal", "many")

Kind = Literal["text", "number", "truth", "row"]


@dataclass(frozen=True, slots=True)
class ColumnDeclaration:
    """A column that a rule set adds to a table.

    Args:
        kind: what its cells hold.
        values: for a text, the only values it can have; none given, any.
        table: for a row, the table it is a row of.
        given: whether it comes with the input, where it has such a field, instead of being set by rules.

    """

    kind: Kind = "text"
    values: tuple[str, ...] = ()
    table: str | None = None
    given: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDeclaration:
    """One rule.

    Args:
        name: what it is called in verdicts, traces and errors.
        group: the agenda group it belongs to.
        over: the tables it ranges over, by variable: `{"s": "system", "k": "key"}`.
        when: the condition.
        sets: what it sets: `{"s.result": "TP", "s.partner": "k"}`. A value is an expression; of a column with
            fixed values, the bare value.
        salience: of the rules of a group that have a match, those of the highest salience fire.
        pair: how rows of two tables are paired: "one-to-one" (best first), "one-to-one:optimal" or "many".
        best: numbers by which pairs are ordered, the smallest first; what is equal, by content.
        lines: where its parts stand in a file, for errors: the line of the rule itself by "name", of its parts by
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
    """How outcomes become scores; a rule set may offer several views of one run.

    Args:
        outcome: the column of both tables that holds the outcome.
        credit: what each outcome is worth, as a number or the name of a parameter; others are worth nothing. Or the
            name of a column of numbers.
        partner: the column that holds the row of the other table a span was paired with.
        left_out: a column; spans for which it is not missing leave the counts, with its value as the reason.
        weight: a column of numbers that says how much a span counts; None for one each.
        same: the columns by which spurious spans of two systems are one and the same item.
        summary: one line about it.
        flag: a column of texts; where it is not missing, it stands in brackets behind the outcome.
        sources: for outcomes that are errors, whose errors they are: `{"wrong id": "resolver"}`.
        per_system: whether it may depend on the system which spans of the key count.
        right: outcomes that earn nothing and are right all the same, such as NIL for NIL.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSetDeclaration:
    """A whole rule set.

    Args:
        name: what it is called.
        title: one line about it.
        groups: the agenda groups, in the order in which they run.
        tables: columns that it adds, by table.
        rules: the rules.
        views: how outcomes become scores; the first is the default.
        parameters: numbers by name, or, by name, numbers by label with one for "default".
        lists: lists of texts by name, or, by name, lists by label.
        hierarchy: the parents of labels.
        file: where it came from.

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


# Other numbers for the parameters of a rule set.


Parameters = Mapping[str, float | Mapping[str, float]]
"""Numbers by name, or, by name, numbers by label."""


def with_parameters(declared: RuleSetDeclaration, parameters: Parameters) -> RuleSetDeclaration:
    """Return a rule set with some of its parameters replaced; refuse those that it does not have."""
    known: dict[str, float | Mapping[str, float]] = dict(declared.parameters)
    for name, value in parameters.items():
        old = known.get(name)
        if old is None:
            what = f"the rule set {declared.name!r} has no parameter {name!r}{nearest(name, known)}"
            raise UsageError(what, hint=f"its parameters: {', '.join(known) or 'none'}")
        if isinstance(old, Mapping):
            if not isinstance(value, Mapping):
                what = f"the parameter {name!r} of {declared.name!r} differs by label"
                raise UsageError(what, hint=f"say for which, or for all others: {name}[default]={value:g}")
            known[name] = {**old, **value}
        elif isinstance(value, Mapping):
            what = f"the parameter {name!r} of {declared.name!r} is one number for all labels"
            raise UsageError(what, hint=f"write {name}={next(iter(value.values()), 0):g}")
        else:
            known[name] = value
    return replace(declared, parameters=known)
