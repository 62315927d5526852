"""Static checks of rule sets: termination, and independence of verdicts from the firing order."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from comparanda.rules.checks.effects import Domains, Reading, can_enable_rule
from comparanda.rules.checks.order import refuse_conflicts, refuse_order_dependence
from comparanda.rules.checks.termination import refuse_cycles, refuse_unpaired, refuse_used_twice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.rules.ruleset import RuleSet

__all__ = ["check", "read", "restarts"]


def check(rule_set: RuleSet) -> tuple[int | None, ...]:
    """Refuse rules that could run forever, write ambiguously or depend on order; return where the agenda resumes.

    For each rule that is the place of the first rule of its group that it can enable, itself
    included; None if it enables no rule up to itself, so that the next one may follow.
    """
    groups = read(rule_set)
    for group in groups:
        for reading in group:
            refuse_unpaired(reading)
        refuse_cycles(group)
        refuse_conflicts(group)
        for reading in group:
            refuse_used_twice(reading)
        refuse_order_dependence(group)
    return tuple(place for group in groups for place in find_restarts(group))


def read(rule_set: RuleSet) -> list[list[Reading]]:
    """Return the rules in the form used by the checks, by group."""
    domains = Domains(rule_set)
    readings = (Reading(rule, place, domains) for place, rule in enumerate(rule_set.rules))
    return [list(group) for _, group in groupby(readings, key=lambda reading: reading.rule.group)]


def find_restarts(group: Sequence[Reading]) -> list[int | None]:
    """Return for each rule of a group the first rule up to itself that it can enable."""
    return [
        next((earlier.place for earlier in group[: number + 1] if can_enable_rule(reading, earlier)), None)
        for number, reading in enumerate(group)
    ]
