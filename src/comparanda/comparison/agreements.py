"""How far outputs agree with each other, without a key (DEFINITIONS 4): pairs, coefficients, documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.coefficients import MOST_VALUES, Coefficient, Ratings
from comparanda.comparison.context import Context, Interval, is_value, mean_of_known, share
from comparanda.comparison.finding import Finding, SiteCount
from comparanda.comparison.scores import Score, scores
from comparanda.comparison.significance import warnings
from comparanda.expressions import quote
from comparanda.measures import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.measures import Measure


@dataclass(frozen=True)
class OutputPair:
    """How far two outputs agree.

    Args:
        first: the one that stands as the key.
        second: the one that is scored against it.
        score: the main measure, such as F1; None where undefined.
        low: the lower end of its 95 % interval.
        high: the upper end.
        reason: why it is undefined.
        turned: the same with the second as the key; another number only if rules or words make the two unlike.
        distance: 1 − score (table 13).
        sites: the number of sites, those of the two alone.
        different: at how many of them they differ.
        diff: their share.
        diff_low: the lower end of its 95 % interval.
        diff_high: the upper end.
        kappa: Cohen's κ.
        where: the condition that selects the sites they differ at, in a comparison of the second with the first as key.

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
    """How much the outputs disagree about one document.

    Args:
        document: its name.
        sites: how many sites it has.
        disagreed: those at which not all outputs have the same value.
        diff: the mean diff over all pairs of outputs there.

    """

    document: str
    sites: int
    disagreed: SiteCount
    diff: float | None


@dataclass(frozen=True)
class Agreements(Finding):
    """How far outputs agree, none of which is the key.

    Args:
        view: the view.
        measure: the measure of pairs.
        outputs: the names of the outputs.
        ground: the output whose documents and words are those of all.
        cases: what coefficients are over: words, tokens or rows of the ground.
        mean_score: the mean of all scores, each output once as the key of each other; None if none is defined.
        mean_distance: 1 − that (table 13).
        mean_diff: the mean diff of pairs.
        mean_kappa: the mean of those κ that are defined.
        pairs: the pairs.
        alpha: Krippendorff's α of all outputs, for values without an order.
        sites: the sites of all outputs together.
        disagreed: those at which not all have the same value; like conditions of documents, its condition is for a
            comparison of all others with the ground as the key.
        documents: the documents, those with the largest share of such sites first.

    """

    view: str
    measure: str
    outputs: tuple[str, ...]
    ground: str
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


def agreements(
    contexts: Mapping[str, Context], ground: str, decided: Context, cases: str, wanted: Measure | None = None
) -> Agreements:
    """Say how far outputs agree.

    Args:
        contexts: for each output the ground on which it is the key, and all others are systems.
        ground: the output whose documents and words are those of all.
        decided: the cases of coefficients as sites; the raters are the ground, then the systems in their order.
        cases: what these are: words, tokens, mentions, rows.
        wanted: the measure of pairs; None for the view's main one.

    """
    context = contexts[ground]
    chosen = wanted or context.measures[0]
    raters = {name: number for number, name in enumerate((ground, *context.verdicts.runs))}
    ratings = Ratings(decided)
    scored = {name: _scores(each, chosen) for name, each in contexts.items()}
    pairs = tuple(
        _pair(contexts[first], scored, first, second, ratings.kappa(raters[first], raters[second]))
        for first, second in combinations(contexts, 2)
    )
    mean = mean_of_known([score.value for each in scored.values() for score in each.values()])
    where = f"solved_by < {len(context.verdicts.runs)}"
    number, sites = len(context.sites.contested), len(context.sites)
    return Agreements(
        context.view.name,
        chosen.name,
        tuple(contexts),
        ground,
        context.verdicts.units.kind,
        len(context.active),
        context.resamples,
        context.seed,
        _warnings(decided),
        cases,
        mean,
        None if mean is None else 1 - mean,
        mean_of_known([pair.diff for pair in pairs]),
        mean_of_known([pair.kappa.value for pair in pairs]),
        pairs,
        ratings.alpha(),
        sites,
        SiteCount(number, share(number, sites), where),
        _documents(context, where),
    )


def _warnings(decided: Context) -> tuple[str, ...]:
    """Say what makes intervals doubtful, and which are not made."""
    if not decided.resamples:
        return ()
    found = warnings(decided)
    if len(decided.sites.names) > MOST_VALUES:
        found = (*found, f"κ and α have no intervals: there are more than {MOST_VALUES} values")
    return found


def _scores(context: Context, chosen: Measure) -> dict[str, Score]:
    """Return one measure of each system."""
    return {score.system: score for score in scores(context, [chosen]).scores}


def _pair(
    context: Context, scored: Mapping[str, Mapping[str, Score]], first: str, second: str, kappa: Coefficient
) -> OutputPair:
    score = scored[first][second]
    ground = context.among(second)
    (run,) = context.verdicts.system(second).runs
    unit, apart = _apart(ground, run)
    low, high = _interval(ground, unit, apart)
    sites, different = len(unit), len(apart)
    return OutputPair(
        first,
        second,
        score.value,
        score.low,
        score.high,
        score.reason,
        scored[second][first].value,
        None if score.value is None else 1 - score.value,
        sites,
        different,
        share(different, sites),
        low,
        high,
        kappa,
        f"not right({quote(second)})",
    )


def _apart(context: Context, run: int) -> tuple[NDArray[np.int32], Rows]:
    """Return the unit of each site, and the sites at which a run has not what the key has.

    Overlap sites need not be made for that: it is enough to know which spans stand at which.
    """
    claims = context.view.claims
    if claims is None or context.view.left_out is not None:
        return context.unit, context.sites.contested[~context.sites.disputed.right[run]]
    first = np.unique(claims.site, return_index=True)[1]
    apart = np.unique(claims.site[claims.key != claims.runs[run]])
    return context.verdicts.unit_of(claims)[first], apart


def _interval(context: Context, unit: NDArray[np.int32], apart: Rows) -> Interval:
    units = [np.bincount(each, minlength=context.verdicts.units.count) for each in (unit[apart], unit)]
    columns = np.stack(units, axis=1)[context.active].astype(np.float64)
    return context.interval(columns, lambda sums: ratio(sums[:, :1], sums[:, 1:]))[0]


def _documents(context: Context, where: str) -> tuple[DocumentDisagreement, ...]:
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
                disagreed[number], share(disagreed[number], total[number]), f"{is_value('document', name)} and {where}"
            ),
            share(int(apart[number]), total[number] * len(pairs)),
        )
        for number, name in enumerate(names)
        if total[number]
    ]
    return tuple(sorted(rows, key=lambda row: (-(row.disagreed.share or 0), -row.disagreed.count, row.document)))
