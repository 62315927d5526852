"""Where the key may be wrong: runs agree with each other against it, or none finds what it has (DEFINITIONS 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.columns import TextColumn
from comparanda.comparison.against_key import Unfound, Votes, agreed_condition, unfound_in, votes_at
from comparanda.comparison.context import Context, is_value
from comparanda.comparison.finding import Finding
from comparanda.errors import UsageError
from comparanda.sites import ABSENT, NOTHING, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Truths
    from comparanda.sites import Sites

Kind = Literal["agreed", "found by none", "both"]

_ANCHORS = ("id", "word", "text")  # what a site is recognised by in its document, the best first


@dataclass(frozen=True)
class Suspect:
    """A site at which the key may be wrong.

    Args:
        rank: its rank, from 1.
        document: the name of its document.
        place: file and line in the key.
        begin: where it begins in its document, in rows or, for spans, in the positions that their ends are counted in.
        end: where it ends.
        before: the words of the sentence before it.
        word: its words.
        after: the words behind it.
        key: the key's value.
        proposed: the value that most runs give which do not agree with the key.
        agree: how many runs give it.
        of: how many runs there are.
        others: how many further values runs give, the key's among them.
        alike: at how many suspect sites this label is proposed in place of this one of the key.
        alike_share: their share of all sites with this label of the key.
        kind: whether enough runs agree against the key, nobody finds something that it has, or both.
        unfound: the labels of what the key has and no run finds.
        where: the condition that selects it, by its document, word and value; others alike there are selected with it.

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
    """How many sites, or items, are suspect for one reason, and the condition that selects them.

    The condition is None where it would be too long: if no more than half of many runs must agree.
    """

    of: Literal["sites", "items"]
    count: int
    where: str | None


@dataclass(frozen=True)
class Suspects(Finding):
    """Sites at which the key may be wrong, the most suspect first.

    First come those at which more runs agree; then those at which they agree on something rather than on nothing; then
    those with fewer other answers; then those at which the change of labels is rarer among the sites with that label of
    the key: what runs do to many of them is more likely their habit than a slip of the key. What is equal so far stands
    in the order of the names of documents, and there as in the text, or by the ids of rows.

    Args:
        view: the view.
        runs: the runs; each has a vote.
        at_least: how many of them must agree.
        sites: how many sites there are in all.
        count: how many of them are suspect.
        agreed: the sites at which at least so many agree with each other against the key.
        unfound: what the key has and no run finds.
        suspects: the suspect sites.

    """

    view: str
    runs: tuple[str, ...]
    at_least: int
    sites: int
    count: int
    agreed: SuspectCount
    unfound: SuspectCount
    suspects: tuple[Suspect, ...]


def suspects(context: Context, at_least: int | None = None, top: int = 0) -> Suspects:
    """List the sites at which the key may be wrong; all of them, or the `top` first."""
    runs, sites = context.verdicts.runs, context.sites
    needed = len(runs) if at_least is None else at_least
    if not 1 <= needed <= len(runs):
        hint = f"there {'is 1 run' if len(runs) == 1 else f'are {len(runs)} runs'}"
        raise UsageError(f"{needed} runs cannot agree", hint=hint)
    unfound = unfound_in(context)
    wrong = len(runs) - np.sum(sites.disputed.right, axis=0, dtype=np.int64)
    missed = np.isin(sites.contested, unfound.site)
    votes = votes_at(sites, sites.contested[missed | (wrong >= needed)])
    agreed = votes.agree >= needed
    votes = votes.take(np.flatnonzero(agreed | np.isin(votes.row, unfound.site)))
    ranked = votes.take(np.lexsort(_order(context, votes)))
    return Suspects(
        context.view.name,
        runs,
        needed,
        len(sites),
        len(ranked.row),
        SuspectCount("sites", int(agreed.sum()), agreed_condition(runs, needed)),
        SuspectCount(unfound.of, unfound.count, unfound.where),
        _Writer(context, unfound, needed).rows(ranked, top),
    )


def _order(context: Context, votes: Votes) -> tuple[NDArray[np.generic], ...]:
    """Return what suspects are sorted by, the weightiest last."""
    sites, names = context.sites, context.verdicts.documents
    rank = np.empty(len(names), np.int64)
    rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return (
        _stands(sites)[votes.row],
        rank[sites.document[votes.row]],
        _alike(sites, votes)[1],
        votes.others,
        _says_nothing(sites)[votes.proposed],
        -votes.agree,
    )


def _stands(sites: Sites) -> NDArray[np.integer]:
    """Return what tells the order of sites in a document: their places, or ids, for the order of rows means nothing."""
    ids = sites.attributes.get("id")
    column = ids.make() if ids is not None else None
    return column.codes if isinstance(column, TextColumn) else sites.place


def _alike(sites: Sites, votes: Votes) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how often each change of labels occurs here, and its share of all sites with that label of the key."""
    _, which, counts = np.unique(votes.change, return_inverse=True, return_counts=True)
    return counts[which], counts[which] / sites.key_counts[sites.labels.key[votes.row]]


def _says_nothing(sites: Sites) -> Truths:
    """Whether each value is that of a side which has nothing there: no span, no word, no label."""
    empty = [name in {ABSENT, NOTHING} for name in sites.names]
    if sites.parts is not None:
        empty = [not part for part in sites.parts]
    return np.array(empty, np.bool_)


class _Writer:
    """Makes the rows of the table; what they share is made once."""

    def __init__(self, context: Context, unfound: Unfound, needed: int) -> None:
        self.context, self.needed = context, needed
        self.unfound: dict[int, list[str]] = {}
        for site, label in zip(unfound.site.tolist(), unfound.label.tolist(), strict=True):
            self.unfound.setdefault(site, []).append(shown(unfound.names[label]))
        self.begin, self.end = _extents(context)

    def rows(self, votes: Votes, top: int) -> tuple[Suspect, ...]:
        """Make the first rows, or all."""
        counts, shares = _alike(self.context.sites, votes)
        chosen = range(min(top, len(votes.row)) if top else len(votes.row))
        return tuple(self._row(votes, place, int(counts[place]), float(shares[place])) for place in chosen)

    def _row(self, votes: Votes, place: int, alike: int, alike_share: float) -> Suspect:
        sites, verdicts, row = self.context.sites, self.context.verdicts, int(votes.row[place])
        document, width = int(sites.document[row]), 1 if sites.width is None else int(sites.width[row])
        excerpt = verdicts.texts.excerpt(document, int(sites.place[row]), width)
        agree, unfound = int(votes.agree[place]), tuple(sorted(self.unfound.get(row, ())))
        return Suspect(
            place + 1,
            verdicts.documents[document],
            excerpt.places.get("key") if excerpt else None,
            int(self.begin[row]),
            int(self.end[row]),
            excerpt.before if excerpt else "",
            excerpt.word if excerpt else "",
            excerpt.after if excerpt else "",
            shown(sites.names[int(sites.key[row])]),
            shown(sites.names[int(votes.proposed[place])]),
            agree,
            len(verdicts.runs),
            int(votes.others[place]),
            alike,
            alike_share,
            "found by none" if agree < self.needed else "both" if unfound else "agreed",
            unfound,
            self._condition(row),
        )

    def _condition(self, row: int) -> str:
        sites, verdicts = self.context.sites, self.context.verdicts
        solved = sum(bool(right[row]) for right in sites.right)
        said = [is_value("document", verdicts.documents[int(sites.document[row])])]
        if self._anchor is not None and not self._anchor[1].is_missing(row):
            said.append(is_value(self._anchor[0], self._anchor[1][row]))
        key = is_value("key", shown(sites.names[int(sites.key[row])]))
        return " and ".join([*said, key, f"solved_by == {solved}"])

    @cached_property
    def _anchor(self) -> tuple[str, TextColumn] | None:
        """The attribute that sites are recognised by."""
        attributes = self.context.sites.attributes
        name = next((each for each in _ANCHORS if each in attributes), None)
        column = None if name is None else attributes[name].make()
        return (name, column) if name is not None and isinstance(column, TextColumn) else None


def _extents(context: Context) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Return where sites begin and end: spans count words or characters, all other sites rows."""
    sites, claims = context.sites, context.view.claims
    if claims is None:
        return sites.place, sites.place + (1 if sites.width is None else sites.width)
    begin, end = np.full(sites.rows, np.iinfo(np.int64).max), np.zeros(sites.rows, np.int64)
    np.minimum.at(begin, claims.site, claims.begin)
    np.maximum.at(end, claims.site, claims.end)
    return begin, end
