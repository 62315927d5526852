"""Complementarity as tables: rates, the integers behind them, what union and intersection score, advice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from comparanda.findings.complement import (
    Against,
    AgainstRow,
    Complementarity,
    ComplementPair,
    Joint,
    LabelComplement,
    Rates,
)
from comparanda.render.links import Link
from comparanda.render.table import UNDEFINED, Field, Linked, Table, cell, counted, cut

if TYPE_CHECKING:
    from comparanda.findings.complement import Rate
    from comparanda.findings.diversity import Diversity, Pattern
    from comparanda.render.charts import Group, MatrixCell, MatrixChart, UpSetChart


_PAIRS, _LABELS, _MATRIX, _ADVICE = 45, 20, 12, 10  # how many rows or columns are shown unless told otherwise
_REST = {"one": "pair", "many": "pairs"}


def complement_tables(finding: Complementarity, top: int | None) -> tuple[Table, ...]:
    """Return the rates of all ordered pairs, the counts behind them, and what each pair could do together."""
    found = [_rate_table(finding, top), *_matrix(finding), _count_table(finding, top)]
    if all(pair.ceiling is None for pair in finding.pairs):
        found.append(_joint_table(finding, top))
    found[-1] = replace(found[-1], notes=(*found[-1].notes, *_advised(finding, top)))
    if len(finding.pairs) == 1 and finding.pairs[0].labels:
        found.append(_label_table(finding, finding.pairs[0], top))
    return tuple(found)


def _rate_table(finding: Complementarity, top: int | None) -> Table:
    fields = (Field("system", "errors of"), Field("other", "not made by"), *_rate_fields(finding))
    rows = [
        (rates.system, rates.other, *_rate_cells(finding, rates, spared))
        for pair in finding.pairs
        for rates, spared in _both_ways(finding, pair, pair)
    ]
    kept, notes = cut(rows, _at_least(top), _PAIRS, **_REST)
    title = f"Complementarity: which share of a system's errors another does not make (Comp over {finding.over})"
    reasons = {
        f"n/a: {rate.reason}"
        for pair in finding.pairs
        for rates in (pair.forth, pair.back)
        for rate in (rates.comp, rates.pcomp, rates.rcomp)
        if rate.reason is not None
    }
    return Table(
        name="complementarity", title=title, fields=fields, rows=kept, notes=(*notes, *sorted(reasons), *finding.notes)
    )


def _rate_fields(finding: Complementarity) -> tuple[Field, ...]:
    shown = [("comp", "Comp"), ("pcomp", "PComp"), ("rcomp", "RComp"), ("fcomp", "FComp")]
    if finding.beta != 1:
        shown.append(("fbeta", f"F{finding.beta:g}Comp"))
    pairs = [(Field(key, name, "share"), Field(f"{key}_interval", "95 % interval", "interval")) for key, name in shown]
    return tuple(field for pair in pairs for field in pair)


def _rate_cells(finding: Complementarity, rates: Rates, spared: Mapping[str, Link]) -> tuple[Any, ...]:
    """Return rates and their intervals; those that are plain shares of errors lead to what the other does not make."""
    shown = ("comp", "pcomp", "rcomp", "fcomp", *(("fbeta",) if finding.beta != 1 else ()))
    cells = [(getattr(rates, kind), spared.get(kind)) for kind in shown]
    return tuple(cell for rate, link in cells for cell in (Linked(rate.value, link), (rate.low, rate.high)))


def _both_ways(
    finding: Complementarity, pair: ComplementPair, row: ComplementPair | LabelComplement
) -> Iterable[tuple[Rates, dict[str, Link]]]:
    """Yield the rates of a pair in both directions, each with what leads to the errors that the other does not make.

    Where there is no such error nothing leads to it: the rate may then be 0, or 1 because nobody errs.
    """
    mine = row.overlap
    for rates, wrong, spurious, found in (
        (row.forth, mine.wrong_in_first, mine.spurious_in_first, mine.found_by_second),
        (row.back, mine.wrong_in_second, mine.spurious_in_second, mine.found_by_first),
    ):
        cells = {"comp": (spurious, found) if wrong is None else (wrong,), "pcomp": (spurious,), "rcomp": (found,)}
        conditions = {key: " or ".join(each.where for each in some if each.count) for key, some in cells.items()}
        links = {key: Link(where, pair.first, pair.second, finding.view) for key, where in conditions.items() if where}
        yield rates, links


def _matrix(finding: Complementarity) -> tuple[Table, ...]:
    """Return FComp, or Comp over sites, of every system (rows) by every other (columns), if they are not too many."""
    names = list(dict.fromkeys(name for pair in finding.pairs for name in (pair.first, pair.second)))
    if not 2 < len(names) <= _MATRIX:
        return ()
    kind, title = ("fcomp", "FComp") if finding.over == "items" else ("comp", "Comp")
    found = {
        (rates.system, rates.other): Linked(getattr(rates, kind).value, spared.get(kind))
        for pair in finding.pairs
        for rates, spared in _both_ways(finding, pair, pair)
    }
    rows = []
    for name in names:
        others = ("" if name == other else found[name, other] for other in names)
        rows.append((name, *others))
    fields = (Field("system", "errors of"), *(Field(name, name, "share") for name in names))
    return (
        Table(
            name="matrix",
            title=f"{title}: errors of the row that the column does not make",
            fields=fields,
            rows=tuple(rows),
        ),
    )


def _count_table(finding: Complementarity, top: int | None) -> Table:
    fields = [
        Field("first", "first"),
        Field("second", "second"),
        Field("found_by_both", "found by both", "count"),
        Field("found_by_first", "first alone", "count"),
        Field("found_by_second", "second alone", "count"),
        Field("found_by_neither", "neither", "count"),
        Field("spurious_in_both", "spurious in both", "count"),
        Field("spurious_in_first", "first alone", "count"),
        Field("spurious_in_second", "second alone", "count"),
    ]
    rows = [(pair.first, pair.second, *_overlap_cells(finding, pair)) for pair in finding.pairs]
    if finding.over == "sites":
        fields += [
            Field("wrong_in_both", "sites wrong in both", "count"),
            Field("wrong_in_first", "first alone", "count"),
            Field("wrong_in_second", "second alone", "count"),
        ]
    kept, notes = cut(rows, _at_least(top), _PAIRS, **_REST)
    return Table(
        name="overlap",
        title="The integers behind: items of the key found, items beside it claimed",
        fields=tuple(fields),
        rows=kept,
        notes=notes,
    )


def _overlap_cells(finding: Complementarity, pair: ComplementPair) -> tuple[Linked, ...]:
    overlap = pair.overlap
    cells = [
        overlap.found_by_both,
        overlap.found_by_first,
        overlap.found_by_second,
        overlap.found_by_neither,
        overlap.spurious_in_both,
        overlap.spurious_in_first,
        overlap.spurious_in_second,
    ]
    if finding.over == "sites":
        cells += [each for each in (overlap.wrong_in_both, overlap.wrong_in_first, overlap.wrong_in_second) if each]
    return tuple(Linked(cell.count, Link(cell.where, pair.first, pair.second, finding.view)) for cell in cells)


def _joint_table(finding: Complementarity, top: int | None) -> Table:
    fields = (
        Field("first", "first"),
        Field("second", "second"),
        Field("made", "taken"),
        Field("precision", "precision", "share"),
        Field("recall", "recall", "share"),
        Field("f1", "f1", "share"),
        Field("over", "against"),
        Field("f1_gain", "Δ f1", "points"),
        Field("f1_gain_interval", "95 % interval", "points_interval"),
    )
    rows = []
    for pair in finding.pairs:
        for made, each in (("union", pair.union), ("intersection", pair.intersection)):
            rows.append((pair.first, pair.second, made, *_joint_cells(each)))
    kept, notes = cut(rows, top=_at_least(top), usual=2 * _PAIRS, one="row", many="rows")
    return Table(
        name="joint",
        title="What union and intersection score, beside the better of the two",
        fields=fields,
        rows=kept,
        notes=notes,
    )


def _joint_cells(each: Joint | None) -> tuple[Any, ...]:
    if each is None:
        return None, None, None, "", None, (None, None)
    return each.precision, each.recall, each.f1, each.over, each.f1_gain, (each.low, each.high)


def _advised(finding: Complementarity, top: int | None) -> tuple[str, ...]:
    """Return what to do with each pair, and for a single one how the paper reads its rates."""
    rows = [(f"{pair.first} and {pair.second}: {pair.advice.measured}",) for pair in finding.pairs]
    kept, more = cut(rows, top, _ADVICE, **_REST)
    paper = finding.pairs[0].advice.paper if len(finding.pairs) == 1 else ()
    return (*(text for (text,) in kept), *more, *(f"as the paper reads it: {text}" for text in paper))


def _label_table(finding: Complementarity, pair: ComplementPair, top: int | None) -> Table:
    rows = [
        (row.label, rates.system, rates.other, *_rate_cells(finding, rates, spared))
        for row in pair.labels
        for rates, spared in _both_ways(finding, pair, row)
    ]
    fields = (
        Field("label", "label"),
        Field("system", "errors of"),
        Field("other", "not made by"),
        *_rate_fields(finding),
    )
    kept, notes = cut(rows, top=top, usual=2 * _LABELS, one="row", many="rows")
    return Table(
        name="labels", title="Complementarity by label, the most frequent first", fields=fields, rows=kept, notes=notes
    )


def _at_least(top: int | None) -> int | None:
    """Return how many pairs to show: none of them is the first."""
    return max(top, _PAIRS) if top else top


def against_table(finding: Against, top: int | None) -> Table:
    """Return one row a system."""
    fields = (
        Field("system", "system"),
        *(
            field
            for key, name in (("precision", "Δ P"), ("recall", "Δ R"), ("f1", "Δ F1"))
            for field in (Field(key, name, "points"), Field(f"{key}_interval", "95 % interval", "points_interval"))
        ),
        Field("pcomp", "PComp", "share"),
        Field("rcomp", "RComp", "share"),
        Field("fcomp", "FComp", "share"),
        Field("diff", "diff", "share"),
        Field("corrections", "corrections", "count"),
        Field("new_errors", "new errors", "count"),
    )
    kept, notes = cut(
        [_against_row(finding, row) for row in finding.rows],
        top=_at_least(top),
        usual=_PAIRS,
        one="system",
        many="systems",
    )
    below = f"PComp, RComp, FComp: the share of {finding.baseline}'s errors that the system does not make"
    return Table(
        name="baseline",
        title=f"Every system against {finding.baseline}",
        fields=fields,
        rows=kept,
        notes=(*notes, below),
    )


def _against_row(finding: Against, row: AgainstRow) -> tuple[Any, ...]:
    gains = (cell for gain in (row.precision, row.recall, row.f1) for cell in (gain.value, (gain.low, gain.high)))

    def linked(value: float | None, where: str) -> Linked:
        return Linked(value, Link(where, finding.baseline, row.system, finding.view))

    return (
        row.system,
        *gains,
        *(rate.value for rate in (row.pcomp, row.rcomp, row.fcomp)),
        linked(row.diff, "differs"),
        linked(row.corrections, "correction"),
        linked(row.new_errors, "new_error"),
    )


# Whose errors are whose, as charts: a matrix of all pairs, and who is right together.


_PATTERNS = 20  # how many rows are drawn; the rest stand together
_FEW = 12  # so many systems have cells wide enough for all digits
_NAMED = 6  # how many systems of a pattern are read out


def complement_chart(finding: Complementarity) -> MatrixChart:
    """Return which share of each system's errors every other does not make; FComp where these are of items."""
    from comparanda.render.charts import MatrixChart

    names = tuple(dict.fromkeys(name for pair in finding.pairs for name in (pair.first, pair.second)))
    rates = [
        (pair, each, each.comp if finding.over == "sites" else each.fcomp)
        for pair in finding.pairs
        for each in (pair.forth, pair.back)
    ]
    known = [rate.value for _, _, rate in rates if rate.value is not None]
    writer = _CellWriter(finding, many=len(names) > _FEW, low=min(known, default=0.0), high=max(known, default=1.0))
    cells = {(each.system, each.other): writer.cell(pair, each, rate) for pair, each, rate in rates}
    measure = "Comp" if finding.over == "sites" else "FComp"
    return MatrixChart(
        title="Which errors does another not make?",
        subtitle=f"{measure}: the share (%) of the row's errors that the column does not make; shaded by value",
        description=f"{measure} of every pair of {counted(len(names), 'system')}, in percent: the share of the errors "
        "of one system, in rows, that another, in columns, does not make.",
        across="errors of",
        along="not made by",
        rows=names,
        columns=names,
        cells=tuple(tuple(cells.get((row, column)) for column in names) for row in names),
        name="complementarity",
    )


class _CellWriter:
    """Makes cells, shaded from the lowest value to the highest.

    Args:
        finding: the finding.
        many: whether there are so many systems that cells are narrow and lead nowhere.
        low: the lowest value.
        high: the highest.

    """

    def __init__(self, finding: Complementarity, *, many: bool, low: float, high: float) -> None:
        self.finding, self.many, self.low, self.high = finding, many, low, high

    def cell(self, pair: ComplementPair, rates: Rates, rate: Rate) -> MatrixCell:
        """Make one; where Comp is over sites it leads to those that the one has wrong and the other not."""
        from comparanda.render.charts import MatrixCell
        from comparanda.render.charts.theme import brief

        told = f"errors of {brief(rates.system)} not made by {brief(rates.other)}"
        if rate.value is None:
            return MatrixCell(said=UNDEFINED, told=f"{told}: {UNDEFINED}")
        said = f"{100 * rate.value:.0f}" if self.many else cell("share", rate.value)
        told = f"{told}: {said} %"
        shade = (rate.value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        alone = pair.overlap.wrong_in_first if rates is pair.forth else pair.overlap.wrong_in_second
        if alone is None or self.many:
            return MatrixCell(said=said, told=told, shade=shade)
        link = Link(alone.where, pair.first, pair.second, self.finding.view)
        return MatrixCell(said=said, told=f"{told}, {counted(alone.count, 'site')}", shade=shade, link=link)


def pattern_chart(finding: Diversity) -> UpSetChart:
    """Return who is right together, the most frequent patterns, and the rest in one row."""
    from comparanda.render.charts import Group, UpSetChart

    shown = finding.patterns.patterns[:_PATTERNS]
    groups = [_group(finding, each) for each in shown]
    rest = finding.sites - sum(each.count for each in shown)
    if rest:
        told = counted(finding.patterns.distinct - len(shown), "rarer pattern")
        where = f"not ({' or '.join(f'({each.where})' for each in shown)})"
        groups.append(Group(members=None, count=rest, told=told, link=Link(where, view=finding.view)))
    listed = "; ".join(f"{group.told} {group.count:,}" for group in groups[:5])
    return UpSetChart(
        title="Who is right together?",
        subtitle="a full dot: the system is right; the bar: at how many sites just these are",
        description=f"Sites by which systems have them right, the most frequent first: {listed or 'no sites'}.",
        members=finding.runs,
        groups=tuple(groups),
        name="patterns",
    )


def _group(finding: Diversity, each: Pattern) -> Group:
    from comparanda.render.charts import Group
    from comparanda.render.charts.theme import brief

    right = {*each.right}
    named = ", ".join(map(brief, each.right[:_NAMED])) + (" …" if len(right) > _NAMED else "")
    told = f"{len(right)} of {counted(len(finding.runs), 'system')} right" + (f" ({named})" if named else "")
    return Group(
        members=tuple(run in right for run in finding.runs),
        count=each.count,
        told=told,
        link=Link(each.where, view=finding.view),
    )
