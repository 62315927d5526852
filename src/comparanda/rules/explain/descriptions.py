"""Rule sets as plain data: what each says, for people and for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from comparanda.rules.language import ID_TABLES, SPAN_COLUMNS, id_columns

if TYPE_CHECKING:
    from comparanda.rules.ruleset import ColumnType, Rule, RuleSet


@dataclass(frozen=True, slots=True)
class RuleSetSummary:
    """A rule set in one line.

    Args:
        name: by which it is chosen.
        title: one line about it.
        rules: how many rules it has.
        views: the names of its views.

    """

    name: str
    title: str
    rules: int
    views: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleSetList:
    """The rule sets that are known by a name."""

    rule_sets: tuple[RuleSetSummary, ...]


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column that a rule set adds to a table.

    Args:
        table: the table.
        name: the column.
        kind: what its cells hold: text, number, truth or row.
        values: the only values it can have; empty for any.
        of: for a row, the table it is a row of.
        given: whether it comes with the input; all others are set by rules.

    """

    table: str
    name: str
    kind: str
    values: tuple[str, ...]
    of: str | None
    given: bool


@dataclass(frozen=True, slots=True)
class RuleDescription:
    """A rule as it was written.

    Args:
        name: its name.
        group: its agenda group.
        salience: the highest of a group fire first.
        over: the tables it ranges over, by variable.
        when: its condition.
        pair: how rows of two tables are paired.
        best: the numbers by which pairs are ordered.
        sets: what it sets.

    """

    name: str
    group: str
    salience: float
    over: dict[str, str]
    when: str
    pair: str | None
    best: tuple[str, ...]
    sets: dict[str, str]


@dataclass(frozen=True, slots=True)
class ViewDescription:
    """A way of counting outcomes.

    Args:
        name: its name.
        summary: one line about it.
        outcome: the column of the outcomes.
        credit: what each outcome is worth, or the column that says so.
        partner: the column of the row a span was paired with.
        left_out: the column of the reason why a span is left out.
        weight: the column that says how much a span counts.
        same: the columns by which spurious spans of two systems are the same.
        flag: the column of what stands in brackets behind the outcome.
        sources: for outcomes that are errors, whose they are.
        per_system: whether it may depend on the system which spans of the key count.
        right: outcomes that are right though they earn nothing.

    """

    name: str
    summary: str
    outcome: str
    credit: dict[str, float] | str
    partner: str | None
    left_out: str | None
    weight: str | None
    same: tuple[str, ...]
    flag: str | None
    sources: dict[str, str]
    per_system: bool
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleSetDescription:
    """A rule set as a whole.

    Args:
        name: its name.
        title: one line about it.
        groups: the agenda groups, in the order in which they run.
        parameters: numbers by name, or by name and label.
        lists: texts by name, or by name and label.
        hierarchy: for each label all that are above it.
        columns: the columns that it adds to tables.
        rules: the rules, in the order in which they are tried.
        views: how outcomes are counted; the first is the default.

    """

    name: str
    title: str
    groups: tuple[str, ...]
    parameters: dict[str, float | dict[str, float]]
    lists: dict[str, list[str] | dict[str, list[str]]]
    hierarchy: dict[str, list[str]]
    columns: tuple[ColumnDescription, ...]
    rules: tuple[RuleDescription, ...]
    views: tuple[ViewDescription, ...]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a check of a rule file has found.

    Args:
        file: the file.
        ok: whether it can be used.
        rules: how many rules it has.
        views: how many views.
        error: what is wrong with it.

    """

    file: str
    ok: bool
    rules: int = 0
    views: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What a check of rule files has found."""

    files: tuple[CheckedFile, ...]


def summarised(rule_set: RuleSet) -> RuleSetSummary:
    """Return a rule set in one line."""
    return RuleSetSummary(rule_set.name, rule_set.title, len(rule_set.rules), tuple(rule_set.views))


def described(rule_set: RuleSet) -> RuleSetDescription:
    """Return all that a rule set says."""
    return RuleSetDescription(
        rule_set.name,
        rule_set.title,
        rule_set.groups,
        {name: dict(each) if isinstance(each, Mapping) else each for name, each in rule_set.parameters.items()},
        {
            name: {label: sorted(texts) for label, texts in each.items()} if isinstance(each, Mapping) else sorted(each)
            for name, each in rule_set.lists.items()
        },
        {label: sorted(above) for label, above in rule_set.hierarchy.items()},
        tuple(_columns(rule_set.tables)),
        tuple(_rule(each) for each in rule_set.rules),
        tuple(
            ViewDescription(
                name,
                view.summary,
                view.outcome,
                dict(view.credit) if isinstance(view.credit, Mapping) else view.credit,
                view.partner,
                view.left_out,
                view.weight,
                view.same,
                view.flag,
                dict(view.sources),
                view.per_system,
                view.right,
            )
            for name, view in rule_set.views.items()
        ),
    )


def _columns(tables: Mapping[str, Mapping[str, ColumnType]]) -> Iterator[ColumnDescription]:
    for table, columns in tables.items():
        own = id_columns(ID_TABLES[table]) if table in ID_TABLES else SPAN_COLUMNS
        for name, each in columns.items():
            if own.get(name) != each:
                yield ColumnDescription(table, name, each.kind, each.values, each.table, not each.settable)


def _rule(rule: Rule) -> RuleDescription:
    declared = rule.declaration
    return RuleDescription(
        rule.name,
        rule.group,
        rule.salience,
        dict(rule.over),
        _in_one_line(declared.when),
        rule.pair,
        tuple(map(_in_one_line, declared.best)),
        {cell: _in_one_line(value) for cell, value in declared.sets.items()},
    )


def _in_one_line(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line for line in lines if line)
