"""Records with `blocks`: alternatives that exclude each other, and what their labels leave over."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.joining import alone, first_equals
from comparanda.beliefs.making import ALMOST_ONE
from comparanda.beliefs.model import EPSILON, Beliefs
from comparanda.beliefs.policies import OTHER
from comparanda.beliefs.scales import SLACK
from comparanda.columns import TextColumn
from comparanda.read.probabilistic.records import Tuples
from comparanda.read.probabilistic.spans import Flat, flattened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.beliefs.model import Floats
    from comparanda.beliefs.policies import Policies
    from comparanda.columns import Rows
    from comparanda.read.probabilistic.records import Records


_MORE = "these exclude each other; say what else they mean: ?overlap=condition, scale or independent"
_LABELS = "labels of one span exclude each other; if several can be right: ?semantics=independent, or ?overlap=scale"


def blocks(records: Records, numbers: Sequence[int], policies: Policies) -> Tuples:
    """Read the blocks of some records that have the same policies."""
    flat, block = _gathered(records, numbers)
    if policies.semantics == "exclusive":
        flat = _with_residual(_labels_checked(records, flat, policies), policies)
    flat = replace(flat, entity=_spans_checked(records, flat, block, policies))
    same = first_equals(flat.record, flat.begin, flat.end)
    weight, rows = flat.entity[flat.span] * flat.share, np.arange(len(flat.span))
    if (same != np.arange(len(same))).any():
        weight, rows = _once(records, flat, block, same)
    beliefs = _believed(flat, block, rows, weight[rows], policies)
    span, texts = flat.span[rows], flat.texts()
    return Tuples(
        flat.record[span],
        flat.begin[span],
        flat.end[span],
        flat.label if len(rows) == len(flat.label) else [flat.label[row] for row in rows.tolist()],
        beliefs,
        {number: texts[row] for number, row in enumerate(rows.tolist()) if row in texts} if texts else {},
        lambda row: flat.way(int(span[row])),
    )


def _gathered(records: Records, numbers: Sequence[int]) -> tuple[Flat, Rows]:
    """Lay the alternatives of all blocks end to end; return them, and the block of each."""
    given = [records.documents[number].blocks or [] for number in numbers]
    several = list(map(attrgetter("alternatives"), chain.from_iterable(given)))
    sizes = np.fromiter(map(len, several), np.int64, len(several))
    block, first = np.repeat(np.arange(len(several)), sizes), np.cumsum(sizes) - sizes
    counts = np.array([len(blocks) for blocks in given], np.int64)
    owner, first_block = np.repeat(np.arange(len(given)), counts), np.cumsum(counts) - counts

    def way(span: int) -> str:
        number = int(block[span])
        index = number - int(first_block[owner[number]])
        return f"blocks[{index}].alternatives[{span - int(first[number])}]"

    record = np.array(numbers, np.int64)[owner][block]
    return flattened(records, list(chain.from_iterable(several)), record, way), block


def _labels_checked(records: Records, flat: Flat, policies: Policies) -> Flat:
    """Return spans whose labels sum to no more than one; refuse others, if no policy explains them."""
    total = np.bincount(flat.span, flat.share, len(flat.begin))
    over = np.flatnonzero(total > 1 + SLACK)
    if len(over) and policies.overlap != "scale":
        span = int(over[0])
        what = f"the labels of {flat.way(span)!r} have probabilities that sum to {total[span]:g}"
        raise records.refuse(int(flat.record[span]), what, hint=_LABELS)
    return replace(flat, share=flat.share / np.maximum(total, 1.0)[flat.span])


def _with_residual(flat: Flat, policies: Policies) -> Flat:
    """Return spans whose labels leave nothing over, if the policy is not to drop that."""
    total = np.bincount(flat.span, flat.share, len(flat.begin))
    if policies.residual == "renormalise":
        return replace(flat, share=flat.share / np.where(total > 0, total, 1.0)[flat.span])
    less = np.flatnonzero(total < 1 - EPSILON)
    if policies.residual == "drop" or not len(less):
        return flat
    span = np.concatenate([flat.span, less])
    order = np.argsort(span, kind="stable")
    label = [*flat.label, *[OTHER] * len(less)]
    share = np.concatenate([flat.share, 1 - total[less]])
    return replace(flat, span=span[order], label=[label[row] for row in order.tolist()], share=share[order])


def _spans_checked(records: Records, flat: Flat, block: Rows, policies: Policies) -> Floats:
    """Return how probable spans are, where those of each block have no more than one; refuse others."""
    if policies.overlap == "independent":
        return flat.entity
    if policies.overlap == "condition":
        return _conditioned(records, flat, block)
    total = np.bincount(block, flat.entity)
    over = np.flatnonzero(total > 1 + SLACK)
    if len(over) and policies.overlap != "scale":
        number, way = _block(flat, block, int(over[0]))
        raise records.refuse(
            number, f"the spans of {way!r} have probabilities that sum to {total[over[0]]:g}", hint=_MORE
        )
    return flat.entity / np.maximum(total, 1.0)[block]


def _conditioned(records: Records, flat: Flat, block: Rows) -> Floats:
    """Return how probable spans of independent scores are, given that no two of a block are there."""
    certain = np.bincount(block, flat.entity >= ALMOST_ONE)
    if (certain > 1).any():
        number, way = _block(flat, block, int((certain > 1).argmax()))
        hint = "leave one out, or say ?overlap=independent if both can be there"
        raise records.refuse(number, f"two spans of {way!r} are certain, and exclude each other", hint=hint)
    capped = np.minimum(flat.entity, ALMOST_ONE)
    odds = capped / (1 - capped)
    found = odds / (1 + np.bincount(block, odds))[block]
    return np.where(np.bincount(block)[block] > 1, found, flat.entity)


def _block(flat: Flat, block: Rows, number: int) -> tuple[int, str]:
    """Return the record of a block, and the way to it."""
    first = int(np.searchsorted(block, number))
    return int(flat.record[first]), flat.way(first).partition(".")[0]


def _once(records: Records, flat: Flat, block: Rows, same: Rows) -> tuple[Floats, Rows]:
    """Return the weights of tuples, equal ones of a block added, and the first of each; refuse those of two blocks."""
    first = first_equals(same[flat.span], TextColumn.of(flat.label).codes)
    again = np.flatnonzero(first != np.arange(len(first)))
    apart = again[block[flat.span[again]] != block[flat.span[first[again]]]]
    if len(apart):
        row = int(apart[0])
        span, other = int(flat.span[row]), int(flat.span[first[row]])
        what = f"{flat.way(span)!r} with the label {flat.label[row]!r} stands in {flat.way(other)!r} too"
        hint = "blocks are independent of each other: put spans that exclude each other into one"
        raise records.refuse(int(flat.record[span]), what, hint=hint)
    weight = np.bincount(first, flat.entity[flat.span] * flat.share, len(first)).astype(np.float64)
    return weight, np.flatnonzero(first == np.arange(len(first)))


def _believed(flat: Flat, block: Rows, rows: Rows, weight: Floats, policies: Policies) -> Beliefs:
    """Make the beliefs of the tuples that are left."""
    if policies.overlap == "independent":
        return alone(weight)
    span = flat.span[rows]
    if policies.semantics == "independent":
        label = TextColumn.of(flat.label)
        _, number = np.unique(block[span] * (len(label.names) + 1) + label.codes[rows], return_inverse=True)
        return Beliefs(weight, weight, np.arange(len(rows)), number, np.maximum(1 - np.bincount(number, weight), 0.0))
    one = first_equals(block, flat.begin, flat.end)  # spans that stand twice in a block are one
    entity = np.bincount(one, flat.entity, len(one)).astype(np.float64)
    nothing = np.maximum(1 - np.bincount(block, flat.entity), 0.0)
    return Beliefs(weight, entity[one[span]], one[span], block[span], nothing)
