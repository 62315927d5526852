"""What conditions claim, as texts that can be held against those of another rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Final

from comparanda.expressions import unparse
from comparanda.expressions.syntax import Comparison, ComparisonStep, Name, Node, Not, Quantified

Claims = Mapping[str, frozenset[str]]
"""What is claimed of conditions: that they hold or not; and of the two sides of comparisons: which of them hold."""

_MIRRORED: Final = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EXCLUDED: Final = {("==", "!="), ("==", "<"), ("==", ">"), ("<", ">="), ("<", ">"), ("<=", ">"), ("holds", "fails")}


def claims(conditions: Iterable[Node], names: Mapping[str, str]) -> Claims:
    """Return what conditions claim, with other names for their rows.

    >>> from comparanda.expressions import parse
    >>> claims([parse("s.begin > k.begin").root], {"s": "a", "k": "b"})
    {'a.begin > b.begin': frozenset({'holds'}), 'a.begin, b.begin': frozenset({'>'})}
    """
    found: dict[str, frozenset[str]] = {}

    def claim(what: str, how: str) -> None:
        found[what] = found.get(what, frozenset()) | {how}

    for condition in conditions:
        match condition:
            case Not(operand):
                claim(written(operand, names), "fails")
            case _:
                claim(written(condition, names), "holds")
        match condition:
            case Comparison(first, (ComparisonStep(symbol, second),)) if symbol in _MIRRORED:
                left, right = written(first, names), written(second, names)
                claim(*((f"{left}, {right}", symbol) if left <= right else (f"{right}, {left}", _MIRRORED[symbol])))
    return found


def contrary(mine: Claims, theirs: Claims) -> bool:
    """Whether two rules claim what cannot be true at once."""
    common = mine.keys() & theirs.keys()
    pairs = ((one, other) for what in common for one in mine[what] for other in theirs[what])
    return any((one, other) in _EXCLUDED or (other, one) in _EXCLUDED for one, other in pairs)


def written(node: Node, names: Mapping[str, str]) -> str:
    """Return a text that is the same for nodes that are, once their rows have their new names.

    >>> from comparanda.expressions import parse
    >>> written(parse("any(t.doc == s.doc for t in key)").root, {"s": "x"})
    'any(`#0.doc` == x.doc for #0 in key)'
    """
    return unparse(_renamed(node, names, 0))


def _renamed(node: Node, names: Mapping[str, str], depth: int) -> Node:
    """Give rows other names; those of quantifiers are numbered."""
    if isinstance(node, Name):
        owner, dot, column = node.name.partition(".")
        return Name(names.get(owner, owner) + dot + column)
    if isinstance(node, Quantified):
        names, node, depth = {**names, node.variable: f"#{depth}"}, replace(node, variable=f"#{depth}"), depth + 1
    parts: dict[str, Node | tuple[Node, ...]] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Node):
            parts[field.name] = _renamed(value, names, depth)
        elif isinstance(value, tuple) and field.name != "place":
            parts[field.name] = tuple(_renamed(each, names, depth) for each in value)
    return replace(node, **parts)  # type: ignore[arg-type]
