"""Other numbers for the parameters of a rule set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.errors import UsageError, nearest

if TYPE_CHECKING:
    from comparanda.rules.declarations import RuleSetDeclaration

Parameters = Mapping[str, float | Mapping[str, float]]
"""Numbers by name, or, by name, numbers by label."""


def with_parameters(declared: RuleSetDeclaration, parameters: Parameters) -> RuleSetDeclaration:
    """Return a rule set with some of its parameters replaced; refuse those that it does not have."""
    known: dict[str, float | Mapping[str, float]] = dict(declared.parameters)
    for name, value in parameters.items():
        old = known.get(name)
        if old is None:
            what = f"the rule set {declared.name!r} has no parameter {name!r}{nearest(name, known)}"
            raise UsageError(what, hint=f"its parameters: {', '.join(known) or 'none'}")
        if isinstance(old, Mapping):
            if not isinstance(value, Mapping):
                what = f"the parameter {name!r} of {declared.name!r} differs by label"
                raise UsageError(what, hint=f"say for which, or for all others: {name}[default]={value:g}")
            known[name] = {**old, **value}
        elif isinstance(value, Mapping):
            what = f"the parameter {name!r} of {declared.name!r} is one number for all labels"
            raise UsageError(what, hint=f"write {name}={next(iter(value.values()), 0):g}")
        else:
            known[name] = value
    return replace(declared, parameters=known)
