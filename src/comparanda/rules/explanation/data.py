"""Explanations and descriptions of rule sets as plain data, for display and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from comparanda.expressions import quote_string
from comparanda.rules.declarations import LabelSource
from comparanda.rules.language import ID_TABLES, SPAN_COLUMNS, id_columns

if TYPE_CHECKING:
    from comparanda.rules.ruleset import ColumnType, Rule, RuleSet


_MAX_TEXT_LENGTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table, for display.

    Args:
        table: its table: `system` or `key`.
        side: the name of its side: `key`, or the name of a run.
        document: its document; for a row that is not a span, its number.
        begin: its begin in the document.
        end: its end in the document.
        pieces: the extents of its pieces, if it has several.
        label: its label.
        text: the text it covers.
        place: file and line.

    """

    table: str
    side: str
    document: str
    begin: int | None = None
    end: int | None = None
    pieces: tuple[tuple[int, int], ...] = ()
    label: str | None = None
    text: str | None = None
    place: str | None = None

    @property
    def extent(self) -> str:
        """Document and positions; for a row that is not a span, its number."""
        if self.begin is None:
            return self.document
        pieces = self.pieces or ((self.begin, self.end),)
        return f"{self.document}:{','.join(f'{begin}-{end}' for begin, end in pieces)}"

    def __str__(self) -> str:
        parts = [self.table if self.side == self.table else f"{self.table} {self.side!r}"]
        if self.label is not None:
            parts.append(f"[{self.label}]")
        if self.text is not None:
            short = len(self.text) <= _MAX_TEXT_LENGTH
            parts.append(quote_string(self.text if short else self.text[: _MAX_TEXT_LENGTH - 1] + "…"))
        parts.append(self.extent)
        if self.place is not None:
            parts.append(f"({self.place})")
        return " ".join(parts)


Value = str | float | bool | Row | None
"""The value of a cell; None if it is missing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value with its name, and the rule that set it.

    Args:
        name: a column, or an expression such as `similarity(s.text, k.text)`.
        value: its value; None if it is missing.
        rule: the rule that set it, if any.
        step: the step in which it was set.

    """

    name: str
    value: Value
    rule: str | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One firing of a rule for a row.

    Args:
        step: its number in the run, from 1.
        rule: the rule.
        group: its agenda group.
        salience: its salience.
        sets: the cells it set in this row.
        partner: for a rule over two tables, the other row.
        partner_sets: the cells it set in the other row.

    """

    step: int
    rule: str
    group: str
    salience: float
    sets: tuple[Cell, ...]
    partner: Row | None = None
    partner_sets: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict of a row in a view.

    Args:
        view: the view.
        outcome: its outcome; None if no rule set one.
        rule: the rule that set it.
        step: the step in which it was set.
        credit: the credit of the outcome.
        weight: the weight of the row; 0 if it is not counted.
        left_out: the reason why it is not counted.
        partner: the row it was paired with.

    """

    view: str
    outcome: str | None
    rule: str | None
    step: int | None
    credit: float
    weight: float
    left_out: str | None = None
    partner: Row | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a row has its verdict.

    Args:
        row: the row.
        steps: every firing that involved it, in order.
        verdicts: its verdict in each view.

    """

    row: Row
    steps: tuple[Step, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """One conjunct of the condition of a rule.

    Args:
        condition: its source.
        held: whether it held when the rule was tried.
        holds: whether it holds at the end of the run.
        values: the values that failed; for a condition that no longer holds, those that changed it.

    """

    condition: str
    held: bool
    holds: bool
    values: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair chosen in a step instead of another pair, over which it has precedence.

    Args:
        step: the step.
        row: the row in question, or the one that was paired with its partner.
        other: the row of the rule's other table.
        better: the first of the rule's `best` numbers that differs, for both pairs; empty if all are equal,
            so that the content decided.

    """

    step: int
    row: Row
    other: Row
    better: tuple[Cell, ...] = ()


Reason = Literal["fired", "condition", "another pair", "nothing to change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Why a rule did not fire for a row, or for a pair of rows.

    Args:
        other: the row of the rule's other table, if it has two.
        after: the rule was tried after this step; 0 before all.
        reason: the reason: a `condition` failed; all held, but `another pair` of one of the rows was chosen;
            all held, but there was `nothing to change`; or the rule has `fired`.
        conditions: the conditions, one by one.
        taken: the pairs that were chosen instead.

    """

    other: Row | None
    after: int
    reason: Reason
    conditions: tuple[Condition, ...]
    taken: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why a rule did not fire for a row.

    Args:
        rule: the rule.
        group: its agenda group.
        salience: its salience.
        pair: how it pairs rows of two tables.
        fired: the steps in which it fired for the row; empty if it did not.
        tried: the steps after which it was tried.
        attempts: the failed attempts, for the row itself or for the nearest rows of the other table.

    """

    rule: str
    group: str
    salience: float
    pair: str | None
    fired: tuple[int, ...]
    tried: tuple[int, ...]
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class ExplainedSpan:
    """A span of one run, or of the key as evaluated against one run.

    Args:
        system: the system.
        why: why it has its verdict.
        why_not: why the rules in question did not fire for it.

    """

    system: str
    why: Why
    why_not: tuple[WhyNot, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why spans have their verdicts.

    Args:
        rules: the rule set.
        positions: the unit of positions: tokens or characters.
        spans: the spans.
        more: the number of further selected spans that are not shown.

    """

    rules: str
    positions: str
    spans: tuple[ExplainedSpan, ...]
    more: int = 0


# Descriptions of rule sets as plain data, for display and JSON.


@dataclass(frozen=True, slots=True)
class RuleSetSummary:
    """A one-line summary of a rule set.

    Args:
        name: its name.
        title: a one-line description.
        rules: the number of rules.
        views: the names of its views.

    """

    name: str
    title: str
    rules: int
    views: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleSetList:
    """The registered rule sets."""

    rule_sets: tuple[RuleSetSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDescription:
    """A column that a rule set adds to a table.

    Args:
        table: the table.
        name: the column.
        kind: the type of its cells: text, number, truth or row.
        values: the permitted values; empty for any.
        of: for a row, the table it is a row of.
        given: whether it is read from the input; all others are set by rules.

    """

    table: str
    name: str
    kind: str
    values: tuple[str, ...]
    of: str | None
    given: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDescription:
    """The source of a rule.

    Args:
        name: its name.
        group: its agenda group.
        salience: in a group, rules with the highest salience fire first.
        over: the tables it ranges over, by variable.
        when: its condition.
        pair: how rows of two tables are paired.
        best: the numbers by which pairs are ordered.
        sets: the cells it sets.

    """

    name: str
    group: str
    salience: float
    over: dict[str, str]
    when: str
    pair: str | None
    best: tuple[str, ...]
    sets: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDescription:
    """A view: how outcomes are scored.

    Args:
        name: its name.
        summary: a one-line description.
        outcome: the column of the outcomes.
        credit: the credit of each outcome, or the column that contains it.
        partner: the column of the row a span was paired with.
        left_out: the column with the reason why a span is not counted.
        weight: the column with the weight of each span.
        same: the columns by which spurious spans of two systems are identified as the same.
        flag: the column shown in brackets after the outcome.
        sources: for outcomes that are errors, the component responsible.
        per_system: whether the spans of the key that count may depend on the system.
        right: outcomes that are correct although they have no credit.
        label: the label for which a system span without credit counts: its own, or that of its partner.

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
    label: LabelSource


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSetDescription:
    """The full description of a rule set.

    Args:
        name: its name.
        title: a one-line description.
        groups: the agenda groups, in the order in which they run.
        parameters: numbers by name, or by name and label.
        lists: strings by name, or by name and label.
        hierarchy: for each label all its ancestors.
        columns: the columns that it adds to tables.
        rules: the rules, in the order in which they are tried.
        views: how outcomes are scored; the first is the default.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """The result of checking a rule file.

    Args:
        file: the file.
        ok: whether it is valid.
        rules: the number of rules.
        views: the number of views.
        error: the error, if any.

    """

    file: str
    ok: bool
    rules: int = 0
    views: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """The result of checking rule files."""

    files: tuple[CheckedFile, ...]


def summarise_rule_set(rule_set: RuleSet) -> RuleSetSummary:
    """Summarise a rule set in one line."""
    return RuleSetSummary(rule_set.name, rule_set.title, len(rule_set.rules), tuple(rule_set.views))


def describe_rule_set(rule_set: RuleSet) -> RuleSetDescription:
    """Describe a rule set in full."""
    return RuleSetDescription(
        name=rule_set.name,
        title=rule_set.title,
        groups=rule_set.groups,
        parameters={
            name: dict(each) if isinstance(each, Mapping) else each for name, each in rule_set.parameters.items()
        },
        lists={
            name: {label: sorted(texts) for label, texts in each.items()} if isinstance(each, Mapping) else sorted(each)
            for name, each in rule_set.lists.items()
        },
        hierarchy={label: sorted(above) for label, above in rule_set.hierarchy.items()},
        columns=tuple(_describe_columns(rule_set.tables)),
        rules=tuple(_describe_rule(each) for each in rule_set.rules),
        views=tuple(
            ViewDescription(
                name=name,
                summary=view.summary,
                outcome=view.outcome,
                credit=dict(view.credit) if isinstance(view.credit, Mapping) else view.credit,
                partner=view.partner,
                left_out=view.left_out,
                weight=view.weight,
                same=view.same,
                flag=view.flag,
                sources=dict(view.sources),
                per_system=view.per_system,
                right=view.right,
                label=view.label,
            )
            for name, view in rule_set.views.items()
        ),
    )


def _describe_columns(tables: Mapping[str, Mapping[str, ColumnType]]) -> Iterator[ColumnDescription]:
    for table, columns in tables.items():
        own = id_columns(ID_TABLES[table]) if table in ID_TABLES else SPAN_COLUMNS
        for name, each in columns.items():
            if own.get(name) != each:
                yield ColumnDescription(
                    table=table, name=name, kind=each.kind, values=each.values, of=each.table, given=not each.settable
                )


def _describe_rule(rule: Rule) -> RuleDescription:
    declared = rule.declaration
    return RuleDescription(
        name=rule.name,
        group=rule.group,
        salience=rule.salience,
        over=dict(rule.over),
        when=_join_lines(declared.when),
        pair=rule.pair,
        best=tuple(map(_join_lines, declared.best)),
        sets={cell: _join_lines(value) for cell, value in declared.sets.items()},
    )


def _join_lines(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line for line in lines if line)
