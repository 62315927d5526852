"""The tuples of parts laid end to end, and the sums over them.

A label that a part does not have weighs nothing there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from comparanda.beliefs.joining import side_by_side
from comparanda.candidates import Candidates
from comparanda.columns import TextColumn
from comparanda.errors import UsageError
from comparanda.sites import canonical
from comparanda.verdicts import without_label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.columns import Truths

    Statistics = Mapping[str, NDArray[np.float64]]

Integer = TypeVar("Integer", np.int32, np.int64)


def merge_candidates(
    tables: Sequence[Candidates],
    documents: Sequence[int],
    sentences: Sequence[int],
    places: Sequence[int],
    text: TextColumn,
) -> Candidates:
    """Lay the tuples of one run end to end.

    Args:
        tables: those of each part.
        documents: how many documents stand before each part.
        sentences: how many sentences.
        places: how many rows of the same document.
        text: what all tuples cover.

    """
    names, labels = canonical([TextColumn(table.label, table.names) for table in tables])
    return Candidates(
        document=shifted([table.document for table in tables], documents),
        sentence=shifted([table.sentence for table in tables], sentences),
        place=shifted([table.place for table in tables], places),
        width=np.concatenate([table.width for table in tables]),
        begin=shifted([table.begin for table in tables], places),
        end=shifted([table.end for table in tables], places),
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


def shifted(columns: Sequence[NDArray[Integer]], by: Sequence[int]) -> NDArray[Integer]:
    """Lay columns end to end, each moved so far; their type stays."""
    return np.concatenate([column + column.dtype.type(shift) for column, shift in zip(columns, by, strict=True)])


def merge_statistics(parts: Sequence[Statistics]) -> dict[str, NDArray[np.float64]]:
    """Lay the statistics of units end to end; those of a label that a part does not have are 0 there."""
    names = list(parts[0])
    if any(part.keys() != parts[0].keys() for part in parts):
        names = sorted({name for part in parts for name in part})
    return {name: _merge_statistic(name, parts) for name in names}


def _merge_statistic(name: str, parts: Sequence[Statistics]) -> NDArray[np.float64]:
    whole = without_label(name)
    tables = [part[name] if name in part else np.zeros_like(part[whole]) for part in parts]
    if len({table.shape[1:] for table in tables}) > 1:
        raise UsageError(f"the statistic {name!r} has another shape in another part")
    return np.concatenate(tables)
