"""Probable entities written and read again."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import comparanda as cp
from comparanda.core.candidates import Candidates
from comparanda.core.probabilities import Beliefs, Worlds
from comparanda.core.text_columns import TextColumn
from comparanda.formats.probabilistic import Tuples, as_blocks
from tests.tasks.prob.cases import random_case

World = frozenset[tuple[int, int, str]]


def tuples_of(run: Candidates) -> Tuples:
    return Tuples(
        document=run.document.astype(np.int64),
        begin=run.begin,
        end=run.end,
        label=TextColumn(run.label, run.names),
        beliefs=run.beliefs,
    )


def worlds(run: Candidates, document: int) -> dict[World, float]:
    """Return how probable each set of tuples is in a document."""
    beliefs, every = run.beliefs, {frozenset[Any](): 1.0}
    rows = np.flatnonzero(run.document == document).tolist()
    names = {row: (int(run.begin[row]), int(run.end[row]), run.names[int(run.label[row])]) for row in rows}
    for block in sorted({int(beliefs.block[row]) for row in rows}):
        mine = {frozenset([names[row]]): float(beliefs.weight[row]) for row in rows if beliefs.block[row] == block}
        if beliefs.worlds is not None and not beliefs.exclusive[block]:
            mine = {}
            for each in np.flatnonzero(beliefs.worlds.block == block).tolist():
                members = frozenset(names[row] for row in beliefs.worlds.member[beliefs.worlds.world == each].tolist())
                mine[members] = mine.get(members, 0.0) + float(beliefs.worlds.probability[each])
        mine[frozenset()] = mine.get(frozenset(), 0.0) + 1 - sum(mine.values())
        together: dict[World, float] = {}
        for (one, p), (other, q) in product(every.items(), mine.items()):
            together[one | other] = together.get(one | other, 0.0) + p * q
        every = together
    return {world: p for world, p in every.items() if p > 1e-12}


@pytest.mark.parametrize("seed", range(8))
def test_what_is_written_is_read_as_it_was(seed: int, tmp_path: Path) -> None:
    case = random_case(Random(seed), systems=3)
    key, files = case.written(tmp_path)
    before = cp.compare(key, files, task="prob", resamples=0).verdicts.view().candidates or ()
    again = {}
    for name, run in zip(files, before, strict=True):
        again[name] = tmp_path / f"{name}-again.jsonl"
        again[name].write_text(as_blocks([*case.texts], [*case.texts.values()], tuples_of(run)))
    after = cp.compare(key, again, task="prob", resamples=0).verdicts.view().candidates or ()
    for one, other in zip(before, after, strict=True):
        for document in range(len(case.texts)):
            assert worlds(other, document) == pytest.approx(worlds(one, document), abs=1e-12)


def two(beliefs: Beliefs) -> Tuples:
    """Return tuples of one document that begin at 0, 2, 4 …"""
    rows = np.arange(len(beliefs))
    return Tuples(
        document=rows * 0,
        begin=rows * 2,
        end=rows * 2 + 1,
        label=TextColumn.of(["A", "B", "A"][: len(beliefs)]),
        beliefs=beliefs,
    )


def test_what_is_impossible_is_left_out_unless_its_span_is_there() -> None:
    """The first span has no label that is possible, and is still there with a probability of 0.4."""
    spans = np.array([0, 1, 2])
    beliefs = Beliefs(
        weight=np.array([0, 0, 0.3]),
        entity=np.array([0.4, 0, 0.6]),
        alternative=spans,
        block=np.array([0, 0, 1]),
        nothing=np.array([0.6, 0.4]),
    )
    record = json.loads(as_blocks(["d"], ["a b c"], two(beliefs)))
    assert record == {
        "doc": "d",
        "text": "a b c",
        "blocks": [
            {"alternatives": [{"start": 0, "end": 1, "p": 0.4, "labels": {"A": 0.0}}]},
            {"alternatives": [{"start": 4, "end": 5, "p": 0.6, "labels": {"A": 0.5}}]},
        ],
    }


def test_worlds_are_written_in_their_block_without_the_empty_one() -> None:
    made = Worlds(np.array([0, 0]), np.array([0.5, 0.25]), np.array([0, 2, 3]), np.array([0, 1, 1]))
    weight = np.array([0.5, 0.75])
    beliefs = Beliefs(
        weight=weight,
        entity=weight,
        alternative=np.arange(2),
        block=np.array([0, 0]),
        nothing=np.array([0.25]),
        worlds=made,
    )
    record = json.loads(as_blocks(["d"], ["a b"], two(beliefs)))
    assert record["blocks"] == [
        {"worlds": [{"p": 0.5, "spans": [[0, 1, "A"], [2, 3, "B"]]}, {"p": 0.25, "spans": [[2, 3, "B"]]}]}
    ]


def test_the_worlds_of_independent_blocks_are_not_multiplied() -> None:
    """Fourteen blocks of two tuples that can be true together, or not at all: 16,384 combinations, 14 worlds."""
    blocks, size = np.repeat(np.arange(14), 2), 28
    made = Worlds(np.arange(14), np.full(14, 0.5), np.arange(0, 29, 2), np.arange(size))
    beliefs = Beliefs(
        weight=np.full(size, 0.5),
        entity=np.full(size, 0.5),
        alternative=np.arange(size),
        block=blocks,
        nothing=np.full(14, 0.5),
        worlds=made,
    )
    rows = np.arange(size)
    tuples = Tuples(document=rows * 0, begin=rows, end=rows + 1, label=TextColumn.constant("A", size), beliefs=beliefs)
    record = json.loads(as_blocks(["d"], ["x" * 30], tuples))
    assert record["blocks"] == [
        {"worlds": [{"p": 0.5, "spans": [[place, place + 1, "A"], [place + 1, place + 2, "A"]]}]}
        for place in range(0, 28, 2)
    ]
