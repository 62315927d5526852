"""Scores on slices of the sites, and tests of two systems on each slice, corrected for multiple testing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.text_columns import Column, TextColumn
from comparanda.errors import UsageError
from comparanda.expressions import quote_name
from comparanda.expressions.names import OF_ALL
from comparanda.findings.context import LOST, Context, is_value, none_if_nan
from comparanda.findings.significance import benjamini_hochberg, test_by_randomisation
from comparanda.findings.table_links import join_conditions, right_link
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table, cut_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from comparanda.core.measures import Measure
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Rows


MOST_SLICES = 200
_BINS = 5


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One slice.

    Args:
        value: the value that its sites share.
        sites: the number of sites.
        scores: the measure of each system; None where undefined.
        difference: the new system's score less the base's.
        p: the two-sided p of the randomisation test inside the slice.
        p_corrected: the same after the Benjamini–Hochberg correction for all slices.
        where: the condition that selects its sites.

    """

    value: str
    sites: int
    scores: tuple[float | None, ...]
    difference: float | None
    p: float | None
    p_corrected: float | None
    where: str


@dataclass(frozen=True, kw_only=True)
class Slices(Finding):
    """The scores of all systems by one attribute; `left_out` counts sites of slices beyond the limit.

    The measure is the one requested, or the first of the view that can be computed on a subset of the sites;
    `reasons` explain why a measure or a test is n/a.
    """

    json_name = "slices"

    view: str
    by: str
    measure: str
    reasons: tuple[str, ...]
    systems: tuple[str, ...]
    base: str | None
    new: str | None
    left_out: int
    slices: tuple[Slice, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return (slice_table(self, top),)


def compute_slices(
    context: Context,
    by: str,
    column: Column,
    base: str | None,
    *,
    new: str | None,
    wanted: Measure | None = None,
    of_pair: bool = False,
    cells: Column | None = None,
) -> Slices:
    """Slice the sites by a column and score each slice by one measure; test the pair where one is given.

    The slices show all systems, or the pair alone; they then do not depend on the other systems. Where sites are
    only counted, `cells` is the column of their kinds.
    """
    whole = column if cells is None else _join_columns(context.sites, by, column, cells)
    found = [_SliceRows(context.sites, *each) for each in _split_by(by, whole)]
    if isinstance(column, TextColumn):
        found.sort(key=lambda each: (-each.size, each.value))
    del whole, column, cells  # large for a large corpus, and no longer needed
    kept, dropped = found[:MOST_SLICES], found[MOST_SLICES:]
    places = {system.name: place for place, system in enumerate(context.systems)}
    pair = [(places[base], places[new])] if base is not None and new is not None else []
    shown = {name: place for name, place in places.items() if not of_pair or name in {base, new}}
    chosen, reason = _choose_measure(context, wanted)
    rows, tests = [], []
    for each in kept:
        values, test = _score_slice(context, each, chosen, pair)
        tests.append(test)
        rows.append((each.value, each.size, values, each.where))
    if wanted is not None and any(score is not None for _, _, values, _ in rows for score in values):
        reason = ()  # the measure is defined on slices of whole documents
    ps = [p for p, _ in tests]
    corrected = benjamini_hochberg(ps)
    table = []
    for (value, size, values, where), p, adjusted in zip(rows, ps, corrected, strict=True):
        gap = _score_difference(values, pair[0]) if pair else None
        table.append(
            Slice(
                value=value,
                sites=size,
                scores=tuple(values[place] for place in shown.values()),
                difference=gap,
                p=p,
                p_corrected=adjusted,
                where=where,
            )
        )
    return Slices(
        view=context.view.name,
        by=by,
        measure=chosen.name,
        reasons=(*reason, *_untested_reasons(tests)),
        systems=tuple(shown),
        base=base,
        new=new,
        left_out=sum(each.size for each in dropped),
        slices=tuple(table),
    )


class _SliceRows:
    """One slice: its name, its sites, and the condition that selects them.

    Args:
        sites: all sites.
        value: the name of the slice.
        places: the rows of its sites; numbers from `sites.rows` on are kinds of sites that are only counted.
        where: the condition.

    """

    def __init__(self, sites: Sites, value: str, places: Rows, where: str) -> None:
        self.value, self.where = value, where
        self.rows, self.cells = places[places < sites.rows], places[places >= sites.rows] - sites.rows
        self.size = len(self.rows)
        if sites.folded is not None:
            self.size += int(sites.folded.count[self.cells].sum())


def _score_slice(
    context: Context, cut: _SliceRows, chosen: Measure, pair: list[tuple[int, int]]
) -> tuple[list[float | None], tuple[float | None, str]]:
    """Return the scores of the systems on a slice, and p with its method where a pair is given.

    A slice of a large corpus is itself large, so it is released before the next one is built.
    """
    inner = replace(context, view=context.view.narrowed(cut.rows, context.verdicts.unit_of, cut.cells))
    statistics = inner.statistics([chosen])
    scores = inner.by_system(inner.finished(chosen, {name: part.sum(axis=0) for name, part in statistics.items()}))
    test = test_by_randomisation(inner, chosen, statistics, pair)[0] if pair else (None, "")
    return [none_if_nan(score) for score in scores], test


def _join_columns(sites: Sites, by: str, column: Column, cells: Column) -> Column:
    """Concatenate the columns of rows and of kinds of sites.

    Numbers are binned at quintiles, which are known only if each kind is one site, or if distinct values are few.
    """
    single = sites.folded is not None and bool((sites.folded.count == 1).all())
    if isinstance(column, TextColumn) and isinstance(cells, TextColumn) and column.names == cells.names:
        return TextColumn(np.concatenate([column.codes, cells.codes]), column.names, column.missing)
    if not isinstance(column, TextColumn) and not isinstance(cells, TextColumn):
        joined = np.concatenate([column, cells])
        if single or joined.dtype == np.bool_ or len(np.unique(joined)) <= _BINS:
            return joined
    raise make_only_counted_error(by)


def make_only_counted_error(by: str) -> UsageError:
    """Make the error for slicing by an attribute that is unknown for sites that are only counted."""
    what = f"scores cannot be sliced by {by!r}: sites that all systems have right are stored as counts only"
    return UsageError(what, hint="give it as --by when comparing, or raise --memory")


def by_all_systems(finding: Slices) -> bool:
    """Whether sites are sliced by a property of all systems together, such as how many are right."""
    return finding.by in OF_ALL


def _choose_measure(context: Context, wanted: Measure | None) -> tuple[Measure, tuple[str, ...]]:
    """Choose the measure for slices, and explain why it is not the main one or why that is undefined."""
    some = replace(context, view=context.view.narrowed(np.arange(0)))
    main = wanted or context.measures[0]
    if not some.lost(main):
        return main, ()
    chosen = main if wanted else next((each for each in context.measures if not some.lost(each)), main)
    return chosen, (f"{main} is n/a: {LOST}",)


def _untested_reasons(tests: list[tuple[float | None, str]]) -> tuple[str, ...]:
    """Write the reasons why slices were not tested, each once."""
    why = Counter(method.removeprefix("n/a: ") for p, method in tests if p is None and method.startswith("n/a"))
    return tuple(f"p is n/a in {count:,} of {len(tests):,} slices: {reason}" for reason, count in sorted(why.items()))


def _score_difference(values: list[float | None], pair: tuple[int, int]) -> float | None:
    base, new = values[pair[0]], values[pair[1]]
    return None if base is None or new is None else new - base


def _split_by(by: str, column: Column) -> Iterator[tuple[str, Rows, str]]:
    """Yield the name, the sites and the condition of each non-empty slice."""
    name = quote_name(by)
    if isinstance(column, TextColumn):
        for code, rows in _group_rows(column.codes.astype(np.int64)):
            if code == column.missing:
                yield "(none)", rows, f"is_missing({name})"
            else:
                yield column.names[code], rows, is_value(name, column.names[code])
    elif column.dtype == np.bool_:
        for code, rows in _group_rows(column.astype(np.int64)):
            yield ("yes", rows, name) if code else ("no", rows, f"not {name}")
    else:
        yield from _bin_numbers(name, column.astype(np.float64))


def _group_rows(codes: Rows) -> Iterator[tuple[int, Rows]]:
    order = np.argsort(codes, kind="stable")
    values = codes[order]
    cuts = np.flatnonzero(np.diff(values)) + 1
    for rows in np.split(order, cuts):
        if rows.size:
            yield int(codes[rows[0]]), rows


def _bin_numbers(name: str, numbers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Iterator[tuple[str, Rows, str]]:
    """Bin numbers at their quintiles; if distinct values are few, each is a slice."""
    known = numbers[~np.isnan(numbers)]
    distinct = np.unique(known)
    if len(distinct) <= _BINS:
        for value in distinct.tolist():
            yield f"{value:.17g}", np.flatnonzero(numbers == value), f"{name} == {value:.17g}"
    else:
        edges = np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1), method="inverted_cdf"))
        for low, high in zip([-np.inf, *edges[1:-1]], edges[1:], strict=True):
            rows = np.flatnonzero((numbers > low) & (numbers <= high))
            inside = numbers[rows]
            first, last = inside.min(), inside.max()
            where = f"{name} >= {first:.17g} and {name} <= {last:.17g}"
            yield (f"{first:g}–{last:g}" if first < last else f"{first:g}"), rows, where
    missing = np.flatnonzero(np.isnan(numbers))
    if missing.size:
        yield "(none)", missing, f"is_missing({name})"


# Scores on slices of the sites, as a table.


_SHOWN_SLICES = 20  # the default number of rows


def slice_table(finding: Slices, top: int | None, *, of_pair: bool = False) -> Table:
    """Put slices in rows; they show all systems, or the pair of a difference.

    A property of all systems cannot be selected on the sites of a pair, so such slices have no links.
    """
    linked = not (of_pair and by_all_systems(finding))
    fields = [
        Field("value", finding.by),
        Field("sites", "sites", "count" if linked else "figure"),
        *(Field(system, system, "share") for system in finding.systems),
    ]
    rows: list[tuple[Any, ...]] = []
    for each in finding.slices:
        links = _slice_links(finding, each, of_pair=of_pair) if linked else [None, *(None for _ in finding.systems)]
        rows.append((each.value, *map(Linked, (each.sites, *each.scores), links)))
    if finding.base is not None:
        name = f"Δ {finding.base} → {finding.new}"
        fields += [Field("difference", name, "points"), Field("p", "p", "p"), Field("p_corrected", "p (BH)", "p")]
        rows = [
            (*row, each.difference, each.p, each.p_corrected) for row, each in zip(rows, finding.slices, strict=True)
        ]
    kept, notes = cut_rows(rows, top=top, usual=_SHOWN_SLICES, one="slice", many="slices")
    if finding.left_out:
        notes = (*notes, f"{finding.left_out:,} sites in slices beyond the limit are not shown")
    title = f"{finding.measure} by {finding.by}"
    return Table(
        name=f"by-{finding.by}", title=title, fields=tuple(fields), rows=kept, notes=(*notes, *finding.reasons)
    )


def _slice_links(finding: Slices, each: Slice, *, of_pair: bool) -> list[Link | None]:
    """Return links to the sites of a slice, and from accuracies to the sites that each system has right."""
    pair = (finding.base, finding.new) if of_pair else (None, None)
    right = [right_link(finding.measure, finding.view, system, each.where) for system in finding.systems]
    if any(link is None or link.view != finding.view for link in right):
        right = [None for _ in right]  # slices are taken from the finding's own view
    elif of_pair:
        sides = ["base_right" if system == finding.base else "new_right" for system in finding.systems]
        right = [Link(join_conditions(each.where, side), *pair, finding.view) for side in sides]
    return [Link(each.where, *pair, finding.view), *right]
