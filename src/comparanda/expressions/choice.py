"""Choose rows by many conditions on the same columns: what the conditions share is worked out once.

Thousands of counts stand in a report, each with a condition such as `correction and base == "NOUN" and key == "VERB"`.
Worked out one by one, each would look at every row several times. Here each part between `and` is worked out once,
the rows of a text column are sorted by their texts once, and a condition begins with its smallest part.
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

_OFTEN = 4
"""After so many texts that a column is compared with, its rows are sorted: that costs as much as some comparisons."""


class Chooser:
    """Chooses rows of one scope.

    Args:
        scope: what conditions can see.

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
        self._asked: Counter[Node] = Counter()
        self._sorted: dict[Node, _SortedColumn] = {}

    def rows(self, text: str) -> Rows:
        """Return the rows for which a condition holds, in order: those that `select` tells."""
        checked = check(parse(text), self._scope.types, self._scope.functions)
        require_truth(checked)
        root = checked.expression.root
        parts = [self._part(node) for node in (root.operands if isinstance(root, And) else (root,))]
        parts.sort(key=lambda part: part.size)
        found: Codes = parts[0].rows
        for part in parts[1:]:
            found = found[part.holds(found)]
        return found.astype(np.int64)

    def _part(self, node: Node) -> _Part:
        known = self._parts.get(node)
        if known is None:
            known = self._parts[node] = self._text_part(node) or _Truths(self._value(node, "truth"))
        return known

    def _value(self, node: Node, kind: Type) -> Any:
        return evaluate(Checked(Expression(node, ""), kind, self._scope.types), self._scope)

    def _text_part(self, node: Node) -> _Part | None:
        """Return where a column has a text, if that is what is asked, and was asked of other texts before."""
        match node:
            case Comparison(first, (ComparisonStep("==", Text(text)),)):
                self._asked[first] += 1
                if self._asked[first] <= _OFTEN:
                    return None
                if first not in self._sorted:
                    self._sorted[first] = _SortedColumn(self._value(first, "text"))
                return self._sorted[first].part(text)
            case _:
                return None


class _Truths:
    """A part that was worked out for all rows."""

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
    """A column of texts, with its rows sorted by them."""

    def __init__(self, column: TextColumn) -> None:
        self.codes: Codes = column.codes
        self.order = np.argsort(column.codes, kind="stable").astype(np.uint32)
        self.ends = np.cumsum(np.bincount(column.codes, minlength=len(column.names)))
        self._codes_of: dict[str, list[int]] = {}
        for code, name in enumerate(column.names):
            if code != column.missing:
                self._codes_of.setdefault(name, []).append(code)

    def part(self, text: str) -> _Part:
        """Return where the column has a text; several codes may stand for it."""
        codes = self._codes_of.get(text, [])
        return _Coded(self, codes[0]) if len(codes) == 1 else _Truths(np.isin(self.codes, codes))


class _Coded:
    """A part that is one code of a sorted column."""

    def __init__(self, column: _SortedColumn, code: int) -> None:
        self._codes, self._code = column.codes, code
        begin, end = int(column.ends[code - 1]) if code else 0, int(column.ends[code])
        self.rows: NDArray[np.uint32] = column.order[begin:end]
        self.size = end - begin

    def holds(self, rows: Codes) -> Truths:
        found: Truths = self._codes[rows] == self._code
        return found


_Part = _Truths | _Coded
