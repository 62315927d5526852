"""Two systems crossed at the overlap sites of the key and these two alone, without making their values.

Two sides have the same value at a site if they have every span of it equally often. So whether they agree is told by
comparing counts of spans; what they say there is written only for the sites of a transition that somebody asks for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.comparison.crossing import Crossed, kinds_of_change
from comparanda.site_values import Placed, values_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.claims import Claims
    from comparanda.columns import Rows, Truths
    from comparanda.sites import Aspect


_NONE = np.zeros((0, 4), np.int64)


class SpanCrossing:
    """The overlap sites of the key and some runs. At those of spans that everybody has, nothing differs.

    Args:
        claims: all spans of a view.
        runs: the runs whose spans, beside the key's, make the sites.

    """

    def __init__(self, claims: Claims, runs: Sequence[int]) -> None:
        self._claims, self._runs = claims, runs
        self.rows = claims.present(runs)
        self.site = claims.components(self.rows)
        self._count = int(self.site.max(initial=-1)) + 1
        self._agreed = 0 if claims.agreed is None else len(claims.agreed)
        self._sides = {run: claims.runs[run][self.rows] for run in runs}
        self._key = claims.key[self.rows]

    @property
    def count(self) -> int:
        """How many sites there are, those of spans that everybody has among them."""
        return self._count + self._agreed

    def _at_sites(self, rows: Truths) -> Truths:
        """Whether anything is so at each site."""
        found = np.zeros(self._count, np.bool_)
        found[self.site[rows]] = True
        return found

    @cached_property
    def _wrong(self) -> dict[int, Truths]:
        """Whether each run is wrong at each site."""
        return {run: self._at_sites(self._key != side) for run, side in self._sides.items()}

    def differs(self, first: int, second: int) -> Truths:
        """Whether two runs say something else at each site."""
        return self._at_sites(self._sides[first] != self._sides[second])

    def crossed(self, first: int, second: int, *, kinds: bool) -> Crossed:
        """Cross two runs; kinds of change only if they are asked for."""
        mine, theirs, differs = self._wrong[first], self._wrong[second], self.differs(first, second)
        classes = mine & ~theirs, ~mine & theirs, mine & theirs & differs
        corrections, new_errors, changed = (int(each.sum()) for each in classes)
        right, both = int((~mine & ~theirs).sum()) + self._agreed, int((mine & theirs).sum())
        one, two, three = (self._kinds(each, first, second) if kinds else _NONE for each in classes)
        return Crossed(right, corrections, new_errors, changed, both - changed, (one, two, three))

    def _kinds(self, sites: Truths, first: int, second: int) -> NDArray[np.int64]:
        """Count the kinds of change at some sites, all of one class."""
        labels = self.labels
        rows = self._place[sites]
        return kinds_of_change(
            labels.key[rows], labels.values[first][rows], labels.values[second][rows], len(labels.names)
        )

    @cached_property
    def _contested(self) -> Truths:
        """Whether at least one of the runs is wrong at each site."""
        found: Truths = np.logical_or.reduce([self._wrong[run] for run in self._runs])
        return found

    @cached_property
    def _place(self) -> Rows:
        """The number of each site among the contested ones."""
        return np.cumsum(self._contested) - 1

    @cached_property
    def labels(self) -> Aspect:
        """The labels that the key and the runs have at contested sites."""
        chosen = self._contested[self.site]
        rows, site = self.rows[chosen], self._place[self.site[chosen]]
        claims = self._claims

        def spans(here: slice) -> NDArray[np.int64]:
            """Return spans whose labels alone are known."""
            labels = claims.label[rows[here]].astype(np.int64)
            nothing = np.zeros_like(labels)
            return np.stack([nothing, nothing, nothing, labels])

        nobody = np.zeros(len(rows), np.int32)
        sides = [
            claims.key[rows],
            *(each[rows] if run in self._runs else nobody for run, each in enumerate(claims.runs)),
        ]
        contested = Placed(spans, site, int(self._contested.sum()), sides)
        return values_at([contested], claims.names, {}, ("label",))[0]["label"]

    def first_rows(self) -> Rows:
        """Return the first span of each site but those of spans that everybody has."""
        return self.rows[np.unique(self.site, return_index=True)[1]]
