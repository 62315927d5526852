"""The checks of a gate: requirements, labels, and the decision of each criterion.

First, comparisons of numbers with a tolerance, so that rounding does not decide them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.core.claims import LINK
from comparanda.core.measures import parse_measure
from comparanda.core.sites import NOTHING, format_value
from comparanda.errors import UsageError, suggest_nearest
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
    quote_string,
    walk_tree,
)
from comparanda.expressions import Checked as Sound
from comparanda.expressions.parser import LONGEST
from comparanda.expressions.selection import select_rows
from comparanda.expressions.syntax import (
    And,
    Arithmetic,
    ArithmeticStep,
    Call,
    Comparison,
    ComparisonOperator,
    ComparisonStep,
    List,
    Name,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Text,
    Truth,
    make_expression_error,
)
from comparanda.expressions.types import require_truth
from comparanda.findings.context import is_value
from comparanda.findings.difference import Difference, compute_difference
from comparanda.findings.examples import Examples, collect_examples
from comparanda.findings.gate import NEW_ERROR, Budget, ChangeCount, Check, Criteria, Gate, ScoreChange
from comparanda.findings.scores import Score, compute_scores
from comparanda.findings.significance import LEVEL, PairTest, compute_significance, write_warnings
from comparanda.findings.site_names import name_sites, own_condition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.core.claims import Claims
    from comparanda.core.measures import Measure
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows
    from comparanda.core.verdicts import View
    from comparanda.findings.context import Context


def with_slack(node: Node, slack: float) -> Node:
    """Rewrite a condition so that numbers that differ by no more than the slack are equal.

    All names denote numbers. Lists after `in` are compared exactly.

    >>> from comparanda.expressions import Expression, parse, unparse
    >>> unparse(Expression(with_slack(parse("f1 >= base - 0.3").root, 0.001), ""))
    'f1 - (base - 0.3) >= -0.001'
    """
    match node:
        case Comparison(first, steps):
            return _expand_comparison(first, steps, slack)
        case Not(operand):
            return Not(with_slack(operand, slack))
        case And(operands):
            return And(tuple(with_slack(each, slack) for each in operands))
        case Or(operands):
            return Or(tuple(with_slack(each, slack) for each in operands))
        case _:
            return node


def is_condition(node: Node) -> bool:
    """Whether a node can only be true or false."""
    return isinstance(node, And | Or | Not | Comparison | Truth)


def _expand_comparison(first: Node, steps: tuple[ComparisonStep, ...], slack: float) -> Node:
    found: list[Node] = []
    left = with_slack(first, slack)
    for step in steps:
        if isinstance(step.operand, List):
            found.append(Comparison(left, (step,)))
            continue
        right = with_slack(step.operand, slack)
        if is_condition(left) or is_condition(right):
            found.append(_single_comparison(left, step.operator, right))
        else:
            found.append(_compare_to_zero(Arithmetic(left, (ArithmeticStep("-", right),)), step.operator, slack))
        left = right
    return found[0] if len(found) == 1 else And(tuple(found))


def _compare_to_zero(gap: Node, operator: ComparisonOperator, slack: float) -> Node:
    """Compare the difference of two sides with zero, within the slack."""
    above, below = Number(slack), Negative(Number(slack))
    if operator in {"==", "!="}:
        equal = And((_single_comparison(gap, ">=", below), _single_comparison(gap, "<=", above)))
        return equal if operator == "==" else Not(equal)
    return _single_comparison(gap, operator, below if operator in {">=", "<"} else above)


def _single_comparison(left: Node, operator: ComparisonOperator, right: Node) -> Node:
    return Comparison(left, (ComparisonStep(operator, right),))


# Requirements of a gate: conditions on scores and counts, such as `f1 >= base - 0.3`.
#
# They are written in the language of all conditions. Scores and shares are in points from 0 to 100, as they are
# printed; counts are for one pair of runs. A requirement that contains an undefined value fails, with the reason.


BASE = "base"
COUNTS = ("new_errors", "corrections", "changed_errors", "sites")
"""The counts of a pair of outputs, over all sites or those with a key label: `new_errors("PER")`."""

DIFF = "diff"
SLACK = 1e-9
"""Values that differ by less, in points, are equal: rounding must not decide a gate."""

_SCORES = ("score", "base_score")
_WITH_LABEL = re.compile(r"[a-z][a-z0-9_.]*\[[^\]\"']+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementValues:
    """The values that requirements can refer to.

    Args:
        score: returns the new system's score by the name of a measure.
        base_score: returns the base's score.
        measures: the measures of the view, for hints.
        count: counts one of `COUNTS` at the sites with a key label, or at all sites; None without the base's output.
        labels: the labels of the key.
        diff: the share of sites at which the two differ; None where it is undefined.

    """

    score: Callable[[str], Score]
    base_score: Callable[[str], Score]
    measures: tuple[str, ...]
    count: Callable[[str, str | None], float | None] | None
    labels: tuple[str, ...] = ()
    diff: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a requirement holds.

    Args:
        holds: whether it does; never where anything is undefined.
        reason: the values in it, or why it cannot be decided.
        decided: whether everything was defined.
        measured: the left side of a plain comparison.
        limit: its right side.

    """

    holds: bool
    reason: str
    decided: bool = True
    measured: float | None = None
    limit: float | None = None


def decide_requirement(text: str, inputs: RequirementValues) -> Decision:
    """Decide a requirement; raise `ExpressionError` if it does not parse or contains unknown names."""
    return _Requirement(text, inputs).decision()


class _Requirement:
    """One requirement, checked against the available values."""

    def __init__(self, text: str, inputs: RequirementValues) -> None:
        self.text, self.inputs = text, inputs
        self.root = _parse_requirement(text)
        self.nodes = list(walk_tree(self.root))
        self.measures = tuple(dict.fromkeys(self._measure_names()))
        self.functions = self._make_functions()
        known = (*COUNTS, DIFF, BASE, *inputs.measures, *self.measures)
        checked = check(Expression(self.root, text), dict.fromkeys(known, "number"), self.functions)
        require_truth(checked)
        self.types = checked.types
        self._refuse_other_scales()
        self._refuse_ambiguous_base()
        if not any(self._is_measured(node) for node in self.nodes):
            raise make_expression_error(text, self.root.place, "this does not depend on the outputs")
        self._refuse_counts_without_output()

    def _measure_names(self) -> Iterator[str]:
        """Yield the measures that are named or given to `score`; other names are left to the check of names."""
        for node in self.nodes:
            if isinstance(node, Name) and node.name not in {*COUNTS, DIFF, BASE} and _is_measure(node.name):
                self._look_up_score(self.inputs.score, node.name, node)
                yield node.name
            elif isinstance(node, Call) and node.function == "score":
                yield from (each.value for each in node.arguments if isinstance(each, Text))

    def _look_up_score(self, give: Callable[[str], Score], name: str, node: Node) -> Score:
        try:
            return give(name)
        except UsageError as problem:
            of_base = name.removeprefix(f"{BASE}.")
            hint = problem.hint if of_base == name else f"write base_score({quote_string(of_base)})"
            raise make_expression_error(self.text, node.place, problem.what, hint=hint) from None

    def _make_functions(self) -> dict[str, Function]:
        def problem(give: Callable[[str], Score], name: str) -> str | None:
            try:
                give(name)
            except UsageError as found:
                return found.what
            return None

        def scored(give: Callable[[str], Score]) -> Function:
            which = Parameter(name="measure", literal=True, problem=lambda name: problem(give, name))
            return Function((which,), "number", lambda name: _to_column(_to_points(give(name).value)))

        def counted(what: str) -> Function:
            which = Parameter(name="label", literal=True, choices=self.inputs.labels)
            return Function((which,), "number", lambda label: _to_column(self._count(what, label)))

        scores = {"score": scored(self.inputs.score), "base_score": scored(self.inputs.base_score)}
        return {"abs": BUILTINS["abs"], **scores, **{name: counted(name) for name in COUNTS}}

    def _count(self, what: str, label: str | None = None) -> float | None:
        return None if self.inputs.count is None else self.inputs.count(what, label)

    def _refuse_other_scales(self) -> None:
        """Refuse `f1 >= 80%` and `f1 >= 0.8`, which would always hold."""
        scale = "scores and shares are in points from 0 to 100"
        for node in self.nodes:
            if isinstance(node, Number) and self.text[: node.place.end].endswith("%"):
                raise make_expression_error(self.text, node.place, f"{scale}: write {100 * node.value:g}")
        for node in self.nodes:
            if not isinstance(node, Comparison):
                continue
            sides = [node.first, *(step.operand for step in node.steps)]
            for one, other in (*pairwise(sides), *pairwise(reversed(sides))):
                if isinstance(other, Number) and 0 < other.value < 1 and self._is_score(one):
                    what = f"{scale}; {other.value:g} is less than one point: write {100 * other.value:g}"
                    raise make_expression_error(self.text, other.place, what)

    def _refuse_ambiguous_base(self) -> None:
        for node in self.nodes:
            if isinstance(node, Name) and node.name == BASE and len(self.measures) != 1:
                several = f"{len(self.measures)} are named" if self.measures else "none is named"
                what = f"'base' needs exactly one named measure, but {several}"
                hint = f'write base_score("{(*self.measures, *self.inputs.measures)[0]}")'
                raise make_expression_error(self.text, node.place, what, hint=hint)

    def _refuse_counts_without_output(self) -> None:
        for node in self.nodes if self.inputs.count is None else ():
            called = node.function if isinstance(node, Call) else node.name if isinstance(node, Name) else ""
            if called in {*COUNTS, DIFF}:
                raise make_expression_error(
                    self.text, node.place, f"{called} needs the base's output, but only its scores are available"
                )

    def _is_score(self, node: Node) -> bool:
        if isinstance(node, Name):
            return node.name == BASE or node.name in self.measures
        return isinstance(node, Call) and node.function in _SCORES

    def _is_measured(self, node: Node) -> bool:
        return isinstance(node, Name) or (isinstance(node, Call) and node.function != "abs")

    def decision(self) -> Decision:
        """Decide the requirement."""
        values = {self._display_name(node): self._look_up(node) for node in self.nodes if self._is_measured(node)}
        undefined = [f"{name} is undefined ({reason})" for name, (value, reason) in values.items() if value is None]
        listed = ", ".join(f"{name} {format_number(value)}" for name, (value, _) in values.items() if value is not None)
        if not undefined and self._divides_by_zero():
            undefined = [f"division by zero ({listed})"]
        if undefined:
            return Decision(holds=False, reason=f"cannot be decided: {'; '.join(undefined)}", decided=False)
        holds = bool(self._evaluate(with_slack(self.root, SLACK), "truth")[0])
        measured, limit = self._sides()
        return Decision(holds=holds, reason=listed, decided=True, measured=measured, limit=limit)

    def _look_up(self, node: Node) -> tuple[float | None, str]:
        """Return the value of a name or a function call, or the reason why it is undefined."""
        called, label = _split_call(node)
        if called in COUNTS or called == DIFF:
            value = _to_points(self.inputs.diff) if called == DIFF else self._count(called, label)
            return value, "no site"
        old = called in {BASE, "base_score"}
        name = label or (self.measures[0] if called == BASE else called)
        score = self._look_up_score(self.inputs.base_score if old else self.inputs.score, name, node)
        return _to_points(score.value), score.reason or ""

    @staticmethod
    def _display_name(node: Node) -> str:
        called, label = _split_call(node)
        if called in _SCORES:
            return f"{BASE} {label}" if called == "base_score" else str(label)
        return called if label is None else f"{called}({label})"

    def _divides_by_zero(self) -> bool:
        """Whether a side of a comparison is undefined although all its operands are defined."""
        comparisons = [node for node in self.nodes if isinstance(node, Comparison)]
        sides = [side for node in comparisons for side in (node.first, *(step.operand for step in node.steps))]
        sides = [side for side in sides if not is_condition(side)]
        flat = [each for side in sides for each in (side.items if isinstance(side, List) else (side,))]
        return any(not math.isfinite(float(self._evaluate(side, "number")[0])) for side in flat)

    def _sides(self) -> tuple[float | None, float | None]:
        root = self.root
        if not isinstance(root, Comparison) or len(root.steps) != 1 or is_condition(root.first):
            return None, None
        if isinstance(root.steps[0].operand, List):
            return None, None
        left, right = (float(self._evaluate(side, "number")[0]) for side in (root.first, root.steps[0].operand))
        return left, right

    def _evaluate(self, node: Node, kind: Any) -> Any:
        def column(name: str) -> Any:
            return _to_column(self._look_up(Name(name))[0])

        scope = Scope(types=self.types, column=column, length=1, functions=self.functions)
        return evaluate(Sound(Expression(node, self.text), kind, self.types), scope)


def _parse_requirement(text: str) -> Node:
    """Parse a requirement; the hint covers a measure with a label in brackets that is not quoted."""
    try:
        return parse(text).root
    except ExpressionError as problem:
        if problem.hint is None and (found := _WITH_LABEL.search(text)):
            problem.hint = f"write score({quote_string(found[0])})"
        raise


def _split_call(node: Node) -> tuple[str, str | None]:
    """Return the name of a measured value, and the label or measure given as its argument."""
    if isinstance(node, Call):
        first = node.arguments[0]
        return node.function, first.value if isinstance(first, Text) else None
    return (node.name, None) if isinstance(node, Name) else ("", None)


def _is_measure(name: str) -> bool:
    try:
        parse_measure(name)
    except UsageError:
        return False
    return True


def _to_points(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _to_column(value: float | None) -> Any:
    return np.array([math.nan if value is None else value], np.float64)


def format_number(value: float) -> str:
    """Format a value with up to four decimals, without trailing zeros.

    >>> format_number(79.996), format_number(80.0), format_number(1234)
    ('79.996', '80', '1,234')
    """
    return f"{value:,.4f}".rstrip("0").rstrip(".")


# The sites that have a label in the key, where a key value may be one label, a set of labels or several spans.


@dataclass(frozen=True, slots=True)
class LabelSites:
    """The labels of the key, with the values by which their sites are selected.

    Args:
        column: the name of the key's value in conditions: `label`, or `key` where values have no separate label.
        values: for each label of the key, the values that contain it, as they are displayed.
        own: the condition that a site is in the key, where sites are named by kind; "" where labels imply it.

    """

    column: str
    values: Mapping[str, tuple[str, ...]]
    own: str = ""

    @property
    def known(self) -> tuple[str, ...]:
        """The labels of the key."""
        return tuple(self.values)

    def names(self, labels: Sequence[str]) -> frozenset[str]:
        """Return the values that contain one of the labels; a label that does not occur is an error."""
        for label in labels:
            if label not in self.values:
                what = f"the label {label!r} does not occur in the key{suggest_nearest(label, self.values)}"
                raise UsageError(what, hint=f"labels: {', '.join(self.known[:20])}{' …' * (len(self.known) > 20)}")
        return frozenset(name for label in labels for name in self.values[label])

    def condition(self, kind: str, labels: Sequence[str]) -> str | None:
        """Write the condition that a site is of a kind and has one of the labels; None if it would be too long."""
        names = sorted(self.names(labels))
        if not names:
            return kind
        several = f"{self.column} in [{', '.join(map(quote_string, names))}]"
        where = f"{kind} and {is_value(self.column, names[0]) if len(names) == 1 else several}"
        where = f"{where} and {self.own}" if self.own else where
        return where if len(where) <= LONGEST else None


def label_sites(view: View) -> LabelSites:
    """Collect the labels that the key has at the scored sites."""
    sites = view.sites
    if view.kinds is not None:
        named = name_sites(view)
        kinds = sorted(named.called(code) for code in named.present)
        return LabelSites(view.kinds, {kind: (kind,) for kind in kinds}, own_condition(view))
    there = {code for code, count in enumerate(sites.key_counts.tolist()) if count}
    column = "label" if "label" in sites.aspects else "key"
    held: dict[str, list[str]] = {}
    for code, labels in _labels_by_value(view, sites).items():
        if code in there:
            for label in labels:
                held.setdefault(label, []).append(format_value(sites.labels.names[code]))
    return LabelSites(column, {label: tuple(held[label]) for label in sorted(held)})


def _labels_by_value(view: View, sites: Sites) -> dict[int, set[str]]:
    """Return the labels that each value of the key contains, by code."""
    if view.claims is not None:
        return _span_labels_by_value(view.claims, view.all_sites)
    if sites.parts is not None:
        return {code: set(map(format_value, parts)) for code, parts in enumerate(sites.parts)}
    return {code: {format_value(name)} for code, name in enumerate(sites.labels.names)}


def _span_labels_by_value(claims: Claims, sites: Sites) -> dict[int, set[str]]:
    """Return the labels of the key's spans by the code of their joint label."""
    held: dict[int, set[str]] = {
        code: {format_value(name)} for code, name in enumerate(sites.labels.names) if name == NOTHING
    }
    rows = np.flatnonzero(claims.key > 0)
    together: Rows = sites.labels.key[claims.site[rows]].astype(np.int64) * len(claims.names) + claims.label[rows]
    if claims.agreed is not None and sites.folded is not None:
        agreed = sites.folded.sites.labels.key.astype(np.int64) * len(claims.names) + claims.agreed.label
        together = np.concatenate([np.unique(together), np.unique(agreed)])
    for packed in np.unique(together).tolist():
        code, label = divmod(packed, len(claims.names))
        held.setdefault(code, set()).add(format_value(claims.names[label].partition(LINK)[0]))
    return held


# Whether a new system may replace its base: budgets of new errors, requirements, no significant loss.
#
# A check that cannot be decided fails, with its reason.


NO_SITES = "there are no sites to check"


def check_gate(
    context: Context,
    criteria: Criteria,
    base: str,
    new: str,
    *,
    stored: Mapping[str, Score] | None = None,
    top: int = 10,
    signature: str = "",
) -> Gate:
    """Check a new system against its base.

    Args:
        context: the context with both systems.
        criteria: the criteria that must hold.
        base: the base.
        new: the new system.
        stored: the base's scores by measure, where its output is not available.
        top: the number of examples of new errors to show; 0 for all.
        signature: the signature of the comparison.

    """
    checker = _Checker(context=context, criteria=criteria, base=base, new=new, stored=stored)
    checks = checker.checks()
    found = checker.difference
    return Gate(
        view=context.view.name,
        base=base,
        new=new,
        passed=all(check.passed for check in checks),
        by_default=criteria.by_default,
        checks=checks,
        scores=checker.scores(),
        run_pairs=0 if found is None else found.run_pairs,
        sites=None if found is None else found.sites,
        changes=() if found is None else _count_changes(found),
        examples=() if found is None else _new_error_examples(context, checks=checks, base=base, new=new, top=top),
        signature=signature,
        warnings=write_warnings(context) if criteria.not_significantly_worse else (),
    )


class _Checker:
    """Computes the checks of one gate; data that several of them need is computed once."""

    def __init__(
        self, context: Context, criteria: Criteria, base: str, new: str, *, stored: Mapping[str, Score] | None
    ) -> None:
        self.context, self.criteria = context, criteria
        self.base, self.new, self.stored = base, new, stored
        self.plain = replace(context, resamples=0)  # counts and scores need no draws
        if stored is not None:
            _refuse_without_output(criteria)
        pair = context if stored is not None else context.among(base, new)
        self.labels: LabelSites = label_sites(pair.view)
        self.difference = None if stored is not None else compute_difference(self.plain, base, new)
        self.score, self.base_score = cache(self._score), cache(self._base_score)

    def checks(self) -> tuple[Check, ...]:
        """Compute all checks, in the order of the options."""
        asked = self.criteria
        found: list[Check] = []
        if asked.max_new_errors is not None:
            found.append(self._budget("new errors", asked.max_new_errors))
        if asked.max_negative_flip_rate is not None:
            found.append(self._budget("negative flip rate", asked.max_negative_flip_rate))
        found += map(self._requirement, asked.require)
        if asked.not_significantly_worse:
            found.append(self._significance())
        return tuple(found)

    def scores(self) -> tuple[ScoreChange, ...]:
        """Compare the scores of both systems."""
        names = [each.name for each in self.context.measures]
        if self.stored is not None:
            names = [name for name in names if name in self.stored]
        rows = []
        for name in names:
            old, fresh = self.base_score(name), self.score(name)
            gap = None if old.value is None or fresh.value is None else fresh.value - old.value
            rows.append(
                ScoreChange(
                    measure=name, base=old.value, new=fresh.value, difference=gap, reason=old.reason or fresh.reason
                )
            )
        return tuple(rows)

    def _score(self, name: str) -> Score:
        return _score_system(self.plain, parse_measure(name), self.new)

    def _base_score(self, name: str) -> Score:
        if self.stored is None:
            return _score_system(self.plain, parse_measure(name), self.base)
        if name not in self.stored:
            parse_measure(name)
            raise UsageError(f"the baseline has no score {name!r}{suggest_nearest(name, self.stored)}")
        return self.stored[name]

    def _count(self, what: str, label: str | None) -> float | None:
        """Return a count for one pair of runs; None where there is no site."""
        assert self.difference is not None
        labels = () if label is None else (label,)
        sites = self._count_sites(labels)
        if not sites:
            return None
        total = sites if what == "sites" else self._count_changed(what.removesuffix("s"), labels)
        return total / self.difference.run_pairs

    def _count_sites(self, labels: Sequence[str]) -> int:
        found = self.difference
        assert found is not None
        if not labels:
            return found.sites
        names = self.labels.names(labels)
        return sum(row.sites for row in found.labels if row.label in names) * found.run_pairs

    def _count_changed(self, name: str, labels: Sequence[str]) -> int:
        """Count one class of differences at the sites with the given key labels, or at all sites."""
        assert self.difference is not None
        kind = self.difference.of(name)
        if not labels:
            return kind.count
        names = self.labels.names(labels)
        if self.labels.own:  # transitions are distinguished by the labels predicted, not by the kinds of sites
            where = self.labels.condition(name, labels) or name
            return len(
                select_rows(self.context.verdicts, view=self.context.view, where=where, base=self.base, new=self.new)
            )
        return sum(each.count for each in kind.transitions if each.key in names)

    def _budget(self, name: Literal["new errors", "negative flip rate"], budget: Budget) -> Check:
        labels, found = self.criteria.labels, self.difference
        assert found is not None
        count, sites = self._count_changed(NEW_ERROR, labels), self._count_sites(labels)
        of = f" ({', '.join(labels)})" if labels else ""
        rate = count / sites if sites else None
        mean = count if found.run_pairs == 1 else count / found.run_pairs
        share = "" if rate is None else f", {format_number(100 * rate)} %"
        several = f", over {found.run_pairs} pairs of runs" if found.run_pairs > 1 else ""
        return Check(
            name=name,
            asked=f"at most {budget}{of}",
            unit="share" if budget.is_share else "count",
            limit=budget.limit,
            measured=rate if budget.is_share else mean if sites else None,
            passed=bool(sites) and budget.allows(count, sites, found.run_pairs),
            decided=bool(sites),
            reason=f"{count:,} of {sites:,} sites{share}{several}" if sites else f"cannot be decided: {NO_SITES}",
            labels=labels,
            count=count,
            sites=sites,
            where=self.labels.condition(NEW_ERROR, labels),
        )

    def _requirement(self, text: str) -> Check:
        found, count = self.difference, None if self.difference is None else self._count
        inputs = RequirementValues(
            score=self.score,
            base_score=self.base_score,
            measures=tuple(each.name for each in self.context.measures),
            count=count,
            labels=self.labels.known,
            diff=None if found is None else found.diff,
        )
        made = decide_requirement(text, inputs)
        return Check(
            name="requirement",
            asked=text,
            unit="points",
            limit=made.limit,
            measured=made.measured,
            passed=made.holds,
            decided=made.decided,
            reason=made.reason,
        )

    def _significance(self) -> Check:
        chosen = None if self.criteria.measure is None else parse_measure(self.criteria.measure)
        found = compute_significance(self.context, chosen)
        test = next(each for each in found.tests if {each.base, each.new} == {self.base, self.new})
        turned = test.base != self.base
        gap = None if test.difference is None else -test.difference if turned else test.difference
        error = chosen is not None and chosen.error
        passed, decided, reason = _decide_significance(found.measure, gap, test, turned=turned, error=error)
        asked = f"{found.measure} not significantly worse"
        return Check(
            name="significance",
            asked=asked,
            unit="p",
            limit=LEVEL,
            measured=test.p,
            passed=passed,
            decided=decided,
            reason=reason,
        )


def _decide_significance(
    name: str, gap: float | None, test: PairTest, *, turned: bool, error: bool
) -> tuple[bool, bool, str]:
    """Decide whether a difference is a significant loss; a difference that is not a loss needs no test."""
    if gap is None:
        return False, False, f"cannot be decided: {name} is undefined ({test.method.removeprefix('n/a: ')})"
    change = f"{name} {100 * gap:+.2f} points"
    if test.low is not None and test.high is not None:
        low, high = (-test.high, -test.low) if turned else (test.low, test.high)
        change += f" [{100 * low:+.2f}, {100 * high:+.2f}]"
    worse = 100 * (-gap if error else gap) < -SLACK
    if test.p is not None:
        return not worse or test.p >= LEVEL, True, f"{change}, p {format_number(test.p)} ({test.method})"
    why = test.method.removeprefix("n/a: ")
    if not worse:
        return True, True, f"{change}: not worse, so no test is needed ({why})"
    return False, False, f"cannot be decided: {change}, and no test is possible ({why})"


def _refuse_without_output(criteria: Criteria) -> None:
    if criteria.by_default:
        raise UsageError("without the base's output only requirements can be checked", hint="give --require, or BASE")
    if criteria.needing_output:
        raise UsageError(
            f"{criteria.needing_output[0]} needs the base's output", hint="give BASE in addition to the baseline"
        )


def _score_system(context: Context, chosen: Measure, system: str) -> Score:
    found = compute_scores(context, [chosen])
    return next(score for score in found.scores if score.system == system)


def _count_changes(found: Difference) -> tuple[ChangeCount, ...]:
    return tuple(ChangeCount(each.name, each.count, each.share_of_sites, each.where) for each in found.classes)


def _new_error_examples(
    context: Context, checks: Sequence[Check], base: str, new: str, *, top: int
) -> tuple[Examples, ...]:
    """Sample the new errors that failing checks count, or all new errors where a check counts none or none fails."""
    failing = [check.where or NEW_ERROR for check in checks if not check.passed]
    found = []
    for where in dict.fromkeys(failing or [NEW_ERROR]):
        selection = select_rows(context.verdicts, view=context.view, where=where, base=base, new=new)
        if len(selection):
            found.append(collect_examples(context, selection=selection, top=top, base=base, new=new))
    return tuple(found)
