"""Shipped rule sets, each of them loaded and checked once in a run."""

from __future__ import annotations

from functools import cache

from comparanda.rules import RuleSet, rule_set


@cache
def shipped_rules(name: str, **parameters: float) -> RuleSet:
    """Return the rule set of this name, with other numbers for some of its parameters."""
    return rule_set(name, parameters)
