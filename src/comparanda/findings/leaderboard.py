"""A leaderboard: systems ranked by score, and how much of that ranking is supported by tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.expressions import quote_string
from comparanda.findings.scores import Score, compute_scores
from comparanda.findings.significance import LEVEL, PairTest, compute_significance
from comparanda.findings.table_links import right_link
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table, cut_rows, format_count, format_stars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.core.measures import Measure
    from comparanda.core.text_columns import Truths
    from comparanda.core.verdicts import System, View
    from comparanda.findings.context import Context
    from comparanda.render.charts import Paper


_SCORE_DIGITS = 12  # scores that are equal to this precision share a rank: the rest is rounding error


@dataclass(frozen=True, kw_only=True)
class Gap:
    """The difference of a system from another.

    Args:
        other: the other system.
        difference: its score less the other's; below 0 where the other has the higher score.
        low: the lower end of the 95 % interval of the difference.
        high: the upper end.
        p: the two-sided p of the randomisation test; None where it cannot be made.
        p_holm: the same after Holm's correction for all pairs of the leaderboard.

    """

    other: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True)
class Lonely:
    """Sites at which one system alone is right, or alone is wrong.

    Args:
        right: the number that it has right and no other system.
        right_where: the condition that selects them.
        wrong: the number that it has wrong and no other system.
        wrong_where: the condition that selects them.

    """

    right: int
    right_where: str
    wrong: int
    wrong_where: str


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One system's row.

    Args:
        rank: its rank by the main score; equal scores share a rank. None where the score is undefined.
        system: its name.
        group: the group it belongs to, from 1: between two groups, every system above is significantly better than
            every system below. None where there are no tests.
        first_rank: the best rank that the tests leave open: below all systems that are significantly better.
        last_rank: the worst rank that they leave open: above all that are significantly worse.
        better: the number of systems that are significantly better.
        worse: the number that are significantly worse.
        scores: the main score first, then the other measures.
        to_best: the difference from the best system; None for that one itself.
        to_above: the difference from the system above it.
        alone: the sites at which it alone is right or wrong; None where the view has no sites.

    """

    rank: int | None
    system: str
    group: int | None
    first_rank: int | None
    last_rank: int | None
    better: int
    worse: int
    scores: tuple[Score, ...]
    to_best: Gap | None
    to_above: Gap | None
    alone: Lonely | None


@dataclass(frozen=True)
class Refused:
    """A submission that could not be ranked.

    Args:
        system: its name.
        reason: the error, with its place.
        details: further lines; the last one is the remedy.

    """

    system: str
    reason: str
    details: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Finding):
    """Systems in the order of their main scores; those whose score is undefined come last.

    Args:
        view: the view.
        measure: the main measure.
        level: below this p (Holm) a difference is significant.
        unit: the unit of resampling.
        units: the number of units.
        resamples: the number of resamples.
        seed: the seed of all draws.
        warnings: warnings about unreliable intervals and tests.
        untested: why there are no groups; None where there are.
        standings: the systems, the best first.
        tests: the tests of all pairs.
        identical: groups of systems that agree in everything that is evaluated.
        refused: submissions that could not be ranked.
        passed_over: files of the folder that were ignored because they are not submissions.

    """

    json_name = "leaderboard"

    view: str
    measure: str
    level: float
    unit: str
    units: int
    resamples: int
    seed: int
    warnings: tuple[str, ...]
    untested: str | None
    standings: tuple[Standing, ...]
    tests: tuple[PairTest, ...]
    identical: tuple[tuple[str, ...], ...]
    refused: tuple[Refused, ...] = ()
    passed_over: tuple[str, ...] = ()

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return leaderboard_tables(self, top)

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        from comparanda.findings.score_tables import leaderboard_chart

        return (leaderboard_chart(self),)


_MANY_MEASURES = 12
"""From this many measures on, precision and recall are left out."""


def _shown_measures(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures to show: without precision and recall where measures are many."""
    if len(measures) < _MANY_MEASURES:
        return measures
    return tuple(each for each in measures if not each.name.endswith(("precision", "recall")))


def compute_leaderboard(context: Context, measures: Sequence[Measure] = ()) -> Leaderboard:
    """Rank all systems by the first of some measures, or of the view's own."""
    chosen = tuple(measures) or _shown_measures(context.own_measures)
    context = _sort_systems(context)
    table = compute_scores(context, chosen)
    tested = compute_significance(context, chosen[0])
    by_system: dict[str, list[Score]] = {}
    for score in table.scores:
        by_system.setdefault(score.system, []).append(score)
    main = chosen[0]
    order = sorted(by_system, key=lambda name: _sort_key(by_system[name][0], main))  # ties are ordered by name
    ranking = _Ranking(order, {name: found[0].value for name, found in by_system.items()}, tested.tests)
    alone = _count_lone_sites(context)
    return Leaderboard(
        view=table.view,
        measure=chosen[0].name,
        level=LEVEL,
        unit=table.unit,
        units=table.units,
        resamples=table.resamples,
        seed=table.seed,
        warnings=(*tested.warnings, *_unreachable_warnings(context, tested.tests)),
        untested=ranking.untested,
        standings=tuple(
            ranking.standing(place, tuple(by_system[name]), alone.get(name)) for place, name in enumerate(order)
        ),
        tests=tested.tests,
        identical=_find_identical(context),
    )


def _sort_systems(context: Context) -> Context:
    """Sort systems by name: the order within a pair must not depend on the order of files."""
    systems = tuple(sorted(context.systems, key=lambda system: system.name))
    return replace(context, verdicts=replace(context.verdicts, systems=systems))


def _sort_key(score: Score, main: Measure) -> tuple[bool, float]:
    """Return the sort key of a system: the best score first, undefined ones last."""
    value = round(score.value or 0.0, _SCORE_DIGITS)
    return score.value is None, value if main.error else -value


class _Ranking:
    """Systems in order, and which are significantly better than which."""

    def __init__(self, order: Sequence[str], values: Mapping[str, float | None], tests: Sequence[PairTest]) -> None:
        self.order = order
        self.rounded = [None if values[name] is None else round(values[name] or 0.0, _SCORE_DIGITS) for name in order]
        self.ranked = sum(each is not None for each in self.rounded)
        self.tests = {(test.base, test.new): test for test in tests}
        self.untested = _untested_reason(tests, self.ranked)
        self.beats = np.zeros((self.ranked, self.ranked), np.bool_)
        for above in range(self.ranked):
            for below in range(above + 1, self.ranked):
                gap = self.gap(below, above)
                self.beats[above, below] = (
                    gap.p_holm is not None and gap.p_holm < LEVEL and self.rounded[above] != self.rounded[below]
                )
        self.groups = _number_groups(self.beats)

    def gap(self, place: int, other: int) -> Gap:
        """Return the difference of the system at a place from another."""
        mine, theirs = self.order[place], self.order[other]
        if (theirs, mine) in self.tests:
            test = self.tests[theirs, mine]
            return Gap(
                other=theirs, difference=test.difference, low=test.low, high=test.high, p=test.p, p_holm=test.p_holm
            )
        test = self.tests[mine, theirs]
        difference, low, high = (None if each is None else -each for each in (test.difference, test.high, test.low))
        return Gap(other=theirs, difference=difference, low=low, high=high, p=test.p, p_holm=test.p_holm)

    def standing(self, place: int, found: tuple[Score, ...], alone: Lonely | None) -> Standing:
        """Return the row of the system at a place."""
        if place >= self.ranked:
            return Standing(
                rank=None,
                system=self.order[place],
                group=None,
                first_rank=None,
                last_rank=None,
                better=0,
                worse=0,
                scores=found,
                to_best=None,
                to_above=None,
                alone=alone,
            )
        better, worse = int(self.beats[:, place].sum()), int(self.beats[place].sum())
        tested = self.untested is None
        return Standing(
            rank=self.rounded.index(self.rounded[place]) + 1,
            system=self.order[place],
            group=self.groups[place] if tested else None,
            first_rank=better + 1 if tested else None,
            last_rank=self.ranked - worse if tested else None,
            better=better,
            worse=worse,
            scores=found,
            to_best=self.gap(place, 0) if place else None,
            to_above=self.gap(place, place - 1) if place else None,
            alone=alone,
        )


def _untested_reason(tests: Sequence[PairTest], ranked: int) -> str | None:
    """Explain why no two systems with a score could be tested; None if some were."""
    if ranked < 2 or any(test.p is not None for test in tests):
        return None
    methods = sorted({test.method for test in tests if test.difference is not None})
    return "; ".join(methods)


def _unreachable_warnings(context: Context, tests: Sequence[PairTest]) -> list[str]:
    """Warn if there are so many pairs that Holm's correction raises even the smallest p above the level."""
    pairs = sum(test.p is not None for test in tests)
    exact = any(test.method == "exact" for test in tests)
    smallest = 2.0 ** (1 - len(context.active)) if exact else 1 / (context.resamples + 1)
    if pairs * smallest < LEVEL:
        return []
    what = f"no pair can be significant: Holm multiplies even the smallest p, {smallest:.2g}, by the {pairs} pairs"
    if exact:
        return [f"{what}: {len(context.active)} {context.verdicts.units.kind}s are too few for this many systems"]
    return [f"{what}: raise --resamples to {math.ceil(pairs / LEVEL)}"]


def _number_groups(beats: Truths) -> list[int]:
    """Assign a group number to each system; a group ends where all above are significantly better than all below."""
    groups = [1] * len(beats)
    for place in range(1, len(beats)):
        groups[place] = groups[place - 1] + bool(beats[:place, place:].all())
    return groups


def _count_lone_sites(context: Context) -> dict[str, Lonely]:
    """Count for each system the sites that it alone has right, and those that it alone has wrong.

    A system of several runs has a site right if one of them has, and wrong if one of them has.
    """
    sites, systems = context.sites, context.systems
    if not len(sites):
        return {}
    disputed = np.stack(sites.disputed.right)
    solved, failed = (
        np.stack([found[list(system.runs)].any(axis=0) for system in systems]) for found in (disputed, ~disputed)
    )
    by_all = len(sites) - disputed.shape[1] if len(systems) == 1 else 0  # a single system solves its sites alone
    counts = [(found & (found.sum(axis=0) == 1)).sum(axis=1).tolist() for found in (solved, failed)]
    return {
        system.name: Lonely(
            counts[0][place] + by_all,
            _lone_condition(context, system, right=True),
            counts[1][place],
            _lone_condition(context, system, right=False),
        )
        for place, system in enumerate(systems)
    }


def _lone_condition(context: Context, system: System, *, right: bool) -> str:
    """Write the condition that one system alone is right at a site, or wrong."""
    runs = context.verdicts.runs
    yes, no = ("", "not ") if right else ("not ", "")
    mine = " or ".join(f"{yes}right({quote_string(runs[run])})" for run in system.runs)
    if len(runs) == len(context.systems):
        return f"{mine} and solved_by == {1 if right else len(runs) - 1}"
    others = [f"{no}right({quote_string(name)})" for run, name in enumerate(runs) if run not in system.runs]
    return " and ".join([f"({mine})", *others])


def _find_identical(context: Context) -> tuple[tuple[str, ...], ...]:
    """Find groups of two or more systems that agree in everything that is evaluated."""
    columns = _run_columns(context.view)
    digests = [
        tuple(blake2b(each[run].tobytes()).digest() for each in columns) for run in range(len(context.verdicts.runs))
    ]
    found: dict[tuple[tuple[bytes, ...], ...], list[str]] = {}
    for system in context.systems:
        found.setdefault(tuple(sorted(digests[run] for run in system.runs)), []).append(system.name)
    return tuple(sorted(tuple(sorted(names)) for names in found.values() if len(names) > 1))


def _run_columns(view: View) -> list[Sequence[NDArray[np.generic]]]:
    """Return all evaluated data of a view with a column for each run: spans, or values and items, and statistics."""
    columns: list[Sequence[NDArray[np.generic]]] = [tuple(np.moveaxis(each, 1, 0)) for each in view.statistics.values()]
    if view.claims is not None:
        return [*columns, view.claims.runs]
    tables = [items.claimed for items in (view.surplus, view.given_items) if items is not None]
    return [*columns, *tables, view.sites.values]


# A leaderboard as a table: the main columns come first, so that thirty systems can be read in a terminal.


def leaderboard_tables(finding: Leaderboard, top: int | None) -> tuple[Table, ...]:
    """Put systems in rows: their rank, the differences in score, and then the other measures."""
    other_measures = [score.measure for score in finding.standings[0].scores[1:]]
    fields = (
        Field("rank", "rank"),
        Field("system", "system"),
        Field(finding.measure, finding.measure, "share"),
        Field(f"{finding.measure}_interval", "95 % interval", "interval"),
        Field("group", "group", "number"),
        Field("ranks", "ranks"),
        Field("to_best", "Δ best", "points"),
        Field("to_best_p", "p (Holm)", "p"),
        *(Field(name, name, "share") for name in other_measures),
        Field("to_above", "Δ above", "points"),
        Field("only_right", "only right", "count"),
        Field("only_wrong", "only wrong", "count"),
    )
    rows, more = cut_rows(
        [_row(finding, each) for each in finding.standings], top=top, usual=0, one="system", many="systems"
    )
    marks = {(number, 7): format_stars(row[7]) for number, row in enumerate(rows)}
    return (
        Table(
            name="leaderboard",
            title=f"Leaderboard: {finding.measure}",
            fields=fields,
            rows=rows,
            notes=(*more, *_notes(finding)),
            marks={place: mark for place, mark in marks.items() if mark},
        ),
    )


def _row(finding: Leaderboard, each: Standing) -> tuple[Any, ...]:
    links = [right_link(score.measure, finding.view, each.system) for score in each.scores]
    main, *others = each.scores
    best, above, alone = each.to_best, each.to_above, each.alone
    return (
        "–" if each.rank is None else each.rank,
        each.system,
        Linked(main.value, links[0]),
        (main.low, main.high),
        each.group,
        format_ranks(each),
        best.difference if best is not None else None if each.rank is None else 0.0,
        None if best is None else best.p_holm,
        *(Linked(score.value, link) for score, link in zip(others, links[1:], strict=True)),
        None if above is None else above.difference,
        None if alone is None else Linked(alone.right, Link(alone.right_where, view=finding.view)),
        None if alone is None else Linked(alone.wrong, Link(alone.wrong_where, view=finding.view)),
    )


def format_ranks(each: Standing) -> str | None:
    """Format the range of ranks that the tests leave open: `2–5`, or `1` if there is only one."""
    if each.first_rank is None or each.last_rank is None:
        return None
    return str(each.first_rank) if each.first_rank == each.last_rank else f"{each.first_rank}–{each.last_rank}"


def _notes(finding: Leaderboard) -> list[str]:
    level = f"{100 * finding.level:g} %"
    drawn = (
        f"{format_count(finding.resamples, 'resample')}, seed {finding.seed}" if finding.resamples else "no resampling"
    )
    notes = [f"{format_count(finding.units, finding.unit)}, view {finding.view}; {drawn}"]
    if finding.untested is None:
        notes += [
            f"groups: every system above a boundary is significantly better ({level}, randomisation, "
            "Holm over all pairs) than every one below",
            "ranks: below all systems that are significantly better, above all that are significantly worse",
        ]
    else:
        notes.append(f"no groups: {finding.untested}")
    notes += [f"warning: {warning}" for warning in finding.warnings]
    notes += [f"{_join_names(names)} are identical in everything that is evaluated" for names in finding.identical]
    for each in finding.standings:
        notes += [f"{each.system}: {score.measure} is n/a: {score.reason}" for score in each.scores if score.reason]
    notes += [write_refusal(each) for each in finding.refused]
    if finding.passed_over:
        notes.append(f"ignored, not submissions: {', '.join(finding.passed_over)}")
    return notes


def write_refusal(each: Refused) -> str:
    """Write in one line why a submission is not ranked."""
    return f"not ranked: {each.system}: {'; '.join([each.reason, *each.details])}"


def _join_names(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
