"""Upper bounds of combining systems: oracle, hardness of sites, greedy curve, agreement (DEFINITIONS 4).

The columns are runs; with one run per system, they are the systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from comparanda.core.measures import ratio, rests_on_items
from comparanda.core.sites import majority_of
from comparanda.core.text_columns import code_type
from comparanda.errors import UsageError, suggest_nearest
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, divide_counts
from comparanda.findings.site_names import name_sites, own_condition, own_sites
from comparanda.findings.table_links import join_conditions
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import NO_SITES, Field, Linked, Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.text_columns import Codes
    from comparanda.render.charts import BarChart, DotPlot, Paper


Order = Literal["frequency", "gain", "gain-here"]
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, kw_only=True)
class OracleRow:
    """The upper bound on the sites of one key label, or of all (tables 9–11).

    Args:
        label: the key label, or the kind of mention; None for all sites.
        sites: the number of sites.
        right: for each run, the number of sites it has right.
        shares: the same as shares.
        oracle_right: the number of sites that at least one run has right.
        oracle: the same as a share.
        gain_over_best: the oracle less the run that is best overall (tables 9–11).
        gain_over_best_here: the oracle less the run that is best on this label.
        highest: the runs with the highest share here.
        lowest: the runs with the lowest share here; none where all are equal.
        where: the condition that selects the sites the oracle has right.
        sites_where: the condition that selects all of its sites.

    """

    label: str | None
    sites: int
    right: tuple[int, ...]
    shares: tuple[float | None, ...]
    oracle_right: int
    oracle: float | None
    gain_over_best: float | None
    gain_over_best_here: float | None
    highest: tuple[str, ...]
    lowest: tuple[str, ...]
    where: str
    sites_where: str


@dataclass(frozen=True)
class Hardness:
    """The number of sites that exactly this many runs have right."""

    solved_by: int
    count: int
    share: float | None
    where: str


@dataclass(frozen=True, kw_only=True)
class GreedyStep:
    """One step of the greedy oracle: the run that adds most to those before it.

    Args:
        run: the run that is added.
        right: the number of sites that the oracle has right with it.
        accuracy: the same as a share.
        gain: the number of sites it adds.
        complementarity: Comp(oracle so far, this run): the share of the remaining errors it does not make.
        where: the condition that selects the sites it adds.

    """

    run: str
    right: int
    accuracy: float | None
    gain: int
    complementarity: float | None
    where: str


@dataclass(frozen=True)
class Contribution:
    """The sites that only one run has right: the oracle's loss if it is left out."""

    run: str
    count: int
    share: float | None
    where: str


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The accuracy of the most frequent answer, by the number of runs that give it. Ties go to the first value."""

    agree: int
    sites: int
    right: int
    accuracy: float | None
    where: str
    where_right: str


@dataclass(frozen=True, kw_only=True)
class ItemOracle:
    """The upper bound over items: a positive found by any run, a negative only if all claim it.

    Args:
        found: the positives that at least one run claims.
        positives: all positives.
        spurious: the negatives that every run claims.
        precision: found over found and spurious.
        recall: found over positives.
        f1: their harmonic mean, from counts.

    """

    found: int
    positives: int
    spurious: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, kw_only=True)
class Combination(Finding):
    """Upper bounds of combining the runs, and the contribution of each run.

    `best` is the best run at the sites of the key, over which the gain of the oracle is computed.
    `own` is the upper bound at the sites of the key alone, where runs raise further sites by their claims: for
    mentions, that of recall (table 11). None where all sites are in the key.
    """

    json_name = "combination"

    view: str
    runs: tuple[str, ...]
    best: str
    low: float | None
    high: float | None
    overall: OracleRow
    own: OracleRow | None
    items: ItemOracle | None
    labels: tuple[OracleRow, ...]
    unsolved: tuple[str, ...]
    hardness: tuple[Hardness, ...]
    greedy: tuple[GreedyStep, ...]
    unique: tuple[Contribution, ...]
    agreement: tuple[Agreement, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return combination_tables(self, top)

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        return (hardness_chart(self), greedy_chart(self)) if self.overall.sites else ()


def compute_upper_bounds(context: Context, order: Order = "frequency") -> Combination:
    """Compute upper bounds of combining the systems; labels are sorted by frequency in the key, or by oracle gain."""
    if order not in ORDERS:
        raise UsageError(
            f"labels cannot be sorted by {order!r}{suggest_nearest(order, ORDERS)}", hint=", ".join(ORDERS)
        )
    runs = context.verdicts.runs
    sites = context.sites
    pattern = _stack_right(context)
    solved = pattern.sum(axis=0, dtype=code_type(len(runs) + 1))
    first = int(pattern.sum(axis=1).argmax())  # the first given in ties
    best = int(pattern[:, own_sites(context.view)[sites.contested]].sum(axis=1).argmax())
    overall = _oracle_row(
        context,
        label=None,
        pattern=pattern,
        best=best,
        rows=np.arange(len(sites.contested)),
        sites=len(sites),
        which="true",
    )
    labels = tuple(sorted(_label_rows(context, pattern, best), key=lambda row: _sort_key(row, order)))
    gain = _oracle_interval(context, pattern)
    return Combination(
        view=context.view.name,
        runs=runs,
        best=runs[best],
        low=gain[0],
        high=gain[1],
        overall=overall,
        own=_key_row(context, pattern, best),
        items=_item_oracle(context) if any(map(rests_on_items, context.own_measures)) else None,
        labels=labels,
        unsolved=tuple(row.label or "" for row in labels if not row.oracle_right),
        hardness=_count_hardness(len(runs), solved, len(sites)),
        greedy=_greedy_steps(context, pattern, first),
        unique=_unique_contributions(context, pattern, solved),
        agreement=_count_agreement(context),
    )


def _stack_right(context: Context) -> NDArray[np.bool_]:
    """Stack, for each run and contested site, whether the run is right; at all other sites every run is."""
    return np.stack(context.sites.disputed.right)


def _oracle_row(
    context: Context,
    label: str | None,
    pattern: NDArray[np.bool_],
    best: int,
    *,
    rows: NDArray[np.int64],
    sites: int,
    which: str,
) -> OracleRow:
    """Make a row from the contested sites `rows` of `sites` sites in total, which match the condition `which`."""
    easy = sites - len(rows)
    mine = pattern[:, rows]
    right = [easy + int(count) for count in mine.sum(axis=1)]
    oracle = easy + int(mine.any(axis=0).sum())
    top, bottom = max(right), min(right)
    names = context.verdicts.runs
    condition = "solved_by > 0" if which == "true" else f"{which} and solved_by > 0"
    return OracleRow(
        label=label,
        sites=sites,
        right=tuple(right),
        shares=tuple(divide_counts(count, sites) for count in right),
        oracle_right=oracle,
        oracle=divide_counts(oracle, sites),
        gain_over_best=divide_counts(oracle - right[best], sites),
        gain_over_best_here=divide_counts(oracle - top, sites),
        highest=tuple(name for name, count in zip(names, right, strict=True) if count == top),
        lowest=tuple(name for name, count in zip(names, right, strict=True) if count == bottom and bottom < top),
        where=condition,
        sites_where=which,
    )


def _sort_key(row: OracleRow, order: Order) -> float:
    """Return the sort key of a label, the largest first."""
    if order == "frequency":
        return -row.sites
    gain = row.gain_over_best if order == "gain" else row.gain_over_best_here
    return -(gain or 0.0)


def _key_row(context: Context, pattern: NDArray[np.bool_], best: int) -> OracleRow | None:
    """Make the row of the sites of the key, where there are others."""
    if context.view.raised is None:
        return None
    mine = own_sites(context.view)
    rows = np.flatnonzero(mine[context.sites.contested])
    return _oracle_row(
        context,
        label=None,
        pattern=pattern,
        best=best,
        rows=rows,
        sites=int(np.count_nonzero(mine)),
        which=own_condition(context.view),
    )


def _label_rows(context: Context, pattern: NDArray[np.bool_], best: int) -> list[OracleRow]:
    """Make a row for each key label, the most frequent first."""
    named = name_sites(context.view)
    order = np.argsort(named.contested, kind="stable")
    bounds = np.searchsorted(named.contested[order], np.arange(len(named.names) + 1))
    codes = sorted(named.present, key=lambda code: (-int(named.counts[code]), named.names[code]))  # kept in ties
    return [
        _oracle_row(
            context,
            label=named.called(code),
            pattern=pattern,
            best=best,
            rows=order[bounds[code] : bounds[code + 1]],
            sites=int(named.counts[code]),
            which=named.condition(code),
        )
        for code in codes
    ]


def _oracle_interval(context: Context, pattern: NDArray[np.bool_]) -> tuple[float | None, float | None]:
    """Compute the bootstrap interval of the oracle's accuracy."""
    rows = context.sites.contested
    total = context.decided
    wrong = context.unit_counts(rows[~pattern.any(axis=0)])
    columns = np.stack([total - wrong, total], axis=1)
    return context.interval(columns, lambda sums: ratio(sums[:, :1], sums[:, 1:]))[0]


def _item_oracle(context: Context) -> ItemOracle:
    """Count items (DEFINITIONS 4): TP = positives found by any, FP = negatives claimed by all.

    Positives that count for no run, such as mentions without an id, are left out.
    """
    items = context.view.items
    claimed = [each > 0 for each in items.claimed]
    counts = np.logical_or.reduce([items.counts(run) for run in range(len(claimed))])
    easy = len(items) - items.rows
    found = easy + int((np.logical_or.reduce(claimed) & counts).sum())
    spurious = int((np.logical_and.reduce(claimed) & ~items.positive).sum())
    positives = easy + int(counts.sum())
    f1 = divide_counts(2 * found, found + spurious + positives)
    return ItemOracle(
        found=found,
        positives=positives,
        spurious=spurious,
        precision=divide_counts(found, found + spurious),
        recall=divide_counts(found, positives),
        f1=f1,
    )


def _count_hardness(runs: int, solved: Codes, sites: int) -> tuple[Hardness, ...]:
    counts = np.bincount(solved, minlength=runs + 1)
    counts[runs] += sites - len(solved)
    return tuple(
        Hardness(number, int(count), divide_counts(int(count), sites), f"solved_by == {number}")
        for number, count in enumerate(counts)
    )


def _greedy_steps(context: Context, pattern: NDArray[np.bool_], best: int) -> tuple[GreedyStep, ...]:
    """Take the best run first, then repeatedly the one that adds most; the first given in ties."""
    sites, runs = len(context.sites), context.verdicts.runs
    covered = np.zeros(pattern.shape[1], dtype=np.bool_)
    easy = sites - pattern.shape[1]
    left = list(range(len(runs)))
    steps: list[GreedyStep] = []
    while left:
        gains = [int((pattern[run] & ~covered).sum()) for run in left]
        run = best if not steps else left[int(np.argmax(gains))]
        errors = int((~covered).sum()) if steps else None
        gain = int((pattern[run] & ~covered).sum())
        missing = [f"not right({quote_string(step.run)})" for step in steps]
        where = " and ".join([f"right({quote_string(runs[run])})", *missing])
        covered |= pattern[run]
        right = easy + int(covered.sum())
        comp = None if errors is None else _step_complementarity(errors, gain, sites - easy - int(pattern[run].sum()))
        steps.append(
            GreedyStep(
                run=runs[run],
                right=right,
                accuracy=divide_counts(right, sites),
                gain=gain if errors is not None else right,
                complementarity=comp,
                where=where,
            )
        )
        left.remove(run)
    return tuple(steps)


def _step_complementarity(errors: int, solved: int, own_errors: int) -> float | None:
    """Compute Comp(A, B): 1 if B has no error; undefined if A has none; else the share of A's errors that B solves."""
    if own_errors == 0:
        return 1.0
    return solved / errors if errors else None


def _unique_contributions(context: Context, pattern: NDArray[np.bool_], solved: Codes) -> tuple[Contribution, ...]:
    alone = solved == 1
    rows = []
    everywhere = len(context.sites) - pattern.shape[1] if len(context.verdicts.runs) == 1 else 0
    for run, right in zip(context.verdicts.runs, pattern, strict=True):
        count = int((right & alone).sum()) + everywhere
        rows.append(
            Contribution(
                run, count, divide_counts(count, len(context.sites)), f"right({quote_string(run)}) and solved_by == 1"
            )
        )
    return tuple(rows)


def _count_agreement(context: Context) -> tuple[Agreement, ...]:
    """Count sites by how many runs give the most frequent answer, and how often that answer is right."""
    runs = len(context.verdicts.runs)
    votes, winner = find_majority(context)
    right = winner == context.sites.disputed.key
    sites = np.bincount(votes, minlength=runs + 1)
    correct = np.bincount(votes[right], minlength=runs + 1)
    easy = len(context.sites) - len(votes)
    sites[runs] += easy
    correct[runs] += easy
    return tuple(
        Agreement(
            agree=number,
            sites=int(sites[number]),
            right=int(correct[number]),
            accuracy=divide_counts(int(correct[number]), int(sites[number])),
            where=f"agreement == {number}",
            where_right=f"agreement == {number} and majority_right",
        )
        for number in range(runs, 0, -1)
    )


def find_majority(context: Context) -> tuple[Codes, Codes]:
    """Return, for each contested site, the number of runs that give the most frequent value, and that value's code.

    Ties go to the value that is first in the order of names.
    """
    return majority_of(list(context.sites.disputed.values))


# Upper bounds as tables.


_SHOWN_LABELS = 10  # the default number of rows
_ALL, _OWN = "(all)", "(in the key)"


def combination_tables(finding: Combination, top: int | None) -> tuple[Table, ...]:
    """Return the tables of the upper bound, the greedy curve, hardness and agreement."""
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
    labels, notes = cut_rows(
        [_oracle_cells(finding, row) for row in finding.labels],
        top=top,
        usual=_SHOWN_LABELS,
        one="label",
        many="labels",
    )
    first = [(row, name) for row, name in ((finding.overall, _ALL), (finding.own, _OWN)) if row is not None]
    rows = (*((name, *_oracle_cells(finding, row)[1:]) for row, name in first), *labels)
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
        below.append(_item_oracle_note(finding.items))
    if not finding.overall.sites:
        below.append(NO_SITES)
    span = format_cell("interval", (finding.low, finding.high))
    return Table(
        name="oracle",
        title=f"Upper bound of combination, 95 % interval {span}",
        fields=fields,
        rows=rows,
        notes=tuple(below),
        best=frozenset(best),
        marks=marks,
    )


def _item_oracle_note(items: ItemOracle) -> str:
    found = ", ".join(
        f"{name} {format_cell('share', value)}"
        for name, value in (("precision", items.precision), ("recall", items.recall), ("F1", items.f1))
    )
    return f"over items (found by any, wrong only if claimed by all): {found}"


def _oracle_cells(finding: Combination, row: OracleRow) -> tuple[Any, ...]:
    """Write the cells of a row; shares link to the sites that are right."""
    right = (
        Link(join_conditions(row.sites_where, f"right({quote_string(run)})"), view=finding.view) for run in finding.runs
    )
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
        Field("unique", "right alone", "count"),
    )
    alone = {each.run: Linked(each.count, Link(each.where, view=finding.view)) for each in finding.unique}
    rows: list[tuple[Any, ...]] = []
    taken: list[str] = []
    for step in finding.greedy:
        taken.append(f"right({quote_string(step.run)})")
        so_far = Linked(step.accuracy, Link(" or ".join(taken), view=finding.view))
        gain = Linked(step.gain, Link(step.where, view=finding.view))
        rows.append((step.run, so_far, gain, step.complementarity, alone[step.run]))
    return Table(
        name="greedy",
        title="Greedy oracle: the best system first, then the largest gain",
        fields=fields,
        rows=tuple(rows),
    )


def _hardness_table(finding: Combination) -> Table:
    fields = (Field("solved_by", "solved by", "figure"), Field("count", "sites", "count"), Field("share", "%", "share"))
    rows = tuple(
        (each.solved_by, Linked(each.count, link), Linked(each.share, link))
        for each in finding.hardness
        for link in [Link(each.where, view=finding.view)]
    )
    return Table(
        name="hardness", title=f"Hardness: sites by how many of {len(finding.runs)} are right", fields=fields, rows=rows
    )


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
    return Table(name="agreement", title="Accuracy of the majority by how many agree", fields=fields, rows=rows)


# Upper bounds as charts: the hardness of sites, and the greedy curve.


def hardness_chart(finding: Combination) -> BarChart:
    """Return the chart of the number of sites by how many runs have them right."""
    from comparanda.render.charts import Axis, BarChart, Bars

    runs = len(finding.runs)
    ends = {0: "none", runs: "all" if runs > 1 else "one"}
    listed = ", ".join(f"{each.solved_by} right {each.count:,}" for each in finding.hardness)
    return BarChart(
        title="How hard are the sites?",
        subtitle=f"sites by how many of {format_count(runs, 'system')} have them right",
        description=f"Sites by how many systems have them right: {listed}.",
        label="systems that are right",
        groups=tuple(ends.get(each.solved_by, f"{each.solved_by}") for each in finding.hardness),
        y=Axis(label="sites", unit="count"),
        bars=(
            Bars(
                name="sites",
                values=tuple(each.count for each in finding.hardness),
                links=tuple(Link(each.where, view=finding.view) for each in finding.hardness),
            ),
        ),
        name="hardness",
        height=340,
    )


def greedy_chart(finding: Combination) -> DotPlot:
    """Return the chart of the greedy oracle: the best run first, then always the one that adds most."""
    from comparanda.render.charts import Axis, Dot, DotPlot
    from comparanda.render.charts.theme import shorten_name

    steps = finding.greedy
    first = steps[0].accuracy if steps else None
    dots = tuple(
        Dot(
            name=step.run,
            value=step.accuracy,
            texts=(f"{step.gain:,}", format_cell("share", step.accuracy)),
            link=Link(step.where, view=finding.view),
        )
        for step in steps
    )
    listed = ", ".join(f"{shorten_name(step.run)} {format_cell('share', step.accuracy)}" for step in steps)
    return DotPlot(
        title="What each system adds to an oracle",
        subtitle="right where one of the systems so far is; the best first, then always the one that adds most",
        description=f"Share of sites that at least one system so far has right, in percent: {listed}.",
        x=Axis(label="sites that one of them has right (%)", unit="share"),
        columns=("sites added", "oracle so far"),
        dots=dots,
        joined=True,
        reference=None if first is None else (f"{shorten_name(steps[0].run)} alone", first),
        name="greedy",
    )
