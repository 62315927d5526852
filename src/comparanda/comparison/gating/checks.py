"""Whether a new system may replace its base: budgets of new errors, requirements, no significant loss.

A check that cannot be decided is not a pass: it fails with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from comparanda.comparison.difference import Difference, difference
from comparanda.comparison.examples import Examples, examples
from comparanda.comparison.gating.criteria import Budget, Criteria
from comparanda.comparison.gating.finding import NEW_ERROR, ChangeCount, Check, Gate, ScoreChange
from comparanda.comparison.gating.label_sites import LabelSites, label_sites
from comparanda.comparison.gating.requirements import SLACK, Ground, decide, number
from comparanda.comparison.scores import Score, scores
from comparanda.comparison.significance import LEVEL, PairTest, significance, warnings
from comparanda.errors import UsageError, nearest
from comparanda.measures import measure
from comparanda.selection import selected

if TYPE_CHECKING:
    from comparanda.comparison.context import Context
    from comparanda.measures import Measure

NO_SITES = "there is no site, so nothing was checked"


def gate(
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
        context: the ground.
        criteria: what must hold.
        base: the base.
        new: the new system.
        stored: the base's scores by measure, where its output is not at hand.
        top: how many examples of new errors to show; 0 for all.
        signature: how the numbers were made.

    """
    guard = _Guard(context, criteria, base, new, stored)
    checks = guard.checks()
    found = guard.difference
    return Gate(
        context.view.name,
        base,
        new,
        all(check.passed for check in checks),
        criteria.by_default,
        checks,
        guard.scores(),
        0 if found is None else found.run_pairs,
        None if found is None else found.sites,
        () if found is None else _changes(found),
        () if found is None else _broken(context, checks, base, new, top),
        signature,
        warnings(context) if criteria.not_significantly_worse else (),
    )


class _Guard:
    """The checks of one gate; what several of them need is worked out once."""

    def __init__(
        self, context: Context, criteria: Criteria, base: str, new: str, stored: Mapping[str, Score] | None
    ) -> None:
        self.context, self.criteria = context, criteria
        self.base, self.new, self.stored = base, new, stored
        self.plain = replace(context, resamples=0)  # counts and scores need no draws
        if stored is not None:
            _refuse_without_output(criteria)
        pair = context if stored is not None else context.among(base, new)
        self.labels: LabelSites = label_sites(pair.view)
        self.difference = None if stored is not None else difference(self.plain, base, new)
        self.score, self.base_score = cache(self._score), cache(self._base_score)

    def checks(self) -> tuple[Check, ...]:
        """Make all checks, in the order of the options."""
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
        """Put the scores of both side by side."""
        names = [each.name for each in self.context.measures]
        if self.stored is not None:
            names = [name for name in names if name in self.stored]
        rows = []
        for name in names:
            old, fresh = self.base_score(name), self.score(name)
            gap = None if old.value is None or fresh.value is None else fresh.value - old.value
            rows.append(ScoreChange(name, old.value, fresh.value, gap, old.reason or fresh.reason))
        return tuple(rows)

    def _score(self, name: str) -> Score:
        return _scored(self.plain, measure(name), self.new)

    def _base_score(self, name: str) -> Score:
        if self.stored is None:
            return _scored(self.plain, measure(name), self.base)
        if name not in self.stored:
            measure(name)
            raise UsageError(f"the baseline has no score {name!r}{nearest(name, self.stored)}")
        return self.stored[name]

    def _count(self, what: str, label: str | None) -> float | None:
        """Count something for one pair of runs."""
        assert self.difference is not None
        labels = () if label is None else (label,)
        sites = self._sites(labels)
        if not sites:
            return None
        total = sites if what == "sites" else self._changed(what.removesuffix("s"), labels)
        return total / self.difference.run_pairs

    def _sites(self, labels: Sequence[str]) -> int:
        found = self.difference
        assert found is not None
        if not labels:
            return found.sites
        names = self.labels.names(labels)
        return sum(row.sites for row in found.labels if row.label in names) * found.run_pairs

    def _changed(self, name: str, labels: Sequence[str]) -> int:
        """Count one class of differences, at the sites with some key labels or at all."""
        assert self.difference is not None
        kind = self.difference.of(name)
        if not labels:
            return kind.count
        names = self.labels.names(labels)
        if self.labels.own:  # transitions are told apart by what was made of sites, and not by what they are
            where = self.labels.condition(name, labels) or name
            return len(selected(self.context.verdicts, self.context.view, where, self.base, self.new))
        return sum(each.count for each in kind.transitions if each.key in names)

    def _budget(self, name: Literal["new errors", "negative flip rate"], budget: Budget) -> Check:
        labels, found = self.criteria.labels, self.difference
        assert found is not None
        count, sites = self._changed(NEW_ERROR, labels), self._sites(labels)
        of = f" ({', '.join(labels)})" if labels else ""
        rate = count / sites if sites else None
        mean = count if found.run_pairs == 1 else count / found.run_pairs
        share = "" if rate is None else f", {number(100 * rate)} %"
        several = f", over {found.run_pairs} pairs of runs" if found.run_pairs > 1 else ""
        return Check(
            name,
            f"at most {budget}{of}",
            "share" if budget.is_share else "count",
            budget.limit,
            rate if budget.is_share else mean if sites else None,
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
        ground = Ground(
            self.score,
            self.base_score,
            tuple(each.name for each in self.context.measures),
            count,
            self.labels.known,
            None if found is None else found.diff,
        )
        made = decide(text, ground)
        return Check(
            "requirement", text, "points", made.limit, made.measured, made.holds, decided=made.decided, reason=made.said
        )

    def _significance(self) -> Check:
        chosen = None if self.criteria.measure is None else measure(self.criteria.measure)
        found = significance(self.context, chosen)
        test = next(each for each in found.tests if {each.base, each.new} == {self.base, self.new})
        turned = test.base != self.base
        gap = None if test.difference is None else -test.difference if turned else test.difference
        error = chosen is not None and chosen.error
        passed, decided, reason = _judged(found.measure, gap, test, turned=turned, error=error)
        asked = f"{found.measure} not significantly worse"
        return Check("significance", asked, "p", LEVEL, test.p, passed, decided=decided, reason=reason)


def _judged(name: str, gap: float | None, test: PairTest, *, turned: bool, error: bool) -> tuple[bool, bool, str]:
    """Say whether a gap is a significant loss; what is not worse at all needs no test."""
    if gap is None:
        return False, False, f"cannot be decided: {name} is undefined ({test.method.removeprefix('n/a: ')})"
    said = f"{name} {100 * gap:+.2f} points"
    if test.low is not None and test.high is not None:
        low, high = (-test.high, -test.low) if turned else (test.low, test.high)
        said += f" [{100 * low:+.2f}, {100 * high:+.2f}]"
    worse = 100 * (-gap if error else gap) < -SLACK
    if test.p is not None:
        return not worse or test.p >= LEVEL, True, f"{said}, p {number(test.p)} ({test.method})"
    why = test.method.removeprefix("n/a: ")
    if not worse:
        return True, True, f"{said}: not worse, whatever a test would say ({why})"
    return False, False, f"cannot be decided: {said}, and no test can be made ({why})"


def _refuse_without_output(criteria: Criteria) -> None:
    if criteria.by_default:
        raise UsageError("without the base's output only requirements can be checked", hint="give --require, or BASE")
    if criteria.needing_output:
        raise UsageError(f"{criteria.needing_output[0]} needs the base's output", hint="give BASE beside the baseline")


def _scored(context: Context, chosen: Measure, system: str) -> Score:
    found = scores(context, [chosen])
    return next(score for score in found.scores if score.system == system)


def _changes(found: Difference) -> tuple[ChangeCount, ...]:
    return tuple(ChangeCount(each.name, each.count, each.share_of_sites, each.where) for each in found.classes)


def _broken(context: Context, checks: Sequence[Check], base: str, new: str, top: int) -> tuple[Examples, ...]:
    """Show the new errors that failing checks count, and a sample of all where one counts none or none fails."""
    failing = [check.where or NEW_ERROR for check in checks if not check.passed]
    found = []
    for where in dict.fromkeys(failing or [NEW_ERROR]):
        selection = selected(context.verdicts, context.view, where, base, new)
        if len(selection):
            found.append(examples(context, selection, top, base, new))
    return tuple(found)
