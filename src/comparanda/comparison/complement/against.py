"""Every system against one baseline: what it gains, what it breaks, and which of the baseline's errors it spares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from comparanda.comparison.complement.finding import complementarity
from comparanda.comparison.complement.rates import Rate
from comparanda.comparison.context import Context, intervals
from comparanda.comparison.difference import difference
from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import resampled_scores, scores
from comparanda.errors import UsageError
from comparanda.measures import measure

if TYPE_CHECKING:
    from comparanda.measures import Measure

MEASURES = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Gain:
    """A measure of a system less that of the baseline, with its 95 % interval; None where either is undefined."""

    measure: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class AgainstRow:
    """One system against the baseline.

    Args:
        system: the system.
        precision: the change of precision.
        recall: the change of recall.
        f1: the change of F1.
        comp: Comp(baseline, system): the share of the baseline's errors that the system does not make.
        pcomp: the same of its spurious items.
        rcomp: the same of the items it misses.
        fcomp: the harmonic mean of both.
        sites: the sites at which they are compared, over all pairs of runs.
        different: those at which they differ.
        diff: the same as a share.
        corrections: those that the baseline has wrong and the system right.
        new_errors: those that the baseline has right and the system wrong.

    """

    system: str
    precision: Gain
    recall: Gain
    f1: Gain
    comp: Rate
    pcomp: Rate
    rcomp: Rate
    fcomp: Rate
    sites: int
    different: int
    diff: float | None
    corrections: int
    new_errors: int


@dataclass(frozen=True)
class Against(Finding):
    """All systems against one; counts lead to examples by the conditions `differs`, `correction` and `new_error`."""

    view: str
    baseline: str
    rows: tuple[AgainstRow, ...]


def against(context: Context, baseline: str) -> Against:
    """Compare every other system with a baseline."""
    context.verdicts.system(baseline)
    if len(context.systems) < 2:
        raise UsageError("a baseline and another make two systems", hint=f"there is only {baseline!r}")
    rows = []
    for system in context.systems:
        if system.name == baseline:
            continue
        rates = complementarity(context, systems=[baseline, system.name], labels=False).rates(baseline, system.name)
        found = difference(replace(context, resamples=0), baseline, system.name)
        rows.append(
            AgainstRow(
                system.name,
                *_gains(context, baseline, system.name),
                rates.comp,
                rates.pcomp,
                rates.rcomp,
                rates.fcomp,
                found.sites,
                found.different,
                found.diff,
                found.classes[0].count,
                found.classes[1].count,
            )
        )
    return Against(context.view.name, baseline, tuple(rows))


def _gains(context: Context, baseline: str, system: str) -> tuple[Gain, Gain, Gain]:
    """Return what a system's precision, recall and F1 are above the baseline's; no other system matters."""
    context = context.among(baseline, system)
    chosen = [measure(name) for name in MEASURES]
    table = scores(replace(context, resamples=0), chosen)
    samples = resampled_scores(context, chosen, context.statistics(chosen))
    base, new = ([each.name for each in context.systems].index(name) for name in (baseline, system))

    def gain(each: Measure) -> Gain:
        mine, theirs = table.value(system, each.name), table.value(baseline, each.name)
        if mine is None or theirs is None:
            return Gain(each.name, None, None, None)
        if samples is None:
            return Gain(each.name, mine - theirs, None, None)
        drawn = samples[each.name]
        return Gain(each.name, mine - theirs, *intervals(drawn[:, [new]] - drawn[:, [base]])[0])

    return gain(chosen[0]), gain(chosen[1]), gain(chosen[2])
