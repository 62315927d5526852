"""The mentions of all sides on common ground: each once, with the chain that each side puts it into."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align import PlacedSpans, place_spans
from comparanda.chains import NO_CHAIN, Chains, renumbered, sizes
from comparanda.columns import TextColumn
from comparanda.corpus import owner_of_rows
from comparanda.extents import cut_numbers, ways_of_being_cut
from comparanda.judge.coreference.foreign import Foreign, foreign_mentions
from comparanda.judge.coreference.heads import Heads
from comparanda.judge.coreference.matching import matched
from comparanda.judge.coreference.pieces import rows_beside, rows_of_pieces
from comparanda.judge.coreference.topics import Topics
from comparanda.places import Note, first_places
from comparanda.rules.joins import packed
from comparanda.sites import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from comparanda.align import Aligned, Placement
    from comparanda.columns import Rows, Truths
    from comparanda.corpus import Corpus
    from comparanda.extents import Cuts
    from comparanda.judge.task import Options, Repeated
    from comparanda.verdicts import Units

ZERO = "zero"
"""The column that holds the numbers of empty nodes."""

_NO_WAY = 1 << 32
"""No way of being cut into pieces has such a number."""


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """The mentions of one side, each once.

    Args:
        document: the document of each, the key's first, then those that only responses have.
        begin: where it begins.
        end: where it ends.
        cut: the way it is cut into pieces, 0 for one; for an empty node its number, which no way has.
        chain: its chain, by number in order of first appearance.
        head: the row of its head in its document, -1 for none; all are where heads do not matter.
        first: the row of its first word in its document, likewise.
        last: the row behind its last word, likewise.

    """

    document: Rows
    begin: Rows
    end: Rows
    cut: Rows
    chain: Rows
    head: Rows
    first: Rows
    last: Rows

    def __len__(self) -> int:
        return len(self.begin)

    def take(self, rows: Rows) -> Side:
        """Return some of the mentions."""
        columns = (getattr(self, each.name)[rows] for each in fields(self))
        return Side(*columns)

    @property
    def where(self) -> tuple[Rows, Rows, Rows, Rows]:
        """What tells a mention: its document, its ends and its pieces."""
        return self.document, self.begin, self.end, self.cut


@dataclass(frozen=True, eq=False, slots=True)
class Gathered:
    """The mentions of all sides.

    Args:
        chains: the mentions, with the chains of all sides.
        spans: where they stand; those of documents that the key does not have in their own text.
        inside: which of them stand in documents of the key.
        placement: the key's text.
        documents: the names of the documents, those that only responses have behind the key's.
        topics: what chains may span.
        notes: what was met.
        foreign: what responses have in documents that the key does not have.
        same: a number for each mention, the same for those that a side gives twice; None where there are none.

    """

    chains: Chains
    spans: PlacedSpans
    inside: Truths
    placement: Placement
    documents: tuple[str, ...]
    topics: Topics
    notes: tuple[Note, ...]
    foreign: Foreign
    same: Rows | None = None

    @property
    def units(self) -> Units:
        """What statistics resample: documents, or topics."""
        return self.topics.units(len(self.documents))


def gather(aligned: Aligned, options: Options) -> Gathered:
    """Bring the mentions of the key and of all responses together."""
    placement = place_spans(aligned)
    foreign = foreign_mentions(aligned, placement, options.missing)
    topics = Topics.named(aligned.key.documents, options.across).with_foreign(foreign.names)
    cuts = ways_of_being_cut(side.fragments for side in (*placement.sides, *foreign.sides.values()))
    heads = None if options.matching == "exact" else Heads(aligned, placement, options.nouns)
    sides: list[Side] = []
    notes = [*foreign.notes]
    for number, corpus in enumerate((aligned.key, *aligned.responses)):
        parts = [placement.sides[number], *([foreign.sides[number]] if number in foreign.sides else [])]
        side, given = _side(parts, topics, cuts, heads)
        repeated = _repeated(side)
        if repeated.size:
            notes.append(_note(corpus, given[repeated], options.repeated))
        if options.repeated == "official" and sides:
            side, repeated = _apart(side, repeated, sides[0])
        side = side.take(np.setdiff1d(np.arange(len(side)), repeated))
        sides.append(_without_singletons(side) if options.singletons == "drop" else side)
    sides = [sides[0], *(matched(sides[0], side, options.matching) for side in sides[1:])]
    return _together(aligned, placement, sides, foreign, topics, cuts, notes)


def _side(parts: Sequence[PlacedSpans], topics: Topics, cuts: Cuts, heads: Heads | None) -> tuple[Side, Rows]:
    """Return the mentions of a side in the order of the input, chains numbered, and which of its spans each is.

    Of the parts the first stands in the key's documents, where heads can be told.
    """
    columns = [np.concatenate(each) for each in zip(*(_columns(part, cuts) for part in parts), strict=True)]
    told = [np.full((3, len(part)), -1, np.int64) for part in parts]
    if heads is not None:
        told[0] = heads.of(parts[0])
    given = np.concatenate([part.given for part in parts])
    order = np.argsort(given, kind="stable")
    document, begin, end, cut = (column[order] for column in columns)
    (chain,) = packed([[topics.of[document].astype(np.int64), _chain_codes(parts)[order]]]) if len(order) else [order]
    told_in_order = np.concatenate(told, axis=1)[:, order]
    return Side(document, begin, end, cut, renumbered(chain), *told_in_order), given[order]


def _columns(part: PlacedSpans, cuts: Cuts) -> tuple[Rows, Rows, Rows, Rows]:
    cut = cut_numbers(len(part), part.fragments, cuts)
    zero = part.columns.get(ZERO)
    if zero is not None and not isinstance(zero, TextColumn):
        node = np.nan_to_num(zero.astype(np.float64)).astype(np.int64)
        cut = np.where(node > 0, len(cuts) + node, cut)
    return part.document, part.begin, part.end, cut


def _chain_codes(parts: Sequence[PlacedSpans]) -> Rows:
    """Return a number for the chain of each mention; one that is in no chain is alone, and has a number of its own."""
    columns = []
    for part in parts:
        chain = part.columns.get("chain")
        columns.append(chain if isinstance(chain, TextColumn) else TextColumn.of([None] * len(part)))
    names, codes = canonical(columns)
    found = np.concatenate([each.astype(np.int64) for each in codes])
    alone = np.concatenate([column.missing_rows() for column in columns])
    return np.where(alone, len(names) + np.arange(len(found)), found)


def _repeated(side: Side) -> Rows:
    """Return the mentions that are there already, in the chain whose id comes first in the file (DEFINITIONS 8)."""
    (where,) = packed([side.where])
    order = np.lexsort((np.arange(len(side)), side.chain, where))
    return np.sort(order[1:][np.diff(where[order]) == 0])


def _note(corpus: Corpus, given: Rows, policy: Repeated) -> Note:
    """Say how many mentions are repeated, and where."""
    spans = corpus.spans
    assert spans is not None
    what = "mentions given more than once: the first chain keeps them"
    if policy == "official":
        what += ", and those that the key does not have count again"
    return Note(corpus.name, what, len(given), first_places(corpus.source, spans.offset[given[:3]]))


def _apart(side: Side, repeated: Rows, key: Side) -> tuple[Side, Rows]:
    """Tell repeated mentions that the key does not have from their firsts, as if they stood elsewhere.

    So the reference scorer counts them. Returns the mentions, and those that are left out.
    """
    where, known = packed([side.where, key.where])
    there = np.isin(where[repeated], known)
    again = repeated[~there]
    order = again[np.argsort(where[again], kind="stable")]
    begins = np.flatnonzero(np.diff(where[order], prepend=-1))
    number = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    cut = side.cut.copy()
    cut[order] += _NO_WAY * (number + 1)
    return replace(side, cut=cut), repeated[there]


def _without_singletons(side: Side) -> Side:
    """Leave out mentions that are alone in their chain."""
    return side.take(np.flatnonzero(sizes(side.chain)[side.chain] > 1)) if len(side) else side


def _together(
    aligned: Aligned,
    placement: Placement,
    sides: Sequence[Side],
    foreign: Foreign,
    topics: Topics,
    cuts: Cuts,
    notes: list[Note],
) -> Gathered:
    """Put the mentions of all sides into one table, in the order of the text, the longer first."""
    document, begin, end, cut, chain = (
        np.concatenate([getattr(side, name) for side in sides]) for name in ("document", "begin", "end", "cut", "chain")
    )
    unit = topics.of[document].astype(np.int64) if len(document) else document
    (where,) = packed([[unit, document, begin, end > begin, -end, cut]])  # an empty node stands before the next word
    _, first, number = np.unique(where, return_index=True, return_inverse=True)
    bounds = np.cumsum([0, *map(len, sides)])
    columns = []
    for low, high in pairwise(bounds.tolist()):
        column = np.full(len(first), NO_CHAIN, np.int64)
        column[number[low:high]] = chain[low:high]
        columns.append(renumbered(column))
    spans = PlacedSpans(document[first], begin[first], end[first], TextColumn.constant("", len(first)), first)
    inside = spans.document < len(aligned.key.documents)
    way = cut[first] % _NO_WAY
    pieces = rows_of_pieces(placement, spans, inside, way, cuts)
    place, width, sentence = _rows(aligned.key, placement, spans, inside)
    if pieces is not None:
        wordless, row = rows_beside(aligned.key, spans, pieces, way - len(cuts))
        sentence[wordless] = owner_of_rows(aligned.key.sentences)[row]
    table = Chains(
        spans.document.astype(np.int32), sentence, place, width, unit[first].astype(np.int32), columns[0],
        tuple(columns[1:]), pieces,
    )  # fmt: skip
    same = None
    if int(cut.max(initial=0)) >= _NO_WAY:
        (alike,) = packed([[document, begin, end, cut % _NO_WAY]])
        same = alike[first]
    documents = (*aligned.key.documents.names, *foreign.names)
    return Gathered(table, spans, inside, placement, documents, topics, tuple(notes), foreign, same)


def _rows(
    key: Corpus, placement: Placement, spans: PlacedSpans, inside: Truths
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the row of each mention in its document, how many it covers, and the sentence it begins in."""
    place, width = spans.begin.astype(np.int32), np.maximum(spans.end - spans.begin, 1).astype(np.int32)
    sentence = np.full(len(spans), len(key.sentences) - 1, np.int32)
    rows = np.flatnonzero(inside)
    here = spans.take(rows)
    begin, until = placement.rows(here)
    place[rows], width[rows] = begin, until - begin
    row = key.row_documents[here.document] + begin
    owner = owner_of_rows(key.sentences)
    sentence[rows] = owner[np.minimum(row, max(len(key) - 1, 0))] if len(key) else 0
    return place, width, sentence
