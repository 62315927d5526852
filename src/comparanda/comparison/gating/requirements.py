"""Requirements of a gate: conditions on scores and counts, such as `f1 >= base - 0.3`.

They are written in the language of all conditions. Scores and shares are in points from 0 to 100, as they are
printed; counts are for one pair of runs. Whatever is undefined decides nothing: the requirement then fails, and says
why.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.errors import UsageError
from comparanda.expressions import (
    BUILTINS,
    Expression,
    ExpressionError,
    Function,
    Parameter,
    Scope,
    check,
    evaluate,
    parse,
    quote,
    walk,
)
from comparanda.expressions import Checked as Sound
from comparanda.expressions.checking import require_truth
from comparanda.expressions.places import failure
from comparanda.expressions.slack import is_condition, with_slack
from comparanda.expressions.syntax import Call, Comparison, List, Name, Node, Number, Text
from comparanda.measures import measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.comparison.scores import Score

BASE = "base"
COUNTS = ("new_errors", "corrections", "changed_errors", "sites")
"""What can be counted of two outputs, of all sites or of those with a key label: `new_errors("PER")`."""

DIFF = "diff"
SLACK = 1e-9
"""Values that differ by less, in points, are equal: rounding must not decide a gate."""

_SCORES = ("score", "base_score")
_WITH_LABEL = re.compile(r"[a-z][a-z0-9_.]*\[[^\]\"']+\]")


@dataclass(frozen=True, slots=True)
class Ground:
    """What requirements can speak of.

    Args:
        score: gives the new system's score by the name of a measure.
        base_score: gives the base's.
        measures: the measures of the view, to be proposed.
        count: counts one of `COUNTS` at the sites with a key label, or at all; None without the base's output.
        labels: the labels of the key.
        diff: the share of sites at which the two differ; None where it is undefined.

    """

    score: Callable[[str], Score]
    base_score: Callable[[str], Score]
    measures: tuple[str, ...]
    count: Callable[[str, str | None], float | None] | None
    labels: tuple[str, ...] = ()
    diff: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a requirement holds.

    Args:
        holds: whether it does; never where anything is undefined.
        said: the values it rests on, or why it cannot be decided.
        decided: whether everything was defined.
        measured: the left side of a plain comparison.
        limit: its right side.

    """

    holds: bool
    said: str
    decided: bool = True
    measured: float | None = None
    limit: float | None = None


def decide(text: str, ground: Ground) -> Decision:
    """Work out a requirement; raises `ExpressionError` where it does not parse, or names what is not there."""
    return _Requirement(text, ground).decision()


class _Requirement:
    """One requirement, checked against what there is."""

    def __init__(self, text: str, ground: Ground) -> None:
        self.text, self.ground = text, ground
        self.root = _parsed(text)
        self.nodes = list(walk(self.root))
        self.measures = tuple(dict.fromkeys(self._named()))
        self.functions = self._functions()
        known = (*COUNTS, DIFF, BASE, *ground.measures, *self.measures)
        checked = check(Expression(self.root, text), dict.fromkeys(known, "number"), self.functions)
        require_truth(checked)
        self.types = checked.types
        self._refuse_other_scales()
        self._refuse_doubtful_base()
        if not any(self._is_measured(node) for node in self.nodes):
            raise failure(text, self.root.place, "this says nothing of the outputs: it is always the same")
        self._refuse_counts_without_output()

    def _named(self) -> Iterator[str]:
        """Go through the measures that names or `score` speak of; what is no measure is left to the check of names."""
        for node in self.nodes:
            if isinstance(node, Name) and node.name not in {*COUNTS, DIFF, BASE} and _is_measure(node.name):
                self._scored(self.ground.score, node.name, node)
                yield node.name
            elif isinstance(node, Call) and node.function == "score":
                yield from (each.value for each in node.arguments if isinstance(each, Text))

    def _scored(self, give: Callable[[str], Score], name: str, node: Node) -> Score:
        try:
            return give(name)
        except UsageError as problem:
            of_base = name.removeprefix(f"{BASE}.")
            hint = problem.hint if of_base == name else f"write base_score({quote(of_base)})"
            raise failure(self.text, node.place, problem.what, hint=hint) from None

    def _functions(self) -> dict[str, Function]:
        def problem(give: Callable[[str], Score], name: str) -> str | None:
            try:
                give(name)
            except UsageError as found:
                return found.what
            return None

        def scored(give: Callable[[str], Score]) -> Function:
            which = Parameter("measure", literal=True, problem=lambda name: problem(give, name))
            return Function((which,), "number", lambda name: _column(_points(give(name).value)))

        def counted(what: str) -> Function:
            which = Parameter("label", literal=True, choices=self.ground.labels)
            return Function((which,), "number", lambda label: _column(self._count(what, label)))

        scores = {"score": scored(self.ground.score), "base_score": scored(self.ground.base_score)}
        return {"abs": BUILTINS["abs"], **scores, **{name: counted(name) for name in COUNTS}}

    def _count(self, what: str, label: str | None = None) -> float | None:
        return None if self.ground.count is None else self.ground.count(what, label)

    def _refuse_other_scales(self) -> None:
        """Refuse `f1 >= 80%` and `f1 >= 0.8`, which would always hold."""
        scale = "scores and shares are in points from 0 to 100"
        for node in self.nodes:
            if isinstance(node, Number) and self.text[: node.place.end].endswith("%"):
                raise failure(self.text, node.place, f"{scale}: write {100 * node.value:g}")
        for node in self.nodes:
            if not isinstance(node, Comparison):
                continue
            sides = [node.first, *(step.operand for step in node.steps)]
            for one, other in (*pairwise(sides), *pairwise(reversed(sides))):
                if isinstance(other, Number) and 0 < other.value < 1 and self._is_score(one):
                    what = f"{scale}, and this is {other.value:g} of a point: write {100 * other.value:g}"
                    raise failure(self.text, other.place, what)

    def _refuse_doubtful_base(self) -> None:
        for node in self.nodes:
            if isinstance(node, Name) and node.name == BASE and len(self.measures) != 1:
                several = f"{len(self.measures)} are named" if self.measures else "none is named"
                what = f"'base' is the base's value of the one measure that is named, and {several}"
                hint = f'write base_score("{(*self.measures, *self.ground.measures)[0]}")'
                raise failure(self.text, node.place, what, hint=hint)

    def _refuse_counts_without_output(self) -> None:
        for node in self.nodes if self.ground.count is None else ():
            called = node.function if isinstance(node, Call) else node.name if isinstance(node, Name) else ""
            if called in {*COUNTS, DIFF}:
                raise failure(
                    self.text, node.place, f"{called} needs the base's output, and only its scores are at hand"
                )

    def _is_score(self, node: Node) -> bool:
        if isinstance(node, Name):
            return node.name == BASE or node.name in self.measures
        return isinstance(node, Call) and node.function in _SCORES

    def _is_measured(self, node: Node) -> bool:
        return isinstance(node, Name) or (isinstance(node, Call) and node.function != "abs")

    def decision(self) -> Decision:
        """Work it out."""
        values = {self._shown(node): self._value(node) for node in self.nodes if self._is_measured(node)}
        undefined = [f"{name} is undefined ({reason})" for name, (value, reason) in values.items() if value is None]
        said = ", ".join(f"{name} {number(value)}" for name, (value, _) in values.items() if value is not None)
        if not undefined and self._divides_by_zero():
            undefined = [f"something is divided by zero ({said})"]
        if undefined:
            return Decision(holds=False, said=f"cannot be decided: {'; '.join(undefined)}", decided=False)
        holds = bool(self._evaluated(with_slack(self.root, SLACK), "truth")[0])
        return Decision(holds, said, True, *self._sides())

    def _value(self, node: Node) -> tuple[float | None, str]:
        """Return what a name or a call of a function stands for, or why that is undefined."""
        called, label = _called(node)
        if called in COUNTS or called == DIFF:
            value = _points(self.ground.diff) if called == DIFF else self._count(called, label)
            return value, "no site"
        old = called in {BASE, "base_score"}
        name = label or (self.measures[0] if called == BASE else called)
        score = self._scored(self.ground.base_score if old else self.ground.score, name, node)
        return _points(score.value), score.reason or ""

    @staticmethod
    def _shown(node: Node) -> str:
        called, label = _called(node)
        if called in _SCORES:
            return f"{BASE} {label}" if called == "base_score" else str(label)
        return called if label is None else f"{called}({label})"

    def _divides_by_zero(self) -> bool:
        """Whether a side of a comparison has no value although all that it rests on has one."""
        comparisons = [node for node in self.nodes if isinstance(node, Comparison)]
        sides = [side for node in comparisons for side in (node.first, *(step.operand for step in node.steps))]
        sides = [side for side in sides if not is_condition(side)]
        flat = [each for side in sides for each in (side.items if isinstance(side, List) else (side,))]
        return any(not math.isfinite(float(self._evaluated(side, "number")[0])) for side in flat)

    def _sides(self) -> tuple[float | None, float | None]:
        root = self.root
        if not isinstance(root, Comparison) or len(root.steps) != 1 or is_condition(root.first):
            return None, None
        if isinstance(root.steps[0].operand, List):
            return None, None
        left, right = (float(self._evaluated(side, "number")[0]) for side in (root.first, root.steps[0].operand))
        return left, right

    def _evaluated(self, node: Node, kind: Any) -> Any:
        def column(name: str) -> Any:
            return _column(self._value(Name(name))[0])

        scope = Scope(types=self.types, column=column, length=1, functions=self.functions)
        return evaluate(Sound(Expression(node, self.text), kind, self.types), scope)


def _parsed(text: str) -> Node:
    """Read a requirement; a measure with its label in brackets must stand in quotes, which is easily forgotten."""
    try:
        return parse(text).root
    except ExpressionError as problem:
        if problem.hint is None and (found := _WITH_LABEL.search(text)):
            problem.hint = f"write score({quote(found[0])})"
        raise


def _called(node: Node) -> tuple[str, str | None]:
    """Return how a measured thing is called, and the label or the measure in brackets."""
    if isinstance(node, Call):
        first = node.arguments[0]
        return node.function, first.value if isinstance(first, Text) else None
    return (node.name, None) if isinstance(node, Name) else ("", None)


def _is_measure(name: str) -> bool:
    try:
        measure(name)
    except UsageError:
        return False
    return True


def _points(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _column(value: float | None) -> Any:
    return np.array([math.nan if value is None else value], np.float64)


def number(value: float) -> str:
    """Write a value with as many decimals as tell it apart, up to four.

    >>> number(79.996), number(80.0), number(1234)
    ('79.996', '80', '1,234')
    """
    return f"{value:,.4f}".rstrip("0").rstrip(".")
