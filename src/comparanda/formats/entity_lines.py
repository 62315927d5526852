"""Shared by formats of tab-separated lines with entity ids: mentions with candidates, and id columns of words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from comparanda.core.corpus import Spans
from comparanda.core.ids import BAR, NIL, join_ids
from comparanda.core.places import Note, Source, first_places, make_read_error
from comparanda.core.text_columns import TextColumn
from comparanda.formats.chunks import OUTSIDE
from comparanda.formats.tokens import mend_column

if TYPE_CHECKING:
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows, Truths
    from comparanda.errors import ReadError
    from comparanda.formats.standoff import Draft


# Lines that give mentions by their offsets in a document, with candidate entities.


ENTITY = "ENTITY"
"""The label of mentions that have none."""

OFFSET = re.compile(r"-?[0-9]{1,18}")
_SCORE = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,3})?")


def lines_of(source: Source) -> Iterator[tuple[int, str]]:
    """Yield all lines of a source, each with its byte offset."""
    place = 0
    for line in bytes(source.data[: source.size]).split(b"\n"):
        yield place, line.decode()
        place += len(line) + 1


def quote_line(line: str) -> str:
    """Quote a line as a detail of a message."""
    return f"it reads {line if len(line) <= 80 else line[:79] + '…'!r}"


def parse_offset(source: Source, place: int, line: str, written: str) -> int:
    """Parse an offset; refuse anything but an integer."""
    if not OFFSET.fullmatch(written):
        what = f"the offset {written[:40]!r} is not an integer"
        raise make_read_error(source, place, what, details=[quote_line(line)])
    return int(written)


def score(source: Source, place: int, line: str, written: str) -> float | None:
    """Parse a score, None for an empty cell; refuse anything but a finite number."""
    number = written.strip()  # `str.strip` removes more than `float` does, such as U+001D
    if not number:
        return None
    if not _SCORE.fullmatch(number) or not math.isfinite(float(number)):
        raise make_read_error(source, place, f"the score {written[:40]!r} is not a number", details=[quote_line(line)])
    return float(number)


class Candidate(NamedTuple):
    """A candidate entity of a mention; an id that begins with NIL names a cluster of mentions."""

    id: str
    score: float | None
    label: str


@dataclass(slots=True, kw_only=True)
class Mention:
    """A mention: its begin and end, its byte offset in the source, its candidates, and its other columns."""

    begin: int
    end: int
    place: int
    candidates: list[Candidate]
    attributes: dict[str, Any] = field(default_factory=dict)

    def ranked(self) -> list[Candidate]:
        """Return the candidates by descending score; ties keep their order."""
        if len(self.candidates) < 2:
            return self.candidates
        return sorted(self.candidates, key=lambda each: -math.inf if each.score is None else each.score, reverse=True)


@dataclass(eq=False)
class Mentions:
    """The mentions of each document, with documents in the order of their first mention."""

    source: Source
    documents: dict[str, list[Mention]] = field(default_factory=dict)

    def add(self, document: str, mention: Mention) -> None:
        """Add a mention to a document, whose lines need not be adjacent."""
        self.documents.setdefault(document, []).append(mention)

    def into(self, draft: Draft) -> None:
        """Add all documents and spans to a draft, with the columns of the spans."""
        unlike = []
        for name, mentions in self.documents.items():
            draft.document(name, mentions[0].place)
            for mention in mentions:
                ranked = mention.ranked()
                labels = [each.label for each in ranked if each.label]
                span = draft.span([(mention.begin, mention.end)], labels[0] if labels else ENTITY, mention.place)
                _add_candidates(draft, span, ranked)
                for column, value in mention.attributes.items():
                    draft.set_value(span, column, value)
                if len(set(labels)) > 1:
                    unlike.append(mention.place)
        add_note(draft, "mentions with candidates of several types, of which that of the best is used", unlike)


def _add_candidates(draft: Draft, span: int, ranked: list[Candidate]) -> None:
    ids, clusters = _join_ids(tuple(each.id for each in ranked if each.id))
    if ids is not None:
        draft.set_value(span, "id", ids)
    if clusters:
        draft.set_value(span, "cluster", clusters)
    if ranked and ranked[0].score is not None:
        draft.set_value(span, "probability", ranked[0].score)
    if len(ranked) > 1 and any(each.score != ranked[0].score for each in ranked):
        draft.set_value(span, "scores", BAR.join("" if each.score is None else repr(each.score) for each in ranked))


@lru_cache(1 << 14)
def _join_ids(ids: tuple[str, ...]) -> tuple[str | None, str]:
    """Return the joined ids, with NIL for clusters, and the joined clusters."""
    return (
        join_ids(NIL if is_cluster(each) else each for each in ids),
        BAR.join(each for each in ids if is_cluster(each) and each != NIL),
    )


def is_cluster(id_: str) -> bool:
    """Whether an id is NIL, or names a cluster of mentions of an entity that is in no knowledge base.

    >>> is_cluster("NIL0012"), is_cluster("NILx"), is_cluster("E0012")
    (True, True, False)
    """
    return id_.startswith(NIL)


def add_note(draft: Draft, what: str, places: list[int]) -> None:
    """Add a note about some places of the source, if there are any."""
    if places:
        first = first_places(draft.source, np.array(places[:3], np.int64))
        draft.notes.append(Note(draft.side, what, len(places), first))


def make_column_error(source: Source, place: int, line: str, expected: str) -> ReadError:
    """Make the error for a line with the wrong number of columns."""
    count = line.count("\t") + 1
    hint = f"write it as {expected}"
    return make_read_error(source, place, f"{count} column{'s'[: count != 1]}", details=[quote_line(line)], hint=hint)


# Columns with entity ids, one cell per word, which annotate existing spans or form spans of their own.


def ids_of(cell: str) -> str | None:
    """Parse the ids of a cell and join them, the best first; None if there is no link.

    >>> ids_of("Q1|Q2|nil"), ids_of("_"), ids_of("NIL")
    ('Q1|Q2|NIL', None, 'NIL')
    """
    if cell in OUTSIDE:
        return None
    return join_ids(each.strip() for each in cell.split(BAR) if each.strip() not in OUTSIDE)


def with_links(corpus: Corpus, cells: TextColumn | None) -> Corpus:
    """Add to the spans of a corpus the ids of their first words.

    Spans whose words have different ids, and ids of words outside of all spans, are noted.

    Args:
        corpus: words with spans.
        cells: the cell of each word; None if the input has none.

    """
    spans = corpus.spans
    if cells is None or spans is None:
        return corpus
    first = corpus.row_documents[spans.document] + spans.begin
    last = first + (spans.end - spans.begin) - 1
    ids = [ids_of(name) for name in cells.names]
    linked = np.array([each is not None for each in ids], np.bool_)[cells.codes]
    inside = np.zeros(len(corpus) + 1, np.int64)
    np.add.at(inside, first, 1)
    np.add.at(inside, last + 1, -1)
    outside, _ = _find_runs(linked & (np.cumsum(inside)[:-1] == 0), cells, corpus.sentences)
    changes = np.cumsum(np.diff(cells.codes.astype(np.int64), prepend=cells.codes[:1]) != 0)
    found = {
        "ids outside of mentions ignored (?mentions=both reads them as mentions)": outside,
        "mentions whose words have several ids, of which the first is used (?mentions=both splits them)": first[
            changes[first] != changes[last]
        ],
    }
    notes = [
        Note(corpus.name, what, len(rows), first_places(corpus.source, corpus.offset[rows[:3]]))
        for what, rows in found.items()
        if rows.size
    ]
    columns = dict(spans.columns)
    if linked[first].any():
        columns["id"] = TextColumn.of([ids[code] for code in cells.codes[first].tolist()])
    return replace(corpus, spans=replace(spans, columns=columns), notes=(*corpus.notes, *notes))


def linked_spans(corpus: Corpus, cells: TextColumn) -> Corpus:
    """Add spans to a corpus: runs of words whose cells are equal, ignoring case.

    Args:
        corpus: words; spans do not cross the end of a sentence.
        cells: the cell of each word.

    """
    upper, _ = mend_column(cells, str.upper)
    ids = [ids_of(name) for name in upper.names]
    begin, end = _find_runs(
        np.array([each is not None for each in ids], np.bool_)[upper.codes], upper, corpus.sentences
    )
    bounds = corpus.row_documents
    document = np.searchsorted(bounds, begin, side="right") - 1
    label = TextColumn(np.zeros(len(begin), np.uint8), (ENTITY,))
    column = TextColumn.of([ids[code] for code in upper.codes[begin].tolist()])
    spans = Spans(
        unit="tokens",
        document=document,
        begin=begin - bounds[document],
        end=end - bounds[document],
        label=label,
        offset=corpus.offset[begin],
        columns={"id": column},
    )
    return replace(corpus, spans=spans)


def split_by_links(corpus: Corpus, cells: TextColumn) -> Corpus:
    """Split the spans of a corpus where the cells of their words change; each linked word outside becomes a span.

    Args:
        corpus: words with spans that do not overlap.
        cells: the cell of each word; case is ignored.

    """
    spans = corpus.spans
    if spans is None:
        raise AssertionError("there are no spans to be split")
    upper, _ = mend_column(cells, str.upper)
    first = corpus.row_documents[spans.document] + spans.begin
    size = spans.end - spans.begin
    rows = np.repeat(first - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    owner = np.full(len(corpus), -1, np.int64)
    owner[rows] = np.repeat(np.arange(len(spans)), size)
    linked = np.array([ids_of(name) is not None for name in upper.names], np.bool_)[upper.codes]
    outside = owner < 0
    chosen = ~outside | linked
    begins = outside | (np.diff(owner, prepend=-2) != 0) | (np.diff(upper.codes.astype(np.int64), prepend=-1) != 0)
    begin = np.flatnonzero(chosen & begins)
    end = np.flatnonzero(chosen & np.append(begins[1:], np.True_)) + 1
    bounds = corpus.row_documents
    document = np.searchsorted(bounds, begin, side="right") - 1
    mine = owner[begin]
    tagged = mine >= 0
    names = spans.label.names if tagged.all() else tuple(dict.fromkeys((*spans.label.names, ENTITY)))
    codes = np.full(len(begin), names.index(ENTITY) if ENTITY in names else 0, np.int64)
    codes[tagged] = spans.label.codes[mine[tagged]]
    pieces = Spans(
        unit="tokens",
        document=document,
        begin=begin - bounds[document],
        end=end - bounds[document],
        label=TextColumn(codes, names),
        offset=corpus.offset[begin],
    )
    return replace(corpus, spans=pieces)


def _find_runs(chosen: Truths, cells: TextColumn, sentences: Rows) -> tuple[Rows, Rows]:
    """Return the begins and ends of runs of chosen rows with equal cells; none crosses the end of a sentence."""
    cut = np.ones(len(chosen) + 1, np.bool_)
    cut[1:-1] = cells.codes[1:] != cells.codes[:-1]
    cut[sentences] = True
    padded = np.concatenate([[False], chosen, [False]])
    begin = chosen & (cut[:-1] | ~padded[:-2])
    end = chosen & (cut[1:] | ~padded[2:])
    return np.flatnonzero(begin), np.flatnonzero(end) + 1
