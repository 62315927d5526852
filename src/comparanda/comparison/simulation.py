"""Which questions to ask first: the course of F1 and of other scores under strategies of feedback, in numbers.

Strategies are compared on a common horizon, by default the largest number of questions that any of them asked; those
that are through earlier keep their last value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import defined, share
from comparanda.comparison.finding import Finding
from comparanda.feedback.areas import SAME, Area, area, carried, least_difference, normalised, questions_until
from comparanda.feedback.state import uncertain
from comparanda.feedback.trials import SEEDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.feedback.field import Field
    from comparanda.feedback.trials import Trial

    Floats = NDArray[np.float64]

MEASURES = ("f1", "precision", "recall", "expected_precision", "expected_recall")
"""The measures whose curves are summed up; the first is the main one."""

LARGEST = 5
"""How many of the most frequent texts are named."""

SMALL, WITHIN = "no finding", "within the band"
"""What a difference of areas says: too small to rank by, or no larger than that of two seeds; else None."""

_BAND = (0.05, 0.95)
_HALF, _MOST = 0.5, 0.9


@dataclass(frozen=True)
class Levels:
    """A number for each measure: its value at some question, or the area under its curve; None where undefined."""

    f1: float | None
    precision: float | None
    recall: float | None
    expected_precision: float | None
    expected_recall: float | None


@dataclass(frozen=True)
class Tried:
    """How one strategy did.

    Args:
        strategy: its name.
        seeds: how many runs these are means of.
        questions: how many questions the longest of them asked.
        end: the scores at the horizon.
        end_low: the lower end of the band of F1 there: the 5th percentile over seeds; None for one run.
        end_high: the upper end: the 95th.
        area: the areas under the curves, up to the horizon.
        area_low: the lower end of the band of that under F1.
        area_high: the upper end.
        normalised: which part of what could be gained that area has gained: 0 for a flat start, 1 for a flat ceiling.
        to_half: after how many questions half of the gain is there; None where it is never.
        to_most: the same for 90 % of it.
        changed: how many tuples came into the hard output or left it, in the mean.
        contradictions: how many answers contradicted what was certain, in the mean.

    """

    strategy: str
    seeds: int
    questions: int
    end: Levels
    end_low: float | None
    end_high: float | None
    area: Levels
    area_low: float | None
    area_high: float | None
    normalised: float | None
    to_half: int | None
    to_most: int | None
    changed: float | None
    contradictions: float | None


@dataclass(frozen=True)
class AreaDifference:
    """By how much the area of a strategy exceeds that of another, and what that says."""

    first: str
    second: str
    difference: float | None
    reading: str | None


@dataclass(frozen=True)
class RepeatedText:
    """A text that stands at several places."""

    text: str
    places: int
    tuples: int
    share: float | None


@dataclass(frozen=True)
class Repetition:
    """How much of the scope is repeated text, which is all that a handler can spread answers by.

    Args:
        tuples: how many tuples have a text that stands at two places or more.
        share: their share of all.
        largest: the most frequent of these texts.
        largest_share: the share of tuples that these have.

    """

    tuples: int
    share: float | None
    largest: tuple[RepeatedText, ...]
    largest_share: float | None


@dataclass(frozen=True)
class Regular:
    """The scores of the output without probabilities."""

    system: str
    f1: float | None
    precision: float | None
    recall: float | None


@dataclass(frozen=True)
class Simulated(Finding):
    """What strategies of feedback gain on one output.

    Args:
        system: whose output.
        where: the condition that tuples and entities of the scope fulfil.
        ask: what is asked: `label`, `span`, `choice` or `group`.
        handler: what an answer changes: `basic`, its block; `statistical`, other places of its text as well.
        user: how the user answers.
        decide: how tuples are decided on.
        area_by: how areas are counted: `trapezoid` or `thesis`, whose areas may exceed 1.
        budget: how many questions may be asked; None for as many as there are.
        horizon: up to which question strategies are compared.
        seed: the first seed.
        entities: how many entities the key has in the scope.
        tuples: how many tuples the output has there.
        uncertain: how many of these are neither certain nor impossible.
        start: the scores before the first question.
        e100: the share of entities that some tuple has, however unlikely.
        ceiling: the F1 of all these and nothing else: 2 · E100 / (1 + E100).
        best_end: the best F1 that any strategy has at the horizon; gains are counted from the start to it.
        least_difference: the difference of areas below which nothing is found: 1 / (2 · horizon).
        repeated: how much is repeated text.
        regular: the scores of the output without probabilities, if one was given.
        strategies: how each strategy did.
        pairs: the differences of their areas.
        warnings: what to know before reading these numbers.

    """

    system: str
    where: str
    ask: str
    handler: str
    user: str
    decide: str
    area_by: str
    budget: int | None
    horizon: int
    seed: int
    entities: int | None
    tuples: int
    uncertain: int
    start: Levels
    e100: float | None
    ceiling: float | None
    best_end: float | None
    least_difference: float | None
    repeated: Repetition
    regular: Regular | None
    strategies: tuple[Tried, ...]
    pairs: tuple[AreaDifference, ...]
    warnings: tuple[str, ...]


def simulation(
    field: Field,
    trials: Sequence[Trial],
    system: str,
    *,
    where: str = "true",
    area_by: Area = "trapezoid",
    horizon: int | None = None,
    regular: tuple[str, Field] | None = None,
) -> Simulated:
    """Sum up what strategies gained.

    Args:
        field: what was asked about.
        trials: the strategies' curves, all of one plan.
        system: whose output it is.
        where: the condition of the scope.
        area_by: how areas are counted.
        horizon: up to which question strategies are compared; by default the longest way of any of them.
        regular: the name and the field of the output without probabilities.

    """
    plan, first = trials[0].curves[0].plan, trials[0].curves[0]
    if horizon is None:
        horizon = max(len(curve) for trial in trials for curve in trial.curves)
    courses = [Course(trial, horizon) for trial in trials]
    start = Levels(*(defined(first.columns[name][0]) for name in MEASURES))
    e100 = defined(first.columns["e100"][0])
    ceiling = None if e100 is None else 2 * e100 / (1 + e100)
    best_end = max((end for course in courses if (end := _mean(course.ends(MEASURES[0]))) is not None), default=None)
    strategies = tuple(_tried(course, area_by, start.f1, ceiling, best_end) for course in courses)
    weight = field.candidates.beliefs.weight[field.scope]
    return Simulated(
        system,
        where,
        plan.kind,
        plan.handler,
        str(plan.user),
        plan.decide,
        area_by,
        plan.budget,
        horizon,
        plan.seed,
        field.entities,
        len(weight),
        int(uncertain(weight).sum()),
        start,
        e100,
        ceiling,
        best_end,
        least_difference(horizon),
        repetition(field),
        None if regular is None else _regular(*regular),
        strategies,
        tuple(_difference(first, second, horizon) for first, second in combinations(strategies, 2)),
        tuple(_warnings(field, trials, area_by)),
    )


class Course:
    """The curves of one strategy on a common horizon, a row a seed; a mean is undefined where one of them is."""

    def __init__(self, trial: Trial, horizon: int) -> None:
        self.trial, self.horizon = trial, horizon

    def rows(self, measure: str) -> Floats:
        """Return the values after each question up to the horizon, of each seed."""
        return np.stack([carried(curve.columns[measure], self.horizon) for curve in self.trial.curves])

    def mean(self, measure: str) -> Floats:
        """Return the mean over seeds after each question."""
        found: Floats = self.rows(measure).mean(axis=0)
        return found

    def band(self, measure: str) -> tuple[Floats, Floats] | None:
        """Return the 5th and the 95th percentile over seeds after each question; None for one seed."""
        if len(self.trial.curves) == 1:
            return None
        low, high = np.quantile(self.rows(measure), _BAND, axis=0)
        return low, high

    def ends(self, measure: str) -> list[float | None]:
        """Return the value of each seed at the horizon."""
        return [defined(value) for value in self.rows(measure)[:, -1].tolist()]

    def areas(self, measure: str, how: Area) -> list[float | None]:
        """Return the area of each seed."""
        return [area(row, how) for row in self.rows(measure)]


def _tried(course: Course, how: Area, start: float | None, ceiling: float | None, best_end: float | None) -> Tried:
    """Sum up one strategy."""
    curves = course.trial.curves
    ends, areas = ({name: make(name) for name in MEASURES} for make in (course.ends, partial(course.areas, how=how)))
    return Tried(
        course.trial.strategy,
        len(curves),
        max(map(len, curves)),
        Levels(*map(_mean, ends.values())),
        *_band(ends[MEASURES[0]]),
        Levels(*map(_mean, areas.values())),
        *_band(areas[MEASURES[0]]),
        normalised(_mean(course.areas(MEASURES[0], "trapezoid")), start, ceiling),
        _reached(course, start, best_end, _HALF),
        _reached(course, start, best_end, _MOST),
        _mean(course.ends("changed")),
        _mean(course.ends("contradictions")),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean over seeds, exact where all are equal; None where one is undefined."""
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


def _band(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the 5th and the 95th percentile over seeds; None for one seed, or where one is undefined."""
    known = [value for value in values if value is not None]
    if len(values) == 1 or len(known) < len(values):
        return None, None
    low, high = np.quantile(known, _BAND)
    return float(low), float(high)


def _reached(course: Course, start: float | None, best_end: float | None, part: float) -> int | None:
    """Return after how many questions the mean has a part of the gain; None where it never has, or nobody gains."""
    if start is None or best_end is None or best_end - start <= SAME:
        return None
    return questions_until(course.mean(MEASURES[0]), start + part * (best_end - start))


def _difference(first: Tried, second: Tried, horizon: int) -> AreaDifference:
    """Compare the areas of two strategies."""
    one, other = first.area.f1, second.area.f1
    if one is None or other is None:
        return AreaDifference(first.strategy, second.strategy, None, None)
    least = least_difference(horizon)
    reading = None
    if least is None or abs(other - one) < least:
        reading = SMALL
    elif _within(one, second) or _within(other, first):
        reading = WITHIN
    return AreaDifference(first.strategy, second.strategy, other - one, reading)


def _within(value: float, tried: Tried) -> bool:
    return tried.area_low is not None and tried.area_high is not None and tried.area_low <= value <= tried.area_high


def repetition(field: Field) -> Repetition:
    """Count tuples of the scope whose text stands at several places; labels of one place are one place."""
    group, place = field.groups[field.scope], field.candidates.beliefs.alternative[field.scope]
    total = len(group)
    if not total:
        return Repetition(0, None, (), None)
    tuples = np.bincount(group)
    places = np.bincount(np.unique(np.stack([group, place]), axis=1)[0], minlength=len(tuples))
    repeated = int(tuples[places > 1].sum())
    texts = field.candidates.text.take(np.flatnonzero(field.scope))
    first = np.full(len(tuples), total)
    np.minimum.at(first, group, np.arange(total))
    ranked = sorted(np.flatnonzero(places > 1).tolist(), key=lambda each: (-places[each], texts[int(first[each])]))
    largest = ranked[:LARGEST]
    named = tuple(
        RepeatedText(texts[int(first[each])], int(places[each]), int(tuples[each]), share(int(tuples[each]), total))
        for each in largest
    )
    return Repetition(repeated, share(repeated, total), named, share(int(tuples[largest].sum()), total))


def _regular(system: str, field: Field) -> Regular:
    """Score the output without probabilities, in the scope."""
    chosen = field.candidates.decided & field.scope
    right, claimed = int((chosen & field.candidates.correct).sum()), int(chosen.sum())
    entities = field.entities or 0
    return Regular(system, share(2 * right, claimed + entities), share(right, claimed), share(right, entities))


def _warnings(field: Field, trials: Sequence[Trial], how: Area) -> Iterator[str]:
    """Say what makes these numbers less than they seem."""
    candidates, beliefs, plan = field.candidates, field.candidates.beliefs, trials[0].curves[0].plan
    if not any(len(curve) for trial in trials for curve in trial.curves) and plan.budget != 0:
        yield "nothing to ask: no tuple is uncertain (the output may have no probabilities)"
    certain = int((field.scope & ~candidates.correct & (beliefs.weight >= 1)).sum())
    if certain and not plan.ask_certain:
        are = "tuple weighs 1 and is" if certain == 1 else "tuples weigh 1 and are"
        yield f"{certain:,} wrong {are} never asked about, so the ceiling is out of reach"
    crowded = np.bincount(beliefs.block[candidates.correct & field.scope], minlength=len(beliefs.nothing)) > 1
    if (number := int((crowded & beliefs.exclusive).sum())) > 0:
        blocks = "block has" if number == 1 else "blocks have"
        yield f"{number:,} {blocks} several entities of the key, of which one at most can be found"
    if any(1 < len(trial.curves) < SEEDS for trial in trials):
        yield f"fewer than {SEEDS} seeds: bands are rough"
    if how == "thesis":
        yield "areas by the thesis's formula divide n + 1 values by n: they may exceed 1"
