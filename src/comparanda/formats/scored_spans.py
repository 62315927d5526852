"""Probabilities for spans with scores, in any format."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from comparanda.core.blocks import TOO_MANY, Scored, make_blocks
from comparanda.core.places import Note, first_places, format_weight, make_read_error
from comparanda.core.probabilities import CLIPPED, EPSILON, hint_for, is_impossible, unscale
from comparanda.core.text_columns import TextColumn, take_rows
from comparanda.errors import ReadError, suggest_nearest
from comparanda.formats.contract import SCORES, describe_words
from comparanda.formats.probabilistic_records import DECLARABLE, parse_policies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comparanda.core.blocks import Refuse
    from comparanda.core.corpus import Corpus, Spans
    from comparanda.core.probabilities import Floats, Policies, Scale
    from comparanda.core.text_columns import Column, Rows, Truths


def with_beliefs(
    corpus: Corpus, options: Mapping[str, str], words: Mapping[str, float], apart: Truths | None = None
) -> Corpus:
    """Add probabilities to the spans of a corpus if it has scores; without scores, spans are certain.

    The scores are in the column that `score` names, or in the only column with a usual name for scores. Items that
    quote the text receive their probabilities once they are aligned.

    Args:
        corpus: the input.
        options: the options it was read with.
        words: the probabilities of words that stand for them, in lower case.
        apart: the spans without a place, which overlap nothing; None if all have one.

    """
    policies = parse_policies(options)
    corpus = _refuse_declared_policies(corpus, policies)
    if corpus.quotes is not None:
        later = lambda placed, nowhere: with_beliefs(placed, options, words, nowhere)  # noqa: E731 - the rest is known now
        return replace(corpus, quotes=replace(corpus.quotes, probable=later))
    spans = corpus.spans
    assert spans is not None
    scores = _read_scores(corpus, spans, options.get("score"), words)
    if scores is None:
        return corpus
    column, numbers = scores
    weight, notes = _read_probabilities(corpus, spans, column, numbers, scale=policies.scale)
    document = spans.document if apart is None else np.where(apart, -1 - np.arange(len(spans)), spans.document)
    scored = Scored(
        document=document, begin=spans.begin, end=spans.end, label=spans.label.codes.astype(np.int64), weight=weight
    )
    found = make_blocks(scored, policies.overlap, policies.semantics, _make_refuse(corpus, spans, column, weight))
    if len(found.left_out):
        notes[TOO_MANY + format_weight(corpus.source, float(weight[found.left_out].sum()))] = found.left_out
    policies_used: dict[str, str] = {
        "overlap": policies.overlap,
        "scale": policies.scale,
        "semantics": policies.semantics,
    }
    if words:
        policies_used["words"] = describe_words(words)
    return replace(
        corpus,
        spans=_select_spans(spans, found.rows),
        beliefs=replace(found.beliefs, policies=policies_used),
        notes=(*corpus.notes, *(_make_note(corpus, spans, what, rows) for what, rows in notes.items() if len(rows))),
    )


def _refuse_declared_policies(corpus: Corpus, policies: Policies) -> Corpus:
    """Refuse a document that declares another policy than the one in force, since its format does not read these.

    An attribute of such a name whose value is not a policy is noted.
    """
    notes = []
    for name, (policy, allowed) in DECLARABLE.items():
        given = corpus.documents.attributes.get(name)
        values = [] if given is None else given.values()
        for number, value in enumerate(values):
            if value in allowed and value != getattr(policies, policy):
                document = corpus.documents.names[number]
                raise make_read_error(
                    corpus.source,
                    _find_offset(corpus, number),
                    f"the document {document!r} declares {name}={value!r}, which format {corpus.format} does not read",
                    hint=f"give it as an option: ?{policy}={value}",
                )
        others = [number for number, value in enumerate(values) if value is not None and value not in allowed]
        if others:
            what = f"fields {name!r} of documents whose value is not a policy, ignored"
            offsets = np.array([_find_offset(corpus, number) for number in others[:3]], np.int64)
            notes.append(Note(corpus.name, what, len(others), first_places(corpus.source, offsets)))
    return replace(corpus, notes=(*corpus.notes, *notes)) if notes else corpus


def _find_offset(corpus: Corpus, document: int) -> int:
    """Return the byte offset of the first span of a document, or of its first row."""
    assert corpus.spans is not None
    rows = np.flatnonzero(corpus.spans.document == document)
    if len(rows):
        return int(corpus.spans.offset[rows[0]])
    row = int(corpus.row_documents[document])
    return int(corpus.offset[row]) if row < len(corpus.offset) else 0


def _read_scores(
    corpus: Corpus, spans: Spans, asked: str | None, words: Mapping[str, float]
) -> tuple[str, Floats] | None:
    """Return the name of the column of scores, and its numbers, NaN where they are missing; None if there is none.

    Where the only column of numbers has none, words may be in another one, as in answers of language models.
    """
    where = corpus.source.parts[0].name
    columns = spans.columns
    if asked is not None and asked not in columns:
        hint = f"fields: {', '.join(columns) or 'none'}; use ?score=none if spans are certain"
        raise ReadError(f"spans have no {asked!r}{suggest_nearest(asked, columns)}", where=where, hint=hint)
    names = [name for name in SCORES if name in columns] if asked is None else [asked]
    numeric = [name for name in names if _is_numeric(columns[name])]
    if len(numeric) > 1:
        raise _several_error(numeric, where)
    if not names:
        return None
    column = (numeric or names)[0]
    numbers = np.full(len(spans), np.nan)
    for name in (column, *(name for name in names if name != column)):
        found, unread = _parse_column(columns[name], words)
        missing = np.isnan(numbers)
        if words and not (missing | np.isnan(found)).all():
            raise _several_error([column, name], where)
        if (unread & missing).any():
            raise _word_error(corpus, spans, name, row=int((unread & missing).argmax()), words=words)
        numbers[missing] = found[missing]
    return column, numbers


def _several_error(names: list[str], where: str) -> ReadError:
    what = f"the probabilities of spans could be in {' or '.join(map(repr, names))}"
    return ReadError(what, where=where, hint=f"choose one: ?score={names[0]}")


def _parse_column(column: Column, words: Mapping[str, float]) -> tuple[Floats, Truths]:
    """Return the numbers of a column, those declared for words included, and a mask of values that are not numbers."""
    if not isinstance(column, TextColumn):
        truths = column.dtype.kind == "b"
        return np.full(len(column), np.nan) if truths else column.astype(np.float64), np.full(len(column), truths)
    known = [float(name) if _is_number(name) else words.get(name.strip().lower(), np.nan) for name in column.names]
    present = column.codes != (-1 if column.missing is None else column.missing)
    numbers = np.where(present, np.array(known, np.float64)[column.codes], np.nan)
    return numbers, present & np.isnan(numbers)


def _word_error(corpus: Corpus, spans: Spans, name: str, *, row: int, words: Mapping[str, float]) -> ReadError:
    """Make the error for a score that is not a number."""
    column = spans.columns[name]
    value = column[row] if isinstance(column, TextColumn) else str(column[row]).lower()
    what = f"the {name!r} of {_describe_span(spans, row)} is {value!r}, which is not a number"
    hint = f"declare what {'it means, too' if words else 'words mean'}: ?scale=words&{_as_option(value)}=0.5"
    hint += "; use ?score=none if spans are certain"
    return make_read_error(corpus.source, int(spans.offset[row]), what, hint=hint)


def _as_option(value: object) -> str:
    return quote(str(value).strip().lower()[:40])


def _is_numeric(column: Column) -> bool:
    """Whether a column holds numbers, as such or as strings."""
    if isinstance(column, TextColumn):
        present = [name for code, name in enumerate(column.names) if code != column.missing]
        return bool(present) and all(map(_is_number, present))
    return column.dtype.kind in "iuf"


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _read_probabilities(
    corpus: Corpus, spans: Spans, column: str, numbers: Floats, *, scale: Scale
) -> tuple[Floats, dict[str, Rows]]:
    """Return the probabilities of spans, and notes about some; refuse numbers that are not probabilities."""
    absent = np.isnan(numbers)
    found = np.where(absent, 1.0, unscale(numbers, scale))
    wrong = np.flatnonzero(is_impossible(found))
    if len(wrong):
        row = int(wrong[0])
        what = f"the {column!r} of {_describe_span(spans, row)} is {numbers[row]:g}, which is not a probability"
        hint = f"{hint_for(float(numbers[row]))}; use ?score=none if spans are certain"
        raise make_read_error(corpus.source, int(spans.offset[row]), what, hint=hint)
    outside = (found < 0) | (found > 1)
    lacking = "a probability" if column == _DERIVED else repr(column)
    notes = {
        f"spans without {lacking}, treated as certain": np.flatnonzero(absent),
        CLIPPED: np.flatnonzero(outside),
    }
    return np.clip(found, 0.0, 1.0), notes


_DERIVED = "probability"
"""The column of formats whose own fields have other names."""


def _describe_span(spans: Spans, row: int) -> str:
    return f"the span {spans.begin[row]} to {spans.end[row]}, {spans.label[row]}"


def _make_refuse(corpus: Corpus, spans: Spans, column: str, weight: Floats) -> Refuse:
    """Return a function that makes the error for some spans, at the place of the first."""

    def error(rows: Rows, what: str, hint: str) -> ReadError:
        name = corpus.documents.names[int(spans.document[rows[0]])]
        shown = [f"{_describe_span(spans, row)}: {column} {weight[row]:g}" for row in rows[:4].tolist()]
        details = [f"document {name!r}", *shown]
        return make_read_error(corpus.source, int(spans.offset[rows[0]]), what, details=details, hint=hint)

    return error


def _make_note(corpus: Corpus, spans: Spans, what: str, rows: Rows) -> Note:
    return Note(corpus.name, what, len(rows), first_places(corpus.source, spans.offset[rows[:3]]))


def _select_spans(spans: Spans, rows: Rows) -> Spans:
    """Select some spans, preserving their order."""
    if len(rows) == len(spans):
        return spans
    return replace(
        spans,
        document=spans.document[rows],
        begin=spans.begin[rows],
        end=spans.end[rows],
        label=spans.label.take(rows),
        offset=spans.offset[rows],
        fragments=None if spans.fragments is None else spans.fragments.take(rows, len(spans)),
        columns={name: take_rows(column, rows) for name, column in spans.columns.items()},
    )


def certain_key(corpus: Corpus) -> Corpus:
    """Drop the probabilities of a key in a probabilistic format; refuse a key with uncertain spans."""
    assert corpus.beliefs is not None
    unsure = np.flatnonzero(corpus.beliefs.weight < 1 - EPSILON)
    if len(unsure) and corpus.spans is not None:
        row = int(unsure[0])
        what = f"the key has a span that is not certain: its probability is {corpus.beliefs.weight[row]:g}"
        hint = "is the output given in its place? if these are no probabilities, name another format: ::jsonl"
        raise make_read_error(corpus.source, int(corpus.spans.offset[row]), what, hint=hint)
    return replace(corpus, beliefs=None)
