"""The task `coref`: chains of mentions, by all metrics, and mention by mention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.missing import BEYOND, IGNORED
from comparanda.chain_measures import REPORTED, statistics_from
from comparanda.chain_metrics import chain_counts
from comparanda.judge.coreference.gathering import gather
from comparanda.judge.coreference.kinds import kinds_of
from comparanda.judge.coreference.official import CLAIMED, claimed_once
from comparanda.judge.coreference.views import ANTECEDENTS, Ground
from comparanda.judge.ground import verdicts_of
from comparanda.judge.task import Options, Task
from comparanda.places import Note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.align import Aligned
    from comparanda.columns import Truths
    from comparanda.judge.coreference.arcs import Classified, Criterion
    from comparanda.judge.coreference.gathering import Gathered
    from comparanda.judge.coreference.kinds import Kinds
    from comparanda.verdicts import System, Verdicts, View

COLUMNS = ("upos", "xpos", "feats", "head")
POLICIES = frozenset({"singletons", "repeated", "matching", "nouns", "across"})


def judge_chains(aligned: Aligned, systems: Sequence[System], options: Options) -> Verdicts:
    """Judge chains of mentions."""
    gathered = gather(aligned, options)
    if options.missing != "intersection":
        aligned = replace(aligned, notes=tuple(map(_counting, aligned.notes)))
    kinds = kinds_of(aligned, gathered, options.nouns)
    gathered = replace(gathered, chains=replace(gathered.chains, candidates=_candidates(kinds)))
    ground = Ground(gathered, kinds, aligned.key.documents, _statistics(gathered))
    found = ground.criteria()
    views = _views(ground, found)
    notes = [*gathered.notes, *kinds.notes, *_skipped(found)]
    settings = {
        "mentions": options.matching,
        "singletons": options.singletons,
        "repeated": options.repeated,
        "nouns": kinds.told_by,
        **({"across": options.across} if options.across else {}),
    }
    verdicts = verdicts_of(aligned, systems, "coref", views, settings, notes)
    return replace(verdicts, documents=gathered.documents, units=gathered.units)


def _counting(note: Note) -> Note:
    """Say of documents that the key does not have that they are not ignored here."""
    if BEYOND not in note.what:
        return note
    return replace(note, what=note.what.replace(IGNORED, "in which every mention is wrong"))


def _statistics(gathered: Gathered) -> dict[str, NDArray[np.float64]]:
    """Count all metrics for every run, by document or topic."""
    chains, units = gathered.chains, gathered.units.count
    runs = [statistics_from(chain_counts(chains.unit, units, chains.key, run)) for run in chains.runs]
    found = {name: np.stack([each[name] for each in runs], axis=1) for name in (runs[0] if runs else ())}
    if gathered.same is not None:
        for number, run in enumerate(chains.runs):
            for unit, claimed in claimed_once(run, gathered.same, chains.unit).items():
                for name, count in zip(CLAIMED, claimed, strict=True):
                    found[name][unit, number] = count
    return found


def _candidates(kinds: Kinds) -> dict[str, Truths]:
    """Return which mentions count as antecedents, by the views in which not all do."""
    told = {"nominal": kinds.nominal, "named": kinds.named}
    return {
        view: counting
        for name, counting in told.items()
        if counting is not None
        for view in (name, f"{name}{ANTECEDENTS}")
    }


def _views(ground: Ground, found: dict[Criterion, Classified]) -> dict[str, View]:
    """Make the views; the first reports all metrics, and what the other criteria say."""
    made = {name: ground.views(name, each) for name, each in found.items()}
    views: dict[str, View] = {name: plain for name, (plain, _) in made.items()}
    reported = [name for each in REPORTED for name in _with_parts(each)]
    own = [measure for view in views.values() for measure in view.measures]
    views["any"] = replace(views["any"], measures=(*reported, *own))
    return views | {finer.name: finer for _, finer in made.values()}


def _with_parts(name: str) -> tuple[str, ...]:
    return (name,) if name == "conll" else (name, f"{name}_precision", f"{name}_recall")


def _skipped(found: dict[Criterion, Classified]) -> list[Note]:
    """Note how many anaphors of the key count nowhere under a criterion."""
    return [
        Note("key", f"anaphors without a {name} antecedent, which do not count in the view {name!r}", each.skipped)
        for name, each in found.items()
        if each.skipped
    ]


COREF = Task(
    "coref",
    "coreference chains: MUC, B³, CEAF, BLANC, LEA, CoNLL average, and ARCS mention by mention",
    "tokens",
    None,
    judge_chains,
    layer="chains",
    columns=COLUMNS,
    policies=POLICIES,
    missing="empty",
)
