"""The results of an evaluation: sites with a value per run, items with an outcome per run, statistics per unit.

A *site* is a place where every run made a decision; an *item* is a unit of precision and recall
(DEFINITIONS 1). `compare` uses these tables and nothing else, so every finding is available for a task
that fills them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from comparanda.core.chains import Chains
from comparanda.core.claims import Claims, agreed_spans
from comparanda.core.excerpts import Texts
from comparanda.core.items import ITEM_STATISTICS, FoldedItems, Items, items_of_sites, joined_items
from comparanda.core.sites import Sites
from comparanda.core.text_columns import TextColumn
from comparanda.errors import UsageError, suggest_nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.candidates import Candidates
    from comparanda.core.corpus import Documents
    from comparanda.core.places import Note
    from comparanda.core.sites import Folded
    from comparanda.core.text_columns import Rows, Truths

    UnitOf = Callable[[Sites | Candidates], NDArray[np.int32]]

UnitKind = Literal["document", "topic", "sentence", "row"]

_MAX_PLACES = 3

_MAX_CACHED_ROWS = 4_000_000
"""The maximum number of cached rows of all universes of runs; each takes some hundred bytes."""

NO_ERROR = "none"
"""The error source of a site without errors."""


@dataclass(frozen=True, slots=True)
class System:
    """A system: its name, and the indices of its runs, usually one."""

    name: str
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Units:
    """The units of resampling: documents, or sentences or rows where the key has no document boundaries.

    Args:
        kind: the kind of unit.
        count: the number of units.
        names: the names of topics, or of documents of which some are continued; empty for other kinds.
        of_document: the topic of each document, or the number of its name; None where each document is a unit.

    """

    kind: UnitKind
    count: int
    names: tuple[str, ...] = ()
    of_document: NDArray[np.int32] | None = field(default=None, compare=False)

    @classmethod
    def of_documents(cls, documents: Documents) -> Units:
        """Make the units of documents: those of one name are one unit."""
        names = tuple(dict.fromkeys(documents.names))
        if len(names) == len(documents):
            return cls("document", len(names))
        return cls("document", len(names), names, documents.numbers)


@dataclass(frozen=True, eq=False, slots=True)
class Sources:
    """The sources of the runs' errors at each counted site.

    Args:
        names: the possible sources of errors at a site: "none" first, then a source such as "tagger", or several.
        runs: for each run, the source at each site, as a code.

    """

    names: tuple[str, ...]
    runs: tuple[Rows, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class View:
    """One way of evaluating a task, such as `upos`, `las` or `strict`.

    Args:
        name: its name.
        given_sites: every site, including those left out by policy; None where they follow from the claims.
        measures: the reported measures of this view; the first is the main measure.
        left_out: a reason for each site that does not count, "" for those that do; None where all count.
        given_items: the items, where they are not simply the sites' labels.
        surplus: negative items for predictions outside of the sites, such as words that are tokenised differently from
            the key. Each is at the place of a site, and counts if that site does.
        cuts: the attributes by which differences are sliced by default.
        statistics: further statistics of each unit and run, by name: arrays of (units, runs).
        lost: statistics that the evaluation computed for all sites and that cannot be restricted to these.
        claims: the spans of the key and of all runs, where sites are overlap sites; None for other sites.
        raised: the key's value at sites that exist only because a run predicts another value; None where all sites
            are the key's own.
        kinds: the attribute that names the sites of the key in tables, where their labels describe not the sites but
            the predictions for them; None for the labels.
        chains: the mentions of all sides, where sites are mentions.
        mention: the mention of each site.
        finer: the view in which wrong values are distinguished that are equal here; None for this view.
        candidates: for each run its candidate tuples, where runs are probabilistic.

    """

    name: str
    given_sites: Sites | None
    measures: tuple[str, ...]
    left_out: TextColumn | None = None
    given_items: Items | None = None
    statistics: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    surplus: Items | None = None
    cuts: tuple[str, ...] = ()
    claims: Claims | None = None
    raised: str | None = None
    kinds: str | None = None
    chains: Chains | None = None
    mention: Rows | None = None
    finer: str | None = None
    candidates: tuple[Candidates, ...] | None = None

    @cached_property
    def all_sites(self) -> Sites:
        """Every site; overlap sites are built on first use."""
        if self.given_sites is not None:
            return self.given_sites
        if self.claims is None:
            raise AssertionError(f"the view {self.name!r} has neither sites nor claims")
        return self.claims.sites

    @cached_property
    def sites(self) -> Sites:
        """The sites that count."""
        if self.left_out is None:
            return self.all_sites
        return self.all_sites.take(self._counting_sites())

    @cached_property
    def left_out_counts(self) -> dict[str, int]:
        """The number of sites that were left out, by reason."""
        if self.left_out is None:
            return {}
        counts = np.bincount(self.left_out.codes, minlength=len(self.left_out.names))
        pairs = sorted(zip(self.left_out.names, counts.tolist(), strict=True))
        return {name: count for name, count in pairs if name and count}

    @cached_property
    def items(self) -> Items:
        """The items; by default each label of each site, and the surplus."""
        if self.given_items is not None:
            return self.given_items
        found = items_of_sites(self.sites)
        return found if self.surplus is None else joined_items([found, self.surplus.at_sites(self.sites)])

    @cached_property
    def cells(self) -> View | None:
        """A view with one site of each kind of the sites that are stored as counts; None where there are none.

        It has items only if they are needed for the sources of errors at sites: `item_cells` are larger.
        """
        folded, items = self.folded, self.given_items
        if folded is None:
            return None
        if items is not None and items.outcomes is not None and items.outcomes.sources is not None:
            return self.item_cells
        return replace(self._view_of_kinds(folded), given_items=None)

    @cached_property
    def item_cells(self) -> View | None:
        """The same with the items that are stored as counts, whose places are the numbers of their kinds."""
        folded, items = self.folded, self.given_items
        if folded is None:
            return None
        if self.claims is None or items is None or items.folded is None:
            return self._view_of_kinds(folded)
        kinds = items.folded.kinds(items.names, len(items.claimed))
        return replace(self._view_of_kinds(folded), claims=self.claims.agreed, given_items=kinds)

    def _view_of_kinds(self, folded: Folded) -> View:
        """Make a view of the kinds of sites; there are no surplus items at these."""
        return replace(self, given_sites=folded.sites, surplus=None, statistics={}, lost=frozenset())

    @property
    def folded(self) -> Folded | None:
        """The sites that are stored as counts. Overlap sites are built only if there are any."""
        if self.given_sites is None and (self.claims is None or self.claims.agreed is None):
            return None
        return self.sites.folded

    @property
    def counted(self) -> tuple[Sites | Claims, NDArray[np.int64]] | None:
        """The places of the sites that are stored as counts, and their counts; does not build overlap sites."""
        if self.claims is not None:
            agreed = self.claims.agreed
            return None if agreed is None else (agreed, np.broadcast_to(np.int64(1), len(agreed)))
        return None if self.folded is None else (self.folded.sites, self.folded.count)

    @cached_property
    def error_sources(self) -> Sources | None:
        """The sources of the runs' errors at each overlap site; None where rules do not attribute errors."""
        items, claims = self.given_items, self.claims
        outcomes = None if items is None else items.outcomes
        if items is None or claims is None or items.claim is None or outcomes is None or outcomes.sources is None:
            return None
        plain = sorted({source for source in outcomes.sources if source})
        bit = np.array([1 << plain.index(source) if source else 0 for source in outcomes.sources], np.int64)
        found = []
        for run, codes in enumerate(outcomes.verdict):
            span = items.claim if items.by_run is None else np.where(items.positive, items.claim, items.by_run[run])
            errors = bit[codes]
            mine = np.flatnonzero((errors > 0) & (span >= 0))
            at_site = np.zeros(self.all_sites.rows, np.int64)
            np.bitwise_or.at(at_site, claims.site[span[mine]], errors[mine])
            found.append(at_site[self._counting_sites()])
        return Sources(tuple(_join_sources(plain, bits) for bits in range(1 << len(plain))), tuple(found))

    def _counting_sites(self) -> Rows:
        """Return the indices of the counted sites among all that are stored as rows."""
        if self.left_out is None:
            return np.arange(self.all_sites.rows)
        keep = np.array([name == "" for name in self.left_out.names])
        return np.flatnonzero(keep[self.left_out.codes])

    @property
    def shared(self) -> bool:
        """Whether sites do not depend on the runs compared; overlap sites and sites raised by runs do."""
        return self.claims is None and self.raised is None

    def among(self, runs: Sequence[int]) -> View:
        """Restrict the view to the universe of the key and some runs: overlap sites depend on it, others do not."""
        universe = tuple(sorted(set(runs)))
        every_run = self.all_sites.values if self.claims is None else self.claims.runs
        return self if self.shared or len(universe) == len(every_run) else self._cached_universe(universe)

    def _cached_universe(self, runs: tuple[int, ...]) -> View:
        """Return the view for some runs; cache recent ones, because findings and counts request them repeatedly."""
        known = self._universes
        found = known.pop(runs, None)
        if found is None:
            rows = len(self.all_sites if self.claims is None else self.claims)
            while len(known) > _MAX_CACHED_ROWS // (1 + rows):  # first, to limit the peak memory
                del known[next(iter(known))]
            found = self._restrict_claims(runs) if self.raised is None else self._restrict_raised(runs)
        known[runs] = found  # last, as the most recently used
        return found

    @cached_property
    def _universes(self) -> dict[tuple[int, ...], View]:
        return {}

    def _restrict_claims(self, runs: Sequence[int]) -> View:
        """Restrict the view to the spans of the key and of some runs."""
        assert self.claims is not None
        rows, items = self.claims.present(runs), self.given_items
        claims = replace(self.claims.take(rows).among(runs), agreed=self.claims.agreed)
        if items is not None:
            items = replace(items.of_claims(rows, len(self.claims)), folded=items.folded)
        return replace(self, given_sites=None, claims=claims, given_items=items)

    def _restrict_raised(self, runs: Sequence[int]) -> View:
        """Restrict the view to the key's own sites and those raised by some runs."""
        sites = self.all_sites
        there = sites.key != sites.names.index(self.raised or "")
        looked_at = np.zeros(len(sites.values), np.bool_)
        for run in runs:
            there |= ~sites.right[run]
            looked_at[run] = True
        statistics = {name: np.where(looked_at, each, 0.0) for name, each in self.statistics.items()}
        view = replace(self._restrict_to_sites(np.flatnonzero(there)), statistics=statistics)
        items = view.given_items
        return view if items is None else replace(view, given_items=items.take(np.flatnonzero(items.of_runs(runs))))

    def _restrict_to_sites(self, rows: Rows) -> View:
        """Restrict the view to some of its sites, all of which count, and the items there."""
        items = None if self.given_items is None else self.given_items.of_sites(rows, len(self.all_sites))
        return replace(
            self,
            given_sites=self.all_sites.take(rows),
            given_items=items,
            mention=None if self.mention is None else self.mention[rows],
        )

    def _find_whole_units(self, unit: NDArray[np.int32], rows: Rows) -> Truths | None:
        """Find the units that some sites cover completely; None if a unit is covered only partly, or there are none.

        Args:
            unit: the unit of each site that counts.
            rows: the sites, by their number among these.

        """
        if not len(rows) or not self.statistics:
            return None
        count = len(next(iter(self.statistics.values())))
        chosen, every = (np.bincount(each, minlength=count) for each in (unit[rows], unit))
        return None if ((chosen > 0) & (chosen < every)).any() else chosen > 0

    def narrowed(self, rows: Rows, unit_of: UnitOf | None = None, cells: Rows | None = None) -> View:
        """Restrict the view to some of its counted sites.

        Statistics of the evaluation and the candidates of runs are retained if the sites cover whole units, and
        lost otherwise; items that are not spans are lost.

        Args:
            rows: the sites.
            unit_of: returns the units of a table, as `Verdicts.unit_of` does.
            cells: the selected kinds of the sites that are stored as counts; None for none of them.

        """
        if self.raised is not None:
            return self._narrow_raised(rows)
        claims, items = self.claims, self.given_items
        if claims is not None:
            chosen = np.zeros(self.all_sites.rows, np.bool_)
            chosen[self._counting_sites()[rows]] = True
            claims, items = self._take_spans(np.flatnonzero(chosen[claims.site]), cells)
        lost = {*self.lost, *self.statistics, *(ITEM_STATISTICS if items is not None and claims is None else ())}
        view = replace(
            self,
            given_sites=self._take_sites(rows, cells) if claims is None else None,
            left_out=None,
            given_items=None if claims is None else items,
            statistics={},
            lost=of_all_labels(lost),
            claims=claims,
            candidates=None,
        )
        return view if unit_of is None or self.candidates is None else self._with_candidates(view, rows, unit_of)

    def _take_spans(self, rows: Rows, cells: Rows | None) -> tuple[Claims, Items | None]:
        """Select spans, kinds of agreed spans, and the items that belong to them."""
        claims, items = self.claims, self.given_items
        assert claims is not None
        some = claims.take(rows)
        of_some = None if items is None else items.of_claims(rows, len(claims))
        if cells is None or claims.agreed is None:
            return some, of_some
        if items is not None and of_some is not None and items.folded is not None:
            of_some = replace(of_some, folded=items.folded.take(cells))
        return replace(some, agreed=agreed_spans(claims.agreed.take(cells))), of_some

    def _take_sites(self, rows: Rows, cells: Rows | None) -> Sites:
        folded = self.folded
        found = self.sites.take(rows)
        return found if folded is None or cells is None else replace(found, folded=folded.take(cells))

    def _narrow_raised(self, rows: Rows) -> View:
        """Restrict the view to some of its counted sites, where some sites are raised by runs."""
        view = replace(self._restrict_to_sites(self._counting_sites()[rows]), left_out=None)
        whole = None
        if self.chains is not None and self.mention is not None:
            whole = self._find_whole_units(self.chains.unit[self.mention], rows)
        if whole is None:
            return replace(view, statistics={}, lost=frozenset({*self.lost, *self.statistics}))
        return replace(view, statistics=_mask_units(self.statistics, whole))

    def _with_candidates(self, view: View, rows: Rows, unit_of: UnitOf) -> View:
        """Add the candidates in its units to a narrowed view, if the units are covered completely.

        Units without a site are retained only if all sites are: then nothing was left out.
        """
        whole = self._find_whole_units(unit_of(self.sites), rows)
        if whole is None or self.candidates is None:
            return view
        whole |= len(rows) == len(self.sites)
        candidates = []
        for run in self.candidates:
            here = whole[unit_of(run)]
            if (here != here[run.beliefs.offsets[run.beliefs.block]]).any():  # a block extends into other units
                return view
            candidates.append(run.take(np.flatnonzero(here)))
        statistics = _mask_units(self.statistics, whole)
        return replace(view, statistics=statistics, lost=self.lost, candidates=tuple(candidates))


def _mask_units(statistics: Mapping[str, NDArray[np.float64]], whole: Truths) -> dict[str, NDArray[np.float64]]:
    """Set the statistics of all but some units to 0."""
    return {name: np.where(whole[:, None], each, 0.0) for name, each in statistics.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Verdicts:
    """The evaluated runs: everything that comparisons are computed from.

    Args:
        task: the name of the task.
        systems: the systems, in the order given, with their runs.
        runs: the names of the runs.
        documents: the names of the documents.
        units: the units of resampling.
        views: the views by name; the first is the default.
        settings: the settings of the evaluation, for the signature.
        notes: observations made while reading and aligning, by side and kind.
        texts: the words around each site, for excerpts.

    """

    task: str
    systems: tuple[System, ...]
    runs: tuple[str, ...]
    documents: tuple[str, ...]
    units: Units
    views: Mapping[str, View]
    settings: Mapping[str, str]
    notes: tuple[Note, ...] = ()
    texts: Texts = field(default_factory=Texts)

    def __post_init__(self) -> None:
        sides = ["key", *self.runs, *(system.name for system in self.systems)]
        object.__setattr__(self, "notes", merge_notes(self.notes, sides))

    def system(self, name: str) -> System:
        """Return a system by its name."""
        for system in self.systems:
            if system.name == name:
                return system
        names = [system.name for system in self.systems]
        raise UsageError(f"unknown system {name!r}{suggest_nearest(name, names)}", hint=f"systems: {', '.join(names)}")

    def view(self, name: str | None = None) -> View:
        """Return a view by its name, the first by default."""
        if name is None:
            return next(iter(self.views.values()))
        if name not in self.views:
            raise UsageError(f"unknown view {name!r}{suggest_nearest(name, self.views)}", hint=", ".join(self.views))
        return self.views[name]

    def document_column(self, document: NDArray[np.int32]) -> TextColumn:
        """Return the names of the documents of some rows, given their numbers; equal names have one code."""
        place: dict[str, int] = {}
        code = np.array([place.setdefault(name, len(place)) for name in self.documents], np.int32)
        return TextColumn(code[document], tuple(place))

    def unit_of(self, table: Sites | Items | FoldedItems | Claims | Candidates) -> NDArray[np.int32]:
        """Return the index of the unit that each row of a table belongs to."""
        if self.units.of_document is not None:
            return self.units.of_document[table.document]
        return table.document if self.units.kind == "document" else table.sentence


def without_label(name: str) -> str:
    """Remove the label from the name of a statistic: `mass` for `mass[PER]`."""
    return name.partition("[")[0]


def of_all_labels(names: Iterable[str]) -> frozenset[str]:
    """Remove the names of statistics for single labels where the one for all labels is given as well.

    >>> sorted(of_all_labels(["mass", "mass[PER]", "credit[LAS]"]))
    ['credit[LAS]', 'mass']
    """
    known = frozenset(names)
    return frozenset(name for name in known if without_label(name) == name or without_label(name) not in known)


def _join_sources(sources: Sequence[str], bits: int) -> str:
    """Join the names of the sources whose bits are set.

    >>> [_join_sources(["resolver", "tagger"], bits) for bits in range(4)]
    ['none', 'resolver', 'tagger', 'resolver and tagger']
    """
    return " and ".join(source for place, source in enumerate(sources) if bits >> place & 1) or NO_ERROR


def merge_notes(notes: Iterable[Note], sides: Sequence[str]) -> tuple[Note, ...]:
    """Merge notes of the same side and kind, in an order that does not depend on the order of reading."""
    rank = {side: place for place, side in reversed(list(enumerate(sides)))}
    groups: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        groups.setdefault((note.side, note.what), []).append(note)
    order = sorted(groups, key=lambda group: (rank.get(group[0], len(sides)), *group))
    return tuple(groups[group][0] if len(groups[group]) == 1 else _add_notes(groups[group]) for group in order)


def _add_notes(notes: list[Note]) -> Note:
    places = [place for note in notes for place in note.first]
    return replace(notes[0], count=sum(note.count for note in notes), first=tuple(places[:_MAX_PLACES]))
