"""Verdicts of parts of a corpus laid end to end: equal, to the last byte, to those of the uncut corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from comparanda.columns import Column, TextColumn
from comparanda.errors import UsageError
from comparanda.excerpts import Texts
from comparanda.verdicts import Attribute, Items, Sites, Units, Verdicts, View, canonical

_MISSING = "\0missing"


def merge(parts: Sequence[Verdicts]) -> Verdicts:
    """Lay the verdicts of consecutive parts of one corpus end to end.

    Codes never leave a part: values are brought to one table of names again.
    """
    first = parts[0]
    for part in parts[1:]:
        if (part.task, part.systems, tuple(part.views)) != (first.task, first.systems, tuple(first.views)):
            raise UsageError("only verdicts of the same task, systems and views can be merged")
        if part.units.kind != first.units.kind:
            raise UsageError("only verdicts with the same unit can be merged")
    documents = _offsets([len(part.documents) for part in parts])
    sentences = _offsets([_sentences(part) for part in parts])
    views = {name: _merge_views([part.views[name] for part in parts], documents, sentences) for name in first.views}
    return replace(
        first,
        documents=tuple(name for part in parts for name in part.documents),
        units=Units(first.units.kind, sum(part.units.count for part in parts)),
        views=views,
        notes=tuple(note for part in parts for note in part.notes),
        texts=Texts(tuple(text for part in parts for text in part.texts.parts)),
    )


def _sentences(part: Verdicts) -> int:
    if part.units.kind != "document":
        return part.units.count
    return max((int(view.all_sites.sentence.max(initial=-1)) + 1 for view in part.views.values()), default=0)


def _offsets(sizes: list[int]) -> list[int]:
    return [sum(sizes[:number]) for number in range(len(sizes))]


def _merge_views(views: list[View], documents: list[int], sentences: list[int]) -> View:
    first = views[0]
    left_out = None
    if first.left_out is not None:
        left_out = _joined([view.left_out for view in views if view.left_out is not None])
    items = [view.given_items for view in views if view.given_items is not None]
    return View(
        first.name,
        _merge_sites([view.all_sites for view in views], documents, sentences),
        first.measures,
        left_out,
        _merge_items(items, documents, sentences) if items else None,
        {name: np.concatenate([view.statistics[name] for view in views]) for name in first.statistics},
    )


def _shifted(
    arrays: list[np.ndarray[tuple[int], np.dtype[np.int32]]], by: list[int]
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.concatenate([array + np.int32(shift) for array, shift in zip(arrays, by, strict=True)])


def _merge_sites(tables: list[Sites], documents: list[int], sentences: list[int]) -> Sites:
    runs = range(len(tables[0].values))
    columns = [TextColumn(table.key, table.names) for table in tables]
    columns += [TextColumn(table.values[run], table.names) for run in runs for table in tables]
    names, codes = canonical(columns)
    count = len(tables)
    values = tuple(np.concatenate(codes[count * (run + 1) : count * (run + 2)]) for run in runs)
    parts = None
    if tables[0].parts is not None:
        known = {name: part for table in tables for name, part in zip(table.names, table.parts or (), strict=True)}
        parts = tuple(known[name] for name in names)
    shared = [name for name in tables[0].attributes if all(name in table.attributes for table in tables)]
    return Sites(
        _shifted([table.document for table in tables], documents),
        _shifted([table.sentence for table in tables], sentences),
        np.concatenate([table.place for table in tables]),
        np.concatenate(codes[:count]),
        values,
        names,
        parts,
        {name: _merge_attributes([table.attributes[name] for table in tables]) for name in shared},
    )


def _merge_attributes(attributes: list[Attribute]) -> Attribute:
    def make() -> Column:
        columns = [attribute.make() for attribute in attributes]
        texts = [column for column in columns if isinstance(column, TextColumn)]
        if texts:
            return _joined(texts)
        return np.concatenate([column for column in columns if not isinstance(column, TextColumn)])

    return Attribute(attributes[0].type, make)


def _joined(columns: list[TextColumn]) -> TextColumn:
    named = [
        column if column.missing is None else replace(column, names=_with_missing(column), missing=None)
        for column in columns
    ]
    names, codes = canonical(named)
    return TextColumn(np.concatenate(codes), names, names.index(_MISSING) if _MISSING in names else None)


def _with_missing(column: TextColumn) -> tuple[str, ...]:
    return tuple(_MISSING if code == column.missing else name for code, name in enumerate(column.names))


def _merge_items(tables: list[Items], documents: list[int], sentences: list[int]) -> Items:
    names, labels = canonical([TextColumn(table.label, table.names) for table in tables])
    runs = range(len(tables[0].claimed))
    credits = [table.credit for table in tables if table.credit is not None]
    return Items(
        _shifted([table.document for table in tables], documents),
        _shifted([table.sentence for table in tables], sentences),
        np.concatenate([table.place for table in tables]),
        np.concatenate(labels),
        names,
        np.concatenate([table.positive for table in tables]),
        tuple(np.concatenate([table.claimed[run] for table in tables]) for run in runs),
        tuple(np.concatenate([credit[run] for credit in credits]) for run in runs) if credits else None,
    )
