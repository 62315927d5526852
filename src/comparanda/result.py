"""A result: from verdicts to every finding, each by one method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from comparanda.core.items import at_places
from comparanda.core.measures import measure
from comparanda.core.verdicts import Verdicts
from comparanda.errors import UsageError, nearest
from comparanda.findings.context import Context
from comparanda.findings.resamples import RESAMPLES, SEED
from comparanda.tasks.prob.calibration import BINS
from comparanda.version import __version__

if TYPE_CHECKING:
    from comparanda.core.places import Note
    from comparanda.core.text_columns import Column, Rows
    from comparanda.core.verdicts import View
    from comparanda.findings.ablation import Ablation
    from comparanda.findings.anatomy import Anatomy
    from comparanda.findings.complement import Against, Complementarity
    from comparanda.findings.confusion import Confusion
    from comparanda.findings.difference import Difference, Keying
    from comparanda.findings.diversity import Diversity
    from comparanda.findings.error_sources import ErrorSources
    from comparanda.findings.examples import Examples
    from comparanda.findings.gate import Gate
    from comparanda.findings.leaderboard import Leaderboard
    from comparanda.findings.pairs import Pairs
    from comparanda.findings.scores import Score, Scores
    from comparanda.findings.significance import Significance
    from comparanda.findings.slices import Slices
    from comparanda.findings.stability import Stability
    from comparanda.findings.suspects import Suspects
    from comparanda.findings.upper_bounds import Combination, Order
    from comparanda.tasks.coref.findings import ChainPairs
    from comparanda.tasks.prob.findings import Parts, Probabilities
    from comparanda.tasks.prob.pair_findings import ExpectedPairs


T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Result:
    """A key and its systems, judged; every method gives one finding.

    Args:
        verdicts: the judge's work.
        resamples: how many resamples intervals and tests draw; 0 for none.
        seed: the seed of all draws.
        zero_division: a value to put where a ratio is undefined; None to say so instead.

    """

    verdicts: Verdicts
    resamples: int = RESAMPLES
    seed: int = SEED
    zero_division: float | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(system.name for system in self.verdicts.systems)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was met while reading and aligning: nothing is dropped silently."""
        return self.verdicts.notes

    @cached_property
    def signature(self) -> str:
        """How the numbers were made, in one line."""
        verdicts = self.verdicts
        parts = {
            "task": verdicts.task,
            **verdicts.settings,
            "documents": str(len(verdicts.documents)),
            "unit": f"{verdicts.units.kind}",
            "resamples": str(self.resamples),
            "seed": str(self.seed),
        }
        if self.zero_division is not None:
            parts["zero_division"] = f"{self.zero_division:g}"
        parts["version"] = __version__
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    def scores(self, *measures: str, view: str | None = None) -> Scores:
        """Return scores with intervals: of a view's measures, or of others by name.

        Without either, a task with several views gives the measures of the first and what the others add.
        """
        from comparanda.findings.scores import scores

        context = self.context(view)
        if measures or view is not None:
            return scores(context, [measure(name) for name in measures] or context.own_measures)
        names = dict.fromkeys(context.view.measures)
        for each in self.verdicts.views.values():
            names |= dict.fromkeys(name for name in each.measures if name.startswith(f"{each.name}."))
        return scores(context, [measure(name) for name in names])

    def pairs(self, *, transitions: int = 0, view: str | None = None) -> Pairs:
        """Return diff beside the difference of scores, for every pair of systems, and its most frequent transitions."""
        from comparanda.findings.pairs import pairs

        return pairs(self.context(view), transitions)

    def chain_pairs(self, *, view: str | None = None) -> ChainPairs:
        """Return at how many mentions every pair of systems differs, and how far its responses agree as chains.

        By all criteria, or by that of one view.
        """
        from comparanda.tasks.coref.findings import chain_pairs

        found = chain_pairs(self.context(view))
        if found is None:
            raise UsageError(f"the view {self.verdicts.view(view).name!r} is not about chains", hint="--task coref")
        return found

    def probabilities(self, *, by: Parts = "label", bins: int = BINS, view: str | None = None) -> Probabilities:
        """Return what probabilistic outputs are worth: expected scores, own doubt, thresholds, calibration.

        Args:
            by: whether parts are labels or documents.
            bins: how many bins calibration has.
            view: the view, if there are several.

        """
        from comparanda.tasks.prob.findings import probabilities

        return self._probable(probabilities(self.context(view), by, bins), view)

    def expected_pairs(self, *, beta: float = 1.0, view: str | None = None) -> ExpectedPairs:
        """Return how every pair of probabilistic outputs differs, and what they score together, by expected counts."""
        from comparanda.tasks.prob.pair_findings import expected_pairs

        return self._probable(expected_pairs(self.context(view), beta), view)

    def _probable(self, found: T | None, view: str | None) -> T:
        if found is None:
            what = f"the view {self.verdicts.view(view).name!r} has no probabilities"
            raise UsageError(what, hint="--task prob; on some of the sites alone (--where) they cannot be told")
        return found

    def difference(
        self,
        base: str | None = None,
        new: str | None = None,
        *,
        by: Sequence[str] | None = None,
        keyed_by: Keying = "label",
        view: str | None = None,
    ) -> Difference:
        """Return what the difference of two systems consists of; by default of the first and the best other one.

        Transitions are told apart by labels, or by whole `value`s (the head and the label of an arc). `by` names
        attributes to cut the sites by; trees are cut by the distance and the direction of arcs unless it is empty.
        """
        from comparanda.findings.difference import difference

        base, new = self.pair(base, new, view=view)
        cuts = tuple(
            self._sliced(name, base=base, new=new, measure_name=None, view=view, of_pair=True)
            for name in self._cuts(by, view)
        )
        return replace(difference(self.context(view), base, new, keyed_by), slices=cuts)

    def confusion(self, run: str, *, view: str | None = None) -> Confusion:
        """Return which labels of the key a run mistakes for which: the labels of both, crossed.

        A system with one run is called like it.
        """
        from comparanda.findings.confusion import confusion

        return confusion(self.context(view), run)

    def error_sources(
        self, base: str | None = None, new: str | None = None, *, view: str | None = None
    ) -> ErrorSources:
        """Return whose errors two systems make, crossed: those of the tagger, of the resolver, none."""
        from comparanda.findings.error_sources import error_sources

        base, new = self.pair(base, new, view=view)
        found = error_sources(self.context(view), base, new)
        if found is None:
            raise UsageError(
                f"the view {self.verdicts.view(view).name!r} does not tell whose errors are whose",
                hint="rules say it by `sources` in a view; those of the task link do",
            )
        return found

    def complementarity(self, *systems: str, beta: float = 1.0, view: str | None = None) -> Complementarity:
        """Return which errors of each system every other does not make: Comp, PComp, RComp, FComp, FβComp.

        For every ordered pair of all systems, or of those named; `beta` above 1 weighs recall more in FβComp. For all
        of three systems or more also how diverse they are.
        """
        from comparanda.findings.complement import complementarity

        found = complementarity(self.context(view), beta, systems or None)
        return found if systems or len(self.systems) < 3 else replace(found, diversity=self.diversity(view=view))

    def against(self, baseline: str, *, view: str | None = None) -> Against:
        """Return every other system against a baseline: what it gains, what it breaks, which errors it spares."""
        from comparanda.findings.complement import against

        return against(self.context(view), baseline)

    def stability(self, base: str | None = None, new: str | None = None, *, view: str | None = None) -> Stability:
        """Return how much the runs of each system differ, and by how much more the systems do: within, between, excess.

        For every pair of systems of which one has several runs, or for those with `base`, with `new`, or the pair of
        both.
        """
        from comparanda.findings.stability import stability

        return stability(self.context(view), base, new)

    def combination(self, *, order: Order = "frequency", view: str | None = None) -> Combination:
        """Return what the systems could do together: upper bounds, hardness, greedy curve, agreement.

        Labels are sorted by their `frequency` in the key, by the oracle's `gain` over the best system, or
        over the best on that label (`gain-here`).
        """
        from comparanda.findings.upper_bounds import combination

        return combination(self.context(view), order)

    def diversity(self, *, view: str | None = None) -> Diversity:
        """Return how different the errors of all runs are: agreement patterns, diversity measures, clusters."""
        from comparanda.findings.diversity import diversity

        return diversity(self.context(view))

    def suspects(self, *, at_least: int | None = None, top: int = 0, view: str | None = None) -> Suspects:
        """Return where the key may be wrong: sites at which runs agree against it, and what it has and no run finds.

        `at_least` says how many runs must agree, by default all of them; `top` how many sites to list, 0 for all. Where
        a view does not tell wrong values apart, the one that does is looked at unless another is named: runs agree on
        an antecedent, not on being wrong.
        """
        from comparanda.findings.suspects import suspects

        return suspects(self.context(view or self.verdicts.view().finer), at_least, top)

    def significance(self, measure_name: str | None = None, *, view: str | None = None) -> Significance:
        """Return tests of all pairs by the main measure, or by another."""
        from comparanda.findings.significance import significance

        return significance(self.context(view), measure(measure_name) if measure_name else None)

    def gate(
        self,
        base: str,
        new: str,
        *,
        top: int = 10,
        view: str | None = None,
        stored: Mapping[str, Score] | None = None,
        **asked: Any,
    ) -> Gate:
        """Return whether a new system may replace its base.

        Args:
            base: the base.
            new: the new system.
            top: how many examples of new errors to show; 0 for all.
            view: the view, if there are several.
            stored: the base's scores by measure, where its output is not at hand.
            asked: what must hold, as `comparanda.gate` takes it: `max_new_errors=20`, `require="f1 >= base"` …

        """
        from comparanda.findings.gate import criteria
        from comparanda.findings.gate_checks import gate

        if stored is None:
            base, new = self.pair(base, new, view=view)
        return gate(self.context(view), criteria(**asked), base, new, stored=stored, top=top, signature=self.signature)

    def ablation(self, full: str | None = None, *, view: str | None = None) -> Ablation:
        """Return what changes when parts of a system are taken away; the whole one is the first unless named."""
        from comparanda.findings.ablation import ablation

        return ablation(self.context(view), full or self.systems[0])

    def leaderboard(self, *measures: str, view: str | None = None) -> Leaderboard:
        """Return the systems in the order of their scores, with the ranks that the tests leave open.

        They are ranked by the view's main measure, or by the first of those named.
        """
        from comparanda.findings.leaderboard import leaderboard

        return leaderboard(self.context(view), [measure(name) for name in measures])

    def slices(
        self,
        by: str,
        base: str | None = None,
        new: str | None = None,
        *,
        measure_name: str | None = None,
        view: str | None = None,
    ) -> Slices:
        """Return scores by an attribute, such as label, length, frequency, seen, document or genre."""
        if len(self.systems) > 1:
            base, new = self.pair(base, new, view=view)
        return self._sliced(by, base=base, new=new, measure_name=measure_name, view=view)

    def _sliced(
        self,
        by: str,
        base: str | None,
        new: str | None,
        measure_name: str | None,
        *,
        view: str | None,
        of_pair: bool = False,
    ) -> Slices:
        from comparanda.expressions.selection import scope
        from comparanda.findings.slices import slices

        context = self.context(view)
        if of_pair and base is not None and new is not None:
            context = context.among(base, new)
        ground = scope(self.verdicts, context.view)
        if by not in ground.types:
            raise UsageError(
                f"there is no attribute {by!r}{nearest(by, ground.types)}",
                hint=f"attributes: {', '.join(sorted(ground.types))}",
            )
        chosen = measure(measure_name) if measure_name else None
        column, cells = ground.column, self._column_of_kinds
        return slices(
            context,
            by=by,
            column=column(by),
            base=base,
            new=new,
            wanted=chosen,
            of_pair=of_pair,
            cells=cells(by, context.view),
        )

    def _column_of_kinds(self, by: str, view: View) -> Column | None:
        """Return an attribute of the kinds of sites that are only counted; None where there are none."""
        from comparanda.expressions.selection import scope
        from comparanda.findings.slices import only_counted

        if view.cells is None:
            return None
        kinds = scope(self.verdicts, view.cells)
        if by not in kinds.types:
            raise only_counted(by)
        return kinds.column(by)

    def examples(
        self,
        where: str = "true",
        base: str | None = None,
        new: str | None = None,
        *,
        top: int = 10,
        view: str | None = None,
    ) -> Examples:
        """Return the sentences behind a number.

        Args:
            where: a condition; each count of a finding carries its own.
            base: the first of a pair of systems, for conditions like `correction`.
            new: the second.
            top: how many to show; they are chosen by a hash of seed, document and place. 0 for all.
            view: the view, if there are several.

        """
        from comparanda.expressions.selection import selected
        from comparanda.findings.examples import examples

        context = self.context(view)
        named = base is not None and new is not None
        if len(self.systems) > 1:
            base, new = self.pair(base, new, view=view)
        found = selected(self.verdicts, view=context.view, where=where, base=base, new=new, alone=named)
        return examples(context, selection=found, top=top, base=base, new=new)

    def count(self, where: str, base: str | None = None, new: str | None = None, *, view: str | None = None) -> int:
        """Return how many sites a condition selects."""
        from comparanda.expressions.selection import selected

        return len(selected(self.verdicts, view=self.verdicts.view(view), where=where, base=base, new=new))

    def where(self, condition: str, *, view: str | None = None) -> Result:
        """Return the result on the sites that fulfil a condition alone."""
        from comparanda.expressions.selection import about_items, sites_among_all

        chosen = self.verdicts.view(view)
        if not len(chosen.sites):
            raise UsageError(f"the view {chosen.name!r} has no sites to choose from: it counts whole units")
        if about_items(condition, chosen.sites.attributes):
            what = f"{condition!r} speaks of items, and results are cut to sites"
            raise UsageError(what, hint="look at the items themselves: comparanda examples --where CONDITION")
        rows: Rows = sites_among_all(self.verdicts, chosen, condition)
        if not rows.size:
            raise UsageError(f"no site fulfils {condition!r}")
        narrowed = chosen.narrowed(rows, self.verdicts.unit_of)
        views = {chosen.name: narrowed}
        for name, each in self.verdicts.views.items():
            same = _same_sites(each, chosen, narrowed, rows)
            views.setdefault(name, each.narrowed(same, self.verdicts.unit_of))
        settings = {**self.verdicts.settings, "where": condition}
        return replace(self, verdicts=replace(self.verdicts, views=views, settings=settings))

    def anatomy(
        self,
        base: str | None = None,
        new: str | None = None,
        *,
        by: Sequence[str] | None = None,
        order: Order = "frequency",
        keyed_by: Keying = "label",
        view: str | None = None,
    ) -> Anatomy:
        """Return all findings in one: what `comparanda compare` prints."""
        from comparanda.findings.anatomy import anatomy

        context = self.context(view)
        pair = self.pair(base, new, view=view) if len(self.systems) > 1 else None
        cuts = tuple(self.slices(name, *(pair or (None, None)), view=view) for name in self._cuts(by, view))
        return anatomy(context, pair=pair, cuts=cuts, signature=self.signature, order=order, keyed_by=keyed_by)

    def _cuts(self, by: Sequence[str] | None, view: str | None) -> Sequence[str]:
        """Return what to cut by: as asked for, or as the task proposes."""
        return self.verdicts.view(view).cuts if by is None else by

    def pair(self, base: str | None, new: str | None, *, view: str | None = None) -> tuple[str, str]:
        """Complete a pair: the base is the first system, the new one the best of the others."""
        from comparanda.findings.scores import scores

        names = self.systems
        for name in (base, new):
            if name is not None:
                self.verdicts.system(name)
        if len(names) < 2:
            raise UsageError("a difference needs two systems", hint=f"there is only {names[0]!r}")
        first = base or next(name for name in names if name != new)
        if new is not None:
            if new == first:
                raise UsageError(f"the system {new!r} is compared with itself")
            return first, new
        context = replace(self.context(view), resamples=0)
        table = scores(context, context.measures[:1])
        others = [name for name in names if name != first]
        return first, max(others, key=lambda name: table.value(name) or 0.0)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the result to a folder that `comparanda.open` and every command read back."""
        from comparanda.storage.writer import save

        save(self, folder)

    def report(self, path: str | PathLike[str], **choices: Any) -> None:
        """Write one HTML file that leads from every number to the examples behind it, and needs no network.

        Args:
            path: the file.
            choices: what it holds, as `comparanda.report.Choices` has it: `title`, `text=False` for no words of the
                corpus, `base` and `new` for the pair shown first, `view`, `by` …

        """
        from comparanda.report import Choices, as_html, build

        Path(path).write_text(as_html(build(self, Choices(**choices))), encoding="utf-8", newline="\n")

    def context(self, view: str | None = None) -> Context:
        """Return the ground that findings of a view stand on."""
        chosen: View = self.verdicts.view(view)
        return Context(
            verdicts=self.verdicts,
            view=chosen,
            resamples=self.resamples,
            seed=self.seed,
            zero_division=self.zero_division,
        )


def _same_sites(view: View, chosen: View, narrowed: View, rows: Rows) -> Rows:
    """Return the sites of a view that some sites of another are: the same overlap sites, mentions, or places."""
    if view.claims is not None and view.claims is chosen.claims:
        return rows
    if view.mention is not None and narrowed.mention is not None:
        return np.flatnonzero(np.isin(view.mention, narrowed.mention))
    return np.flatnonzero(at_places(view.sites, narrowed.sites))
