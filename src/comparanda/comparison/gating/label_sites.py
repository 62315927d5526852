"""Which sites have a label in the key, where a key value may be one label, a set of labels or several spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.context import is_value
from comparanda.comparison.labelling import labelling, own_condition
from comparanda.errors import UsageError, nearest
from comparanda.expressions import quote
from comparanda.expressions.parsing import LONGEST
from comparanda.site_values import LINK
from comparanda.sites import NOTHING, shown

if TYPE_CHECKING:
    from comparanda.claims import Claims
    from comparanda.columns import Rows
    from comparanda.sites import Sites
    from comparanda.verdicts import View


@dataclass(frozen=True, slots=True)
class LabelSites:
    """How to find the sites of a label.

    Args:
        column: what conditions call the key's value: `label`, or `key` where values have no labels of their own.
        values: for each label of the key, the values that hold it, as they are shown.
        own: the condition that a site is the key's own, where sites are called by kinds; "" where labels tell it.

    """

    column: str
    values: Mapping[str, tuple[str, ...]]
    own: str = ""

    @property
    def known(self) -> tuple[str, ...]:
        """The labels of the key."""
        return tuple(self.values)

    def names(self, labels: Sequence[str]) -> frozenset[str]:
        """Return the values that hold one of some labels; a label that does not occur is an error."""
        for label in labels:
            if label not in self.values:
                what = f"the label {label!r} does not occur in the key{nearest(label, self.values)}"
                raise UsageError(what, hint=f"labels: {', '.join(self.known[:20])}{' …' * (len(self.known) > 20)}")
        return frozenset(name for label in labels for name in self.values[label])

    def condition(self, kind: str, labels: Sequence[str]) -> str | None:
        """Write the condition that a site is of a kind and has one of some labels; None if that were too long."""
        names = sorted(self.names(labels))
        if not names:
            return kind
        one = is_value(self.column, names[0])
        where = f"{kind} and " + (one if len(names) == 1 else f"{self.column} in [{', '.join(map(quote, names))}]")
        where = f"{where} and {self.own}" if self.own else where
        return where if len(where) <= LONGEST else None


def label_sites(view: View) -> LabelSites:
    """Look up which labels the key has at the sites that count."""
    sites = view.sites
    if view.kinds is not None:
        named = labelling(view)
        kinds = sorted(named.called(code) for code in named.present)
        return LabelSites(view.kinds, {kind: (kind,) for kind in kinds}, own_condition(view))
    there = {code for code, count in enumerate(sites.key_counts.tolist()) if count}
    column = "label" if "label" in sites.aspects else "key"
    held: dict[str, list[str]] = {}
    for code, labels in _labels(view, sites).items():
        if code in there:
            for label in labels:
                held.setdefault(label, []).append(shown(sites.labels.names[code]))
    return LabelSites(column, {label: tuple(held[label]) for label in sorted(held)})


def _labels(view: View, sites: Sites) -> dict[int, set[str]]:
    """Return the labels that each value of the key holds."""
    if view.claims is not None:
        return _labels_of_spans(view.claims, view.all_sites)
    if sites.parts is not None:
        return {code: set(map(shown, parts)) for code, parts in enumerate(sites.parts)}
    return {code: {shown(name)} for code, name in enumerate(sites.labels.names)}


def _labels_of_spans(claims: Claims, sites: Sites) -> dict[int, set[str]]:
    """Return the labels of the key's spans by the code of what they are called together."""
    held: dict[int, set[str]] = {code: {shown(name)} for code, name in enumerate(sites.labels.names) if name == NOTHING}
    rows = np.flatnonzero(claims.key > 0)
    together: Rows = sites.labels.key[claims.site[rows]].astype(np.int64) * len(claims.names) + claims.label[rows]
    if claims.agreed is not None and sites.folded is not None:
        agreed = sites.folded.sites.labels.key.astype(np.int64) * len(claims.names) + claims.agreed.label
        together = np.concatenate([np.unique(together), np.unique(agreed)])
    for packed in np.unique(together).tolist():
        code, label = divmod(packed, len(claims.names))
        held.setdefault(code, set()).add(shown(claims.names[label].partition(LINK)[0]))
    return held
