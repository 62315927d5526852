"""The closed expression language: conditions and values over columns.

`parse` reads an expression, `check` infers its type and reports errors, `evaluate` computes it on all rows at once.
No user input is ever run as Python. The parts that need NumPy are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comparanda.errors import ExpressionError
from comparanda.expressions.functions import BUILTINS, Function, Parameter, Scope, Signature, Type
from comparanda.expressions.parser import find_names, parse, unparse
from comparanda.expressions.syntax import Expression, Node, Place, quote_name, quote_string, walk_tree
from comparanda.expressions.types import Checked, check, require_truth

if TYPE_CHECKING:
    from comparanda.expressions.evaluation import evaluate, scope_of, select

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

_LAZY = {
    "evaluate": "evaluation",
    "scope_of": "evaluation",
    "select": "evaluation",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
