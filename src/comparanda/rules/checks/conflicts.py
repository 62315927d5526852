"""No two rules that may fire side by side may set one cell to different values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, groupby, product
from typing import TYPE_CHECKING

from comparanda.rules.checks.complaints import complaint
from comparanda.rules.checks.effects import disagree

if TYPE_CHECKING:
    from comparanda.rules.checks.readings import Reading

_HINT = "give one of them a higher salience, or add conditions that exclude each other"


def refuse_conflicts(group: Sequence[Reading]) -> None:
    """Refuse rules of equal salience that could set the same cell differently."""
    for _, level in groupby(group, key=lambda reading: reading.rule.salience):
        readings = list(level)
        for reading in readings:
            _refuse_within(reading)
        for first, second in combinations(readings, 2):
            _refuse_between(first, second)


def _refuse_between(first: Reading, second: Reading) -> None:
    for mine, theirs in product(first.writes, second.writes):
        if disagree(first, mine, second, theirs):
            rule = second.rule
            what = (
                f"conflicting writes: {first.rule.name!r} and {rule.name!r} both set {mine.place} at salience "
                f"{rule.salience:g} in group {rule.group!r}, and their conditions are not provably disjoint"
            )
            raise complaint(rule, what, _HINT)


def _refuse_within(reading: Reading) -> None:
    """Refuse a rule over one table twice that could set a row differently as the one and as the other."""
    for mine, theirs in combinations(reading.writes, 2):
        if disagree(reading, mine, reading, theirs):
            what = (
                f"conflicting writes: {mine.name} and {theirs.name} may be the same cell, and it sets them differently"
            )
            raise complaint(reading.rule, what, "add conditions that no row can meet as both")
