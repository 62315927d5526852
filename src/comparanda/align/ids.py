"""Rows that are found by their ids: classification files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.maps import RowMap, row_map
from comparanda.align.missing import missing_notes, refuse_missing
from comparanda.align.words import same_words
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from comparanda.align.maps import Mapped
    from comparanda.align.missing import Missing
    from comparanda.corpus import Corpus


def map_by_id(key: Corpus, response: Corpus, missing: Missing) -> Mapped:
    """Match rows by their ids."""
    if same_words(key, response):
        return RowMap(), None, []
    mine, theirs = _rows_by_id(key), _rows_by_id(response)
    lacking = [name for name in mine if name not in theirs]
    surplus = [name for name in theirs if name not in mine]
    refuse_missing(key, response, lacking, surplus, missing, "id")
    common = [(row, theirs[name]) for name, row in mine.items() if name in theirs]
    rows = np.array(common, dtype=np.int64).reshape(-1, 2)
    notes = missing_notes(response, lacking, surplus, "id")
    return row_map(len(key), len(response), rows[:, 0], rows[:, 1]), None, notes


def refuse_repeated_ids(key: Corpus) -> None:
    """Look for an id that occurs twice, once for all responses: those with the same rows are not looked at again."""
    if key.words is not None and len(key.words.intern().names) < len(key):
        _rows_by_id(key)


def _rows_by_id(corpus: Corpus) -> dict[str, int]:
    if corpus.words is None:
        return {str(row): row for row in range(len(corpus))}
    rows: dict[str, int] = {}
    for row in range(len(corpus)):
        name = corpus.words[row]
        if name in rows:
            raise AlignError(
                f"the id {name!r} occurs a second time",
                where=str(corpus.location(row)),
                details=[f"it stands first at {corpus.location(rows[name])}"],
                hint="rows are told apart by their ids; to give a row several labels see the docs of the format",
            )
        rows[name] = row
    return rows
