"""Combinations of systems compared with the best single system and the upper bound (DEFINITIONS 4).

They are scored like any other system. Whether one is better than the best single system is tested by randomisation,
with Holm's correction for all methods that were tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.measures import rests_on_items
from comparanda.findings.context import Context, Interval, compute_intervals, divide_counts, none_if_nan
from comparanda.findings.scores import Score, compute_scores, resampled_scores
from comparanda.findings.significance import correct_by_holm, test_by_randomisation, write_warnings
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table, cut_rows, format_cell, format_count, format_stars

if TYPE_CHECKING:
    from comparanda.findings.upper_bounds import Combination


ALONE = "there is only one run, so every combination is that run"


@dataclass(frozen=True)
class Weight:
    """The weight of a run's vote: its main score on the tuning data, for each fold; one number without folds."""

    run: str
    by_fold: tuple[float, ...]


@dataclass(frozen=True)
class Choice:
    """The run chosen for a label, and its F1 on that label in the tuning data, for each fold; one without folds."""

    label: str
    runs: tuple[str, ...]
    f1: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The recipe of a combination.

    Args:
        method: its method; in the verdicts, a system of that name.
        vote: the unit of voting: complete spans, tags, links, values, labels or trees.
        tuned: the data from which its weights, choices or tie-breaking order come; None where it needs none.
        optimistic: whether this is the data on which it is scored.
        weights: the weight of each run's vote, where votes are weighted.
        choices: the run chosen for each label, where runs are chosen by label.
        notes: remarks on how the combination was built.

    """

    method: str
    vote: str
    tuned: str | None
    optimistic: bool
    weights: tuple[Weight, ...] = ()
    choices: tuple[Choice, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """One combination.

    Args:
        method: its method.
        vote: the unit of voting.
        value: its main score; None where undefined.
        scores: all its scores.
        difference: its main score less that of the best single system.
        low: the lower end of the 95 % interval of the difference.
        high: the upper end.
        p: the two-sided p of the randomisation test; None where it cannot be made.
        p_holm: the same after Holm's correction for all methods.
        test: exact, sampled, or why there is none.
        gained: the difference as a share of the gain of the upper bound over the best single system; None where the
            upper bound does not exceed that system.
        tuned: the data from which its weights, choices or tie-breaking order come; None where it needs none.
        optimistic: whether this is the data on which it is scored.
        weights: the weight of each run's vote.
        choices: the run chosen for each label.
        notes: remarks on how the combination was built.

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


@dataclass(frozen=True, kw_only=True)
class Ensembles(Finding):
    """Combinations of systems compared with the best single system and the upper bound.

    Args:
        view: the view.
        measure: the main measure.
        unit: the unit of resampling.
        units: the number of units.
        resamples: the number of resamples.
        seed: the seed of all draws.
        runs: all runs that voted.
        best: the best single system by the main measure, on the data scored here; the first by name in ties.
        systems: the scores of the single systems.
        oracle: the upper bound of the main measure: right where any run is; None where it is not known.
        methods: the combinations, in the order asked for.
        skipped: those that were not tried.
        warnings: warnings about unreliable intervals and tests.

    """

    json_name = "ensembles"

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

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return ensemble_tables(self, top)


def score_ensembles(
    context: Context, recipes: Sequence[Recipe], alone: Combination, skipped: Mapping[str, str] | None = None
) -> Ensembles:
    """Score combinations.

    Args:
        context: the single systems, followed by the combinations as further systems.
        recipes: how the combinations were built.
        alone: the upper bounds of the single systems.
        skipped: methods that were not tried, each with the reason.

    """
    main = context.measures[0]
    found = compute_scores(context)
    first = len(context.systems) - len(recipes)
    single = [system.name for system in context.systems[:first]]
    best = _best_system({name: found.value(name) for name in single})
    oracle = _oracle_score(context, alone)
    tests = _test_against(context, single.index(best), [first + place for place in range(len(recipes))])
    top = found.value(best)
    return Ensembles(
        view=context.view.name,
        measure=main.name,
        unit=context.verdicts.units.kind,
        units=len(context.active),
        resamples=context.resamples,
        seed=context.seed,
        runs=alone.runs,
        best=best,
        systems=tuple(score for score in found.scores if score.system in single),
        oracle=oracle,
        methods=tuple(
            _make_ensemble(recipe, found=found.scores, test=test, best=top, oracle=oracle)
            for recipe, test in zip(recipes, tests, strict=True)
        ),
        skipped=tuple(Skipped(name, reason) for name, reason in (skipped or {}).items()),
        warnings=(*((ALONE,) if len(alone.runs) == 1 else ()), *write_warnings(context)),
    )


def _best_system(values: Mapping[str, float | None]) -> str:
    """Return the system with the highest value; ties go to the first by name, in whatever order they were given.

    >>> _best_system({"c": 0.5, "b": 0.7, "a": 0.7, "d": None})
    'a'
    """
    return min(values, key=lambda name: (values[name] is None, -(values[name] or 0.0), name))


def _oracle_score(context: Context, alone: Combination) -> float | None:
    """Return the upper bound of the main measure; None where it is not known."""
    main = context.measures[0]
    name = main.name.rpartition(".")[2]
    if rests_on_items(main):
        return alone.items.f1 if alone.items is not None and name == "f1" else None
    return alone.overall.oracle if name == "accuracy" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """The test of a combination against the best single system."""

    difference: float | None
    interval: Interval
    p: float | None
    p_holm: float | None
    method: str


def _test_against(context: Context, best: int, places: Sequence[int]) -> list[_Test]:
    """Test the systems at `places` against one, with Holm's correction for all of them."""
    main = context.measures[0]
    statistics = context.statistics([main])
    sums = {name: values.sum(axis=0) for name, values in statistics.items()}
    observed = context.by_system(context.finished(main, sums))
    ps = test_by_randomisation(context, main, statistics, [(best, place) for place in places])
    samples = resampled_scores(context, [main], statistics)
    spans: list[Interval] = [(None, None)] * len(places)
    if samples is not None:
        spans = compute_intervals(samples[main.name][:, list(places)] - samples[main.name][:, [best]])
    corrected = correct_by_holm([p for p, _ in ps])
    return [
        _Test(
            difference=none_if_nan(float(np.subtract(observed[place], observed[best]))),
            interval=span,
            p=p,
            p_holm=holm,
            method=method,
        )
        for place, span, (p, method), holm in zip(places, spans, ps, corrected, strict=True)
    ]


def _make_ensemble(
    recipe: Recipe, found: Sequence[Score], test: _Test, best: float | None, *, oracle: float | None
) -> Ensemble:
    mine = tuple(score for score in found if score.system == recipe.method)
    distance = None if best is None or oracle is None else oracle - best
    gained = None if test.difference is None or distance is None else divide_counts(test.difference, max(distance, 0.0))
    return Ensemble(
        method=recipe.method,
        vote=recipe.vote,
        value=mine[0].value,
        scores=mine,
        difference=test.difference,
        low=test.interval[0],
        high=test.interval[1],
        p=test.p,
        p_holm=test.p_holm,
        test=test.method,
        gained=gained,
        tuned=recipe.tuned,
        optimistic=recipe.optimistic,
        weights=recipe.weights,
        choices=recipe.choices,
        notes=recipe.notes,
    )


# Combinations of systems as tables: their scores, how they were built, and the weights of votes.


_MAX_COLUMNS = 3  # the number of measures in columns; JSON has them all
_SHOWN_CHOICES = 20  # the default number of choices shown
_OMITTED_SUFFIXES = ("sentences", "macro_f1", "document_f1")
_OPTIMISTIC_MARK = "†"


def ensemble_tables(finding: Ensembles, top: int | None) -> tuple[Table, ...]:
    """Return tables of the scores of combinations and how they were built, and of weights and choices if any."""
    found = [_score_table(finding), _recipe_table(finding)]
    weights = next((each.weights for each in finding.methods if each.weights), ())
    choices = next((each.choices for each in finding.methods if each.choices), ())
    if weights:
        found.append(_weight_table(weights))
    if choices:
        found.append(_choice_table(choices, top))
    return tuple(found)


def _shown_measures(finding: Ensembles) -> list[str]:
    """Return the measures that are shown in columns, the main one first."""
    names = dict.fromkeys(score.measure for score in finding.systems)
    return [name for name in names if name == finding.measure or not name.endswith(_OMITTED_SUFFIXES)][:_MAX_COLUMNS]


def _score_table(finding: Ensembles) -> Table:
    measures = _shown_measures(finding)
    fields = (
        Field("method", "system"),
        *(Field(name, name, "share") for name in measures),
        Field("difference", f"Δ {finding.best}", "points"),
        Field("difference_interval", "95 % interval", "points_interval"),
        Field("p", "p", "p"),
        Field("p_holm", "p (Holm)", "p"),
        Field("gained", "% of oracle gain", "share"),
    )
    width = len(fields) - len(measures) - 1
    empty = (None, (None, None), None, None, None)
    best = [score for score in finding.systems if score.system == finding.best]
    rows: list[tuple[Any, ...]] = [(f"{finding.best} (best single)", *_select_values(best, measures), *empty)]
    rows += [_row(each, measures) for each in finding.methods]
    rows.append(("oracle", finding.oracle, *(None for _ in measures[1:]), *empty))
    marks = {}
    for number, each in enumerate(finding.methods, start=1):
        if each.optimistic:
            marks[number, 1] = _OPTIMISTIC_MARK
        if sign := format_stars(each.p_holm):
            marks[number, len(fields) - width + 3] = sign
    values = [row[1] for row in rows[:-1] if row[1] is not None]
    top = frozenset((number, 1) for number, row in enumerate(rows[:-1]) if values and row[1] == max(values))
    return Table(
        name="ensembles",
        title=_title(finding),
        fields=fields,
        rows=tuple(rows),
        notes=_notes(finding),
        best=top,
        marks=marks,
    )


def _title(finding: Ensembles) -> str:
    return f"Combinations of {format_count(len(finding.runs), 'run')}"


def _select_values(scores: Iterable[Score], measures: Sequence[str]) -> list[float | None]:
    found = {score.measure: score.value for score in scores}
    return [found[name] for name in measures]


def _row(each: Ensemble, measures: Sequence[str]) -> tuple[Any, ...]:
    interval = (each.low, each.high)
    return (
        each.method,
        *_select_values(each.scores, measures),
        each.difference,
        interval,
        each.p,
        each.p_holm,
        each.gained,
    )


def _notes(finding: Ensembles) -> tuple[str, ...]:
    """Explain the columns, and write the warnings."""
    units, resamples = format_count(finding.units, finding.unit), format_count(finding.resamples, "resample")
    drawn = f"{units}, {resamples}, seed {finding.seed}"
    tested = f"p by randomisation over {drawn}" if finding.resamples else "no p without resamples"
    notes = [
        f"Δ and p: against {finding.best}, the best single system on this data; {tested}",
        "% of oracle gain: of the gain over the best single system of the oracle, which is right where any run is",
    ]
    if any(each.optimistic for each in finding.methods):
        notes.append(f"{_OPTIMISTIC_MARK} tuned on the data that is scored: optimistic, not an estimate for new data")
    reasons = Counter(each.test for each in finding.methods if each.p is None and finding.resamples)
    notes += [f"no test: {reason}" for reason in reasons]
    notes += [f"not tried: {each.method}: {each.reason}" for each in finding.skipped]
    notes += [f"warning: {warning}" for warning in finding.warnings]
    return tuple(notes)


def _recipe_table(finding: Ensembles) -> Table:
    fields = (Field("method", "method"), Field("vote", "vote"), Field("tuned", "tuned on"))
    rows = tuple((each.method, each.vote, each.tuned or "nothing") for each in finding.methods)
    notes = tuple(f"{each.method}: {note}" for each in finding.methods for note in each.notes)
    return Table(name="recipes", title="How the combinations were built", fields=fields, rows=rows, notes=notes)


def _weight_table(weights: Sequence[Weight]) -> Table:
    folds = len(weights[0].by_fold)
    fields = [Field("run", "system"), Field("weight", "weight", "share")]
    rows: list[tuple[Any, ...]] = [(each.run, sum(each.by_fold) / folds) for each in weights]
    if folds > 1:
        fields.append(Field("range", "over folds", "interval"))
        rows = [(*row, (min(each.by_fold), max(each.by_fold))) for row, each in zip(rows, weights, strict=True)]
    return Table(name="weights", title="Weights of votes", fields=tuple(fields), rows=tuple(rows))


def _choice_table(choices: Sequence[Choice], top: int | None) -> Table:
    fields = (Field("label", "label"), Field("run", "chosen system"), Field("f1", "its F1", "share"))
    rows = [(each.label, _format_choice(each), sum(each.f1) / len(each.f1)) for each in choices]
    kept, notes = cut_rows(list(rows), top=top, usual=_SHOWN_CHOICES, one="label", many="labels")
    return Table(name="choices", title="The best system of each label", fields=fields, rows=kept, notes=notes)


def _format_choice(choice: Choice) -> str:
    """Write the run that was chosen, with the number of folds where folds differ."""
    counts = Counter(choice.runs)
    if len(counts) == 1:
        return choice.runs[0]
    order = sorted(counts, key=lambda run: (-counts[run], run))
    return ", ".join(f"{run} ({format_cell('count', counts[run])})" for run in order)
