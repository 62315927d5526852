"""Run a pattern over a text one character at a time, never going back.

A pattern becomes a graph of states (Thompson's construction). A search follows all its paths together: the
set of states reached so far is one *node*, and where a node goes on a character is remembered, so ordinary
texts cost one dictionary look-up a character, and hostile ones at worst a walk over all states.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

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
