"""The public function `simulate`: simulate question strategies on an evaluated output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from comparanda.api.comparison import compare
from comparanda.errors import UsageError, suggest_nearest
from comparanda.feedback.field import ALL, condition_of, field_in, refuse_nothing
from comparanda.feedback.findings import Simulated, summarise_simulation
from comparanda.feedback.journal import Journal
from comparanda.feedback.protocol import Plan, User
from comparanda.feedback.simulation import SEEDS, Trial, plans_of, simulate_plans

if TYPE_CHECKING:
    from comparanda.feedback.field import Field
    from comparanda.feedback.simulation import Area
    from comparanda.result import Result

    Progress = Callable[[str, int, int], None]

USUAL = ("entropy", "fgain", "random")
"""The default strategies."""

_OUTPUT_NAME = "output"


@dataclass(frozen=True, eq=False)
class Experiment:
    """Simulated question strategies.

    Args:
        finding: the gains of the strategies.
        result: the evaluated output, with the question settings in its signature.
        trials: the curves of the strategies.

    """

    finding: Simulated
    result: Result
    trials: tuple[Trial, ...]


def simulate(key: Any, output: Any, *strategies: str, **settings: Any) -> Simulated:
    """Simulate question strategies on a probabilistic output, with answers from the key.

    Args:
        key: the key, as for `compare`.
        output: the output.
        strategies: the question strategies: "entropy", "fgain", "random" …
        settings: `budget`, `kind`, `handler`, `user`, `where`, `seeds` … as for `simulate_result`; for reading, as in
            `compare`: `beliefs`, `decide`, `maps` …

    >>> key = [{"id": "d", "text": "Ann met Bo", "spans": [{"begin": 0, "end": 3, "label": "PER"}]}]
    >>> spans = {"Ann": (0, 3, 0.4), "Bo": (8, 10, 0.6)}
    >>> blocks = [{"alternatives": [{"start": begin, "end": end, "p": p, "labels": {"PER": 1.0}}]}
    ...           for begin, end, p in spans.values()]
    >>> found = simulate(key, [{"doc": "d", "text": "Ann met Bo", "blocks": blocks}], "high", "low")
    >>> found.start.f1, [(each.strategy, each.end.f1, each.area.f1) for each in found.strategies]
    (0.0, [('high', 1.0, 0.25), ('low', 1.0, 0.5833333333333333)])

    """
    reading = {name: value for name, value in settings.items() if name not in _QUESTION_SETTINGS}
    asked = {name: value for name, value in settings.items() if name in _QUESTION_SETTINGS}
    for strategy in strategies:  # report invalid settings before reading any input
        _build_plan(strategy, **{name: value for name, value in asked.items() if name in {*_PLAN_SETTINGS, "user"}})
    result = compare(key, {_OUTPUT_NAME: output}, task="prob", resamples=0, **reading)
    return simulate_result(result, strategies, **asked).finding


def simulate_result(
    result: Result,
    strategies: Sequence[str] = USUAL,
    *,
    system: str | None = None,
    regular: str | None = None,
    where: str | None = None,
    only_label: Iterable[str] = (),
    ignore_label: Iterable[str] = (),
    seeds: int = SEEDS,
    area_by: Area = "trapezoid",
    horizon: int | None = None,
    resume: str | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Experiment:
    """Simulate question strategies on an evaluated output.

    Args:
        result: the output and its key, evaluated by the task prob.
        strategies: the question strategies.
        system: the system whose output is asked about; the only one by default.
        regular: the system whose output has no probabilities, scored for comparison.
        where: a condition on label, text, document and length, for questions and counts.
        only_label: ask about, and count, only these labels.
        ignore_label: neither ask about nor count these labels.
        seeds: the number of repetitions for strategies and users that depend on chance.
        area_by: how areas are computed.
        horizon: the number of questions up to which strategies are compared; by default that of the longest curve.
        resume: a folder that stores completed work, from which the same simulation resumes.
        progress: called with the current step, the number of questions asked, and their maximum.
        settings: for questions, as in `Plan`: `budget`, `kind`, `handler`, `user` …

    """
    verdicts, view = result.verdicts, result.verdicts.view()
    run = _find_run(result, system, regular)
    plan = _build_plan((strategies or USUAL)[0], **{**_decision_settings(result), **settings})
    condition = condition_of(view, run=run, where=where, only=only_label, without=ignore_label)
    field = field_in(verdicts, view, run, condition)
    refuse_nothing(field, condition)
    plans = plans_of(plan, strategies or USUAL, seeds)
    journal = None if resume is None else Journal(resume, field, plans)
    trials = simulate_plans(
        field, plans, journal, None if progress is None else _count_questions(field, plans, progress)
    )
    hard = None
    if regular is not None:
        hard = regular, field_in(verdicts, view, verdicts.system(regular).runs[0], condition)
    finding = summarise_simulation(
        field, trials, verdicts.runs[run], where=condition, area_by=area_by, horizon=horizon, regular=hard
    )
    return Experiment(finding, _add_signature(result, finding, plan, seeds), trials)


_PLAN_SETTINGS = frozenset(each.name for each in fields(Plan)) - {"strategy", "user"}
_SCOPE_SETTINGS = frozenset({"where", "only_label", "ignore_label"})
_QUESTION_SETTINGS = (_PLAN_SETTINGS | _SCOPE_SETTINGS | {"user", "seeds", "area_by", "horizon", "resume"}) - {
    "decide",
    "min_weight",
}
"""The settings of questions; those of decisions belong to reading."""


def _build_plan(strategy: str, *, user: User | str = "truthful", **settings: Any) -> Plan:
    """Build the plan from checked settings."""
    for name in settings:
        if name not in _PLAN_SETTINGS:
            raise UsageError(f"simulate: unknown option {name!r}{suggest_nearest(name, _PLAN_SETTINGS)}")
    return Plan(strategy=strategy, user=User.parse(user) if isinstance(user, str) else user, **settings)


def _decision_settings(result: Result) -> dict[str, Any]:
    """Return the decision settings of the evaluation, so that each curve starts at the score of the output."""
    settings = result.verdicts.settings
    if "decide" not in settings:
        raise UsageError(f"the task {result.verdicts.task!r} has no probabilities", hint="choose the task prob")
    return {"decide": settings["decide"], "min_weight": float(settings.get("min_weight", 0))}


def _find_run(result: Result, system: str | None, regular: str | None) -> int:
    """Return the index of the only run to ask about."""
    names = [name for name in result.systems if name != regular] if system is None else [system]
    runs = [run for name in names for run in result.verdicts.system(name).runs]
    if len(runs) != 1:
        listed = ", ".join(result.verdicts.runs[run] for run in runs)
        what = f"{len(runs)} outputs given, expected one: {listed}"
        raise UsageError(
            what, hint="give a key and one output; an output without probabilities is given by --regular FILE"
        )
    return runs[0]


def _count_questions(field: Field, plans: Sequence[Plan], progress: Progress) -> Callable[[Plan, int], None]:
    """Make a callback that counts questions over all plans; their total is an upper bound."""
    budget, most = plans[0].budget, int(field.scope.sum())
    most = most if budget is None else min(budget, most)
    before = {plan: most * number for number, plan in enumerate(plans)}
    return lambda plan, asked: progress(f"{plan.strategy}, seed {plan.seed}", before[plan] + asked, most * len(plans))


def _add_signature(result: Result, found: Simulated, plan: Plan, seeds: int) -> Result:
    """Add the settings of questions and answers to the signature of the result."""
    settings = {
        "strategies": ",".join(each.strategy for each in found.strategies),
        "ask": found.ask,
        "budget": "all" if found.budget is None else str(found.budget),
        "handler": found.handler,
        "user": found.user,
        "area": found.area_by,
        "seeds": str(seeds),
        **({} if found.where == ALL else {"scope": found.where}),
        **({"believed_error": f"{plan.believed_error:g}"} if plan.believed_error else {}),
        **({"strength": f"{plan.strength:g}"} if plan.handler == "statistical" else {}),
        **({"purity": f"{plan.purity:g}"} if plan.kind == "group" else {}),
        **({"ask_certain": "yes"} if plan.ask_certain else {}),
    }
    verdicts = replace(result.verdicts, settings={**result.verdicts.settings, **settings})
    return replace(result, verdicts=verdicts, seed=plan.seed, resamples=0)
