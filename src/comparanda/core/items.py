"""Items: the units of precision and recall, by default the labels of sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from comparanda.core.sites import ABSENT, Sites, recode, recode_canonically, sum_by_code, taken_counts
from comparanda.core.text_columns import TextColumn, code_type

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.sites import Folded
    from comparanda.core.text_columns import Codes, Numbers, Rows, Truths

ITEM_STATISTICS = ("credit", "earned", "claimed", "positives")
"""The statistics that are counted from items; all others come from sites or from the evaluation."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcomes:
    """The outcomes of rules for items: for each run a verdict, and the rule that assigned it.

    Args:
        verdict: the codes of the verdicts, for each run.
        verdicts: the verdicts by code; the first is "", for items that a run does not have.
        rule: the codes of the rules, for each run.
        rules: the names of the rules by code; the first is "".
        sources: the component responsible for each verdict, such as "tagger"; "" for verdicts that are not errors. None
            if the rules do not attribute errors.

    """

    verdict: tuple[Codes, ...]
    verdicts: tuple[str, ...]
    rule: tuple[Codes, ...]
    rules: tuple[str, ...]
    sources: tuple[str, ...] | None = None

    def take(self, rows: Rows) -> Outcomes:
        """Select the outcomes of some items."""
        return Outcomes(
            verdict=tuple(each[rows] for each in self.verdict),
            verdicts=self.verdicts,
            rule=tuple(each[rows] for each in self.rule),
            rules=self.rules,
            sources=self.sources,
        )


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class FoldedItems:
    """Items of the key that every run has, stored as counts by document, or unit, and label.

    Args:
        document: the index of each kind's document.
        sentence: the index of a sentence of it.
        label: its label, as a code of the table's names.
        count: the number of items of this kind.
        outcomes: the verdicts of rules, with the names of the table; None where there are no rules.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    label: Codes
    count: NDArray[np.int64]
    outcomes: Outcomes | None = None

    def take(self, kinds: Rows) -> FoldedItems:
        """Select some of the kinds."""
        outcomes = None if self.outcomes is None else self.outcomes.take(kinds)
        count = taken_counts(self.count, kinds)
        return FoldedItems(
            document=self.document[kinds],
            sentence=self.sentence[kinds],
            label=self.label[kinds],
            count=count,
            outcomes=outcomes,
        )

    def kinds(self, names: tuple[str, ...], runs: int) -> Items:
        """Make one item of each kind, whose place is the number of the kind."""
        number, every = np.arange(len(self.label)), np.ones(len(self.label), np.bool_)
        place = number.astype(np.int32)
        claimed = (every,) * runs
        return Items(
            document=self.document,
            sentence=self.sentence,
            place=place,
            label=self.label,
            names=names,
            positive=every,
            claimed=claimed,
            claim=number,
            outcomes=self.outcomes,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Items:
    """The units of precision and recall.

    Args:
        document: the index of each item's document.
        sentence: the index of each item's sentence.
        place: its row in its document.
        label: its label, as a code.
        names: the labels by code, each once.
        positive: whether the key has it; if not, at least one run claims it.
        claimed: for each run, whether it claims the item, or how often.
        credit: for each run, the credit for a positive item, in [0, 1]; None where a claim gets full credit.
        earned: for each run, the value of its claims; None where that equals the credit.
        weight: for each run, the weight of a positive item; None where all weights are one.
        claim: the span of the view's claims that the item corresponds to; None where there are no spans.
        outcomes: the verdicts of rules; None where there are no rules.
        by_run: for each run the span by which it claims the item, -1 for none; None where that is `claim` for all.
        site: the number of the item's site, where both sites and items are given; else None.
        folded: further items of the key that every run has, stored as counts; None where there are none. They
            have no rows here, but are included in the length of the table.

    """

    document: NDArray[np.int32]
    sentence: NDArray[np.int32]
    place: NDArray[np.int32]
    label: Codes
    names: tuple[str, ...]
    positive: Truths
    claimed: tuple[Numbers | Truths, ...]
    credit: tuple[NDArray[np.float64], ...] | None = None
    earned: tuple[NDArray[np.float64], ...] | None = None
    weight: tuple[NDArray[np.float64], ...] | None = None
    claim: Rows | None = None
    outcomes: Outcomes | None = None
    by_run: tuple[Rows, ...] | None = None
    site: Rows | None = None
    folded: FoldedItems | None = None

    def __len__(self) -> int:
        return self.rows + (0 if self.folded is None else int(self.folded.count.sum()))

    @property
    def rows(self) -> int:
        """The number of items that are stored as rows."""
        return len(self.label)

    @cached_property
    def positives(self) -> NDArray[np.int64]:
        """The number of items of the key with each label."""
        found = np.bincount(self.label[self.positive], minlength=len(self.names))
        return (
            found if self.folded is None else found + sum_by_code(self.folded.label, self.folded.count, len(self.names))
        )

    def take(self, rows: Rows) -> Items:
        """Select items by row."""
        return Items(
            document=self.document[rows],
            sentence=self.sentence[rows],
            place=self.place[rows],
            label=self.label[rows],
            names=self.names,
            positive=self.positive[rows],
            claimed=tuple(claimed[rows] for claimed in self.claimed),
            credit=None if self.credit is None else tuple(credit[rows] for credit in self.credit),
            earned=None if self.earned is None else tuple(earned[rows] for earned in self.earned),
            weight=None if self.weight is None else tuple(weight[rows] for weight in self.weight),
            claim=None if self.claim is None else self.claim[rows],
            outcomes=None if self.outcomes is None else self.outcomes.take(rows),
            by_run=None if self.by_run is None else tuple(each[rows] for each in self.by_run),
            site=None if self.site is None else self.site[rows],
        )

    def of_sites(self, rows: Rows, count: int) -> Items:
        """Select the items at some of `count` sites, given by number, and renumber these sites."""
        if self.site is None:
            raise AssertionError("these items have no sites")
        number = np.full(count, -1, np.int64)
        number[rows] = np.arange(len(rows))
        kept = np.flatnonzero(number[self.site] >= 0)
        return replace(self, site=number[self.site]).take(kept)

    def of_runs(self, runs: Sequence[int]) -> Truths:
        """Whether each item is in the key or is claimed by at least one of the given runs."""
        found = self.positive.copy()
        for run in runs:
            found |= self.claimed[run] > 0
        return found

    def at_sites(self, sites: Sites) -> Items:
        """Select the items that are at the places of some sites."""
        return self.take(np.flatnonzero(at_places(self, sites)))

    def of_claims(self, rows: Rows, count: int) -> Items:
        """Select the items of some of `count` claims, given by number, and renumber these claims.

        An item that is claimed by different spans is retained as long as one of these is.
        """
        if self.claim is None:
            raise AssertionError("these items are not spans")
        number = np.full(count + 1, -1, np.int64)  # the last place is for claims that no run has
        number[rows] = np.arange(len(rows))
        by_run = None if self.by_run is None else tuple(number[each] for each in self.by_run)
        claim = number[self.claim]
        for each in by_run or ():
            claim = np.where(claim < 0, each, claim)
        kept = np.flatnonzero(claim >= 0)
        return replace(self, claim=claim, by_run=by_run).take(kept)

    def credit_of(self, run: int) -> NDArray[np.float64]:
        """Return the credit of a run for each item; zero for negative ones."""
        if self.credit is not None:
            return self.credit[run]
        return (self.claimed[run] * self.positive).astype(np.float64)

    def earned_of(self, run: int) -> NDArray[np.float64]:
        """Return the value of a run's claims of each item."""
        return self.credit_of(run) if self.earned is None else self.earned[run]

    def weights(self, run: int) -> NDArray[np.float64]:
        """Return the weight of each item of the key for a run; zero for negative items."""
        if self.weight is None:
            return self.positive.astype(np.float64)
        return self.weight[run] * self.positive

    def counts(self, run: int) -> Truths:
        """Whether each item is in the key and counts for a run."""
        return self.positive if self.weight is None else self.positive & (self.weight[run] > 0)

    def has(self, run: int) -> Truths:
        """Whether a run gets any credit for each item of the key, or claims a negative item and earns nothing."""
        claimed: Truths = np.greater(self.claimed[run], 0)
        if self.credit is None and self.earned is None:
            return claimed
        return np.where(self.positive, self.credit_of(run) > 0, claimed & (self.earned_of(run) == 0))

    def is_plain(self, run: int) -> bool:
        """Whether a run's items are binary: without partial credit, and with weights of one or zero only."""
        if self.credit is None and self.earned is None and self.weight is None:
            return self.claimed[run].dtype == np.bool_
        counting, has = self.counts(run), self.has(run)
        return (
            np.array_equal(self.weights(run), counting)
            and np.array_equal(self.credit_of(run), counting & has)
            and np.array_equal(self.earned_of(run), self.credit_of(run))
            and np.array_equal(self.claimed[run], has & (counting | ~self.positive))
        )


def at_places(table: Sites | Items, others: Sites | Items) -> Truths:
    """Whether each row of a table is at the place of some row of another table."""
    mine, theirs = (each.document.astype(np.int64) << 32 | each.place for each in (table, others))
    return np.isin(mine, theirs)


def items_of_sites(sites: Sites) -> Items:
    """Make items from the values of sites: each label of the key is positive, each wrong label claimed is negative.

    Where values have an aspect `label`, an item is a pair of site and value, with the value's label.
    """
    coded = _encode_values(sites) if sites.parts is None else _encode_labels(sites)
    surplus = _sorted_unique([pairs for pairs, _ in coded.wrong])
    where_key = np.arange(len(coded.key[0])) + np.searchsorted(surplus, coded.key[0])
    where_surplus = np.arange(len(surplus)) + np.searchsorted(coded.key[0], surplus)
    table = np.empty(len(where_key) + len(where_surplus), np.int64)
    table[where_key], table[where_surplus] = coded.key[0], surplus
    label = np.zeros(len(table), code_type(len(coded.names)))
    claimed = []
    for found, (pairs, labels) in zip(coded.found, coded.wrong, strict=True):
        mask = np.zeros(len(table), dtype=np.bool_)
        places = where_surplus[np.searchsorted(surplus, pairs)]
        mask[where_key] = found
        mask[places], label[places] = True, labels
        claimed.append(mask)
    positive = np.zeros(len(table), np.bool_)
    positive[where_key], label[where_key] = True, coded.key[1]
    site = table // coded.width
    return Items(
        document=sites.document[site],
        sentence=sites.sentence[site],
        place=sites.place[site],
        label=label,
        names=coded.names,
        positive=positive,
        claimed=tuple(claimed),
        folded=None if sites.folded is None else _make_folded_items(sites.folded, coded.names),
    )


def _make_folded_items(folded: Folded, names: tuple[str, ...]) -> FoldedItems:
    """Make the items of sites that are stored as counts: each label of each kind of site."""
    sites = folded.sites
    code_of = {name: code for code, name in enumerate(names)}
    labels = [(name,) for name in sites.labels.names] if sites.parts is None else sites.parts
    flat = np.array([code_of.get(name, -1) for each in labels for name in each], np.int64)
    offsets = np.cumsum([0, *map(len, labels)])
    codes = sites.labels.key if sites.parts is None else sites.key
    row, label = _expand_labels(np.arange(sites.rows), codes, offsets, flat)
    there = label >= 0  # an absent value is no item
    row = row[there]
    kind = code_type(len(names))
    return FoldedItems(
        document=sites.document[row],
        sentence=sites.sentence[row],
        label=label[there].astype(kind),
        count=folded.count[row],
    )


def _sorted_unique(parts: Sequence[Rows]) -> Rows:
    """Return the sorted distinct numbers of several columns; sorting is many times faster than `np.unique` here."""
    table = np.sort(np.concatenate(parts))
    return table[np.flatnonzero(np.diff(table, prepend=-1))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CodedClaims:
    """The claims of the key and of each run: pairs (site, value or label) as sorted integers, with their labels.

    Args:
        names: the labels by code.
        width: the number of values or labels; a pair is `site * width + code`.
        key: the pairs of the key.
        found: for each run, whether it has each pair of the key.
        wrong: for each run, its pairs that are not in the key.

    """

    names: tuple[str, ...]
    width: int
    key: tuple[Rows, Codes]
    found: Sequence[Truths]
    wrong: Sequence[tuple[Rows, Codes]]


def _encode_values(sites: Sites) -> _CodedClaims:
    """Encode values, one item per site; absent values are not items. Wrong values are few and processed separately."""
    labels, width = sites.labels, max(len(sites.names), 1)
    absent = sites.names.index(ABSENT) if ABSENT in sites.names else -1
    names = tuple(name for name in labels.names if name != ABSENT)
    code = np.cumsum([name != ABSENT for name in labels.names]) - 1  # under codes without it
    there = np.flatnonzero(sites.key != absent) if absent >= 0 else np.arange(sites.rows)
    wrong = []
    for values, called, right in zip(sites.values, labels.values, sites.right, strict=True):
        rows = np.flatnonzero(~right & (values != absent)) if absent >= 0 else np.flatnonzero(~right)
        wrong.append((rows * width + values[rows], code[called[rows]]))
    key = there * width + sites.key[there], code[labels.key[there]]
    return _CodedClaims(names=names, width=width, key=key, found=[right[there] for right in sites.right], wrong=wrong)


def _encode_labels(sites: Sites) -> _CodedClaims:
    """Encode sets of labels, one item per label."""
    parts = sites.parts or ()
    labels = tuple(sorted({label for part in parts for label in part}))
    code_of = {label: code for code, label in enumerate(labels)}
    offsets = np.cumsum([0, *(len(part) for part in parts)])
    flat = np.array([code_of[label] for part in parts for label in part], dtype=np.int64)
    width = max(len(labels), 1)
    sides = []
    for values in (sites.key, *sites.values):
        site, label = _expand_labels(np.arange(len(values)), values, offsets, flat)
        order = np.argsort(site * width + label)
        sides.append(((site * width + label)[order], label[order]))
    key, *runs = sides
    found = [np.isin(key[0], pairs) for pairs, _ in runs]
    surplus = [~np.isin(pairs, key[0]) for pairs, _ in runs]
    wrong = [(pairs[rows], label[rows]) for (pairs, label), rows in zip(runs, surplus, strict=True)]
    return _CodedClaims(names=labels, width=width, key=key, found=found, wrong=wrong)


def _expand_labels(rows: Rows, values: Codes, offsets: Rows, flat: Rows) -> tuple[Rows, Rows]:
    """Repeat each row once for each label of its value."""
    sizes = np.diff(offsets)[values]
    begin = np.repeat(offsets[:-1][values], sizes)
    within = np.arange(len(begin)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(rows, sizes), flat[begin + within]


def joined_items(tables: Sequence[Items], claims: Sequence[int] = ()) -> Items:
    """Concatenate tables of items; `claims` gives the number of claims that precede those of each table."""
    names, labels = recode_canonically([TextColumn(table.label, table.names) for table in tables])
    runs = range(len(tables[0].claimed))

    def credits(name: str) -> tuple[NDArray[np.float64], ...] | None:
        if all(getattr(table, name) is None for table in tables):
            return None
        give = Items.credit_of if name == "credit" else Items.earned_of
        return tuple(np.concatenate([give(table, run) for table in tables]) for run in runs)

    weighted = any(table.weight is not None for table in tables)
    known = [table.claim + shift for table, shift in zip(tables, claims, strict=False) if table.claim is not None]
    ruled = [table.outcomes for table in tables if table.outcomes is not None]
    outcomes = _concatenate_outcomes(ruled) if len(ruled) == len(tables) else None
    return Items(
        document=np.concatenate([table.document for table in tables]),
        sentence=np.concatenate([table.sentence for table in tables]),
        place=np.concatenate([table.place for table in tables]),
        label=np.concatenate(labels),
        names=names,
        positive=np.concatenate([table.positive for table in tables]),
        claimed=tuple(np.concatenate([table.claimed[run] for table in tables]) for run in runs),
        credit=credits("credit"),
        earned=credits("earned"),
        weight=tuple(np.concatenate([table.weights(run) for table in tables]) for run in runs) if weighted else None,
        claim=np.concatenate(known) if len(known) == len(tables) else None,
        outcomes=outcomes,
        by_run=_concatenate_claims(tables, claims),
        site=np.concatenate([table.site for table in tables if table.site is not None])
        if tables[0].site is not None
        else None,
        folded=_concatenate_folded(tables, names, outcomes),
    )


def _concatenate_folded(
    tables: Sequence[Items], names: tuple[str, ...], outcomes: Outcomes | None
) -> FoldedItems | None:
    """Concatenate the items that are stored as counts, with the common names of labels, verdicts and rules."""
    known = [(table.names, table.folded) for table in tables if table.folded is not None]
    if not known:
        return None
    found = [folded for _, folded in known]
    if outcomes is not None:
        known_outcomes = [each.outcomes for each in found if each.outcomes is not None]
        outcomes = replace(
            outcomes,
            verdict=_concatenate_recoded(outcomes.verdicts, [(each.verdict, each.verdicts) for each in known_outcomes]),
            rule=_concatenate_recoded(outcomes.rules, [(each.rule, each.rules) for each in known_outcomes]),
        )
    return FoldedItems(
        document=np.concatenate([each.document for each in found]),
        sentence=np.concatenate([each.sentence for each in found]),
        label=np.concatenate([recode(each.label, mine, names) for mine, each in known]),
        count=np.concatenate([each.count for each in found]),
        outcomes=outcomes,
    )


def _concatenate_recoded(
    names: tuple[str, ...], tables: Sequence[tuple[tuple[Codes, ...], tuple[str, ...]]]
) -> tuple[Codes, ...]:
    """Concatenate the columns of each run, recoded to the given names."""
    runs = range(len(tables[0][0]))
    return tuple(np.concatenate([recode(columns[run], mine, names) for columns, mine in tables]) for run in runs)


def _concatenate_claims(tables: Sequence[Items], claims: Sequence[int]) -> tuple[Rows, ...] | None:
    """Concatenate the spans by which runs claim items; None if no table has them."""
    if all(table.by_run is None for table in tables):
        return None
    runs: list[list[Rows]] = [[] for _ in tables[0].claimed]
    for table, shift in zip(tables, claims, strict=False):
        for run, column in enumerate(runs):
            mine = table.claim if table.by_run is None else table.by_run[run]
            assert mine is not None
            column.append(np.where(mine >= 0, mine + shift, mine))
    return tuple(np.concatenate(column) for column in runs)


def _concatenate_outcomes(tables: Sequence[Outcomes]) -> Outcomes:
    verdicts, verdict = _concatenate_codes([(each.verdict, each.verdicts) for each in tables])
    rules, rule = _concatenate_codes([(each.rule, each.rules) for each in tables])
    by_verdict = [dict(zip(each.verdicts, each.sources, strict=True)) for each in tables if each.sources is not None]
    known = {verdict: source for each in by_verdict for verdict, source in each.items()}
    return Outcomes(
        verdict=verdict,
        verdicts=verdicts,
        rule=rule,
        rules=rules,
        sources=tuple(known[name] for name in verdicts) if known else None,
    )


def _concatenate_codes(
    tables: Sequence[tuple[tuple[Codes, ...], tuple[str, ...]]],
) -> tuple[tuple[str, ...], tuple[Codes, ...]]:
    """Recode the columns of all runs to one table of names, and concatenate those of each run."""
    runs, size = range(len(tables[0][0])), len(tables)
    names, codes = recode_canonically([TextColumn(columns[run], names) for run in runs for columns, names in tables])
    return names, tuple(np.concatenate(codes[run * size : (run + 1) * size]) for run in runs)
