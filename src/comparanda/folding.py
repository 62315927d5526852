"""Verdicts made small: sites that every run has right are counted by document and label, and no longer kept.

Nearly all findings are about the other sites; of these they need numbers alone. So a corpus may have a hundred million
tokens, and its verdicts only as many rows as there are errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.columns import TextColumn
from comparanda.measures import unit_statistics
from comparanda.sampling import place_hashes
from comparanda.sites import Folded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Rows
    from comparanda.sites import Sites
    from comparanda.verdicts import Verdicts, View

EXAMPLES = 100
"""How many sites of each label are kept for examples of those that every run has right."""

_SENTENCES = ("sentences_all", "sentences_right")


def folded(verdicts: Verdicts, seed: int, by: Sequence[str] = ()) -> Verdicts:
    """Return verdicts whose views keep the sites that runs have wrong, and count the others.

    Of those a few of each label are kept for examples: the ones that would be chosen first. Views whose sites are
    spans, mentions or arcs, and those that leave sites out by policy, stay as they are; so do rows without documents,
    each of which is a unit of its own.

    Args:
        verdicts: the verdicts.
        seed: the seed by which examples are chosen.
        by: attributes of sites that the counts are to be told apart by too.

    """
    if verdicts.units.kind == "row":
        return verdicts
    views = {name: _Folding(verdicts, view, seed, by).view() for name, view in verdicts.views.items()}
    return replace(verdicts, views=views)


class _Folding:
    """One view on its way to a smaller one."""

    def __init__(self, verdicts: Verdicts, view: View, seed: int, by: Sequence[str]) -> None:
        self.verdicts, self.given, self.seed, self.by = verdicts, view, seed, by

    def view(self) -> View:
        given, sites = self.given, self.given.given_sites
        others = (given.left_out, given.given_items, given.surplus, given.raised, given.chains, given.candidates)
        if sites is None or sites.aspects or sites.folded is not None or any(each is not None for each in others):
            return given
        easy = np.ones(sites.rows, np.bool_)
        easy[sites.contested] = False
        easy[self._examples(sites, np.flatnonzero(easy))] = False
        if not easy.any():
            return given
        statistics = {**unit_statistics(self.verdicts, given, _SENTENCES), **given.statistics}
        kept = replace(sites.take(np.flatnonzero(~easy)), folded=self._counted(sites, np.flatnonzero(easy)))
        return replace(given, given_sites=kept, statistics=statistics)

    def _examples(self, sites: Sites, rows: Rows) -> Rows:
        """Return the first few of the rows of each label, in the order of their hashes."""
        hashes = place_hashes(self.seed, self.verdicts.documents, sites, rows)
        label = sites.key[rows]
        order = np.lexsort((hashes, label))
        begins = np.flatnonzero(np.diff(label[order].astype(np.int64), prepend=-1))
        rank = np.arange(len(rows)) - np.repeat(begins, np.diff(np.append(begins, len(rows))))
        return rows[order[rank < EXAMPLES]]

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
