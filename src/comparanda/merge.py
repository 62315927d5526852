"""Verdicts of parts of a corpus laid end to end: equal, to the last byte, to those of the uncut corpus.

A part holds whole documents. Where the key marks none, the corpus is one document, and a part is a
piece of it, cut between sentences or rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from comparanda.columns import Column, TextColumn
from comparanda.errors import UsageError
from comparanda.excerpts import Texts
from comparanda.items import Items, joined_items
from comparanda.judge.label_maps import ONE_SIDED, one_sided
from comparanda.sites import Aspect, Attribute, Sites, canonical
from comparanda.verdicts import Units, Verdicts, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from comparanda.columns import Codes
    from comparanda.places import Note

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
    pieces = first.units.kind != "document"
    _refuse_cut_documents(parts, pieces=pieces)
    shifts = _shifts(parts, pieces=pieces)
    views = {name: _merge_views([part.views[name] for part in parts], shifts) for name in first.views}
    return replace(
        first,
        documents=first.documents if pieces else tuple(name for part in parts for name in part.documents),
        units=Units(first.units.kind, sum(part.units.count for part in parts)),
        views=views,
        notes=_merge_notes(parts, views),
        texts=Texts(tuple(text for part in parts for text in part.texts.parts), continued=pieces),
    )


def _refuse_unlike(first: Verdicts, part: Verdicts) -> None:
    """Refuse parts that were not judged alike."""
    for name, kept in (
        ("task", lambda verdicts: verdicts.task),
        ("systems", lambda verdicts: (verdicts.systems, verdicts.runs)),
        ("views", lambda verdicts: [_kind(view) for view in verdicts.views.values()]),
        ("unit", lambda verdicts: verdicts.units.kind),
        ("settings", lambda verdicts: dict(verdicts.settings)),
    ):
        mine: Callable[[Verdicts], Any] = kept
        if mine(first) != mine(part):
            raise UsageError(f"only verdicts with the same {name} can be merged")


def _kind(view: View) -> tuple[Any, ...]:
    several, aspects = view.all_sites.parts is not None, list(view.all_sites.aspects)
    return view.name, view.measures, view.lost, several, aspects, view.given_items is None, sorted(view.statistics)


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
    if part.units.kind != "document":
        return part.units.count
    if part.texts.parts:
        return sum(len(text.sentences) - 1 for text in part.texts.parts)
    return _highest(part, lambda table: table.sentence) + 1


def _rows(part: Verdicts) -> int:
    """Return the number of rows of a piece: known from its text, else as far as its sites and items go."""
    if part.texts.parts:
        return sum(text.rows for text in part.texts.parts)
    return _highest(part, lambda table: table.place) + 1


def _highest(part: Verdicts, column: Callable[[Sites | Items], NDArray[np.int32]]) -> int:
    tables: list[Sites | Items] = []
    for view in part.views.values():
        tables += [view.all_sites] if view.given_items is None else [view.all_sites, view.given_items]
    return max((int(column(table).max(initial=-1)) for table in tables), default=-1)


def _merge_notes(parts: Sequence[Verdicts], views: dict[str, View]) -> tuple[Note, ...]:
    """Add up the notes; those about labels on one side speak of the whole, so they are made again."""
    notes = [note for part in parts for note in part.notes]
    kept = [note for note in notes if note.what not in ONE_SIDED]
    if len(kept) < len(notes):
        kept += one_sided(next(iter(views.values())), parts[0].runs)
    return tuple(kept)


def _merge_views(views: list[View], shifts: list[_Shift]) -> View:
    first = views[0]
    left_out = None
    if any(view.left_out is not None for view in views):
        left_out = _joined([_reasons(view) for view in views])
    items = [view.given_items for view in views if view.given_items is not None]
    beside = [(view.surplus, shift) for view, shift in zip(views, shifts, strict=True) if view.surplus is not None]
    return View(
        first.name,
        _merge_sites([view.all_sites for view in views], shifts),
        first.measures,
        left_out,
        _merge_items(items, shifts) if items else None,
        {name: _merge_statistics(name, [view.statistics[name] for view in views]) for name in first.statistics},
        first.lost,
        _merge_items([table for table, _ in beside], [shift for _, shift in beside]) if beside else None,
        first.cuts,
    )


def _reasons(view: View) -> TextColumn:
    return view.left_out if view.left_out is not None else TextColumn.constant("", len(view.all_sites))


def _merge_statistics(name: str, tables: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    if len({table.shape[1:] for table in tables}) > 1:
        raise UsageError(f"the statistic {name!r} has another shape in another part")
    return np.concatenate(tables)


def _shifted(arrays: list[NDArray[np.int32]], by: list[int]) -> NDArray[np.int32]:
    return np.concatenate([array + np.int32(shift) for array, shift in zip(arrays, by, strict=True)])


def _where(tables: Sequence[Sites], shifts: list[_Shift]) -> tuple[NDArray[np.int32], ...]:
    return (
        _shifted([table.document for table in tables], [shift.document for shift in shifts]),
        _shifted([table.sentence for table in tables], [shift.sentence for shift in shifts]),
        _shifted([table.place for table in tables], [shift.place for shift in shifts]),
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
    attributes = dict.fromkeys(name for table in tables for name in table.attributes)
    return Sites(
        document,
        sentence,
        place,
        key,
        values,
        names,
        parts,
        {name: _merge_attributes(name, tables) for name in attributes},
        {name: _merge_aspects([table.aspects[name] for table in tables]) for name in tables[0].aspects},
    )


def _merge_aspects(aspects: list[Aspect]) -> Aspect:
    return Aspect(*_merge_columns(aspects), aspects[0].points)


def _merge_attributes(name: str, tables: list[Sites]) -> Attribute:
    """Join an attribute; a part that does not have it has no value there."""
    types = {table.attributes[name].type for table in tables if name in table.attributes}
    kind = types.pop()
    if types or (kind == "truth" and any(name not in table.attributes for table in tables)):
        raise UsageError(f"the attribute {name!r} is not of one type in all parts")

    def make() -> Column:
        columns = [
            table.attributes[name].make() if name in table.attributes else _nothing(kind, len(table))
            for table in tables
        ]
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


def _merge_items(tables: list[Items], shifts: list[_Shift]) -> Items:
    return joined_items(
        [
            replace(
                table,
                document=table.document + np.int32(shift.document),
                sentence=table.sentence + np.int32(shift.sentence),
                place=table.place + np.int32(shift.place),
            )
            for table, shift in zip(tables, shifts, strict=True)
        ]
    )
