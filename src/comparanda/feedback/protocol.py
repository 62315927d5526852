"""A question to the user, and what may come back."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal, get_args

from comparanda.core.probabilities import DECIDE
from comparanda.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from comparanda.core.probabilities import Decide


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


# What is asked, in which order, by which rules, and how the user answers.


Kind = Literal["label", "span", "choice", "group"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Handler = Literal["basic", "statistical"]
HANDLERS: tuple[Handler, ...] = get_args(Handler)

FIXED = ("random", "document", "high", "low", "group_size")
"""Strategies whose order is there before the first answer, and which no answer changes."""

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
"""All strategies by name; the oracle alone looks at the key."""

COSTS: dict[Kind, float] = {"label": 1.0, "span": 1.0, "choice": 2.0, "group": 1.0}
"""What a question of each kind costs."""


def _one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    """Refuse a word that is not among those allowed."""
    words = tuple(allowed)
    if value not in words:
        raise UsageError(f"{name}={value!r}{nearest(value, words)}", hint=", ".join(words))


def _in_range(name: str, value: float, low: float, high: float, *, hint: str | None = None) -> None:
    """Refuse a number outside a range, and NaN."""
    if not low <= value <= high:
        raise UsageError(f"{name}={value:g} is not between {low:g} and {high:g}", hint=hint)


@dataclass(frozen=True, slots=True)
class User:
    """How the simulated user answers.

    Args:
        flip: with this probability yes becomes no, and no yes.
        unsure: with this probability there is no answer: it costs a question and changes nothing.

    """

    flip: float = 0.0
    unsure: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            _in_range(f"user: {each.name}", getattr(self, each.name), 0.0, 1.0)

    @property
    def truthful(self) -> bool:
        """Whether every answer is what the key says."""
        return not self.flip and not self.unsure

    @classmethod
    def parse(cls, written: str) -> User:
        """Read a user as it is written on the command line.

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
                hint = "truthful, noisy:0.05, unsure:0.1 or noisy:0.05,unsure:0.1"
                raise UsageError(f"user={written!r}{nearest(word, ('truthful', *words))}", hint=hint) from None
        return cls(**found)

    def __str__(self) -> str:
        parts = [("noisy", self.flip), ("unsure", self.unsure)]
        return ",".join(f"{word}:{number:g}" for word, number in parts if number) or "truthful"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run of questions.

    Args:
        strategy: what is asked first, one of `STRATEGIES`.
        budget: how many questions there are; None goes on until nothing uncertain is left.
        kind: what is asked: is this span an L, is it an entity, which of these is it, is this text always an L.
        handler: whether an answer changes its block alone, or is evidence for the same text elsewhere too.
        user: how the simulated user answers.
        believed_error: how often answers are taken to be wrong: at 0 they are believed.
        strength: how much evidence the statistical handler makes of answers on the same text.
        purity: which share of a text's occurrences the user calls always, and beside which share never.
        ask_certain: whether what is held for certain is asked about too.
        decide: how the hard output is made.
        min_weight: what weighs less is not in the hard output.
        seed: for the order `random` and for the user.

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
        _one_of("strategy", self.strategy, STRATEGIES)
        _one_of("kind", self.kind, KINDS)
        _one_of("handler", self.handler, HANDLERS)
        _one_of("decide", self.decide, DECIDE)
        if self.budget is not None and self.budget < 0:
            raise UsageError(f"budget={self.budget}: a number of questions is not negative")
        if self.seed < 0:
            raise UsageError(f"seed={self.seed}: a seed is not negative")
        _in_range("believed_error", self.believed_error, 0.0, 0.5, hint="from 0.5 on, a yes would speak against itself")
        _in_range("strength", self.strength, 0.0, float("inf"))
        _in_range("purity", self.purity, 0.5, 1.0, hint="below 0.5, always and never would both hold")
        _in_range("min_weight", self.min_weight, 0.0, 1.0)

    @property
    def cost(self) -> float:
        """What one question costs."""
        return COSTS[self.kind]
