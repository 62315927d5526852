"""Effects of the firing of one rule on the matches of another: creating, removing or changing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from comparanda.expressions import walk_tree
from comparanda.expressions.syntax import (
    And,
    Call,
    Comparison,
    ComparisonStep,
    List,
    Name,
    Node,
    Not,
    Or,
    Quantified,
    list_children,
)
from comparanda.rules.checks.cell_values import (
    ANY,
    MISSING,
    Cell,
    Claims,
    Meaning,
    Values,
    are_contrary,
    find_claims,
    is_one,
    literal_value,
    possible_values,
    write_node,
)
from comparanda.rules.language import split_conjuncts

if TYPE_CHECKING:
    from comparanda.rules.ruleset import Rule, RuleSet, Setting


# The rows that conditions refer to, and the constraints on them.


def names_in(node: Node) -> frozenset[str]:
    """Return the rows, columns of rows and parameters that a node refers to."""
    return frozenset(each.name for each in walk_tree(node) if isinstance(each, Name))


def speaks_of(node: Node, variable: str) -> bool:
    """Whether a node refers to a variable's row or its columns."""
    return any(name.partition(".")[0] == variable for name in names_in(node))


class Domains:
    """The abstract values of each column, as far as the rules of a set distinguish them."""

    def __init__(self, rule_set: RuleSet) -> None:
        self._types = rule_set.tables
        self._named: dict[tuple[str, str], set[str | float | bool]] = {}
        self._known: dict[tuple[str, str], Values] = {}
        for rule in rule_set.rules:
            for node in (*rule.conditions, *rule.best, *(setting.value for setting in rule.sets)):
                self._collect(node, rule.over)
            for setting in rule.sets:
                self._add_named_value(rule.over[setting.variable], setting.column, setting.value)

    def of(self, table: str, column: str) -> Values:
        """Return the values of a column."""
        key = table, column
        if key not in self._known:
            self._known[key] = possible_values(self._types[table][column], self._named.get(key, ()))
        return self._known[key]

    def _collect(self, node: Node, tables: Mapping[str, str]) -> None:
        if isinstance(node, Quantified):
            tables = {**tables, node.variable: node.table}
        if isinstance(node, Comparison):
            for step in node.steps:
                others = step.operand.items if isinstance(step.operand, List) else (step.operand,)
                for left, right in ((node.first, other) for other in others):
                    self._collect_comparison(left, right, tables)
                    self._collect_comparison(right, left, tables)
        for child in list_children(node):
            self._collect(child, tables)

    def _collect_comparison(self, column: Node, value: Node, tables: Mapping[str, str]) -> None:
        if isinstance(column, Name) and "." in column.name:
            variable, _, name = column.name.partition(".")
            self._add_named_value(tables[variable], name, value)

    def _add_named_value(self, table: str, column: str, value: Node) -> None:
        if (found := literal_value(value)) is not None:
            self._named.setdefault((table, column), set()).add(found)


class Subject:
    """A row that conditions refer to: that of a variable of a rule, or of a quantifier."""

    def __init__(self, variable: str, table: str, conditions: tuple[Node, ...], domains: Domains) -> None:
        self.variable = variable
        self.table = table
        self._domains = domains
        self._tests: dict[str, list[Node]] = {}
        self._meanings: dict[str, Meaning] = {}
        for condition in conditions:
            for name in names_in(condition):
                owner, _, column = name.partition(".")
                if owner == variable and column:
                    self._tests.setdefault(column, []).append(condition)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are tested."""
        return tuple(self._tests)

    def tests(self, column: str) -> bool:
        """Whether a condition tests a column."""
        return column in self._tests

    def allowed(self, column: str) -> Values:
        """Return the values of a column for which the conditions may hold."""
        return self._meaning(column).perhaps

    def surely(self, column: str, values: Values) -> bool:
        """Whether all conditions on a column certainly hold for all of some values."""
        return values <= self._meaning(column).surely

    def _meaning(self, column: str) -> Meaning:
        if column not in self._meanings:
            cell = Cell(f"{self.variable}.{column}", self._domains.of(self.table, column))
            self._meanings[column] = cell.meaning(And(tuple(self._tests.get(column, ()))))
        return self._meanings[column]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A quantifier over the rows of a table.

    Args:
        subject: the row quantified over, with the conditions that select it.
        rising: True if more selected rows can only make the rule match, False if they can only prevent it from
            matching, None if both or neither.
        counted: the columns of which the result is computed, apart from the selection of rows.

    """

    subject: Subject
    rising: bool | None
    counted: frozenset[str]


def find_questions(node: Node, domains: Domains, rising: bool | None = None) -> Iterator[Question]:
    """Yield the quantifiers in a node; `rising` is the effect on the rule of the node being true, as in `Question`."""
    match node:
        case And(operands) | Or(operands):
            for operand in operands:
                yield from find_questions(operand, domains, rising)
        case Not(operand):
            yield from find_questions(operand, domains, _invert(rising))
        case Comparison(
            Quantified(function="count") as asked, (ComparisonStep("<" | "<=" | ">" | ">=" as symbol, other),)
        ):
            yield from find_questions(asked, domains, rising if symbol in {">", ">="} else _invert(rising))
            yield from find_questions(other, domains)
        case Quantified(function=function, body=body, variable=variable, table=table, condition=condition):
            rising = rising if function in {"any", "count"} else None
            parts = tuple(split_conjuncts(condition))
            columns = (name.partition(".") for name in names_in(body))
            counted = frozenset(column for owner, _, column in columns if owner == variable and column)
            yield Question(Subject(variable, table, parts, domains), rising, counted)
            for part in parts:
                yield from find_questions(part, domains, rising)
            yield from find_questions(body, domains)
        case _:
            for child in list_children(node):
                yield from find_questions(child, domains)


def _invert(rising: bool | None) -> bool | None:
    return None if rising is None else not rising


# Reads and writes of a rule, as far as its source determines them: the basis of all checks.


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Write:
    """A cell set by a rule: its row, the new value, and the possible values before and after."""

    subject: Subject
    column: str
    value: Node
    old: Values
    new: Values

    @property
    def name(self) -> str:
        """The cell as named in the rule."""
        return f"{self.subject.variable}.{self.column}"

    @property
    def place(self) -> str:
        """The column with its table."""
        return f"{self.subject.table}.{self.column}"

    @property
    def always_changes(self) -> bool:
        """Whether the rule can only match where the cell has a value other than the one written."""
        return self.old.isdisjoint(self.new)


class Reading:
    """The reads and writes of one rule, for the checks."""

    def __init__(self, rule: Rule, place: int, domains: Domains) -> None:
        self.rule = rule
        self.place = place
        self._domains = domains
        self.subjects = {
            variable: Subject(variable, table, rule.conditions, domains) for variable, table in rule.over.items()
        }
        self._claims: dict[tuple[str, str], Claims] = {}

    def other(self, variable: str) -> str | None:
        """Return the other variable of a rule over two tables."""
        return next((name for name in self.rule.over if name != variable), None)

    @cached_property
    def ways(self) -> dict[str, tuple[str, str]]:
        """For each variable whose row determines the other row: its table, and the expression it equals."""
        found: dict[str, tuple[str, str]] = {}
        for row, equal in (each for condition in self.rule.conditions for each in _find_equalities(condition)):
            given = self.other(row)
            if given is not None and row in self.rule.over and not speaks_of(equal, row):
                found[given] = self.rule.over[row], write_node(equal, self.names(given, ""))
        return found

    def has_siblings(self, variable: str) -> bool:
        """Whether a row of a variable can be in several matches at once."""
        return len(self.rule.over) > 1 and variable not in self.ways

    def names(self, variable: str, other: str) -> dict[str, str]:
        """Return names by which its rows can be compared with those of another rule."""
        return dict.fromkeys(self.rule.over, other) | {variable: "@"}

    def find_claims(self, variable: str, other: str) -> Claims:
        """Return the claims of its conditions, with rows named by `names`."""
        key = variable, other
        if key not in self._claims:
            self._claims[key] = find_claims(self.rule.conditions, self.names(variable, other))
        return self._claims[key]

    @cached_property
    def writes(self) -> tuple[Write, ...]:
        """The cells that the rule sets."""
        return tuple(self._write(setting) for setting in self.rule.sets)

    def _write(self, setting: Setting) -> Write:
        subject = self.subjects[setting.variable]
        return Write(
            subject=subject,
            column=setting.column,
            value=setting.value,
            old=subject.allowed(setting.column),
            new=self._values_after(setting),
        )

    def _values_after(self, setting: Setting) -> Values:
        """Return the possible values of a cell after it has been set."""
        every = self._domains.of(self.rule.over[setting.variable], setting.column)
        match setting.value:
            case value if (written := literal_value(value)) is not None:
                return frozenset((written,)) if ANY not in every else frozenset((ANY,))
            case Name(name) if "." in name:
                return self._copied_values(name, every)
            case (
                Name() | Quantified(function="count") | Call("overlap" | "iou")
            ):  # rows, parameters, counts: never missing
                return every - {MISSING}
            case _:
                return every

    def _copied_values(self, name: str, every: Values) -> Values:
        """Return the possible values of a cell that is set to the value of another."""
        owner, _, column = name.partition(".")
        copied = self.subjects[owner].allowed(column)
        if copied <= every and all(map(is_one, copied)):
            return copied
        return every if MISSING in copied else every - {MISSING}

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The quantifiers in the conditions."""
        return tuple(each for part in self.rule.conditions for each in find_questions(part, self._domains, rising=True))

    @cached_property
    def value_questions(self) -> tuple[Question, ...]:
        """The quantifiers in the values that it sets and in the order of its pairs."""
        return tuple(each for node in self._value_expressions for each in find_questions(node, self._domains))

    @cached_property
    def value_names(self) -> frozenset[str]:
        """The names in the values that it sets and in the order of its pairs."""
        return frozenset(name for node in self._value_expressions for name in names_in(node))

    @property
    def _value_expressions(self) -> tuple[Node, ...]:
        return (*self.rule.best, *(setting.value for setting in self.rule.sets))

    @cached_property
    def touched(self) -> frozenset[str]:
        """All columns, with their tables, that it reads or writes: writes to other columns cannot affect it."""
        asked = [*self.questions, *self.value_questions]
        rows = [*self.subjects.values(), *(question.subject for question in asked)]
        tested = {f"{row.table}.{column}" for row in rows for column in row.columns}
        counted = {f"{each.subject.table}.{column}" for each in asked for column in each.counted}
        used = (name.partition(".") for name in self.value_names)
        copied = {f"{self.rule.over[owner]}.{column}" for owner, _, column in used if owner in self.rule.over}
        return frozenset(tested | counted | copied | {write.place for write in self.writes})

    @cached_property
    def always_changes(self) -> bool:
        """Whether every match of the rule changes at least one cell."""
        return any(write.always_changes for write in self.writes)

    def after(self, variable: str, column: str) -> Values:
        """Return the possible values of a column of a variable's row after all matches have fired."""
        mine = self.subjects[variable]
        here = [write for write in self.writes if (write.subject.table, write.column) == (mine.table, column)]
        own = [write.new for write in here if write.subject is mine]
        others = [write.new for write in here if write.subject is not mine]
        return frozenset().union(*(own or [mine.allowed(column)]), *others) if here else mine.allowed(column)

    def is_own(self, write: Write) -> bool:
        """Whether the written value is independent of the other row of a match."""
        other = self.other(write.subject.variable)
        return other is None or not speaks_of(write.value, other)


def _find_equalities(condition: Node) -> Iterator[tuple[str, Node]]:
    """Yield the names that a condition requires to equal an expression, with the expression."""
    match condition:
        case Comparison(first, (ComparisonStep("==", second),)):
            for one, other in ((first, second), (second, first)):
                if isinstance(one, Name):
                    yield one.name, other


# Whether two rules can match on the same row.
#
# For the comparison that row is named `@` in both rules, and `@@` is the row that both determine from it in the same
# way; other rows of the two rules have distinct names.


def never_share_row(first: Reading, variable: str, second: Reading, other: str) -> bool:
    """Whether two rules never match at the same time with the same row as these variables.

    They exclude each other if they allow disjoint values in a column of that row, or of the row that it determines in
    both, or if their claims contradict each other.
    """
    if _has_no_common_value(first.subjects[variable], second.subjects[other]):
        return True
    mine, theirs = _partner_names(first, variable, second, other)
    if mine == theirs and _has_no_common_value(_partner_subject(first, variable), _partner_subject(second, other)):
        return True
    return are_contrary(first.find_claims(variable, mine), second.find_claims(other, theirs))


def same_value(first: Reading, write: Write, second: Reading, other: Write) -> bool:
    """Whether two writes to the same cell, made at the same time, give it the same value."""
    if literal_value(write.value) is not None or literal_value(other.value) is not None:
        return write.value == other.value
    mine, theirs = write.subject.variable, other.subject.variable
    names = _partner_names(first, mine, second, theirs)
    return write_node(write.value, first.names(mine, names[0])) == write_node(
        other.value, second.names(theirs, names[1])
    )


def _partner_names(first: Reading, variable: str, second: Reading, other: str) -> tuple[str, str]:
    """Return names for the other rows of two rules: equal if they must be the same row."""
    way = first.ways.get(variable)
    return ("@@", "@@") if way is not None and way == second.ways.get(other) else ("<", ">")


def _partner_subject(reading: Reading, variable: str) -> Subject:
    return reading.subjects[reading.other(variable) or ""]


def _has_no_common_value(mine: Subject, theirs: Subject) -> bool:
    """Whether the conditions on two rows have no common value for some column."""
    common = (column for column in mine.columns if theirs.tests(column))
    return any(mine.allowed(column).isdisjoint(theirs.allowed(column)) for column in common)


def can_enable_row(writer: Reading, write: Write, subject: Subject) -> bool:
    """Whether a write can make conditions on its row true."""
    if write.subject.table != subject.table or not subject.tests(write.column):
        return False
    return not subject.surely(write.column, write.old) and can_hold_after(writer, write, subject)


def can_hold_after(writer: Reading, write: Write, subject: Subject) -> bool:
    """Whether conditions can hold for the row just written."""
    variable = write.subject.variable
    return not any(writer.after(variable, column).isdisjoint(subject.allowed(column)) for column in subject.columns)


def can_disable_row(write: Write, subject: Subject) -> bool:
    """Whether a write can make conditions on its row false that were true."""
    if write.subject.table != subject.table or not subject.tests(write.column):
        return False
    if subject.surely(write.column, write.new):
        return False
    return not any(write.subject.allowed(column).isdisjoint(subject.allowed(column)) for column in subject.columns)


def changes_answer(writer: Reading, write: Write, question: Question) -> bool:
    """Whether a write can change the result of a quantifier in any way."""
    subject = question.subject
    if write.subject.table == subject.table and write.column in question.counted:
        return True
    return can_enable_row(writer, write, subject) or can_disable_row(write, subject)


def answers_yes(writer: Reading, write: Write, question: Question) -> bool:
    """Whether a write can change the result of a quantifier so that its rule gains a match."""
    if question.rising is None:
        return changes_answer(writer, write, question)
    return (
        can_enable_row(writer, write, question.subject) if question.rising else can_disable_row(write, question.subject)
    )


def answers_no(writer: Reading, write: Write, question: Question) -> bool:
    """Whether a write can change the result of a quantifier so that its rule loses a match."""
    if question.rising is None:
        return changes_answer(writer, write, question)
    return (
        can_disable_row(write, question.subject) if question.rising else can_enable_row(writer, write, question.subject)
    )


def gives_matches(writer: Reading, write: Write, reader: Reading) -> bool:
    """Whether a write can make a false condition of another rule, or of the same one, true."""
    rows = any(can_enable_row(writer, write, subject) for subject in reader.subjects.values())
    return rows or any(answers_yes(writer, write, question) for question in reader.questions)


def can_enable_rule(writer: Reading, reader: Reading) -> bool:
    """Whether the firing of a rule can give another rule, or itself, a new match or a new change."""
    concerning = (write for write in writer.writes if write.place in reader.touched)
    return any(gives_matches(writer, write, reader) or _gives_new_writes(writer, write, reader) for write in concerning)


def _gives_new_writes(writer: Reading, write: Write, reader: Reading) -> bool:
    """Whether a match that changed nothing can change a cell after a write."""
    if reader.always_changes:
        return False
    if any(changes_answer(writer, write, question) for question in reader.value_questions):
        return True
    return any(
        can_hold_after(writer, write, subject)
        for variable, subject in reader.subjects.items()
        if subject.table == write.subject.table and _affects_writes(write, reader, variable)
    )


def _affects_writes(write: Write, reader: Reading, variable: str) -> bool:
    """Whether a rule computes values from a written column, or sets it to another value."""
    if f"{variable}.{write.column}" in reader.value_names:
        return True
    mine = (each for each in reader.writes if each.subject.variable == variable and each.column == write.column)
    return any(not _leaves_value(write, reader, each) for each in mine)


def _leaves_value(write: Write, reader: Reading, other: Write) -> bool:
    """Whether a write leaves the value that the other would write."""
    if other is write:
        return reader.is_own(write) or not reader.has_siblings(write.subject.variable)
    return literal_value(write.value) is not None and write.value == other.value


def can_disagree(first: Reading, write: Write, second: Reading, other: Write) -> bool:
    """Whether two writes can set the same cell at the same time to different values."""
    if write.place != other.place:
        return False
    mine, theirs = write.subject.variable, other.subject.variable
    return not same_value(first, write, second, other) and not never_share_row(first, mine, second, theirs)


def sets_same_values(first: Reading, variable: str, second: Reading, other: str) -> bool:
    """Whether the first rule sets all cells of the second to the same values, where these variables are one row."""
    mine = [write for write in first.writes if write.subject.variable == variable]
    return all(
        write.subject.variable == other
        and any(each.column == write.column and same_value(first, each, second, write) for each in mine)
        for write in second.writes
    )
