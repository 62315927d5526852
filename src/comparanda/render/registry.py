"""Findings as tables: which columns, which rows, which notes below."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from comparanda.feedback.findings import Simulated, simulation_tables
from comparanda.feedback.questions import Questions, question_records, question_tables
from comparanda.findings.ablation import Ablation, ablation_tables
from comparanda.findings.agreement import Agreements, agreement_tables
from comparanda.findings.anatomy import Anatomy, Keys
from comparanda.findings.base import Finding
from comparanda.findings.complement import Against, Complementarity
from comparanda.findings.complement_tables import against_table, complement_chart, complement_tables, pattern_chart
from comparanda.findings.confusion import Confusion, confusion_chart, confusion_tables
from comparanda.findings.difference import Difference, difference_tables, flow_chart, gain_chart, label_table
from comparanda.findings.diversity import Diversity, diversity_tables
from comparanda.findings.ensembles import Ensembles, ensemble_tables
from comparanda.findings.examples import Examples, example_tables
from comparanda.findings.gate import Gate, gate_tables
from comparanda.findings.leaderboard import Leaderboard, leaderboard_tables
from comparanda.findings.pairs import Pairs
from comparanda.findings.score_tables import (
    leaderboard_chart,
    main_score_table,
    metrics_of,
    score_chart,
    score_tables,
    stars,
)
from comparanda.findings.scores import Scores
from comparanda.findings.significance import Significance
from comparanda.findings.slices import Slices, slice_table
from comparanda.findings.stability import Stability, stability_tables
from comparanda.findings.suspects import Suspects, suspect_tables
from comparanda.findings.table_links import EVERY_PAIR, Link
from comparanda.findings.upper_bounds import Combination, combination_tables, greedy_chart, hardness_chart
from comparanda.render.charts import Paper
from comparanda.render.table import NO_SITES, Field, Linked, Table, counted, cut
from comparanda.tasks.coref.findings import ChainPairs, ErrorSources, chain_tables, source_table
from comparanda.tasks.prob.finding_tables import CHARTS, belief_tables, short_belief_tables
from comparanda.tasks.prob.findings import Probabilities
from comparanda.tasks.prob.pair_findings import ExpectedPairs, pair_tables

_PAIRS = 45  # how many rows are shown unless told otherwise


@singledispatch
def tables(finding: Finding, top: int | None = None) -> tuple[Table, ...]:  # noqa: ARG001 - for the registered ones
    """Return the tables of a finding; long ones cut to the `top` first rows, 0 for all, None for the usual."""
    raise TypeError(f"no tables for {type(finding).__name__}")


def main_table(finding: Finding, top: int = 0) -> Table:
    """Return the table that holds the finding's rows, in full unless told otherwise."""
    if isinstance(finding, Scores | Anatomy | Probabilities):
        return main_score_table(finding if isinstance(finding, Scores) else finding.scores)
    if isinstance(finding, Questions):
        return question_records(finding, top)
    return tables(finding, top)[0]


def shows_more(finding: Finding) -> bool:
    """Whether a finding has tables with something that its main table does not hold."""
    whole = isinstance(finding, Scores) and bool(metrics_of(finding)) and not finding.outcomes
    return len(tables(finding)) > 1 and not whole


def _pairs(top: int | None) -> int | None:
    """Return how many pairs to show: all of ten systems at least, for none of them is the first."""
    return max(top, _PAIRS) if top else top


@tables.register
def _(finding: Scores, top: int | None = None) -> tuple[Table, ...]:
    del top
    return score_tables(finding, {})


@tables.register
def _(finding: Keys, top: int | None = None) -> tuple[Table, ...]:
    del top
    measures = tuple(dict.fromkeys(score.measure for each in finding.keys for score in each.scores))
    columns = [
        (Field(name, name, "share"), Field(f"{name}_interval", "95 % interval", "interval")) for name in measures
    ]
    rows: list[tuple[Any, ...]] = []
    for each in finding.keys:
        for system in finding.systems:
            mine = {score.measure: score for score in each.scores if score.system == system}
            cells = [part for name in measures for part in (mine[name].value, (mine[name].low, mine[name].high))]
            rows.append((each.key, each.items, system, *cells))
    keyed = (Field("key", "key"), Field("items", "items", "figure"), Field("system", "system"))
    agreed = tuple((pair.first, pair.second, pair.value) for pair in finding.agreement)
    main = Field("value", finding.agreement[0].measure, "share")
    return (
        Table(
            name="keys",
            title="Scores against each key",
            fields=(*keyed, *(part for pair in columns for part in pair)),
            rows=tuple(rows),
        ),
        Table(
            name="agreement",
            title="How far the keys agree",
            fields=(Field("first", "key"), Field("second", "other key"), main),
            rows=agreed,
        ),
    )


@tables.register
def _(finding: Pairs, top: int | None = None) -> tuple[Table, ...]:
    fields = (
        Field("base", "base"),
        Field("new", "new"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "differing", "count"),
        Field("sites", "sites", "count"),
        Field("score_difference", f"Δ {finding.measure}", "points"),
        Field("overlap_right", "overlap of right", "share"),
        Field("overlap_all", "overlap of all", "share"),
    )
    rows: list[tuple[Any, ...]] = [
        (
            pair.base,
            pair.new,
            Linked(pair.diff, different),
            (pair.low, pair.high),
            Linked(pair.different, different),
            Linked(pair.sites, Link(EVERY_PAIR, pair.base, pair.new, finding.view)),
            pair.score_difference,
            pair.overlap_right,
            pair.overlap_all,
        )
        for pair in finding.pairs
        for different in [Link(pair.where, pair.base, pair.new, finding.view)]
    ]
    kept, notes = cut(rows, top=_pairs(top), usual=_PAIRS, one="pair", many="pairs")
    if not all(pair.sites for pair in finding.pairs):
        notes = (*notes, NO_SITES)
    return (
        Table(
            name="pairs",
            title="Pairs: how much they differ, and how much their scores do",
            fields=fields,
            rows=kept,
            notes=notes,
        ),
    )


@tables.register
def _(finding: ChainPairs, top: int | None = None) -> tuple[Table, ...]:
    return chain_tables(finding, top)


@tables.register
def _(finding: Probabilities, top: int | None = None) -> tuple[Table, ...]:
    return (*score_tables(finding.scores, {}), *belief_tables(finding, top))


@tables.register
def _(finding: ExpectedPairs, top: int | None = None) -> tuple[Table, ...]:
    return pair_tables(finding, top)


@tables.register
def _(finding: Significance, top: int | None = None) -> tuple[Table, ...]:
    fields = [
        Field("base", "base"),
        Field("new", "new"),
        Field("difference", f"Δ {finding.measure}", "points"),
        Field("difference_interval", "95 % interval", "points_interval"),
        Field("p", "p", "p"),
        Field("p_holm", "p (Holm)", "p"),
        Field("detectable", "detectable", "share"),
    ]
    rows: list[tuple[Any, ...]] = [
        (test.base, test.new, test.difference, (test.low, test.high), test.p, test.p_holm, test.detectable)
        for test in finding.tests
    ]
    if any(test.mcnemar is not None for test in finding.tests):
        fields.append(Field("mcnemar", "McNemar p", "p"))
        rows = [(*row, test.mcnemar) for row, test in zip(rows, finding.tests, strict=True)]
    kept, more = cut(rows, top=_pairs(top), usual=_PAIRS, one="pair", many="pairs")
    methods = ", ".join(sorted({test.method for test in finding.tests}))
    notes = [
        *more,
        f"randomisation over {counted(finding.units, finding.unit)} ({methods}), "
        f"{counted(finding.resamples, 'resample')}, seed {finding.seed}; "
        "detectable: with 80 % power at the 5 % level",
        *(f"beware: {warning}" for warning in finding.warnings),
    ]
    marks = {(number, 5): mark for number, test in enumerate(finding.tests) if (mark := stars(test.p_holm))}
    marks = {place: mark for place, mark in marks.items() if place[0] < len(kept)}
    return (
        Table(
            name="significance",
            title="Is the difference real?",
            fields=tuple(fields),
            rows=kept,
            notes=tuple(notes),
            marks=marks,
        ),
    )


@tables.register
def _(finding: Difference, top: int | None = None) -> tuple[Table, ...]:
    cuts = (slice_table(each, top, of_pair=True) for each in finding.slices)
    sources = () if finding.sources is None else (source_table(finding.sources),)
    return (*difference_tables(finding, top), *sources, label_table(finding, top), *cuts)


@tables.register
def _(finding: ErrorSources, top: int | None = None) -> tuple[Table, ...]:
    del top
    return (source_table(finding),)


@tables.register
def _(finding: Ablation, top: int | None = None) -> tuple[Table, ...]:
    return ablation_tables(finding, top)


@tables.register
def _(finding: Leaderboard, top: int | None = None) -> tuple[Table, ...]:
    return leaderboard_tables(finding, top)


@tables.register
def _(finding: Agreements, top: int | None = None) -> tuple[Table, ...]:
    return agreement_tables(finding, top)


@tables.register
def _(finding: Stability, top: int | None = None) -> tuple[Table, ...]:
    return stability_tables(finding, top)


@tables.register
def _(finding: Simulated, top: int | None = None) -> tuple[Table, ...]:
    return simulation_tables(finding, top)


@tables.register
def _(finding: Questions, top: int | None = None) -> tuple[Table, ...]:
    return question_tables(finding, top)


@tables.register
def _(finding: Combination, top: int | None = None) -> tuple[Table, ...]:
    return combination_tables(finding, top)


@tables.register
def _(finding: Ensembles, top: int | None = None) -> tuple[Table, ...]:
    return ensemble_tables(finding, top)


@tables.register
def _(finding: Complementarity, top: int | None = None) -> tuple[Table, ...]:
    of_all = () if finding.diversity is None else tables(finding.diversity, top)
    return (*complement_tables(finding, top), *of_all)


@tables.register
def _(finding: Against, top: int | None = None) -> tuple[Table, ...]:
    return (against_table(finding, top),)


@tables.register
def _(finding: Diversity, top: int | None = None) -> tuple[Table, ...]:
    return diversity_tables(finding, top)


@tables.register
def _(finding: Confusion, top: int | None = None) -> tuple[Table, ...]:
    return confusion_tables(finding, top)


@tables.register
def _(finding: Suspects, top: int | None = None) -> tuple[Table, ...]:
    return suspect_tables(finding, top)


@tables.register
def _(finding: Slices, top: int | None = None) -> tuple[Table, ...]:
    return (slice_table(finding, top),)


@tables.register
def _(finding: Examples, top: int | None = None) -> tuple[Table, ...]:
    del top
    return example_tables(finding)


@tables.register
def _(finding: Gate, top: int | None = None) -> tuple[Table, ...]:
    del top
    return gate_tables(finding)


@tables.register
def _(finding: Anatomy, top: int | None = None) -> tuple[Table, ...]:
    against = {}
    first = finding.scores.scores[0].system
    if finding.significance is not None:
        against = {test.new: test.p_holm for test in finding.significance.tests if test.base == first}
    found = [*score_tables(finding.scores, against)]
    if finding.probabilities is not None:
        found += short_belief_tables(finding.probabilities)
    pairs = finding.pairs if finding.chain_pairs is None else finding.chain_pairs
    parts = (pairs, finding.stability, finding.significance, finding.difference, finding.combination)
    for part in (*parts, *finding.slices):
        if part is not None:
            found += tables(part, top)
    if finding.expected_pairs is not None:
        found += pair_tables(finding.expected_pairs, top)
    return tuple(found)


# Findings as charts: which ones show what a finding says.


@singledispatch
def drawings(finding: Finding) -> tuple[Paper, ...]:  # noqa: ARG001 - for the registered ones
    """Return the charts of a finding; many are told by their tables alone."""
    return ()


@drawings.register
def _(finding: Scores) -> tuple[Paper, ...]:
    return (score_chart(finding),)


@drawings.register
def _(finding: Leaderboard) -> tuple[Paper, ...]:
    return (leaderboard_chart(finding),)


@drawings.register
def _(finding: Difference) -> tuple[Paper, ...]:
    return (flow_chart(finding), gain_chart(finding)) if finding.different else ()


@drawings.register
def _(finding: Confusion) -> tuple[Paper, ...]:
    return (confusion_chart(finding),) if finding.sites else ()


@drawings.register
def _(finding: Combination) -> tuple[Paper, ...]:
    return (hardness_chart(finding), greedy_chart(finding)) if finding.overall.sites else ()


@drawings.register
def _(finding: Complementarity) -> tuple[Paper, ...]:
    of_all = () if finding.diversity is None else drawings(finding.diversity)
    return (complement_chart(finding), *of_all)


@drawings.register
def _(finding: Diversity) -> tuple[Paper, ...]:
    return (pattern_chart(finding),) if finding.sites else ()


@drawings.register
def _(finding: Probabilities) -> tuple[Paper, ...]:
    return (score_chart(finding.scores), *(chart(finding) for chart in CHARTS.values()))


@drawings.register
def _(finding: Anatomy) -> tuple[Paper, ...]:
    scores = finding.scores if finding.probabilities is None else finding.probabilities
    parts = (scores, finding.difference, finding.combination)
    return tuple(chart for part in parts if part is not None for chart in drawings(part))
