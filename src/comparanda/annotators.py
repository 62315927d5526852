"""Several keys for one text: a result for each annotator, and for what most of them have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from comparanda.comparison.keys import MAJORITY, KeyPair, Keys, KeyScores
from comparanda.comparison.resample import RESAMPLES, SEED
from comparanda.errors import UsageError
from comparanda.judge.majority import majority_key
from comparanda.result import Result
from comparanda.road import judge, prepare

if TYPE_CHECKING:
    from comparanda.road import Setup

FEWEST = 2


def score_keys(
    keys: Mapping[str, Any],
    systems: Mapping[str, Any],
    setup: Setup,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    view: str | None = None,
) -> Keys:
    """Score systems against each of several keys, and against the spans that more than half of the keys have.

    Args:
        keys: the keys by name, at least two; documents, sentences and words are those of the first.
        systems: the outputs by name.
        setup: how inputs are read and judged; the task must be of spans.
        resamples: how many resamples intervals draw; 0 for none.
        seed: the seed of all draws.
        view: the view, if there are several.

    """
    _refuse(keys)
    first = next(iter(keys))
    others = {name: key for name, key in keys.items() if name != first}
    plain = replace(setup, strict=False)  # annotators may differ in what there is to note
    prepared = prepare(keys[first], others, plain)
    if prepared.task.layer != "spans":
        raise UsageError(f"several keys are for spans; the task {prepared.task.name!r} takes one")
    every = {**keys, MAJORITY: majority_key(prepared.aligned)}
    rows = []
    for name, key in every.items():
        result = Result(judge(key, systems, setup), resamples, seed)
        found = result.scores(view=view) if view is not None else result.scores()
        items = result.verdicts.view(view).items
        rows.append(KeyScores(name, int(items.positive.sum()), found.scores))
    return Keys(
        found.view, result.systems, found.units, found.unit, resamples, seed, tuple(rows), _agreement(keys, plain)
    )


def _refuse(keys: Mapping[str, Any]) -> None:
    if len(keys) < FEWEST:
        raise UsageError("scores against several keys need at least two of them")
    if MAJORITY in keys:
        raise UsageError(f"a key cannot be called {MAJORITY!r}: that is what most of them have")


def _agreement(keys: Mapping[str, Any], setup: Setup) -> tuple[KeyPair, ...]:
    pairs = []
    for first, second in combinations(keys, 2):
        scores = Result(judge(keys[first], {second: keys[second]}, setup), 0).scores()
        main = scores.scores[0]
        pairs.append(KeyPair(first, second, main.measure, main.value))
    return tuple(pairs)
