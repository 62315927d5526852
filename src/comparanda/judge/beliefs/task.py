"""The judge of probabilistic entities: a hard output judged like spans, and expected counts beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from comparanda.belief_measures import REPORTED
from comparanda.errors import UsageError
from comparanda.judge.beliefs.gathering import gather
from comparanda.judge.beliefs.statistics import statistics_of
from comparanda.judge.ground import run_names, units_of, verdicts_of
from comparanda.judge.label_maps import one_sided
from comparanda.judge.span_claims import claims_of
from comparanda.judge.spans import ruled_spans, settings_with_rules, views_of
from comparanda.judge.task import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned
    from comparanda.judge.task import Options
    from comparanda.verdicts import System, Verdicts

VIEW = "decided"


def judge_beliefs(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge probabilistic entities."""
    _refuse_several_views(options)
    gathered = gather(aligned, systems, options)
    ruled = ruled_spans(gathered.placement, gathered.columns, gathered.notes, options)
    claims, rows = claims_of(aligned.key, ruled.placement, ruled.names, ruled.labels, options.train)
    ((_, view),) = views_of(aligned, ruled, claims, rows).items()
    view = replace(
        view,
        name=VIEW,
        measures=(*view.measures, *REPORTED),
        statistics=statistics_of(gathered, units_of(aligned.key)),
        candidates=gathered.candidates,
    )
    settings = {
        **settings_with_rules(aligned, ruled, options),
        "decide": options.decide,
        **({"min_weight": f"{options.min_weight:g}"} if options.min_weight else {}),
        **policies_of(aligned, systems),
    }
    notes = [*ruled.notes, *one_sided(view, run_names(systems))]
    return verdicts_of(aligned, systems, "prob", {VIEW: view}, settings, notes)


def _refuse_several_views(options: Options) -> None:
    """Refuse rules that look at spans in several ways: a tuple is right in one, and its probability is for that."""
    rules = options.rules
    if rules is not None and len(rules.views) > 1:
        what = f"the rules {rules.name!r} have several views: {', '.join(rules.views)}"
        raise UsageError(f"{what}; probabilities are of one thing alone", hint="choose rules with one view: exact")


def policies_of(aligned: Aligned, systems: Sequence[System]) -> dict[str, str]:
    """Say by which policies probabilities were made: of all runs at once where they agree."""
    found: dict[str, dict[str, str]] = {}
    for name, corpus in zip(run_names(systems), aligned.responses, strict=True):
        for policy, value in ({} if corpus.beliefs is None else corpus.beliefs.policies).items():
            found.setdefault(policy, {})[name] = value
    said = {}
    for policy, values in found.items():
        if len({*values.values()}) == 1:
            said[policy] = next(iter(values.values()))
        else:
            said |= {f"{policy}[{name}]": value for name, value in values.items()}
    return said


PROB = Task(
    "prob",
    "probabilistic entities: hard and expected precision and recall, calibration, feedback",
    "tokens",
    None,
    judge_beliefs,
    layer="beliefs",
    policies=frozenset({"decide", "min_weight", "beliefs"}),
    rules="exact",
)
