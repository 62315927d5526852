"""Verdicts by declarative rules: the language, its checks, and the engine that runs them on arrays."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Any

from comparanda.rules.declarations import RuleSetDeclaration
from comparanda.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["RuleSet", "RuleSetDeclaration", "rule_set"]


def rule_set(given: str | PathLike[str] | RuleSetDeclaration | RuleSet | Any) -> RuleSet:
    """Return a checked rule set: of a shipped one by its name, of a file, or of Python objects.

    >>> rule_set("exact").groups
    ('match', 'rest')
    """
    from comparanda.rules.compiling import compile_rules
    from comparanda.rules.files import load

    if isinstance(given, RuleSet):
        return given
    return compile_rules(given if isinstance(given, RuleSetDeclaration) else load(fspath(given)))
