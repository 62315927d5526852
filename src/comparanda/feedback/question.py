"""A question to the user, and what may come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from comparanda.feedback.plan import Kind

Answer = Literal["yes", "no", "mixed", "unsure"] | int
"""What a user says; of a choice the row that is right, or -1 for none of these.

Of a group, yes means always and no means never.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a tuple, or about the span, the block or the text that it is of.

    Args:
        kind: what is asked.
        tuple_row: the row of the tuple among the candidates; for other kinds, one that stands for all.

    """

    kind: Kind
    tuple_row: int
