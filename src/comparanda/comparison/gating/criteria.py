"""What a gate asks for: budgets of new errors, requirements on scores, no significant loss."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from comparanda.errors import UsageError
from comparanda.measures import measure as find_measure

_SHARE = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*%")
_COUNT = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that is allowed: a count, or a share of all sites. Exact, so that rounding decides nothing.

    >>> Budget.parse("20", "max_new_errors"), str(Budget.parse("0.5%", "max_new_errors"))
    (Budget(most=Fraction(20, 1), is_share=False), '0.5 %')
    """

    most: Fraction
    is_share: bool

    @classmethod
    def parse(cls, written: str | int, what: str, *, share_only: bool = False) -> Budget:
        """Read `20` or `0.5%`; where only a share makes sense, a bare number could mean two things and is refused."""
        text = str(written).strip()
        share = _SHARE.fullmatch(text)
        if share is not None and (most := Fraction(share["number"]) / 100) <= 1:
            return cls(most, is_share=True)
        if not share_only and not isinstance(written, bool) and _COUNT.fullmatch(text):
            return cls(Fraction(int(text)), is_share=False)
        wanted = "a share of all sites: 0.5%" if share_only else "a count or a share of all sites: 20, 0.5%"
        raise UsageError(f"{what.replace('_', '-')} takes {wanted}; not {text!r}")

    def allows(self, count: int, sites: int, run_pairs: int) -> bool:
        """Whether a count over all pairs of runs is within the budget; a limit in sites is for one pair."""
        return count <= self.most * (sites if self.is_share else run_pairs)

    @property
    def limit(self) -> int | float:
        """The limit as it is shown beside what was measured: a count, or a share from 0 to 1."""
        return float(self.most) if self.is_share else int(self.most)

    def __str__(self) -> str:
        return f"{float(self.most * 100):g} %" if self.is_share else f"{int(self.most):,}"


@dataclass(frozen=True, slots=True)
class Criteria:
    """What must hold for a gate to pass.

    Args:
        max_new_errors: how many new errors there may be, as a count or a share.
        max_negative_flip_rate: how large their share may be.
        labels: the key labels to which these two are restricted; all without any.
        require: conditions on scores and counts, such as `f1 >= base - 0.3`.
        not_significantly_worse: whether a significant loss fails.
        measure: the measure of which; the main one by default.
        by_default: whether nothing was asked for, so that the last one is asked for by itself.

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
        """What cannot be told from the base's scores alone."""
        asked = {
            "max-new-errors": self.max_new_errors is not None,
            "max-negative-flip-rate": self.max_negative_flip_rate is not None,
            "fail-if-significantly-worse": self.not_significantly_worse,
        }
        return tuple(name for name, there in asked.items() if there)


def criteria(
    *,
    max_new_errors: str | int | None = None,
    max_negative_flip_rate: str | None = None,
    label: str | Sequence[str] = (),
    require: str | Sequence[str] = (),
    fail_if_significantly_worse: bool = False,
    measure: str | None = None,
) -> Criteria:
    """Check what is asked for; without anything, that the new system is not significantly worse.

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
            "a label restricts a budget of errors, and none is given",
            hint="add max-new-errors or max-negative-flip-rate; scores of a label: require 'score(\"f1[PER]\") >= 80'",
        )
    if measure is not None:
        find_measure(measure)
        if not fail_if_significantly_worse and (requirements or errors or flips):
            raise UsageError(
                f"the measure {measure!r} is to be tested by fail-if-significantly-worse, which is not given"
            )
    by_default = not (requirements or errors or flips or fail_if_significantly_worse)
    worse = fail_if_significantly_worse or by_default
    return Criteria(errors, flips, labels, requirements, worse, measure, by_default)
