"""What a rule reads and writes, as far as its text tells: the ground of all proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from comparanda.expressions.syntax import Call, Comparison, ComparisonStep, Name, Node, Quantified
from comparanda.rules.checks.claims import Claims, claims, written
from comparanda.rules.checks.subjects import Question, Subject, names_in, questions, speaks_of
from comparanda.rules.checks.values import ANY, MISSING, Values, is_one, literal

if TYPE_CHECKING:
    from comparanda.rules.checks.subjects import Domains
    from comparanda.rules.ruleset import Rule, Setting


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A cell that a rule sets: of which row, to what, and what it may hold before and after."""

    subject: Subject
    column: str
    value: Node
    old: Values
    new: Values

    @property
    def name(self) -> str:
        """The cell as the rule calls it."""
        return f"{self.subject.variable}.{self.column}"

    @property
    def place(self) -> str:
        """The column with its table."""
        return f"{self.subject.table}.{self.column}"

    @property
    def always_changes(self) -> bool:
        """Whether the rule can match only where the cell holds something else than what is written."""
        return self.old.isdisjoint(self.new)


class Reading:
    """One rule as the proofs see it."""

    def __init__(self, rule: Rule, place: int, domains: Domains) -> None:
        self.rule = rule
        self.place = place
        self._domains = domains
        self.subjects = {
            variable: Subject(variable, table, rule.conditions, domains) for variable, table in rule.over.items()
        }
        self._said: dict[tuple[str, str], Claims] = {}

    def other(self, variable: str) -> str | None:
        """Return the other variable of a rule over two tables."""
        return next((name for name in self.rule.over if name != variable), None)

    @cached_property
    def ways(self) -> dict[str, tuple[str, str]]:
        """For each variable whose row leaves no choice of the other's: that one's table, and what it must equal."""
        found: dict[str, tuple[str, str]] = {}
        for row, equal in (each for condition in self.rule.conditions for each in _equated(condition)):
            given = self.other(row)
            if given is not None and row in self.rule.over and not speaks_of(equal, row):
                found[given] = self.rule.over[row], written(equal, self.names(given, ""))
        return found

    def has_siblings(self, variable: str) -> bool:
        """Whether a row of a variable can take part in several matches at once."""
        return len(self.rule.over) > 1 and variable not in self.ways

    def names(self, variable: str, other: str) -> dict[str, str]:
        """Return names under which its rows can be compared with those of another rule."""
        return dict.fromkeys(self.rule.over, other) | {variable: "@"}

    def said(self, variable: str, other: str) -> Claims:
        """Return what its conditions claim, its rows being called so."""
        key = variable, other
        if key not in self._said:
            self._said[key] = claims(self.rule.conditions, self.names(variable, other))
        return self._said[key]

    @cached_property
    def writes(self) -> tuple[Write, ...]:
        """What the rule sets."""
        return tuple(self._write(setting) for setting in self.rule.sets)

    def _write(self, setting: Setting) -> Write:
        subject = self.subjects[setting.variable]
        return Write(subject, setting.column, setting.value, subject.allowed(setting.column), self._new(setting))

    def _new(self, setting: Setting) -> Values:
        """Return what a cell may hold after it has been set."""
        every = self._domains.of(self.rule.over[setting.variable], setting.column)
        match setting.value:
            case value if (written := literal(value)) is not None:
                return frozenset((written,)) if ANY not in every else frozenset((ANY,))
            case Name(name) if "." in name:
                return self._copied(name, every)
            case Name() | Quantified("count") | Call("overlap" | "iou"):  # rows, parameters, counts: never missing
                return every - {MISSING}
            case _:
                return every

    def _copied(self, name: str, every: Values) -> Values:
        """Return what a cell may hold that is set to what another holds."""
        owner, _, column = name.partition(".")
        copied = self.subjects[owner].allowed(column)
        if copied <= every and all(map(is_one, copied)):
            return copied
        return every if MISSING in copied else every - {MISSING}

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """What the conditions ask about tables."""
        return tuple(each for part in self.rule.conditions for each in questions(part, self._domains, rising=True))

    @cached_property
    def value_questions(self) -> tuple[Question, ...]:
        """What the values that it sets, and the order of its pairs, ask about tables."""
        return tuple(each for node in self._worked_out for each in questions(node, self._domains))

    @cached_property
    def value_names(self) -> frozenset[str]:
        """The names from which the values that it sets, and the order of its pairs, are worked out."""
        return frozenset(name for node in self._worked_out for name in names_in(node))

    @property
    def _worked_out(self) -> tuple[Node, ...]:
        return (*self.rule.best, *(setting.value for setting in self.rule.sets))

    @cached_property
    def touched(self) -> frozenset[str]:
        """All columns, with their tables, that it reads or writes: what is set elsewhere cannot concern it."""
        asked = [*self.questions, *self.value_questions]
        rows = [*self.subjects.values(), *(question.subject for question in asked)]
        tested = {f"{row.table}.{column}" for row in rows for column in row.columns}
        counted = {f"{each.subject.table}.{column}" for each in asked for column in each.counted}
        used = (name.partition(".") for name in self.value_names)
        copied = {f"{self.rule.over[owner]}.{column}" for owner, _, column in used if owner in self.rule.over}
        return frozenset(tested | counted | copied | {write.place for write in self.writes})

    @cached_property
    def always_changes(self) -> bool:
        """Whether no match of the rule can find everything set already."""
        return any(write.always_changes for write in self.writes)

    def after(self, variable: str, column: str) -> Values:
        """Return what a column of a variable's row may hold when all matches have fired."""
        mine = self.subjects[variable]
        here = [write for write in self.writes if (write.subject.table, write.column) == (mine.table, column)]
        own = [write.new for write in here if write.subject is mine]
        others = [write.new for write in here if write.subject is not mine]
        return frozenset().union(*(own or [mine.allowed(column)]), *others) if here else mine.allowed(column)

    def is_own(self, write: Write) -> bool:
        """Whether no other row of a match has a bearing on what is written."""
        other = self.other(write.subject.variable)
        return other is None or not speaks_of(write.value, other)


def _equated(condition: Node) -> Iterator[tuple[str, Node]]:
    """Yield the names that a condition says are equal to something, with that."""
    match condition:
        case Comparison(first, (ComparisonStep("==", second),)):
            for one, other in ((first, second), (second, first)):
                if isinstance(one, Name):
                    yield one.name, other
