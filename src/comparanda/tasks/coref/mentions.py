"""The mentions of all sides in one table: topics, heads, matching, and documents that the key does not have."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.quotes import place_spans
from comparanda.align.span_positions import PlacedSpans
from comparanda.core.chains import NO_CHAIN, Chains, count_mentions, renumber_chains
from comparanda.core.corpus import Fragments, owner_of_rows
from comparanda.core.extents import fragmentation_codes, number_fragmentations
from comparanda.core.joins import pack_columns
from comparanda.core.places import Note, first_places
from comparanda.core.sites import recode_canonically
from comparanda.core.text_columns import TextColumn, take_rows
from comparanda.core.verdicts import Units
from comparanda.errors import UsageError, suggest_nearest
from comparanda.formats.entity_brackets import AHEAD
from comparanda.tasks.coref.kinds import determine_word_kinds

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
"""The prefix of a delimiter; document names up to the delimiter are topic names: `until:_`."""


@dataclass(frozen=True, eq=False, slots=True)
class Topics:
    """The topic of each document; without topics, each document is its own topic.

    Args:
        names: the names of the topics, in order of first appearance; None where chains end with their documents.
        of: the topic of each document of the key.
        sign: the delimiter after the topic in document names, if topics come from these.
        one: whether all documents are one topic.
        parts: whether topics are documents that are continued after others.

    """

    names: tuple[str, ...] | None
    of: NDArray[np.int32]
    sign: str = ""
    one: bool = False
    parts: bool = False

    @classmethod
    def named(cls, documents: Documents, across: str | None) -> Topics:
        """Determine the topics: none, one for all documents, or by an attribute or the names of documents."""
        count = len(documents)
        if across is None:
            units = Units.of_documents(documents)
            if units.of_document is not None:
                return cls(units.names, units.of_document, parts=True)
            return cls(None, np.arange(count, dtype=np.int32))
        if across == EVERYTHING:
            return cls((EVERYTHING,), np.zeros(count, np.int32), one=True)
        topics = _document_topics(documents, across)
        place = {name: number for number, name in enumerate(dict.fromkeys(topics))}
        sign = across.removeprefix(UNTIL) if across.startswith(UNTIL) else ""
        return cls(tuple(place), np.array([place[name] for name in topics], np.int32), sign)

    def with_foreign(self, documents: Sequence[str]) -> Topics:
        """Add documents that the key does not have.

        Their topic follows from their name, or is that of all documents; else each is a topic of its own.
        """
        if self.names is None:
            more = np.arange(len(self.of), len(self.of) + len(documents), dtype=np.int32)
            return Topics(None, np.concatenate([self.of, more]), self.sign, self.one)
        place = {name: number for number, name in enumerate(self.names)}
        found = [place.setdefault(self._topic(name), len(place)) for name in documents]
        return Topics(
            tuple(place), np.concatenate([self.of, np.array(found, np.int32)]), self.sign, self.one, self.parts
        )

    def _topic(self, document: str) -> str:
        """Name the topic of a document that the key does not have."""
        if self.sign:
            return document.partition(self.sign)[0]
        return EVERYTHING if self.one else f"{document} (not in the key)"

    def units(self, documents: int) -> Units:
        """Return the resampling units: documents or topics."""
        if self.names is None:
            return Units("document", documents)
        return Units("document" if self.parts else "topic", len(self.names), self.names, self.of)


def _document_topics(documents: Documents, across: str) -> list[str]:
    """Name the topic of each document; a document without a value is its own topic."""
    if across.startswith(UNTIL) and across != UNTIL:
        return [name.partition(across.removeprefix(UNTIL))[0] for name in documents.names]
    known = documents.attributes
    if across not in known:
        hint = f"use '{EVERYTHING}' for a single topic, '{UNTIL}_' for the part of document names before _"
        hint += f", or a document attribute: {', '.join(known)}" if known else ""
        raise UsageError(f"documents have no attribute {across!r}{suggest_nearest(across, known)}", hint=hint)
    given = zip(documents.names, known[across].values(), strict=True)
    return [name if topic is None else topic for name, topic in given]


# The head of each mention: the word that identifies it where matching mentions need not have the same words.
#
# The input may declare the head: a number in CorefUD, the first word of GUM's minimal span. Else it is the word of the
# mention whose head in the key's tree is outside of the mention. Without trees, part-of-speech tags determine it: the
# last word of the first run of nouns, or the last word where there is no noun.


HEAD, MINIMAL = "head", "minspan"
"""The columns with the number of the head among the words of a mention, and with those of its minimal span."""


@dataclass(frozen=True, eq=False)
class Heads:
    """Finds heads, by rows of the key's documents.

    Args:
        aligned: the key, with its trees or tags, and the system outputs.
        placement: the positions of mentions in the key's text.
        nouns: the tag set that identifies nouns.

    """

    aligned: Aligned
    placement: Placement
    nouns: Nouns

    def of(self, spans: PlacedSpans) -> Rows:
        """Find the rows of the head, the first word, and after the last word of each mention, within its document.

        A mention without words has no head: -1.
        """
        begin, end = self.placement.rows(spans)
        base = self.aligned.key.row_documents[spans.document] if len(spans) else begin
        declared = _declared_heads(spans)
        head = base + begin + self._skip_gaps(spans, declared) - 1
        undeclared = np.flatnonzero((declared <= 0) | (head < base + begin) | (head >= base + end))
        head[undeclared] = self._find_heads((base + begin)[undeclared], (base + end)[undeclared])
        return np.stack([np.where(spans.end > spans.begin, head - base, -1), begin, end])

    def _skip_gaps(self, spans: PlacedSpans, declared: Rows) -> Rows:
        """Convert declared heads of discontinuous mentions to numbers that include the words of gaps."""
        pieces = spans.fragments
        if pieces is None:
            return declared
        where = PlacedSpans(
            document=spans.document[pieces.span],
            begin=pieces.begin,
            end=pieces.end,
            label=spans.label.take(pieces.span),
            given=pieces.span,
        )
        begin, end = self.placement.rows(where)
        found = declared.copy()
        rows: dict[int, list[int]] = {}
        for span, first, last in zip(pieces.span.tolist(), begin.tolist(), end.tolist(), strict=True):
            rows.setdefault(span, []).extend(range(first, last))
        for span, words in rows.items():
            found[span] = words[declared[span] - 1] - words[0] + 1 if 0 < declared[span] <= len(words) else 0
        return found

    def _find_heads(self, first: Rows, last: Rows) -> Rows:
        """Find the heads of stretches of words in trees, or by tags."""
        if not len(first):
            return first
        above = self._parent_rows
        if above is None:
            return self._word_kinds.heads(first, last)
        stretches = (range(*ends) for ends in zip(first.tolist(), last.tolist(), strict=True))
        found = (
            next((row for row in rows if above[row] not in rows or above[row] == row), rows[0]) for rows in stretches
        )
        return np.fromiter(found, np.int64, len(first))

    @cached_property
    def _parent_rows(self) -> list[int] | None:
        """The row of the head of each word of the key; its own row for a root. None where the key has no trees."""
        key = self.aligned.key
        column = key.columns.get("head")
        if column is None or {*column.names} <= {"_", ""}:
            return None
        above: list[int] = _head_rows(key, column).tolist()
        return above

    @cached_property
    def _word_kinds(self) -> Words:
        """The kinds of words, from tags."""
        words = determine_word_kinds(self.aligned, self.nouns)
        if not words.tagged:
            hint = "provide files with heads (CorefUD), trees or part-of-speech tags, or match mentions exactly"
            raise UsageError("matching mentions by head needs heads, and no side has them", hint=hint)
        return words


def _declared_heads(spans: PlacedSpans) -> Rows:
    """Read the declared number of the head among the words of each mention; 0 where the input declares none."""
    numbers = spans.columns.get(HEAD)
    if numbers is not None and not isinstance(numbers, TextColumn):
        return np.nan_to_num(numbers.astype(np.float64)).astype(np.int64)
    minimal = spans.columns.get(MINIMAL)
    if isinstance(minimal, TextColumn):
        return np.nan_to_num(minimal.numbers(_parse_first_number)).astype(np.int64)
    return np.zeros(len(spans), np.int64)


def _parse_first_number(text: str) -> float:
    """Parse the first number of a minimal span.

    >>> _parse_first_number("2,3"), _parse_first_number("")
    (2.0, 0.0)
    """
    first = text.partition(",")[0]
    return float(first) if first.isdecimal() else 0.0


def _head_rows(key: Corpus, column: TextColumn) -> Rows:
    """Convert head ids, which count the words of a sentence, to rows; a root (0) gets its own row."""
    number = np.nan_to_num(column.numbers(lambda text: float(text) if text.isdecimal() else 0.0)).astype(np.int64)
    sizes = np.diff(key.sentences)
    base = np.repeat(key.sentences[:-1], sizes)
    rows = np.arange(len(key))
    return np.where((number > 0) & (number <= np.repeat(sizes, sizes)), base + number - 1, rows)


# Matching of mentions that do not have exactly the same words.
#
# Matching is one to one, and mentions with the same extent always match. With `head`, two mentions match if they have
# the same head; with `partial`, if the predicted mention is inside the key's and includes its head. Of several
# candidates, the one with the most common words is taken, then the one that begins first, then that which ends first.


def match_mentions(key: Side, response: Side, how: Matching) -> Side:
    """Move the mentions of a system output to the extents of the key's mentions that they match."""
    if how == "exact":
        return response
    mine, theirs = pack_columns([key.where, response.where])
    free = np.flatnonzero(~np.isin(mine, theirs)), np.flatnonzero(~np.isin(theirs, mine))
    pairs = _choose_pairs(
        _candidate_pairs(key, response=response, mine=free[0], theirs=free[1], how=how), key, response
    )
    if not pairs:
        return response
    rows, partners = np.array(pairs, np.int64).T
    columns = [column.copy() for column in response.where]
    for column, given in zip(columns, key.where, strict=True):
        column[rows] = given[partners]
    document, begin, end, cut = columns
    return replace(response, document=document, begin=begin, end=end, cut=cut)


def _candidate_pairs(
    key: Side, response: Side, mine: Rows, theirs: Rows, *, how: Matching
) -> Iterator[tuple[int, int]]:
    """Yield the candidate pairs: a mention of the system output, and one of the key."""
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


def _choose_pairs(candidates: Iterator[tuple[int, int]], key: Side, response: Side) -> list[tuple[int, int]]:
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


# The rows of mentions that are not one contiguous stretch of words: discontinuous ones, and those without a word.


def rows_of_pieces(
    placement: Placement, spans: PlacedSpans, inside: Truths, cut: Rows, *, cuts: Cuts
) -> Fragments | None:
    """Locate the rows of the pieces of mentions in the key's documents.

    A mention without a word has one piece without length, at the row after it; after the last word of a document that
    is one past the last row.

    Args:
        placement: the key's text.
        spans: the mentions.
        inside: whether each is in a document of the key.
        cut: the way each is split into pieces, by its number in `cuts`; 0 for one piece, larger than all for empty
            nodes.
        cuts: the ways of being split.

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
    first, stop = placement.rows(where)
    first = np.where(empty[mention], _following_rows(placement, where, first), first)
    return Fragments(mention, first, np.where(empty[mention], first, stop))


def _following_rows(placement: Placement, spans: PlacedSpans, row: Rows) -> Rows:
    """Find the row after each span without length, given the last candidate."""
    if placement.unit == "tokens":
        return spans.begin
    ends = np.append(placement.positions.raw.end, spans.begin.max() + 1)  # documents without words have no last row
    found: Rows = row + (ends[placement.positions.key.row_documents[spans.document] + row] <= spans.begin)
    return found


def find_rows_without_words(key: Corpus, spans: PlacedSpans, pieces: Fragments, node: Rows) -> tuple[Rows, Rows]:
    """Find the mentions without a word in documents that have words, and a row of the key in the sentence of each.

    An empty node belongs to the word before it, unless it precedes its sentence: the row after it may be in the next
    sentence, or in the next document.

    Args:
        key: the key.
        spans: the mentions.
        pieces: the rows of those that are not one contiguous stretch of words.
        node: the numbers of empty nodes; 0 or less for other mentions.

    """
    document = spans.document[pieces.span]
    first, end = key.row_documents[document], key.row_documents[document + 1]
    there = np.flatnonzero((pieces.begin == pieces.end) & (first < end))
    mention = pieces.span[there]
    follows = (node[mention] > 0) & (node[mention] < AHEAD)
    return mention, np.clip(first[there] + pieces.begin[there] - follows, first[there], end[there] - 1)


# Mentions in documents that the key does not have: the key counts as empty there, and they are all wrong.


@dataclass(frozen=True, eq=False, slots=True)
class Foreign:
    """The mentions of system outputs in documents that the key does not have.

    Args:
        names: the names of these documents, sorted; they are numbered after the key's.
        sides: their mentions, by the number of the system output, in positions of its own text.
        notes: the number of these mentions.

    """

    names: tuple[str, ...]
    sides: Mapping[int, PlacedSpans]
    notes: tuple[Note, ...]


def foreign_mentions(aligned: Aligned, placement: Placement, missing: Missing) -> Foreign:
    """Find the mentions outside of the key's documents; none if the policy is to ignore such documents."""
    if missing == "intersection":
        return Foreign((), {}, ())
    lost: dict[int, Rows] = {}
    for number, (response, side) in enumerate(zip(aligned.responses, placement.sides[1:], strict=True), start=1):
        there = np.zeros(0 if response.spans is None else len(response.spans), np.bool_)
        there[side.given] = True
        if not there.all():
            lost[number] = np.flatnonzero(~there)
    names = sorted(
        {name for number, rows in lost.items() for name in _document_names(aligned.responses[number - 1], rows)}
    )
    place = {name: len(aligned.key.documents) + number for number, name in enumerate(names)}
    sides = {number: _place_foreign_spans(aligned.responses[number - 1], rows, place) for number, rows in lost.items()}
    notes = [_foreign_note(aligned.responses[number - 1], rows) for number, rows in lost.items()]
    return Foreign(tuple(names), sides, tuple(notes))


def _document_names(response: Corpus, rows: Rows) -> Sequence[str]:
    spans = response.spans
    assert spans is not None
    return [response.documents.names[number] for number in np.unique(spans.document[rows]).tolist()]


def _place_foreign_spans(response: Corpus, rows: Rows, place: Mapping[str, int]) -> PlacedSpans:
    spans = response.spans
    assert spans is not None
    table = np.array([place.get(name, 0) for name in response.documents.names], np.int64)
    fragments = None if spans.fragments is None else spans.fragments.take(rows, len(spans))
    columns = {name: take_rows(column, rows) for name, column in spans.columns.items()}
    return PlacedSpans(
        document=table[spans.document[rows]],
        begin=spans.begin[rows],
        end=spans.end[rows],
        label=spans.label.take(rows),
        given=rows,
        fragments=fragments,
        columns=columns,
    )


def _foreign_note(response: Corpus, rows: Rows) -> Note:
    spans = response.spans
    assert spans is not None
    what = "mentions in documents that the key does not have, where it counts as empty"
    return Note(response.name, what, len(rows), first_places(response.source, spans.offset[rows[:3]]))


# The mentions of all sides in one table: each once, with its chain on each side.


ZERO = "zero"
"""The column with the numbers of empty nodes."""

_COPY_STEP = 1 << 32
"""Copies of a mention add multiples of this to `cut`; it exceeds the number of any way of being split."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Side:
    """The mentions of one side, each once.

    Args:
        document: the document of each, the key's first, then those that only system outputs have.
        begin: its begin.
        end: its end.
        cut: the way it is split into pieces, 0 for one piece; for an empty node a number larger than any way's.
        chain: its chain, by number in order of first appearance.
        head: the row of its head in its document, -1 for none and where heads are not used.
        first: the row of its first word in its document, likewise.
        last: the row after its last word, likewise.

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
        """The identity of a mention: its document, its ends and its pieces."""
        return self.document, self.begin, self.end, self.cut


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Gathered:
    """The mentions of all sides.

    Args:
        chains: the mentions, with the chains of all sides.
        spans: their positions; in documents that the key does not have, those in their own text.
        inside: whether each is in a document of the key.
        placement: the key's text.
        documents: the names of the documents, those that only system outputs have after the key's.
        topics: the documents that chains may span.
        notes: notes on the input.
        foreign: the mentions in documents that the key does not have.
        same: a number for each mention, equal for copies of the same mention; None where there are none.

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
        """The resampling units: documents or topics."""
        return self.topics.units(len(self.documents))


def gather_mentions(aligned: Aligned, options: Options) -> Gathered:
    """Gather the mentions of the key and of all system outputs."""
    placement = place_spans(aligned)
    foreign = foreign_mentions(aligned, placement, options.missing)
    topics = Topics.named(aligned.key.documents, options.across).with_foreign(foreign.names)
    cuts = number_fragmentations(side.fragments for side in (*placement.sides, *foreign.sides.values()))
    heads = None if options.matching == "exact" else Heads(aligned, placement, options.nouns)
    sides: list[Side] = []
    notes = [*foreign.notes]
    if aligned.has_offsets:
        from comparanda.tasks.offset_checks import note_offsets

        notes += note_offsets(aligned, placement)
    for number, corpus in enumerate((aligned.key, *aligned.responses)):
        parts = [placement.sides[number], *([foreign.sides[number]] if number in foreign.sides else [])]
        side, given = _build_side(parts, topics, cuts, heads)
        repeated = _find_repeated(side)
        if repeated.size:
            notes.append(_repeated_note(corpus, given[repeated], options.repeated, of_key=not sides))
        if options.repeated == "official" and sides:
            side, repeated = _separate_copies(side, repeated, sides[0])
        side = side.take(np.setdiff1d(np.arange(len(side)), repeated))
        sides.append(_without_singletons(side) if options.singletons == "drop" else side)
    sides = [sides[0], *(match_mentions(sides[0], side, options.matching) for side in sides[1:])]
    return _merge_sides(
        aligned, placement=placement, sides=sides, foreign=foreign, topics=topics, cuts=cuts, notes=notes
    )


def _build_side(parts: Sequence[PlacedSpans], topics: Topics, cuts: Cuts, heads: Heads | None) -> tuple[Side, Rows]:
    """Build the mentions of a side in the order of the input, with numbered chains; also return the span of each.

    The first part is in the key's documents, where heads can be determined.
    """
    columns = [np.concatenate(each) for each in zip(*(_mention_columns(part, cuts) for part in parts), strict=True)]
    heads_and_bounds = [np.full((3, len(part)), -1, np.int64) for part in parts]
    if heads is not None:
        heads_and_bounds[0] = heads.of(parts[0])
    given = np.concatenate([part.given for part in parts])
    order = np.argsort(given, kind="stable")
    document, begin, end, cut = (column[order] for column in columns)
    (chain,) = (
        pack_columns([[topics.of[document].astype(np.int64), _chain_codes(parts)[order]]]) if len(order) else [order]
    )
    head, first, last = np.concatenate(heads_and_bounds, axis=1)[:, order]
    return Side(
        document=document,
        begin=begin,
        end=end,
        cut=cut,
        chain=renumber_chains(chain),
        head=head,
        first=first,
        last=last,
    ), given[order]


def _mention_columns(part: PlacedSpans, cuts: Cuts) -> tuple[Rows, Rows, Rows, Rows]:
    cut = fragmentation_codes(len(part), part.fragments, cuts)
    zero = part.columns.get(ZERO)
    if zero is not None and not isinstance(zero, TextColumn):
        node = np.nan_to_num(zero.astype(np.float64)).astype(np.int64)
        cut = np.where(node > 0, len(cuts) + node, cut)
    return part.document, part.begin, part.end, cut


def _chain_codes(parts: Sequence[PlacedSpans]) -> Rows:
    """Encode the chain of each mention as a number; a mention without a chain is a singleton with its own number."""
    columns = []
    for part in parts:
        chain = part.columns.get("chain")
        columns.append(chain if isinstance(chain, TextColumn) else TextColumn.of([None] * len(part)))
    names, codes = recode_canonically(columns)
    found = np.concatenate([each.astype(np.int64) for each in codes])
    alone = np.concatenate([column.missing_rows() for column in columns])
    return np.where(alone, len(names) + np.arange(len(found)), found)


def _find_repeated(side: Side) -> Rows:
    """Find repeated mentions; the one in the chain whose id comes first in the file is not one (DEFINITIONS 8)."""
    (where,) = pack_columns([side.where])
    order = np.lexsort((np.arange(len(side)), side.chain, where))
    return np.sort(order[1:][np.diff(where[order]) == 0])


def _repeated_note(corpus: Corpus, given: Rows, policy: Repeated, *, of_key: bool) -> Note:
    """Build the note on the number of repeated mentions and their places; for an output it names the other policy."""
    spans = corpus.spans
    assert spans is not None
    what = "repeated mentions, counted in their first chain only"
    if policy == "official":
        what += " if the key has them, else in each chain"
    elif not of_key:
        what += " (as the reference scorer: --repeated official)"
    return Note(corpus.name, what, len(given), first_places(corpus.source, spans.offset[given[:3]]))


def _separate_copies(side: Side, repeated: Rows, key: Side) -> tuple[Side, Rows]:
    """Give copies of mentions that the key does not have an extent of their own.

    The reference scorer counts them like this. Returns the mentions, and the repeated ones to be left out.
    """
    where, known = pack_columns([side.where, key.where])
    there = np.isin(where[repeated], known)
    again = repeated[~there]
    order = again[np.argsort(where[again], kind="stable")]
    begins = np.flatnonzero(np.diff(where[order], prepend=-1))
    number = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    cut = side.cut.copy()
    cut[order] += _COPY_STEP * (number + 1)
    return replace(side, cut=cut), repeated[there]


def _without_singletons(side: Side) -> Side:
    """Drop singletons."""
    return side.take(np.flatnonzero(count_mentions(side.chain)[side.chain] > 1)) if len(side) else side


def _merge_sides(
    aligned: Aligned,
    placement: Placement,
    sides: Sequence[Side],
    foreign: Foreign,
    *,
    topics: Topics,
    cuts: Cuts,
    notes: list[Note],
) -> Gathered:
    """Merge the mentions of all sides into one table, in the order of the text, longer ones first."""
    document, begin, end, cut, chain = (
        np.concatenate([getattr(side, name) for side in sides]) for name in ("document", "begin", "end", "cut", "chain")
    )
    unit = topics.of[document].astype(np.int64) if len(document) else document
    (where,) = pack_columns([[unit, document, begin, end > begin, -end, cut]])  # an empty node precedes the next word
    _, first, number = np.unique(where, return_index=True, return_inverse=True)
    bounds = np.cumsum([0, *map(len, sides)])
    columns = []
    for low, high in pairwise(bounds.tolist()):
        column = np.full(len(first), NO_CHAIN, np.int64)
        column[number[low:high]] = chain[low:high]
        columns.append(renumber_chains(column))
    spans = PlacedSpans(
        document=document[first],
        begin=begin[first],
        end=end[first],
        label=TextColumn.constant("", len(first)),
        given=first,
    )
    inside = spans.document < len(aligned.key.documents)
    way = cut[first] % _COPY_STEP
    pieces = rows_of_pieces(placement, spans=spans, inside=inside, cut=way, cuts=cuts)
    place, width, sentence = _locate_mentions(aligned.key, placement, spans, inside)
    if pieces is not None:
        wordless, row = find_rows_without_words(aligned.key, spans, pieces, way - len(cuts))
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
    if int(cut.max(initial=0)) >= _COPY_STEP:
        (alike,) = pack_columns([[document, begin, end, cut % _COPY_STEP]])
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


def _locate_mentions(
    key: Corpus, placement: Placement, spans: PlacedSpans, inside: Truths
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Find the row of each mention in its document, the number of rows it covers, and the sentence it begins in."""
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
