"""Systems that vote: which methods fit, what comes out, and how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.ensembles import Choice, Recipe, Weight
from comparanda.ensemble.tongue import ground_of, in_one_tongue
from comparanda.errors import UsageError
from comparanda.judge.ground import run_names
from comparanda.vote import DEFAULTS, MILLION, Ground, Method, Overlap, combined

if TYPE_CHECKING:
    from comparanda.corpus import Corpus
    from comparanda.ensemble.tuning import Tuning
    from comparanda.road import Prepared


@dataclass(frozen=True, eq=False, slots=True)
class Voting:
    """All that a vote needs, whatever the method.

    Args:
        prepared: the key and its runs, whose labels are in one tongue.
        ground: what is voted on.
        tuning: what is known of the runs.
        overlap: what is done about combined spans that overlap.

    """

    prepared: Prepared
    ground: Ground
    tuning: Tuning
    overlap: Overlap

    @classmethod
    def of(cls, prepared: Prepared, tuning: Tuning, overlap: Overlap) -> Voting:
        """Bring the labels of all runs to one tongue before they are voted on."""
        return cls(in_one_tongue(prepared), ground_of(prepared), tuning, overlap)

    def corpora(self, asked: Sequence[str]) -> tuple[dict[str, Corpus], dict[str, str]]:
        """Combine by the methods asked for, or by all that make sense; and say which of these do not, and why."""
        runs, skipped = len(self.prepared.aligned.responses), {}
        chosen = [Method.parse(name) for name in asked or DEFAULTS[self.ground]]
        for method in chosen:
            method.check(self.ground, runs)
        corpora: dict[str, Corpus] = {}
        for method in chosen:
            if method.needs(self.ground) in {"weights", "labels"} and not self.tuning.learnt:
                skipped[str(method)] = f"it was tuned on {self.tuning.on}"
                continue
            try:
                corpora[str(method)] = replace(self.vote(method), name=str(method))
            except UsageError as problem:  # of the usual methods, tag-vote may not fit the spans
                if asked:
                    raise
                skipped[str(method)] = problem.what
        if not corpora:
            raise UsageError("there is nothing to combine", details=[f"{name}: {why}" for name, why in skipped.items()])
        return corpora, skipped

    def said(self) -> dict[str, str]:
        """Return how votes were counted, for the signature."""
        said = {"tuned": self.tuning.on}
        overlap = "combined_overlap" if self.prepared.task.layer == "beliefs" else "overlap"  # beliefs have one, too
        return {**said, overlap: self.overlap} if self.ground in {"spans", "links"} else said

    def vote(self, method: Method) -> Corpus:
        """Combine by one method."""
        return combined(
            self.prepared.aligned,
            self.ground,
            method,
            self.tuning.trust,
            same_ids=self.prepared.options.same_ids,
            overlap=self.overlap,
        )

    def recipe(self, name: str, corpus: Corpus) -> Recipe:
        """Say how a combination was made."""
        method, tuning = Method.parse(name), self.tuning
        needs = method.needs(self.ground)
        return Recipe(
            name,
            method.vote(self.ground),
            {"nothing": None, "ranks": f"ties by {tuning.on}"}.get(needs, tuning.on),
            needs != "nothing" and tuning.optimistic,
            self._weights() if needs == "weights" else (),
            self._choices() if needs == "labels" else (),
            tuple(map(str, corpus.notes)),
        )

    def _weights(self) -> tuple[Weight, ...]:
        score = self.tuning.trust.score
        runs = enumerate(run_names(self.prepared.systems))
        return tuple(Weight(run, tuple((score[:, number] / MILLION).tolist())) for number, run in runs)

    def _choices(self) -> tuple[Choice, ...]:
        trust, runs = self.tuning.trust, run_names(self.prepared.systems)
        chosen, merit = trust.choices(), trust.by_label.max(axis=2, initial=0) / MILLION
        return tuple(
            Choice(label, tuple(runs[run] for run in chosen[:, place].tolist()), tuple(merit[:, place].tolist()))
            for place, label in enumerate(trust.labels)
            if np.any(merit[:, place] > 0)
        )
