"""Brackets read all at once, against the careful reader that goes through them one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from comparanda.core.limits import USUAL
from comparanda.core.places import Source
from comparanda.core.text_columns import TextColumn
from comparanda.errors import ReadError
from comparanda.formats.conll2012 import plain_mentions
from comparanda.formats.entity_brackets import Cell, read_mentions

Found = list[tuple[int, int, str]]


def at_once(documents: list[list[str]]) -> Found | None:
    """Read cells of words; "-" is none."""
    cells = [cell for document in documents for cell in document]
    owner = np.repeat(np.arange(len(documents)), list(map(len, documents)))
    rows = np.array([row for row, cell in enumerate(cells) if cell != "-"], np.int64)
    column = TextColumn.of([cells[row] for row in rows.tolist()])
    found = plain_mentions(rows, column, owner[rows], USUAL.open)
    if found is None:
        return None
    return list(
        zip(found.first.tolist(), found.last.tolist(), (str(name) for name in found.chain.values()), strict=True)
    )


def one_by_one(documents: list[list[str]]) -> Found | None:
    found: Found = []
    row = 0
    for document in documents:
        cells = []
        for cell in document:
            parts = cell.split("|") if cell != "-" else []
            cells += [(Cell(part, 0, row, row + 1), ("eid",)) for part in parts]
            row += 1
        try:
            given = read_mentions(Source.of_text("x", b""), cells, USUAL.open)
        except ReadError:
            return None
        found += [(each.pieces[0][0], each.pieces[0][1] - 1, str(each.chain)) for each in given]
    return found


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(1", "-", "1)"], [(0, 2, "1")]),
        (["(1)|(2", "2)"], [(0, 0, "1"), (0, 1, "2")]),
        (["(1(1", "1)", "1)"], [(0, 2, "1"), (0, 1, "1")]),  # the innermost is closed first
        (["(1", "(2", "1)", "2)"], [(0, 2, "1"), (1, 3, "2")]),  # different chains may cross
        (["(1(2)1)"], [(0, 0, "1"), (0, 0, "2")]),
        (["(1|1)"], [(0, 0, "1")]),
        (["1)"], None),
        (["(1"], None),
        (["(1", "2)"], None),
        (["(person-1)"], None),
        (["(1[1/2])"], None),
        (["1)(1"], None),
        (["7"], None),
    ],
)
def test_cells_counted_on_fingers(cells: list[str], expected: Found | None) -> None:
    assert at_once([cells]) == expected


def test_a_chain_ends_with_its_document() -> None:
    assert at_once([["(1"], ["1)"]]) is None


def test_a_file_without_brackets_has_no_mentions() -> None:
    assert at_once([["-", "-"]]) == []


def _cell(draw: random.Random, open_chains: list[str]) -> str:
    parts = []
    for _ in range(draw.choice((0, 0, 1, 1, 2, 3))):
        kind = draw.random()
        chain = str(draw.randrange(3))
        if kind < 0.35:
            parts.append(f"({chain}")
            open_chains.append(chain)
        elif kind < 0.6:
            parts.append(f"({chain})")
        elif open_chains and draw.random() < 0.97:
            parts.append(f"{open_chains.pop(draw.randrange(len(open_chains)))})")
        elif draw.random() < 0.2:
            parts.append(f"{chain})")
    return draw.choice(("", "|")).join(parts) or "-"


def test_random_cells_give_what_the_careful_reader_finds() -> None:
    broken = whole = 0
    for seed in range(1500):
        draw = random.Random(seed)
        documents = []
        for _ in range(draw.randrange(1, 4)):
            open_chains: list[str] = []
            cells = [_cell(draw, open_chains) for _ in range(draw.randrange(1, 9))]
            if draw.random() < 0.9:
                cells += [f"{chain})" for chain in reversed(open_chains)]
            documents.append(cells)
        expected = one_by_one(documents)
        assert at_once(documents) == expected, documents
        broken, whole = broken + (expected is None), whole + (expected is not None)
    assert broken > 100
    assert whole > 800
