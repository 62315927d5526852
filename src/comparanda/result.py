"""The class `Result`: verdicts, and one method for each finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from comparanda.core.items import at_places
from comparanda.core.measures import parse_measure
from comparanda.core.verdicts import Verdicts
from comparanda.errors import UsageError, suggest_nearest
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
    """The result of a comparison; each method computes one finding.

    Args:
        verdicts: the verdicts on all systems.
        resamples: the number of resamples for intervals and tests; 0 for none.
        seed: the seed of all draws.
        zero_division: the value of undefined ratios; None to report them as undefined.

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
        """Notes from reading and aligning: nothing is dropped silently."""
        return self.verdicts.notes

    @cached_property
    def signature(self) -> str:
        """The signature: all settings that determine the numbers, in one line."""
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
        """Compute scores with intervals: the measures of a view, or others by name.

        Without either, a task with several views uses the measures of the first and those that the others add.
        """
        from comparanda.findings.scores import compute_scores

        context = self.context(view)
        if measures or view is not None:
            return compute_scores(context, [parse_measure(name) for name in measures] or context.own_measures)
        names = dict.fromkeys(context.view.measures)
        for each in self.verdicts.views.values():
            names |= dict.fromkeys(name for name in each.measures if name.startswith(f"{each.name}."))
        return compute_scores(context, [parse_measure(name) for name in names])

    def pairs(self, *, transitions: int = 0, view: str | None = None) -> Pairs:
        """Compute diff and the difference of scores for every pair of systems, with the most frequent transitions."""
        from comparanda.findings.pairs import compute_pairs

        return compute_pairs(self.context(view), transitions)

    def chain_pairs(self, *, view: str | None = None) -> ChainPairs:
        """Compute the number of mentions at which each pair of systems differs, and how far their chains agree.

        By all criteria, or by that of one view.
        """
        from comparanda.tasks.coref.findings import chain_pairs

        found = chain_pairs(self.context(view))
        if found is None:
            raise UsageError(f"the view {self.verdicts.view(view).name!r} has no chains", hint="--task coref")
        return found

    def probabilities(self, *, by: Parts = "label", bins: int = BINS, view: str | None = None) -> Probabilities:
        """Evaluate probabilistic outputs: expected scores, their uncertainty, thresholds, calibration.

        Args:
            by: whether parts are labels or documents.
            bins: the number of calibration bins.
            view: the view, if there are several.

        """
        from comparanda.tasks.prob.findings import evaluate_probabilities

        return self._require_probabilities(evaluate_probabilities(self.context(view), by, bins), view)

    def expected_pairs(self, *, beta: float = 1.0, view: str | None = None) -> ExpectedPairs:
        """Compare every pair of probabilistic outputs, separately and combined, by expected counts."""
        from comparanda.tasks.prob.pair_findings import expected_pairs

        return self._require_probabilities(expected_pairs(self.context(view), beta), view)

    def _require_probabilities(self, found: T | None, view: str | None) -> T:
        if found is None:
            what = f"the view {self.verdicts.view(view).name!r} has no probabilities"
            raise UsageError(what, hint="choose the task prob; probabilities are not available under --where")
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
        """Analyse the difference of two systems; by default of the first and the best other one.

        Transitions are distinguished by labels, or by whole `value`s (the head and the label of an arc). `by` names
        attributes to slice by; trees are sliced by the distance and the direction of arcs unless it is empty.
        """
        from comparanda.findings.difference import compute_difference

        base, new = self.pair(base, new, view=view)
        cuts = tuple(
            self._build_slices(name, base=base, new=new, measure_name=None, view=view, of_pair=True)
            for name in self._slicing_attributes(by, view)
        )
        return replace(compute_difference(self.context(view), base, new, keyed_by), slices=cuts)

    def confusion(self, run: str, *, view: str | None = None) -> Confusion:
        """Compute the confusion matrix of a run: key labels by predicted labels.

        The run of a system with a single run has the name of the system.
        """
        from comparanda.findings.confusion import compute_confusion

        return compute_confusion(self.context(view), run)

    def error_sources(
        self, base: str | None = None, new: str | None = None, *, view: str | None = None
    ) -> ErrorSources:
        """Cross-tabulate the error sources of two systems: tagger, resolver, none."""
        from comparanda.findings.error_sources import error_sources

        base, new = self.pair(base, new, view=view)
        found = error_sources(self.context(view), base, new)
        if found is None:
            raise UsageError(
                f"the view {self.verdicts.view(view).name!r} has no error sources",
                hint="rule sets define them by `sources` in a view, as those of the task link do",
            )
        return found

    def complementarity(self, *systems: str, beta: float = 1.0, view: str | None = None) -> Complementarity:
        """Compute which errors of each system every other does not make: Comp, PComp, RComp, FComp, FβComp.

        For every ordered pair of all systems, or of those named; `beta` above 1 gives recall more weight in FβComp. For
        all of three or more systems, also their diversity.
        """
        from comparanda.findings.complement import compute_complementarity

        found = compute_complementarity(self.context(view), beta, systems or None)
        return found if systems or len(self.systems) < 3 else replace(found, diversity=self.diversity(view=view))

    def against(self, baseline: str, *, view: str | None = None) -> Against:
        """Compare every other system with a baseline: corrections, new errors, and errors that it does not make."""
        from comparanda.findings.complement import compare_with_baseline

        return compare_with_baseline(self.context(view), baseline)

    def stability(self, base: str | None = None, new: str | None = None, *, view: str | None = None) -> Stability:
        """Compute how much the runs of each system differ, and how much more the systems do: within, between, excess.

        For every pair of systems of which one has several runs, or for those with `base`, with `new`, or the pair of
        both.
        """
        from comparanda.findings.stability import compute_stability

        return compute_stability(self.context(view), base, new)

    def combination(self, *, order: Order = "frequency", view: str | None = None) -> Combination:
        """Compute what the systems could achieve together: upper bounds, hardness, greedy curve, agreement.

        Labels are sorted by their `frequency` in the key, by the oracle's `gain` over the best system, or
        over the best on that label (`gain-here`).
        """
        from comparanda.findings.upper_bounds import compute_upper_bounds

        return compute_upper_bounds(self.context(view), order)

    def diversity(self, *, view: str | None = None) -> Diversity:
        """Compute how different the errors of all runs are: agreement patterns, diversity measures, clusters."""
        from comparanda.findings.diversity import compute_diversity

        return compute_diversity(self.context(view))

    def suspects(self, *, at_least: int | None = None, top: int = 0, view: str | None = None) -> Suspects:
        """Find likely annotation errors: sites where runs agree against the key, and key items that no run finds.

        `at_least` is the number of runs that must agree, all by default; `top` is the number of sites to list, 0 for
        all. If the default view does not distinguish wrong values, the finer view that does is used unless another is
        named: runs agree on an antecedent, not on being wrong.
        """
        from comparanda.findings.suspects import find_suspects

        return find_suspects(self.context(view or self.verdicts.view().finer), at_least, top)

    def significance(self, measure_name: str | None = None, *, view: str | None = None) -> Significance:
        """Test the differences of all pairs by the main measure, or by another."""
        from comparanda.findings.significance import compute_significance

        return compute_significance(self.context(view), parse_measure(measure_name) if measure_name else None)

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
        """Check whether a new system may replace its base.

        Args:
            base: the base.
            new: the new system.
            top: the number of examples of new errors to show; 0 for all.
            view: the view, if there are several.
            stored: the scores of the base by measure, if its output is not available.
            asked: the criteria, as for `comparanda.gate`: `max_new_errors=20`, `require="f1 >= base"` …

        """
        from comparanda.findings.gate import build_criteria
        from comparanda.findings.gate_checks import check_gate

        if stored is None:
            base, new = self.pair(base, new, view=view)
        return check_gate(
            self.context(view), build_criteria(**asked), base, new, stored=stored, top=top, signature=self.signature
        )

    def ablation(self, full: str | None = None, *, view: str | None = None) -> Ablation:
        """Compute what changes when components of a system are removed; the full system is the first unless named."""
        from comparanda.findings.ablation import compute_ablation

        return compute_ablation(self.context(view), full or self.systems[0])

    def leaderboard(self, *measures: str, view: str | None = None) -> Leaderboard:
        """Rank the systems by score, with the range of ranks that the tests do not exclude.

        They are ranked by the main measure of the view, or by the first of those named.
        """
        from comparanda.findings.leaderboard import compute_leaderboard

        return compute_leaderboard(self.context(view), [parse_measure(name) for name in measures])

    def slices(
        self,
        by: str,
        base: str | None = None,
        new: str | None = None,
        *,
        measure_name: str | None = None,
        view: str | None = None,
    ) -> Slices:
        """Compute scores by an attribute, such as label, length, frequency, seen, document or genre."""
        if len(self.systems) > 1:
            base, new = self.pair(base, new, view=view)
        return self._build_slices(by, base=base, new=new, measure_name=measure_name, view=view)

    def _build_slices(
        self,
        by: str,
        base: str | None,
        new: str | None,
        measure_name: str | None,
        *,
        view: str | None,
        of_pair: bool = False,
    ) -> Slices:
        from comparanda.expressions.selection import make_scope
        from comparanda.findings.slices import compute_slices

        context = self.context(view)
        if of_pair and base is not None and new is not None:
            context = context.among(base, new)
        site_scope = make_scope(self.verdicts, context.view)
        if by not in site_scope.types:
            raise UsageError(
                f"unknown attribute {by!r}{suggest_nearest(by, site_scope.types)}",
                hint=f"attributes: {', '.join(sorted(site_scope.types))}",
            )
        chosen = parse_measure(measure_name) if measure_name else None
        column, cells = site_scope.column, self._kind_column
        return compute_slices(
            context,
            by=by,
            column=column(by),
            base=base,
            new=new,
            wanted=chosen,
            of_pair=of_pair,
            cells=cells(by, context.view),
        )

    def _kind_column(self, by: str, view: View) -> Column | None:
        """Return an attribute of the kinds of sites that are only counted, not stored; None if all sites are stored."""
        from comparanda.expressions.selection import make_scope
        from comparanda.findings.slices import make_only_counted_error

        if view.cells is None:
            return None
        kinds = make_scope(self.verdicts, view.cells)
        if by not in kinds.types:
            raise make_only_counted_error(by)
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
        """Select the examples that a number counts.

        Args:
            where: a condition; each count of a finding has its own.
            base: the first of a pair of systems, for conditions like `correction`.
            new: the second.
            top: the number of examples, chosen by a hash of seed, document and place; 0 for all.
            view: the view, if there are several.

        """
        from comparanda.expressions.selection import select_rows
        from comparanda.findings.examples import collect_examples

        context = self.context(view)
        named = base is not None and new is not None
        if len(self.systems) > 1:
            base, new = self.pair(base, new, view=view)
        found = select_rows(self.verdicts, view=context.view, where=where, base=base, new=new, alone=named)
        return collect_examples(context, selection=found, top=top, base=base, new=new)

    def count(self, where: str, base: str | None = None, new: str | None = None, *, view: str | None = None) -> int:
        """Count the sites that match a condition."""
        from comparanda.expressions.selection import select_rows

        return len(select_rows(self.verdicts, view=self.verdicts.view(view), where=where, base=base, new=new))

    def where(self, condition: str, *, view: str | None = None) -> Result:
        """Restrict the result to the sites that match a condition."""
        from comparanda.expressions.selection import about_items, sites_among_all

        chosen = self.verdicts.view(view)
        if not len(chosen.sites):
            raise UsageError(f"the view {chosen.name!r} has no sites: it counts complete units")
        if about_items(condition, chosen.sites.attributes):
            what = f"{condition!r} refers to items, and results can only be restricted to sites"
            raise UsageError(what, hint="show the items: comparanda examples --where CONDITION")
        rows: Rows = sites_among_all(self.verdicts, chosen, condition)
        if not rows.size:
            raise UsageError(f"no sites match {condition!r}")
        narrowed = chosen.narrowed(rows, self.verdicts.unit_of)
        views = {chosen.name: narrowed}
        for name, each in self.verdicts.views.items():
            same = _corresponding_sites(each, chosen, narrowed, rows)
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
        """Collect all findings that `comparanda compare` prints."""
        from comparanda.findings.anatomy import compute_anatomy

        context = self.context(view)
        pair = self.pair(base, new, view=view) if len(self.systems) > 1 else None
        cuts = tuple(
            self.slices(name, *(pair or (None, None)), view=view) for name in self._slicing_attributes(by, view)
        )
        return compute_anatomy(context, pair=pair, cuts=cuts, signature=self.signature, order=order, keyed_by=keyed_by)

    def _slicing_attributes(self, by: Sequence[str] | None, view: str | None) -> Sequence[str]:
        """Return the attributes to slice by: those given, or the defaults of the task."""
        return self.verdicts.view(view).cuts if by is None else by

    def pair(self, base: str | None, new: str | None, *, view: str | None = None) -> tuple[str, str]:
        """Complete a pair of systems: the base defaults to the first system, the new one to the best of the others."""
        from comparanda.findings.scores import compute_scores

        names = self.systems
        for name in (base, new):
            if name is not None:
                self.verdicts.system(name)
        if len(names) < 2:
            raise UsageError("a difference requires two systems", hint=f"found only {names[0]!r}")
        first = base or next(name for name in names if name != new)
        if new is not None:
            if new == first:
                raise UsageError(f"the system {new!r} is compared with itself")
            return first, new
        context = replace(self.context(view), resamples=0)
        table = compute_scores(context, context.measures[:1])
        others = [name for name in names if name != first]
        return first, max(others, key=lambda name: table.value(name) or 0.0)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the result to a folder that `comparanda.open` and all commands can read."""
        from comparanda.storage.writer import save

        save(self, folder)

    def report(self, path: str | PathLike[str], **choices: Any) -> None:
        """Write a self-contained HTML report that links every number to the examples that it counts.

        Args:
            path: the file.
            choices: the content, as in `comparanda.report.Choices`: `title`, `text=False` for no words of the corpus,
                `base` and `new` for the pair shown first, `view`, `by` …

        """
        from comparanda.report import Choices, as_html, build_page

        Path(path).write_text(as_html(build_page(self, Choices(**choices))), encoding="utf-8", newline="\n")

    def context(self, view: str | None = None) -> Context:
        """Return the context for computing findings of a view: verdicts, resampling and seed."""
        chosen: View = self.verdicts.view(view)
        return Context(
            verdicts=self.verdicts,
            view=chosen,
            resamples=self.resamples,
            seed=self.seed,
            zero_division=self.zero_division,
        )


def _corresponding_sites(view: View, chosen: View, narrowed: View, rows: Rows) -> Rows:
    """Return the rows of a view that correspond to sites of another: the same overlap sites, mentions, or places."""
    if view.claims is not None and view.claims is chosen.claims:
        return rows
    if view.mention is not None and narrowed.mention is not None:
        return np.flatnonzero(np.isin(view.mention, narrowed.mention))
    return np.flatnonzero(at_places(view.sites, narrowed.sites))
