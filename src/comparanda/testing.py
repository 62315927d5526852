"""Regression assertion for test suites of other projects."""

from __future__ import annotations

from typing import Any

from comparanda.api.baseline import gate


def assert_no_regression(key: Any, base: Any, new: Any, *, task: str, **asked: Any) -> None:
    """Raise an AssertionError that shows the gate, with the new errors, unless the gate passes.

    Args:
        key: the key, as `comparanda.compare` takes it.
        base: the output of the base; None to check requirements against the scores of a baseline file.
        new: the output of the new system.
        task: the task.
        asked: criteria and settings, as for `comparanda.gate`.

    >>> assert_no_regression(["A", "B"], ["A", "A"], ["A", "B"], task="tag", max_new_errors=0, resamples=0)

    """
    __tracebackhide__ = True  # pytest then reports the line of the test, not this one
    found = gate(key, base, new, task=task, **asked)
    if not found.passed:
        raise AssertionError(str(found))
