"""Alignment of system outputs (responses) with a key: documents by text and name, words by their text.

Documents and sentences are the key's. A response with other boundaries of documents or sentences is aligned with the
key by its characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np

from comparanda.align.maps import (
    NONE,
    Aligned,
    RowMap,
    make_coverage_error,
    missing_notes,
    refuse_missing,
    row_map,
)
from comparanda.align.pairing import UNKNOWN_NAMES, DocumentTexts, find_renamed, note_pairing, pair_documents
from comparanda.align.words import (
    Surface,
    check_numbers,
    lay_text,
    note_cuts,
    same_ranges,
    same_words,
    segments_of_same_tokens,
)
from comparanda.core.places import Note
from comparanda.core.text_columns import TextColumn
from comparanda.errors import AlignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparanda.align.maps import Mapped, Missing, TextPolicy
    from comparanda.core.corpus import Corpus
    from comparanda.core.text_columns import Rows


NUMBERED = "document "
"""The beginning of the names that readers give documents without a name, before their number."""


# Rows that are identified by ids: classification files.


def map_by_id(key: Corpus, response: Corpus, missing: Missing) -> Mapped:
    """Match rows by their ids."""
    if same_words(key, response):
        return RowMap(), None, []
    mine, theirs = _rows_by_id(key), _rows_by_id(response)
    lacking = [name for name in mine if name not in theirs]
    surplus = [name for name in theirs if name not in mine]
    refuse_missing(key, response=response, lacking=lacking, surplus=surplus, missing=missing, kind="id")
    common = [(row, theirs[name]) for name, row in mine.items() if name in theirs]
    rows = np.array(common, dtype=np.int64).reshape(-1, 2)
    notes = missing_notes(response, lacking, surplus, "id")
    return row_map(len(key), len(response), rows[:, 0], rows[:, 1]), None, notes


def refuse_repeated_ids(key: Corpus) -> None:
    """Refuse duplicate ids in the key, once for all responses: the ids of identical rows are not checked again."""
    if key.words is not None and len(key.words.intern().names) < len(key):
        _rows_by_id(key)


def _rows_by_id(corpus: Corpus) -> dict[str, int]:
    if corpus.words is None:
        return {str(row): row for row in range(len(corpus))}
    rows: dict[str, int] = {}
    for row in range(len(corpus)):
        name = corpus.words[row]
        if name in rows:
            raise AlignError(
                f"duplicate id {name!r}",
                where=str(corpus.location(row)),
                details=[f"first occurrence: {corpus.location(rows[name])}"],
                hint="give each row a unique id; for rows with several labels, see the documentation of the format",
            )
        rows[name] = row
    return rows


def align_responses(
    key: Corpus, responses: Iterable[Corpus], *, missing: Missing = "error", texts: TextPolicy = "exact"
) -> Aligned:
    """Align responses with a key.

    Args:
        key: the key; responses are mapped to its documents, sentences and rows.
        responses: one corpus per run. They are consumed one by one, and the bytes of a large one are released
            before the next is read.
        missing: the treatment of documents (or rows with ids) that a response lacks: refuse it,
            count them as empty there, or compare only what all responses have.
        texts: whether the text of a response must be the key's, or may differ in a few characters.

    """
    if key.by_id:
        refuse_repeated_ids(key)
    key = _with_rows(_with_places(key))
    context = _KeyContext(key, texts)
    maps, segments, kept_responses, notes = [], [], [], [*key.notes, *_note_textless(key)]
    for given in responses:
        response = _name_in_order(key, _with_places(given, key))
        mapped, segment, found = _map_response(context, response, missing)
        maps.append(mapped)
        segments.append(segment)
        notes += [*response.notes, *found]
        kept_responses.append(response.released())
        del given, response  # else its bytes would stay in memory until the next one is read
    kept = _common_rows(context, maps) if missing == "intersection" else None
    notes += left_out(key, kept)
    return Aligned(
        key=key,
        responses=tuple(kept_responses),
        maps=tuple(maps),
        segments=tuple(segments),
        kept=kept,
        notes=tuple(notes),
    )


def _name_in_order(key: Corpus, response: Corpus) -> Corpus:
    """Give documents without text and names those of the key's, in order, if their spans state the texts found there.

    Tools that are given a list of texts return a list of lists of spans, each with the text that it covers.
    """
    spans, count, names = response.spans, len(response.documents), response.documents.names
    numbered = names == tuple(f"{NUMBERED}{number}" for number in range(1, count + 1))
    if spans is None or spans.unit != "characters" or len(response) or key.raw is None or not numbered:
        return response
    stated = spans.columns.get("text")
    if count != len(key.documents) or set(names) & set(key.documents.names) or not isinstance(stated, TextColumn):
        return response
    texts, whole = key.raw.documents, np.ones(len(spans), np.bool_)
    if spans.fragments is not None:
        whole[spans.fragments.span] = False
    rows = [row for row in np.flatnonzero(whole).tolist() if stated[row]]
    places = zip(rows, *(column[rows].tolist() for column in (spans.document, spans.begin, spans.end)), strict=True)
    if not rows or any(texts[number][begin:end].split() != stated[row].split() for row, number, begin, end in places):
        return response
    note = Note(
        response.name, "documents without names, matched in order, as the texts of their spans are there", count
    )
    documents = replace(response.documents, names=key.documents.names)
    return replace(response, documents=documents, notes=(*response.notes, note))


def _with_rows(key: Corpus) -> Corpus:
    """Give each document of a key without text one row, at which all its spans are."""
    spans, count = key.spans, len(key.documents)
    if spans is None or not key.textless or len(key) == count:
        return key
    first = np.searchsorted(spans.document, np.arange(count), side="right") - 1
    offset = spans.offset[np.maximum(first, 0)] if len(spans) else np.zeros(count, np.int64)
    numbers = np.arange(count + 1)
    return replace(key, offset=offset, sentences=numbers, documents=replace(key.documents, offsets=numbers))


def _note_textless(key: Corpus) -> list[Note]:
    """Note that a key has no text."""
    if not key.textless:
        return []
    what = "documents without text: spans compared by their offsets alone, and counted in characters, not tokens"
    return [Note("key", what, len(key.documents))]


def left_out(key: Corpus, kept: Rows | None) -> list[Note]:
    """Note the number of rows of the key that are left out; refuse to compare if none remain."""
    if kept is None:
        return []
    if not kept.size:
        raise AlignError("the key and the system outputs have no documents in common", where=key.source.parts[0].name)
    return [Note("key", "rows left out because a system output lacks them", len(key) - len(kept))]


class _KeyContext:
    """The key, with data that are computed once for all responses."""

    def __init__(self, key: Corpus, policy: TextPolicy) -> None:
        self.key, self.policy = key, policy
        self.lacking: set[int] = set()

    @cached_property
    def surface(self) -> Surface:
        return Surface.of(self.key)

    @cached_property
    def texts(self) -> DocumentTexts:
        return DocumentTexts(self.key, self.surface)


def _common_rows(context: _KeyContext, maps: list[RowMap]) -> Rows | None:
    """Return the rows of the ids or documents that all responses have. Words tokenised differently are not missing."""
    key = context.key
    present = np.ones(len(key), dtype=np.bool_)
    if key.by_id:
        for mapped in maps:
            if mapped.to_response is not None:
                present &= mapped.to_response != NONE
    for document in context.lacking:
        present[key.row_documents[document] : key.row_documents[document + 1]] = False
    return None if present.all() else np.flatnonzero(present)


def _with_places(corpus: Corpus, key: Corpus | None = None) -> Corpus:
    """Give quotations their places, in the key's texts for an output; most corpora have none."""
    if corpus.quotes is None:
        return corpus
    from comparanda.align.quotes import place_in_own_texts, place_quotations

    return place_in_own_texts(corpus) if key is None else place_quotations(key, corpus)


def _map_response(context: _KeyContext, response: Corpus, missing: Missing) -> Mapped:
    key = context.key
    if key.by_id or response.by_id:
        return map_by_id(key, response, missing)
    spans = response.spans if response.words is None else None
    if spans is not None and (spans.unit == "characters" or not len(response)):
        return _map_documents_only(context, response, missing)
    if key.textless:
        _refuse_words(key, response)
        return _map_documents_only(context, response, missing)
    both_marked = key.documents.marked and response.documents.marked
    if _have_same_tokens(key, response) and not (both_marked and not _have_same_documents(key, response)):
        return _map_in_order(context, response)
    if key.words is None or response.words is None:
        return _map_by_name(context, response, missing)
    return _map_by_text(context, response, missing)


def _have_same_tokens(key: Corpus, response: Corpus) -> bool:
    """Whether rows correspond one to one: both have the same words and ranges, or one has no words at all."""
    wordless = key.words is None or response.words is None
    return wordless or (same_words(key, response) and same_ranges(key, response))


def _map_in_order(context: _KeyContext, response: Corpus) -> Mapped:
    """Align a response with the whole key: word by word if the words are the same, else by characters."""
    key = context.key
    if key.words is None or response.words is None:
        return RowMap(), None, check_numbers(key, response, np.arange(len(key)), np.arange(len(response)))
    if _have_same_tokens(key, response):
        return RowMap(), segments_of_same_tokens(key, response), note_cuts(key, response)
    return lay_text(key, context.surface, response, texts=context.policy)


def _have_same_documents(key: Corpus, response: Corpus) -> bool:
    """Whether both sides have documents of the same names and lengths in the same order.

    Equal words are not sufficient: two short documents may have been swapped.
    """
    same_names = key.documents.names == response.documents.names
    return same_names and np.array_equal(key.row_documents, response.row_documents)


def _refuse_words(key: Corpus, response: Corpus) -> None:
    """Refuse a response whose positions count words, if the key has no text."""
    if response.spans is None or response.spans.unit == "tokens":
        raise AlignError(
            f"spans of words cannot be compared with those of a key without text ({key.source.parts[0].name})",
            where=response.source.parts[0].name,
            hint="give the text with the key, or spans by character offsets in the system output",
        )


def _map_by_text(context: _KeyContext, response: Corpus, missing: Missing) -> Mapped:
    """Pair documents by their texts and names, then align their texts."""
    key, theirs = context.key, DocumentTexts(response, Surface.of(response))
    pairing = pair_documents(context.texts, theirs, context.policy)
    lacking, surplus = _names(key, pairing.lacking), sorted(_names(response, pairing.surplus))
    if missing == "error" and (lacking or surplus):
        renamed = find_renamed(context.texts, theirs, pairing) if surplus else []
        raise make_coverage_error(
            key.source.parts[0].name,
            response=response.source.parts[0].name,
            lacking=lacking,
            surplus=surplus,
            kind="document",
            renamed=renamed,
        )
    context.lacking |= set(pairing.lacking)
    notes = [*missing_notes(response, lacking, surplus, "document"), *note_pairing(context.texts, theirs, pairing)]
    every = [[*range(len(key.documents))], [*range(len(response.documents))]]
    if [[*map(list, group)] for group in pairing.groups] == [every]:
        mapped, segments, found = _map_in_order(context, response)
        return mapped, segments, [*found, *notes]
    mapped, segments, found = lay_text(key, context.surface, response, pairing.groups, texts=context.policy)
    return mapped, segments, [*notes, *found]


def _names(corpus: Corpus, documents: list[int]) -> list[str]:
    return list(dict.fromkeys(corpus.documents.names[each] for each in documents))


def _map_by_name(context: _KeyContext, response: Corpus, missing: Missing) -> Mapped:
    """Match documents by name alone, if a side has no words; in order if no name of the response is the key's."""
    key = context.key
    mine, theirs = _rows_by_document(key), _rows_by_document(response)
    lacking, surplus = [name for name in mine if name not in theirs], sorted(theirs.keys() - mine.keys())
    if len(lacking) == len(mine):
        mapped, segments, notes = _map_in_order(context, response)
        return mapped, segments, [*notes, Note(response.name, UNKNOWN_NAMES, len(surplus), tuple(surplus[:3]))]
    refuse_missing(key, response=response, lacking=lacking, surplus=surplus, missing=missing, kind="document")
    context.lacking |= {number for number, name in enumerate(key.documents.names) if name in set(lacking)}
    pairs = [(rows, theirs[name]) for name, rows in mine.items() if name in theirs]
    found = [note for rows, others in pairs for note in check_numbers(key, response, rows, others)]
    mapped = row_map(len(key), len(response), *map(np.concatenate, zip(*pairs, strict=True)))
    return mapped, None, [*missing_notes(response, lacking, surplus, "document"), *found]


def _rows_by_document(corpus: Corpus) -> dict[str, Rows]:
    """Return the rows of the documents of each name."""
    found: dict[str, Rows] = {}
    for name, begin, end in zip(
        corpus.documents.names, *(corpus.row_documents[cut] for cut in (slice(-1), slice(1, None))), strict=True
    ):
        rows = np.arange(begin, end)
        found[name] = np.concatenate([found[name], rows]) if name in found else rows
    return found


def _map_documents_only(context: _KeyContext, response: Corpus, missing: Missing) -> Mapped:
    """Match the documents of a response without text, whose positions refer to the key's text."""
    key = context.key
    mine, theirs = set(key.documents.names), set(response.documents.names)
    lacking, surplus = [name for name in key.documents.names if name not in theirs], sorted(theirs - mine)
    refuse_missing(key, response=response, lacking=lacking, surplus=surplus, missing=missing, kind="document")
    context.lacking |= {number for number, name in enumerate(key.documents.names) if name not in theirs}
    nowhere = RowMap(np.full(len(response), NONE), np.full(len(key), NONE))
    return nowhere, None, missing_notes(response, lacking, surplus, "document")


# Merging the alignments of single responses.


def merge_alignments(parts: Sequence[Aligned]) -> Aligned:
    """Merge alignments with one key, as if all their responses had been aligned at once.

    In this way a response that cannot be aligned can be left out, and none is read or aligned twice.
    """
    key = parts[0].key
    kept: list[Rows] = [part.kept for part in parts if part.kept is not None]
    common = reduce(np.intersect1d, kept) if kept else None
    own = [note for part in parts for note in part.notes[len(part.key.notes) :] if note.side != "key"]
    return Aligned(
        key=key,
        responses=tuple(response for part in parts for response in part.responses),
        maps=tuple(each for part in parts for each in part.maps),
        segments=tuple(each for part in parts for each in part.segments),
        kept=common,
        notes=(*key.notes, *own, *left_out(key, common)),
    )
