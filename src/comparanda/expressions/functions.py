"""Functions that expressions can call: signatures, the patterns of `matches`, the built-in functions, and scopes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal

from comparanda.expressions.syntax import quote_for_message

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from comparanda.core.text_columns import Column, TextColumn


# Types and signatures of functions, known before data are loaded.


Type = Literal["truth", "number", "text", "row"]
"""The type of a value; `row`, a row of a table, exists only in rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a function.

    Args:
        name: its name in error messages.
        types: the types it accepts.
        literal: whether it must be a string literal, whose value is known before data are loaded.
        choices: for a literal, the permitted values; None for any.
        problem: for a literal, a check that returns a description of the problem, or None.
        optional: whether it may be omitted; only optional parameters may follow it.
        repeated: whether it accepts any number of further arguments; it must be the last.

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
        """The minimum number of arguments."""
        return sum(not parameter.optional for parameter in self.parameters)

    @property
    def most(self) -> int | None:
        """The maximum number of arguments; None for any number."""
        return None if self.parameters and self.parameters[-1].repeated else len(self.parameters)

    def parameter(self, place: int) -> Parameter:
        """Return the parameter for the argument at a position."""
        return self.parameters[min(place, len(self.parameters) - 1)]

    def written(self, name: str) -> str:
        """Return the form of a call, for help and error messages.

        >>> Signature((Parameter(name="text"), Parameter(name="pattern", literal=True)), "truth").written("matches")
        'matches(text, "pattern")'
        """
        return f"{name}({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True, slots=True)
class Function(Signature):
    """A signature with its implementation.

    `call` receives a column for each argument, and the string for a literal parameter; it returns a column of
    the result type, with one value for each row. It must not modify the columns it receives.
    """

    call: Callable[..., Column]


# Pattern matching without backtracking.
#
# A pattern is compiled to a graph of states (Thompson's construction). A search follows all paths in parallel: the
# set of states reached so far is one *node*, and the transitions of a node are cached, so ordinary texts cost one
# dictionary look-up per character, and adversarial ones at worst a walk over all states per character.


MOST_STATES = 1_000
MOST_MOVES = 20_000

Context = Literal["edge", "word", "other"]
"""The context on one side of a position: the edge of the text, a word character, or another character."""


@dataclass(frozen=True, slots=True)
class Characters:
    """A character class: ranges and categories (`d`, `w`, `s` and their complements), possibly negated."""

    ranges: tuple[tuple[str, str], ...] = ()
    categories: str = ""
    negated: bool = False

    def has(self, character: str) -> bool:
        """Whether the character is in the class."""
        inside = any(low <= character <= high for low, high in self.ranges)
        return (inside or any(_is_in_category(character, one) for one in self.categories)) != self.negated


@dataclass(frozen=True, slots=True)
class Assertion:
    """`^`, `$` or `b`: a condition on the position, which consumes no character."""

    kind: str

    def holds(self, before: Context, after: Context) -> bool:
        """Whether the assertion holds between two contexts."""
        if self.kind == "b":
            return (before == "word") != (after == "word")
        return (before if self.kind == "^" else after) == "edge"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Pieces in sequence."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, one of which must match."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A piece repeated from `low` to `high` times; without `high`, without an upper bound."""

    piece: Piece
    low: int
    high: int | None


Piece = Characters | Assertion | Sequence | Choice | Repeat


class TooLargeError(ValueError):
    """The graph of a pattern would have too many states."""


@dataclass(slots=True)
class _State:
    """The test that must succeed (None for a fork), and the states that follow."""

    test: Characters | Assertion | None
    targets: tuple[int, ...]


@dataclass(slots=True, eq=False)
class _Node:
    """The states a search can be in, and the context before; `moves` caches its transitions."""

    states: frozenset[int]
    before: Context
    moves: dict[str, _Node] = field(default_factory=dict)


_MATCHED: Final = _Node(frozenset(), "other")
_FINAL_STATE: Final = 0


class Automaton:
    """A compiled pattern.

    >>> Automaton(Repeat(Characters((("0", "9"),)), 3, None)).found_in("page 142")
    True
    """

    def __init__(self, piece: Piece) -> None:
        self._states = [_State(None, ())]
        self._start = self._add_piece(piece, _FINAL_STATE)
        self._clear_cache()

    def found_in(self, text: str) -> bool:
        """Whether the pattern matches anywhere in the text."""
        node = self._get_node(frozenset({self._start}), "edge")
        for character in text:
            following = node.moves.get(character)
            node = self._step(node, character) if following is None else following
            if node is _MATCHED:
                return True
        return _FINAL_STATE in self._epsilon_closure(node, "edge")

    # the graph

    def _add_piece(self, piece: Piece, then: int) -> int:
        """Add the states of a piece that continues at state `then`; return its first state."""
        match piece:
            case Sequence(pieces):
                for one in reversed(pieces):
                    then = self._add_piece(one, then)
                return then
            case Choice(pieces):
                return self._add_state(None, *(self._add_piece(one, then) for one in pieces))
            case Repeat(inner, low, high):
                then = self._add_star(inner, then) if high is None else self._add_optional(inner, high - low, then)
                return self._add_piece(Sequence((inner,) * low), then)
            case _:
                return self._add_state(piece, then)

    def _add_star(self, piece: Piece, then: int) -> int:
        fork = self._add_state(None)
        self._states[fork].targets = (self._add_piece(piece, fork), then)
        return fork

    def _add_optional(self, piece: Piece, times: int, then: int) -> int:
        entry = then
        for _ in range(times):
            entry = self._add_state(None, self._add_piece(piece, entry), then)
        return entry

    def _add_state(self, test: Characters | Assertion | None, *targets: int) -> int:
        if len(self._states) >= MOST_STATES:
            raise TooLargeError
        self._states.append(_State(test, targets))
        return len(self._states) - 1

    # the search

    def _clear_cache(self) -> None:
        self._nodes: dict[tuple[frozenset[int], Context], _Node] = {}
        self._moves = 0

    def _get_node(self, states: frozenset[int], before: Context) -> _Node:
        return self._nodes.setdefault((states, before), _Node(states, before))

    def _step(self, node: _Node, character: str) -> _Node:
        """Compute and cache the transition of a node on a character; a match may start at every position."""
        if self._moves >= MOST_MOVES:
            self._clear_cache()
            node = self._get_node(node.states, node.before)
        after: Context = "word" if _is_in_category(character, "w") else "other"
        reached = self._epsilon_closure(node, after)
        following = _MATCHED
        if _FINAL_STATE not in reached:
            passed = {way for state in reached for way in self._targets_after(state, character)}
            following = self._get_node(frozenset(passed | {self._start}), after)
        node.moves[character] = following
        self._moves += 1
        return following

    def _targets_after(self, state: int, character: str) -> tuple[int, ...]:
        found = self._states[state]
        return found.targets if isinstance(found.test, Characters) and found.test.has(character) else ()

    def _epsilon_closure(self, node: _Node, after: Context) -> set[int]:
        """Return all states reachable without consuming a character."""
        reached: set[int] = set()
        waiting = list(node.states)
        while waiting:
            number = waiting.pop()
            if number in reached:
                continue
            reached.add(number)
            state = self._states[number]
            if state.test is None or (isinstance(state.test, Assertion) and state.test.holds(node.before, after)):
                waiting.extend(state.targets)
        return reached


def _is_in_category(character: str, category: str) -> bool:
    match category.lower():
        case "d":
            inside = character.isdecimal()
        case "s":
            inside = character.isspace()
        case _:
            inside = character.isalnum() or character == "_"
    return inside != category.isupper()


# Patterns for `matches`: a subset of regular expressions, matched in time linear in the length of the text.
#
# Input may be adversarial, and Python's `re` backtracks: `(a|a)(a|a)…` or `.*.*.*x` can keep it busy for years.
# So patterns are parsed here and run by `Automaton`, which reads each character once. Supported:
#
# - characters, `.` (all but the newline), `\d \w \s \D \W \S`, `\n`, `\t`, and `\` before punctuation;
# - classes `[a-z_]`, `[^0-9]`; groups `(…)` and `(?:…)`; alternatives `a|b`;
# - `^` (the beginning of the text), `$` (its end), `\b` (a word boundary);
# - `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}` after a character, a class, or a group that contains none of these.
#
# Not supported: quantifiers in quantified groups, back-references, look-around, flags, lazy quantifiers.


LONGEST = 200
DEEPEST = 20
MOST_REPEATS = 100

_CATEGORIES = frozenset("dwsDWS")
_CONTROLS = {"n": "\n", "t": "\t"}
_QUANTIFIER = re.compile(r"[*+?]|\{(?P<low>[0-9]{1,4})(?P<more>,(?P<high>[0-9]{1,4})?)?\}")
_SIMPLE: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class PatternError(ValueError):
    """A pattern is not in the supported subset; the message gives the reason."""


def compile_pattern(pattern: str) -> Automaton:
    r"""Compile a pattern; raises `PatternError` if it is not in the supported subset.

    >>> compile_pattern(r"^\d+(st|nd|rd|th)$").found_in("22nd")
    True
    """
    if len(pattern) > LONGEST:
        raise PatternError(f"the pattern has {len(pattern):,} characters; at most {LONGEST} are allowed")
    try:
        return Automaton(_PatternParser(pattern).parse())
    except TooLargeError:
        raise PatternError("too many repetitions; use smaller numbers in {}") from None


def pattern_problem(pattern: str) -> str | None:
    """Return the reason why a pattern is not supported, or None.

    >>> pattern_problem("(a+)+")
    "'+' repeats a group that contains a quantifier"
    """
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return str(error)
    return None


class _PatternParser:
    """A recursive-descent parser of patterns, one method for each non-terminal."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self.depth = 0

    def parse(self) -> Piece:
        piece = self.choice()
        if self.is_next(")"):
            raise PatternError("unmatched ')'; write '\\)' for the character")
        return piece

    def is_next(self, text: str) -> bool:
        return self.pattern.startswith(text, self.position)

    def take(self) -> str:
        """Return the next character, or an empty string at the end."""
        character = self.pattern[self.position : self.position + 1]
        self.position += len(character)
        return character

    def choice(self) -> Piece:
        options = [self.sequence()]
        while self.is_next("|"):
            self.take()
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Piece:
        pieces = []
        while self.position < len(self.pattern) and not self.is_next("|") and not self.is_next(")"):
            pieces.append(self.quantified(self.atom()))
        return pieces[0] if len(pieces) == 1 else Sequence(tuple(pieces))

    def quantified(self, piece: Piece) -> Piece:
        found = _QUANTIFIER.match(self.pattern, self.position)
        if found is None:
            return piece
        self.position = found.end()
        if isinstance(piece, Assertion):
            raise PatternError(f"nothing to repeat before '{found[0]}'")
        if _contains_repeat(piece):
            raise PatternError(f"'{found[0]}' repeats a group that contains a quantifier")
        if _QUANTIFIER.match(self.pattern, self.position) is not None:
            raise PatternError(f"a second quantifier after '{found[0]}'")
        return Repeat(piece, *_repeat_bounds(found))

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
                return Assertion(self.take()) if self.is_next("b") else self.escape()
            case "*" | "+" | "?":
                raise PatternError(f"nothing to repeat before '{character}'")
            case "{":
                raise PatternError("'{' does not begin a repetition here; write '\\{' for the character")
            case _:
                return Characters(((character, character),))

    def group(self) -> Piece:
        self.depth += 1
        if self.depth > DEEPEST:
            raise PatternError(f"groups are nested more than {DEEPEST} levels deep")
        if self.is_next("?") and not self.is_next("?:"):
            raise PatternError("look-around, named groups and flags, '(?…', are not supported")
        self.position += 2 if self.is_next("?:") else 0
        inside = self.choice()
        if self.take() != ")":
            raise PatternError("a '(' is not closed")
        self.depth -= 1
        return inside

    def escape(self) -> Characters:
        """Read the rest of an escape after its backslash."""
        character = self.take()
        if character in _CATEGORIES:
            return Characters(categories=character)
        character = _CONTROLS.get(character, character)
        if not character:
            raise PatternError("incomplete escape at the end of the pattern")
        if character.isdecimal():
            raise PatternError(f"back-references, '\\{character}', are not supported")
        if character.isalnum():
            raise PatternError(f"the escape '\\{character}' is not supported")
        return Characters(((character, character),))

    def characters(self) -> Characters:
        """Read a class up to its `]`; a `]` in first position is a literal."""
        negated = self.is_next("^")
        self.position += negated
        members = [self.member()]
        while not self.is_next("]"):
            members.append(self.member())
        self.take()
        ranges = tuple(one for member in members for one in member.ranges)
        return Characters(ranges, "".join(member.categories for member in members), negated)

    def member(self) -> Characters:
        """Read one character, category or range of a class."""
        low = self.class_character()
        if not self.is_next("-") or self.is_next("-]"):
            return low
        self.take()
        high = self.class_character()
        if low.categories or high.categories or low.ranges[0][0] > high.ranges[0][0]:
            raise PatternError("a range in [] must go from a lower to a higher character")
        return Characters(((low.ranges[0][0], high.ranges[0][0]),))

    def class_character(self) -> Characters:
        character = self.take()
        if not character:
            raise PatternError("a '[' is not closed")
        return self.escape() if character == "\\" else Characters(((character, character),))


def _contains_repeat(piece: Piece) -> bool:
    match piece:
        case Repeat():
            return True
        case Sequence(pieces) | Choice(pieces):
            return any(map(_contains_repeat, pieces))
        case _:
            return False


def _repeat_bounds(found: re.Match[str]) -> tuple[int, int | None]:
    if found[0] in _SIMPLE:
        return _SIMPLE[found[0]]
    low = int(found["low"])
    high = (int(found["high"]) if found["high"] else None) if found["more"] else low
    if max(low, high or 0) > MOST_REPEATS:
        raise PatternError(f"{quote_for_message(found[0])} repeats more than {MOST_REPEATS} times")
    if high is not None and high < low:
        raise PatternError(f"the bounds of {quote_for_message(found[0])} are in the wrong order")
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


def strip_punctuation(text: str) -> str:
    """Strip punctuation (the Unicode categories P…) and white space at both ends of a text.

    >>> [strip_punctuation(each) for each in ("Pellworth Ltd.", "“ the U.S. ”", "€5!", "…")]
    ['Pellworth Ltd', 'the U.S', '€5', '']
    """
    begin, end = 0, len(text)
    while begin < end and _is_stripped(text[end - 1]):
        end -= 1
    while begin < end and _is_stripped(text[begin]):
        begin += 1
    return text[begin:end]


def _is_stripped(character: str) -> bool:
    return character.isspace() or unicodedata.category(character).startswith("P")


def _bare(text: TextColumn) -> Column:
    return text.mapped(strip_punctuation)


def _length(text: TextColumn) -> Column:
    return text.numbers(len)


def _abs(number: Any) -> Column:
    magnitude: Column = abs(number * 1.0)  # as a float, because the smallest int64 has no positive counterpart
    return magnitude


def _is_missing(value: Any) -> Column:
    # a missing number is NaN, the only number not equal to itself
    missing: Column = value.missing_rows() if hasattr(value, "missing_rows") else value != value  # noqa: PLR0124
    return missing


def _text_function(call: Callable[..., Column], *parameters: Parameter) -> Function:
    return Function((_TEXT, *parameters), "truth", call)


BUILTINS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        "abs": Function((Parameter(name="number", types=("number",)),), "number", _abs),
        "bare": Function((_TEXT,), "text", _bare),
        "contains": _text_function(_contains, _PIECE),
        "endswith": _text_function(_endswith, _PIECE),
        "is_missing": Function((Parameter(name="value", types=("text", "number")),), "truth", _is_missing),
        "length": Function((_TEXT,), "number", _length),
        "lower": Function((_TEXT,), "text", _lower),
        "matches": _text_function(_matches, _PATTERN),
        "startswith": _text_function(_startswith, _PIECE),
    }
)
"""The functions of every scope by default; add to them with `dict(BUILTINS) | {...}`."""


# The scope of an expression: names with their types and columns, and functions.


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The rows an expression is evaluated on.

    Args:
        types: the type of each name.
        column: returns the column of a name; called once for each name that an expression uses, and for no others.
        length: the number of rows.
        functions: the functions that may be called.

    """

    types: Mapping[str, Type]
    column: Callable[[str], Column]
    length: int
    functions: Mapping[str, Function] = field(default_factory=lambda: BUILTINS)
