"""Merging verdicts of parts of a corpus: the result equals, to the last byte, that of the undivided corpus.

A part holds whole documents, and whole topics where chains span documents. Where the key marks no documents, the corpus
is one document, and a part is a piece of it, cut between sentences or rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from comparanda.align.maps import BEYOND, LACKING
from comparanda.core.candidates import Candidates
from comparanda.core.chains import NO_CHAIN, Chains, count_mentions, renumber_chains
from comparanda.core.claims import Claims, agreed_spans, without_ids
from comparanda.core.corpus import Fragments
from comparanda.core.excerpts import Texts
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.items import Items, joined_items
from comparanda.core.places import add_up_weights
from comparanda.core.probabilities import side_by_side
from comparanda.core.sites import Aspect, Attribute, Folded, Sites, recode, recode_canonically
from comparanda.core.text_columns import Column, TextColumn
from comparanda.core.verdicts import Units, Verdicts, View, of_all_labels, without_label
from comparanda.errors import UsageError
from comparanda.formats.contract import KEY
from comparanda.tasks.label_maps import ONE_SIDED, note_one_sided_labels
from comparanda.tasks.offset_checks import merge_offset_notes
from comparanda.tasks.spans.links import UNLINKED
from comparanda.tasks.systematic_errors import is_systematic, note_systematic_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.core.places import Note
    from comparanda.core.text_columns import Codes, Rows, Truths

    Statistics = Mapping[str, NDArray[np.float64]]
    _Table = Sites | Items | Claims | Chains | Candidates


# Notes, merged as if the corpus had been read as a whole.


_INPUT_NOTE_PREFIXES = ("inputs in which ", "files in which ")
"""The prefixes of notes about what is missing from an input as a whole."""


def merge_notes(parts: Sequence[Verdicts], views: Mapping[str, View]) -> tuple[Note, ...]:
    """Merge notes by adding up their counts; compute those about the whole again from the merged views."""
    notes = [note for part in parts for note in part.notes if not note.what.startswith(_INPUT_NOTE_PREFIXES)]
    notes += _merge_input_notes(parts)
    view, runs = next(iter(views.values())), parts[0].runs
    kept = [note for note in notes if not _is_of_the_whole(note)]
    if any(note.what in ONE_SIDED for note in notes):
        kept += note_one_sided_labels(
            view if view.claims is None else replace(view, claims=without_ids(view.claims)), runs
        )
    kept = _drop_unlinked_notes(list(merge_offset_notes(kept)), view.claims, runs)
    kept += note_systematic_errors(views, runs, kept)
    return tuple(sorted((each for note in add_up_weights(kept) for each in _split_by_place(note)), key=_note_order))


def _is_of_the_whole(note: Note) -> bool:
    """Whether a note is computed from the whole corpus: its places are no lines, and it is not the sum of its parts."""
    return note.what in ONE_SIDED or is_systematic(note.what)


def _merge_input_notes(parts: Sequence[Verdicts]) -> list[Note]:
    """Return the notes that hold for an input as a whole: those that all its parts have."""
    first, *others = (
        {(note.side, note.what): note for note in part.notes if note.what.startswith(_INPUT_NOTE_PREFIXES)}
        for part in parts
    )
    return [note for which, note in first.items() if all(which in each for each in others)]


def _drop_unlinked_notes(notes: Sequence[Note], claims: Claims | None, runs: Sequence[str]) -> list[Note]:
    """Drop the notes that a side has no links if it has links in other parts."""
    counts: Counter[str] = Counter()
    for note in notes:
        counts[note.side] += note.count * (note.what == UNLINKED)
    if claims is None or not counts.total():
        return list(notes)
    both = 0 if claims.agreed is None else len(claims.agreed)
    sides = zip((KEY, *runs), (claims.key, *claims.runs), strict=True)
    spans = {side: int(counts.sum()) + both for side, counts in sides}
    return [note for note in notes if note.what != UNLINKED or counts[note.side] == spans[note.side]]


def _split_by_place(note: Note) -> Iterator[Note]:
    """Split a note into one for each listed place and one for the rest; notes about labels are not split."""
    if _is_of_the_whole(note) or len(note.first) > note.count:
        yield note
        return
    yield from (replace(note, count=1, first=(place,)) for place in note.first)
    if note.count > len(note.first):
        yield replace(note, count=note.count - len(note.first), first=())


def _note_order(note: Note) -> tuple[tuple[str, ...], int, str]:
    """Return the sort key of a note among others of its kind.

    Notes are sorted by file and line, since parts follow the key and an output may have its documents in another order;
    documents that only an output has are sorted by name, and missing ones keep the order of the key.
    """
    if not note.first or _is_of_the_whole(note) or LACKING in note.what:
        return (), 0, ""
    if BEYOND in note.what:
        return (), 0, note.first[0]
    file, _, line = note.first[0].rpartition(": ")[2].rpartition(":")  # the place may be preceded by a name
    return (PurePath(file).parts, int(line), "") if file and line.isdecimal() else ((), 0, "")


# Tuples and statistics. A label that does not occur in a part has statistics of 0 there.


Integer = TypeVar("Integer", np.int32, np.int64)


def merge_candidates(
    tables: Sequence[Candidates],
    documents: Sequence[int],
    sentences: Sequence[int],
    places: Sequence[int],
    *,
    text: TextColumn,
) -> Candidates:
    """Concatenate the tuples of one run.

    Args:
        tables: the tuples of each part.
        documents: the number of documents before each part.
        sentences: the number of sentences before each part.
        places: the number of rows of the same document before each part.
        text: the texts of all tuples.

    """
    names, labels = recode_canonically([TextColumn(table.label, table.names) for table in tables])
    return Candidates(
        document=concatenate_shifted([table.document for table in tables], documents),
        sentence=concatenate_shifted([table.sentence for table in tables], sentences),
        place=concatenate_shifted([table.place for table in tables], places),
        width=np.concatenate([table.width for table in tables]),
        begin=concatenate_shifted([table.begin for table in tables], places),
        end=concatenate_shifted([table.end for table in tables], places),
        label=np.concatenate(labels),
        names=names,
        text=text,
        correct=np.concatenate([table.correct for table in tables]),
        decided=np.concatenate([table.decided for table in tables]),
        beliefs=replace(side_by_side([table.beliefs for table in tables]), policies=tables[0].beliefs.policies),
        tied=_merge_ties(tables),
    )


def _merge_ties(tables: Sequence[Candidates]) -> Truths | None:
    known = [table.tied for table in tables if table.tied is not None]
    return np.concatenate(known) if known else None


def concatenate_shifted(columns: Sequence[NDArray[Integer]], by: Sequence[int]) -> NDArray[Integer]:
    """Concatenate columns after adding an offset to each, keeping their data type."""
    return np.concatenate([column + column.dtype.type(shift) for column, shift in zip(columns, by, strict=True)])


def merge_statistics(parts: Sequence[Statistics]) -> dict[str, NDArray[np.float64]]:
    """Concatenate the statistics of units; those of a label that a part does not have are 0 there."""
    names = list(parts[0])
    if any(part.keys() != parts[0].keys() for part in parts):
        names = sorted({name for part in parts for name in part})
    return {name: _merge_statistic(name, parts) for name in names}


def _merge_statistic(name: str, parts: Sequence[Statistics]) -> NDArray[np.float64]:
    whole = without_label(name)
    tables = [part[name] if name in part else np.zeros_like(part[whole]) for part in parts]
    if len({table.shape[1:] for table in tables}) > 1:
        raise UsageError(f"the statistic {name!r} has different shapes in the parts")
    return np.concatenate(tables)


# Mentions, chains and topics, and documents that only outputs have.
#
# Chains are numbered in the order of their first mentions. Documents that are not in the key follow its own, sorted by
# name, and so do topics of only such documents: after all parts, not after each.


Table = TypeVar("Table", Sites, Items, Chains)


def own_documents(part: Verdicts) -> int:
    """Count the key's documents in a part; documents that only outputs have follow them."""
    if not part.texts.parts or part.texts.continued:
        return len(part.documents)
    return sum(len(text.names) for text in part.texts.parts)


def refuse_cut_topics(parts: Sequence[Verdicts]) -> None:
    """Refuse topics that are split between parts: chains span documents, and CEAF's counts do not add up."""
    seen: set[str] = set()
    for part in parts:
        topics = set(part.units.names)
        if seen & topics:
            raise UsageError(f"the topic {min(seen & topics)!r} is in two parts", hint="cut between topics")
        seen |= topics


def _document_topics(part: Verdicts) -> NDArray[np.int32]:
    """Return the unit of each document of a part."""
    of_document = part.units.of_document
    return np.arange(len(part.documents), dtype=np.int32) if of_document is None else of_document


def merge_units(parts: Sequence[Verdicts]) -> Units:
    """Concatenate the units of parts."""
    kind, counts = parts[0].units.kind, [part.units.count for part in parts]
    if all(part.units.of_document is None for part in parts):
        return Units(kind, sum(counts))
    names = tuple(name for part in parts for name in part.units.names or part.documents)
    shifted = [
        _document_topics(part) + np.int32(before) for part, before in zip(parts, before_each(counts), strict=True)
    ]
    return Units(kind, sum(counts), names, np.concatenate(shifted))


def merge_chains(tables: Sequence[Chains], documents: Sequence[int], sentences: Sequence[int], units: Units) -> Chains:
    """Concatenate mentions.

    Args:
        tables: the mentions of each part.
        documents: the number of documents before each part.
        sentences: the number of sentences before each part.
        units: the merged units.

    """
    shifts = [(np.int32(before), np.int32(sentence)) for before, sentence in zip(documents, sentences, strict=True)]
    pairs = list(zip(tables, shifts, strict=True))
    document = np.concatenate([table.document + before for table, (before, _) in pairs])
    return Chains(
        document=document,
        sentence=np.concatenate([table.sentence + sentence for table, (_, sentence) in pairs]),
        place=np.concatenate([table.place for table in tables]),
        width=np.concatenate([table.width for table in tables]),
        unit=document if units.of_document is None else units.of_document[document],
        key=_merge_numbers([table.key for table in tables]),
        runs=tuple(_merge_numbers([table.runs[run] for table in tables]) for run in range(len(tables[0].runs))),
        pieces=_merge_pieces(tables),
        candidates={
            name: np.concatenate([table.candidates[name] for table in tables]) for name in tables[0].candidates
        },
    )


def _merge_numbers(columns: Sequence[Rows]) -> Rows:
    """Concatenate the chain numbers of one side, renumbering each part's to follow those of earlier parts."""
    shifts = before_each([len(count_mentions(column)) for column in columns])
    return np.concatenate(
        [np.where(column == NO_CHAIN, NO_CHAIN, column + shift) for column, shift in zip(columns, shifts, strict=True)]
    )


def _merge_pieces(tables: Sequence[Chains]) -> Fragments | None:
    known = [
        (table.pieces, shift)
        for table, shift in zip(tables, before_each(list(map(len, tables))), strict=True)
        if table.pieces is not None
    ]
    if not known:
        return None
    return Fragments(
        np.concatenate([pieces.span + shift for pieces, shift in known]),
        np.concatenate([pieces.begin for pieces, _ in known]),
        np.concatenate([pieces.end for pieces, _ in known]),
    )


def before_each(counts: Sequence[int]) -> list[int]:
    """Return the total count of the parts before each part."""
    return [0, *accumulate(counts)][:-1]


# Documents that are not in the key


def foreign_last(merged: Verdicts, parts: Sequence[Verdicts]) -> Verdicts:
    """Move the documents that are not in the key, with their rows, after the key's own, sorted by name."""
    beyond = np.concatenate([np.arange(len(part.documents)) >= own_documents(part) for part in parts])
    views = merged.views.values()
    if len(parts) == 1 or not beyond.any() or any(view.chains is None for view in views):
        return merged
    foreign = sorted(np.flatnonzero(beyond).tolist(), key=merged.documents.__getitem__)
    documents = np.array([*np.flatnonzero(~beyond).tolist(), *foreign], np.int64)
    reordering = _Reordering(merged, documents, len(foreign))
    return replace(
        merged,
        documents=tuple(merged.documents[number] for number in documents.tolist()),
        units=reordering.units,
        views={name: reordering.view(view) for name, view in merged.views.items()},
    )


class _Reordering:
    """Reorders the rows of all tables to a new order of documents.

    Args:
        merged: the verdicts.
        documents: the old numbers of the documents in the new order.
        foreign: the number of documents, at the end, that are not in the key.

    """

    def __init__(self, merged: Verdicts, documents: Rows, foreign: int) -> None:
        self._own = len(documents) - foreign
        self._document = np.argsort(documents).astype(np.int32)
        self._sentence = sum(len(text.sentences) - 1 for text in merged.texts.parts)
        self._unit_order, self.units = documents, merged.units
        if merged.units.of_document is not None:
            self._unit_order, self.units = self._sort_topics(merged.units, merged.units.of_document[documents])
        self._known: dict[int, tuple[Chains, Chains, Rows]] = {}

    def _sort_topics(self, units: Units, topic: NDArray[np.int32]) -> tuple[Rows, Units]:
        """Sort the topics by their first documents."""
        order = topic[np.sort(np.unique(topic, return_index=True)[1])].astype(np.int64)
        rank = np.argsort(order).astype(np.int32)
        names = tuple(units.names[number] for number in order.tolist())
        return order, replace(units, names=names, of_document=rank[topic])

    def view(self, view: View) -> View:
        """Reorder the sites and items of a view."""
        assert view.chains is not None
        assert view.mention is not None
        if id(view.chains) not in self._known:
            self._known[id(view.chains)] = (view.chains, *self._reorder_chains(view.chains))
        _, chains, new_row = self._known[id(view.chains)]
        mention = new_row[view.mention]
        order = np.argsort(mention)
        items = view.given_items
        return replace(
            view,
            given_sites=self._renumber(view.all_sites).take(order),
            given_items=None if items is None else self._reorder_items(items, np.argsort(order)),
            statistics={name: values[self._unit_order] for name, values in view.statistics.items()},
            chains=chains,
            mention=mention[order],
        )

    def _reorder_chains(self, chains: Chains) -> tuple[Chains, Rows]:
        """Reorder mentions and renumber chains; return the new row of each old mention too."""
        moved = self._renumber(chains)
        unit = moved.document if self.units.of_document is None else self.units.of_document[moved.document]
        order = np.lexsort((moved.document, unit))
        pieces = None if chains.pieces is None else _reorder_pieces(chains.pieces, np.argsort(order))
        found = Chains(
            document=moved.document[order],
            sentence=moved.sentence[order],
            place=moved.place[order],
            width=moved.width[order],
            unit=unit[order],
            key=renumber_chains(chains.key[order]),
            runs=tuple(renumber_chains(run[order]) for run in chains.runs),
            pieces=pieces,
            candidates={name: counting[order] for name, counting in chains.candidates.items()},
        )
        return found, np.argsort(order)

    def _reorder_items(self, items: Items, new_site: Rows) -> Items:
        assert items.site is not None
        site = new_site[items.site]
        return replace(self._renumber(items), site=site).take(np.argsort(site, kind="stable"))

    def _renumber(self, table: Table) -> Table:
        """Renumber the documents of a table; all documents that are not in the key share one sentence number."""
        document = self._document[table.document]
        sentence = np.where(document < self._own, table.sentence, np.int32(self._sentence))
        return replace(table, document=document, sentence=sentence)


def _reorder_pieces(pieces: Fragments, new_row: Rows) -> Fragments:
    """Sort the pieces of mentions by their new rows."""
    mention = new_row[pieces.span]
    order = np.argsort(mention, kind="stable")
    return Fragments(mention[order], pieces.begin[order], pieces.end[order])


_MISSING = "\0missing"


@dataclass(frozen=True, slots=True)
class _Shift:
    """The offsets of the rows of a part: in documents, sentences, and places within the document."""

    document: int
    sentence: int
    place: int


def merge(parts: Sequence[Verdicts]) -> Verdicts:
    """Merge the verdicts of consecutive parts of one corpus.

    Codes are specific to a part, so values are mapped to a common table of names.
    """
    if not parts:
        raise UsageError("no verdicts to merge")
    first = parts[0]
    for part in parts[1:]:
        _refuse_different(first, part)
    pieces = first.units.kind in {"sentence", "row"}
    _refuse_split_documents(parts, pieces=pieces)
    if len(parts) > 1:
        _refuse_unmergeable_spans(parts, pieces=pieces)
    if first.units.kind == "topic":
        refuse_cut_topics(parts)
    units = merge_units(parts)
    shared = _SharedTables(_compute_shifts(parts, pieces=pieces), units)
    views = {name: _merge_views([part.views[name] for part in parts], shared) for name in first.views}
    merged = replace(
        first,
        documents=first.documents if pieces else tuple(name for part in parts for name in part.documents),
        units=units,
        views=views,
        notes=merge_notes(parts, views),
        texts=Texts(tuple(text for part in parts for text in part.texts.parts), continued=pieces),
    )
    return foreign_last(merged, parts)


def _refuse_different(first: Verdicts, part: Verdicts) -> None:
    """Refuse parts that were not evaluated in the same way."""
    for name, kept in (
        ("task", lambda verdicts: verdicts.task),
        ("systems", lambda verdicts: (verdicts.systems, verdicts.runs)),
        ("settings", lambda verdicts: dict(verdicts.settings)),
        ("views", lambda verdicts: [_view_signature(view) for view in verdicts.views.values()]),
        ("unit", lambda verdicts: verdicts.units.kind),
    ):
        value_of: Callable[[Verdicts], Any] = kept
        if value_of(first) != value_of(part):
            unlike = sorted(each for each, _ in {*first.settings.items()} ^ {*part.settings.items()})
            hint = f"they differ in {', '.join(dict.fromkeys(unlike))}" if name == "settings" else None
            raise UsageError(f"only verdicts with the same {name} can be merged", hint=hint)


def _view_signature(view: View) -> tuple[Any, ...]:
    values = None if view.claims is not None else (view.all_sites.parts is not None, list(view.all_sites.aspects))
    candidates = None if view.chains is None else sorted(view.chains.candidates)
    chains = view.raised, view.kinds, candidates, view.given_items is None or view.given_items.site is None
    known = of_all_labels(view.statistics), of_all_labels(view.lost)
    return view.name, view.measures, known, values, view.given_items is None, chains, view.candidates is None


def _refuse_split_documents(parts: Sequence[Verdicts], *, pieces: bool) -> None:
    if pieces:
        if any(len(part.documents) != 1 for part in parts):
            raise UsageError("parts without document boundaries must be pieces of one document")
        return
    names = [name for part in parts for name in part.documents]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"the document {name!r} is in two parts", hint="cut between documents")
        seen.add(name)


def _refuse_unmergeable_spans(parts: Sequence[Verdicts], *, pieces: bool) -> None:
    """Refuse pieces with unknown positions, and parts between which rules may combine spans.

    Predicted items without a key span are in the order of their spans, unless rules combine several spans into one.
    """
    views = [view for part in parts for view in part.views.values() if view.claims is not None]
    if views and pieces and parts[0].settings.get("positions") != "tokens":
        what = "pieces of one document with spans in characters cannot be merged: their offsets are unknown"
        raise UsageError(what, hint="cut between documents")
    for items in (view.given_items for view in views):
        if items is not None and items.claim is not None:
            order = items.claim if pieces else items.document
            if (np.diff(order[~items.positive]) < 0).any():
                what = "the rules combine spans that may be in different parts, so the parts cannot be merged"
                raise UsageError(what, hint="cut between documents" if pieces else "evaluate the documents together")


def _compute_shifts(parts: Sequence[Verdicts], *, pieces: bool) -> list[_Shift]:
    shifts, here = [], _Shift(0, 0, 0)
    for part in parts:
        shifts.append(here)
        here = _Shift(
            0 if pieces else here.document + len(part.documents),
            here.sentence + _count_sentences(part),
            here.place + _count_rows(part) if pieces else 0,
        )
    return shifts


def _count_sentences(part: Verdicts) -> int:
    if part.units.kind in {"sentence", "row"}:
        return part.units.count
    if part.texts.parts:
        return sum(len(text.sentences) - 1 for text in part.texts.parts)
    return _max_value(part, lambda table: table.sentence) + 1


def _count_rows(part: Verdicts) -> int:
    """Count the rows of a piece: those of its text, or else up to the last row of its sites, items and tuples."""
    if part.texts.parts:
        return sum(text.rows for text in part.texts.parts)
    return _max_value(part, _last_row) + 1


def _last_row(table: _Table) -> NDArray[np.int32]:
    width = None if isinstance(table, Items) else table.width
    return table.place if width is None else table.place + width - np.int32(1)


def _max_value(part: Verdicts, column: Callable[[_Table], NDArray[np.int32]]) -> int:
    tables: list[_Table] = []
    for view in part.views.values():
        spans = () if view.claims is None else (view.claims, view.claims.agreed)
        tables += [each for each in spans or (view.all_sites,) if each is not None]
        tables += [each for each in (view.given_items, view.chains, *(view.candidates or ())) if each is not None]
    return max((int(column(table).max(initial=-1)) for table in tables), default=-1)


class _SharedTables:
    """The merged sites, spans and mentions; tables that several views share are merged once."""

    def __init__(self, shifts: list[_Shift], units: Units) -> None:
        self.shifts = shifts
        self.units = units
        self._known: dict[tuple[int, ...], Claims] = {}
        self._chains: dict[tuple[int, ...], Chains] = {}

    def merge_sites_or_claims(self, views: list[View]) -> tuple[Sites | None, Claims | None]:
        """Merge the sites of a view, or the spans from which its sites are built."""
        spans = [view.claims for view in views if view.claims is not None]
        if not spans:
            return _merge_sites([view.all_sites for view in views], self.shifts), None
        which = tuple(map(id, spans))
        if which not in self._known:
            self._known[which] = _merge_claims(spans, self.shifts)
            _refuse_overlaps(self._known[which], spans)
        return None, self._known[which]

    def merge_mentions(self, views: list[View]) -> Chains | None:
        """Merge the mentions of a view."""
        tables = [view.chains for view in views if view.chains is not None]
        if not tables:
            return None
        which = tuple(map(id, tables))
        if which not in self._chains:
            documents, sentences = ([getattr(each, name) for each in self.shifts] for name in ("document", "sentence"))
            self._chains[which] = merge_chains(tables, documents, sentences, self.units)
        return self._chains[which]


def _merge_views(views: list[View], shared: _SharedTables) -> View:
    first, shifts = views[0], shared.shifts
    left_out = None
    if any(view.left_out is not None for view in views):
        left_out = _join_text_columns([_left_out_reasons(view) for view in views])
    items = [view.given_items for view in views if view.given_items is not None]
    with_surplus = [
        (view.surplus, shift) for view, shift in zip(views, shifts, strict=True) if view.surplus is not None
    ]
    sites, claims = shared.merge_sites_or_claims(views)
    return View(
        name=first.name,
        given_sites=sites,
        measures=first.measures,
        left_out=left_out,
        given_items=_merge_items(_shift_sites(items, views), shifts, [view.claims for view in views], claims)
        if items
        else None,
        statistics=merge_statistics([view.statistics for view in views]),
        lost=frozenset().union(*(view.lost for view in views)),
        surplus=_merge_items([table for table, _ in with_surplus], [shift for _, shift in with_surplus])
        if with_surplus
        else None,
        cuts=first.cuts,
        claims=claims,
        raised=first.raised,
        kinds=first.kinds,
        chains=shared.merge_mentions(views),
        mention=_merge_row_numbers([view.mention for view in views], [view.chains for view in views]),
        finer=first.finer,
        candidates=_merge_candidates(views, shifts),
    )


def _merge_candidates(views: list[View], shifts: list[_Shift]) -> tuple[Candidates, ...] | None:
    """Concatenate the tuples of all runs, if there are any."""
    parts = [view.candidates for view in views if view.candidates is not None]
    if not parts:
        return None
    documents, sentences = ([getattr(shift, name) for shift in shifts] for name in ("document", "sentence"))
    places = [shift.place for shift in shifts]
    return tuple(
        merge_candidates(
            run,
            documents=documents,
            sentences=sentences,
            places=places,
            text=_join_text_columns([each.text for each in run]),
        )
        for run in zip(*parts, strict=True)
    )


def _merge_row_numbers(columns: Sequence[Rows | None], tables: Sequence[Sized | None]) -> Rows | None:
    """Concatenate row numbers of tables, if there are any, offset by the lengths of the earlier tables."""
    known = [column for column in columns if column is not None]
    return concatenate_shifted(known, _row_offsets(tables)) if known else None


def _left_out_reasons(view: View) -> TextColumn:
    return view.left_out if view.left_out is not None else TextColumn.constant("", view.all_sites.rows)


def _merge_positions(tables: Sequence[Sites] | Sequence[Claims], shifts: list[_Shift]) -> tuple[NDArray[np.int32], ...]:
    return (
        concatenate_shifted([table.document for table in tables], [shift.document for shift in shifts]),
        concatenate_shifted([table.sentence for table in tables], [shift.sentence for shift in shifts]),
        concatenate_shifted([table.place for table in tables], [shift.place for shift in shifts]),
    )


def _merge_columns(tables: Sequence[Sites | Aspect]) -> tuple[Codes, tuple[Codes, ...], tuple[str, ...]]:
    """Map the key's and the runs' values to one table of names, and concatenate them."""
    runs = range(len(tables[0].values))
    columns = [TextColumn(table.key, table.names) for table in tables]
    columns += [TextColumn(table.values[run], table.names) for run in runs for table in tables]
    names, codes = recode_canonically(columns)
    count = len(tables)
    values = tuple(np.concatenate(codes[count * (run + 1) : count * (run + 2)]) for run in runs)
    return np.concatenate(codes[:count]), values, names


def _merge_sites(tables: list[Sites], shifts: list[_Shift]) -> Sites:
    key, values, names = _merge_columns(tables)
    parts = None
    if tables[0].parts is not None:
        known = {name: part for table in tables for name, part in zip(table.names, table.parts or (), strict=True)}
        parts = tuple(known[name] for name in names)
    document, sentence, place = _merge_positions(tables, shifts)
    return Sites(
        document=document,
        sentence=sentence,
        place=place,
        key=key,
        values=values,
        names=names,
        parts=parts,
        attributes=_merge_attributes(tables),
        aspects={name: _merge_aspects([table.aspects[name] for table in tables]) for name in tables[0].aspects},
        width=_merge_widths(tables) if any(table.width is not None for table in tables) else None,
        folded=_merge_folded(tables, shifts, names, parts)
        if any(table.folded is not None for table in tables)
        else None,
    )


def _merge_folded(
    tables: list[Sites], shifts: list[_Shift], names: tuple[str, ...], parts: tuple[tuple[str, ...], ...] | None
) -> Folded:
    """Concatenate the folded sites, with the names of all sites."""
    found = [(table.folded, shift) for table, shift in zip(tables, shifts, strict=True) if table.folded is not None]
    merged = _merge_sites([each.sites for each, _ in found], [shift for _, shift in found])
    sites = replace(
        merged,
        place=np.arange(merged.rows, dtype=np.int32),
        key=recode(merged.key, merged.names, names),
        values=tuple(recode(values, merged.names, names) for values in merged.values),
        names=names,
        parts=parts,
    )
    return Folded(sites, np.concatenate([each.count for each, _ in found]))


def _merge_widths(tables: list[Sites]) -> NDArray[np.int32]:
    return np.concatenate([np.ones(each.rows, np.int32) if each.width is None else each.width for each in tables])


def _merge_claims(tables: list[Claims], shifts: list[_Shift]) -> Claims:
    """Concatenate spans; labels are mapped to one table of names, and fragmentations are renumbered."""
    document, sentence, place = _merge_positions(tables, shifts)
    moved = [shift.place for shift in shifts]
    names, labels = recode_canonically([TextColumn(table.label, table.names) for table in tables])
    fragments = _merge_fragments(tables, moved)
    return Claims(
        document=document,
        sentence=sentence,
        place=place,
        width=np.concatenate([table.width for table in tables]),
        begin=concatenate_shifted([table.begin for table in tables], moved),
        end=concatenate_shifted([table.end for table in tables], moved),
        pieces=fragmentation_codes(len(document), fragments, number_fragmentations([fragments])),
        fragments=fragments,
        label=np.concatenate(labels),
        names=names,
        key=np.concatenate([table.key for table in tables]),
        runs=tuple(np.concatenate([table.runs[run] for table in tables]) for run in range(len(tables[0].runs))),
        attributes=_merge_attributes(tables),
        agreed=_merge_agreed(tables, shifts),
    )


def _merge_agreed(tables: list[Claims], shifts: list[_Shift]) -> Claims | None:
    """Concatenate the spans that the key and all runs have; a part may have none."""
    if all(table.agreed is None for table in tables):
        return None
    nothing = np.zeros(0, np.int64)
    found = [agreed_spans(table.take(nothing)) if table.agreed is None else table.agreed for table in tables]
    return agreed_spans(_merge_claims(found, shifts))


def _refuse_overlaps(merged: Claims, tables: list[Claims]) -> None:
    if _count_sites(merged) != sum(map(_count_sites, tables)):
        raise UsageError("a span of one part overlaps a span of another", hint="cut outside spans")


def _count_sites(claims: Claims) -> int:
    return int(claims.site.max(initial=-1)) + 1


def _merge_fragments(tables: list[Claims], moved: list[int]) -> Fragments | None:
    """Concatenate the fragments of spans, in the order of the spans."""
    found = []
    for table, before, by in zip(tables, _row_offsets(tables), moved, strict=True):
        if table.fragments is not None:
            pieces = table.fragments
            found.append(np.stack([pieces.span + before, pieces.begin + by, pieces.end + by]))
    if not found:
        return None
    span, begin, end = np.concatenate(found, axis=1)
    order = np.lexsort((end, begin, span))
    return Fragments(span[order], begin[order], end[order])


def _row_offsets(tables: Sequence[Sized | None]) -> list[int]:
    """Return the total number of rows of the tables before each part's."""
    return before_each([0 if table is None else len(table) for table in tables])


def _merge_aspects(aspects: list[Aspect]) -> Aspect:
    return Aspect(*_merge_columns(aspects), aspects[0].points)


def _merge_attributes(tables: list[Sites] | list[Claims]) -> dict[str, Attribute]:
    names = dict.fromkeys(name for table in tables for name in table.attributes)
    return {name: _merge_attribute(name, tables) for name in names}


def _merge_attribute(name: str, tables: list[Sites] | list[Claims]) -> Attribute:
    """Merge an attribute; its values are missing in parts that do not have it."""
    types = {table.attributes[name].type for table in tables if name in table.attributes}
    kind = types.pop()
    if types or (kind == "truth" and any(name not in table.attributes for table in tables)):
        raise UsageError(f"the attribute {name!r} has different types in the parts")

    given = [
        (table.attributes.get(name), len(table.document)) for table in tables
    ]  # does not keep the tables in memory

    def make() -> Column:
        columns = [_missing_column(kind, rows) if each is None else each.make() for each, rows in given]
        texts = [column for column in columns if isinstance(column, TextColumn)]
        if texts:
            return _join_text_columns(texts)
        return np.concatenate([column for column in columns if not isinstance(column, TextColumn)])

    return Attribute(kind, make)


def _missing_column(kind: str, rows: int) -> Column:
    return TextColumn(np.zeros(rows, np.uint8), ("",), 0) if kind == "text" else np.full(rows, np.nan)


def _join_text_columns(columns: list[TextColumn]) -> TextColumn:
    """Concatenate columns with sorted names, the missing value last, as if they had never been divided."""
    named = [
        column if column.missing is None else TextColumn(column.codes, _mark_missing(column)) for column in columns
    ]
    names, codes = recode_canonically(named)
    missing = names.index(_MISSING) if _MISSING in names else None
    joined = TextColumn(np.concatenate(codes), names, missing).sorted()
    return joined if missing is None else replace(joined, names=(*joined.names[:-1], ""))


def _mark_missing(column: TextColumn) -> tuple[str, ...]:
    return tuple(_MISSING if code == column.missing else name for code, name in enumerate(column.names))


def _shift_sites(tables: list[Items], views: list[View]) -> list[Items]:
    """Convert the site numbers of items, if they have any, to those of the merged sites."""
    if tables[0].site is None:
        return tables
    shifts = _row_offsets([view.all_sites for view in views])
    return [
        replace(table, site=None if table.site is None else table.site + shift)
        for table, shift in zip(tables, shifts, strict=True)
    ]


def _merge_items(
    tables: list[Items], shifts: list[_Shift], claims: Sequence[Claims | None] = (), merged: Claims | None = None
) -> Items:
    """Concatenate items; where they are spans, the key's come before the other predicted ones.

    Args:
        tables: the items of each part.
        shifts: the offsets of each part.
        claims: the spans of each part, where items are spans.
        merged: the merged spans.

    """
    moved = [
        replace(
            table,
            document=table.document + np.int32(shift.document),
            sentence=table.sentence + np.int32(shift.sentence),
            place=table.place + np.int32(shift.place),
        )
        for table, shift in zip(tables, shifts, strict=True)
    ]
    joined = _restore_name_order(joined_items(moved, _row_offsets(claims)), tables)
    if joined.claim is None:
        return joined
    folded, agreed = joined.folded, None if merged is None else merged.agreed
    if folded is not None and agreed is not None:  # each is a span, so their positions are the same
        count = np.broadcast_to(np.int64(1), len(agreed))
        folded = replace(folded, document=agreed.document, sentence=agreed.sentence, count=count)
    return replace(joined.take(np.argsort(~joined.positive, kind="stable")), folded=folded)


def _restore_name_order(joined: Items, tables: list[Items]) -> Items:
    """Restore the order of names of all tables, if they all have the same."""
    names = tables[0].names
    if joined.names == names or any(table.names != names for table in tables):
        return joined
    folded = joined.folded
    if folded is not None:
        folded = replace(folded, label=recode(folded.label, joined.names, names))
    return replace(joined, names=names, label=recode(joined.label, joined.names, names), folded=folded)
