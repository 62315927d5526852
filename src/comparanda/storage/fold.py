"""Verdicts made small: what every run has right is counted, or kept in a few columns, and no longer has rows.

Nearly all findings are about the other sites; of these they need numbers alone. So a corpus may have a hundred million
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
"""How many sites of each label are kept for examples of those that every run has right."""

_SENTENCES = ("sentences_all", "sentences_right")
_FINEST = 1 << 20
"""Multiples of 1 / 2²⁰ add up to the same in any order; the sums of others may differ in their last digit."""


def folded(verdicts: Verdicts, seed: int, by: Sequence[str] = ()) -> Verdicts:
    """Return verdicts whose views keep the sites that runs have wrong, and count the others.

    Of those a few of each label are kept for examples: the ones that would be chosen first. Spans that everybody has
    stay where they stand, without items. Views whose sites are mentions or arcs, and those that leave sites out by
    policy or hold spans for possible, stay as they are; so do rows without documents, each of which is a unit of its
    own.

    Args:
        verdicts: the verdicts.
        seed: the seed by which examples are chosen.
        by: attributes of sites that the counts are to be told apart by too; of spans, all are known anyway.

    """
    if verdicts.units.kind == "row":
        return verdicts
    tables = {id(view.claims): view.claims for view in verdicts.views.values()}
    agreed = {which: _Agreed(verdicts, claims, seed) for which, claims in tables.items() if claims is not None}
    views = {
        name: _Folding(verdicts, view, seed, by).view() if view.claims is None else agreed[id(view.claims)].view(view)
        for name, view in verdicts.views.items()
    }
    return replace(verdicts, views=views)


def _chosen_first(verdicts: Verdicts, seed: int, table: Sites | Claims, labels: Codes, *, rows: Rows) -> Rows:
    """Return the first few of some sites, or of spans that are sites, of each label, in the order of their hashes."""
    hashes = place_hashes(seed, verdicts.documents, table, rows)
    label = labels[rows]
    order = np.lexsort((hashes, label))
    begins = np.flatnonzero(np.diff(label[order].astype(np.int64), prepend=-1))
    rank = np.arange(len(rows)) - np.repeat(begins, np.diff(np.append(begins, len(rows))))
    return rows[order[rank < EXAMPLES]]


class _Folding:
    """One view of plain sites on its way to a smaller one."""

    def __init__(self, verdicts: Verdicts, view: View, seed: int, by: Sequence[str]) -> None:
        self.verdicts, self.given, self.seed, self.by = verdicts, view, seed, by

    def view(self) -> View:
        given, sites = self.given, self.given.given_sites
        others = (given.left_out, given.given_items, given.raised, given.chains, given.candidates)
        if sites is None or sites.aspects or sites.folded is not None or any(each is not None for each in others):
            return given
        easy = np.ones(sites.rows, np.bool_)
        easy[sites.contested] = False
        if given.surplus is not None:  # what runs have beside a site stands at its place
            easy &= ~at_places(sites, given.surplus)
        easy[_chosen_first(self.verdicts, seed=self.seed, table=sites, labels=sites.key, rows=np.flatnonzero(easy))] = (
            False
        )
        if easy.any():
            sites = replace(sites.take(np.flatnonzero(~easy)), folded=self._counted(sites, np.flatnonzero(easy)))
        return replace(given, given_sites=sites, statistics=_with_sentences(self.verdicts, given))

    def _counted(self, sites: Sites, rows: Rows) -> Folded:
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


def _with_sentences(verdicts: Verdicts, view: View) -> Mapping[str, NDArray[np.float64]]:
    """Return the statistics of a view with those that only all sites together tell."""
    return {**unit_statistics(verdicts, view, _SENTENCES), **view.statistics}


class _Agreed:
    """The spans of some views, and which of them everybody has."""

    def __init__(self, verdicts: Verdicts, claims: Claims, seed: int) -> None:
        self.claims = claims
        self.views = [view for view in verdicts.views.values() if view.claims is claims]
        easy = np.zeros(len(claims), np.bool_)
        if claims.agreed is None and all(_has_spans_alone(view) and _adds_up_exactly(view) for view in self.views):
            easy = self._alone()
            for view in self.views:
                easy &= _plainly_right(view)
            easy[
                _chosen_first(
                    verdicts, seed=seed, table=claims, labels=without_ids(claims).label, rows=np.flatnonzero(easy)
                )
            ] = False
        self.rows, self.kept = np.flatnonzero(easy), np.flatnonzero(~easy)
        self.smaller = self._smaller() if len(self.rows) else claims

    def _alone(self) -> Truths:
        """Whether everybody has each span once, in one piece, and there is no other at its site."""
        claims = self.claims
        found: Truths = (np.bincount(claims.site)[claims.site] == 1) & (claims.pieces == 0) & (claims.key == 1)
        for counts in claims.runs:
            found &= counts == 1
        return found

    def _smaller(self) -> Claims:
        return replace(self.claims.take(self.kept), agreed=agreed_spans(self.claims.take(self.rows)))

    def view(self, given: View) -> View:
        """Return a view on these spans, with items for those alone that not everybody has."""
        items = given.given_items
        if self.smaller is self.claims or items is None or items.claim is None:
            return given
        item = np.empty(len(self.claims), np.int64)
        item[items.claim] = np.arange(items.rows)  # of spans that everybody has, each is one item
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
        return replace(given, claims=self.smaller, given_items=kept)


def _has_spans_alone(view: View) -> bool:
    """Whether a view has items that are spans, and nothing that rests on others."""
    items = view.given_items
    others = (view.given_sites, view.left_out, view.surplus, view.raised, view.chains, view.candidates)
    return items is not None and items.claim is not None and all(each is None for each in others)


def _adds_up_exactly(view: View) -> bool:
    """Whether what items are worth adds up to the same in any order."""
    items = view.given_items
    assert items is not None
    amounts = (*items.claimed, *(items.credit or ()), *(items.earned or ()), *(items.weight or ()))
    return all((each * _FINEST % 1 == 0).all() for each in amounts if each.dtype.kind == "f")


def _plainly_right(view: View) -> Truths:
    """Whether each span is just one item of a view, the key's, which counts one and which every run has in full."""
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
