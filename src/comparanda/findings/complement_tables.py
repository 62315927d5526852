"""Complementarity as tables: rates, their counts, the scores of union and intersection, advice."""

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
from comparanda.render.count_links import Link
from comparanda.render.table import UNDEFINED, Field, Linked, Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from comparanda.findings.complement import Rate
    from comparanda.findings.diversity import Diversity, Pattern
    from comparanda.render.charts import Group, MatrixCell, MatrixChart, UpSetChart


_SHOWN_PAIRS, _SHOWN_LABELS, _MAX_MATRIX, _SHOWN_ADVICE = 45, 20, 12, 10  # the default number of rows or columns
_PAIR_WORDS = {"one": "pair", "many": "pairs"}


def complement_tables(finding: Complementarity, top: int | None) -> tuple[Table, ...]:
    """Return tables of the rates of all ordered pairs, of their counts, and of each pair's union and intersection."""
    found = [_rate_table(finding, top), *_matrix_tables(finding), _count_table(finding, top)]
    if all(pair.ceiling is None for pair in finding.pairs):
        found.append(_joint_table(finding, top))
    found[-1] = replace(found[-1], notes=(*found[-1].notes, *_advice_notes(finding, top)))
    if len(finding.pairs) == 1 and finding.pairs[0].labels:
        found.append(_label_table(finding, finding.pairs[0], top))
    return tuple(found)


def _rate_table(finding: Complementarity, top: int | None) -> Table:
    fields = (Field("system", "errors of"), Field("other", "not made by"), *_rate_fields(finding))
    rows = [
        (rates.system, rates.other, *_rate_cells(finding, rates, spared))
        for pair in finding.pairs
        for rates, spared in _both_directions(finding, pair, pair)
    ]
    kept, notes = cut_rows(rows, _row_limit(top), _SHOWN_PAIRS, **_PAIR_WORDS)
    title = f"Complementarity: the share of a system's errors that another does not make (Comp over {finding.over})"
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
    """Return rates and their intervals; plain shares of errors link to the errors that the other does not make."""
    shown = ("comp", "pcomp", "rcomp", "fcomp", *(("fbeta",) if finding.beta != 1 else ()))
    cells = [(getattr(rates, kind), spared.get(kind)) for kind in shown]
    return tuple(cell for rate, link in cells for cell in (Linked(rate.value, link), (rate.low, rate.high)))


def _both_directions(
    finding: Complementarity, pair: ComplementPair, row: ComplementPair | LabelComplement
) -> Iterable[tuple[Rates, dict[str, Link]]]:
    """Yield the rates of a pair in both directions, each with links to the errors that the other does not make.

    Where there is no such error there is no link: the rate may then be 0, or 1 because neither makes errors.
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


def _matrix_tables(finding: Complementarity) -> tuple[Table, ...]:
    """Return the matrix of FComp, or Comp over sites, of systems (rows) by systems (columns), if not too many."""
    names = list(dict.fromkeys(name for pair in finding.pairs for name in (pair.first, pair.second)))
    if not 2 < len(names) <= _MAX_MATRIX:
        return ()
    kind, title = ("fcomp", "FComp") if finding.over == "items" else ("comp", "Comp")
    found = {
        (rates.system, rates.other): Linked(getattr(rates, kind).value, spared.get(kind))
        for pair in finding.pairs
        for rates, spared in _both_directions(finding, pair, pair)
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
    kept, notes = cut_rows(rows, _row_limit(top), _SHOWN_PAIRS, **_PAIR_WORDS)
    return Table(
        name="overlap",
        title="Counts: items of the key found, spurious items claimed",
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
    kept, notes = cut_rows(rows, top=_row_limit(top), usual=2 * _SHOWN_PAIRS, one="row", many="rows")
    return Table(
        name="joint",
        title="Scores of union and intersection, compared with the better of the two",
        fields=fields,
        rows=kept,
        notes=notes,
    )


def _joint_cells(each: Joint | None) -> tuple[Any, ...]:
    if each is None:
        return None, None, None, "", None, (None, None)
    return each.precision, each.recall, each.f1, each.over, each.f1_gain, (each.low, each.high)


def _advice_notes(finding: Complementarity, top: int | None) -> tuple[str, ...]:
    """Return the advice on each pair, and for a single pair the paper's interpretation of its rates."""
    rows = [(f"{pair.first} and {pair.second}: {pair.advice.measured}",) for pair in finding.pairs]
    kept, more = cut_rows(rows, top, _SHOWN_ADVICE, **_PAIR_WORDS)
    paper = finding.pairs[0].advice.paper if len(finding.pairs) == 1 else ()
    return (*(text for (text,) in kept), *more, *(f"according to the paper: {text}" for text in paper))


def _label_table(finding: Complementarity, pair: ComplementPair, top: int | None) -> Table:
    rows = [
        (row.label, rates.system, rates.other, *_rate_cells(finding, rates, spared))
        for row in pair.labels
        for rates, spared in _both_directions(finding, pair, row)
    ]
    fields = (
        Field("label", "label"),
        Field("system", "errors of"),
        Field("other", "not made by"),
        *_rate_fields(finding),
    )
    kept, notes = cut_rows(rows, top=top, usual=2 * _SHOWN_LABELS, one="row", many="rows")
    return Table(
        name="labels", title="Complementarity by label, the most frequent first", fields=fields, rows=kept, notes=notes
    )


def _row_limit(top: int | None) -> int | None:
    """Return the number of pairs to show, at least the default: pairs are not ranked."""
    return max(top, _SHOWN_PAIRS) if top else top


def against_table(finding: Against, top: int | None) -> Table:
    """Return the table of gains with one row per system."""
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
    kept, notes = cut_rows(
        [_against_row(finding, row) for row in finding.rows],
        top=_row_limit(top),
        usual=_SHOWN_PAIRS,
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


# Shared errors as charts: a matrix of all pairs, and the agreement patterns of runs.


_SHOWN_PATTERNS = 20  # the number of rows drawn; the rest are combined
_MAX_WIDE_CELLS = 12  # the largest number of systems whose cells are wide enough for all digits
_NAMED_SYSTEMS = 6  # the number of systems of a pattern that are named


def complement_chart(finding: Complementarity) -> MatrixChart:
    """Return the matrix chart of the share of each system's errors that every other does not make; FComp for items."""
    from comparanda.render.charts import MatrixChart

    names = tuple(dict.fromkeys(name for pair in finding.pairs for name in (pair.first, pair.second)))
    rates = [
        (pair, each, each.comp if finding.over == "sites" else each.fcomp)
        for pair in finding.pairs
        for each in (pair.forth, pair.back)
    ]
    known = [rate.value for _, _, rate in rates if rate.value is not None]
    writer = _CellWriter(
        finding, many=len(names) > _MAX_WIDE_CELLS, low=min(known, default=0.0), high=max(known, default=1.0)
    )
    cells = {(each.system, each.other): writer.cell(pair, each, rate) for pair, each, rate in rates}
    measure = "Comp" if finding.over == "sites" else "FComp"
    return MatrixChart(
        title="Which errors does the other system not make?",
        subtitle=f"{measure}: the share (%) of the row's errors that the column does not make; shaded by value",
        description=f"{measure} of every pair of {format_count(len(names), 'system')}, in percent: the share of the "
        "errors of one system, in rows, that another, in columns, does not make.",
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
        many: whether there are so many systems that cells are narrow and have no links.
        low: the lowest value.
        high: the highest.

    """

    def __init__(self, finding: Complementarity, *, many: bool, low: float, high: float) -> None:
        self.finding, self.many, self.low, self.high = finding, many, low, high

    def cell(self, pair: ComplementPair, rates: Rates, rate: Rate) -> MatrixCell:
        """Make one cell; where Comp is over sites, it links to those that only the one system has wrong."""
        from comparanda.render.charts import MatrixCell
        from comparanda.render.charts.theme import shorten_name

        description = f"errors of {shorten_name(rates.system)} not made by {shorten_name(rates.other)}"
        if rate.value is None:
            return MatrixCell(text=UNDEFINED, tooltip=f"{description}: {UNDEFINED}")
        value = f"{100 * rate.value:.0f}" if self.many else format_cell("share", rate.value)
        description = f"{description}: {value} %"
        shade = (rate.value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        alone = pair.overlap.wrong_in_first if rates is pair.forth else pair.overlap.wrong_in_second
        if alone is None or self.many:
            return MatrixCell(text=value, tooltip=description, shade=shade)
        link = Link(alone.where, pair.first, pair.second, self.finding.view)
        return MatrixCell(
            text=value, tooltip=f"{description}, {format_count(alone.count, 'site')}", shade=shade, link=link
        )


def pattern_chart(finding: Diversity) -> UpSetChart:
    """Return the chart of runs that are right together: the most frequent patterns, and the rest in one row."""
    from comparanda.render.charts import Group, UpSetChart

    shown = finding.patterns.patterns[:_SHOWN_PATTERNS]
    groups = [_group(finding, each) for each in shown]
    rest = finding.sites - sum(each.count for each in shown)
    if rest:
        description = format_count(finding.patterns.distinct - len(shown), "rarer pattern")
        where = f"not ({' or '.join(f'({each.where})' for each in shown)})"
        groups.append(Group(members=None, count=rest, tooltip=description, link=Link(where, view=finding.view)))
    listed = "; ".join(f"{group.tooltip} {group.count:,}" for group in groups[:5])
    return UpSetChart(
        title="Which systems are right together?",
        subtitle="filled dot: the system is right; bar: the number of sites at which exactly these are right",
        description=f"Sites by which systems have them right, the most frequent first: {listed or 'no sites'}.",
        members=finding.runs,
        groups=tuple(groups),
        name="patterns",
    )


def _group(finding: Diversity, each: Pattern) -> Group:
    from comparanda.render.charts import Group
    from comparanda.render.charts.theme import shorten_name

    right = {*each.right}
    named = ", ".join(map(shorten_name, each.right[:_NAMED_SYSTEMS])) + (" …" if len(right) > _NAMED_SYSTEMS else "")
    description = f"{len(right)} of {format_count(len(finding.runs), 'system')} right" + (
        f" ({named})" if named else ""
    )
    return Group(
        members=tuple(run in right for run in finding.runs),
        count=each.count,
        tooltip=description,
        link=Link(each.where, view=finding.view),
    )
