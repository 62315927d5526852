"""What rules can ask of two spans, in plain Python: rows are dicts, missing is None."""

from __future__ import annotations

from typing import Any

from tests.expressions.interpreter import equal

Span = dict[str, Any]


def pieces(row: Span) -> tuple[tuple[int, int], ...]:
    """Return the pieces of a span, one for most."""
    found: tuple[tuple[int, int], ...] = row.get("pieces") or ((row["begin"], row["end"]),)
    return found


def same(first: Span, second: Span, *columns: str) -> bool:
    """Whether two rows agree in some columns; spans of the same extent must be cut into the same pieces."""
    cut = ("pieces",) if {"begin", "end"} <= set(columns) else ()
    return all(equal(first[column], second[column]) for column in (*columns, *cut))


def overlaps(first: Span, second: Span) -> bool:
    """Whether two spans overlap: touching is none, an empty one must be strictly inside the other or equal it."""
    return first["doc"] == second["doc"] and any(
        (a < d and c < b) or (a, b) == (c, d) for a, b in pieces(first) for c, d in pieces(second)
    )


def overlap(first: Span, second: Span) -> int:
    """Return how many positions two spans have in common."""
    if first["doc"] != second["doc"]:
        return 0
    return sum(max(0, min(b, d) - max(a, c)) for a, b in pieces(first) for c, d in pieces(second))


def iou(first: Span, second: Span) -> float:
    """Return the common positions of two spans as a share of all their positions; 1 for equal spans without any."""
    union = first["length"] + second["length"] - overlap(first, second)
    return overlap(first, second) / union if union else float(same(first, second, "doc", "begin"))


def similarity(first: str | None, second: str | None) -> float | None:
    """Return how alike two texts are: 100 · 2·M/T, M the length of the longest common subsequence, T that of both."""
    if first is None or second is None:
        return None
    common = [0] * (len(second) + 1)
    for letter in first:
        before = common[:]
        for place, other in enumerate(second):
            common[place + 1] = before[place] + 1 if letter == other else max(before[place + 1], common[place])
    total = len(first) + len(second)
    return 100 * 2 * common[-1] / total if total else 100.0
