"""What speaks against the key: runs that agree with each other and not with it, and what it has and no run finds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.comparison.context import Context
from comparanda.expressions import quote
from comparanda.expressions.parsing import LONGEST
from comparanda.sites import majority_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Codes, Rows
    from comparanda.items import Items
    from comparanda.sites import Sites

UNFOUND_ITEMS = "positive and claimed_by == 0"
UNFOUND_SITES = "solved_by == 0"

_MOST_GROUPS = 500  # named in one condition


@dataclass(frozen=True, eq=False, slots=True)
class Unfound:
    """What the key has and no run finds: the site and the label of each, for those that stand at sites which count."""

    of: Literal["sites", "items"]
    count: int
    where: str
    site: Rows
    label: Codes
    names: tuple[str, ...]


def unfound_in(context: Context) -> Unfound:
    """Find what the key has and nobody finds: where sites have one value each, these are the sites nobody solves."""
    view, sites = context.view, context.sites
    if view.given_items is None and sites.parts is None:
        rows = sites.contested[~np.any(sites.disputed.right, axis=0)]
        return Unfound("sites", len(rows), UNFOUND_SITES, rows, sites.labels.key[rows], sites.labels.names)
    items, runs = view.items, range(len(context.verdicts.runs))
    counting = np.any([items.counts(run) for run in runs], axis=0)
    missing = np.flatnonzero(counting & ~np.any([items.has(run) for run in runs], axis=0))
    site = _sites_of(context, items)[missing]
    there = np.flatnonzero(site >= 0)
    return Unfound("items", len(missing), UNFOUND_ITEMS, site[there], items.label[missing[there]], items.names)


def _sites_of(context: Context, items: Items) -> Rows:
    """Return the site at which each item stands; -1 for none of those that count."""
    claims, sites = context.view.claims, context.sites
    if claims is not None and items.claim is not None:
        return claims.site[items.claim]
    if items.site is not None:
        return items.site
    mine, theirs = (each.document.astype(np.int64) << 32 | each.place for each in (items, sites))
    order = np.argsort(theirs)
    place = np.minimum(np.searchsorted(theirs, mine, sorter=order), len(order) - 1)
    return np.where(theirs[order[place]] == mine, order[place], -1) if len(order) else np.full(len(mine), -1)


@dataclass(frozen=True, eq=False, slots=True)
class Votes:
    """What runs say against the key at some contested sites.

    Args:
        row: the sites.
        proposed: the most frequent value that is not the key's, as a code; of equal ones the first.
        agree: how many runs give it.
        others: how many further values there are.
        change: the labels of the key and of the proposed value, as one number.

    """

    row: Rows
    proposed: Codes
    agree: NDArray[np.int64]
    others: NDArray[np.int64]
    change: NDArray[np.int64]

    def take(self, rows: Rows) -> Votes:
        """Return the votes at some of the sites."""
        return Votes(self.row[rows], self.proposed[rows], self.agree[rows], self.others[rows], self.change[rows])


def votes_at(sites: Sites, rows: Rows) -> Votes:
    """Return what runs say against the key at some contested sites."""
    values = np.stack([column[rows].astype(np.int64) for column in sites.values])
    right = values == sites.key[rows]
    apart = len(sites.names) + np.arange(len(values))[:, None]  # the right ones agree with nobody, and win no tie
    votes, proposed = majority_of(list(np.where(right, apart, values)))
    ordered = np.sort(values, axis=0)
    others = np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)
    voter = np.argmax(values == proposed, axis=0)
    labels = np.stack([column[rows].astype(np.int64) for column in sites.labels.values])[voter, np.arange(len(rows))]
    agree = votes.astype(np.int64)
    return Votes(rows, proposed, agree, others, sites.labels.key[rows] * np.int64(len(sites.labels.names)) + labels)


def agreed_condition(runs: Sequence[str], needed: int) -> str | None:
    """Write the condition that at least so many runs agree with each other against the key.

    More than half of them are the majority. Else the condition names all groups that may agree, if these are few.
    """
    if 2 * needed > len(runs):
        return f"agreement >= {needed} and not majority_right"
    if needed == 1:
        return f"solved_by < {len(runs)}"
    if comb(len(runs), needed) > _MOST_GROUPS:
        return None
    groups = []
    for group in combinations(map(quote, runs), needed):
        same = (f"value({one}) == value({two})" for one, two in pairwise(group))
        groups.append(" and ".join([f"not right({group[0]})", *same]))
    condition = " or ".join(groups)
    return condition if len(condition) <= LONGEST else None
