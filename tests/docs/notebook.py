"""Running the code of a notebook without Jupyter: one namespace, what is printed, and the value of the last line."""

from __future__ import annotations

import ast
import io
from collections.abc import Iterable
from contextlib import redirect_stdout
from typing import Any


def run_cells(sources: Iterable[str]) -> list[tuple[str, str | None]]:
    """Execute cells in one namespace; return for each what it prints, and the repr of its last expression.

    >>> run_cells(["a = 1", "print(a)\\na + 1"])
    [('', None), ('1\\n', '2')]
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    return [_run(source, namespace) for source in sources]


def _run(source: str, namespace: dict[str, Any]) -> tuple[str, str | None]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    value = None
    stream = io.StringIO()
    with redirect_stdout(stream):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), "<cell>", "exec"), namespace)
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
        else:
            exec(compile(tree, "<cell>", "exec"), namespace)
    return stream.getvalue(), None if value is None else repr(value)
