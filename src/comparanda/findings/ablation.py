"""An ablation: what changes when a part of a system is removed, and how much of that the score shows.

A score is a sum: decisions that turn right and decisions that turn wrong cancel out in it. So the change of the score
is reported with the share of changed decisions, and the changes that cancel out are counted (DEFINITIONS 2 and 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from comparanda.core.measures import ratio, rests_on_items
from comparanda.errors import UsageError
from comparanda.findings.complement import Rates, compute_complementarity
from comparanda.findings.context import Context, divide_counts
from comparanda.findings.difference import CLASSES, classes_of, find_decisions
from comparanda.findings.scores import Score, compute_scores
from comparanda.findings.significance import LEVEL, PairTest, compute_significance
from comparanda.findings.table_links import EVERY_PAIR, right_link
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_rows, format_count, format_stars

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.verdicts import System


SAME = 0.01
"""A score that changes by at most this, and not significantly, is called the same; above, just not significant."""

MANY = 0.01
"""More than this share of decisions has changed if the whole interval of diff is above it."""

FEW = 0.05
"""Less than this share of decisions has changed if the whole interval of diff is below it."""

Reading = Literal[
    "same score, different decisions",
    "no significant change, different decisions",
    "few decisions, another score",
]


@dataclass(frozen=True, kw_only=True)
class Turned:
    """Decisions that changed in one direction, over all pairs of runs.

    Args:
        count: how many.
        share: of all sites.
        low: the lower end of the 95 % interval of the share.
        high: the upper end.
        where: the condition that selects them, with the full system as base and the variant as new.

    """

    count: int
    share: float | None
    low: float | None
    high: float | None
    where: str


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A system with a part removed, compared with the full one.

    Args:
        system: its name.
        score: its main score.
        change: its score less that of the full system, tested; Holm's correction is for all variants.
        sites: the sites at which both are compared, over all pairs of runs.
        different: decisions that changed.
        corrections: the full system has them wrong, the variant has them right.
        new_errors: the full system has them right, the variant has them wrong.
        changed_errors: both have them wrong, with different values.
        accuracy_change: corrections less new errors, as a share of the sites: the part that a score can show.
        hidden: the other changed decisions: those that cancel out, and changed errors, as a share of the sites.
        hidden_low: the lower end of its 95 % interval.
        hidden_high: the upper end.
        spared: the share of the full system's errors that the variant does not make; None where nothing can be counted.
        added: the share of the variant's errors that the full system does not make.
        reading: the classification of the change, if it is notable.
        sentence: the same as a sentence.

    """

    system: str
    score: Score
    change: PairTest
    sites: int
    different: Turned
    corrections: Turned
    new_errors: Turned
    changed_errors: Turned
    accuracy_change: float | None
    hidden: float | None
    hidden_low: float | None
    hidden_high: float | None
    spared: Rates | None
    added: Rates | None
    reading: Reading | None
    sentence: str | None


@dataclass(frozen=True, kw_only=True)
class Ablation(Finding):
    """A full system and its variants, the one with the largest hidden change first.

    Args:
        view: the view.
        measure: the main measure.
        over_items: whether the measure counts items (spans, links), while decisions are counted at sites.
        full: the full system.
        score: its main score.
        unit: the unit of resampling.
        units: the number of units.
        resamples: the number of resamples.
        seed: the seed of all draws.
        level: below this p (Holm) a change of the score is significant.
        same: readings call a score the same if it changes by at most this.
        many: readings call decisions different if more than this share has changed.
        few: readings call changed decisions few if less than this share has changed.
        warnings: warnings about unreliable intervals and tests.
        variants: the variants.

    """

    json_name = "ablation"

    view: str
    measure: str
    over_items: bool
    full: str
    score: Score
    unit: str
    units: int
    resamples: int
    seed: int
    level: float
    same: float
    many: float
    few: float
    warnings: tuple[str, ...]
    variants: tuple[Variant, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return ablation_tables(self, top)


def compute_ablation(context: Context, full: str) -> Ablation:
    """Compare the full system with its variants: all other systems."""
    whole = context.verdicts.system(full)
    if len(context.systems) < 2:
        raise UsageError(
            "an ablation needs the full system and a variant", hint=f"give another system besides {full!r}"
        )
    main = context.measures[0]
    table = {score.system: score for score in compute_scores(context, [main]).scores}
    tested = compute_significance(context, main, full)
    changes = {test.new: test for test in tested.tests}
    others = [system for system in context.systems if system.name != full]
    variants = [
        _compare_variant(context, whole=whole, system=system, score=table[system.name], change=changes[system.name])
        for system in others
    ]
    return Ablation(
        view=context.view.name,
        measure=main.name,
        over_items=rests_on_items(main),
        full=full,
        score=table[full],
        unit=tested.unit,
        units=tested.units,
        resamples=tested.resamples,
        seed=tested.seed,
        level=LEVEL,
        same=SAME,
        many=MANY,
        few=FEW,
        warnings=tested.warnings,
        variants=tuple(sorted(variants, key=_sort_key)),
    )


def _sort_key(variant: Variant) -> tuple[bool, float, float, str]:
    """Return the sort key of a variant: the largest hidden change first, then the smallest change of the score."""
    hidden, change = variant.hidden, variant.change.difference
    return hidden is None, -(hidden or 0.0), abs(change or 0.0), variant.system


def _compare_variant(context: Context, whole: System, system: System, score: Score, *, change: PairTest) -> Variant:
    pair_context = context.among(whole.name, system.name)
    units = _count_by_unit(pair_context, whole, system)
    *counts, sites = (int(total) for total in units.sum(axis=0))
    gained, lost, _ = counts
    spans = pair_context.interval(units, _changed_shares)
    turned = [
        Turned(count=count, share=divide_counts(count, sites), low=span[0], high=span[1], where=where)
        for count, span, where in zip([sum(counts), *counts], spans[:-1], ("differs", *CLASSES), strict=True)
    ]
    rates = _complement_rates(context, whole.name, system.name)
    reading = _read_change(turned[0], counts, change)
    return Variant(
        system=system.name,
        score=score,
        change=change,
        sites=sites,
        different=turned[0],
        corrections=turned[1],
        new_errors=turned[2],
        changed_errors=turned[3],
        accuracy_change=divide_counts(gained - lost, sites),
        hidden=divide_counts(sum(counts) - abs(gained - lost), sites),
        hidden_low=spans[-1][0],
        hidden_high=spans[-1][1],
        spared=rates[0],
        added=rates[1],
        reading=reading,
        sentence=None
        if reading is None
        else _describe_reading(system.name, reading=reading, sites=sites, turned=turned, change=change),
    )


def _count_by_unit(context: Context, whole: System, system: System) -> NDArray[np.float64]:
    """Count for each unit corrections, new errors, changed errors and all sites, over pairs of runs."""
    units = np.zeros((len(context.active), len(CLASSES) + 1))
    every = context.decided
    for old, fresh in product(whole.runs, system.runs):
        rows, *values = find_decisions(context, old, fresh)
        for number, mask in enumerate(classes_of(*values)):
            units[:, number] += context.unit_counts(rows[mask])
        units[:, -1] += every
    return units


def _changed_shares(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the shares of changed decisions, of those in each direction, and of those that the score cannot show."""
    turned, sites = sums[:, :-1], sums[:, -1:]
    every = turned.sum(axis=1, keepdims=True)
    hidden = every - np.abs(turned[:, :1] - turned[:, 1:2])
    return ratio(np.concatenate([every, turned, hidden], axis=1), sites)


def _complement_rates(context: Context, full: str, variant: str) -> tuple[Rates | None, Rates | None]:
    """Compute the complementarity rates of both directions; none where a view has neither sites nor items."""
    if not len(context.view.items) and not len(context.sites):
        return None, None
    found = compute_complementarity(context, systems=[full, variant], labels=False)
    return found.rates(full, variant), found.rates(variant, full)


def _read_change(different: Turned, counts: list[int], change: PairTest) -> Reading | None:
    """Classify a variant by the changes that the score does not show.

    Different decisions: the change of the score is not significant, the interval shows that more than one decision in
    a hundred has changed, and at most half of the changed ones show in accuracy; the score is the same only if it
    changes by a point at most, because an effect that a test does not find may exist. The reverse: the change is
    significant, and the interval shows that fewer than one decision in twenty has changed. None without intervals.
    """
    if different.low is None or different.high is None:
        return None
    significant = _is_significant(change)
    hidden = 2 * abs(counts[0] - counts[1]) <= different.count
    if not significant and different.low > MANY and hidden:
        same = change.difference is not None and abs(change.difference) <= SAME
        return "same score, different decisions" if same else "no significant change, different decisions"
    return "few decisions, another score" if significant and different.high < FEW else None


def _is_significant(change: PairTest) -> bool:
    """Whether the score has changed significantly: by the test or, where there is none, by the interval."""
    if change.p_holm is not None:
        return change.p_holm < LEVEL
    if change.low is None or change.high is None:
        return False
    return change.low > 0 or change.high < 0


def _describe_reading(variant: str, reading: Reading, sites: int, turned: list[Turned], *, change: PairTest) -> str:
    different, gained, lost, changed = (each.count for each in turned)
    p = "" if change.p_holm is None else f" (p {change.p_holm:.3f})"
    moved = "is undefined" if change.difference is None else f"changes by {100 * change.difference:+.2f} points{p}"
    return (
        f"{variant}: {reading}: the score {moved}, and {different:,} of {sites:,} decisions change: "
        f"{gained:,} turn right, {lost:,} turn wrong, {changed:,} stay wrong differently"
    )


# An ablation as a table: the change of the score and the decisions that changed.


_P_COLUMN = 4  # the column of p
_TITLE_READINGS = ("same score, different decisions", "no significant change, different decisions")
_RATE_NAMES = (("pcomp", "PComp"), ("rcomp", "RComp"), ("fcomp", "FComp"))


def ablation_tables(finding: Ablation, top: int | None) -> tuple[Table, ...]:
    """Put variants in rows; the title names those with the same score but different decisions."""
    fields = (
        Field("system", "variant"),
        Field(finding.measure, finding.measure, "share"),
        Field("change", f"Δ {finding.measure}", "points"),
        Field("change_interval", "95 % interval", "points_interval"),
        Field("p_holm", "p (Holm)", "p"),
        Field("hidden", "hidden", "share"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "changed", "count"),
        Field("sites", "sites", "count"),
        Field("corrections", "turned right", "count"),
        Field("new_errors", "turned wrong", "count"),
        Field("changed_errors", "wrong differently", "count"),
        *(Field(f"{key}_spared", f"{name} →", "share") for key, name in _RATE_NAMES),
        *(Field(f"{key}_added", f"{name} ←", "share") for key, name in _RATE_NAMES),
    )
    rows, more = cut_rows(
        [_row(finding, each) for each in finding.variants], top=top, usual=0, one="variant", many="variants"
    )
    marks = {(number, _P_COLUMN): mark for number, row in enumerate(rows) if (mark := format_stars(row[_P_COLUMN]))}
    return (
        Table(
            name="ablation",
            title=_title(finding),
            fields=fields,
            rows=rows,
            notes=(*more, *_notes(finding)),
            marks=marks,
        ),
    )


def _row(finding: Ablation, each: Variant) -> tuple[Any, ...]:
    different, *turned = (
        Link(found.where, finding.full, each.system, finding.view)
        for found in (each.different, each.corrections, each.new_errors, each.changed_errors)
    )
    counts = (each.corrections.count, each.new_errors.count, each.changed_errors.count)
    return (
        each.system,
        Linked(each.score.value, right_link(finding.measure, finding.view, each.system)),
        each.change.difference,
        (each.change.low, each.change.high),
        each.change.p_holm,
        each.hidden,
        Linked(each.different.share, different),
        (each.different.low, each.different.high),
        Linked(each.different.count, different),
        Linked(each.sites, Link(EVERY_PAIR, finding.full, each.system, finding.view)),
        *map(Linked, counts, turned),
        *_rate_cells(each.spared),
        *_rate_cells(each.added),
    )


def _rate_cells(rates: Rates | None) -> list[float | None]:
    return [None if rates is None else getattr(rates, key).value for key, _ in _RATE_NAMES]


def _title(finding: Ablation) -> str:
    """Name the variants with different decisions at the same score, or at one that is not significantly different."""
    found = {
        reading: [each.system for each in finding.variants if each.reading == reading] for reading in _TITLE_READINGS
    }
    parts = [f"{reading}: {', '.join(names)}" for reading, names in found.items() if names]
    return "; ".join([f"Ablation of {finding.full}", *parts])


def _notes(finding: Ablation) -> list[str]:
    score = finding.score
    value = f"n/a, {score.reason}" if score.value is None else f"{100 * score.value:.2f}"
    drawn = (
        f"{format_count(finding.resamples, 'resample')}, seed {finding.seed}" if finding.resamples else "no resampling"
    )
    notes = [each.sentence for each in finding.variants if each.sentence is not None]
    notes += [
        f"{finding.full}: {finding.measure} {value}; view {finding.view}",
        f"{format_count(finding.units, finding.unit)}, {drawn}; p by randomisation, Holm over the variants",
        "hidden: share of decisions that change without an effect on accuracy: they cancel out, or stay wrong",
        f"→: the share of the errors of {finding.full} that the variant does not make; ←: the reverse",
    ]
    if finding.over_items:
        notes.append(
            f"{finding.measure} counts items, decisions are counted at sites: neither can be derived from the other"
        )
    if not all(each.sites for each in finding.variants):
        notes.append(NO_SITES)
    undefined = [each for each in finding.variants if each.score.reason]
    notes += [f"{each.system}: {finding.measure} is n/a: {each.score.reason}" for each in undefined]
    notes += _untested_notes(finding)
    return [*notes, *(f"warning: {warning}" for warning in finding.warnings)]


def _untested_notes(finding: Ablation) -> list[str]:
    """Write why changes of the score are not tested, where they are not."""
    methods = sorted({each.change.method for each in finding.variants if each.change.p is None})
    return [f"no test: {method.removeprefix('n/a: ')}" for method in methods]
