"""What systems could do together, as tables."""

from __future__ import annotations

from typing import Any

from comparanda.comparison.combine import Combination, ItemOracle, OracleRow
from comparanda.expressions import quote
from comparanda.show.cells import cell
from comparanda.show.links import Link, narrowed
from comparanda.show.table import NO_SITES, Field, Linked, Table, cut

_ORACLE_LABELS = 10  # how many rows are shown unless told otherwise
_ALL, _OWN = "(all)", "(in the key)"


def combination_tables(finding: Combination, top: int | None) -> tuple[Table, ...]:
    """Return upper bound, greedy curve, hardness and agreement."""
    return (
        _oracle_table(finding, top),
        _greedy_table(finding),
        _hardness_table(finding),
        _agreement_table(finding),
    )


def _oracle_table(finding: Combination, top: int | None) -> Table:
    fields = (
        Field("label", "key label" if finding.own is None else "kind"),
        Field("sites", "sites", "count"),
        *(Field(run, run, "share") for run in finding.runs),
        Field("oracle", "oracle", "share"),
        Field("gain_over_best", f"over {finding.best}", "points"),
        Field("gain_over_best_here", "over best here", "points"),
    )
    labels, notes = cut([_oracle_row(finding, row) for row in finding.labels], top, _ORACLE_LABELS, "label", "labels")
    first = [(row, name) for row, name in ((finding.overall, _ALL), (finding.own, _OWN)) if row is not None]
    rows = (*((name, *_oracle_row(finding, row)[1:]) for row, name in first), *labels)
    best = set()
    marks = {}
    for number, row in enumerate([*(row for row, _ in first), *finding.labels][: len(rows)]):
        for place, run in enumerate(finding.runs):
            if run in row.highest and row.lowest:
                best.add((number, place + 2))
            if run in row.lowest:
                marks[number, place + 2] = "↓"
    below = [*notes, "oracle: right where at least one is (an upper bound of any combination); ↓ lowest"]
    if finding.unsolved:
        below.append(f"solved by none: {', '.join(finding.unsolved)}")
    if finding.items is not None:
        below.append(_item_oracle(finding.items))
    if not finding.overall.sites:
        below.append(NO_SITES)
    span = cell("interval", (finding.low, finding.high))
    return Table(
        "oracle",
        f"Upper bound of combination, 95 % interval {span}",
        fields,
        rows,
        tuple(below),
        frozenset(best),
        marks,
    )


def _item_oracle(items: ItemOracle) -> str:
    found = ", ".join(
        f"{name} {cell('share', value)}"
        for name, value in (("precision", items.precision), ("recall", items.recall), ("F1", items.f1))
    )
    return f"over items (found by any, wrong only if claimed by all): {found}"


def _oracle_row(finding: Combination, row: OracleRow) -> tuple[Any, ...]:
    """Let shares lead to the sites that are right."""
    right = (Link(narrowed(row.sites_where, f"right({quote(run)})"), view=finding.view) for run in finding.runs)
    return (
        row.label,
        Linked(row.sites, Link(row.sites_where, view=finding.view)),
        *map(Linked, row.shares, right),
        Linked(row.oracle, Link(row.where, view=finding.view)),
        row.gain_over_best,
        row.gain_over_best_here,
    )


def _greedy_table(finding: Combination) -> Table:
    fields = (
        Field("run", "system"),
        Field("accuracy", "oracle so far", "share"),
        Field("gain", "sites added", "count"),
        Field("complementarity", "Comp(so far, it)", "share"),
        Field("unique", "only it is right", "count"),
    )
    alone = {each.run: Linked(each.count, Link(each.where, view=finding.view)) for each in finding.unique}
    rows: list[tuple[Any, ...]] = []
    taken: list[str] = []
    for step in finding.greedy:
        taken.append(f"right({quote(step.run)})")
        so_far = Linked(step.accuracy, Link(" or ".join(taken), view=finding.view))
        gain = Linked(step.gain, Link(step.where, view=finding.view))
        rows.append((step.run, so_far, gain, step.complementarity, alone[step.run]))
    return Table("greedy", "What each adds: the best first, then the largest gain", fields, tuple(rows))


def _hardness_table(finding: Combination) -> Table:
    fields = (Field("solved_by", "solved by", "figure"), Field("count", "sites", "count"), Field("share", "%", "share"))
    rows = tuple(
        (each.solved_by, Linked(each.count, link), Linked(each.share, link))
        for each in finding.hardness
        for link in [Link(each.where, view=finding.view)]
    )
    return Table("hardness", f"Hardness: sites by how many of {len(finding.runs)} are right", fields, rows)


def _agreement_table(finding: Combination) -> Table:
    fields = (
        Field("agree", "agree", "figure"),
        Field("sites", "sites", "count"),
        Field("accuracy", "majority right", "share"),
    )
    rows = tuple(
        (
            each.agree,
            Linked(each.sites, Link(each.where, view=finding.view)),
            Linked(each.accuracy, Link(each.where_right, view=finding.view)),
        )
        for each in finding.agreement
    )
    return Table("agreement", "Accuracy of the majority by how many agree", fields, rows)
