"""Agreement of outputs without a key: coefficients beyond chance (Cohen's κ, Krippendorff's nominal α) and pairs.

For coefficients the cases are the sites of a context; the key and the runs are the raters, numbered from 0. *Absent*
is missing data: κ leaves out cases that one of the two raters has not rated, α counts those that at least two have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.measures import ratio
from comparanda.core.sites import ABSENT
from comparanda.expressions import quote_string
from comparanda.findings.context import Context, Interval, divide_counts, is_value, mean_of_known, none_if_nan
from comparanda.findings.counts import SiteCount
from comparanda.findings.scores import Score, compute_scores
from comparanda.findings.significance import write_warnings
from comparanda.render.count_links import Link
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Linked, Table, cut_rows, format_cell, format_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from comparanda.core.measures import Measure
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.findings.resamples import Matrix


MOST_VALUES = 500
"""With more distinct values than this no interval is computed: each value is a column of every resample."""

ONE_VALUE = "only one value occurs, so agreement by chance is perfect"
NO_CASE = "no case is rated by two of them"


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient.

    Args:
        value: 1 for full agreement, 0 for agreement by chance; None where undefined.
        low: the lower end of the 95 % interval, over documents.
        high: the upper end.
        cases: the number of cases it is computed from.
        reason: why it is undefined.

    """

    value: float | None
    low: float | None
    high: float | None
    cases: int
    reason: str | None


class Ratings:
    """The ratings of all raters for each case."""

    def __init__(self, context: Context) -> None:
        sites = context.sites
        self.context, self.names = context, sites.names
        self.columns: tuple[Codes, ...] = (sites.key, *sites.values)
        absent = sites.names.index(ABSENT) if ABSENT in sites.names else -1
        self.given: tuple[Truths, ...] = tuple(column != absent for column in self.columns)
        self.resampled = len(self.names) <= MOST_VALUES  # otherwise units are summed: no resampling is needed

    def kappa(self, first: int, second: int) -> Coefficient:
        """Compute Cohen's κ of two raters, given by number."""
        both = np.flatnonzero(self.given[first] & self.given[second])
        mine, theirs = self.columns[first][both], self.columns[second][both]
        agree, all_cases = self._count_by_unit(both, mine == theirs), self._count_by_unit(both)
        counts = [self._count_by_value(both, each) for each in (mine, theirs)]
        return self._make_coefficient([agree, all_cases, *counts], compute_kappa, len(both))

    def alpha(self) -> Coefficient:
        """Compute Krippendorff's α of all raters for nominal values."""
        raters = np.sum(self.given, axis=0)
        cases = np.flatnonzero(raters > 1)
        same = np.zeros(len(cases))
        for one, other in combinations(range(len(self.columns)), 2):
            both = self.given[one][cases] & self.given[other][cases]
            same += both & (self.columns[one][cases] == self.columns[other][cases])
        size = raters[cases].astype(np.float64)
        apart = (size * (size - 1) - 2 * same) / (size - 1)
        values = self._count_by_value(cases[:0], self.columns[0][:0])
        for column, given in zip(self.columns, self.given, strict=True):
            rows = cases[given[cases]]
            values += self._count_by_value(rows, column[rows])
        columns = [self._count_by_unit(cases, apart), self._count_by_unit(cases, size), values]
        return self._make_coefficient(columns, compute_alpha, len(cases))

    def _count_by_unit(self, rows: Rows, weights: NDArray[Any] | None = None) -> Matrix:
        """Count the given cases in each unit, or sum their weights."""
        units = self.context.verdicts.units.count
        found = np.bincount(self.context.unit[rows], weights, units)[self.context.active].astype(np.float64)
        return found[:, None] if self.resampled else found.sum(keepdims=True)[:, None]

    def _count_by_value(self, rows: Rows, values: Codes) -> Matrix:
        """Count how often the given cases of each unit have each value."""
        width = len(self.names)
        if not self.resampled:
            return np.bincount(values, minlength=width).astype(np.float64)[None, :]
        units = self.context.verdicts.units.count
        cells = self.context.unit[rows].astype(np.int64) * width + values
        counts = np.bincount(cells, minlength=units * width).reshape(units, width)
        return counts[self.context.active].astype(np.float64)

    def _make_coefficient(self, parts: Sequence[Matrix], finish: Callable[[Matrix], Matrix], cases: int) -> Coefficient:
        columns = np.concatenate(parts, axis=1)
        value = none_if_nan(float(finish(columns.sum(axis=0, keepdims=True))[0, 0]))
        if value is None:
            return Coefficient(value=None, low=None, high=None, cases=cases, reason=ONE_VALUE if cases else NO_CASE)
        span: Interval = (None, None)
        if self.resampled:
            (span,) = self.context.interval(columns, finish)
        return Coefficient(value=value, low=span[0], high=span[1], cases=cases, reason=None)


def compute_kappa(sums: Matrix) -> Matrix:
    """Compute κ = (p_o − p_e) / (1 − p_e) from sums: agreeing cases, all cases, count of each value by rater."""
    agree, cases = sums[:, :1], sums[:, 1:2]
    mine, theirs = np.split(sums[:, 2:], 2, axis=1)
    by_chance = (mine * theirs).sum(axis=1, keepdims=True)
    return ratio(cases * agree - by_chance, cases * cases - by_chance)


def compute_alpha(sums: Matrix) -> Matrix:
    """Compute α = 1 − D_o / D_e from sums: disagreement within cases, number of ratings, and count of each value."""
    apart, size, counts = sums[:, :1], sums[:, 1:2], sums[:, 2:]
    return 1 - ratio((size - 1) * apart, size * size - (counts * counts).sum(axis=1, keepdims=True))


# The agreement of outputs with each other, without a key (DEFINITIONS 4): pairs, coefficients, documents.


@dataclass(frozen=True, kw_only=True)
class OutputPair:
    """The agreement of two outputs.

    Args:
        first: the one that is used as the key.
        second: the one that is scored against it.
        score: the main measure, such as F1; None where undefined.
        low: the lower end of its 95 % interval.
        high: the upper end.
        reason: why it is undefined.
        turned: the same with the second as the key; it differs only if rules or words treat the two differently.
        distance: 1 − score (table 13).
        sites: the number of sites of these two alone.
        different: the number of them at which the two differ.
        diff: their share.
        diff_low: the lower end of its 95 % interval.
        diff_high: the upper end.
        kappa: Cohen's κ.
        where: the condition that selects the sites that differ, in a comparison of the second with the first as key.

    """

    first: str
    second: str
    score: float | None
    low: float | None
    high: float | None
    reason: str | None
    turned: float | None
    distance: float | None
    sites: int
    different: int
    diff: float | None
    diff_low: float | None
    diff_high: float | None
    kappa: Coefficient
    where: str


@dataclass(frozen=True)
class DocumentDisagreement:
    """The disagreement of the outputs on one document.

    Args:
        document: its name.
        sites: the number of its sites.
        disagreed: those at which not all outputs have the same value.
        diff: the mean diff over all pairs of outputs there.

    """

    document: str
    sites: int
    disagreed: SiteCount
    diff: float | None


@dataclass(frozen=True, kw_only=True)
class Agreements(Finding):
    """The agreement of outputs without a key.

    Args:
        view: the view.
        measure: the measure of pairs.
        outputs: the names of the outputs.
        reference: the reference output, whose documents and words are shared by all.
        cases: the unit of coefficients: words, tokens or rows of the reference output.
        mean_score: the mean of all scores, each output once as the key of each other; None if none is defined.
        mean_distance: 1 − that (table 13).
        mean_diff: the mean diff of pairs.
        mean_kappa: the mean of those κ that are defined.
        pairs: the pairs.
        alpha: Krippendorff's α of all outputs, for values without an order.
        sites: the sites of all outputs together.
        disagreed: those at which not all have the same value; its condition, like those of documents, is for a
            comparison of all others with the reference output as the key.
        documents: the documents, those with the largest share of such sites first.

    """

    json_name = "agreements"

    view: str
    measure: str
    outputs: tuple[str, ...]
    reference: str
    unit: str
    units: int
    resamples: int
    seed: int
    warnings: tuple[str, ...]
    cases: str
    mean_score: float | None
    mean_distance: float | None
    mean_diff: float | None
    mean_kappa: float | None
    pairs: tuple[OutputPair, ...]
    alpha: Coefficient
    sites: int
    disagreed: SiteCount
    documents: tuple[DocumentDisagreement, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return agreement_tables(self, top)


def compute_agreements(
    contexts: Mapping[str, Context], reference: str, decided: Context, cases: str, *, wanted: Measure | None = None
) -> Agreements:
    """Measure the agreement of outputs.

    Args:
        contexts: for each output the context in which it is the key, and all others are systems.
        reference: the reference output, whose documents and words are shared by all.
        decided: the cases of coefficients as sites; the raters are the reference output, then the systems in order.
        cases: the kind of cases: words, tokens, mentions, rows.
        wanted: the measure of pairs; None for the view's main one.

    """
    context = contexts[reference]
    chosen = wanted or context.measures[0]
    raters = {name: number for number, name in enumerate((reference, *context.verdicts.runs))}
    ratings = Ratings(decided)
    scored = {name: _score_systems(each, chosen) for name, each in contexts.items()}
    pairs = tuple(
        _compare_pair(
            contexts[first],
            scored=scored,
            first=first,
            second=second,
            kappa=ratings.kappa(raters[first], raters[second]),
        )
        for first, second in combinations(contexts, 2)
    )
    mean = mean_of_known([score.value for each in scored.values() for score in each.values()])
    where = f"solved_by < {len(context.verdicts.runs)}"
    number, sites = len(context.sites.contested), len(context.sites)
    return Agreements(
        view=context.view.name,
        measure=chosen.name,
        outputs=tuple(contexts),
        reference=reference,
        unit=context.verdicts.units.kind,
        units=len(context.active),
        resamples=context.resamples,
        seed=context.seed,
        warnings=_interval_warnings(decided),
        cases=cases,
        mean_score=mean,
        mean_distance=None if mean is None else 1 - mean,
        mean_diff=mean_of_known([pair.diff for pair in pairs]),
        mean_kappa=mean_of_known([pair.kappa.value for pair in pairs]),
        pairs=pairs,
        alpha=ratings.alpha(),
        sites=sites,
        disagreed=SiteCount(number, divide_counts(number, sites), where),
        documents=_rank_documents(context, where),
    )


def _interval_warnings(decided: Context) -> tuple[str, ...]:
    """Write warnings about unreliable intervals, and about those that are not computed."""
    if not decided.resamples:
        return ()
    found = write_warnings(decided)
    if len(decided.sites.names) > MOST_VALUES:
        found = (*found, f"κ and α have no intervals: there are more than {MOST_VALUES} values")
    return found


def _score_systems(context: Context, chosen: Measure) -> dict[str, Score]:
    """Score each system by one measure."""
    return {score.system: score for score in compute_scores(context, [chosen]).scores}


def _compare_pair(
    context: Context, scored: Mapping[str, Mapping[str, Score]], first: str, second: str, *, kappa: Coefficient
) -> OutputPair:
    score = scored[first][second]
    pair_context = context.among(second)
    (run,) = context.verdicts.system(second).runs
    unit, apart = _find_differences(pair_context, run)
    low, high = _diff_interval(pair_context, unit, apart)
    sites, different = len(unit), len(apart)
    return OutputPair(
        first=first,
        second=second,
        score=score.value,
        low=score.low,
        high=score.high,
        reason=score.reason,
        turned=scored[second][first].value,
        distance=None if score.value is None else 1 - score.value,
        sites=sites,
        different=different,
        diff=divide_counts(different, sites),
        diff_low=low,
        diff_high=high,
        kappa=kappa,
        where=f"not right({quote_string(second)})",
    )


def _find_differences(context: Context, run: int) -> tuple[NDArray[np.int32], Rows]:
    """Return the unit of each site, and the sites at which a run differs from the key.

    Overlap sites need not be built for that: the assignment of spans to sites suffices.
    """
    claims = context.view.claims
    if claims is None or context.view.left_out is not None:
        return context.unit, context.sites.contested[~context.sites.disputed.right[run]]
    first = np.unique(claims.site, return_index=True)[1]
    apart = np.unique(claims.site[claims.key != claims.runs[run]])
    return context.verdicts.unit_of(claims)[first], apart


def _diff_interval(context: Context, unit: NDArray[np.int32], apart: Rows) -> Interval:
    units = [np.bincount(each, minlength=context.verdicts.units.count) for each in (unit[apart], unit)]
    columns = np.stack(units, axis=1)[context.active].astype(np.float64)
    return context.interval(columns, lambda sums: ratio(sums[:, :1], sums[:, 1:]))[0]


def _rank_documents(context: Context, where: str) -> tuple[DocumentDisagreement, ...]:
    """Rank the documents with sites: the largest share of disagreement first, then the largest number."""
    sites, disputed, names = context.sites, context.sites.disputed, context.verdicts.documents
    total = np.bincount(sites.document, minlength=len(names)).tolist()
    disagreed = np.bincount(disputed.document, minlength=len(names)).tolist()
    pairs = list(combinations((disputed.key, *disputed.values), 2))
    apart = np.zeros(len(names), np.int64)
    for one, other in pairs:
        apart += np.bincount(disputed.document[one != other], minlength=len(names))
    rows = [
        DocumentDisagreement(
            name,
            total[number],
            SiteCount(
                disagreed[number],
                divide_counts(disagreed[number], total[number]),
                f"{is_value('document', name)} and {where}",
            ),
            divide_counts(int(apart[number]), total[number] * len(pairs)),
        )
        for number, name in enumerate(names)
        if total[number]
    ]
    return tuple(sorted(rows, key=lambda row: (-(row.disagreed.share or 0), -row.disagreed.count, row.document)))


# Agreement of outputs as tables.


_SHOWN_DOCUMENTS, _SHOWN_PAIRS = 10, 45  # the default number of rows
_WORDS_NOTE = (
    "κ and α are over words here: the value of a word is the labels of the spans that cover it; they depend on how "
    "many words have no label, so F1 is the usual measure for spans (Hripcsak & Rothschild 2005)"
)


def agreement_tables(finding: Agreements, top: int | None) -> tuple[Table, ...]:
    """Return the tables of pairs and of documents by disagreement."""
    return (_pair_table(finding, top), _document_table(finding, top))


def _pair_table(finding: Agreements, top: int | None) -> Table:
    turned = any(_is_different(pair.turned, pair.score) for pair in finding.pairs)
    fields = [
        Field("first", "as key"),
        Field("second", "other"),
        Field("score", finding.measure, "share"),
        Field("score_interval", "95 % interval", "interval"),
        *([Field("turned", "reversed", "share")] if turned else []),
        Field("distance", f"100 − {finding.measure}", "share"),
        Field("diff", "diff", "share"),
        Field("diff_interval", "95 % interval", "interval"),
        Field("different", "differing", "figure"),
        Field("sites", "sites", "figure"),
        Field("kappa", "κ", "share"),
        Field("kappa_interval", "95 % interval", "interval"),
        Field("cases", finding.cases, "figure"),
    ]
    rows = [_pair_row(finding, pair, turned=turned) for pair in finding.pairs]
    kept, more = cut_rows(
        rows, top=max(top, _SHOWN_PAIRS) if top else top, usual=_SHOWN_PAIRS, one="pair", many="pairs"
    )
    alpha = finding.alpha
    span = "" if alpha.low is None else f", 95 % interval {format_cell('interval', (alpha.low, alpha.high))}"
    return Table(
        name="agreements",
        title=f"Agreement without a key: Krippendorff's α {format_cell('share', alpha.value)}{span}",
        fields=tuple(fields),
        rows=kept,
        notes=(*more, *_notes(finding, turned=turned)),
    )


def _shared_unit(finding: Agreements) -> str:
    """Return the unit that all outputs share with the reference output: for mentions these are words."""
    return "words" if finding.cases == "mentions" else finding.cases


def _is_different(one: float | None, other: float | None) -> bool:
    """Whether two scores differ by more than rounding."""
    return one != other if one is None or other is None else not isclose(one, other, abs_tol=1e-12)


def _pair_row(finding: Agreements, pair: OutputPair, *, turned: bool) -> tuple[Any, ...]:
    """Write a pair; only pairs with the reference output link to sites, because no other output is a key."""
    different = sites = None
    if pair.first == finding.reference:
        right = f"right_in({quote_string(pair.second)})"
        different, sites = (Link(f"{right} {which}", view=finding.view) for which in ("== 0", ">= 0"))
    return (
        pair.first,
        pair.second,
        pair.score,
        (pair.low, pair.high),
        *((pair.turned,) if turned else ()),
        pair.distance,
        Linked(pair.diff, different),
        (pair.diff_low, pair.diff_high),
        Linked(pair.different, different),
        Linked(pair.sites, sites),
        pair.kappa.value,
        (pair.kappa.low, pair.kappa.high),
        pair.kappa.cases,
    )


def _notes(finding: Agreements, *, turned: bool) -> list[str]:
    means = ", ".join(
        f"{name} {format_cell('share', value)}"
        for name, value in (
            (finding.measure, finding.mean_score),
            (f"100 − {finding.measure}", finding.mean_distance),
            ("diff", finding.mean_diff),
            ("κ", finding.mean_kappa),
        )
    )
    notes = [f"mean over pairs: {means}"]
    reasons = {pair.reason for pair in finding.pairs} | {pair.kappa.reason for pair in finding.pairs}
    notes += sorted(f"n/a: {reason}" for reason in {*reasons, finding.alpha.reason} if reason)
    if turned:
        notes.append("reversed: with the other as the key")
    if finding.cases == "words":
        notes.append(_WORDS_NOTE)
    notes.append(
        "κ and α: 100 for full agreement, 0 for agreement by chance; "
        f"documents and {_shared_unit(finding)} are those of {finding.reference}"
    )
    if finding.resamples:
        made = f"{format_count(finding.resamples, 'bootstrap resample')} of {format_count(finding.units, finding.unit)}"
        notes.append(f"95 % intervals: {made}, seed {finding.seed}")
    return [*notes, *(f"warning: {warning}" for warning in finding.warnings)]


def _document_table(finding: Agreements, top: int | None) -> Table:
    fields = (
        Field("document", "document"),
        Field("sites", "sites", "count"),
        Field("disagreed", "not unanimous", "count"),
        Field("share", "%", "share"),
        Field("diff", "mean diff", "share"),
    )
    rows: list[tuple[Any, ...]] = [
        (
            row.document,
            Linked(row.sites, Link(is_value("document", row.document), view=finding.view)),
            Linked(row.disagreed.count, disagreed),
            Linked(row.disagreed.share, disagreed),
            row.diff,
        )
        for row in finding.documents
        for disagreed in [Link(row.disagreed.where, view=finding.view)]
    ]
    kept, notes = cut_rows(rows, top=top, usual=_SHOWN_DOCUMENTS, one="document", many="documents")
    counts = f"{finding.disagreed.count:,} of {format_count(finding.sites, 'site')}"
    title = f"Documents by disagreement: not unanimous at {counts} ({format_cell('share', finding.disagreed.share)} %)"
    return Table(name="documents", title=title, fields=fields, rows=kept, notes=notes)
