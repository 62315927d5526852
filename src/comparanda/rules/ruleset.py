"""Checked rule sets, ready for the engine.

Conditions are expression trees in normal form: one conjunct each, every comparison binary,
`same(…)` expanded, and `any(p for x in t if c)` as `any(true for x in t if p and c)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comparanda.expressions import Node
    from comparanda.rules.declarations import Kind, LabelSource, Pairing, RuleDeclaration, RuleSetDeclaration


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column.

    Args:
        kind: the type of its cells; all but booleans may be missing.
        values: for text, the permitted values; empty for any.
        table: for a row, the table it is a row of.
        settable: whether rules may set it; all other columns are input.
        note: what is noted with the number of spans for which it is true; empty for nothing.

    """

    kind: Kind
    values: tuple[str, ...] = ()
    table: str | None = None
    settable: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """An assignment of a rule: the column of a variable's row, and the value."""

    variable: str
    column: str
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A compiled rule.

    Args:
        name: its name.
        group: its agenda group.
        salience: rules with the highest salience fire first.
        over: the tables it ranges over, by variable, one or two.
        conditions: its conditions, one conjunct each.
        sets: the cells it sets.
        pair: how rows of two tables are paired.
        best: numbers by which pairs are ordered, smallest first.
        declaration: its source.

    """

    name: str
    group: str
    salience: float
    over: Mapping[str, str]
    conditions: tuple[Node, ...]
    sets: tuple[Setting, ...]
    pair: Pairing | None
    best: tuple[Node, ...]
    declaration: RuleDeclaration


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How outcomes are scored: as declared, with all credits resolved to numbers."""

    outcome: str
    credit: Mapping[str, float] | str
    partner: str | None
    left_out: str | None
    weight: str | None
    same: tuple[str, ...]
    summary: str
    flag: str | None
    sources: Mapping[str, str]
    per_system: bool
    right: tuple[str, ...]
    label: LabelSource


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleSet:
    """A checked rule set.

    Args:
        name: its name.
        title: a one-line description.
        groups: the agenda groups, in the order in which they run.
        tables: the columns of each table.
        rules: the rules in the order in which they are tried: by group, then salience, then position in the source.
        views: how outcomes are scored, with all credits as numbers; the first is the default.
        parameters: numbers by name, or numbers by label with one for "default".
        lists: strings by name, or by name and label.
        hierarchy: for each label all its ancestors.
        restarts: for each rule the rule of its group at which the agenda resumes after it has changed something;
            None for the next rule.
        declaration: its source.

    """

    name: str
    title: str
    groups: tuple[str, ...]
    tables: Mapping[str, Mapping[str, ColumnType]]
    rules: tuple[Rule, ...]
    views: Mapping[str, View]
    declaration: RuleSetDeclaration
    parameters: Mapping[str, float | Mapping[str, float]] = field(default_factory=dict)
    lists: Mapping[str, frozenset[str] | Mapping[str, frozenset[str]]] = field(default_factory=dict)
    hierarchy: Mapping[str, frozenset[str]] = field(default_factory=dict)
    restarts: Sequence[int | None] = ()

    def rule(self, name: str) -> Rule:
        """Return a rule by its name."""
        return next(rule for rule in self.rules if rule.name == name)
