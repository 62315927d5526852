"""Verdicts of parts of a corpus laid end to end: equal, to the last byte, to those of the uncut corpus.

A part holds whole documents, and whole topics where chains span documents. Where the key marks none, the corpus is
one document, and a part is a piece of it, cut between sentences or rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.claims import Claims, agreed_spans
from comparanda.columns import Column, TextColumn
from comparanda.corpus import Fragments
from comparanda.errors import UsageError
from comparanda.excerpts import Texts
from comparanda.extents import cut_numbers, ways_of_being_cut
from comparanda.items import Items, joined_items
from comparanda.merge_beliefs import merge_candidates, merge_statistics, shifted
from comparanda.merge_chains import before_each, foreign_last, merge_chains, merge_units, refuse_cut_topics
from comparanda.merge_notes import merge_notes
from comparanda.sites import Aspect, Attribute, Folded, Sites, canonical, recoded
from comparanda.verdicts import Verdicts, View, of_all_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.candidates import Candidates
    from comparanda.chains import Chains
    from comparanda.columns import Codes, Rows
    from comparanda.verdicts import Units

    _Table = Sites | Items | Claims | Chains | Candidates

_MISSING = "\0missing"


@dataclass(frozen=True, slots=True)
class _Shift:
    """How far the rows of a part move: in documents, sentences, and places of their document."""

    document: int
    sentence: int
    place: int


def merge(parts: Sequence[Verdicts]) -> Verdicts:
    """Lay the verdicts of consecutive parts of one corpus end to end.

    Codes never leave a part: values are brought to one table of names again.
    """
    if not parts:
        raise UsageError("there is nothing to merge")
    first = parts[0]
    for part in parts[1:]:
        _refuse_unlike(first, part)
    pieces = first.units.kind in {"sentence", "row"}
    _refuse_cut_documents(parts, pieces=pieces)
    if len(parts) > 1:
        _refuse_cut_spans(parts, pieces=pieces)
    if first.units.kind == "topic":
        refuse_cut_topics(parts)
    units = merge_units(parts)
    ground = _Ground(_shifts(parts, pieces=pieces), units)
    views = {name: _merge_views([part.views[name] for part in parts], ground) for name in first.views}
    merged = replace(
        first,
        documents=first.documents if pieces else tuple(name for part in parts for name in part.documents),
        units=units,
        views=views,
        notes=merge_notes(parts, views),
        texts=Texts(tuple(text for part in parts for text in part.texts.parts), continued=pieces),
    )
    return foreign_last(merged, parts)


def _refuse_unlike(first: Verdicts, part: Verdicts) -> None:
    """Refuse parts that were not judged alike."""
    for name, kept in (
        ("task", lambda verdicts: verdicts.task),
        ("systems", lambda verdicts: (verdicts.systems, verdicts.runs)),
        ("settings", lambda verdicts: dict(verdicts.settings)),
        ("views", lambda verdicts: [_kind(view) for view in verdicts.views.values()]),
        ("unit", lambda verdicts: verdicts.units.kind),
    ):
        mine: Callable[[Verdicts], Any] = kept
        if mine(first) != mine(part):
            unlike = sorted(each for each, _ in {*first.settings.items()} ^ {*part.settings.items()})
            hint = f"they differ in {', '.join(dict.fromkeys(unlike))}" if name == "settings" else None
            raise UsageError(f"only verdicts with the same {name} can be merged", hint=hint)


def _kind(view: View) -> tuple[Any, ...]:
    values = None if view.claims is not None else (view.all_sites.parts is not None, list(view.all_sites.aspects))
    candidates = None if view.chains is None else sorted(view.chains.candidates)
    chains = view.raised, view.kinds, candidates, view.given_items is None or view.given_items.site is None
    known = of_all_labels(view.statistics), of_all_labels(view.lost)
    return view.name, view.measures, known, values, view.given_items is None, chains, view.candidates is None


def _refuse_cut_documents(parts: Sequence[Verdicts], *, pieces: bool) -> None:
    if pieces:
        if any(len(part.documents) != 1 for part in parts):
            raise UsageError("parts without document marks must be pieces of one document")
        return
    names = [name for part in parts for name in part.documents]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"the document {name!r} stands in two parts", hint="cut between documents")
        seen.add(name)


def _refuse_cut_spans(parts: Sequence[Verdicts], *, pieces: bool) -> None:
    """Refuse pieces whose places are not known, and parts of what rules count together.

    What runs have beside the key is in the order of its spans, unless rules count several spans as one thing.
    """
    views = [view for part in parts for view in part.views.values() if view.claims is not None]
    if views and pieces and parts[0].settings.get("positions") != "tokens":
        what = "spans in characters of one document cannot be merged: it is not known where its pieces begin"
        raise UsageError(what, hint="cut between documents")
    for items in (view.given_items for view in views):
        if items is not None and items.claim is not None:
            order = items.claim if pieces else items.document
            if (np.diff(order[~items.positive]) < 0).any():
                what = "the rules count spans together that may stand in several parts, so these cannot be merged"
                raise UsageError(what, hint="cut between documents" if pieces else "judge the documents in one go")


def _shifts(parts: Sequence[Verdicts], *, pieces: bool) -> list[_Shift]:
    shifts, here = [], _Shift(0, 0, 0)
    for part in parts:
        shifts.append(here)
        here = _Shift(
            0 if pieces else here.document + len(part.documents),
            here.sentence + _sentences(part),
            here.place + _rows(part) if pieces else 0,
        )
    return shifts


def _sentences(part: Verdicts) -> int:
    if part.units.kind in {"sentence", "row"}:
        return part.units.count
    if part.texts.parts:
        return sum(len(text.sentences) - 1 for text in part.texts.parts)
    return _highest(part, lambda table: table.sentence) + 1


def _rows(part: Verdicts) -> int:
    """Return the number of rows of a piece: known from its text, else as far as its sites, items and tuples go."""
    if part.texts.parts:
        return sum(text.rows for text in part.texts.parts)
    return _highest(part, _last_row) + 1


def _last_row(table: _Table) -> NDArray[np.int32]:
    width = None if isinstance(table, Items) else table.width
    return table.place if width is None else table.place + width - np.int32(1)


def _highest(part: Verdicts, column: Callable[[_Table], NDArray[np.int32]]) -> int:
    tables: list[_Table] = []
    for view in part.views.values():
        spans = () if view.claims is None else (view.claims, view.claims.agreed)
        tables += [each for each in spans or (view.all_sites,) if each is not None]
        tables += [each for each in (view.given_items, view.chains, *(view.candidates or ())) if each is not None]
    return max((int(column(table).max(initial=-1)) for table in tables), default=-1)


class _Ground:
    """What views stand on: sites, spans or mentions, which are laid end to end once for all views that share them."""

    def __init__(self, shifts: list[_Shift], units: Units) -> None:
        self.shifts = shifts
        self.units = units
        self._known: dict[tuple[int, ...], Claims] = {}
        self._chains: dict[tuple[int, ...], Chains] = {}

    def of(self, views: list[View]) -> tuple[Sites | None, Claims | None]:
        """Return the sites of a view of all parts, or its spans, from which sites follow."""
        spans = [view.claims for view in views if view.claims is not None]
        if not spans:
            return _merge_sites([view.all_sites for view in views], self.shifts), None
        which = tuple(map(id, spans))
        if which not in self._known:
            self._known[which] = _merge_claims(spans, self.shifts)
            _refuse_overlaps(self._known[which], spans)
        return None, self._known[which]

    def chains_of(self, views: list[View]) -> Chains | None:
        """Return the mentions of a view of all parts."""
        tables = [view.chains for view in views if view.chains is not None]
        if not tables:
            return None
        which = tuple(map(id, tables))
        if which not in self._chains:
            documents, sentences = ([getattr(each, name) for each in self.shifts] for name in ("document", "sentence"))
            self._chains[which] = merge_chains(tables, documents, sentences, self.units)
        return self._chains[which]


def _merge_views(views: list[View], ground: _Ground) -> View:
    first, shifts = views[0], ground.shifts
    left_out = None
    if any(view.left_out is not None for view in views):
        left_out = _joined([_reasons(view) for view in views])
    items = [view.given_items for view in views if view.given_items is not None]
    beside = [(view.surplus, shift) for view, shift in zip(views, shifts, strict=True) if view.surplus is not None]
    sites, claims = ground.of(views)
    return View(
        first.name,
        sites,
        first.measures,
        left_out,
        _merge_items(_at_sites(items, views), shifts, [view.claims for view in views], claims) if items else None,
        merge_statistics([view.statistics for view in views]),
        frozenset().union(*(view.lost for view in views)),
        _merge_items([table for table, _ in beside], [shift for _, shift in beside]) if beside else None,
        first.cuts,
        claims,
        first.raised,
        first.kinds,
        ground.chains_of(views),
        _renumbered([view.mention for view in views], [view.chains for view in views]),
        first.finer,
        _merge_candidates(views, shifts),
    )


def _merge_candidates(views: list[View], shifts: list[_Shift]) -> tuple[Candidates, ...] | None:
    """Lay the tuples of all runs end to end, if they are given."""
    parts = [view.candidates for view in views if view.candidates is not None]
    if not parts:
        return None
    documents, sentences = ([getattr(shift, name) for shift in shifts] for name in ("document", "sentence"))
    places = [shift.place for shift in shifts]
    return tuple(
        merge_candidates(run, documents, sentences, places, _joined([each.text for each in run]))
        for run in zip(*parts, strict=True)
    )


def _renumbered(columns: Sequence[Rows | None], tables: Sequence[Sized | None]) -> Rows | None:
    """Lay rows of tables end to end, if they are given: each behind the tables before its own."""
    known = [column for column in columns if column is not None]
    return shifted(known, _before(tables)) if known else None


def _reasons(view: View) -> TextColumn:
    return view.left_out if view.left_out is not None else TextColumn.constant("", view.all_sites.rows)


def _where(tables: Sequence[Sites] | Sequence[Claims], shifts: list[_Shift]) -> tuple[NDArray[np.int32], ...]:
    return (
        shifted([table.document for table in tables], [shift.document for shift in shifts]),
        shifted([table.sentence for table in tables], [shift.sentence for shift in shifts]),
        shifted([table.place for table in tables], [shift.place for shift in shifts]),
    )


def _merge_columns(tables: Sequence[Sites | Aspect]) -> tuple[Codes, tuple[Codes, ...], tuple[str, ...]]:
    """Bring the key's and the runs' values to one table of names, and lay them end to end."""
    runs = range(len(tables[0].values))
    columns = [TextColumn(table.key, table.names) for table in tables]
    columns += [TextColumn(table.values[run], table.names) for run in runs for table in tables]
    names, codes = canonical(columns)
    count = len(tables)
    values = tuple(np.concatenate(codes[count * (run + 1) : count * (run + 2)]) for run in runs)
    return np.concatenate(codes[:count]), values, names


def _merge_sites(tables: list[Sites], shifts: list[_Shift]) -> Sites:
    key, values, names = _merge_columns(tables)
    parts = None
    if tables[0].parts is not None:
        known = {name: part for table in tables for name, part in zip(table.names, table.parts or (), strict=True)}
        parts = tuple(known[name] for name in names)
    document, sentence, place = _where(tables, shifts)
    return Sites(
        document,
        sentence,
        place,
        key,
        values,
        names,
        parts,
        _merge_attributes(tables),
        {name: _merge_aspects([table.aspects[name] for table in tables]) for name in tables[0].aspects},
        _merge_widths(tables) if any(table.width is not None for table in tables) else None,
        _merge_folded(tables, shifts, names, parts) if any(table.folded is not None for table in tables) else None,
    )


def _merge_folded(
    tables: list[Sites], shifts: list[_Shift], names: tuple[str, ...], parts: tuple[tuple[str, ...], ...] | None
) -> Folded:
    """Lay the kinds of sites that are only counted end to end, under the names of all sites."""
    found = [(table.folded, shift) for table, shift in zip(tables, shifts, strict=True) if table.folded is not None]
    merged = _merge_sites([each.sites for each, _ in found], [shift for _, shift in found])
    sites = replace(
        merged,
        place=np.arange(merged.rows, dtype=np.int32),
        key=recoded(merged.key, merged.names, names),
        values=tuple(recoded(values, merged.names, names) for values in merged.values),
        names=names,
        parts=parts,
    )
    return Folded(sites, np.concatenate([each.count for each, _ in found]))


def _merge_widths(tables: list[Sites]) -> NDArray[np.int32]:
    return np.concatenate([np.ones(each.rows, np.int32) if each.width is None else each.width for each in tables])


def _merge_claims(tables: list[Claims], shifts: list[_Shift]) -> Claims:
    """Lay spans end to end; labels are brought to one table of names, and ways of being cut are numbered anew."""
    document, sentence, place = _where(tables, shifts)
    moved = [shift.place for shift in shifts]
    names, labels = canonical([TextColumn(table.label, table.names) for table in tables])
    fragments = _merge_fragments(tables, moved)
    return Claims(
        document,
        sentence,
        place,
        np.concatenate([table.width for table in tables]),
        shifted([table.begin for table in tables], moved),
        shifted([table.end for table in tables], moved),
        cut_numbers(len(document), fragments, ways_of_being_cut([fragments])),
        fragments,
        np.concatenate(labels),
        names,
        np.concatenate([table.key for table in tables]),
        tuple(np.concatenate([table.runs[run] for table in tables]) for run in range(len(tables[0].runs))),
        _merge_attributes(tables),
        _merge_agreed(tables, shifts),
    )


def _merge_agreed(tables: list[Claims], shifts: list[_Shift]) -> Claims | None:
    """Lay the spans that everybody has end to end; a part may have none."""
    if all(table.agreed is None for table in tables):
        return None
    nothing = np.zeros(0, np.int64)
    found = [agreed_spans(table.take(nothing)) if table.agreed is None else table.agreed for table in tables]
    return agreed_spans(_merge_claims(found, shifts))


def _refuse_overlaps(merged: Claims, tables: list[Claims]) -> None:
    if _sites_of(merged) != sum(map(_sites_of, tables)):
        raise UsageError("a span of one part overlaps one of another", hint="cut where no span is")


def _sites_of(claims: Claims) -> int:
    return int(claims.site.max(initial=-1)) + 1


def _merge_fragments(tables: list[Claims], moved: list[int]) -> Fragments | None:
    """Lay the pieces of spans end to end, in the order of the spans."""
    found = []
    for table, before, by in zip(tables, _before(tables), moved, strict=True):
        if table.fragments is not None:
            pieces = table.fragments
            found.append(np.stack([pieces.span + before, pieces.begin + by, pieces.end + by]))
    if not found:
        return None
    span, begin, end = np.concatenate(found, axis=1)
    order = np.lexsort((end, begin, span))
    return Fragments(span[order], begin[order], end[order])


def _before(tables: Sequence[Sized | None]) -> list[int]:
    """Return how many rows stand before those of each part."""
    return before_each([0 if table is None else len(table) for table in tables])


def _merge_aspects(aspects: list[Aspect]) -> Aspect:
    return Aspect(*_merge_columns(aspects), aspects[0].points)


def _merge_attributes(tables: list[Sites] | list[Claims]) -> dict[str, Attribute]:
    names = dict.fromkeys(name for table in tables for name in table.attributes)
    return {name: _merge_attribute(name, tables) for name in names}


def _merge_attribute(name: str, tables: list[Sites] | list[Claims]) -> Attribute:
    """Join an attribute; a part that does not have it has no value there."""
    types = {table.attributes[name].type for table in tables if name in table.attributes}
    kind = types.pop()
    if types or (kind == "truth" and any(name not in table.attributes for table in tables)):
        raise UsageError(f"the attribute {name!r} is not of one type in all parts")

    given = [(table.attributes.get(name), len(table.document)) for table in tables]  # the tables need not stay

    def make() -> Column:
        columns = [_nothing(kind, rows) if each is None else each.make() for each, rows in given]
        texts = [column for column in columns if isinstance(column, TextColumn)]
        if texts:
            return _joined(texts)
        return np.concatenate([column for column in columns if not isinstance(column, TextColumn)])

    return Attribute(kind, make)


def _nothing(kind: str, rows: int) -> Column:
    return TextColumn(np.zeros(rows, np.uint8), ("",), 0) if kind == "text" else np.full(rows, np.nan)


def _joined(columns: list[TextColumn]) -> TextColumn:
    """Lay columns end to end under sorted names, the missing value last, as if they had never been cut."""
    named = [column if column.missing is None else TextColumn(column.codes, _named(column)) for column in columns]
    names, codes = canonical(named)
    missing = names.index(_MISSING) if _MISSING in names else None
    joined = TextColumn(np.concatenate(codes), names, missing).sorted()
    return joined if missing is None else replace(joined, names=(*joined.names[:-1], ""))


def _named(column: TextColumn) -> tuple[str, ...]:
    return tuple(_MISSING if code == column.missing else name for code, name in enumerate(column.names))


def _at_sites(tables: list[Items], views: list[View]) -> list[Items]:
    """Return items that stand at sites of the whole, where they say at which."""
    if tables[0].site is None:
        return tables
    shifts = _before([view.all_sites for view in views])
    return [
        replace(table, site=None if table.site is None else table.site + shift)
        for table, shift in zip(tables, shifts, strict=True)
    ]


def _merge_items(
    tables: list[Items], shifts: list[_Shift], claims: Sequence[Claims | None] = (), merged: Claims | None = None
) -> Items:
    """Lay items end to end; where they are spans, the key's stand before what runs claim beside them.

    Args:
        tables: the items of each part.
        shifts: how far these move.
        claims: the spans of each part, where items are spans.
        merged: these, laid end to end.

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
    joined = _named_alike(joined_items(moved, _before(claims)), tables)
    if joined.claim is None:
        return joined
    folded, agreed = joined.folded, None if merged is None else merged.agreed
    if folded is not None and agreed is not None:  # each is a span, so they stand where these do
        count = np.broadcast_to(np.int64(1), len(agreed))
        folded = replace(folded, document=agreed.document, sentence=agreed.sentence, count=count)
    return replace(joined.take(np.argsort(~joined.positive, kind="stable")), folded=folded)


def _named_alike(joined: Items, tables: list[Items]) -> Items:
    """Return items under the names of all tables, if these have the same, in their order."""
    names = tables[0].names
    if joined.names == names or any(table.names != names for table in tables):
        return joined
    folded = joined.folded
    if folded is not None:
        folded = replace(folded, label=recoded(folded.label, joined.names, names))
    return replace(joined, names=names, label=recoded(joined.label, joined.names, names), folded=folded)
