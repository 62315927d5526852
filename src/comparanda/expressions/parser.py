"""Tokenise, parse and unparse expressions, with errors that point at the offending place."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, cast

from comparanda.errors import ExpressionError
from comparanda.expressions.syntax import (
    ESCAPES,
    KEYWORDS,
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
    escape_unprintable,
    list_children,
    make_expression_error,
    quote_for_message,
    quote_name,
    quote_string,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.expressions.syntax import ArithmeticOperator, ComparisonOperator


LARGEST = 2**63 - 1
FOREIGN = {
    "===": "==", "!==": "!=", "=~": "matches(text, pattern)", "=>": ">=", "=<": "<=", "<>": "!=",
    "&&": "and", "||": "or", "=": "==", "!": "not", "&": "and", "|": "or", "~": "not",
    "≠": "!=", "≤": "<=", "≥": ">=", "×": "*", "÷": "/", "−": "-", "–": "-",
    "**": None, "//": None, "^": None, "->": None, "?": None, ":=": None,
}  # fmt: skip
"""Operators of other languages, each with its equivalent in this language, if there is one."""

CURLY = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "´": "'"}

_SPACE = re.compile(r"[ \t\r\n]*")
_FOREIGN = re.compile(r"===|!==|=~|=>|=<|<>|&&|\|\||->|:=|\*\*|//|=(?!=)|!(?!=)|[&|~≠≤≥×÷−–^?]")
_SYMBOL = re.compile(r"[=!<>]=|[-+*/%<>()\[\],]")
_WORD = re.compile(r"[^\W\d]\w*(\.\w+)*")
_NUMBER = re.compile(r"(?P<digits>[0-9]+(\.[0-9]+)?|\.[0-9]+)(?P<exponent>[eE][-+]?[0-9]+)?(?P<percent>%?)")
_TRAILING_CHARACTERS = re.compile(r"[\w.]+")
_OPERAND_START = re.compile(r"[\w(\"'`.]")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{4}")

Kind = Literal["symbol", "name", "quoted name", "text", "number", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind, its source text, its value, and its place.

    Operators, brackets and keywords are all symbols.
    """

    kind: Kind
    written: str
    value: str | int | float
    place: Place

    def one_of(self, *symbols: str) -> bool:
        """Whether the token is one of these symbols."""
        return self.kind == "symbol" and self.written in symbols


def tokenise(source: str) -> Iterator[Token]:
    """Yield the tokens of a source text, the last of which is `end`.

    >>> [token.written for token in tokenise("size >= 5%")]
    ['size', '>=', '5%', '']
    """
    position = _skip_space(source, 0)
    while position < len(source):
        token = _read_token(source, position)
        yield token
        position = _skip_space(source, token.place.end)
    end = len(source.rstrip(" \t\r\n"))
    yield Token("end", "", "", Place(end, end))


def _skip_space(source: str, position: int) -> int:
    found = _SPACE.match(source, position)
    return found.end() if found else position


def _read_token(source: str, start: int) -> Token:
    if source[start] in "\"'`":
        return _read_quoted(source, start)
    if found := _NUMBER.match(source, start):
        return _read_number(source, found)
    if found := _WORD.match(source, start):
        return _read_word(source, found)
    if found := _FOREIGN.match(source, start):
        raise _foreign_operator_error(source, found)
    if found := _SYMBOL.match(source, start):
        return Token("symbol", found[0], found[0], Place(*found.span()))
    raise _unexpected_character_error(source, start)


def _read_word(source: str, found: re.Match[str]) -> Token:
    word, place = found[0], Place(*found.span())
    if word in KEYWORDS:
        return Token("symbol", word, word, place)
    if word.lower() in KEYWORDS:
        raise make_expression_error(
            source, place, f"'{word}' is not a keyword; write '{word.lower()}'", hint=_backtick_hint(word)
        )
    return Token("name", word, word, place)


def _backtick_hint(name: str) -> str:
    return f"(a column of that name is written `{name}`, in backticks)"


def _read_number(source: str, found: re.Match[str]) -> Token:
    place = Place(*found.span())
    rest = source[place.end : place.end + 1]
    if found["percent"] and _OPERAND_START.match(rest):
        hint = f"for the remainder of a division write '{found[0][:-1]} % …', with a space"
        raise make_expression_error(
            source, place, f"{quote_for_message(found[0])} is a percentage, so an operator must follow", hint=hint
        )
    if not found["percent"] and (more := _TRAILING_CHARACTERS.match(source, place.end)):
        run = Place(place.start, more.end())
        what = f"{quote_for_message(source[run.start : run.end])} is neither a number nor a name"
        raise make_expression_error(source, run, what, hint="(a name that begins with a digit is written in backticks)")
    value = _parse_number(found)
    if value is None:
        raise make_expression_error(source, place, f"the number {quote_for_message(found[0])} is too large")
    return Token("number", found[0], value, place)


def _parse_number(found: re.Match[str]) -> int | float | None:
    """Return the value of a number literal, or None if it is too large; integers remain integers."""
    digits, exponent = found["digits"], found["exponent"] or ""
    if digits.isdigit() and not exponent and not found["percent"]:
        significant = digits.lstrip("0") or "0"
        parse_all = int(significant) if len(significant) <= len(str(LARGEST)) else LARGEST + 1
        return parse_all if parse_all <= LARGEST else None
    value = float(digits + exponent)
    if found["percent"]:
        # "2.9%" is the float nearest to 0.029, which 2.9 / 100 is not
        value = value / 100 if exponent else float(digits + "e-2")
    return value if value != float("inf") else None


def _read_quoted(source: str, start: int) -> Token:
    """Read a string literal, or a name in backticks."""
    mark, position, pieces = source[start], start + 1, []
    while (character := source[position : position + 1]) != mark:
        if character in {"", "\n"}:
            what = "the name in backticks" if mark == "`" else "the string"
            raise make_expression_error(source, Place(start, start + 1), f"{what} that begins here is not closed")
        piece, position = _read_escape(source, position) if character == "\\" else (character, position + 1)
        pieces.append(piece)
    place, value = Place(start, position + 1), "".join(pieces)
    if mark == "`" and not value:
        raise make_expression_error(source, place, "a name cannot be empty")
    return Token("quoted name" if mark == "`" else "text", source[start : position + 1], value, place)


def _read_escape(source: str, position: int) -> tuple[str, int]:
    """Return the character of the escape at the position, and where the escape ends."""
    character = source[position + 1 : position + 2]
    if character in ESCAPES:
        return ESCAPES[character], position + 2
    if character == "u":
        if digits := _HEXADECIMAL.match(source, position + 2):
            return chr(int(digits[0], 16)), digits.end()
        raise make_expression_error(
            source, Place(position, position + 2), r"'\u' needs four hexadecimal digits, as in '\u00e9'"
        )
    what = rf"'\{escape_unprintable(character)}' is not an escape; write '\\' for a backslash"
    raise make_expression_error(source, Place(position, position + 2), what)


def _foreign_operator_error(source: str, found: re.Match[str]) -> ExpressionError:
    advice = FOREIGN[found[0]]
    what = f"'{found[0]}' is not an operator here" + (f"; write '{advice}'" if advice else "")
    return make_expression_error(source, Place(*found.span()), what)


def _unexpected_character_error(source: str, start: int) -> ExpressionError:
    character, place = source[start], Place(start, start + 1)
    if character in CURLY:
        return make_expression_error(source, place, f"'{character}' is a typographic quote; write {CURLY[character]}")
    named = unicodedata.name(character, "")
    named = f" ({named.lower()})" if named and not character.isascii() else ""
    return make_expression_error(source, place, f"unexpected character {quote_for_message(character)}{named}")


# Traversal of tokens, and errors for tokens in a wrong place.


class Cursor:
    """A position between two tokens: `previous` is consumed, `current` is not."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = tokenise(source)
        self.previous: Token | None = None
        self.current = next(self.tokens)

    def take(self) -> Token:
        """Consume a token and return it; the end is never consumed."""
        self.previous, self.current = self.current, next(self.tokens, self.current)
        return self.previous

    def place_from(self, start: int) -> Place:
        """Return the place from a start up to the end of the last token consumed."""
        assert self.previous is not None
        return Place(start, self.previous.place.end)

    def close(self, opening: Token, closing: str) -> None:
        """Consume the closing bracket of an opening one."""
        if self.current.kind == "end":
            raise make_expression_error(self.source, opening.place, f"the '{opening.written}' is not closed")
        if not self.current.one_of(closing):
            raise self.leftover_error(closing)
        self.take()

    def missing_operand_error(self) -> ExpressionError:
        """Make the error for a token that cannot begin an expression."""
        token = self.current
        if token.one_of("for", "if"):
            return self.reserved_word_error(token)
        if self.previous is not None:
            what = f"expected an expression after {quote_for_message(self.previous.written)}"
        elif token.kind == "end":
            what = "the expression is empty"
        else:
            what = f"expected an expression before {quote_for_message(token.written)}"
        hint = None
        if token.one_of("["):
            hint = "(lists are only allowed on the right of 'in')"
        elif self.previous is not None and self.previous.one_of("%"):
            hint = "(a percentage is written without a space, as in 5%)"
        return make_expression_error(self.source, token.place, what, hint=hint)

    def reserved_word_error(self, token: Token) -> ExpressionError:
        """Make the error for a reserved word."""
        hint = f"(a column of that name is written `{token.written}`, in backticks)"
        return make_expression_error(self.source, token.place, f"'{token.written}' is a reserved word", hint=hint)

    def leftover_error(self, closing: str = "") -> ExpressionError:
        """Make the error for a token that cannot follow a complete expression."""
        token = self.current
        hint = None
        if token.one_of("for", "if"):
            return self.reserved_word_error(token)
        if token.one_of(")", "]"):
            what = f"expected '{closing}', got '{token.written}'" if closing else f"unmatched '{token.written}'"
        elif token.one_of(","):
            what = "',' is only allowed between the arguments of a function or the items of a list"
        else:
            what = f"expected an operator before {quote_for_message(token.written)}"
        if token.kind == "name" and token.written.lower() == "is":
            what, hint = "'is' is not an operator here; write '=='", "(to find missing values write is_missing(x))"
        return make_expression_error(self.source, token.place, what, hint=hint)


# Precedence-climbing parser, with flat chains and bounded nesting.


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
"""The precedence of binary operators; `not` in this position begins `not in`."""


@lru_cache(maxsize=64)
def parse(text: str) -> Expression:
    """Parse an expression; raises an `ExpressionError` that points at the error.

    At most 10,000 characters and 100 levels of nesting; a flat chain may be of any length.

    >>> parse("label == 'PER' and not seen").root
    And(operands=(Comparison(first=Name(name='label'), steps=(ComparisonStep(operator='==', \
operand=Text(value='PER')),)), Not(operand=Name(name='seen'))))
    """
    if len(text) > LONGEST:
        what = f"the expression has {len(text):,} characters; at most {LONGEST:,} are allowed"
        raise ExpressionError(what)
    return Expression(_Parser(text).parse_all(), text)


@lru_cache(maxsize=64)
def find_names(text: str) -> frozenset[str]:
    """Return the names an expression uses, whether or not they exist.

    >>> sorted(find_names("lower(form) == lemma and right('crf')"))
    ['form', 'lemma']
    """
    return parse(text).names


class _Parser(Cursor):
    """The grammar: one method for each kind of node."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.depth = 0

    def parse_all(self) -> Node:
        root = self.expression()
        if self.current.kind != "end":
            raise self.leftover_error()
        self.check_depth(root)
        return root

    def expression(self, level: int = OR) -> Node:
        """Parse operands joined by operators of at least the given precedence.

        Consecutive operators of one level become one node, so that a long chain is not deeply nested.
        """
        self.depth += 1
        if self.depth > DEEPEST + 1:
            raise self.too_deep_error(self.current.place)
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
        return kind(tuple(operands), place=self.place_from(first.place.start))

    def arithmetic(self, first: Node, level: int) -> Node:
        steps = []
        while self.operator_level() == level:
            sign = self.take()
            operator = cast("ArithmeticOperator", sign.written)
            steps.append(ArithmeticStep(operator, self.expression(level + 1), place=sign.place))
        return Arithmetic(first, tuple(steps), place=self.place_from(first.place.start))

    def comparison(self, first: Node) -> Node:
        steps: list[ComparisonStep] = []
        while self.operator_level() == COMPARE:
            if steps and isinstance(steps[-1].operand, List):
                what = "a comparison cannot continue after a list; put the part before it in brackets"
                raise make_expression_error(self.source, self.current.place, what)
            steps.append(self.comparison_step())
        return Comparison(first, tuple(steps), place=self.place_from(first.place.start))

    def comparison_step(self) -> ComparisonStep:
        sign = self.take()
        if sign.written == "not":
            if not self.current.one_of("in"):
                raise make_expression_error(self.source, self.current.place, "expected 'in' after 'not'")
            self.take()
        operator = cast("ComparisonOperator", "not in" if sign.written == "not" else sign.written)
        place = self.place_from(sign.place.start)
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
        """Parse an operand that begins with a symbol: a bracket, a sign, `not`, `true`, `false`."""
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
            return Negative(operand, place=self.place_from(token.place.start))
        if token.one_of("not"):
            if level > NOT:
                raise make_expression_error(self.source, token.place, "'not' needs brackets here: write '(not …)'")
            self.take()
            operand = self.expression(NOT)
            return Not(operand, place=self.place_from(token.place.start))
        raise self.missing_operand_error()

    def call(self, function: Token) -> Node:
        opening = self.take()
        arguments = self.read_list(opening, ")", "for")
        if self.previous is not None and self.previous.one_of("for"):
            return self.quantified(function, opening, arguments)
        return Call(function.written, arguments, place=self.place_from(function.place.start))

    def quantified(self, function: Token, opening: Token, bodies: tuple[Node, ...]) -> Node:
        """Parse the rest of `any(… for x in table if …)` after `for`."""
        assert self.previous is not None
        if len(bodies) != 1:
            what = f"expected one expression before 'for', got {len(bodies)}"
            raise make_expression_error(self.source, self.previous.place, what)
        variable = self.plain_name("a name for the row after 'for'")
        if not self.current.one_of("in"):
            raise make_expression_error(
                self.source, self.current.place, "expected 'in' and a table after the name of the row"
            )
        self.take()
        table = self.plain_name("the name of a table after 'in'")
        condition = None
        if self.current.one_of("if"):
            self.take()
            condition = self.expression()
        self.close(opening, ")")
        place = self.place_from(function.place.start)
        return Quantified(
            function=function.written, body=bodies[0], variable=variable, table=table, condition=condition, place=place
        )

    def plain_name(self, wanted: str) -> str:
        """Consume a name without dots."""
        token = self.current
        if token.kind != "name" or "." in token.written:
            raise make_expression_error(self.source, token.place, f"expected {wanted}")
        return self.take().written

    def values(self) -> Node:
        opening = self.current
        if not opening.one_of("["):
            hint = "(to look for a piece of text write contains(text, piece))"
            raise make_expression_error(self.source, opening.place, "expected a list [a, b, …] after 'in'", hint=hint)
        self.take()
        items = self.read_list(opening, "]")
        return List(items, place=self.place_from(opening.place.start))

    def read_list(self, opening: Token, closing: str, keyword: str = "") -> tuple[Node, ...]:
        """Parse expressions separated by commas, up to and including the closing bracket or the keyword."""
        found: list[Node] = []
        while not self.current.one_of(closing):
            found.append(self.expression())
            if not self.current.one_of(","):
                break
            self.take()
        if found and keyword and self.current.one_of(keyword):
            self.take()
        else:
            self.close(opening, closing)
        return tuple(found)

    def check_depth(self, root: Node) -> None:
        """Refuse a tree with too many levels, so that no traversal can exhaust the stack."""
        waiting = [(root, 1)]
        while waiting:
            node, depth = waiting.pop()
            if depth > DEEPEST + 1:
                raise self.too_deep_error(node.place)
            below = depth if isinstance(node, ComparisonStep | ArithmeticStep) else depth + 1
            waiting.extend((child, below) for child in list_children(node))

    def too_deep_error(self, place: Place) -> ExpressionError:
        return make_expression_error(self.source, place, f"the expression is nested more than {DEEPEST} levels deep")


# Unparsing to text that parses to the same tree.


_NODE_LEVELS = {Or: OR, And: AND, Not: NOT, Comparison: COMPARE, Negative: SIGN}


def unparse(node: Node | Expression) -> str:  # noqa: PLR0911 - one return for each kind of node
    """Return the canonical text of an expression: one space around operators, brackets where they are needed.

    >>> from comparanda.expressions import parse
    >>> unparse(parse("(label=='PER')or( ( not`sent id`in[1,2.5] ) )"))
    'label == "PER" or not `sent id` in [1, 2.5]'
    """
    match node:
        case Expression(root):
            return unparse(root)
        case Text(value):
            return quote_string(value)
        case Number(value):
            return repr(value)
        case Truth(value):
            return "true" if value else "false"
        case Name(name):
            return quote_name(name)
        case Call(function, arguments):
            return f"{function}({', '.join(map(unparse, arguments))})"
        case Quantified(function=function, body=body, variable=variable, table=table, condition=condition):
            only = "" if condition is None else f" if {unparse(condition)}"
            return f"{function}({unparse(body)} for {variable} in {table}{only})"
        case List(items):
            return f"[{', '.join(map(unparse, items))}]"
        case _:
            return _unparse_operation(node)


def _unparse_operation(node: Node) -> str:
    match node:
        case Or(operands):
            return " or ".join(_unparse_operand(operand, AND) for operand in operands)
        case And(operands):
            return " and ".join(_unparse_operand(operand, NOT) for operand in operands)
        case Not(operand):
            return f"not {_unparse_operand(operand, NOT)}"
        case Comparison(first, steps):
            parts = (f" {step.operator} {_unparse_operand(step.operand, SUM)}" for step in steps)
            return _unparse_operand(first, SUM) + "".join(parts)
        case Arithmetic(first, steps):
            level = _binding_level(node) + 1
            parts = (f" {step.operator} {_unparse_operand(step.operand, level)}" for step in steps)
            return _unparse_operand(first, level) + "".join(parts)
        case Negative(operand):
            return f"-{_unparse_operand(operand, SIGN)}"
        case _:
            raise TypeError(f"not a complete expression: {node!r}")


def _unparse_operand(node: Node, level: int) -> str:
    """Return the text of an operand, in brackets if its precedence is lower than the level."""
    return unparse(node) if _binding_level(node) >= level else f"({unparse(node)})"


def _binding_level(node: Node) -> int:
    """Return the precedence of the outermost operator of a node."""
    if isinstance(node, Arithmetic):
        return LEVELS[node.steps[0].operator]
    return _NODE_LEVELS.get(type(node), ATOM)
