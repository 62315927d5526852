"""The verdict on a new system: what was asked, what was measured, what changed. How it is made: `gate_checks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from comparanda.comparison.examples import Examples
from comparanda.comparison.finding import Finding

NEW_ERROR = "new_error"
"""The condition that selects all new errors."""

CheckName = Literal["new errors", "negative flip rate", "requirement", "significance"]


@dataclass(frozen=True)
class Check:
    """One thing that was asked for.

    Args:
        name: its kind.
        asked: what was asked, in words or as the requirement was written.
        unit: what `limit` and `measured` are: a `count`, a `share` from 0 to 1, `points`, or a `p`.
        limit: the most or the least that is allowed; None for requirements that are no plain comparison.
        measured: what was found; None where that is undefined. Of several runs, the mean over their pairs.
        passed: whether it holds; never where it cannot be decided.
        decided: whether it could be decided.
        reason: the numbers behind it, or why it cannot be decided.
        labels: the key labels to which it is restricted; all without any.
        count: how many new errors there are, over all pairs of runs.
        sites: of how many sites, likewise.
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


@dataclass(frozen=True)
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
    """How many corrections, new errors or changed errors there are, over all pairs of runs."""

    name: str
    count: int
    share_of_sites: float | None
    where: str


@dataclass(frozen=True)
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
        run_pairs: how many pairs of runs were compared; 1 for single runs, 0 without the base's output.
        sites: how many sites, times pairs of runs; None without the base's output.
        changes: corrections, new errors and changed errors; none without the base's output.
        examples: new errors: those that broke the gate, or a sample of all.
        signature: how the numbers were made.
        warnings: what makes a test doubtful here, if one was made.

    """

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
