"""Random cases for two kinds of runs: a sample of them for every run, all others for the slow one."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet


def seeds(few: int, *, of: int) -> list[ParameterSet]:
    """Return the numbers below `of` as parameters; only the first few are for every run.

    >>> [(each.values, len(each.marks)) for each in seeds(1, of=2)]
    [((0,), 0), ((1,), 1)]
    """
    return [pytest.param(seed, marks=() if seed < few else pytest.mark.slow) for seed in range(of)]
