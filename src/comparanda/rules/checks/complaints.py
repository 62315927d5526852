"""How a proof that fails is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from comparanda.errors import RuleError

if TYPE_CHECKING:
    from comparanda.rules.ruleset import Rule


def complaint(rule: Rule, what: str, hint: str) -> RuleError:
    """Make the error for a rule: where it stands, what is wrong with it, and what to do."""
    declared = rule.declaration
    line = declared.lines.get("name")
    where = f"{declared.file}:{line}" if declared.file and line else declared.file
    return RuleError(f"rule {rule.name!r}: {what}", where=where, hint=hint)


def listed(rules: Iterable[Rule], most: int = 6) -> str:
    """Return the names of rules, each once, and of very many only the first.

    >>> from types import SimpleNamespace
    >>> listed([SimpleNamespace(name="up"), SimpleNamespace(name="down"), SimpleNamespace(name="up")])
    "'up', 'down'"
    """
    names = [*dict.fromkeys(rule.name for rule in rules)]
    return ", ".join([*map(repr, names[:most]), *(["…"] if len(names) > most else [])])
