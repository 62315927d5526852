"""The gate of a release: a new system against its base, before it goes out."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from comparanda.baseline import baseline_of, read_baseline, refuse_unlike
from comparanda.comparing import compare
from comparanda.comparison.gating.criteria import criteria
from comparanda.errors import UsageError

if TYPE_CHECKING:
    from comparanda.baseline import Baseline
    from comparanda.comparison.gating.finding import Gate
    from comparanda.result import Result


def gate(
    key: Any,
    base: Any,
    new: Any,
    *,
    task: str,
    max_new_errors: str | int | None = None,
    max_negative_flip_rate: str | None = None,
    label: str | Sequence[str] = (),
    require: str | Sequence[str] = (),
    fail_if_significantly_worse: bool = False,
    measure: str | None = None,
    baseline: str | PathLike[str] | None = None,
    view: str | None = None,
    top: int = 10,
    **settings: Any,
) -> Gate:
    """Check whether a new output may replace that of the base.

    Args:
        key: the key, as `comparanda.compare` takes it.
        base: the output of the base; None to check requirements against the scores of a baseline file.
        new: the output of the new system.
        task: the task.
        max_new_errors: how many sites that the base has right may be wrong now: a count, or a share such as "0.5%".
        max_negative_flip_rate: the same as a share of all sites.
        label: restricts these two to sites with this label in the key, or one of these.
        require: what must hold of scores and counts: "f1 >= base - 0.3", 'score("f1[PER]") >= 80'.
        fail_if_significantly_worse: fail if a randomisation test finds a loss; asked for where nothing else is.
        measure: the measure that is tested; the main one by default.
        baseline: a baseline file; unless it was written for this key and this base, they are not compared.
        view: the view, if there are several.
        top: how many examples of new errors to show; 0 for all.
        settings: as for `comparanda.compare`.

    >>> found = gate(["A", "B", "B"], ["A", "B", "A"], ["A", "A", "B"], task="tag", max_new_errors=0, resamples=0)
    >>> found.passed, found.checks[0].measured
    (False, 1)

    """
    asked: dict[str, Any] = {
        "max_new_errors": max_new_errors,
        "max_negative_flip_rate": max_negative_flip_rate,
        "label": label,
        "require": require,
        "fail_if_significantly_worse": fail_if_significantly_worse,
        "measure": measure,
    }
    criteria(**asked)  # what is wrong with them is said before anything is read
    blessed = None if baseline is None else read_baseline(fspath(baseline))
    if base is None and blessed is None:
        raise UsageError("there is neither an output of the base nor a baseline")
    systems = {name: given for name, given in (("base", base), ("new", new)) if given is not None}
    result = compare(key, systems, task=task, **settings)
    return guarded(result, "base" if base is not None else None, "new", blessed=blessed, view=view, top=top, **asked)


def guarded(
    result: Result,
    base: str | None,
    new: str,
    *,
    blessed: Baseline | None = None,
    view: str | None = None,
    top: int = 10,
    **asked: Any,
) -> Gate:
    """Check one system of a result against another, or against the scores of a baseline.

    Args:
        result: the key and the systems.
        base: the base; None where only the baseline knows its scores.
        new: the new system.
        blessed: what the key and the base must be.
        view: the view, if there are several.
        top: how many examples of new errors to show; 0 for all.
        asked: what must hold, as for `gate`.

    """
    if blessed is not None:
        refuse_unlike(blessed, baseline_of(result, base, view=view))
    if base is not None:
        return result.gate(base, new, top=top, view=view, **asked)
    assert blessed is not None, "there is neither an output of the base nor a baseline"
    return result.gate(blessed.base_name, new, top=top, view=view, stored=blessed.by_measure(), **asked)
