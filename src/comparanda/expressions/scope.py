"""What an expression can see: names with their types and columns, and functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from comparanda.expressions.functions import BUILTINS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from comparanda.columns import Column
    from comparanda.expressions.signatures import Function, Type


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
