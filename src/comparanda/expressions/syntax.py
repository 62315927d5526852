"""The nodes of an expression: frozen values that know where in the text they stood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ComparisonOperator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
ArithmeticOperator = Literal["+", "-", "*", "/", "%"]


class Place(NamedTuple):
    """The characters of the text from `start` up to, and without, `end`."""

    start: int
    end: int


NOWHERE = Place(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes share: their place, which is not part of their equality."""

    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal."""

    value: str


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number literal; never negative, for the sign is a `Negative` around it."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """The literal `true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name that the scope gives a column."""

    name: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of the scope with its arguments."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """Something said of all rows of a table at once: `any(x.label == "PER" for x in key if x.begin > 3)`.

    Args:
        function: what is asked: `any`, `count`, `min` …
        body: what is asked of each row: a condition, a value, or the variable itself.
        variable: the name by which the body and the condition call the row.
        table: the table it ranges over.
        condition: which rows take part; None for all.

    """

    function: str
    body: Node
    variable: str
    table: str
    condition: Node | None = None


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """A number with its sign turned."""

    operand: Node


@dataclass(frozen=True, slots=True)
class ArithmeticStep(Node):
    """An operator with the operand on its right; the place is the operator's."""

    operator: ArithmeticOperator
    operand: Node


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """Operators of one precedence, worked from the left: `a - b + c` is one node with two steps."""

    first: Node
    steps: tuple[ArithmeticStep, ...]


@dataclass(frozen=True, slots=True)
class List(Node):
    """The list on the right of `in`."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ComparisonStep(Node):
    """An operator with the operand on its right; the place is the operator's."""

    operator: ComparisonOperator
    operand: Node


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """A chain of comparisons: `1 < x < 5` is true where `1 < x` and `x < 5` are."""

    first: Node
    steps: tuple[ComparisonStep, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """True where its operand is false."""

    operand: Node


@dataclass(frozen=True, slots=True)
class And(Node):
    """True where all its operands are; a flat chain is one node."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """True where one of its operands is; a flat chain is one node."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed text: the tree, and the text as it was written.

    Two expressions are equal if their trees are, however they were spaced.
    """

    root: Node
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> frozenset[str]:
        """The names of the columns it needs."""
        return frozenset(node.name for node in walk(self.root) if isinstance(node, Name))


def children(node: Node) -> tuple[Node, ...]:  # noqa: PLR0911 - one return for each kind of node
    """Return the nodes directly below a node, from left to right."""
    match node:
        case And(operands) | Or(operands):
            return operands
        case Comparison(first, steps):
            return (first, *steps)
        case Arithmetic(first, steps):
            return (first, *steps)
        case Not(operand) | Negative(operand):
            return (operand,)
        case ComparisonStep(_, operand) | ArithmeticStep(_, operand):
            return (operand,)
        case Call(_, arguments):
            return arguments
        case Quantified(_, body, _, _, condition):
            return (body,) if condition is None else (body, condition)
        case List(items):
            return items
        case _:
            return ()


def walk(root: Node) -> Iterator[Node]:
    """Go through a tree from the top, left to right.

    >>> [type(node).__name__ for node in walk(Not(Name("seen")))]
    ['Not', 'Name']
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))
