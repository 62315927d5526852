"""A gate that decides whether a new system may replace its base: the criteria, and the verdict as tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from comparanda.core.measures import parse_measure as find_measure
from comparanda.errors import UsageError
from comparanda.findings.examples import Examples, example_tables
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table, format_cell, format_count

if TYPE_CHECKING:
    from rich.console import Console

# The criteria of a gate: budgets of new errors, requirements on scores, no significant loss.


_SHARE_PATTERN = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*%")
_COUNT_PATTERN = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Budget:
    """The largest number allowed: a count, or a share of all sites. Exact, so that rounding decides nothing.

    >>> Budget.parse("20", "max_new_errors"), str(Budget.parse("0.5%", "max_new_errors"))
    (Budget(most=Fraction(20, 1), is_share=False), '0.5 %')
    """

    most: Fraction
    is_share: bool

    @classmethod
    def parse(cls, written: str | int, what: str, *, share_only: bool = False) -> Budget:
        """Parse `20` or `0.5%`; where only a share makes sense, a bare number is ambiguous and is refused."""
        text = str(written).strip()
        share = _SHARE_PATTERN.fullmatch(text)
        if share is not None and (most := Fraction(share["number"]) / 100) <= 1:
            return cls(most, is_share=True)
        if not share_only and not isinstance(written, bool) and _COUNT_PATTERN.fullmatch(text):
            return cls(Fraction(int(text)), is_share=False)
        wanted = "a share of all sites (0.5%)" if share_only else "a count or a share of all sites (20, 0.5%)"
        raise UsageError(f"{what.replace('_', '-')}: expected {wanted}, got {text!r}")

    def allows(self, count: int, sites: int, run_pairs: int) -> bool:
        """Whether a count over all pairs of runs is within the budget; a limit given as a count is for one pair."""
        return count <= self.most * (sites if self.is_share else run_pairs)

    @property
    def limit(self) -> int | float:
        """The limit as it is shown next to the measured value: a count, or a share from 0 to 1."""
        return float(self.most) if self.is_share else int(self.most)

    def __str__(self) -> str:
        return f"{float(self.most * 100):g} %" if self.is_share else f"{int(self.most):,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """The criteria that must hold for a gate to pass.

    Args:
        max_new_errors: the largest number of new errors, as a count or a share.
        max_negative_flip_rate: their largest share.
        labels: the key labels to which these two are restricted; all labels if empty.
        require: conditions on scores and counts, such as `f1 >= base - 0.3`.
        not_significantly_worse: whether a significant loss fails.
        measure: the measure that is tested; the main one by default.
        by_default: whether no criterion was given, so that significance is tested by default.

    """

    max_new_errors: Budget | None = None
    max_negative_flip_rate: Budget | None = None
    labels: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    not_significantly_worse: bool = False
    measure: str | None = None
    by_default: bool = False

    @property
    def needing_output(self) -> tuple[str, ...]:
        """The criteria given that cannot be checked from the base's scores alone."""
        asked = {
            "max-new-errors": self.max_new_errors is not None,
            "max-negative-flip-rate": self.max_negative_flip_rate is not None,
            "fail-if-significantly-worse": self.not_significantly_worse,
        }
        return tuple(name for name, there in asked.items() if there)


def build_criteria(
    *,
    max_new_errors: str | int | None = None,
    max_negative_flip_rate: str | None = None,
    label: str | Sequence[str] = (),
    require: str | Sequence[str] = (),
    fail_if_significantly_worse: bool = False,
    measure: str | None = None,
) -> Criteria:
    """Build criteria from options; without any, the new system must not be significantly worse.

    Args:
        max_new_errors: a count, or a share of all sites: 20, "0.5%".
        max_negative_flip_rate: a share of all sites: "0.5%".
        label: the key labels to which these two budgets are restricted.
        require: conditions such as "f1 >= base - 0.3".
        fail_if_significantly_worse: fail if a randomisation test finds a loss.
        measure: the measure that is tested; the main one by default.

    """
    labels, requirements = (
        tuple(dict.fromkeys([each] if isinstance(each, str) else each)) for each in (label, require)
    )
    errors = None if max_new_errors is None else Budget.parse(max_new_errors, "max_new_errors")
    flips = None
    if max_negative_flip_rate is not None:
        flips = Budget.parse(max_negative_flip_rate, "max_negative_flip_rate", share_only=True)
    if labels and errors is None and flips is None:
        raise UsageError(
            "a label restricts a budget of errors, but no budget is given",
            hint="add max-new-errors or max-negative-flip-rate; "
            "for scores of a label, require 'score(\"f1[PER]\") >= 80'",
        )
    if measure is not None:
        find_measure(measure)
        if not fail_if_significantly_worse and (requirements or errors or flips):
            raise UsageError(f"the measure {measure!r} has no effect without fail-if-significantly-worse")
    by_default = not (requirements or errors or flips or fail_if_significantly_worse)
    worse = fail_if_significantly_worse or by_default
    return Criteria(
        max_new_errors=errors,
        max_negative_flip_rate=flips,
        labels=labels,
        require=requirements,
        not_significantly_worse=worse,
        measure=measure,
        by_default=by_default,
    )


# The verdict on a new system: the criteria, the measured values, the changes. It is computed in `gate_checks`.


NEW_ERROR = "new_error"
"""The condition that selects all new errors."""

CheckName = Literal["new errors", "negative flip rate", "requirement", "significance"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One criterion and its decision.

    Args:
        name: its kind.
        asked: the criterion, in words or as the requirement was written.
        unit: the unit of `limit` and `measured`: a `count`, a `share` from 0 to 1, `points`, or a `p`.
        limit: the largest or smallest value allowed; None for requirements that are not a plain comparison.
        measured: the measured value; None where it is undefined. For several runs, the mean over their pairs.
        passed: whether it holds; never where it cannot be decided.
        decided: whether it could be decided.
        reason: the numbers on which the decision is based, or why it cannot be decided.
        labels: the key labels to which it is restricted; all labels if empty.
        count: the number of new errors, over all pairs of runs.
        sites: the number of sites, over all pairs of runs.
        where: the condition that selects the new errors it counts.

    """

    name: CheckName
    asked: str
    unit: str
    limit: int | float | None
    measured: int | float | None
    passed: bool
    decided: bool
    reason: str
    labels: tuple[str, ...] = ()
    count: int | None = None
    sites: int | None = None
    where: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScoreChange:
    """A score before and after.

    Args:
        measure: its name.
        base: the base's, from 0 to 1; None where it is undefined.
        new: the new system's.
        difference: the new one less the base's.
        reason: why one of them is undefined.

    """

    measure: str
    base: float | None
    new: float | None
    difference: float | None
    reason: str | None


@dataclass(frozen=True)
class ChangeCount:
    """The number of corrections, new errors or changed errors, over all pairs of runs."""

    name: str
    count: int
    share_of_sites: float | None
    where: str


@dataclass(frozen=True, kw_only=True)
class Gate(Finding):
    """The verdict on a new system, check by check.

    Args:
        view: the view.
        base: the base.
        new: the new system.
        passed: whether every check holds.
        by_default: whether no criterion was given, so that significance alone was checked.
        checks: the checks.
        scores: the scores of both.
        run_pairs: the number of pairs of runs compared; 1 for single runs, 0 without the base's output.
        sites: the number of sites, times pairs of runs; None without the base's output.
        changes: corrections, new errors and changed errors; empty without the base's output.
        examples: new errors: those that made a check fail, or a sample of all.
        signature: the signature of the comparison.
        warnings: warnings about an unreliable test, if one was run.

    """

    json_name = "gate"

    view: str
    base: str
    new: str
    passed: bool
    by_default: bool
    checks: tuple[Check, ...]
    scores: tuple[ScoreChange, ...]
    run_pairs: int
    sites: int | None
    changes: tuple[ChangeCount, ...]
    examples: tuple[Examples, ...]
    signature: str
    warnings: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.passed)

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        del top  # these tables are short
        return gate_tables(self)

    def print_to(self, console: Console, top: int | None = None) -> None:
        """Print the finding in a terminal."""
        from comparanda.findings.example_text import print_examples
        from comparanda.render.console import print_line

        super().print_to(console, top)
        for each in () if self.passed else self.examples:
            console.print()
            print_examples(each, console)
        console.print()
        print_line(self.signature, "dim", console)


# The verdict of a gate as tables: the checks, the scores before and after, the changes, and the new errors.


def gate_tables(finding: Gate) -> tuple[Table, ...]:
    """Return the tables of checks, scores and changes, and the new errors as folded tables."""
    scores = (_score_table(finding),) if finding.scores else ()
    changes = (_change_table(finding),) if finding.changes else ()
    broken = [replace(example_tables(each)[0], folded=True) for each in finding.examples]
    titled = [replace(table, title=f"New errors: {table.title}") for table in broken]
    return (_check_table(finding), *scores, *changes, *titled)


def write_verdict(finding: Gate) -> str:
    """Write in one line whether the gate passed.

    >>> from comparanda.api.baseline import gate
    >>> write_verdict(gate(["A", "B"], ["A", "A"], ["A", "B"], task="tag", max_new_errors=0, resamples=0))
    'Gate passed: 1 check holds (base → new)'
    """
    pair = f"({finding.base} → {finding.new})"
    if finding.passed:
        return f"Gate passed: {format_count(len(finding.checks), 'check holds', 'checks hold')} {pair}"
    failed, made = len(finding.failed), format_count(len(finding.checks), "check")
    return f"Gate failed: {failed} of {made} {'does' if failed == 1 else 'do'} not hold {pair}"


def format_limit(check: Check, value: float | None) -> str:
    """Format a limit or a measured value in the unit of its check."""
    if value is None:
        return "n/a"
    if check.unit == "share":
        return f"{format_cell('share', value)} %"
    if check.unit == "p":
        return format_cell("p", value)
    return format_cell("count", value) if float(value).is_integer() else f"{value:,.2f}"


def write_outcome(check: Check) -> str:
    """Write whether a check holds, fails, or cannot be decided, which is also a failure."""
    return "holds" if check.passed else "fails" if check.decided else "fails (undecided)"


def _check_table(finding: Gate) -> Table:
    fields = (
        Field("check", "check"),
        Field("asked", "asked"),
        Field("measured", "measured"),
        Field("limit", "limit"),
        Field("verdict", "verdict"),
        Field("reason", "numbers"),
    )
    rows = tuple(
        (
            each.name,
            each.asked,
            format_limit(each, each.measured),
            format_limit(each, each.limit),
            write_outcome(each),
            each.reason,
        )
        for each in finding.checks
    )
    notes = [f"warning: {warning}" for warning in finding.warnings]
    if finding.by_default:
        notes.insert(0, "no criterion was given: the gate fails if the new system is significantly worse")
    return Table(name="gate", title=write_verdict(finding), fields=fields, rows=rows, notes=tuple(notes))


def _score_table(finding: Gate) -> Table:
    fields = (
        Field("measure", "measure"),
        Field("base", finding.base, "share"),
        Field("new", finding.new, "share"),
        Field("difference", "Δ", "points"),
    )
    rows = tuple((each.measure, each.base, each.new, each.difference) for each in finding.scores)
    notes = dict.fromkeys(f"{each.measure} is undefined: {each.reason}" for each in finding.scores if each.reason)
    return Table(name="gate-scores", title="Scores, before and after", fields=fields, rows=rows, notes=tuple(notes))


def _change_table(finding: Gate) -> Table:
    fields = (
        Field("class", "class"),
        Field("count", "count", "count"),
        Field("share_of_sites", "% of sites", "share"),
    )
    rows = tuple(
        (each.name.replace("_", " "), Linked(each.count, link), Linked(each.share_of_sites, link))
        for each in finding.changes
        for link in [Link(each.where, finding.base, finding.new, finding.view)]
    )
    pairs = f" in {format_count(finding.run_pairs, 'pair')} of runs" if finding.run_pairs > 1 else ""
    notes = (f"of {format_count(finding.sites or 0, 'site')}{pairs}; new errors over all sites = negative flip rate",)
    return Table(
        name="gate-changes",
        title=f"Changes from {finding.base} to {finding.new}",
        fields=fields,
        rows=rows,
        notes=notes,
    )
