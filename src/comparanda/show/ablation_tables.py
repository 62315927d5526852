"""An ablation as a table: the change of the score beside the decisions that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comparanda.show.cells import counted
from comparanda.show.links import EVERY_PAIR, Link, right_link
from comparanda.show.score_tables import stars
from comparanda.show.table import NO_SITES, Field, Linked, Table, cut

if TYPE_CHECKING:
    from comparanda.comparison.ablation import Ablation, Variant
    from comparanda.comparison.complement.rates import Rates

_P = 4  # the column of p
_HEADLINES = ("same score, different decisions", "no significant change, different decisions")
_RATES = (("pcomp", "PComp"), ("rcomp", "RComp"), ("fcomp", "FComp"))


def ablation_tables(finding: Ablation, top: int | None) -> tuple[Table, ...]:
    """Put variants in rows; the heading names those that have the same score and decide otherwise."""
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
        Field("changed_errors", "wrong otherwise", "count"),
        *(Field(f"{key}_spared", f"{name} →", "share") for key, name in _RATES),
        *(Field(f"{key}_added", f"{name} ←", "share") for key, name in _RATES),
    )
    rows, more = cut([_row(finding, each) for each in finding.variants], top, 0, "variant", "variants")
    marks = {(number, _P): mark for number, row in enumerate(rows) if (mark := stars(row[_P]))}
    return (Table("ablation", _title(finding), fields, rows, (*more, *_notes(finding)), marks=marks),)


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
        *_rates(each.spared),
        *_rates(each.added),
    )


def _rates(rates: Rates | None) -> list[float | None]:
    return [None if rates is None else getattr(rates, key).value for key, _ in _RATES]


def _title(finding: Ablation) -> str:
    """Name the variants that decide otherwise at the same score, or at one that is not told apart."""
    found = {reading: [each.system for each in finding.variants if each.reading == reading] for reading in _HEADLINES}
    parts = [f"{reading}: {', '.join(names)}" for reading, names in found.items() if names]
    return "; ".join([f"Ablation of {finding.full}", *parts])


def _notes(finding: Ablation) -> list[str]:
    score = finding.score
    value = f"n/a, {score.reason}" if score.value is None else f"{100 * score.value:.2f}"
    drawn = f"{counted(finding.resamples, 'resample')}, seed {finding.seed}" if finding.resamples else "no resampling"
    notes = [each.sentence for each in finding.variants if each.sentence is not None]
    notes += [
        f"{finding.full}: {finding.measure} {value}; view {finding.view}",
        f"{counted(finding.units, finding.unit)}, {drawn}; p by randomisation, Holm over the variants",
        "hidden: share of decisions that change and that accuracy does not show: they cancel out, or stay wrong",
        f"→: of the errors of {finding.full}, the share that the variant does not make; ←: the other way round",
    ]
    if finding.over_items:
        notes.append(f"{finding.measure} counts items, decisions are counted at sites: neither explains the other")
    if not all(each.sites for each in finding.variants):
        notes.append(NO_SITES)
    undefined = [each for each in finding.variants if each.score.reason]
    notes += [f"{each.system}: {finding.measure} is n/a: {each.score.reason}" for each in undefined]
    notes += _untested(finding)
    return [*notes, *(f"beware: {warning}" for warning in finding.warnings)]


def _untested(finding: Ablation) -> list[str]:
    """Say why changes of the score are not tested, where they are not."""
    methods = sorted({each.change.method for each in finding.variants if each.change.p is None})
    return [f"no test: {method.removeprefix('n/a: ')}" for method in methods]
