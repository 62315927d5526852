"""What chains may span: a document, or a topic of several documents."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.quotes import place_spans
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.chains import NO_CHAIN, Chains, renumbered, sizes
from comparanda.core.corpus import Fragments, owner_of_rows
from comparanda.core.extents import cut_numbers, ways_of_being_cut
from comparanda.core.joins import packed
from comparanda.core.places import Note, first_places
from comparanda.core.sites import canonical
from comparanda.core.text_columns import TextColumn, taken
from comparanda.core.verdicts import Units
from comparanda.errors import UsageError, nearest
from comparanda.formats.entity_brackets import AHEAD
from comparanda.tasks.coref.kinds import words_told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from comparanda.align import Aligned, Missing
    from comparanda.align.span_positions import Placement
    from comparanda.core.corpus import Corpus, Documents
    from comparanda.core.extents import Cuts
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.tasks.coref.kinds import Words
    from comparanda.tasks.task import Matching, Nouns, Options, Repeated


EVERYTHING = "all"
"""The topic of all documents together."""

UNTIL = "until:"
"""What stands before the sign up to which names of documents are those of topics: `until:_`."""


@dataclass(frozen=True, eq=False, slots=True)
class Topics:
    """The topic of each document; without topics each document is its own.

    Args:
        names: the names of the topics, in order of first appearance; None where chains end with their documents.
        of: the topic of each document of the key.
        sign: what ends the topic in the names of documents, if they are told by these.
        one: whether all documents are one topic.

    """

    names: tuple[str, ...] | None
    of: NDArray[np.int32]
    sign: str = ""
    one: bool = False

    @classmethod
    def named(cls, documents: Documents, across: str | None) -> Topics:
        """Find the topics: none, one of all documents, or those that an attribute of documents names."""
        count = len(documents)
        if across is None:
            return cls(None, np.arange(count, dtype=np.int32))
        if across == EVERYTHING:
            return cls((EVERYTHING,), np.zeros(count, np.int32), one=True)
        topics = _names(documents, across)
        place = {name: number for number, name in enumerate(dict.fromkeys(topics))}
        sign = across.removeprefix(UNTIL) if across.startswith(UNTIL) else ""
        return cls(tuple(place), np.array([place[name] for name in topics], np.int32), sign)

    def with_foreign(self, documents: Sequence[str]) -> Topics:
        """Return the topics of the key's documents and of some that it does not have.

        These are in the topic that their names say, or in that of all; else each is a topic of its own.
        """
        if self.names is None:
            more = np.arange(len(self.of), len(self.of) + len(documents), dtype=np.int32)
            return Topics(None, np.concatenate([self.of, more]), self.sign, self.one)
        place = {name: number for number, name in enumerate(self.names)}
        found = [place.setdefault(self._topic(name), len(place)) for name in documents]
        return Topics(tuple(place), np.concatenate([self.of, np.array(found, np.int32)]), self.sign, self.one)

    def _topic(self, document: str) -> str:
        """Return the topic of a document that the key does not have."""
        if self.sign:
            return document.partition(self.sign)[0]
        return EVERYTHING if self.one else f"{document} (not in the key)"

    def units(self, documents: int) -> Units:
        """Return what statistics resample."""
        if self.names is None:
            return Units("document", documents)
        return Units("topic", len(self.names), self.names, self.of)


def _names(documents: Documents, across: str) -> list[str]:
    """Return the topic of each document; one of which nothing is said is its own."""
    if across.startswith(UNTIL) and across != UNTIL:
        return [name.partition(across.removeprefix(UNTIL))[0] for name in documents.names]
    known = documents.attributes
    if across not in known:
        hint = f"'{EVERYTHING}' for one topic of all documents, '{UNTIL}_' for what stands before _ in their names"
        hint += f", or one of their attributes: {', '.join(known)}" if known else ""
        raise UsageError(f"documents have no attribute {across!r}{nearest(across, known)}", hint=hint)
    given = zip(documents.names, known[across].values(), strict=True)
    return [name if topic is None else topic for name, topic in given]


# The head of each mention: the word that it is told by where mentions need not have the same words.
#
# A head is what the input says it is: a number of CorefUD, the first word of GUM's minimal span. Else it is the word of
# the mention that hangs on none of its others, in the key's trees. Without trees it is found by tags of parts of
# speech:
# the last word of the first run of nouns, or the last word where there is no noun.


HEAD, MINIMAL = "head", "minspan"
"""What inputs call the number of the head among the words of a mention, and those of its minimal span."""


@dataclass(frozen=True, eq=False)
class Heads:
    """Finds heads, by rows of the key's documents.

    Args:
        aligned: the key, with its trees or tags, and the responses.
        placement: where mentions stand in the key's text.
        nouns: by which tags nouns are told.

    """

    aligned: Aligned
    placement: Placement
    nouns: Nouns

    def of(self, spans: PlacedSpans) -> Rows:
        """Return the rows of head, first and behind the last word of each mention, in its document.

        A mention without words has no head: -1.
        """
        begin, end = self.placement.rows(spans)
        base = self.aligned.key.row_documents[spans.document] if len(spans) else begin
        said = _said(spans)
        head = base + begin + self._behind_gaps(spans, said) - 1
        unsaid = np.flatnonzero((said <= 0) | (head < base + begin) | (head >= base + end))
        head[unsaid] = self._found((base + begin)[unsaid], (base + end)[unsaid])
        return np.stack([np.where(spans.end > spans.begin, head - base, -1), begin, end])

    def _behind_gaps(self, spans: PlacedSpans, said: Rows) -> Rows:
        """Return numbers of heads that count the words of gaps too, which those of discontinuous mentions do not."""
        pieces = spans.fragments
        if pieces is None:
            return said
        where = PlacedSpans(
            document=spans.document[pieces.span],
            begin=pieces.begin,
            end=pieces.end,
            label=spans.label.take(pieces.span),
            given=pieces.span,
        )
        begin, end = self.placement.rows(where)
        found = said.copy()
        rows: dict[int, list[int]] = {}
        for span, first, last in zip(pieces.span.tolist(), begin.tolist(), end.tolist(), strict=True):
            rows.setdefault(span, []).extend(range(first, last))
        for span, words in rows.items():
            found[span] = words[said[span] - 1] - words[0] + 1 if 0 < said[span] <= len(words) else 0
        return found

    def _found(self, first: Rows, last: Rows) -> Rows:
        """Find the heads of stretches of words in trees, or by tags."""
        if not len(first):
            return first
        above = self._above
        if above is None:
            return self._words.heads(first, last)
        stretches = (range(*ends) for ends in zip(first.tolist(), last.tolist(), strict=True))
        found = (
            next((row for row in rows if above[row] not in rows or above[row] == row), rows[0]) for rows in stretches
        )
        return np.fromiter(found, np.int64, len(first))

    @cached_property
    def _above(self) -> list[int] | None:
        """The row that each word of the key hangs on; its own for a root. None where nobody has trees."""
        key = self.aligned.key
        column = key.columns.get("head")
        if column is None or {*column.names} <= {"_", ""}:
            return None
        above: list[int] = _rows_above(key, column).tolist()
        return above

    @cached_property
    def _words(self) -> Words:
        """What tags tell of words."""
        words = words_told(self.aligned, self.nouns)
        if not words.tagged:
            hint = "give files with heads (CorefUD), trees or tags of parts of speech, or compare exact mentions"
            raise UsageError("mentions are to be told by their heads, and no side tells these", hint=hint)
        return words


def _said(spans: PlacedSpans) -> Rows:
    """Return the number of the head among the words of each mention, as the input says; 0 where it does not."""
    numbers = spans.columns.get(HEAD)
    if numbers is not None and not isinstance(numbers, TextColumn):
        return np.nan_to_num(numbers.astype(np.float64)).astype(np.int64)
    minimal = spans.columns.get(MINIMAL)
    if isinstance(minimal, TextColumn):
        return np.nan_to_num(minimal.numbers(_first_number)).astype(np.int64)
    return np.zeros(len(spans), np.int64)


def _first_number(text: str) -> float:
    """Return the first number of a minimal span.

    >>> _first_number("2,3"), _first_number("")
    (2.0, 0.0)
    """
    first = text.partition(",")[0]
    return float(first) if first.isdecimal() else 0.0


def _rows_above(key: Corpus, column: TextColumn) -> Rows:
    """Return the row of each word's head: ids count the words of a sentence, and 0 is the root."""
    number = np.nan_to_num(column.numbers(lambda text: float(text) if text.isdecimal() else 0.0)).astype(np.int64)
    sizes = np.diff(key.sentences)
    base = np.repeat(key.sentences[:-1], sizes)
    rows = np.arange(len(key))
    return np.where((number > 0) & (number <= np.repeat(sizes, sizes)), base + number - 1, rows)


# Mentions of a response taken for those of the key that do not have the very same words.
#
# Each is taken for one mention at most, and those at the same place are always taken for each other. With `head`, two
# mentions are the same if they have the same head; with `partial`, if the response's is inside the key's and has its
# head
# in it. Of several the one that shares most words is taken, then the one that begins first, then that which ends first.


def matched(key: Side, response: Side, how: Matching) -> Side:
    """Return a response whose mentions stand where the key's mentions that they are taken for do."""
    if how == "exact":
        return response
    mine, theirs = packed([key.where, response.where])
    free = np.flatnonzero(~np.isin(mine, theirs)), np.flatnonzero(~np.isin(theirs, mine))
    pairs = _paired(_candidates(key, response=response, mine=free[0], theirs=free[1], how=how), key, response)
    if not pairs:
        return response
    rows, partners = np.array(pairs, np.int64).T
    columns = [column.copy() for column in response.where]
    for column, given in zip(columns, key.where, strict=True):
        column[rows] = given[partners]
    document, begin, end, cut = columns
    return replace(response, document=document, begin=begin, end=end, cut=cut)


def _candidates(key: Side, response: Side, mine: Rows, theirs: Rows, *, how: Matching) -> Iterator[tuple[int, int]]:
    """Give the pairs that may be the same: a mention of the response, and one of the key."""
    by_head: dict[tuple[int, int], list[int]] = {}
    for row in mine.tolist():
        if key.head[row] >= 0:
            by_head.setdefault((int(key.document[row]), int(key.head[row])), []).append(row)
    for row in theirs.tolist():
        document, head = int(response.document[row]), int(response.head[row])
        if head < 0:
            continue
        if how == "head":
            yield from ((row, other) for other in by_head.get((document, head), ()))
            continue
        for place in range(int(response.first[row]), int(response.last[row])):
            for other in by_head.get((document, place), ()):
                if key.begin[other] <= response.begin[row] and response.end[row] <= key.end[other]:
                    yield row, other


def _paired(candidates: Iterator[tuple[int, int]], key: Side, response: Side) -> list[tuple[int, int]]:
    """Choose pairs one to one, the best first."""

    def rank(pair: tuple[int, int]) -> tuple[int, ...]:
        row, other = pair
        common = min(response.last[row], key.last[other]) - max(response.first[row], key.first[other])  # in words
        ends = response.begin[row], response.end[row], key.begin[other], key.end[other]
        return -int(common), int(response.document[row]), *map(int, ends), int(response.cut[row]), int(key.cut[other])

    taken: tuple[set[int], set[int]] = set(), set()
    chosen = []
    for row, other in sorted(candidates, key=rank):
        if row not in taken[0] and other not in taken[1]:
            taken[0].add(row)
            taken[1].add(other)
            chosen.append((row, other))
    return chosen


# The rows of mentions that are not just one stretch of words: discontinuous ones, and those without a word.


def rows_of_pieces(
    placement: Placement, spans: PlacedSpans, inside: Truths, cut: Rows, *, cuts: Cuts
) -> Fragments | None:
    """Return the rows of the pieces of mentions in the key's documents.

    A mention without a word has one piece without length, at the row behind it; behind the last word of a document
    that is one more than there are.

    Args:
        placement: the key's text.
        spans: the mentions.
        inside: which of them stand in documents of the key.
        cut: the way each is cut into pieces, by its number in `cuts`; 0 for one piece, more than all for empty nodes.
        cuts: the ways.

    """
    ways = {number: way for way, number in cuts.items()}
    empty = inside & ((spans.begin == spans.end) | (cut > len(ways)))
    apart = np.flatnonzero(inside & (cut > 0) & ~empty)
    found = [(row, *piece) for row in apart.tolist() for piece in ways[int(cut[row])]]
    found += [(row, int(spans.begin[row]), int(spans.begin[row])) for row in np.flatnonzero(empty).tolist()]
    if not found:
        return None
    mention, begin, end = np.array(sorted(found), np.int64).T
    where = PlacedSpans(
        document=spans.document[mention],
        begin=begin,
        end=end,
        label=TextColumn.constant("", len(mention)),
        given=mention,
    )
    first, behind = placement.rows(where)
    first = np.where(empty[mention], _rows_behind(placement, where, first), first)
    return Fragments(mention, first, np.where(empty[mention], first, behind))


def _rows_behind(placement: Placement, spans: PlacedSpans, row: Rows) -> Rows:
    """Return the row behind each span without length, given the last one that it could be."""
    if placement.unit == "tokens":
        return spans.begin
    ends = np.append(placement.ground.raw.end, spans.begin.max() + 1)  # of documents without words there is no last row
    found: Rows = row + (ends[placement.ground.key.row_documents[spans.document] + row] <= spans.begin)
    return found


def rows_beside(key: Corpus, spans: PlacedSpans, pieces: Fragments, node: Rows) -> tuple[Rows, Rows]:
    """Return the mentions without a word, in documents that have some, and a row of the key in the sentence of each.

    An empty node stands behind the word before it, unless it is ahead of its sentence: the row behind it may be in the
    next sentence, or in the next document.

    Args:
        key: the key.
        spans: the mentions.
        pieces: the rows of those that are not one stretch of words.
        node: the numbers of empty nodes; 0 or less for other mentions.

    """
    document = spans.document[pieces.span]
    first, end = key.row_documents[document], key.row_documents[document + 1]
    there = np.flatnonzero((pieces.begin == pieces.end) & (first < end))
    mention = pieces.span[there]
    behind = (node[mention] > 0) & (node[mention] < AHEAD)
    return mention, np.clip(first[there] + pieces.begin[there] - behind, first[there], end[there] - 1)


# Mentions in documents that the key does not have: there the key counts as empty, and they are all wrong.


@dataclass(frozen=True, eq=False, slots=True)
class Foreign:
    """What responses have in documents that the key does not have.

    Args:
        names: the names of these documents, sorted; they are numbered behind the key's.
        sides: their mentions, by the number of the response, in positions of its own text.
        notes: how many mentions these are.

    """

    names: tuple[str, ...]
    sides: Mapping[int, PlacedSpans]
    notes: tuple[Note, ...]


def foreign_mentions(aligned: Aligned, placement: Placement, missing: Missing) -> Foreign:
    """Find the mentions that have no place in the key's documents; where these are left out on purpose, none."""
    if missing == "intersection":
        return Foreign((), {}, ())
    lost: dict[int, Rows] = {}
    for number, (response, side) in enumerate(zip(aligned.responses, placement.sides[1:], strict=True), start=1):
        there = np.zeros(0 if response.spans is None else len(response.spans), np.bool_)
        there[side.given] = True
        if not there.all():
            lost[number] = np.flatnonzero(~there)
    names = sorted(
        {name for number, rows in lost.items() for name in _foreign_names(aligned.responses[number - 1], rows)}
    )
    place = {name: len(aligned.key.documents) + number for number, name in enumerate(names)}
    sides = {number: _spans(aligned.responses[number - 1], rows, place) for number, rows in lost.items()}
    notes = [_note(aligned.responses[number - 1], rows) for number, rows in lost.items()]
    return Foreign(tuple(names), sides, tuple(notes))


def _foreign_names(response: Corpus, rows: Rows) -> Sequence[str]:
    spans = response.spans
    assert spans is not None
    return [response.documents.names[number] for number in np.unique(spans.document[rows]).tolist()]


def _spans(response: Corpus, rows: Rows, place: Mapping[str, int]) -> PlacedSpans:
    spans = response.spans
    assert spans is not None
    table = np.array([place.get(name, 0) for name in response.documents.names], np.int64)
    fragments = None if spans.fragments is None else spans.fragments.take(rows, len(spans))
    columns = {name: taken(column, rows) for name, column in spans.columns.items()}
    return PlacedSpans(
        document=table[spans.document[rows]],
        begin=spans.begin[rows],
        end=spans.end[rows],
        label=spans.label.take(rows),
        given=rows,
        fragments=fragments,
        columns=columns,
    )


def _note(response: Corpus, rows: Rows) -> Note:
    spans = response.spans
    assert spans is not None
    what = "mentions in documents that the key does not have: there it counts as empty"
    return Note(response.name, what, len(rows), first_places(response.source, spans.offset[rows[:3]]))


# The mentions of all sides on common ground: each once, with the chain that each side puts it into.


ZERO = "zero"
"""The column that holds the numbers of empty nodes."""

_NO_WAY = 1 << 32
"""No way of being cut into pieces has such a number."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
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
        return Side(**{each.name: getattr(self, each.name)[rows] for each in fields(self)})

    @property
    def where(self) -> tuple[Rows, Rows, Rows, Rows]:
        """What tells a mention: its document, its ends and its pieces."""
        return self.document, self.begin, self.end, self.cut


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
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
            notes.append(_gathering_note(corpus, given[repeated], options.repeated))
        if options.repeated == "official" and sides:
            side, repeated = _apart(side, repeated, sides[0])
        side = side.take(np.setdiff1d(np.arange(len(side)), repeated))
        sides.append(_without_singletons(side) if options.singletons == "drop" else side)
    sides = [sides[0], *(matched(sides[0], side, options.matching) for side in sides[1:])]
    return _together(aligned, placement=placement, sides=sides, foreign=foreign, topics=topics, cuts=cuts, notes=notes)


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
    head, first, last = np.concatenate(told, axis=1)[:, order]
    return Side(
        document=document, begin=begin, end=end, cut=cut, chain=renumbered(chain), head=head, first=first, last=last
    ), given[order]


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


def _gathering_note(corpus: Corpus, given: Rows, policy: Repeated) -> Note:
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
    *,
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
    spans = PlacedSpans(
        document=document[first],
        begin=begin[first],
        end=end[first],
        label=TextColumn.constant("", len(first)),
        given=first,
    )
    inside = spans.document < len(aligned.key.documents)
    way = cut[first] % _NO_WAY
    pieces = rows_of_pieces(placement, spans=spans, inside=inside, cut=way, cuts=cuts)
    place, width, sentence = _rows(aligned.key, placement, spans, inside)
    if pieces is not None:
        wordless, row = rows_beside(aligned.key, spans, pieces, way - len(cuts))
        sentence[wordless] = owner_of_rows(aligned.key.sentences)[row]
    table = Chains(
        document=spans.document.astype(np.int32),
        sentence=sentence,
        place=place,
        width=width,
        unit=unit[first].astype(np.int32),
        key=columns[0],
        runs=tuple(columns[1:]),
        pieces=pieces,
    )
    same = None
    if int(cut.max(initial=0)) >= _NO_WAY:
        (alike,) = packed([[document, begin, end, cut % _NO_WAY]])
        same = alike[first]
    documents = (*aligned.key.documents.names, *foreign.names)
    return Gathered(
        chains=table,
        spans=spans,
        inside=inside,
        placement=placement,
        documents=documents,
        topics=topics,
        notes=tuple(notes),
        foreign=foreign,
        same=same,
    )


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
