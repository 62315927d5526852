"""Read an expression into its tree: a parser by precedence, with flat chains and bounded nesting."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from comparanda.errors import ExpressionError
from comparanda.expressions.cursor import Cursor
from comparanda.expressions.places import failure
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    ArithmeticStep,
    Call,
    Comparison,
    ComparisonStep,
    Expression,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Place,
    Quantified,
    Text,
    Truth,
    children,
)

if TYPE_CHECKING:
    from comparanda.expressions.lexing import Token
    from comparanda.expressions.syntax import ArithmeticOperator, ComparisonOperator

LONGEST = 10_000
DEEPEST = 100

OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, ATOM = range(1, 9)
LEVELS: Final = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", "not"), COMPARE),
    **dict.fromkeys("+-", SUM),
    **dict.fromkeys("*/%", PRODUCT),
}
"""How strongly an operator between two operands binds; `not` there begins `not in`."""


@lru_cache(maxsize=64)
def parse(text: str) -> Expression:
    """Read an expression; raises an `ExpressionError` that points at what is wrong.

    At most 10,000 characters and 100 levels of nesting; a flat chain may be of any length.

    >>> parse("label == 'PER' and not seen").root
    And(operands=(Comparison(first=Name(name='label'), steps=(ComparisonStep(operator='==', \
operand=Text(value='PER')),)), Not(operand=Name(name='seen'))))
    """
    if len(text) > LONGEST:
        what = f"the expression has {len(text):,} characters; at most {LONGEST:,} are allowed"
        raise ExpressionError(what)
    return Expression(_Parser(text).whole(), text)


@lru_cache(maxsize=64)
def names_used(text: str) -> frozenset[str]:
    """Return the names an expression asks for, without knowing which there are.

    >>> sorted(names_used("lower(form) == lemma and right('crf')"))
    ['form', 'lemma']
    """
    return parse(text).names


class _Parser(Cursor):
    """The grammar: one method for each kind of node; to add a kind is to add a method."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.depth = 0

    def whole(self) -> Node:
        root = self.expression()
        if self.current.kind != "end":
            raise self.leftover()
        self.measure(root)
        return root

    def expression(self, level: int = OR) -> Node:
        """Read operands and the operators between them that bind at least as strongly as the level.

        All operators of one level that follow each other become one node, so a long chain is not deep.
        """
        self.depth += 1
        if self.depth > DEEPEST + 1:
            raise self.too_deep(self.current.place)
        node = self.operand(level)
        while (found := self.operator_level()) >= level:
            if found in {OR, AND}:
                node = self.junction(node, found)
            elif found == COMPARE:
                node = self.comparison(node)
            else:
                node = self.arithmetic(node, found)
        self.depth -= 1
        return node

    def operator_level(self) -> int:
        return LEVELS.get(self.current.written, 0) if self.current.kind == "symbol" else 0

    def junction(self, first: Node, level: int) -> Node:
        operands = [first]
        while self.operator_level() == level:
            self.take()
            operands.append(self.expression(level + 1))
        kind = Or if level == OR else And
        return kind(tuple(operands), place=self.since(first.place.start))

    def arithmetic(self, first: Node, level: int) -> Node:
        steps = []
        while self.operator_level() == level:
            sign = self.take()
            operator = cast("ArithmeticOperator", sign.written)
            steps.append(ArithmeticStep(operator, self.expression(level + 1), place=sign.place))
        return Arithmetic(first, tuple(steps), place=self.since(first.place.start))

    def comparison(self, first: Node) -> Node:
        steps: list[ComparisonStep] = []
        while self.operator_level() == COMPARE:
            if steps and isinstance(steps[-1].operand, List):
                what = "a comparison cannot go on after a list; put the part before it in brackets"
                raise failure(self.source, self.current.place, what)
            steps.append(self.comparison_step())
        return Comparison(first, tuple(steps), place=self.since(first.place.start))

    def comparison_step(self) -> ComparisonStep:
        sign = self.take()
        if sign.written == "not":
            if not self.current.one_of("in"):
                raise failure(self.source, self.current.place, "expected 'in' after 'not'")
            self.take()
        operator = cast("ComparisonOperator", "not in" if sign.written == "not" else sign.written)
        place = self.since(sign.place.start)
        operand = self.values() if operator in {"in", "not in"} else self.expression(SUM)
        return ComparisonStep(operator, operand, place=place)

    def operand(self, level: int) -> Node:
        token = self.current
        match token.kind:
            case "text":
                return Text(str(self.take().value), place=token.place)
            case "number":
                value = self.take().value
                assert not isinstance(value, str)
                return Number(value, place=token.place)
            case "quoted name":
                return Name(str(self.take().value), place=token.place)
            case "name":
                self.take()
                return self.call(token) if self.current.one_of("(") else Name(token.written, place=token.place)
            case _:
                return self.symbol_operand(level)

    def symbol_operand(self, level: int) -> Node:
        """Read an operand that a symbol begins: a bracket, a sign, `not`, `true`, `false`."""
        token = self.current
        if token.one_of("true", "false"):
            return Truth(self.take().written == "true", place=token.place)
        if token.one_of("("):
            self.take()
            inside = self.expression()
            self.close(token, ")")
            return inside
        if token.one_of("-"):
            self.take()
            operand = self.expression(SIGN)
            return Negative(operand, place=self.since(token.place.start))
        if token.one_of("not"):
            if level > NOT:
                raise failure(self.source, token.place, "'not' needs brackets here: write '(not …)'")
            self.take()
            operand = self.expression(NOT)
            return Not(operand, place=self.since(token.place.start))
        raise self.no_operand()

    def call(self, function: Token) -> Node:
        opening = self.take()
        arguments = self.until(opening, ")", "for")
        if self.previous is not None and self.previous.one_of("for"):
            return self.quantified(function, opening, arguments)
        return Call(function.written, arguments, place=self.since(function.place.start))

    def quantified(self, function: Token, opening: Token, bodies: tuple[Node, ...]) -> Node:
        """Read what follows the `for` of `any(… for x in table if …)`."""
        assert self.previous is not None
        if len(bodies) != 1:
            what = f"one expression stands before 'for', not {len(bodies)}"
            raise failure(self.source, self.previous.place, what)
        variable = self.plain_name("a name for the row after 'for'")
        if not self.current.one_of("in"):
            raise failure(self.source, self.current.place, "expected 'in' and a table after the name of the row")
        self.take()
        table = self.plain_name("the name of a table after 'in'")
        condition = None
        if self.current.one_of("if"):
            self.take()
            condition = self.expression()
        self.close(opening, ")")
        place = self.since(function.place.start)
        return Quantified(function.written, bodies[0], variable, table, condition, place=place)

    def plain_name(self, wanted: str) -> str:
        """Take a name without dots."""
        token = self.current
        if token.kind != "name" or "." in token.written:
            raise failure(self.source, token.place, f"expected {wanted}")
        return self.take().written

    def values(self) -> Node:
        opening = self.current
        if not opening.one_of("["):
            hint = "(to look for a piece of text write contains(text, piece))"
            raise failure(self.source, opening.place, "expected a list [a, b, …] after 'in'", hint=hint)
        self.take()
        items = self.until(opening, "]")
        return List(items, place=self.since(opening.place.start))

    def until(self, opening: Token, closing: str, turning: str = "") -> tuple[Node, ...]:
        """Read expressions with commas between them, and the bracket that ends them, or the word that turns them."""
        found: list[Node] = []
        while not self.current.one_of(closing):
            found.append(self.expression())
            if not self.current.one_of(","):
                break
            self.take()
        if found and turning and self.current.one_of(turning):
            self.take()
        else:
            self.close(opening, closing)
        return tuple(found)

    def measure(self, root: Node) -> None:
        """Refuse a tree of too many levels, so that no walk over it can run out of stack."""
        waiting = [(root, 1)]
        while waiting:
            node, depth = waiting.pop()
            if depth > DEEPEST + 1:
                raise self.too_deep(node.place)
            below = depth if isinstance(node, ComparisonStep | ArithmeticStep) else depth + 1
            waiting.extend((child, below) for child in children(node))

    def too_deep(self, place: Place) -> ExpressionError:
        return failure(self.source, place, f"the expression is nested more than {DEEPEST} levels deep")
