"""Diversity as tables: measures of all runs, pairs, agreement patterns, clusters."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.diversity.clusters import Clusters
from comparanda.comparison.diversity.finding import Diversity
from comparanda.comparison.diversity.patterns import Pattern
from comparanda.comparison.diversity.run_pairs import RunPair
from comparanda.comparison.finding import Cell
from comparanda.show.cells import cell, counted
from comparanda.show.dendrogram import dendrogram
from comparanda.show.links import Link
from comparanda.show.table import NO_SITES, Field, Linked, Table, cut

_PAIRS, _PATTERNS = 45, 10  # how many rows are shown unless told otherwise

NAMES = {
    "disagreement": "disagreement (mean over pairs)",
    "kohavi_wolpert": "Kohavi–Wolpert variance",
    "interrater_kappa": "interrater κ (Fleiss)",
    "entropy": "entropy",
    "generalised_diversity": "generalised diversity",
    "coincident_failure_diversity": "coincident failure diversity",
}
"""The measures of all runs as people know them."""


def diversity_tables(finding: Diversity, top: int | None) -> tuple[Table, ...]:
    """Return the measures of all runs, every pair, agreement patterns and clusters."""
    found = [_measure_table(finding)]
    if finding.pairs:
        found.append(_pair_table(finding, top))
    found.append(_pattern_table(finding, top))
    if finding.clusters.merges:
        found += [_tree_table(finding.clusters), _merge_table(finding.clusters)]
    return tuple(found)


def _measure_table(finding: Diversity) -> Table:
    fields = (
        Field("name", "measure"),
        Field("value", "× 100", "share"),
        Field("interval", "95 % interval", "interval"),
        Field("more_diverse", "more diverse if"),
    )
    rows = tuple((NAMES[each.name], each.value, (each.low, each.high), each.more_diverse) for each in finding.measures)
    notes = [
        f"over {counted(finding.sites, 'site')} of the key and all {counted(len(finding.runs), 'run')}; "
        f"mean accuracy {cell('share', finding.mean_accuracy)}, oracle {cell('share', finding.oracle)}",
        *_reasons({NAMES[each.name]: each.reason for each in finding.measures if each.reason is not None}),
    ]
    if finding.clusters.reason is not None and finding.sites:
        notes.append(f"no clusters: {finding.clusters.reason}")
    if not finding.sites:
        notes.append(NO_SITES)
    return Table("diversity", "Diversity of all: are their errors the same?", fields, rows, tuple(notes))


def _reasons(reasons: dict[str, str]) -> list[str]:
    """Write why numbers are undefined, once for each reason."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(name)
    return [f"n/a, {reason}: {', '.join(found)}" for reason, found in names.items()]


def _pair_table(finding: Diversity, top: int | None) -> Table:
    fields = (
        Field("first", "one"),
        Field("second", "other"),
        Field("both_right", "both right", "count"),
        Field("only_first", "only one", "count"),
        Field("only_second", "only other", "count"),
        Field("both_wrong", "both wrong", "count"),
        Field("same_error", "same error", "count"),
        Field("disagreement", "disagreement", "share"),
        Field("disagreement_interval", "95 % interval", "interval"),
        Field("double_fault", "double fault", "share"),
        Field("same_error_rate", "same of wrong", "share"),
        Field("q", "Q", "share"),
        Field("rho", "ρ", "share"),
        Field("error_consistency", "κ", "share"),
    )
    found = [_pair(finding, each) for each in finding.pairs]
    rows, notes = cut(found, top and max(top, _PAIRS), _PAIRS, "pair", "pairs")
    reasons = {reason for each in finding.pairs[: len(rows)] for reason in each.reasons.values()}
    below = [*notes, *(f"n/a: {reason}" for reason in sorted(reasons))]
    below.append("Q, ρ and κ say how much more often both err together than by chance; 100 always, 0 as by chance")
    return Table("pairs", "Diversity of pairs, by right and wrong", fields, rows, tuple(below))


def _pair(finding: Diversity, each: RunPair) -> tuple[Any, ...]:
    """Let shares lead where the counts above their lines do."""

    def linked(value: float | None, *parts: Cell) -> Linked:
        return Linked(value, Link(" or ".join(part.where for part in parts), view=finding.view))

    cells = (each.both_right, each.only_first, each.only_second, each.both_wrong, each.same_error)
    return (
        each.first,
        each.second,
        *(linked(cell.count, cell) for cell in cells),
        linked(each.disagreement, each.only_first, each.only_second),
        (each.low, each.high),
        linked(each.double_fault, each.both_wrong),
        linked(each.same_error_rate, each.same_error),
        each.q,
        each.rho,
        each.error_consistency,
    )


def _pattern_table(finding: Diversity, top: int | None) -> Table:
    fields = (
        Field("right", "right"),
        Field("of", "how many", "figure"),
        Field("count", "sites", "count"),
        Field("share", "%", "share"),
    )
    found = finding.patterns
    rows: list[tuple[Any, ...]] = [
        (_named(each, finding.runs), len(each.right), Linked(each.count, link), Linked(each.share, link))
        for each in found.patterns
        for link in [Link(each.where, view=finding.view)]
    ]
    kept, notes = cut(rows, top, _PATTERNS, "pattern", "patterns")
    if found.rest:
        left = found.distinct - len(found.patterns)
        notes = (*notes, f"{counted(found.rest, 'site')} in {counted(left, 'rarer pattern')} are not listed")
    return Table("patterns", f"Who is right together: {counted(found.distinct, 'pattern')}", fields, kept, notes)


def _named(pattern: Pattern, runs: tuple[str, ...]) -> str:
    """Name those who are right, or those who are not where these are fewer."""
    if not pattern.right:
        return "none right"
    wrong = [run for run in runs if run not in pattern.right]
    if not wrong:
        return "all right"
    if len(wrong) < len(pattern.right):
        return f"all but {', '.join(wrong)}"
    return f"only {', '.join(pattern.right)}"


def _tree_table(finding: Clusters) -> Table:
    fields = (Field("run", "system"), Field("tree", "tree"))
    lines = dendrogram(finding.order, finding.merges)
    highest = cell("share", finding.merges[-1].height)
    note = f"from the left, diff 0, to the right, diff {highest}; each pair at the sites of the key and these two alone"
    title = "Who is alike: clusters by diff, average linkage"
    return Table("tree", title, fields, tuple(zip(finding.order, lines, strict=True)), (note,))


def _merge_table(finding: Clusters) -> Table:
    fields = (
        Field("number", "cluster"),
        Field("left", "of"),
        Field("right", "and"),
        Field("runs", "systems", "figure"),
        Field("height", "mean diff", "share"),
    )
    called: dict[tuple[str, ...], str] = {(name,): name for name in finding.order}
    rows = []
    for number, each in enumerate(finding.merges, start=1):
        both = each.left + each.right
        called[both] = f"#{number}"
        rows.append((called[both], called[each.left], called[each.right], len(both), each.height))
    return Table("clusters", "Clusters, the closest first", fields, tuple(rows))
