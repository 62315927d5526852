"""Combinations of systems as tables: how good they are, how they were made, whose votes counted how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from comparanda.comparison.ensembles import Choice, Ensemble, Ensembles, Weight
from comparanda.comparison.scores import Score
from comparanda.show.cells import cell, counted
from comparanda.show.score_tables import stars
from comparanda.show.table import Field, Table, cut

_MEASURES = 3  # so many stand in columns; JSON has them all
_LABELS = 20  # so many choices are shown unless told otherwise
_ASIDE = ("sentences", "macro_f1", "document_f1")
_OPTIMISTIC = "†"


def ensemble_tables(finding: Ensembles, top: int | None) -> tuple[Table, ...]:
    """Return the scores of combinations, how they were made, and weights and choices where there are any."""
    found = [_score_table(finding), _recipe_table(finding)]
    weights = next((each.weights for each in finding.methods if each.weights), ())
    choices = next((each.choices for each in finding.methods if each.choices), ())
    if weights:
        found.append(_weight_table(weights))
    if choices:
        found.append(_choice_table(choices, top))
    return tuple(found)


def _measures(finding: Ensembles) -> list[str]:
    """Return the measures that stand in columns, the main one first."""
    names = dict.fromkeys(score.measure for score in finding.systems)
    return [name for name in names if name == finding.measure or not name.endswith(_ASIDE)][:_MEASURES]


def _score_table(finding: Ensembles) -> Table:
    measures = _measures(finding)
    fields = (
        Field("method", "system"),
        *(Field(name, name, "share") for name in measures),
        Field("difference", f"Δ {finding.best}", "points"),
        Field("difference_interval", "95 % interval", "points_interval"),
        Field("p", "p", "p"),
        Field("p_holm", "p (Holm)", "p"),
        Field("gained", "% of the way", "share"),
    )
    width = len(fields) - len(measures) - 1
    empty = (None, (None, None), None, None, None)
    best = [score for score in finding.systems if score.system == finding.best]
    rows: list[tuple[Any, ...]] = [(f"{finding.best} (best single)", *_values(best, measures), *empty)]
    rows += [_row(each, measures) for each in finding.methods]
    rows.append(("oracle", finding.oracle, *(None for _ in measures[1:]), *empty))
    marks = {}
    for number, each in enumerate(finding.methods, start=1):
        if each.optimistic:
            marks[number, 1] = _OPTIMISTIC
        if sign := stars(each.p_holm):
            marks[number, len(fields) - width + 3] = sign
    values = [row[1] for row in rows[:-1] if row[1] is not None]
    top = frozenset((number, 1) for number, row in enumerate(rows[:-1]) if values and row[1] == max(values))
    return Table("ensembles", _title(finding), fields, tuple(rows), _notes(finding), top, marks)


def _title(finding: Ensembles) -> str:
    return f"Combinations of {counted(len(finding.runs), 'run')}"


def _values(scores: Iterable[Score], measures: Sequence[str]) -> list[float | None]:
    found = {score.measure: score.value for score in scores}
    return [found[name] for name in measures]


def _row(each: Ensemble, measures: Sequence[str]) -> tuple[Any, ...]:
    interval = (each.low, each.high)
    return (
        each.method,
        *_values(each.scores, measures),
        each.difference,
        interval,
        each.p,
        each.p_holm,
        each.gained,
    )


def _notes(finding: Ensembles) -> tuple[str, ...]:
    """Say what the columns mean, and what makes them doubtful."""
    drawn = f"{counted(finding.units, finding.unit)}, {counted(finding.resamples, 'resample')}, seed {finding.seed}"
    tested = f"p by randomisation over {drawn}" if finding.resamples else "without resamples there is no p"
    notes = [
        f"Δ and p: against {finding.best}, the best single system on this data; {tested}",
        "% of the way: from the best single system to the oracle, which is right where any run is",
    ]
    if any(each.optimistic for each in finding.methods):
        notes.append(f"{_OPTIMISTIC} tuned on the very data that is scored: optimistic, no estimate for new data")
    reasons = Counter(each.test for each in finding.methods if each.p is None and finding.resamples)
    notes += [f"no test: {reason}" for reason in reasons]
    notes += [f"not tried: {each.method}: {each.reason}" for each in finding.skipped]
    notes += [f"beware: {warning}" for warning in finding.warnings]
    return tuple(notes)


def _recipe_table(finding: Ensembles) -> Table:
    fields = (Field("method", "method"), Field("vote", "vote"), Field("tuned", "tuned on"))
    rows = tuple((each.method, each.vote, each.tuned or "nothing") for each in finding.methods)
    notes = tuple(f"{each.method}: {note}" for each in finding.methods for note in each.notes)
    return Table("recipes", "How they were made", fields, rows, notes)


def _weight_table(weights: Sequence[Weight]) -> Table:
    folds = len(weights[0].by_fold)
    fields = [Field("run", "system"), Field("weight", "weight", "share")]
    rows: list[tuple[Any, ...]] = [(each.run, sum(each.by_fold) / folds) for each in weights]
    if folds > 1:
        fields.append(Field("range", "over folds", "interval"))
        rows = [(*row, (min(each.by_fold), max(each.by_fold))) for row, each in zip(rows, weights, strict=True)]
    return Table("weights", "What a vote weighs", tuple(fields), tuple(rows))


def _choice_table(choices: Sequence[Choice], top: int | None) -> Table:
    fields = (Field("label", "label"), Field("run", "who speaks for it"), Field("f1", "f1 there", "share"))
    rows = [(each.label, _chosen(each), sum(each.f1) / len(each.f1)) for each in choices]
    kept, notes = cut(list(rows), top, _LABELS, "label", "labels")
    return Table("choices", "The best system of each label", fields, kept, notes)


def _chosen(choice: Choice) -> str:
    """Write who was chosen, and in how many folds where that differs."""
    counts = Counter(choice.runs)
    if len(counts) == 1:
        return choice.runs[0]
    order = sorted(counts, key=lambda run: (-counts[run], run))
    return ", ".join(f"{run} ({cell('count', counts[run])})" for run in order)
