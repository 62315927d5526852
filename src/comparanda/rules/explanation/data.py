"""What an explanation says: plain data, with rows as people know them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from comparanda.expressions import quote
from comparanda.rules.language import ID_TABLES, SPAN_COLUMNS, id_columns

if TYPE_CHECKING:
    from comparanda.rules.ruleset import ColumnType, Rule, RuleSet


_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table, as people know it.

    Args:
        table: its table: `system` or `key`.
        side: what the user calls that side: `key`, or the name of a run.
        document: its document; of a row that is no span, its number.
        begin: where it begins there.
        end: where it ends.
        pieces: the extents of its pieces, if it has several.
        label: its label.
        text: what it covers.
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
        """Document and positions; of a row that is no span, its number."""
        if self.begin is None:
            return self.document
        pieces = self.pieces or ((self.begin, self.end),)
        return f"{self.document}:{','.join(f'{begin}-{end}' for begin, end in pieces)}"

    def __str__(self) -> str:
        parts = [self.table if self.side == self.table else f"{self.table} {self.side!r}"]
        if self.label is not None:
            parts.append(f"[{self.label}]")
        if self.text is not None:
            parts.append(quote(self.text if len(self.text) <= _LONGEST else self.text[: _LONGEST - 1] + "…"))
        parts.append(self.extent)
        if self.place is not None:
            parts.append(f"({self.place})")
        return " ".join(parts)


Value = str | float | bool | Row | None
"""What a cell holds; None if it is missing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Something that has a value, and the rule that gave it.

    Args:
        name: a column, or an expression such as `similarity(s.text, k.text)`.
        value: its value; None if it is missing.
        rule: the rule that set it, if one did.
        step: the step in which it did.

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
        sets: what it set in this row.
        partner: for a rule over two tables, the other row.
        partner_sets: what it set in that one.

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
    """What a row is in a view.

    Args:
        view: the view.
        outcome: its outcome; None if no rule gave it one.
        rule: the rule that gave it.
        step: the step in which it did.
        credit: what the outcome is worth.
        weight: how much the row counts; 0 if it is left out.
        left_out: the reason why it is left out.
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
        steps: every firing that touched it, in order.
        verdicts: what came of it, in each view.

    """

    row: Row
    steps: tuple[Step, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """One of the conditions of a rule that must all hold.

    Args:
        condition: as it is written.
        held: whether it held when the rule was tried.
        holds: whether it holds at the end of the run.
        values: the values that failed; of a condition that holds no longer, those that made it so.

    """

    condition: str
    held: bool
    holds: bool
    values: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair that a step took in place of another one, before which it goes.

    Args:
        step: the step.
        row: the row in question, or the one that took its partner.
        other: the row of the rule's other table.
        better: the first of the rule's `best` numbers in which it goes before, here and there; none if pairs are equal
            in all of them, so that their content decided.

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
        reason: what is the matter: a `condition` failed; all held, but `another pair` of one of the rows was taken;
            all held, but there was `nothing to change`; or the rule has `fired`.
        conditions: the conditions, one by one.
        taken: the pairs that were taken instead.

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
        fired: the steps in which it did fire for the row; empty if it did not.
        tried: after which steps it was tried.
        attempts: what failed, for the row itself or for the nearest rows of the other table.

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
    """A span of one run, or of the key as it was judged beside one.

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
        positions: what positions count: tokens or characters.
        spans: the spans.
        more: how many more were chosen, but are not shown.

    """

    rules: str
    positions: str
    spans: tuple[ExplainedSpan, ...]
    more: int = 0


# Rule sets as plain data: what each says, for people and for JSON.


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
        columns=tuple(_columns(rule_set.tables)),
        rules=tuple(_rule(each) for each in rule_set.rules),
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
            )
            for name, view in rule_set.views.items()
        ),
    )


def _columns(tables: Mapping[str, Mapping[str, ColumnType]]) -> Iterator[ColumnDescription]:
    for table, columns in tables.items():
        own = id_columns(ID_TABLES[table]) if table in ID_TABLES else SPAN_COLUMNS
        for name, each in columns.items():
            if own.get(name) != each:
                yield ColumnDescription(
                    table=table, name=name, kind=each.kind, values=each.values, of=each.table, given=not each.settable
                )


def _rule(rule: Rule) -> RuleDescription:
    declared = rule.declaration
    return RuleDescription(
        name=rule.name,
        group=rule.group,
        salience=rule.salience,
        over=dict(rule.over),
        when=_in_one_line(declared.when),
        pair=rule.pair,
        best=tuple(map(_in_one_line, declared.best)),
        sets={cell: _in_one_line(value) for cell, value in declared.sets.items()},
    )


def _in_one_line(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line for line in lines if line)
