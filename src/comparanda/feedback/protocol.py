"""Questions, answers, and the plan of a simulation: strategy, budget, handler and simulated user."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal, get_args

from comparanda.core.probabilities import DECIDE
from comparanda.errors import UsageError, suggest_nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.core.probabilities import Decide


Answer = Literal["yes", "no", "mixed", "unsure"] | int
"""A user's answer; to a choice, the row of the correct tuple, or -1 for none of them.

To a group question, yes means always and no means never.
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a tuple, or about its span, its block or its text.

    Args:
        kind: the kind of question.
        tuple_row: the row of the tuple among the candidates; for other kinds, a representative tuple.

    """

    kind: Kind
    tuple_row: int


# Question kinds, strategies, handlers and costs.


Kind = Literal["label", "span", "choice", "group"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Handler = Literal["basic", "statistical"]
HANDLERS: tuple[Handler, ...] = get_args(Handler)

FIXED = ("random", "document", "high", "low", "group_size")
"""Strategies whose order is fixed before the first answer."""

STRATEGIES = (
    "random",
    "document",
    "high",
    "low",
    "entropy",
    "margin",
    "group_size",
    "group_entropy",
    "fgain",
    "infogain",
    "oracle",
)
"""The names of all strategies; only the oracle uses the key."""

COSTS: dict[Kind, float] = {"label": 1.0, "span": 1.0, "choice": 2.0, "group": 1.0}
"""The cost of a question of each kind."""


def _refuse_unknown(name: str, value: str, allowed: Iterable[str]) -> None:
    """Refuse a value that is not allowed."""
    words = tuple(allowed)
    if value not in words:
        raise UsageError(
            f"{name}: unknown value {value!r}{suggest_nearest(value, words)}", hint=f"use one of: {', '.join(words)}"
        )


def _refuse_out_of_range(name: str, value: float, low: float, high: float, *, hint: str | None = None) -> None:
    """Refuse a number outside a range, and NaN."""
    if not low <= value <= high:
        raise UsageError(f"{name}={value:g} is not between {low:g} and {high:g}", hint=hint)


@dataclass(frozen=True, slots=True)
class User:
    """How the simulated user answers.

    Args:
        flip: the probability of answering yes for no, and no for yes.
        unsure: the probability of giving no answer, which costs a question and changes nothing.

    """

    flip: float = 0.0
    unsure: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            _refuse_out_of_range(f"user: {each.name}", getattr(self, each.name), 0.0, 1.0)

    @property
    def truthful(self) -> bool:
        """Whether every answer agrees with the key."""
        return not self.flip and not self.unsure

    @classmethod
    def parse(cls, written: str) -> User:
        """Parse a user as written on the command line.

        >>> User.parse("truthful"), User.parse("noisy:0.05,unsure:0.1")
        (User(flip=0.0, unsure=0.0), User(flip=0.05, unsure=0.1))
        """
        if written.strip() == "truthful":
            return cls()
        words = {"noisy": "flip", "unsure": "unsure"}
        found: dict[str, float] = {}
        for part in written.split(","):
            word, _, number = (each.strip() for each in part.partition(":"))
            try:
                found[words[word]] = float(number)
            except (KeyError, ValueError):
                hint = "use truthful, noisy:0.05, unsure:0.1 or noisy:0.05,unsure:0.1"
                raise UsageError(
                    f"invalid user {written!r}{suggest_nearest(word, ('truthful', *words))}", hint=hint
                ) from None
        return cls(**found)

    def __str__(self) -> str:
        parts = [("noisy", self.flip), ("unsure", self.unsure)]
        return ",".join(f"{word}:{number:g}" for word, number in parts if number) or "truthful"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run of questions.

    Args:
        strategy: the order of the questions, one of `STRATEGIES`.
        budget: the number of questions; None continues until nothing uncertain is left.
        kind: what is asked: is this span an L, is it an entity, which of these is it, is this text always an L.
        handler: whether an answer changes only its own block, or is also evidence for other occurrences of its text.
        user: how the simulated user answers.
        believed_error: the assumed error rate of answers; at 0 they are taken as true.
        strength: the weight that the statistical handler gives to answers about the same text.
        purity: the share of a text's occurrences from which the user answers always; never from the same share of
            occurrences without the label.
        ask_certain: whether certain tuples are asked about too.
        decide: how the hard output is decided.
        min_weight: the minimum weight of tuples in the hard output.
        seed: the seed of the order `random` and of the user.

    """

    strategy: str
    budget: int | None = None
    kind: Kind = "label"
    handler: Handler = "basic"
    user: User = User()
    believed_error: float = 0.0
    strength: float = 1.0
    purity: float = 1.0
    ask_certain: bool = False
    decide: Decide = "tuple"
    min_weight: float = 0.0
    seed: int = 13

    def __post_init__(self) -> None:
        _refuse_unknown("strategy", self.strategy, STRATEGIES)
        _refuse_unknown("kind", self.kind, KINDS)
        _refuse_unknown("handler", self.handler, HANDLERS)
        _refuse_unknown("decide", self.decide, DECIDE)
        if self.budget is not None and self.budget < 0:
            raise UsageError(f"budget={self.budget}: expected 0 or more questions")
        if self.seed < 0:
            raise UsageError(f"seed={self.seed}: expected 0 or more")
        _refuse_out_of_range(
            "believed_error", self.believed_error, 0.0, 0.5, hint="above 0.5, a yes would be evidence for no"
        )
        _refuse_out_of_range("strength", self.strength, 0.0, float("inf"))
        _refuse_out_of_range("purity", self.purity, 0.5, 1.0, hint="below 0.5, always and never could both apply")
        _refuse_out_of_range("min_weight", self.min_weight, 0.0, 1.0)

    @property
    def cost(self) -> float:
        """The cost of one question."""
        return COSTS[self.kind]
