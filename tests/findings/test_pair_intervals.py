"""The intervals of diff are drawn for many pairs at once, and are those of each pair by itself."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import pytest

import comparanda as cp
from comparanda.findings import pairs

TAGS = ("O", "O", "B-PER", "I-PER", "B-LOC")


def outputs(task: str, count: int) -> tuple[Any, dict[str, Any]]:
    """Draw a key and systems: sentences of tags, or of chunk tags, some of which have no span."""
    draw, tags = Random(7), TAGS if task == "span" else ("a", "b", "c")
    sides = [[[draw.choice(tags) for _ in range(3)] for _ in range(12)] for _ in range(count + 1)]
    return sides[0], {f"s{number}": side for number, side in enumerate(sides[1:])}


@pytest.mark.parametrize("task", ["tag", "span"])
def test_each_pair_has_the_interval_that_it_has_alone(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key, systems = outputs(task, 5)
    monkeypatch.setattr(pairs, "_PAIRS_AT_ONCE", 3)  # ten pairs are drawn in four turns at least
    found = {(pair.base, pair.new): pair for pair in cp.compare(key, systems, task=task, resamples=60).pairs().pairs}
    assert len({(pair.low, pair.high) for pair in found.values()}) > 3
    for one, other in combinations(systems, 2):
        two = {name: systems[name] for name in (one, other)}
        (alone,) = cp.compare(key, two, task=task, resamples=60).pairs().pairs
        assert (found[one, other].low, found[one, other].high) == (alone.low, alone.high)
