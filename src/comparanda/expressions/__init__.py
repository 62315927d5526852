"""The closed expression language: conditions and values over columns.

`parse` reads an expression, `check` infers its type and reports errors, `evaluate` computes it on all rows at once.
No user input is ever run as Python. The names of this package are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comparanda.errors import ExpressionError
    from comparanda.expressions.evaluation import evaluate, scope_of, select
    from comparanda.expressions.functions import BUILTINS, Function, Parameter, Scope, Signature, Type
    from comparanda.expressions.parser import find_names, parse, unparse
    from comparanda.expressions.syntax import Expression, Node, Place, quote_name, quote_string, walk_tree
    from comparanda.expressions.types import Checked, check, require_truth

__all__ = [
    "BUILTINS",
    "Checked",
    "Expression",
    "ExpressionError",
    "Function",
    "Node",
    "Parameter",
    "Place",
    "Scope",
    "Signature",
    "Type",
    "check",
    "evaluate",
    "find_names",
    "parse",
    "quote_name",
    "quote_string",
    "require_truth",
    "scope_of",
    "select",
    "unparse",
    "walk_tree",
]

_MODULES = {
    "comparanda.errors": ("ExpressionError",),
    "comparanda.expressions.evaluation": ("evaluate", "scope_of", "select"),
    "comparanda.expressions.functions": ("BUILTINS", "Function", "Parameter", "Scope", "Signature", "Type"),
    "comparanda.expressions.parser": ("find_names", "parse", "unparse"),
    "comparanda.expressions.syntax": ("Expression", "Node", "Place", "quote_name", "quote_string", "walk_tree"),
    "comparanda.expressions.types": ("Checked", "check", "require_truth"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
