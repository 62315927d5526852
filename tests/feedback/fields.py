"""Small fields of questions, written out or drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from comparanda.core.candidates import Candidates
from comparanda.core.probabilities import Beliefs, Worlds
from comparanda.core.text_columns import TextColumn
from comparanda.feedback.field import Field, field_of
from comparanda.tasks.prob.evaluation import decide_blocks

Span = tuple[float, list[tuple[float, bool]]]
"""The probability of a span, and for each of its labels the probability and whether the key has it."""

Block = list[Span]


def candidates_of(beliefs: Beliefs, correct: Sequence[bool], labels: Sequence[int], texts: Sequence[str]) -> Candidates:
    """Return tuples that stand apart from each other, one row each, all in one document."""
    size = len(beliefs)
    place = np.arange(size, dtype=np.int32)
    width, label = np.ones(size, np.int32), np.array(labels, np.int64)
    names = tuple(f"L{number}" for number in range(max(labels, default=-1) + 1))
    found = decide_blocks(beliefs, np.arange(size))
    zero = np.zeros(size, np.int32)
    return Candidates(
        document=zero,
        sentence=zero,
        place=place,
        width=width,
        begin=place.astype(np.int64),
        end=place.astype(np.int64) + 1,
        label=label,
        names=names,
        text=TextColumn.of(texts),
        correct=np.array(correct, np.bool_),
        decided=found.chosen,
        beliefs=beliefs,
        tied=found.tied,
    )


def field(blocks: Sequence[Block], key: int | None = None, *, texts: Sequence[str] = (), scope: Any = None) -> Field:
    """Return a field of exclusive blocks; the texts, if there are any, are those of the spans one after the other."""
    spans = [(number, p, tuples) for number, spans in enumerate(blocks) for p, tuples in spans]
    rows = [
        (p * share, p, span, number, right, label)
        for span, (number, p, tuples) in enumerate(spans)
        for label, (share, right) in enumerate(tuples)
    ]
    weight, entity, span_of, block, correct, labels = zip(*rows, strict=True) if rows else ((),) * 6
    words = [texts[span] if texts else f"w{span}" for span in span_of]
    beliefs = Beliefs(
        weight=np.array(weight, np.float64),
        entity=np.array(entity, np.float64),
        alternative=np.array(span_of, np.int64),
        block=np.array(block, np.int64),
        nothing=np.array([max(0.0, 1 - sum(p for p, _ in spans)) for spans in blocks], np.float64),
    )
    return field_of(candidates_of(beliefs, correct, labels, words), sum(correct) if key is None else key, scope)


def listed(
    worlds: Sequence[tuple[float, Sequence[int]]], correct: Sequence[bool], key: int | None = None, texts: Any = None
) -> Field:
    """Return a field of one block with worlds: the probability of each, and the tuples that are true in it."""
    size = len(correct)
    probability = np.array([p for p, _ in worlds])
    members = [np.array(rows, np.int64) for _, rows in worlds]
    weight = np.zeros(size)
    for p, rows in worlds:
        weight[list(rows)] += p
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in members])])
    made = Worlds(np.zeros(len(worlds), np.int64), probability, offsets, np.concatenate(members).astype(np.int64))
    empty = 1 - probability.sum() + sum(p for p, rows in worlds if not rows)
    beliefs = Beliefs(
        weight=weight,
        entity=weight.copy(),
        alternative=np.arange(size),
        block=np.zeros(size, np.int64),
        nothing=np.array([empty]),
        worlds=made,
    )
    words = texts or [f"w{row}" for row in range(size)]
    return field_of(candidates_of(beliefs, correct, [0] * size, words), sum(correct) if key is None else key)


def level(seed: int, blocks: int) -> Field:
    """Draw a field with probabilities that are often equal: eighths of spans, quarters of labels."""
    draw = np.random.default_rng(seed)
    made: list[Block] = []
    for _ in range(blocks):
        chances = draw.multinomial(8, np.ones(4) / 4)[:3] / 8
        shares = draw.multinomial(4, np.ones(3) / 3, 3) / 4
        right = draw.random((3, 3)) < 0.2
        spans = zip(chances.tolist(), shares.tolist(), right.tolist(), strict=True)
        made.append([(p, list(zip(each, true, strict=True))) for p, each, true in spans])
    return field(made)


def drawn(seed: int, blocks: int, *, single: bool = True, words: int = 6, missed: int = 1) -> Field:
    """Draw a field; its texts repeat.

    Args:
        seed: which one.
        blocks: how many blocks it has.
        single: whether a block has at most one tuple that the key has, and no wrong one is certain.
        words: how many texts there are.
        missed: how many entities of the key no tuple is for.

    """
    draw = np.random.default_rng(seed)
    made: list[Block] = []
    for _ in range(blocks):
        spans = int(draw.integers(1, 4))
        chances = draw.dirichlet(np.ones(spans + 1))[:spans]
        block: Block = []
        for p in chances:
            labels = int(draw.integers(1, 4))
            shares = draw.dirichlet(np.ones(labels + 1)) if draw.random() < 0.3 else draw.dirichlet(np.ones(labels))
            block.append((float(p), [(float(each), False) for each in shares[:labels]]))
        places = [(span, label) for span, (_, tuples) in enumerate(block) for label in range(len(tuples))]
        right = 1 if single else 2
        for pick in draw.permutation(len(places))[: int(draw.integers(0, right + 1))]:
            span, label = places[pick]
            block[span][1][label] = (block[span][1][label][0], True)
        if not single and draw.random() < 0.2:
            block = [(1.0, [(1.0, bool(draw.random() < 0.5))])]
        made.append(block)
    count = sum(len(spans) for spans in made)
    texts = [f"w{int(each)}" for each in draw.integers(0, words, count)]
    right_ones = sum(right for spans in made for _, tuples in spans for _, right in tuples)
    return field(made, right_ones + missed, texts=texts)
