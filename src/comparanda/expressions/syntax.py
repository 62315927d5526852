"""The nodes of an expression: frozen values with their place in the source text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from comparanda.errors import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Iterator


# Quoting of strings and names for use in an expression.


KEYWORDS = frozenset({"and", "or", "not", "in", "true", "false", "for", "if"})
"""The keywords of the language."""

ESCAPES = {"\\": "\\", "'": "'", '"': '"', "`": "`", "n": "\n", "t": "\t"}
"""The characters denoted by a backslash and one character; `\\uXXXX` denotes the character of that code point."""

_UNESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_PLAIN_NAME = re.compile(r"[^\W\d]\w*(\.\w+)*")


def quote_string(text: str) -> str:
    r"""Return a text as a string literal in double quotes.

    >>> print(quote_string('a "b" \n'))
    "a \"b\" \n"
    """
    return _delimit('"', text)


def quote_name(name: str) -> str:
    """Return a name as it is written in an expression: in backticks if necessary.

    >>> quote_name("meta.genre"), quote_name("sent id"), quote_name("in")
    ('meta.genre', '`sent id`', '`in`')
    """
    plain = _PLAIN_NAME.fullmatch(name) and name.lower() not in KEYWORDS
    return name if plain else _delimit("`", name)


def _delimit(mark: str, text: str) -> str:
    return (
        mark
        + "".join("\\" + mark if c == mark else _UNESCAPES.get(c) or _escape_if_unprintable(c) for c in text)
        + mark
    )


def _escape_if_unprintable(character: str) -> str:
    r"""Return the character, or its `\uXXXX` escape if it is not printable; beyond U+FFFF there is no escape."""
    if character.isprintable() or ord(character) > 0xFFFF:
        return character
    return f"\\u{ord(character):04x}"


ComparisonOperator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
ArithmeticOperator = Literal["+", "-", "*", "/", "%"]


class Place(NamedTuple):
    """The characters of the text from `start` to `end`, exclusive."""

    start: int
    end: int


NOWHERE = Place(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Base of all nodes: the place, which is ignored in comparisons."""

    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal."""

    value: str


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number literal; never negative, because the sign is a `Negative` node around it."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Truth(Node):
    """The literal `true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name, to be resolved to a column by the scope."""

    name: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call of a function of the scope."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantified(Node):
    """A quantifier over the rows of a table: `any(x.label == "PER" for x in key if x.begin > 3)`.

    Args:
        function: the quantifier: `any`, `count`, `min` …
        body: the expression for each row: a condition, a value, or the variable itself.
        variable: the name of the row in the body and the condition.
        table: the table it ranges over.
        condition: selects the rows; None for all rows.

    """

    function: str
    body: Node
    variable: str
    table: str
    condition: Node | None = None


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """A negated number."""

    operand: Node


@dataclass(frozen=True, slots=True)
class ArithmeticStep(Node):
    """An operator with the operand on its right; the place is the operator's."""

    operator: ArithmeticOperator
    operand: Node


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """A left-associative chain of operators of one precedence: `a - b + c` is one node with two steps."""

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
    """True where at least one of its operands is; a flat chain is one node."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression: the tree and the source text.

    Two expressions are equal if their trees are equal; spacing is ignored.
    """

    root: Node
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text

    @property
    def names(self) -> frozenset[str]:
        """The names of the columns it uses."""
        return frozenset(node.name for node in walk_tree(self.root) if isinstance(node, Name))


def list_children(node: Node) -> tuple[Node, ...]:  # noqa: PLR0911 - one return for each kind of node
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
        case Quantified(function=_, body=body, variable=_, table=_, condition=condition):
            return (body,) if condition is None else (body, condition)
        case List(items):
            return items
        case _:
            return ()


def walk_tree(root: Node) -> Iterator[Node]:
    """Yield the nodes of a tree in pre-order, left to right.

    >>> [type(node).__name__ for node in walk_tree(Not(Name("seen")))]
    ['Not', 'Name']
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list_children(node)))


# Error messages with the line of the expression and a caret under the place.


WINDOW = 70
BEFORE = 35


def escape_unprintable(text: str) -> str:
    r"""Return the text with unprintable characters escaped.

    >>> print(escape_unprintable("one\ttwo\x1b[31m"))
    one\ttwo\x1b[31m
    """
    return "".join(map(_escape_character, text))


def quote_for_message(text: str, *, limit: int = 40) -> str:
    """Return the text in quotes, escaped and truncated, for messages.

    >>> quote_for_message("label")
    "'label'"
    """
    return f"'{escape_unprintable(text if len(text) <= limit else text[: limit - 1] + '…')}'"


def make_expression_error(source: str, place: Place, what: str, *, hint: str | None = None) -> ExpressionError:
    """Make an error that shows the place in the source.

    >>> print(make_expression_error("label = 'PER'", Place(6, 7), "'=' is not an operator here; write '=='"))
    '=' is not an operator here; write '=='
      label = 'PER'
            ^
    """
    error = ExpressionError(what, details=excerpt_line(source, place), hint=hint and escape_unprintable(hint))
    error.line = source.count("\n", 0, place.start)
    return error


def excerpt_line(source: str, place: Place) -> tuple[str, str]:
    """Return the line that contains the start of the place, truncated to a window, and its line of carets."""
    begin = source.rfind("\n", 0, place.start) + 1
    line = source[begin:].partition("\n")[0].removesuffix("\r")
    start = min(place.start - begin, len(line))
    end = min(max(place.end - begin, start + 1), len(line))
    cells = [_escape_character(character) for character in line]
    columns = [0, *accumulate(map(_terminal_width, cells))]
    left = _left_edge(columns, start)
    right = _right_edge(columns, left)
    head, tail = "…" if left else "", "…" if right < len(cells) else ""
    indent = len(head) + columns[start] - columns[left]
    carets = max(1, columns[max(start, min(end, right))] - columns[start])
    return head + "".join(cells[left:right]) + tail, " " * indent + "^" * carets


def _left_edge(columns: list[int], start: int) -> int:
    """Return the index of the first character to display: 0 in a short line, else some columns before the place."""
    if columns[-1] <= WINDOW:
        return 0
    wanted = min(columns[start] - BEFORE, columns[-1] - WINDOW)
    return next(index for index, column in enumerate(columns) if column >= wanted)


def _right_edge(columns: list[int], left: int) -> int:
    """Return the end of the characters that fit into the window."""
    limit = columns[left] + WINDOW
    return max(index for index, column in enumerate(columns) if column <= limit)


def _escape_character(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def _terminal_width(cell: str) -> int:
    """Return the number of terminal columns of a character or its escape."""
    if len(cell) > 1:
        return len(cell)
    if unicodedata.category(cell) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(cell) in {"W", "F"} else 1
