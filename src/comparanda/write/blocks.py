"""Probabilistic entities as JSON lines: blocks of alternatives, or the worlds of a document as its n best analyses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from comparanda.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.beliefs.model import Beliefs
    from comparanda.columns import Rows, TextColumn

MOST_WORLDS = 10_000
"""So many worlds of a document are written as analyses, and no more."""

World = tuple[float, tuple[int, ...]]
"""How likely a world is, and the tuples that are true in it."""


@dataclass(frozen=True, eq=False)
class Tuples:
    """Spans with labels, document by document and block by block.

    Args:
        document: the index of each one's document.
        begin: the character of its text at which it begins.
        end: the character behind it.
        label: its label.
        beliefs: how probable all of them are.

    """

    document: Rows
    begin: Rows
    end: Rows
    label: TextColumn
    beliefs: Beliefs


def as_blocks(names: Sequence[str], texts: Sequence[str], tuples: Tuples) -> str:
    """Write documents, one a line: with blocks, or with analyses where tuples of one block can be true together."""
    bounds = np.searchsorted(tuples.document, np.arange(len(names) + 1)).tolist()
    encode = msgspec.json.Encoder().encode
    lines = []
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        rows = range(bounds[number], bounds[number + 1])
        record = {"doc": name, "text": text, **_content(name, rows, tuples)}
        lines.append(f"{encode(record).decode()}\n")
    return "".join(lines)


def _content(name: str, rows: range, tuples: Tuples) -> dict[str, Any]:
    beliefs = tuples.beliefs
    blocks: dict[int, list[int]] = {}
    for row in rows:
        blocks.setdefault(int(beliefs.block[row]), []).append(row)
    if all(beliefs.exclusive[block] for block in blocks):
        made = (_alternatives(each, tuples) for each in blocks.values())
        return {"blocks": [{"alternatives": each} for each in made if each]}
    worlds = [_worlds(block, each, beliefs) for block, each in blocks.items()]
    if prod(map(len, worlds)) > MOST_WORLDS:
        what = (
            f"the document {name!r} has spans that overlap each other in chains, and more than {MOST_WORLDS:,} worlds"
        )
        raise WriteError(what, hint="blocks hold spans that exclude each other; ask with ?overlap=exclusive")
    return {"nbest": [_analysis(each, tuples) for each in product(*worlds)]}


def _alternatives(rows: list[int], tuples: Tuples) -> list[dict[str, Any]]:
    """Return the spans of a block that are possible; labels that are not are left out, unless all of them are."""
    beliefs = tuples.beliefs
    found: dict[int, dict[str, Any]] = {}
    for row in rows:
        p = float(beliefs.entity[row])
        if p <= 0:
            continue
        one = found.setdefault(
            int(beliefs.alternative[row]),
            {"start": int(tuples.begin[row]), "end": int(tuples.end[row]), "p": p, "labels": {}},
        )
        one["labels"][tuples.label[row]] = float(min(beliefs.weight[row] / p, 1.0))
    for one in found.values():
        likely = {label: p for label, p in one["labels"].items() if p > 0}
        one["labels"] = likely or one["labels"]
    return list(found.values())


def _worlds(block: int, rows: list[int], beliefs: Beliefs) -> list[World]:
    """Return the worlds of a block that are possible, what is missing as one without tuples."""
    if beliefs.exclusive[block] or beliefs.worlds is None:
        found: list[World] = [(float(beliefs.weight[row]), (row,)) for row in rows]
    else:
        worlds = beliefs.worlds
        found = []
        for each in range(*np.searchsorted(worlds.block, [block, block + 1]).tolist()):
            members = worlds.member[worlds.offsets[each] : worlds.offsets[each + 1]]
            found.append((float(worlds.probability[each]), tuple(members.tolist())))
    rest = 1.0 - sum(p for p, _ in found)
    return [*((p, members) for p, members in found if p > 0), *([(rest, ())] if rest > 0 else [])]


def _analysis(worlds: Sequence[World], tuples: Tuples) -> dict[str, Any]:
    members = sorted(row for _, some in worlds for row in some)
    spans = [[int(tuples.begin[row]), int(tuples.end[row]), tuples.label[row]] for row in members]
    return {"p": prod(p for p, _ in worlds), "spans": spans}
