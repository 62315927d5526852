"""Likely errors of the key: runs agree with each other against it, or none finds its annotation (DEFINITIONS 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.sites import ABSENT, NOTHING, format_value, majority_of
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError
from comparanda.expressions import quote_string
from comparanda.expressions.parser import LONGEST
from comparanda.findings.context import Context, is_value
from comparanda.render.finding import Finding
from comparanda.render.table import Field, Table, cut_rows, format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.core.items import Items
    from comparanda.core.sites import Sites
    from comparanda.core.text_columns import Codes, Rows, Truths


# Evidence against the key: runs that agree with each other but not with it, and annotations that no run finds.


UNFOUND_ITEMS = "positive and claimed_by == 0"
UNFOUND_SITES = "solved_by == 0"

_MAX_GROUPS = 500  # the largest number of groups named in one condition


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Unfound:
    """Annotations of the key that no run finds: the site and the label of each, for those at scored sites."""

    of: Literal["sites", "items"]
    count: int
    where: str
    site: Rows
    label: Codes
    names: tuple[str, ...]


def unfound_in(context: Context) -> Unfound:
    """Find the annotations of the key that no run finds: where sites have one value each, the unsolved sites."""
    view, sites = context.view, context.sites
    if view.given_items is None and sites.parts is None:
        rows = sites.contested[~np.any(sites.disputed.right, axis=0)]
        return Unfound(
            of="sites",
            count=len(rows),
            where=UNFOUND_SITES,
            site=rows,
            label=sites.labels.key[rows],
            names=sites.labels.names,
        )
    items, runs = view.items, range(len(context.verdicts.runs))
    counting = np.any([items.counts(run) for run in runs], axis=0)
    missing = np.flatnonzero(counting & ~np.any([items.has(run) for run in runs], axis=0))
    site = _item_sites(context, items)[missing]
    there = np.flatnonzero(site >= 0)
    return Unfound(
        of="items",
        count=len(missing),
        where=UNFOUND_ITEMS,
        site=site[there],
        label=items.label[missing[there]],
        names=items.names,
    )


def _item_sites(context: Context, items: Items) -> Rows:
    """Return the site of each item; -1 if it is at no scored site."""
    claims, sites = context.view.claims, context.sites
    if claims is not None and items.claim is not None:
        return claims.site[items.claim]
    if items.site is not None:
        return items.site
    mine, theirs = (each.document.astype(np.int64) << 32 | each.place for each in (items, sites))
    order = np.argsort(theirs)
    place = np.minimum(np.searchsorted(theirs, mine, sorter=order), len(order) - 1)
    return np.where(theirs[order[place]] == mine, order[place], -1) if len(order) else np.full(len(mine), -1)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Votes:
    """The votes of runs against the key at contested sites.

    Args:
        row: the sites.
        proposed: the most frequent value that is not the key's, as a code; the first in ties.
        agree: the number of runs that give it.
        others: the number of further values.
        change: the labels of the key and of the proposed value, packed into one number.

    """

    row: Rows
    proposed: Codes
    agree: NDArray[np.int64]
    others: NDArray[np.int64]
    change: NDArray[np.int64]

    def take(self, rows: Rows) -> Votes:
        """Return the votes at the given sites."""
        return Votes(
            row=self.row[rows],
            proposed=self.proposed[rows],
            agree=self.agree[rows],
            others=self.others[rows],
            change=self.change[rows],
        )


def votes_at(sites: Sites, rows: Rows) -> Votes:
    """Count the votes of runs against the key at contested sites."""
    values = np.stack([column[rows].astype(np.int64) for column in sites.values])
    right = values == sites.key[rows]
    apart = len(sites.names) + np.arange(len(values))[:, None]  # right values agree with no run and win no tie
    votes, proposed = majority_of(list(np.where(right, apart, values)))
    ordered = np.sort(values, axis=0)
    others = np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)
    voter = np.argmax(values == proposed, axis=0)
    labels = np.stack([column[rows].astype(np.int64) for column in sites.labels.values])[voter, np.arange(len(rows))]
    agree = votes.astype(np.int64)
    return Votes(
        row=rows,
        proposed=proposed,
        agree=agree,
        others=others,
        change=sites.labels.key[rows] * np.int64(len(sites.labels.names)) + labels,
    )


def agreed_condition(runs: Sequence[str], needed: int) -> str | None:
    """Write the condition that at least `needed` runs agree with each other against the key.

    More than half of them are the majority. Otherwise the condition names all groups that may agree, if these are few.
    """
    if 2 * needed > len(runs):
        return f"agreement >= {needed} and not majority_right"
    if needed == 1:
        return f"solved_by < {len(runs)}"
    if comb(len(runs), needed) > _MAX_GROUPS:
        return None
    groups = []
    for group in combinations(map(quote_string, runs), needed):
        same = (f"value({one}) == value({two})" for one, two in pairwise(group))
        groups.append(" and ".join([f"not right({group[0]})", *same]))
    condition = " or ".join(groups)
    return condition if len(condition) <= LONGEST else None


Kind = Literal["agreed", "found by none", "both"]

_IDENTIFYING_ATTRIBUTES = ("id", "word", "text")  # attributes that identify a site in its document, the best first


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A site at which the key may be wrong.

    Args:
        rank: its rank, from 1.
        document: the name of its document.
        place: file and line in the key.
        begin: where it begins in its document, in rows or, for spans, in the unit of their offsets.
        end: where it ends.
        before: the words of the sentence before it.
        word: its words.
        after: the words after it.
        key: the key's value.
        proposed: the most frequent value among the runs that do not agree with the key.
        agree: the number of runs that give it.
        of: the number of runs.
        others: the number of further values that runs give, including the key's.
        alike: the number of suspect sites at which this label is proposed in place of this label of the key.
        alike_share: their share of all sites with this label of the key.
        kind: whether enough runs agree against the key, no run finds an annotation of it, or both.
        unfound: the labels of the annotations of the key that no run finds.
        where: the condition that selects it, by document, word and value; equal sites there are selected with it.

    """

    rank: int
    document: str
    place: str | None
    begin: int
    end: int
    before: str
    word: str
    after: str
    key: str
    proposed: str
    agree: int
    of: int
    others: int
    alike: int
    alike_share: float
    kind: Kind
    unfound: tuple[str, ...]
    where: str


@dataclass(frozen=True)
class SuspectCount:
    """The number of sites or items that are suspect for one reason, and the condition that selects them.

    The condition is None where it would be too long: if at most half of many runs must agree.
    """

    of: Literal["sites", "items"]
    count: int
    where: str | None


@dataclass(frozen=True, kw_only=True)
class Suspects(Finding):
    """Sites at which the key may be wrong, the most suspect first.

    Sites at which more runs agree come first; then those at which they agree on a value rather than on an empty one;
    then those with fewer other answers; then those at which the change of labels is rarer among the sites with that
    label of the key: a change that runs make at many of them is more likely a systematic error of the runs than an
    error of the key. Ties are ordered by the names of documents, and within these by position or the ids of rows.

    Args:
        view: the view.
        runs: the runs; each has a vote.
        at_least: the number of runs that must agree.
        sites: the total number of sites.
        count: the number of suspect sites.
        agreed: the sites at which at least that many runs agree with each other against the key.
        unfound: the annotations of the key that no run finds.
        suspects: the suspect sites.

    """

    json_name = "suspects"

    view: str
    runs: tuple[str, ...]
    at_least: int
    sites: int
    count: int
    agreed: SuspectCount
    unfound: SuspectCount
    suspects: tuple[Suspect, ...]

    def tables(self, top: int | None = None) -> tuple[Table, ...]:
        """Return the tables, the long ones cut to the `top` first rows."""
        return suspect_tables(self, top)


def find_suspects(context: Context, at_least: int | None = None, top: int = 0) -> Suspects:
    """List the sites at which the key may be wrong, all of them or the first `top`."""
    runs, sites = context.verdicts.runs, context.sites
    needed = len(runs) if at_least is None else at_least
    if not 1 <= needed <= len(runs):
        hint = f"give a number from 1 to {len(runs)}, the number of runs"
        raise UsageError(f"{needed} runs cannot agree", hint=hint)
    unfound = unfound_in(context)
    wrong = len(runs) - np.sum(sites.disputed.right, axis=0, dtype=np.int64)
    missed = np.isin(sites.contested, unfound.site)
    votes = votes_at(sites, sites.contested[missed | (wrong >= needed)])
    agreed = votes.agree >= needed
    votes = votes.take(np.flatnonzero(agreed | np.isin(votes.row, unfound.site)))
    ranked = votes.take(np.lexsort(_sort_keys(context, votes)))
    return Suspects(
        view=context.view.name,
        runs=runs,
        at_least=needed,
        sites=len(sites),
        count=len(ranked.row),
        agreed=SuspectCount("sites", int(agreed.sum()), agreed_condition(runs, needed)),
        unfound=SuspectCount(unfound.of, unfound.count, unfound.where),
        suspects=_RowWriter(context, unfound, needed).rows(ranked, top),
    )


def _sort_keys(context: Context, votes: Votes) -> tuple[NDArray[np.generic], ...]:
    """Return the sort keys of suspects, the primary key last."""
    sites, names = context.sites, context.verdicts.documents
    rank = np.empty(len(names), np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return (
        _site_order(sites)[votes.row],
        rank[sites.document[votes.row]],
        _count_alike(sites, votes)[1],
        votes.others,
        _is_empty_value(sites)[votes.proposed],
        -votes.agree,
    )


def _site_order(sites: Sites) -> NDArray[np.integer]:
    """Return the sort key of sites in a document: ids if there are any, as row order is then arbitrary; else places."""
    ids = sites.attributes.get("id")
    column = ids.make() if ids is not None else None
    return column.codes if isinstance(column, TextColumn) else sites.place


def _count_alike(sites: Sites, votes: Votes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count how often each change of labels occurs, and its share of all sites with that label of the key."""
    _, which, counts = np.unique(votes.change, return_inverse=True, return_counts=True)
    return counts[which], counts[which] / sites.key_counts[sites.labels.key[votes.row]]


def _is_empty_value(sites: Sites) -> Truths:
    """Whether each value is empty: no span, no word, no label."""
    empty = [name in {ABSENT, NOTHING} for name in sites.names]
    if sites.parts is not None:
        empty = [not part for part in sites.parts]
    return np.array(empty, np.bool_)


class _RowWriter:
    """Makes the rows of the finding; shared data is computed once."""

    def __init__(self, context: Context, unfound: Unfound, needed: int) -> None:
        self.context, self.needed = context, needed
        self.unfound: dict[int, list[str]] = {}
        for site, label in zip(unfound.site.tolist(), unfound.label.tolist(), strict=True):
            self.unfound.setdefault(site, []).append(format_value(unfound.names[label]))
        self.begin, self.end = _site_extents(context)

    def rows(self, votes: Votes, top: int) -> tuple[Suspect, ...]:
        """Make the first rows, or all."""
        counts, shares = _count_alike(self.context.sites, votes)
        chosen = range(min(top, len(votes.row)) if top else len(votes.row))
        return tuple(self._row(votes, place, int(counts[place]), float(shares[place])) for place in chosen)

    def _row(self, votes: Votes, place: int, alike: int, alike_share: float) -> Suspect:
        sites, verdicts, row = self.context.sites, self.context.verdicts, int(votes.row[place])
        document, width = int(sites.document[row]), 1 if sites.width is None else int(sites.width[row])
        excerpt = verdicts.texts.excerpt(document, int(sites.place[row]), width)
        agree, unfound = int(votes.agree[place]), tuple(sorted(self.unfound.get(row, ())))
        return Suspect(
            rank=place + 1,
            document=verdicts.documents[document],
            place=excerpt.places.get("key") if excerpt else None,
            begin=int(self.begin[row]),
            end=int(self.end[row]),
            before=excerpt.before if excerpt else "",
            word=excerpt.word if excerpt else "",
            after=excerpt.after if excerpt else "",
            key=format_value(sites.names[int(sites.key[row])]),
            proposed=format_value(sites.names[int(votes.proposed[place])]),
            agree=agree,
            of=len(verdicts.runs),
            others=int(votes.others[place]),
            alike=alike,
            alike_share=alike_share,
            kind="found by none" if agree < self.needed else "both" if unfound else "agreed",
            unfound=unfound,
            where=self._condition(row),
        )

    def _condition(self, row: int) -> str:
        sites, verdicts = self.context.sites, self.context.verdicts
        solved = sum(bool(right[row]) for right in sites.right)
        conditions = [is_value("document", verdicts.documents[int(sites.document[row])])]
        if self._identifying_column is not None and not self._identifying_column[1].is_missing(row):
            conditions.append(is_value(self._identifying_column[0], self._identifying_column[1][row]))
        key = is_value("key", format_value(sites.names[int(sites.key[row])]))
        return " and ".join([*conditions, key, f"solved_by == {solved}"])

    @cached_property
    def _identifying_column(self) -> tuple[str, TextColumn] | None:
        """The attribute that identifies sites, with its name."""
        attributes = self.context.sites.attributes
        name = next((each for each in _IDENTIFYING_ATTRIBUTES if each in attributes), None)
        column = None if name is None else attributes[name].make()
        return (name, column) if name is not None and isinstance(column, TextColumn) else None


def _site_extents(context: Context) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Return the begin and end of sites: in words or characters for spans, in rows for all others."""
    sites, claims = context.sites, context.view.claims
    if claims is None:
        return sites.place, sites.place + (1 if sites.width is None else sites.width)
    begin, end = np.full(sites.rows, np.iinfo(np.int64).max), np.zeros(sites.rows, np.int64)
    np.minimum.at(begin, claims.site, claims.begin)
    np.maximum.at(end, claims.site, claims.end)
    return begin, end


# Suspects as a table, for reading or for re-annotation.


_SHOWN_SUSPECTS = 20  # the default number of rows

_FIELDS = (
    Field("rank", "rank", "figure"),
    Field("document", "document"),
    Field("place", "place"),
    Field("begin", "begin", "figure"),
    Field("end", "end", "figure"),
    Field("word", "word"),
    Field("key", "key"),
    Field("proposed", "proposed"),
    Field("agree", "agree", "figure"),
    Field("of", "of", "figure"),
    Field("kind", "kind"),
    Field("text", "text"),
    Field("decision", "decision"),
)


def suspect_tables(finding: Suspects, top: int | None) -> tuple[Table, ...]:
    """Return the table of suspects with their texts, and an empty column for an annotator's decision."""
    rows, _ = cut_rows(
        [_row(each) for each in finding.suspects], top=top, usual=_SHOWN_SUSPECTS, one="suspect", many="suspects"
    )
    left = finding.count - len(rows)  # a finding may contain only the first suspects
    notes = (f"… {left:,} more suspect{'' if left == 1 else 's'} (--top 0 for all)",) if left else ()
    title = f"Suspect annotations: {format_count(finding.count, 'site')} of {finding.sites:,}"
    if len(finding.runs) == 1:
        notes = (*notes, "warning: only one run, so these are simply its errors; give several runs to find suspects")
    least = "all" if finding.at_least == len(finding.runs) else f"at least {finding.at_least}"
    return (
        Table(
            name="suspects",
            title=title,
            fields=_FIELDS,
            rows=rows,
            notes=(
                *notes,
                f"{least} of {format_count(len(finding.runs), 'run')} agree with each other against the key: "
                f"{_format_total(finding.agreed)}",
                f"in the key, but found by no run: {_format_total(finding.unfound)}",
                "sorted by how many runs agree; values before empty ones; fewer other answers; rarer changes of labels",
            ),
        ),
    )


def _row(each: Suspect) -> tuple[object, ...]:
    text = " ".join(part for part in (each.before, f"[{each.word}]", each.after) if part)
    return (
        each.rank,
        each.document,
        each.place,
        each.begin,
        each.end,
        each.word,
        each.key,
        each.proposed,
        each.agree,
        each.of,
        each.kind,
        text,
        "",
    )


def _format_total(total: SuspectCount) -> str:
    """Write a count with the condition that selects its sites or items."""
    written = format_count(total.count, total.of.removesuffix("s"))
    return written if total.where is None or not total.count else f"{written} ({total.where})"
