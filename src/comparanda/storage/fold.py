"""Folding of verdicts: sites that every run has right are counted, or reduced to a few columns, without own rows.

Nearly all findings are about the other sites and need only the counts of these. So a corpus may have a hundred million
tokens, and its verdicts only as many rows as there are errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.core.claims import agreed_spans, without_ids
from comparanda.core.items import FoldedItems, at_places
from comparanda.core.measures import unit_statistics
from comparanda.core.row_samples import place_hashes
from comparanda.core.sites import Folded
from comparanda.core.text_columns import TextColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.claims import Claims
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows, Truths
    from comparanda.core.verdicts import Verdicts, View

EXAMPLES = 100
"""The number of sites per label that every run has right and that are retained as examples."""

_SENTENCES = ("sentences_all", "sentences_right")
_EXACT_DENOMINATOR = 1 << 20
"""Sums of multiples of 1 / 2²⁰ do not depend on the order; other sums may differ in their last digit."""


def fold_verdicts(verdicts: Verdicts, seed: int, by: Sequence[str] = ()) -> Verdicts:
    """Fold verdicts: retain the sites that some run has wrong, and count the others.

    A few of the others are retained for each label as examples: those that would be sampled first. Spans that the key
    and all runs share keep their positions, but lose their items. Views whose sites are mentions or arcs, that leave
    sites out by policy or that have spans with probabilities are not folded; neither are rows without documents, each
    of which is a unit of its own.

    Args:
        verdicts: the verdicts.
        seed: the seed for sampling examples.
        by: attributes of sites by which to subdivide the counts; spans retain all their attributes anyway.

    """
    if verdicts.units.kind == "row":
        return verdicts
    tables = {id(view.claims): view.claims for view in verdicts.views.values()}
    agreed = {which: _SpanFolding(verdicts, claims, seed) for which, claims in tables.items() if claims is not None}
    views = {
        name: _SiteFolding(verdicts, view, seed, by).view()
        if view.claims is None
        else agreed[id(view.claims)].view(view)
        for name, view in verdicts.views.items()
    }
    return replace(verdicts, views=views)


def _choose_examples(verdicts: Verdicts, seed: int, table: Sites | Claims, labels: Codes, *, rows: Rows) -> Rows:
    """Sample a few sites, or spans that are sites, of each label, in the order of their hashes."""
    hashes = place_hashes(seed, verdicts.documents, table, rows)
    label = labels[rows]
    order = np.lexsort((hashes, label))
    begins = np.flatnonzero(np.diff(label[order].astype(np.int64), prepend=-1))
    rank = np.arange(len(rows)) - np.repeat(begins, np.diff(np.append(begins, len(rows))))
    return rows[order[rank < EXAMPLES]]


class _SiteFolding:
    """Folds a view of plain sites."""

    def __init__(self, verdicts: Verdicts, view: View, seed: int, by: Sequence[str]) -> None:
        self.verdicts, self.given, self.seed, self.by = verdicts, view, seed, by

    def view(self) -> View:
        given, sites = self.given, self.given.given_sites
        others = (given.left_out, given.given_items, given.raised, given.chains, given.candidates)
        if sites is None or sites.aspects or sites.folded is not None or any(each is not None for each in others):
            return given
        easy = np.ones(sites.rows, np.bool_)
        easy[sites.contested] = False
        if given.surplus is not None:  # surplus items are at the position of a site
            easy &= ~at_places(sites, given.surplus)
        easy[
            _choose_examples(self.verdicts, seed=self.seed, table=sites, labels=sites.key, rows=np.flatnonzero(easy))
        ] = False
        if easy.any():
            sites = replace(sites.take(np.flatnonzero(~easy)), folded=self._count_sites(sites, np.flatnonzero(easy)))
        return replace(given, given_sites=sites, statistics=_add_sentence_statistics(self.verdicts, given))

    def _count_sites(self, sites: Sites, rows: Rows) -> Folded:
        """Count sites by document, unit, label and some attributes."""
        columns: list[NDArray[Any]] = [sites.document[rows], self.verdicts.unit_of(sites)[rows], sites.key[rows]]
        attributes = {name: sites.attributes[name] for name in self.by if name in sites.attributes}
        for attribute in attributes.values():
            column = attribute.make()
            columns.append(column.codes[rows] if isinstance(column, TextColumn) else column[rows])
        order = np.lexsort(columns[::-1])
        begins = np.zeros(len(rows), np.bool_)
        begins[0] = True
        for column in columns:
            begins[1:] |= column[order][1:] != column[order][:-1]
        first = np.flatnonzero(begins)
        table = replace(sites, attributes=attributes).take(rows[order[first]])
        table = replace(table, place=np.arange(table.rows, dtype=np.int32))
        return Folded(table, np.diff(np.append(first, len(rows))).astype(np.int64))


def _add_sentence_statistics(verdicts: Verdicts, view: View) -> Mapping[str, NDArray[np.float64]]:
    """Add the statistics that can only be computed from all sites."""
    return {**unit_statistics(verdicts, view, _SENTENCES), **view.statistics}


class _SpanFolding:
    """Folds the spans that some views share: separates those that the key and all runs have."""

    def __init__(self, verdicts: Verdicts, claims: Claims, seed: int) -> None:
        self.claims = claims
        self.views = [view for view in verdicts.views.values() if view.claims is claims]
        easy = np.zeros(len(claims), np.bool_)
        if claims.agreed is None and all(_has_only_spans(view) and _adds_up_exactly(view) for view in self.views):
            easy = self._find_agreed()
            for view in self.views:
                easy &= _find_plainly_right(view)
            easy[
                _choose_examples(
                    verdicts, seed=seed, table=claims, labels=without_ids(claims).label, rows=np.flatnonzero(easy)
                )
            ] = False
        self.rows, self.kept = np.flatnonzero(easy), np.flatnonzero(~easy)
        self.reduced = self._drop_agreed() if len(self.rows) else claims

    def _find_agreed(self) -> Truths:
        """Find the spans that the key and all runs have once, in one piece, without another span at their site."""
        claims = self.claims
        found: Truths = (np.bincount(claims.site)[claims.site] == 1) & (claims.pieces == 0) & (claims.key == 1)
        for counts in claims.runs:
            found &= counts == 1
        return found

    def _drop_agreed(self) -> Claims:
        return replace(self.claims.take(self.kept), agreed=agreed_spans(self.claims.take(self.rows)))

    def view(self, given: View) -> View:
        """Fold a view of these spans: only spans that are not shared by all retain items."""
        items = given.given_items
        if self.reduced is self.claims or items is None or items.claim is None:
            return given
        item = np.empty(len(self.claims), np.int64)
        item[items.claim] = np.arange(items.rows)  # each shared span is exactly one item
        mine = item[self.rows]
        outcomes = None if items.outcomes is None else items.outcomes.take(mine)
        counted = FoldedItems(
            document=items.document[mine],
            sentence=items.sentence[mine],
            label=items.label[mine],
            count=np.broadcast_to(np.int64(1), len(mine)),
            outcomes=outcomes,
        )
        kept = replace(items.of_claims(self.kept, len(self.claims)), folded=counted)
        return replace(given, claims=self.reduced, given_items=kept)


def _has_only_spans(view: View) -> bool:
    """Whether a view has items that are spans, and no other data that refer to rows."""
    items = view.given_items
    others = (view.given_sites, view.left_out, view.surplus, view.raised, view.chains, view.candidates)
    return items is not None and items.claim is not None and all(each is None for each in others)


def _adds_up_exactly(view: View) -> bool:
    """Whether the sums of the items' amounts do not depend on their order."""
    items = view.given_items
    assert items is not None
    amounts = (*items.claimed, *(items.credit or ()), *(items.earned or ()), *(items.weight or ()))
    return all((each * _EXACT_DENOMINATOR % 1 == 0).all() for each in amounts if each.dtype.kind == "f")


def _find_plainly_right(view: View) -> Truths:
    """Find the spans that are exactly one item of a view: a positive one of weight 1 with full credit for every run."""
    claims, items = view.claims, view.given_items
    assert claims is not None
    assert items is not None
    assert items.claim is not None
    right = items.positive.copy()
    for run in range(len(items.claimed)):
        right &= (items.claimed[run] == 1) & (items.weights(run) == 1)
        right &= (items.credit_of(run) == 1) & (items.earned_of(run) == 1)
        if items.by_run is not None:
            right &= (items.by_run[run] == items.claim) | (items.by_run[run] < 0)
        if items.outcomes is not None and items.outcomes.sources is not None:
            right &= ~np.array([source != "" for source in items.outcomes.sources])[items.outcomes.verdict[run]]
    found: Truths = np.bincount(items.claim, minlength=len(claims)) == 1
    found[items.claim[~right]] = False
    for each in items.by_run or ():
        found[each[~right & (each >= 0)]] = False
    return found
