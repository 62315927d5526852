"""The views of chains: a site is a mention, its value what a run makes of it under a criterion.

There are two for each criterion. At the sites of `any` a value is a class (Tuggener 2017: `wl → tp`); at those of
`any_antecedents` it is the antecedent, if that is wrong, so that two wrong ones are told apart: `wl -12+2` is a mention
of two rows that begins twelve rows before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.chains import antecedents, sizes
from comparanda.columns import TextColumn
from comparanda.items import Items
from comparanda.judge.coreference.arcs import CLASSES, CRITERIA, FN, FP, TN, TP, WL, classify
from comparanda.judge.coreference.kinds import KINDS
from comparanda.judge.coreference.naming import Naming
from comparanda.sites import Aspect, Attribute, Sites, canonical
from comparanda.verdicts import View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from comparanda.corpus import Corpus, Documents
    from comparanda.judge.coreference.arcs import Classified, Criterion
    from comparanda.judge.coreference.gathering import Gathered
    from comparanda.judge.coreference.kinds import Kinds

CUTS = ("kind",)
MEASURES = ("f1", "precision", "recall")
_PLAIN = (CLASSES[FN], CLASSES[TN], CLASSES[TP])
_PLAIN_CODE = np.array([_PLAIN.index(name) if name in _PLAIN else 0 for name in CLASSES], np.uint8)
"""The classes of mentions without a wrong antecedent, and their codes among these; those of others are put right."""

ANTECEDENTS = "_antecedents"
"""What the names of the views end in that tell wrong antecedents apart."""


@dataclass(frozen=True, eq=False)
class Ground:
    """What the views are made of.

    Args:
        gathered: the mentions of all sides.
        kinds: what kind of mention each is.
        documents: the key's documents, for what is known of them.
        statistics: the counts of the metrics, which all views offer.

    """

    gathered: Gathered
    kinds: Kinds
    documents: Documents
    statistics: Mapping[str, NDArray[np.float64]]

    def criteria(self) -> dict[Criterion, Classified]:
        """Give every mention its classes under each criterion that can be told."""
        wanted = {"any": None, "nominal": self.kinds.nominal, "named": self.kinds.named, "immediate": None}
        chains = self.gathered.chains
        return {
            name: classify(chains, name, wanted[name])
            for name in CRITERIA
            if name != "named" or self.kinds.named is not None
        }

    def views(self, criterion: Criterion, found: Classified) -> tuple[View, View]:
        """Make the view of classes, and that which tells wrong antecedents apart; both have the same items."""
        plain = self._of_classes(criterion, found)
        return plain, self._of_antecedents(criterion, found, plain.given_items)

    def _of_classes(self, criterion: Criterion, found: Classified) -> View:
        """Make the view of classes."""
        sites = self._sites(found, Aspect(found.key, found.runs, CLASSES), {})
        measures = tuple(f"{criterion}.{each}" for each in MEASURES)  # by its name, so that the first view can have all
        view = self._view(criterion, sites, found, measures, self._items(found))
        return replace(view, finer=f"{criterion}{ANTECEDENTS}")

    def _of_antecedents(self, criterion: Criterion, found: Classified, items: Items | None) -> View:
        """Make the view that tells wrong antecedents apart."""
        values = self._antecedents(found)
        classes = Aspect(found.key, found.runs, CLASSES)
        sites = self._sites(found, values, {"label": classes})
        return self._view(f"{criterion}{ANTECEDENTS}", sites, found, MEASURES, items)

    def _view(self, name: str, sites: Sites, found: Classified, measures: tuple[str, ...], items: Items | None) -> View:
        return View(
            name,
            sites,
            measures,
            given_items=items,
            statistics=self.statistics,
            cuts=CUTS,
            raised=CLASSES[TN],
            kinds="kind",
            chains=self.gathered.chains,
            mention=found.rows,
        )

    def _sites(self, found: Classified, values: Aspect, aspects: dict[str, Aspect]) -> Sites:
        chains, rows = self.gathered.chains, found.rows
        attributes = {name: each.taken(rows) for name, each in self._attributes.items()}
        return Sites(
            chains.document[rows],
            chains.sentence[rows],
            chains.place[rows],
            values.key,
            values.values,
            values.names,
            None,
            attributes,
            aspects,
            chains.width[rows],
        )

    def _items(self, found: Classified) -> Items:
        """Make the items: a key's anaphor, or a mention with a wrong antecedent."""
        chains, count = self.gathered.chains, len(self.gathered.chains) + 1
        positive = np.flatnonzero(found.key == TP)
        wrong = [np.flatnonzero((codes == WL) | (codes == FP)) for codes in found.runs]
        # a site and its antecedent as one number
        pairs = [rows * count + before[rows] for rows, before in zip(wrong, found.antecedent, strict=True)]
        negative = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, np.int64)
        site = np.concatenate([positive, negative // count])
        order = np.lexsort((np.arange(len(site)), site))
        claimed = []
        for codes, mine in zip(found.runs, pairs, strict=True):
            mask = np.concatenate([codes[positive] == TP, np.isin(negative, mine)])
            claimed.append(mask[order])
        site = site[order]
        row = found.rows[site]
        return Items(
            chains.document[row],
            chains.sentence[row],
            chains.place[row],
            self.kinds.kind[row],
            KINDS,
            np.concatenate([np.ones(len(positive), np.bool_), np.zeros(len(negative), np.bool_)])[order],
            tuple(claimed),
            site=site,
        )

    def _antecedents(self, found: Classified) -> Aspect:
        """Name wrong antecedents by where they stand, from the mention on."""
        columns = [TextColumn(_PLAIN_CODE[found.key], _PLAIN)]
        for codes, before in zip(found.runs, found.antecedent, strict=True):
            values = _PLAIN_CODE[codes].astype(np.int64)
            names = list(_PLAIN)
            for kind in (WL, FP):
                rows = np.flatnonzero(codes == kind)
                called = self._naming.names(found.rows[rows], before[rows])
                values[rows] = called.codes + len(names)
                names += [f"{CLASSES[kind]} {name}" for name in called.names]
            columns.append(TextColumn(values, tuple(names)))
        joined, coded = canonical(columns)
        return Aspect(coded[0], tuple(coded[1:]), joined)

    @cached_property
    def _naming(self) -> Naming:
        return Naming(self.gathered)

    @property
    def _attributes(self) -> dict[str, Attribute]:
        """Offer what is known of mentions, for slices and conditions; not kept here, for they keep this ground."""
        chains, kinds = self.gathered.chains, self.kinds
        found = {
            "kind": Attribute("text", lambda: TextColumn(kinds.kind, KINDS).sorted()),
            "text": Attribute("text", self._texts),
            "length": Attribute("number", lambda: chains.width.astype(np.int64)),
            "chain_size": Attribute("number", self._chain_sizes),
            "distance": Attribute("number", self._distances),
        }
        for name, column in self.documents.attributes.items():
            found.setdefault(name, _of_documents(column, chains.document))
        return found

    def _texts(self) -> TextColumn:
        """Return the words of each mention, as they are whatever the responses' words are; none elsewhere."""
        chains, key = self.gathered.chains, self.gathered.placement.ground.key
        texts: list[str | None] = [None] * len(chains)
        rows = np.flatnonzero(self.gathered.inside)
        base = key.row_documents[chains.document[rows]] + chains.place[rows]
        behind = np.minimum(base + chains.width[rows], key.row_documents[chains.document[rows] + 1])
        for row, first, last in zip(rows.tolist(), base.tolist(), behind.tolist(), strict=True):
            texts[row] = _words(key, int(chains.document[row]), first, last)
        return TextColumn.of(texts).sorted()

    def _chain_sizes(self) -> NDArray[np.float64]:
        """Return how many mentions the key's chain of each has; NaN where the key does not have it."""
        key = self.gathered.chains.key
        size = np.append(sizes(key), 0)
        return np.where(key >= 0, size[key], np.nan)

    def _distances(self) -> NDArray[np.float64]:
        """Return how many sentences back the closest antecedent in the key is; NaN where there is none."""
        chains = self.gathered.chains
        before = antecedents(chains.key)
        back = chains.sentence - chains.sentence[np.maximum(before, 0)]
        return np.where(before >= 0, back, np.nan)


def _words(key: Corpus, document: int, first: int, last: int) -> str | None:
    """Return the words from one row of the key to before another, as its text has them."""
    if key.words is None or first >= last:
        return None
    if key.raw is not None:
        return key.raw.documents[document][int(key.raw.begin[first]) : int(key.raw.end[last - 1])]
    return " ".join(key.words[row] for row in range(first, last))


def _of_documents(column: TextColumn, document: NDArray[np.int32]) -> Attribute:
    """Offer what is said of documents; of those that the key does not have nothing is."""

    def make() -> TextColumn:
        values = [*column.values(), None]
        known = np.minimum(document, len(column)).tolist()
        return TextColumn.of([values[number] for number in known])

    return Attribute("text", make)
