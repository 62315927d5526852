"""For tests of other projects: a new output must not break what the base had right."""

from __future__ import annotations

from typing import Any

from comparanda.api.baseline import gate


def assert_no_regression(key: Any, base: Any, new: Any, *, task: str, **asked: Any) -> None:
    """Raise an AssertionError that shows the gate, with the new errors, unless it holds.

    Args:
        key: the key, as `comparanda.compare` takes it.
        base: the output of the base; None to check requirements against the scores of a baseline file.
        new: the output of the new system.
        task: the task.
        asked: what must hold, and all settings, as `comparanda.gate` takes them.

    >>> assert_no_regression(["A", "B"], ["A", "A"], ["A", "B"], task="tag", max_new_errors=0, resamples=0)

    """
    __tracebackhide__ = True  # pytest then points at the test, not in here
    found = gate(key, base, new, task=task, **asked)
    if not found.passed:
        raise AssertionError(str(found))
