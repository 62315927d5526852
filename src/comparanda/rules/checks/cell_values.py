"""Abstract values of cells: values that rules cannot distinguish are represented by one, so that sets remain small."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, Final

from comparanda.expressions import unparse
from comparanda.expressions.syntax import (
    And,
    Call,
    Comparison,
    ComparisonStep,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Quantified,
    Text,
    Truth,
)

if TYPE_CHECKING:
    from comparanda.rules.ruleset import ColumnType


MOST_NAMED: Final = 2_000
"""The maximum number of values distinguished in a column; the checks of rule sets with more are coarser."""


class Special(Enum):
    """The possible contents of a cell other than a value named in a rule."""

    MISSING = "missing"
    OTHER = "another value"
    ANY = "any value"


MISSING, OTHER, ANY = Special.MISSING, Special.OTHER, Special.ANY


@dataclass(frozen=True, slots=True)
class Between:
    """Any number strictly between two that are named in rules."""

    low: float
    high: float

    @property
    def sample(self) -> float:
        """One of the numbers; all others compare in the same way with the numbers named in rules."""
        if self.low == -inf or self.high == inf:
            return -inf if self.low == -inf else inf
        return self.low / 2 + self.high / 2


Value = str | float | bool | Special | Between
Values = frozenset[Value]


def literal_value(node: Node) -> str | float | bool | None:
    """Return the value of a literal, or None for any other expression.

    >>> literal_value(Negative(Number(2)))
    -2
    """
    match node:
        case Text(value) | Number(value) | Truth(value):
            return value
        case Negative(Number(number)):
            return -number
        case _:
            return None


def possible_values(column: ColumnType, named: Collection[Any]) -> Values:
    """Return the abstract values of a column; unnamed values are one or, for numbers, one for each gap.

    >>> from comparanda.rules.ruleset import ColumnType
    >>> len(possible_values(ColumnType("text"), ["TP"])), len(possible_values(ColumnType("number"), [0, 1]))
    (3, 6)
    """
    match column.kind:
        case "truth":
            return frozenset((True, False))
        case "row":
            return frozenset((MISSING, ANY))
        case _ if max(len(named), len(column.values)) > MOST_NAMED:
            return frozenset((MISSING, ANY))
        case "text" if column.values:
            return frozenset((MISSING, *column.values))
        case "text":
            return frozenset((MISSING, OTHER, *named))
        case _:
            marks = sorted({*named, -inf, inf})
            return frozenset((MISSING, *named, *(Between(low, high) for low, high in pairwise(marks))))


def is_one(value: Value) -> bool:
    """Whether an abstract value represents a single value."""
    return not isinstance(value, Between) and value not in {OTHER, ANY}


def show_value(value: Value) -> str:
    """Return a value as displayed in error messages."""
    if isinstance(value, Special):
        return value.value
    if isinstance(value, Between):
        return "another number"
    return str(value).lower() if isinstance(value, bool) else repr(value)


@dataclass(frozen=True, slots=True)
class Meaning:
    """The values of a cell for which a condition certainly holds, and those for which it possibly does."""

    surely: Values
    perhaps: Values


class Cell:
    """A cell of which only the possible values are known.

    >>> from comparanda.expressions import parse
    >>> cell = Cell("s.result", frozenset((MISSING, "FP", "TP")))
    >>> meaning = cell.meaning(parse('is_missing(s.result) or s.result == "FP" and s.seen').root)
    >>> sorted(map(show_value, meaning.surely)), sorted(map(show_value, meaning.perhaps))
    (['missing'], ["'FP'", 'missing'])
    """

    def __init__(self, name: str, every: Values) -> None:
        self.name = Name(name)
        self.every = every

    def meaning(self, node: Node) -> Meaning:  # noqa: PLR0911 - one return for each kind of node
        """Return the values of the cell for which a condition holds."""
        match node:
            case Truth(value):
                return self.exactly(self.every if value else ())
            case Name() if node == self.name:
                return self.exactly((True,))
            case Not(operand):
                return self.unless(self.meaning(operand))
            case And(operands):
                return self.unless(self.some(self.unless(self.meaning(operand)) for operand in operands))
            case Or(operands):
                return self.some(self.meaning(operand) for operand in operands)
            case Call("is_missing", (value,)) if value == self.name:
                return self.exactly((MISSING,))
            case Comparison(first, (step,)) if isinstance(step.operand, List):
                inside = self.some(self.compared(first, "==", item) for item in step.operand.items)
                return inside if step.operator == "in" else self.unless(inside)
            case Comparison(first, (step,)):
                return self.compared(first, step.operator, step.operand)
            case _:
                return Meaning(frozenset(), self.every)

    def exactly(self, values: Iterable[Value]) -> Meaning:
        """Return the meaning of a condition that holds for exactly these values."""
        found = self.every & frozenset(values)
        return Meaning(found, found)

    def unless(self, inner: Meaning) -> Meaning:
        """Return the meaning of the negation."""
        return Meaning(self.every - inner.perhaps, self.every - inner.surely)

    def some(self, parts: Iterable[Meaning]) -> Meaning:
        """Return the meaning of the disjunction."""
        every = list(parts)
        return Meaning(_union(part.surely for part in every), _union(part.perhaps for part in every))

    def compared(self, left: Node, symbol: str, right: Node) -> Meaning:
        """Return the meaning of a comparison; a missing value equals nothing and differs from everything."""
        if self.name not in (left, right):
            return Meaning(frozenset(), self.every)
        if symbol == "!=":
            return self.unless(self.compared(left, "==", right))
        sides = [None if side == self.name else literal_value(side) for side in (left, right)]
        present = self.every - {MISSING}
        if sides == [None, None] or ANY in present:
            return Meaning(frozenset(), present)
        if symbol == "==":
            return self.exactly(side for side in sides if side is not None)
        certain = {value for value in present if value is not OTHER and _order_holds(symbol, sides, value)}
        return Meaning(frozenset(certain), frozenset(certain | present & {OTHER}))


def _union(sets: Iterable[Values]) -> Values:
    none: Values = frozenset()
    return none.union(*sets)


_ORDER_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _order_holds(symbol: str, sides: list[Any], value: Value) -> bool:
    """Whether an order comparison holds with the value on the open side."""
    given = value.sample if isinstance(value, Between) else value
    left, right = (given if side is None else side for side in sides)
    return _ORDER_OPERATORS[symbol](left, right)


# Claims of conditions, as strings that can be compared with those of another rule.


Claims = Mapping[str, frozenset[str]]
"""For conditions, whether they are claimed to hold or fail; for pairs of operands, which comparisons hold."""

_MIRRORED_OPERATORS: Final = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CONTRADICTIONS: Final = {
    ("==", "!="),
    ("==", "<"),
    ("==", ">"),
    ("<", ">="),
    ("<", ">"),
    ("<=", ">"),
    ("holds", "fails"),
}


def find_claims(conditions: Iterable[Node], names: Mapping[str, str]) -> Claims:
    """Return the claims of conditions, with rows renamed.

    >>> from comparanda.expressions import parse
    >>> find_claims([parse("s.begin > k.begin").root], {"s": "a", "k": "b"})
    {'a.begin > b.begin': frozenset({'holds'}), 'a.begin, b.begin': frozenset({'>'})}
    """
    found: dict[str, frozenset[str]] = {}

    def claim(what: str, how: str) -> None:
        found[what] = found.get(what, frozenset()) | {how}

    for condition in conditions:
        match condition:
            case Not(operand):
                claim(write_node(operand, names), "fails")
            case _:
                claim(write_node(condition, names), "holds")
        match condition:
            case Comparison(first, (ComparisonStep(symbol, second),)) if symbol in _MIRRORED_OPERATORS:
                left, right = write_node(first, names), write_node(second, names)
                claim(
                    *(
                        (f"{left}, {right}", symbol)
                        if left <= right
                        else (f"{right}, {left}", _MIRRORED_OPERATORS[symbol])
                    )
                )
    return found


def are_contrary(mine: Claims, theirs: Claims) -> bool:
    """Whether the claims of two rules contradict each other."""
    common = mine.keys() & theirs.keys()
    pairs = ((one, other) for what in common for one in mine[what] for other in theirs[what])
    return any((one, other) in _CONTRADICTIONS or (other, one) in _CONTRADICTIONS for one, other in pairs)


def write_node(node: Node, names: Mapping[str, str]) -> str:
    """Return a canonical text of a node with rows renamed, equal for equal nodes.

    >>> from comparanda.expressions import parse
    >>> write_node(parse("any(t.doc == s.doc for t in key)").root, {"s": "x"})
    'any(`#0.doc` == x.doc for #0 in key)'
    """
    return unparse(_rename_rows(node, names, 0))


def _rename_rows(node: Node, names: Mapping[str, str], depth: int) -> Node:
    """Rename rows; those of quantifiers are numbered."""
    if isinstance(node, Name):
        owner, dot, column = node.name.partition(".")
        return Name(names.get(owner, owner) + dot + column)
    if isinstance(node, Quantified):
        names, node, depth = {**names, node.variable: f"#{depth}"}, replace(node, variable=f"#{depth}"), depth + 1
    parts: dict[str, Node | tuple[Node, ...]] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Node):
            parts[field.name] = _rename_rows(value, names, depth)
        elif isinstance(value, tuple) and field.name != "place":
            parts[field.name] = tuple(_rename_rows(each, names, depth) for each in value)
    return replace(node, **parts)  # type: ignore[arg-type]
