"""Real combinations of systems beside the best single one and the upper bound (DEFINITIONS 4).

They are scored as any other system. Whether one is better than the best single system is tested by randomisation, with
Holm's correction for all methods that were tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import Context, Interval, defined, intervals, share
from comparanda.comparison.finding import Finding
from comparanda.comparison.scores import Score, resampled_scores, scores
from comparanda.comparison.significance import holm_corrected, randomisation, warnings
from comparanda.measures import rests_on_items

if TYPE_CHECKING:
    from comparanda.comparison.combine import Combination


ALONE = "there is one run alone: whatever the method, its combination is that run"


@dataclass(frozen=True)
class Weight:
    """What the vote of a run counts: its main score where it was learnt, for each fold; one number without folds."""

    run: str
    by_fold: tuple[float, ...]


@dataclass(frozen=True)
class Choice:
    """The run that speaks for a label, and its F1 of that where it was learnt; for each fold, or once."""

    label: str
    runs: tuple[str, ...]
    f1: tuple[float, ...]


@dataclass(frozen=True)
class Recipe:
    """How a combination was made.

    Args:
        method: its method; in the verdicts, a system of that name.
        vote: what was voted on: whole spans, tags, links, values, labels or trees.
        tuned: where its weights, its choices or its order in ties come from; None where it needs none.
        optimistic: whether that is the very data on which it is scored.
        weights: what the vote of each run counts, where votes are weighted.
        choices: the run that speaks for each label, where one does.
        notes: what was met.

    """

    method: str
    vote: str
    tuned: str | None
    optimistic: bool
    weights: tuple[Weight, ...] = ()
    choices: tuple[Choice, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ensemble:
    """One combination.

    Args:
        method: how it was made.
        vote: what was voted on.
        value: its main score; None where undefined.
        scores: all its scores.
        difference: its main score less that of the best single system.
        low: the lower end of the 95 % interval of the difference.
        high: the upper end.
        p: the two-sided p of the randomisation test; None where it cannot be made.
        p_holm: the same after Holm's correction for all methods.
        test: exact, sampled, or why there is none.
        gained: the difference as a share of the distance from the best single system to the upper bound; None where
            there is no such distance.
        tuned: where its weights, its choices or its order in ties come from; None where it needs none.
        optimistic: whether that is the very data on which it is scored.
        weights: what the vote of each run counts.
        choices: the run that speaks for each label.
        notes: what was met.

    """

    method: str
    vote: str
    value: float | None
    scores: tuple[Score, ...]
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    test: str
    gained: float | None
    tuned: str | None
    optimistic: bool
    weights: tuple[Weight, ...]
    choices: tuple[Choice, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Skipped:
    """A method that was not tried, and why."""

    method: str
    reason: str


@dataclass(frozen=True)
class Ensembles(Finding):
    """Combinations of systems beside the best of these and their upper bound.

    Args:
        view: the view.
        measure: the main measure.
        unit: what statistics resample.
        units: how many of these there are.
        resamples: how many resamples were drawn.
        seed: the seed of all draws.
        runs: all runs that voted.
        best: the best single system by the main measure, on the data scored here; of equal ones the first by name.
        systems: the scores of the single systems.
        oracle: the upper bound of the main measure: right where any run is; None where it is not known.
        methods: the combinations, in the order asked for.
        skipped: those that were not tried.
        warnings: what makes intervals and tests doubtful.

    """

    view: str
    measure: str
    unit: str
    units: int
    resamples: int
    seed: int
    runs: tuple[str, ...]
    best: str
    systems: tuple[Score, ...]
    oracle: float | None
    methods: tuple[Ensemble, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]

    def value(self, method: str) -> float | None:
        """Return the main score of a combination."""
        return next(each.value for each in self.methods if each.method == method)


def ensembles(
    context: Context, recipes: Sequence[Recipe], alone: Combination, skipped: Mapping[str, str] | None = None
) -> Ensembles:
    """Score combinations.

    Args:
        context: the single systems and, behind them, the combinations as further systems.
        recipes: how these were made.
        alone: what the single systems could do together.
        skipped: methods that were not tried, each with the reason.

    """
    main = context.measures[0]
    found = scores(context)
    first = len(context.systems) - len(recipes)
    single = [system.name for system in context.systems[:first]]
    best = _best({name: found.value(name) for name in single})
    oracle = _oracle(context, alone)
    tests = _against(context, single.index(best), [first + place for place in range(len(recipes))])
    top = found.value(best)
    return Ensembles(
        context.view.name,
        main.name,
        context.verdicts.units.kind,
        len(context.active),
        context.resamples,
        context.seed,
        alone.runs,
        best,
        tuple(score for score in found.scores if score.system in single),
        oracle,
        tuple(_ensemble(recipe, found.scores, test, top, oracle) for recipe, test in zip(recipes, tests, strict=True)),
        tuple(Skipped(name, reason) for name, reason in (skipped or {}).items()),
        (*((ALONE,) if len(alone.runs) == 1 else ()), *warnings(context)),
    )


def _best(values: Mapping[str, float | None]) -> str:
    """Return the system of the highest value; of equal ones the first by name, in whatever order they were given.

    >>> _best({"c": 0.5, "b": 0.7, "a": 0.7, "d": None})
    'a'
    """
    return min(values, key=lambda name: (values[name] is None, -(values[name] or 0.0), name))


def _oracle(context: Context, alone: Combination) -> float | None:
    """Return the upper bound of the main measure, if that is one of those for which it is known."""
    main = context.measures[0]
    name = main.name.rpartition(".")[2]
    if rests_on_items(main):
        return alone.items.f1 if alone.items is not None and name == "f1" else None
    return alone.overall.oracle if name == "accuracy" else None


@dataclass(frozen=True, slots=True)
class _Test:
    """A combination against the best single system."""

    difference: float | None
    interval: Interval
    p: float | None
    p_holm: float | None
    method: str


def _against(context: Context, best: int, places: Sequence[int]) -> list[_Test]:
    """Test some systems against one; the correction is for all of them."""
    main = context.measures[0]
    statistics = context.statistics([main])
    sums = {name: values.sum(axis=0) for name, values in statistics.items()}
    observed = context.by_system(context.finished(main, sums))
    ps = randomisation(context, main, statistics, [(best, place) for place in places])
    samples = resampled_scores(context, [main], statistics)
    spans: list[Interval] = [(None, None)] * len(places)
    if samples is not None:
        spans = intervals(samples[main.name][:, list(places)] - samples[main.name][:, [best]])
    corrected = holm_corrected([p for p, _ in ps])
    return [
        _Test(defined(float(np.subtract(observed[place], observed[best]))), span, p, holm, method)
        for place, span, (p, method), holm in zip(places, spans, ps, corrected, strict=True)
    ]


def _ensemble(
    recipe: Recipe, found: Sequence[Score], test: _Test, best: float | None, oracle: float | None
) -> Ensemble:
    mine = tuple(score for score in found if score.system == recipe.method)
    distance = None if best is None or oracle is None else oracle - best
    gained = None if test.difference is None or distance is None else share(test.difference, max(distance, 0.0))
    return Ensemble(
        recipe.method,
        recipe.vote,
        mine[0].value,
        mine,
        test.difference,
        *test.interval,
        test.p,
        test.p_holm,
        test.method,
        gained,
        recipe.tuned,
        recipe.optimistic,
        recipe.weights,
        recipe.choices,
        recipe.notes,
    )
