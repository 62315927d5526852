"""The road of simulations: a judged output, strategies tried on it, and what they gained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from comparanda.api.comparison import compare
from comparanda.errors import UsageError, nearest
from comparanda.feedback.field import ALL, condition_of, field_in, refuse_nothing
from comparanda.feedback.findings import Simulated, simulation
from comparanda.feedback.journal import Journal
from comparanda.feedback.protocol import Plan, User
from comparanda.feedback.simulation import SEEDS, Trial, plans_of, tried

if TYPE_CHECKING:
    from comparanda.feedback.field import Field
    from comparanda.feedback.simulation import Area
    from comparanda.result import Result

    Told = Callable[[str, int, int], None]

USUAL = ("entropy", "fgain", "random")
"""The strategies that are tried unless others are named."""

_NAME = "output"


@dataclass(frozen=True, eq=False)
class Experiment:
    """Strategies of feedback, tried.

    Args:
        finding: what they gained.
        result: the output as it was judged, with a signature that says how was asked.
        trials: their curves.

    """

    finding: Simulated
    result: Result
    trials: tuple[Trial, ...]


def simulate(key: Any, output: Any, *strategies: str, **settings: Any) -> Simulated:
    """Return what strategies of feedback gain on a probabilistic output, with the key as the user.

    Args:
        key: the key, as `compare` takes it.
        output: the output.
        strategies: in which orders to ask: "entropy", "fgain", "random" …
        settings: `budget`, `kind`, `handler`, `user`, `where`, `seeds` … as for `simulated`; and of reading, as
            `compare` has them: `beliefs`, `decide`, `maps` …

    >>> key = [{"id": "d", "text": "Ann met Bo", "spans": [{"begin": 0, "end": 3, "label": "PER"}]}]
    >>> spans = {"Ann": (0, 3, 0.4), "Bo": (8, 10, 0.6)}
    >>> blocks = [{"alternatives": [{"start": begin, "end": end, "p": p, "labels": {"PER": 1.0}}]}
    ...           for begin, end, p in spans.values()]
    >>> found = simulate(key, [{"doc": "d", "text": "Ann met Bo", "blocks": blocks}], "high", "low")
    >>> found.start.f1, [(each.strategy, each.end.f1, each.area.f1) for each in found.strategies]
    (0.0, [('high', 1.0, 0.25), ('low', 1.0, 0.5833333333333333)])

    """
    reading = {name: value for name, value in settings.items() if name not in _ASKING}
    asked = {name: value for name, value in settings.items() if name in _ASKING}
    for strategy in strategies:  # what is wrong with them is said before anything is read
        _plan(strategy, **{name: value for name, value in asked.items() if name in {*_PLAN, "user"}})
    result = compare(key, {_NAME: output}, task="prob", resamples=0, **reading)
    return simulated(result, strategies, **asked).finding


def simulated(
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
    told: Told | None = None,
    **settings: Any,
) -> Experiment:
    """Try strategies on a judged output.

    Args:
        result: the output and its key, judged by the task prob.
        strategies: in which orders to ask.
        system: whose output is asked about; the only one by default.
        regular: the system whose output has no probabilities, scored beside it.
        where: a condition on label, text, document and length: what is asked about and counted.
        only_label: ask about these labels, and count them, alone.
        ignore_label: ask nothing about these, nor count them.
        seeds: how often to try what depends on chance.
        area_by: how areas are counted.
        horizon: up to which question strategies are compared; by default the longest way of any of them.
        resume: a folder that keeps what is done, and from which the same goes on.
        told: called with what is done, how many questions were asked, and how many there may be.
        settings: of questions, as `Plan` has them: `budget`, `kind`, `handler`, `user` …

    """
    verdicts, view = result.verdicts, result.verdicts.view()
    run = _run_of(result, system, regular)
    plan = _plan((strategies or USUAL)[0], **{**_decided(result), **settings})
    condition = condition_of(view, run=run, where=where, only=only_label, without=ignore_label)
    field = field_in(verdicts, view, run, condition)
    refuse_nothing(field, condition)
    plans = plans_of(plan, strategies or USUAL, seeds)
    journal = None if resume is None else Journal(resume, field, plans)
    trials = tried(field, plans, journal, None if told is None else _counting(field, plans, told))
    beside = None
    if regular is not None:
        beside = regular, field_in(verdicts, view, verdicts.system(regular).runs[0], condition)
    finding = simulation(
        field, trials, verdicts.runs[run], where=condition, area_by=area_by, horizon=horizon, regular=beside
    )
    return Experiment(finding, _signed(result, finding, plan, seeds), trials)


_PLAN = frozenset(each.name for each in fields(Plan)) - {"strategy", "user"}
_SCOPE = frozenset({"where", "only_label", "ignore_label"})
_ASKING = (_PLAN | _SCOPE | {"user", "seeds", "area_by", "horizon", "resume"}) - {"decide", "min_weight"}
"""What is said of questions; how is decided is said of reading."""


def _plan(strategy: str, *, user: User | str = "truthful", **settings: Any) -> Plan:
    """Return how is asked, checked."""
    for name in settings:
        if name not in _PLAN:
            raise UsageError(f"simulations have no option {name!r}{nearest(name, _PLAN)}")
    return Plan(strategy=strategy, user=User.parse(user) if isinstance(user, str) else user, **settings)


def _decided(result: Result) -> dict[str, Any]:
    """Return how the judge decided, so that the first point of a curve is the score of the output."""
    settings = result.verdicts.settings
    if "decide" not in settings:
        raise UsageError(f"the task {result.verdicts.task!r} has no probabilities", hint="choose the task prob")
    return {"decide": settings["decide"], "min_weight": float(settings.get("min_weight", 0))}


def _run_of(result: Result, system: str | None, regular: str | None) -> int:
    """Return the one run that is asked about."""
    names = [name for name in result.systems if name != regular] if system is None else [system]
    runs = [run for name in names for run in result.verdicts.system(name).runs]
    if len(runs) != 1:
        listed = ", ".join(result.verdicts.runs[run] for run in runs)
        what = f"{len(runs)} outputs are given, and questions are about one: {listed}"
        raise UsageError(what, hint="give a key and one output; the one without probabilities as --regular FILE")
    return runs[0]


def _counting(field: Field, plans: Sequence[Plan], told: Told) -> Callable[[Plan, int], None]:
    """Count questions over all plans; how many there are to ask is known only at most."""
    budget, most = plans[0].budget, int(field.scope.sum())
    most = most if budget is None else min(budget, most)
    before = {plan: most * number for number, plan in enumerate(plans)}
    return lambda plan, asked: told(f"{plan.strategy}, seed {plan.seed}", before[plan] + asked, most * len(plans))


def _signed(result: Result, found: Simulated, plan: Plan, seeds: int) -> Result:
    """Return the result with a signature that says how questions were asked and answered."""
    said = {
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
    verdicts = replace(result.verdicts, settings={**result.verdicts.settings, **said})
    return replace(result, verdicts=verdicts, seed=plan.seed, resamples=0)
