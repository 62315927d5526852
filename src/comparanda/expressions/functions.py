"""The functions every expression may use."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from comparanda.expressions.syntax import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from comparanda.core.text_columns import Column, TextColumn


# What a function takes and gives: known before there are data.


Type = Literal["truth", "number", "text", "row"]
"""What a value is; a row of a table is known in rules alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a function.

    Args:
        name: what a reader calls it; shown in error messages.
        types: the types it may have.
        literal: whether it must be written out as a string, and so is known before there are data.
        choices: for a literal, the values it may have; none given, any.
        problem: for a literal, a check that returns what is wrong with it, or nothing.
        optional: whether it may be left away; only others that may be follow it.
        repeated: whether any number of such arguments may follow; it is the last.

    """

    name: str
    types: tuple[Type, ...] = ("text",)
    literal: bool = False
    choices: Collection[str] | None = None
    problem: Callable[[str], str | None] | None = None
    optional: bool = False
    repeated: bool = False

    def __str__(self) -> str:
        return (f'"{self.name}"' if self.literal else self.name) + (", …" if self.repeated else "")


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters and the result of a function; enough to check an expression."""

    parameters: tuple[Parameter, ...]
    result: Type

    @property
    def fewest(self) -> int:
        """How many arguments it takes at least."""
        return sum(not parameter.optional for parameter in self.parameters)

    @property
    def most(self) -> int | None:
        """How many arguments it takes at most; None for any number."""
        return None if self.parameters and self.parameters[-1].repeated else len(self.parameters)

    def parameter(self, place: int) -> Parameter:
        """Return the parameter of the argument at a place."""
        return self.parameters[min(place, len(self.parameters) - 1)]

    def written(self, name: str) -> str:
        """Return how a call of the function looks.

        >>> Signature((Parameter(name="text"), Parameter(name="pattern", literal=True)), "truth").written("matches")
        'matches(text, "pattern")'
        """
        return f"{name}({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True, slots=True)
class Function(Signature):
    """A signature together with its work.

    `call` gets a column for each argument, and for a literal parameter its text; it returns a column of
    the type of the result, with one value for each row. The columns belong to others: it must not change
    them.
    """

    call: Callable[..., Column]


# Run a pattern over a text one character at a time, never going back.
#
# A pattern becomes a graph of states (Thompson's construction). A search follows all its paths together: the
# set of states reached so far is one *node*, and where a node goes on a character is remembered, so ordinary
# texts cost one dictionary look-up a character, and hostile ones at worst a walk over all states.


MOST_STATES = 1_000
MOST_MOVES = 20_000

Context = Literal["edge", "word", "other"]
"""What stands on one side of a position: the edge of the text, a word character, another one."""


@dataclass(frozen=True, slots=True)
class Characters:
    """One character out of ranges and categories (`d`, `w`, `s` and their opposites), or none of these."""

    ranges: tuple[tuple[str, str], ...] = ()
    categories: str = ""
    negated: bool = False

    def has(self, character: str) -> bool:
        """Tell whether the character is one of these."""
        inside = any(low <= character <= high for low, high in self.ranges)
        return (inside or any(_in_category(character, one) for one in self.categories)) != self.negated


@dataclass(frozen=True, slots=True)
class Assertion:
    """`^`, `$` or `b`: a condition on the position, which takes no character."""

    kind: str

    def holds(self, before: Context, after: Context) -> bool:
        """Tell whether it is true between these two contexts."""
        if self.kind == "b":
            return (before == "word") != (after == "word")
        return (before if self.kind == "^" else after) == "edge"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Pieces one after the other."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some pieces."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A piece, as often as said; without a `high`, any number of times."""

    piece: Piece
    low: int
    high: int | None


Piece = Characters | Assertion | Sequence | Choice | Repeat


class TooLargeError(ValueError):
    """The graph of a pattern would have too many states."""


@dataclass(slots=True)
class _State:
    """What must be there to pass (nothing, for a fork), and the states behind it."""

    test: Characters | Assertion | None
    ways: tuple[int, ...]


@dataclass(slots=True, eq=False)
class _Node:
    """The states a search can be in, and what stood before; `moves` remembers where it went."""

    states: frozenset[int]
    before: Context
    moves: dict[str, _Node] = field(default_factory=dict)


_FOUND: Final = _Node(frozenset(), "other")
_END: Final = 0


class Automaton:
    """A pattern ready to be looked for.

    >>> Automaton(Repeat(Characters((("0", "9"),)), 3, None)).found_in("page 142")
    True
    """

    def __init__(self, piece: Piece) -> None:
        self._states = [_State(None, ())]
        self._start = self._add(piece, _END)
        self._forget()

    def found_in(self, text: str) -> bool:
        """Tell whether the pattern is somewhere in the text."""
        node = self._node(frozenset({self._start}), "edge")
        for character in text:
            following = node.moves.get(character)
            node = self._move(node, character) if following is None else following
            if node is _FOUND:
                return True
        return _END in self._reach(node, "edge")

    # the graph

    def _add(self, piece: Piece, then: int) -> int:
        """Add the states of a piece that goes on to `then`; return the first of them."""
        match piece:
            case Sequence(pieces):
                for one in reversed(pieces):
                    then = self._add(one, then)
                return then
            case Choice(pieces):
                return self._state(None, *(self._add(one, then) for one in pieces))
            case Repeat(inner, low, high):
                then = self._star(inner, then) if high is None else self._optional(inner, high - low, then)
                return self._add(Sequence((inner,) * low), then)
            case _:
                return self._state(piece, then)

    def _star(self, piece: Piece, then: int) -> int:
        fork = self._state(None)
        self._states[fork].ways = (self._add(piece, fork), then)
        return fork

    def _optional(self, piece: Piece, times: int, then: int) -> int:
        entry = then
        for _ in range(times):
            entry = self._state(None, self._add(piece, entry), then)
        return entry

    def _state(self, test: Characters | Assertion | None, *ways: int) -> int:
        if len(self._states) >= MOST_STATES:
            raise TooLargeError
        self._states.append(_State(test, ways))
        return len(self._states) - 1

    # the search

    def _forget(self) -> None:
        self._nodes: dict[tuple[frozenset[int], Context], _Node] = {}
        self._moves = 0

    def _node(self, states: frozenset[int], before: Context) -> _Node:
        return self._nodes.setdefault((states, before), _Node(states, before))

    def _move(self, node: _Node, character: str) -> _Node:
        """Work out where a node goes on a character; a search may begin anew at every position."""
        if self._moves >= MOST_MOVES:
            self._forget()
            node = self._node(node.states, node.before)
        after: Context = "word" if _in_category(character, "w") else "other"
        reached = self._reach(node, after)
        following = _FOUND
        if _END not in reached:
            passed = {way for state in reached for way in self._passed(state, character)}
            following = self._node(frozenset(passed | {self._start}), after)
        node.moves[character] = following
        self._moves += 1
        return following

    def _passed(self, state: int, character: str) -> tuple[int, ...]:
        found = self._states[state]
        return found.ways if isinstance(found.test, Characters) and found.test.has(character) else ()

    def _reach(self, node: _Node, after: Context) -> set[int]:
        """Return all states that can be reached without taking a character."""
        reached: set[int] = set()
        waiting = list(node.states)
        while waiting:
            number = waiting.pop()
            if number in reached:
                continue
            reached.add(number)
            state = self._states[number]
            if state.test is None or (isinstance(state.test, Assertion) and state.test.holds(node.before, after)):
                waiting.extend(state.ways)
        return reached


def _in_category(character: str, category: str) -> bool:
    match category.lower():
        case "d":
            inside = character.isdecimal()
        case "s":
            inside = character.isspace()
        case _:
            inside = character.isalnum() or character == "_"
    return inside != category.isupper()


# Patterns for `matches`: a plain subset of regular expressions, matched in time linear in the text.
#
# The texts may be hostile, and Python's `re` backtracks: `(a|a)(a|a)…` or `.*.*.*x` can keep it busy for years.
# So patterns are read here and run by `automaton`, which looks at each character once. What there is:
#
# - characters, `.` (all but the newline), `\d \w \s \D \W \S`, `\n`, `\t`, and `\` before punctuation;
# - classes `[a-z_]`, `[^0-9]`; groups `(…)` and `(?:…)`; alternatives `a|b`;
# - `^` (the begin of the text), `$` (its end), `\b` (a word begins or ends);
# - `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}` after a character, a class, or a group that holds none of these.
#
# What there is not: quantifiers in quantified groups, back-references, look-around, flags, lazy quantifiers.


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


_TEXT = Parameter(name="text")
_PIECE = Parameter(name="piece")
_PATTERN = Parameter(name="pattern", literal=True, problem=pattern_problem)


def _startswith(text: TextColumn, piece: TextColumn) -> Column:
    return text.paired(piece, str.startswith)


def _endswith(text: TextColumn, piece: TextColumn) -> Column:
    return text.paired(piece, str.endswith)


def _contains(text: TextColumn, piece: TextColumn) -> Column:
    return text.paired(piece, str.__contains__)


def _matches(text: TextColumn, pattern: str) -> Column:
    return text.truths(compile_pattern(pattern).found_in)


def _lower(text: TextColumn) -> Column:
    return text.mapped(str.lower)


def _length(text: TextColumn) -> Column:
    return text.numbers(len)


def _abs(number: Any) -> Column:
    magnitude: Column = abs(number * 1.0)  # as a float, for the smallest int64 has no positive twin
    return magnitude


def _is_missing(value: Any) -> Column:
    # a number is missing if it is NaN, the one number that differs from itself
    missing: Column = value.missing_rows() if hasattr(value, "missing_rows") else value != value  # noqa: PLR0124
    return missing


def _text_function(call: Callable[..., Column], *parameters: Parameter) -> Function:
    return Function((_TEXT, *parameters), "truth", call)


BUILTINS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        "abs": Function((Parameter(name="number", types=("number",)),), "number", _abs),
        "contains": _text_function(_contains, _PIECE),
        "endswith": _text_function(_endswith, _PIECE),
        "is_missing": Function((Parameter(name="value", types=("text", "number")),), "truth", _is_missing),
        "length": Function((_TEXT,), "number", _length),
        "lower": Function((_TEXT,), "text", _lower),
        "matches": _text_function(_matches, _PATTERN),
        "startswith": _text_function(_startswith, _PIECE),
    }
)
"""The functions every scope has unless it says otherwise; add to them with `dict(BUILTINS) | {...}`."""


# What an expression can see: names with their types and columns, and functions.


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The rows an expression is evaluated on.

    Args:
        types: the type of each name.
        column: gives the column of a name; asked once for each name that an expression uses, no others.
        length: the number of rows.
        functions: the functions that may be called.

    """

    types: Mapping[str, Type]
    column: Callable[[str], Column]
    length: int
    functions: Mapping[str, Function] = field(default_factory=lambda: BUILTINS)
