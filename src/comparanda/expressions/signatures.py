"""What a function takes and gives: known before there are data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from comparanda.columns import Column

Type = Literal["truth", "number", "text", "row"]
"""What a value is; a row of a table is known in rules alone."""


@dataclass(frozen=True, slots=True)
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

        >>> Signature((Parameter("text"), Parameter("pattern", literal=True)), "truth").written("matches")
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
