"""Every two probabilistic outputs as tables: how far they differ, whose errors are whose, what they score together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from comparanda.comparison.beliefs.pairs import ExpectedPair, ExpectedPairs
from comparanda.comparison.beliefs.reading import PairReading
from comparanda.comparison.complement.rates import Rates
from comparanda.show.table import Field, Table, cut

_LABELS, _PAIRS = 20, 45  # how many rows are shown unless told otherwise


def pair_tables(finding: ExpectedPairs, top: int | None) -> tuple[Table, ...]:
    """Return how far pairs differ, which errors are whose, what they score together; for one pair also by label."""
    found = [_differences(finding, top), _rates(finding, top), _joint(finding, top)]
    if len(finding.pairs) == 1 and finding.pairs[0].labels:
        found.append(_by_label(finding.pairs[0], top))
    return tuple(found)


def _readings(pair: ExpectedPair) -> tuple[tuple[str, PairReading], ...]:
    return ("expected", pair.expected), ("decided", pair.decided)


def _differences(finding: ExpectedPairs, top: int | None) -> Table:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("counts", "counts"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("corrections", "corrections", "number"),
        Field("new_errors", "new errors", "number"),
        Field("items", "items", "number"),
        Field("f1_difference", "Δ F1", "points"),
    )
    rows = [
        (
            pair.first,
            pair.second,
            kind,
            each.overlap.diff,
            (each.overlap.low, each.overlap.high),
            each.overlap.corrections,
            each.overlap.new_errors,
            each.overlap.items,
            each.overlap.f1_difference,
        )
        for pair in finding.pairs
        for kind, each in _readings(pair)
    ]
    kept, notes = _cut(rows, top)
    said = "expected: each system's world is drawn as it believes, apart from the other's; decided: the hard outputs"
    title = "Pairs of probabilistic outputs: entities and wrong tuples on which they differ"
    return Table("expected-pairs", title, fields, kept, (*notes, said))


def _rates(finding: ExpectedPairs, top: int | None) -> Table:
    shown = [("comp", "Comp"), ("pcomp", "PComp"), ("rcomp", "RComp"), ("fcomp", "FComp")]
    if finding.beta != 1:
        shown.append(("fbeta", f"F{finding.beta:g}Comp"))
    fields = [Field("system", "errors of"), Field("other", "not made by"), Field("counts", "counts")]
    for key, name in shown:
        fields += [Field(key, name, "share"), Field(f"{key}_interval", "95 % interval", "interval")]
    pairs = [
        (rates, kind)
        for pair in finding.pairs
        for way in ("forth", "back")
        for kind, each in _readings(pair)
        for rates in [getattr(each, way)]
    ]
    rows = [(rates.system, rates.other, kind, *_rate_cells(rates, [key for key, _ in shown])) for rates, kind in pairs]
    kept, notes = _cut(rows, top)
    reasons = dict.fromkeys(
        rate.reason for rates, _ in pairs for rate in (rates.comp, rates.pcomp, rates.rcomp) if rate.reason
    )
    title = "Complementarity: which share of a system's errors another does not make"
    return Table(
        "expected-complementarity", title, tuple(fields), kept, (*notes, *(f"n/a: {each}" for each in reasons))
    )


def _rate_cells(rates: Rates, keys: Sequence[str]) -> list[Any]:
    return [cell for key in keys for rate in [getattr(rates, key)] for cell in (rate.value, (rate.low, rate.high))]


def _joint(finding: ExpectedPairs, top: int | None) -> Table:
    fields = (
        Field("of", "of"),
        Field("counts", "counts"),
        Field("made", "taken"),
        Field("precision", "precision", "share"),
        Field("recall", "recall", "share"),
        Field("f1", "F1", "share"),
        Field("over", "best alone"),
        Field("f1_gain", "Δ F1", "points"),
    )
    outputs = [
        (f"{pair.first}, {pair.second}", kind, each.joint) for pair in finding.pairs for kind, each in _readings(pair)
    ]
    if len(finding.pairs) > 1:
        outputs += [
            ("all", kind, each) for kind, each in (("expected", finding.expected), ("decided", finding.decided))
        ]
    rows = [
        (of, kind, each.made, each.precision, each.recall, each.f1, each.over, each.f1_gain)
        for of, kind, joint in outputs
        for each in joint
    ]
    kept, notes = _cut(rows, top, each=6)
    return Table("expected-joint", "What probabilistic outputs score together", fields, kept, notes)


def _by_label(pair: ExpectedPair, top: int | None) -> Table:
    fields = (
        Field("label", "label"),
        Field("key", "in key", "number"),
        Field("found_by_both", "found by both", "number"),
        Field("found_by_first", f"{pair.first} alone", "number"),
        Field("found_by_second", f"{pair.second} alone", "number"),
        Field("spurious_in_both", "spurious in both", "number"),
        Field("spurious_in_first", f"{pair.first} alone", "number"),
        Field("spurious_in_second", f"{pair.second} alone", "number"),
        Field("diff", "diff", "share"),
        Field("f1_difference", "Δ F1", "points"),
    )
    rows = [
        (
            each.label,
            mine.key,
            mine.found_by_both,
            mine.found_by_first,
            mine.found_by_second,
            mine.spurious_in_both,
            mine.spurious_in_first,
            mine.spurious_in_second,
            mine.diff,
            mine.f1_difference,
        )
        for each in pair.labels
        for mine in [each.expected.overlap]
    ]
    kept, notes = cut(list(rows), top, _LABELS, "label", "labels")
    return Table("expected-labels", f"Expected counts by label: {pair.first}, {pair.second}", fields, kept, notes)


def _cut(
    rows: Iterable[tuple[Any, ...]], top: int | None, each: int = 2
) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    """Keep the rows of all pairs of ten systems at least, for none of them is the first."""
    return cut(list(rows), max(top, each * _PAIRS) if top else top, each * _PAIRS, "row", "rows")
