"""Several keys for one text: scores against each annotator's, and against what most of them have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import combinations
from typing import TYPE_CHECKING, Any

from comparanda.comparing import compare
from comparanda.comparison.keys import MAJORITY, KeyPair, Keys, KeyScores
from comparanda.errors import UsageError
from comparanda.judge.majority import majority_key
from comparanda.judge.spans import SPAN
from comparanda.judge.task import find_task
from comparanda.road import Setup, prepare

if TYPE_CHECKING:
    from comparanda.result import Result

FEWEST = 2

SETTINGS_OF_BELIEFS = ("beliefs", "decide", "min_weight")
"""What is said of probabilities alone."""


def compare_keys(
    keys: Mapping[str, Any], systems: Mapping[str, Any], *, view: str | None = None, **settings: Any
) -> Keys:
    """Score systems against each of several keys of one text, and against the spans that more than half of them have.

    Args:
        keys: the keys by name, at least two; documents, sentences and words are those of the first.
        systems: the outputs by name.
        view: the view of the rule set, if there are several; all of them by default.
        settings: as for `comparanda.compare`; the task must be one of spans.

    >>> keys = {"ann": [["B-PER", "O", "B-LOC"]], "bea": [["B-PER", "O", "O"]], "cy": [["B-PER", "O", "B-ORG"]]}
    >>> found = compare_keys(keys, {"crf": [["B-PER", "O", "B-LOC"]]}, task="span", resamples=0)
    >>> [(each.key, each.items, each.scores[0].value) for each in found.keys]
    [('ann', 2, 1.0), ('bea', 1, 0.6666666666666666), ('cy', 2, 0.5), ('majority', 1, 0.6666666666666666)]

    """
    if len(keys) < FEWEST:
        raise UsageError("scores against several keys need at least two of them")
    if MAJORITY in keys:
        raise UsageError(f"a key cannot be called {MAJORITY!r}: that is what most of them have")
    of_keys = _of_keys(settings)
    majority = _majority(keys, of_keys)
    results = {name: compare(key, systems, **settings) for name, key in {**keys, MAJORITY: majority}.items()}
    first = next(iter(results.values()))
    found = first.scores(view=view)
    return Keys(
        found.view,
        first.systems,
        found.units,
        found.unit,
        found.resamples,
        found.seed,
        tuple(_scored(name, result, view) for name, result in results.items()),
        _agreement(keys, of_keys),
    )


def _of_keys(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return how keys are compared with each other: they are certain, whatever the systems are."""
    if "task" not in settings or find_task(settings["task"])[0].layer != "beliefs":
        return dict(settings)
    return {**settings, "task": SPAN.name, **dict.fromkeys(SETTINGS_OF_BELIEFS)}


def _majority(keys: Mapping[str, Any], settings: Mapping[str, Any]) -> Any:
    """Make the key of what most have, on the words of the first."""
    known = {field.name for field in fields(Setup)} - {"strict"}  # annotators may differ in what there is to note
    setup = Setup(**{name: value for name, value in settings.items() if name in known and value is not None})
    name, *others = keys
    prepared = prepare(keys[name], {other: keys[other] for other in others}, setup)
    if prepared.task.layer != "spans":
        raise UsageError(f"several keys are for spans; the task {prepared.task.name!r} takes one")
    return majority_key(prepared.aligned)


def _scored(name: str, result: Result, view: str | None) -> KeyScores:
    items = result.verdicts.view(view).items
    return KeyScores(name, int(items.positive.sum()), result.scores(view=view).scores)


def _agreement(keys: Mapping[str, Any], settings: Mapping[str, Any]) -> tuple[KeyPair, ...]:
    """Score each key against each one before it; exact match gives the same either way."""
    pairs = []
    for first, second in combinations(keys, 2):
        plain = {**settings, "resamples": 0, "strict": False, "maps": None}
        main = compare(keys[first], {second: keys[second]}, **plain).scores().scores[0]
        pairs.append(KeyPair(first, second, main.measure, main.value))
    return tuple(pairs)
