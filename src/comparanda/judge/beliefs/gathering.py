"""The tuples of all runs on the key's ground: which the key has, and which are in the hard output."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from comparanda.beliefs.decide import decide
from comparanda.beliefs.model import certain
from comparanda.candidates import Candidates
from comparanda.columns import TextColumn, code_type
from comparanda.judge.span_claims import claims_of
from comparanda.judge.spans import counting_labels, left_out_note, placed_labels
from comparanda.places import Note, refuse
from comparanda.sites import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align import Aligned, PlacedSpans, Placement
    from comparanda.beliefs.model import Beliefs
    from comparanda.claims import Claims
    from comparanda.columns import Codes, Rows
    from comparanda.corpus import Corpus
    from comparanda.judge.task import Options
    from comparanda.verdicts import System


@dataclass(frozen=True, eq=False)
class Gathered:
    """All sides on common ground.

    Args:
        placement: the spans that count: the key's, then each run's hard output.
        names: the labels by code.
        columns: the labels of these spans.
        claims: the key's spans and all tuples of all runs.
        candidates: the tuples of each run.
        notes: what was met on the way.

    """

    placement: Placement
    names: tuple[str, ...]
    columns: list[TextColumn]
    claims: Claims
    candidates: tuple[Candidates, ...]
    notes: list[Note]


def gather(aligned: Aligned, systems: Sequence[System], options: Options) -> Gathered:
    """Bring tuples into the order of their blocks, tell which are right, and decide.

    Labels that do not count are left out when all is decided: until then they are rivals of others.
    """
    placement, columns, notes = placed_labels(aligned, systems, replace(options, only=(), ignore=()))
    names, labels = canonical(columns)
    claims, numbers = claims_of(aligned.key, placement, names, labels)
    once, twice = _once(aligned.key, numbers[0])
    notes += twice
    sides, codes, candidates = [placement.sides[0].take(once)], [labels[0][once]], []
    for corpus, side, label, number in zip(
        aligned.responses, placement.sides[1:], labels[1:], numbers[1:], strict=True
    ):
        rows, beliefs, note = _by_block(corpus, side, number)
        notes += note
        mine = side.take(rows)
        candidates.append(_judged(claims, number[rows], mine, label[rows], names, placement, beliefs, options))
        hard = np.flatnonzero(candidates[-1].decided)
        sides.append(mine.take(hard))
        codes.append(label[rows][hard])
    placed = replace(placement, sides=tuple(sides))
    hard_columns = [TextColumn(each, names) for each in codes]
    return _counting(Gathered(placed, names, hard_columns, claims, tuple(candidates), notes), options)


def _counting(found: Gathered, options: Options) -> Gathered:
    """Leave out what does not count because of its label."""
    counts = counting_labels(options)
    if counts is None:
        return found
    keep = np.array([counts(name) for name in found.names], np.bool_)
    names = tuple(name for name, kept in zip(found.names, keep, strict=True) if kept)
    code = np.maximum(np.cumsum(keep) - 1, 0).astype(code_type(len(names)))  # of those that stay

    def left(label: Codes) -> Rows:
        return np.flatnonzero(keep[label])

    rows = [left(column.codes) for column in found.columns]
    sides = tuple(side.take(mine) for side, mine in zip(found.placement.sides, rows, strict=True))
    columns = [TextColumn(code[column.codes[mine]], names) for column, mine in zip(found.columns, rows, strict=True)]
    claims = found.claims.take(left(found.claims.label))
    candidates = tuple(each.take(left(each.label)) for each in found.candidates)
    gone = len(found.columns[0]) - len(rows[0])
    gone += sum(len(every) - len(some) for every, some in zip(found.candidates, candidates, strict=True))
    return Gathered(
        replace(found.placement, sides=sides),
        names,
        columns,
        replace(claims, label=code[claims.label], names=names),
        tuple(replace(each, label=code[each.label], names=names) for each in candidates),
        [*found.notes, *left_out_note(gone)],
    )


def _by_block(corpus: Corpus, side: PlacedSpans, number: Rows) -> tuple[Rows, Beliefs, list[Note]]:
    """Return the tuples of a run block by block, each once, and what it believes of them.

    Blocks stand in the order of the key's documents, wherever the run's file has them, so that parts of a corpus can be
    laid end to end. Equal tuples of one block are one, as labels may be that were mapped to the same; their weights are
    added.
    """
    if corpus.beliefs is None:
        rows, notes = _once(corpus, number)
        return rows, certain(len(rows)), notes
    mine = corpus.beliefs.take(side.given)
    order = np.lexsort((number, mine.block, side.document))
    again = np.flatnonzero((np.diff(number[order]) == 0) & (np.diff(mine.block[order]) == 0)) + 1
    if len(again):
        mine, order = _added(mine, order, again)
    _refuse_two_blocks(corpus, side.given[order], number[order])
    found = mine.take(order).numbered()
    if found.worlds is not None and len(found) < len(corpus.beliefs):  # worlds that differed may be the same now
        worlds = found.worlds.distinct()
        found = replace(found, worlds=worlds if len(worlds) else None)
    return order, found, []


def _once(corpus: Corpus, number: Rows) -> tuple[Rows, list[Note]]:
    """Return the first of equal spans that are certain."""
    first = np.sort(np.unique(number, return_index=True)[1])
    twice = len(number) - len(first)
    return first, [Note(corpus.name, "spans given more than once, counted once", twice)] if twice else []


def _added(beliefs: Beliefs, order: Rows, again: Rows) -> tuple[Beliefs, Rows]:
    """Add the weights of tuples to those of the equal ones before them, which stay."""
    new = np.ones(len(order), np.bool_)
    new[again] = False
    kept = order[new]
    stands_for = np.empty(len(order), np.int64)
    stands_for[order] = kept[np.cumsum(new) - 1]
    weight = np.bincount(stands_for, beliefs.weight, len(order)).astype(np.float64)
    worlds = beliefs.worlds
    if worlds is not None:
        where, member = np.unique(np.stack([worlds.world, stands_for[worlds.member]]), axis=1)  # once in each world
        sizes = np.bincount(where, minlength=len(worlds))
        worlds = replace(worlds, offsets=np.concatenate([[0], np.cumsum(sizes)]), member=member)
        several = np.bincount(stands_for, minlength=len(order)) > 1
        together = np.bincount(member, worlds.probability[where], len(order))
        weight = np.where(several & ~beliefs.exclusive[beliefs.block], together, weight)
    return replace(beliefs, weight=weight, worlds=worlds), kept


def _refuse_two_blocks(corpus: Corpus, given: Rows, number: Rows) -> None:
    """Refuse a tuple that stands in two blocks: these would not be independent."""
    order = np.argsort(number, kind="stable")
    twice = order[1:][np.diff(number[order]) == 0]
    if len(twice) and corpus.spans is not None:
        spans, row = corpus.spans, int(given[twice].min())
        what = f"the span {int(spans.begin[row])} to {int(spans.end[row])} with the label {spans.label[row]!r}"
        hint = "blocks are independent of each other: put spans that exclude each other into one"
        raise refuse(corpus.source, int(spans.offset[row]), f"{what} stands in two blocks", hint=hint)


def _judged(
    claims: Claims,
    number: Rows,
    side: PlacedSpans,
    label: Codes,
    names: tuple[str, ...],
    placement: Placement,
    beliefs: Beliefs,
    options: Options,
) -> Candidates:
    """Tell which tuples the key has, and decide."""
    rank = np.empty(len(side), np.int64)
    rank[np.lexsort((label, side.begin, side.begin - side.end))] = np.arange(len(side))
    decided = decide(beliefs, rank, options.decide, options.min_weight)
    return Candidates(
        claims.document[number],
        claims.sentence[number],
        claims.place[number],
        claims.width[number],
        claims.begin[number],
        claims.end[number],
        label,
        names,
        placement.texts(side),
        claims.key[number] > 0,
        decided.chosen,
        beliefs,
        decided.tied,
    )
