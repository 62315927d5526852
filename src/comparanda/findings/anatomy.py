"""All findings of a comparison in one: the output of `comparanda compare`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from comparanda.findings.difference import Difference, Keying, compute_difference
from comparanda.findings.pairs import Pairs, compute_pairs
from comparanda.findings.scores import Score, Scores, compute_scores
from comparanda.findings.significance import Significance, compute_significance
from comparanda.findings.slices import Slices
from comparanda.findings.stability import Stability, compute_stability
from comparanda.findings.upper_bounds import Combination, Order, compute_upper_bounds
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table, format_count
from comparanda.tasks.coref.findings import ChainPairs, chain_pairs
from comparanda.tasks.prob.findings import Probabilities, evaluate_probabilities
from comparanda.tasks.prob.pair_findings import ExpectedPairs, expected_pairs

if TYPE_CHECKING:
    from rich.console import Console

    from comparanda.findings.context import Context
    from comparanda.render.charts import Paper


# Scores against several keys of one text: each annotator's, and the majority of them.


MAJORITY = "majority"
"""The name of the key of all annotations that more than half of the keys have."""


@dataclass(frozen=True)
class KeyScores:
    """The scores of all systems against one key.

    Args:
        key: its name; `majority` for the annotations that more than half of the keys have.
        items: the number of its items, such as spans.
        scores: the scores of each system, by the measures of the view.

    """

    key: str
    items: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class KeyPair:
    """The agreement of two annotators: the main measure of the second, with the first as the key."""

    first: str
    second: str
    measure: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class Keys(Finding):
    """Scores against each of several keys and their majority, and the agreement of the keys with each other."""

    json_name = "keys"

    view: str
    systems: tuple[str, ...]
    units: int
    unit: str
    resamples: int
    seed: int
    keys: tuple[KeyScores, ...]
    agreement: tuple[KeyPair, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        del top  # these tables are short
        measures = tuple(dict.fromkeys(score.measure for each in self.keys for score in each.scores))
        columns = [
            (Field(name, name, "share"), Field(f"{name}_interval", "95 % interval", "interval")) for name in measures
        ]
        rows: list[tuple[Any, ...]] = []
        for each in self.keys:
            for system in self.systems:
                mine = {score.measure: score for score in each.scores if score.system == system}
                cells = [part for name in measures for part in (mine[name].value, (mine[name].low, mine[name].high))]
                rows.append((each.key, each.items, system, *cells))
        keyed = (Field("key", "key"), Field("items", "items", "figure"), Field("system", "system"))
        agreed = tuple((pair.first, pair.second, pair.value) for pair in self.agreement)
        main = Field("value", self.agreement[0].measure, "share")
        return (
            Table(
                name="keys",
                title="Scores against each key",
                fields=(*keyed, *(part for pair in columns for part in pair)),
                rows=tuple(rows),
            ),
            Table(
                name="agreement",
                title="Agreement of the keys",
                fields=(Field("first", "key"), Field("second", "other key"), main),
                rows=agreed,
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Anatomy(Finding):
    """The complete comparison; parts are None without the two systems, several runs, chains or probabilities needed."""

    json_name = "anatomy"

    task: str
    signature: str
    documents: int
    sites: int
    left_out: dict[str, int]
    notes: tuple[str, ...]
    scores: Scores
    pairs: Pairs | None
    significance: Significance | None
    difference: Difference | None
    combination: Combination | None
    slices: tuple[Slices, ...]
    stability: Stability | None = None
    chain_pairs: ChainPairs | None = None
    probabilities: Probabilities | None = None
    expected_pairs: ExpectedPairs | None = None

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        from comparanda.findings.score_tables import score_tables
        from comparanda.tasks.prob.finding_tables import short_belief_tables

        against = {}
        first = self.scores.scores[0].system
        if self.significance is not None:
            against = {test.new: test.p_holm for test in self.significance.tests if test.base == first}
        found = [*score_tables(self.scores, against)]
        if self.probabilities is not None:
            found += short_belief_tables(self.probabilities)
        pairs = self.pairs if self.chain_pairs is None else self.chain_pairs
        parts = (pairs, self.stability, self.significance, self.difference, self.combination)
        for part in (*parts, *self.slices, self.expected_pairs):
            if part is not None:
                found += part.tables(top)
        return tuple(found)

    def charts(self) -> tuple[Paper, ...]:
        """Return the charts."""
        scores = self.scores if self.probabilities is None else self.probabilities
        parts = (scores, self.difference, self.combination)
        return tuple(chart for part in parts if part is not None for chart in part.charts())

    def main_table(self, top: int = 0) -> Table:
        """Return the table of the finding's rows."""
        return self.scores.main_table(top)

    def print_to(self, console: Console, top: int | None = None) -> None:
        """Print the finding in a terminal."""
        from comparanda.render.console import print_line

        sizes = f"{format_count(self.documents, 'document')}, {format_count(self.sites, 'site')}"
        print_line(f"{self.task}: {sizes}", "bold", console)
        for reason, count in self.left_out.items():
            print_line(f"left out, {reason}: {count:,}", "dim", console)
        super().print_to(console, top)
        console.print()
        print_line(self.signature, "dim", console)


def compute_anatomy(
    context: Context,
    pair: tuple[str, str] | None,
    cuts: tuple[Slices, ...],
    signature: str,
    *,
    order: Order = "frequency",
    keyed_by: Keying = "label",
) -> Anatomy:
    """Compute every finding of a view."""
    several = pair is not None
    found = compute_scores(context)
    return Anatomy(
        task=context.verdicts.task,
        signature=signature,
        documents=len(context.verdicts.documents),
        sites=len(context.sites),
        left_out=context.view.left_out_counts,
        notes=tuple(map(str, context.verdicts.notes)),
        scores=found,
        pairs=compute_pairs(context) if several else None,
        significance=compute_significance(context) if several else None,
        difference=compute_difference(context, *pair, keyed_by) if pair is not None else None,
        combination=compute_upper_bounds(context, order) if several else None,
        slices=cuts,
        stability=compute_stability(context) if len(context.verdicts.runs) > len(context.systems) else None,
        chain_pairs=chain_pairs(context) if several else None,
        probabilities=evaluate_probabilities(context, found=found),
        expected_pairs=expected_pairs(context) if several else None,
    )
