"""A rule set that has been checked: what the engine runs.

Conditions are trees of the expression language in a plain form: one conjunct each, every comparison between
two sides, `same(…)` written out, and `any(p for x in t if c)` as `any(true for x in t if p and c)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comparanda.expressions import Node
    from comparanda.rules.declarations import Kind, Pairing, RuleDeclaration, RuleSetDeclaration


@dataclass(frozen=True, slots=True)
class ColumnType:
    """What a column of a table holds.

    Args:
        kind: what its cells hold; any cell but a truth may be missing.
        values: for a text, the only values it can have; none given, any.
        table: for a row, the table it is a row of.
        settable: whether rules may set it; all others come with the input.

    """

    kind: Kind
    values: tuple[str, ...] = ()
    table: str | None = None
    settable: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """What a rule writes: the column of a variable's row, and the value."""

    variable: str
    column: str
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, ready to run.

    Args:
        name: its name.
        group: its agenda group.
        salience: the highest fire first.
        over: the tables it ranges over, by variable, one or two.
        conditions: what must hold, one conjunct each.
        sets: what it writes.
        pair: how rows of two tables are paired.
        best: numbers by which pairs are ordered, the smallest first.
        declaration: how it was written.

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
    """How outcomes become scores: as it was declared, with every credit a number."""

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


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleSet:
    """A checked rule set.

    Args:
        name: what it is called.
        title: one line about it.
        groups: the agenda groups, in the order in which they run.
        tables: the columns of each table.
        rules: the rules in the order in which they are tried: by group, then by salience, then as written.
        views: how outcomes become scores, every credit a number; the first is the default.
        parameters: numbers by name, or numbers by label with one for "default".
        lists: texts by name, or texts by label.
        hierarchy: for each label all its ancestors.
        restarts: for each rule the rule of its group at which the agenda goes on after it has changed something;
            None where the next one follows.
        declaration: how it was written.

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
