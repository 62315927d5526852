"""Select rows by many conditions on the same columns, evaluating shared parts once.

A report contains thousands of counts, each with a condition such as `correction and base == "NOUN" and key == "VERB"`.
Evaluated one by one, each would scan every row several times. Here each operand of `and` is evaluated once,
the rows of a text column are sorted by value once, and evaluation starts with the most selective operand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.expressions.evaluation import evaluate
from comparanda.expressions.parser import parse
from comparanda.expressions.syntax import And, Comparison, ComparisonStep, Expression, Node, Text
from comparanda.expressions.types import Checked, check, require_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes, Rows, TextColumn, Truths
    from comparanda.expressions.functions import Scope, Type

_SORT_THRESHOLD = 4
"""The number of lookups in a text column after which its rows are sorted; sorting costs a few comparisons."""


class Chooser:
    """Select rows of one scope by conditions, with caches.

    Args:
        scope: the names and functions that conditions can use.

    >>> import numpy as np
    >>> from comparanda.expressions import scope_of
    >>> chooser = Chooser(scope_of({"size": np.array([1, 5, 9]), "seen": np.array([True, True, False])}))
    >>> chooser.rows("seen").tolist(), chooser.rows("size > 3 and seen").tolist()
    ([0, 1], [1])

    """

    def __init__(self, scope: Scope) -> None:
        self.length = scope.length
        self._scope = replace(scope, column=cache(scope.column))
        self._parts: dict[Node, _Part] = {}
        self._lookup_counts: Counter[Node] = Counter()
        self._sorted_columns: dict[Node, _SortedColumn] = {}

    def rows(self, text: str) -> Rows:
        """Return the indices, in order, of the rows for which a condition holds; the same rows as `select`."""
        checked = check(parse(text), self._scope.types, self._scope.functions)
        require_truth(checked)
        root = checked.expression.root
        parts = [self._get_part(node) for node in (root.operands if isinstance(root, And) else (root,))]
        parts.sort(key=lambda part: part.size)
        found: Codes = parts[0].rows
        for part in parts[1:]:
            found = found[part.holds(found)]
        return found.astype(np.int64)

    def _get_part(self, node: Node) -> _Part:
        known = self._parts.get(node)
        if known is None:
            known = self._parts[node] = self._find_text_part(node) or _MaskPart(self._evaluate_node(node, "truth"))
        return known

    def _evaluate_node(self, node: Node, kind: Type) -> Any:
        return evaluate(Checked(Expression(node, ""), kind, self._scope.types), self._scope)

    def _find_text_part(self, node: Node) -> _Part | None:
        """Return the rows where a column equals a string, if the node is such a comparison and the column is sorted."""
        match node:
            case Comparison(first, (ComparisonStep("==", Text(text)),)):
                self._lookup_counts[first] += 1
                if self._lookup_counts[first] <= _SORT_THRESHOLD:
                    return None
                if first not in self._sorted_columns:
                    self._sorted_columns[first] = _SortedColumn(self._evaluate_node(first, "text"))
                return self._sorted_columns[first].part(text)
            case _:
                return None


class _MaskPart:
    """A part of a condition as a boolean mask over all rows."""

    def __init__(self, truths: Truths) -> None:
        self._truths = truths
        self.size = int(np.count_nonzero(truths))

    @cached_property
    def rows(self) -> Rows:
        return np.flatnonzero(self._truths)

    def holds(self, rows: Codes) -> Truths:
        found: Truths = self._truths[rows]
        return found


class _SortedColumn:
    """A text column with its rows sorted by value."""

    def __init__(self, column: TextColumn) -> None:
        self.codes: Codes = column.codes
        self.order = np.argsort(column.codes, kind="stable").astype(np.uint32)
        self.ends = np.cumsum(np.bincount(column.codes, minlength=len(column.names)))
        self._codes_of: dict[str, list[int]] = {}
        for code, name in enumerate(column.names):
            if code != column.missing:
                self._codes_of.setdefault(name, []).append(code)

    def part(self, text: str) -> _Part:
        """Return the rows where the column equals a string, which may have several codes."""
        codes = self._codes_of.get(text, [])
        return _CodePart(self, codes[0]) if len(codes) == 1 else _MaskPart(np.isin(self.codes, codes))


class _CodePart:
    """A part of a condition that selects one code of a sorted column."""

    def __init__(self, column: _SortedColumn, code: int) -> None:
        self._codes, self._code = column.codes, code
        begin, end = int(column.ends[code - 1]) if code else 0, int(column.ends[code])
        self.rows: NDArray[np.uint32] = column.order[begin:end]
        self.size = end - begin

    def holds(self, rows: Codes) -> Truths:
        found: Truths = self._codes[rows] == self._code
        return found


_Part = _MaskPart | _CodePart
