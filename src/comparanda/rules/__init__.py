"""Verdicts by declarative rules: the language, its checks, and the engine that runs them on arrays."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING

from comparanda.rules.declarations import ColumnDeclaration, RuleDeclaration, RuleSetDeclaration, ViewDeclaration
from comparanda.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from os import PathLike

    from comparanda.rules.declarations import Parameters

__all__ = [
    "ColumnDeclaration",
    "RuleDeclaration",
    "RuleSet",
    "RuleSetDeclaration",
    "ViewDeclaration",
    "rule_set",
]


def rule_set(
    given: str | PathLike[str] | RuleSetDeclaration | RuleSet, parameters: Parameters | None = None
) -> RuleSet:
    """Compile and check a rule set given by the name of a shipped one, as a file, or as Python objects.

    Args:
        given: the rule set.
        parameters: values that override some of its parameters.

    >>> rule_set("exact").groups
    ('match', 'rest')

    """
    from comparanda.rules.compiler import compile_rules
    from comparanda.rules.declarations import with_parameters
    from comparanda.rules.rule_files import load

    if isinstance(given, RuleSet):
        if not parameters:
            return given
        given = given.declaration
    declared = given if isinstance(given, RuleSetDeclaration) else load(fspath(given))
    return compile_rules(with_parameters(declared, parameters) if parameters else declared)
