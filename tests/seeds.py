"""Cases for two kinds of runs: a sample of them for every run, all others for the slow one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

ORDINARY = "ordinary"
"""The profile of hypothesis for every run: few cases, always the same."""

THOROUGH = "thorough"
"""That of the slow tests: more cases, others in every run."""


def seeds(few: int, *, of: int) -> list[ParameterSet]:
    """Return the numbers below `of` as parameters; only the first few are for every run.

    >>> [(each.values, len(each.marks)) for each in seeds(1, of=2)]
    [((0,), 0), ((1,), 1)]
    """
    return [pytest.param(seed, marks=() if seed < few else pytest.mark.slow) for seed in range(of)]


def first_few(few: int, values: Iterable[object]) -> list[ParameterSet]:
    """Return values as parameters; only the first few are for every run. A tuple holds several parameters.

    >>> [(each.values, len(each.marks)) for each in first_few(1, [("a", 1), ("b", 2)])]
    [(('a', 1), 0), (('b', 2), 1)]
    """
    return [_parameter(value, place < few) for place, value in enumerate(values)]


def mostly_slow(values: Iterable[object], ordinary: Collection[object]) -> list[ParameterSet]:
    """Return values as parameters; only some are for every run. A tuple holds several parameters."""
    return [_parameter(value, value in ordinary) for value in values]


def _parameter(value: object, ordinary: bool) -> ParameterSet:
    given = value if isinstance(value, tuple) else (value,)
    return pytest.param(*given, marks=() if ordinary else pytest.mark.slow)


def draws(many: int) -> int:
    """Return how many cases hypothesis draws: a quarter in every run, all in the slow one, which draws others."""
    return -(-many // 4) if settings.get_current_profile_name() == ORDINARY else many
