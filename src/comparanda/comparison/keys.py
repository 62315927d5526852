"""Scores against several keys of one text: each annotator's, and the one that most of them agree on."""

from __future__ import annotations

from dataclasses import dataclass

from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import Score

MAJORITY = "majority"
"""The name of the key of what more than half of all keys have."""


@dataclass(frozen=True)
class KeyScores:
    """The scores of all systems against one key.

    Args:
        key: its name; `majority` for what more than half of the keys have.
        items: how many items it has, such as spans.
        scores: the scores of each system, by the measures of the view.

    """

    key: str
    items: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class KeyPair:
    """How far two annotators agree: the main measure of the second, with the first as the key."""

    first: str
    second: str
    measure: str
    value: float | None


@dataclass(frozen=True)
class Keys(Finding):
    """Scores against each of several keys and their majority, and how far the keys agree with each other."""

    view: str
    systems: tuple[str, ...]
    units: int
    unit: str
    resamples: int
    seed: int
    keys: tuple[KeyScores, ...]
    agreement: tuple[KeyPair, ...]
