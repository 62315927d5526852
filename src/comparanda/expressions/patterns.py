r"""Patterns for `matches`: a plain subset of regular expressions, matched in time linear in the text.

The texts may be hostile, and Python's `re` backtracks: `(a|a)(a|a)…` or `.*.*.*x` can keep it busy for years.
So patterns are read here and run by `automaton`, which looks at each character once. What there is:

- characters, `.` (all but the newline), `\d \w \s \D \W \S`, `\n`, `\t`, and `\` before punctuation;
- classes `[a-z_]`, `[^0-9]`; groups `(…)` and `(?:…)`; alternatives `a|b`;
- `^` (the begin of the text), `$` (its end), `\b` (a word begins or ends);
- `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}` after a character, a class, or a group that holds none of these.

What there is not: quantifiers in quantified groups, back-references, look-around, flags, lazy quantifiers.
"""

from __future__ import annotations

import re

from comparanda.expressions.automaton import (
    Assertion,
    Automaton,
    Characters,
    Choice,
    Piece,
    Repeat,
    Sequence,
    TooLargeError,
)
from comparanda.expressions.places import shown

LONGEST = 200
DEEPEST = 20
MOST_REPEATS = 100

_CATEGORIES = frozenset("dwsDWS")
_CONTROLS = {"n": "\n", "t": "\t"}
_QUANTIFIER = re.compile(r"[*+?]|\{(?P<low>[0-9]{1,4})(?P<more>,(?P<high>[0-9]{1,4})?)?\}")
_SIMPLE: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class PatternError(ValueError):
    """A pattern is not in the subset; the message says why."""


def compile_pattern(pattern: str) -> Automaton:
    r"""Make a pattern ready to be looked for; raises `PatternError` if it is not in the subset.

    >>> compile_pattern(r"^\d+(st|nd|rd|th)$").found_in("22nd")
    True
    """
    if len(pattern) > LONGEST:
        raise PatternError(f"{len(pattern):,} characters are too many; at most {LONGEST} are allowed")
    try:
        return Automaton(_Reader(pattern).whole())
    except TooLargeError:
        raise PatternError("it repeats too much; use smaller numbers in {}") from None


def pattern_problem(pattern: str) -> str | None:
    """Return why a pattern cannot be used, or nothing.

    >>> pattern_problem("(a+)+")
    "'+' repeats a group that holds a quantifier itself"
    """
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return str(error)
    return None


class _Reader:
    """One pass over a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.depth = 0

    def whole(self) -> Piece:
        piece = self.choice()
        if self.ahead(")"):
            raise PatternError("a ')' closes nothing; write '\\)' for the character")
        return piece

    def ahead(self, text: str) -> bool:
        return self.pattern.startswith(text, self.position)

    def take(self) -> str:
        """Return the next character, or nothing at the end."""
        character = self.pattern[self.position : self.position + 1]
        self.position += len(character)
        return character

    def choice(self) -> Piece:
        options = [self.sequence()]
        while self.ahead("|"):
            self.take()
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Piece:
        pieces = []
        while self.position < len(self.pattern) and not self.ahead("|") and not self.ahead(")"):
            pieces.append(self.quantified(self.atom()))
        return pieces[0] if len(pieces) == 1 else Sequence(tuple(pieces))

    def quantified(self, piece: Piece) -> Piece:
        found = _QUANTIFIER.match(self.pattern, self.position)
        if found is None:
            return piece
        self.position = found.end()
        if isinstance(piece, Assertion):
            raise PatternError(f"there is nothing to repeat before '{found[0]}'")
        if _holds_repeat(piece):
            raise PatternError(f"'{found[0]}' repeats a group that holds a quantifier itself")
        if _QUANTIFIER.match(self.pattern, self.position) is not None:
            raise PatternError(f"a second quantifier after '{found[0]}'")
        return Repeat(piece, *_bounds(found))

    def atom(self) -> Piece:
        character = self.take()
        match character:
            case "(":
                return self.group()
            case "[":
                return self.characters()
            case ".":
                return Characters((("\n", "\n"),), negated=True)
            case "^" | "$":
                return Assertion(character)
            case "\\":
                return Assertion(self.take()) if self.ahead("b") else self.escape()
            case "*" | "+" | "?":
                raise PatternError(f"there is nothing to repeat before '{character}'")
            case "{":
                raise PatternError("'{' begins no repetition here; write '\\{' for the character")
            case _:
                return Characters(((character, character),))

    def group(self) -> Piece:
        self.depth += 1
        if self.depth > DEEPEST:
            raise PatternError(f"groups are nested more than {DEEPEST} deep")
        if self.ahead("?") and not self.ahead("?:"):
            raise PatternError("look-around, named groups and flags, '(?…', are not part of the patterns here")
        self.position += 2 if self.ahead("?:") else 0
        inside = self.choice()
        if self.take() != ")":
            raise PatternError("a '(' is not closed")
        self.depth -= 1
        return inside

    def escape(self) -> Characters:
        """Read what follows a backslash."""
        character = self.take()
        if character in _CATEGORIES:
            return Characters(categories=character)
        character = _CONTROLS.get(character, character)
        if not character:
            raise PatternError("a backslash at the end stands for nothing")
        if character.isdecimal():
            raise PatternError(f"back-references, '\\{character}', are not part of the patterns here")
        if character.isalnum():
            raise PatternError(f"'\\{character}' is not part of the patterns here")
        return Characters(((character, character),))

    def characters(self) -> Characters:
        """Read a class up to its `]`, which as the first character stands for itself."""
        negated = self.ahead("^")
        self.position += negated
        members = [self.member()]
        while not self.ahead("]"):
            members.append(self.member())
        self.take()
        ranges = tuple(one for member in members for one in member.ranges)
        return Characters(ranges, "".join(member.categories for member in members), negated)

    def member(self) -> Characters:
        """Read one character, category or range of a class."""
        low = self.single()
        if not self.ahead("-") or self.ahead("-]"):
            return low
        self.take()
        high = self.single()
        if low.categories or high.categories or low.ranges[0][0] > high.ranges[0][0]:
            raise PatternError("a range in [] must go from one character up to another")
        return Characters(((low.ranges[0][0], high.ranges[0][0]),))

    def single(self) -> Characters:
        character = self.take()
        if not character:
            raise PatternError("a '[' is not closed")
        return self.escape() if character == "\\" else Characters(((character, character),))


def _holds_repeat(piece: Piece) -> bool:
    match piece:
        case Repeat():
            return True
        case Sequence(pieces) | Choice(pieces):
            return any(map(_holds_repeat, pieces))
        case _:
            return False


def _bounds(found: re.Match[str]) -> tuple[int, int | None]:
    if found[0] in _SIMPLE:
        return _SIMPLE[found[0]]
    low = int(found["low"])
    high = (int(found["high"]) if found["high"] else None) if found["more"] else low
    if max(low, high or 0) > MOST_REPEATS:
        raise PatternError(f"{shown(found[0])} repeats more than {MOST_REPEATS} times")
    if high is not None and high < low:
        raise PatternError(f"the numbers of {shown(found[0])} are the wrong way round")
    return low, high
