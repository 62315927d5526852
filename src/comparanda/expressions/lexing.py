"""Cut an expression into tokens, and say kindly what is not one."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from comparanda.expressions.places import escaped, failure, shown
from comparanda.expressions.quoting import ESCAPES, KEYWORDS
from comparanda.expressions.syntax import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.errors import ExpressionError

LARGEST = 2**63 - 1
FOREIGN = {
    "===": "==", "!==": "!=", "=~": "matches(text, pattern)", "=>": ">=", "=<": "<=", "<>": "!=",
    "&&": "and", "||": "or", "=": "==", "!": "not", "&": "and", "|": "or", "~": "not",
    "≠": "!=", "≤": "<=", "≥": ">=", "×": "*", "÷": "/", "−": "-", "–": "-",
    "**": None, "//": None, "^": None, "->": None, "?": None, ":=": None,
}  # fmt: skip
"""Operators of other languages, each with what is written here instead, if there is something."""

CURLY = {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "´": "'"}

_SPACE = re.compile(r"[ \t\r\n]*")
_FOREIGN = re.compile(r"===|!==|=~|=>|=<|<>|&&|\|\||->|:=|\*\*|//|=(?!=)|!(?!=)|[&|~≠≤≥×÷−–^?]")
_SYMBOL = re.compile(r"[=!<>]=|[-+*/%<>()\[\],]")
_WORD = re.compile(r"[^\W\d]\w*(\.\w+)*")
_NUMBER = re.compile(r"(?P<digits>[0-9]+(\.[0-9]+)?|\.[0-9]+)(?P<exponent>[eE][-+]?[0-9]+)?(?P<percent>%?)")
_RUN_ON = re.compile(r"[\w.]+")
_OPERAND_START = re.compile(r"[\w(\"'`.]")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]{4}")

Kind = Literal["symbol", "name", "quoted name", "text", "number", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: what it is, how it was written, what it means, where it stood.

    Operators, brackets and the words of the language are all symbols.
    """

    kind: Kind
    written: str
    value: str | int | float
    place: Place

    def one_of(self, *symbols: str) -> bool:
        """Tell whether the token is one of these symbols."""
        return self.kind == "symbol" and self.written in symbols


def tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of a text, the last of them being `end`.

    >>> [token.written for token in tokens("size >= 5%")]
    ['size', '>=', '5%', '']
    """
    position = _space(source, 0)
    while position < len(source):
        token = _token(source, position)
        yield token
        position = _space(source, token.place.end)
    end = len(source.rstrip(" \t\r\n"))
    yield Token("end", "", "", Place(end, end))


def _space(source: str, position: int) -> int:
    found = _SPACE.match(source, position)
    return found.end() if found else position


def _token(source: str, start: int) -> Token:
    if source[start] in "\"'`":
        return _quoted(source, start)
    if found := _NUMBER.match(source, start):
        return _number(source, found)
    if found := _WORD.match(source, start):
        return _word(source, found)
    if found := _FOREIGN.match(source, start):
        raise _foreign(source, found)
    if found := _SYMBOL.match(source, start):
        return Token("symbol", found[0], found[0], Place(*found.span()))
    raise _unexpected(source, start)


def _word(source: str, found: re.Match[str]) -> Token:
    word, place = found[0], Place(*found.span())
    if word in KEYWORDS:
        return Token("symbol", word, word, place)
    if word.lower() in KEYWORDS:
        raise failure(source, place, f"'{word}' is not a word here; write '{word.lower()}'", hint=_backticks(word))
    return Token("name", word, word, place)


def _backticks(name: str) -> str:
    return f"(a column of that name is written `{name}`, in backticks)"


def _number(source: str, found: re.Match[str]) -> Token:
    place = Place(*found.span())
    rest = source[place.end : place.end + 1]
    if found["percent"] and _OPERAND_START.match(rest):
        hint = f"for the remainder of a division write '{found[0][:-1]} % …', with a space"
        raise failure(source, place, f"{shown(found[0])} is a percentage, so an operator must follow", hint=hint)
    if not found["percent"] and (more := _RUN_ON.match(source, place.end)):
        run = Place(place.start, more.end())
        what = f"{shown(source[run.start : run.end])} is neither a number nor a name"
        raise failure(source, run, what, hint="(a name that begins with a digit is written in backticks)")
    value = _number_value(found)
    if value is None:
        raise failure(source, place, f"the number {shown(found[0])} is too large")
    return Token("number", found[0], value, place)


def _number_value(found: re.Match[str]) -> int | float | None:
    """Return the number written, or None if it is too large; whole numbers stay whole."""
    digits, exponent = found["digits"], found["exponent"] or ""
    if digits.isdigit() and not exponent and not found["percent"]:
        significant = digits.lstrip("0") or "0"
        whole = int(significant) if len(significant) <= len(str(LARGEST)) else LARGEST + 1
        return whole if whole <= LARGEST else None
    value = float(digits + exponent)
    if found["percent"]:
        # "2.9%" is the float nearest to 0.029, which 2.9 / 100 is not
        value = value / 100 if exponent else float(digits + "e-2")
    return value if value != float("inf") else None


def _quoted(source: str, start: int) -> Token:
    """Read a string literal, or a name in backticks."""
    mark, position, pieces = source[start], start + 1, []
    while (character := source[position : position + 1]) != mark:
        if character in {"", "\n"}:
            what = "the name in backticks" if mark == "`" else "the string"
            raise failure(source, Place(start, start + 1), f"{what} that begins here is not closed")
        piece, position = _escape(source, position) if character == "\\" else (character, position + 1)
        pieces.append(piece)
    place, value = Place(start, position + 1), "".join(pieces)
    if mark == "`" and not value:
        raise failure(source, place, "a name cannot be empty")
    return Token("quoted name" if mark == "`" else "text", source[start : position + 1], value, place)


def _escape(source: str, position: int) -> tuple[str, int]:
    """Return what the escape at the position stands for, and where it ends."""
    character = source[position + 1 : position + 2]
    if character in ESCAPES:
        return ESCAPES[character], position + 2
    if character == "u":
        if digits := _HEXADECIMAL.match(source, position + 2):
            return chr(int(digits[0], 16)), digits.end()
        raise failure(source, Place(position, position + 2), r"'\u' needs four hexadecimal digits, as in '\u00e9'")
    what = rf"'\{escaped(character)}' is not an escape; write '\\' for a backslash"
    raise failure(source, Place(position, position + 2), what)


def _foreign(source: str, found: re.Match[str]) -> ExpressionError:
    advice = FOREIGN[found[0]]
    what = f"'{found[0]}' is not an operator here" + (f"; write '{advice}'" if advice else "")
    return failure(source, Place(*found.span()), what)


def _unexpected(source: str, start: int) -> ExpressionError:
    character, place = source[start], Place(start, start + 1)
    if character in CURLY:
        return failure(source, place, f"'{character}' is a typographic quote; write {CURLY[character]}")
    named = unicodedata.name(character, "")
    named = f" ({named.lower()})" if named and not character.isascii() else ""
    return failure(source, place, f"unexpected character {shown(character)}{named}")
